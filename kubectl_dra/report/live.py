"""Long work on a terminal: an Observer that shows how far it is, and leaves nothing behind."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kubectl_dra.environment import Environment
from kubectl_dra.progress import Event, Observer, ReadingKind, Retrying, Waiting, nobody
from kubectl_dra.report.terminal import RICH, plain
from kubectl_dra.report.view import Style

if TYPE_CHECKING:
    from rich.text import Text

SECONDS_UNSEEN = 0.4
"""Readings that are done before that show nothing: a flicker helps nobody."""


@contextmanager
def watching(environment: Environment) -> Iterator[Observer]:
    """An observer for as long as the block lasts. Where nobody watches stderr, it is `nobody`."""
    if not environment.talks or environment.variables.get("TERM") == "dumb":
        yield nobody
        return
    screen = _Screen(environment)
    try:
        yield screen
    finally:
        screen.close()


class _Screen:
    """One line that counts; events may come from several threads."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._start = environment.clock.monotonic()
        self._counts: dict[str, tuple[int, bool]] = {}
        self._note = ""
        self._until: float | None = None
        self._live: Display | None = None

    def __call__(self, event: Event, /) -> None:
        match event:
            case ReadingKind(kind, count, done):
                self._counts[kind] = (count, done)
                self._note, self._until = "", None
            case Waiting(what, seconds):
                self._note, self._until = f"waiting for {what}", self._environment.clock.monotonic() + seconds
            case Retrying(what, why, seconds):
                self._note, self._until = f"{what}: {why}; once more in {seconds:.0f}s", None
        now = self._environment.clock.monotonic()
        if self._live is None and max(now - self._start, (self._until or now) - now) >= SECONDS_UNSEEN:
            self._live = Display(self._environment, self.line)

    def line(self) -> "Text":
        """What there is to say now."""
        from rich.text import Text

        counts = list(self._counts.items())
        done = sum(1 for _, (_, complete) in counts if complete)
        busy = [f"{kind} {count:,}" for kind, (count, complete) in counts if not complete]
        reading = [f"Reading: {done} {'kind' if done == 1 else 'kinds'} done"] if counts else []
        note = [f"{self._note}{self._left()}"] if self._note else []
        return Text(", ".join([*reading, *busy, *note]), overflow="ellipsis", no_wrap=True, style="dim")

    def _left(self) -> str:
        """How long the wait still takes at most: ` (5m 12s left)`."""
        if self._until is None:
            return ""
        minutes, seconds = divmod(max(0, round(self._until - self._environment.clock.monotonic())), 60)
        return f" ({f'{minutes}m ' if minutes else ''}{seconds}s left)"

    def close(self) -> None:
        """Take the line away."""
        if self._live is not None:
            self._live.close()


class Display:
    """rich's live display on stderr, refreshed by itself from what `render` gives; it leaves nothing behind."""

    def __init__(self, environment: Environment, render: "Callable[[], Text]") -> None:
        """Show it at once."""
        from rich.console import Console
        from rich.live import Live

        console = Console(file=environment.stderr, _environ=environment.variables, highlight=False)
        self._display = Live(
            console=console, get_renderable=render, transient=True, refresh_per_second=8, redirect_stdout=False, redirect_stderr=False
        )
        self._display.start(refresh=True)

    def close(self) -> None:
        """Take it away."""
        self._display.stop()


def painted(lines: Iterable[tuple[str, Style]]) -> "Text":
    """Lines with their meanings, each cut to the width of the screen."""
    from rich.text import Text

    text = Text(overflow="ellipsis", no_wrap=True)
    for number, (line, style) in enumerate(lines):
        text.append("\n" if number else "")
        text.append(plain(line), RICH.get(style, ""))
    return text
