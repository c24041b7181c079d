"""`-v 6` and above: the requests that are made, a line each on stderr, as kubectl shows them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from kubectl_dra.environment import Environment

REQUESTS_FROM = 6
"""The verbosity from which requests are shown."""


@contextmanager
def requests_shown(environment: Environment, verbosity: int) -> Iterator[None]:
    """While the block lasts, show the requests if `verbosity` says so: verb, path and status, no header and no body."""
    if verbosity < REQUESTS_FROM:
        yield
        return
    log = logging.getLogger("urllib3.connectionpool")
    handler = logging.StreamHandler(environment.stderr)
    before, passes_on = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
        log.propagate = passes_on
