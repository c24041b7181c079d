"""The README's picture of a move: the checklist on a terminal, drawn from the events of a real one. `python -m tests.move_picture`."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import msgspec

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.migration.document import MigrationPlan, MigrationRecord, Step
from kubectl_dra.migration.events import MoveEvent, StepNotes, StepWaits
from kubectl_dra.migration.names import FORWARD, Phase, StepName
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.report import layout
from kubectl_dra.report.checklist import Checklist
from kubectl_dra.report.tables.migration import RECORD
from kubectl_dra.report.view import Style
from tests.run import Stream

HERE = Path(__file__).parent
PLAYED = HERE / "migration" / "played"
"""A whole move of a node of the bed and its way back, with nothing shortened: the records, and the move's events."""

PICTURE = HERE.parent / "docs" / "migrate-node.svg"
COLUMNS, LINE, CHARACTER = 80, 19, 8.4
COLOURS = {Style.FINE: "#3fb950", Style.HEADING: "#ffffff", Style.BAD: "#f85149", Style.WARNING: "#d29922", Style.FAINT: "#8b949e"}


def record(name: str) -> MigrationRecord:
    """A record of the played move: `move` or `back`."""
    return msgspec.json.decode((PLAYED / f"{name}.json").read_bytes(), type=MigrationRecord)


def printed(of: MigrationRecord) -> str:
    """What the command prints of a record where nobody has colours."""
    lines = layout.lines(RECORD.sections(of, False), lambda text, style: text, wide=False, headers=True)
    return "".join(f"{line}\n" for line in lines)


def events() -> Iterable[MoveEvent]:
    """The move's events, in order."""
    for line in (PLAYED / "move.jsonl").read_text().splitlines():
        if "type" in json.loads(line):
            yield msgspec.json.decode(line, type=MoveEvent)


def screen(until: StepName, waits: int) -> list[tuple[str, Style]]:
    """The checklist at the so many-th wait of a step."""
    now = [0.0]
    clock = Clock(lambda: datetime.fromtimestamp(now[0], UTC), lambda seconds: None, lambda: now[0])
    environment = Environment(Stream(), Stream(), Stream(), clock=clock)
    checklist = Checklist(environment)
    checklist.expect(MigrationPlan(node="gpu-1", profile="example", phase=Phase.PLANNED, steps=tuple(Step(name=name) for name in FORWARD)))
    for event in events():
        moment = timestamp(event.at)
        assert moment is not None
        now[0] = moment.timestamp()
        checklist(event)
        waits -= event.step is until and isinstance(event, StepWaits | StepNotes)
        if waits <= 0 and event.step is until:
            break
    return list(checklist.lines())


def drawn(lines: Iterable[tuple[str, Style]], title: str) -> str:
    """The lines as a picture of a terminal: SVG with the letters as text."""
    texts = []
    listed = list(lines)
    for number, (line, style) in enumerate(listed):
        cut = line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…"
        weight = ' font-weight="bold"' if style is Style.HEADING else ""
        fill = COLOURS.get(style, "#c9d1d9")
        texts.append(f'<text x="16" y="{64 + number * LINE}" fill="{fill}"{weight} xml:space="preserve">{escape(cut)}</text>')
    width, height = round(32 + COLUMNS * CHARACTER), 64 + len(listed) * LINE
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
            ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
            *(f'<circle cx="{20 + number * 18}" cy="20" r="6" fill="#30363d"/>' for number in range(3)),
            f'<text x="{width // 2}" y="25" fill="#8b949e" text-anchor="middle">{escape(title)}</text>',
            *texts,
            "</svg>",
            "",
        )
    )


def picture() -> str:
    """The README's: in the middle of the five minutes."""
    return drawn(screen(StepName.SETTLE, 12), "kubectl dra migrate-node gpu-1 --profile example")


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
