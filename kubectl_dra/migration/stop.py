"""Ctrl-C: the first one lets the current call end and the journal be written, the second one is out at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kubectl_dra.errors import DraError
from kubectl_dra.exit_status import ExitStatus


class StoppedError(DraError):
    """A person asked the run to stop."""

    status = ExitStatus.INTERRUPTED


class Stop:
    """Whether the run was asked to stop. It looks between two calls, never in the middle of one."""

    def __init__(self) -> None:
        """Nobody has asked yet."""
        self._asked = threading.Event()

    def ask(self) -> None:
        """Ask it."""
        self._asked.set()

    @property
    def asked(self) -> bool:
        """Whether somebody has."""
        return self._asked.is_set()

    def check(self) -> None:
        """Raise StoppedError once somebody has asked."""
        if self.asked:
            raise StoppedError("stopped by Ctrl-C", hint="the same command goes on from here")

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take SIGINT and SIGTERM as requests to stop; the second one is Python's own KeyboardInterrupt.

        Only the main thread may set handlers: elsewhere nothing is changed.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def heard(number: int, frame: FrameType | None) -> None:
            if self.asked:
                raise KeyboardInterrupt
            self.ask()

        before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
