"""Waiting for the cluster: look, say what is missing, look again, and give up when the time is over."""

from collections.abc import Callable

import msgspec

from kubectl_dra.environment import Clock
from kubectl_dra.errors import TimedOutError

Tell = Callable[[str, float, float | None], None]
"""Hears what is waited for, since how many seconds, and for how many more at most (null: no limit)."""


def unheard(message: str, waited: float, left: float | None, /) -> None:
    """For waits that nobody watches."""


class Polling(msgspec.Struct, frozen=True):
    """How one wait is done.

    `every` are the seconds between two looks, `limit` those after which it ends (null: never). `before_each` may raise to end it early.
    """

    clock: Clock
    every: float = 1.0
    limit: float | None = None
    tell: Tell = unheard
    before_each: Callable[[], None] = lambda: None

    def until(self, look: Callable[[], str], hint: str = "") -> None:
        """Look until `look` gives empty text; what it gives otherwise says what is missing.

        Raises TimedOutError with the last of these texts; there is always one look, however short the limit.
        """
        began = self.clock.monotonic()
        while True:
            self.before_each()
            missing = look()
            if not missing:
                return
            waited = self.clock.monotonic() - began
            left = None if self.limit is None else self.limit - waited
            if left is not None and left <= 0:
                raise TimedOutError(f"after {waited:.0f} s: {missing}", hint=hint)
            self.tell(missing, waited, left)
            self.clock.sleep(self.every if left is None else min(self.every, left))
