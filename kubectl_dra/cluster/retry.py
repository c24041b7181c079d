"""When a GET is sent once more, and after how long."""

import random
from dataclasses import dataclass
from http import HTTPStatus

ATTEMPTS = 5
"""Tries of one request, the first one included."""

LONGEST = 30.0
"""Seconds: a server that asks for a longer wait gets its error shown instead."""

RETRIED = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)


@dataclass
class Patience:
    """Counts the tries of one request."""

    tried: int = 0

    def wait(self, asked: float | None) -> float | None:
        """Seconds until the next try: what the server `asked` for, else half a second and doubling, with jitter. None: give up."""
        self.tried += 1
        if self.tried >= ATTEMPTS or (asked is not None and asked > LONGEST):
            return None
        backoff = 0.5 * (1 << (self.tried - 1)) * random.uniform(0.5, 1.0)  # noqa: S311 # spreads load, guards nothing
        return max(asked, backoff) if asked is not None else backoff
