"""A small document with a view, to print."""

from collections.abc import Iterator

from kubectl_dra.document import Document, Part
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View


class Row(Part, frozen=True):
    """A node with its devices."""

    node: str
    devices: int | None = None
    note: str = ""


class Nodes(Document, frozen=True, kw_only=True):
    """Some nodes."""

    kind: str = "Nodes"
    items: tuple[Row, ...] = ()


TABLE: Table[Row] = Table(
    (
        Column("NODE", lambda row: row.node),
        Column("NOTE", lambda row: row.note, wide=True),
        Column("DEVICES", lambda row: row.devices, style=lambda row: Style.PLAIN if row.devices else Style.BAD),
    )
)


def _sections(document: Nodes, wide: bool) -> Iterator[Section]:
    yield Text("Nodes there are", Style.HEADING, level=2)
    yield TABLE.of(document.items)
    yield Text("end" + (" of all" if wide else ""))


VIEW: View[Nodes] = View(sections=_sections, names=lambda document: [f"node/{row.node}" for row in document.items])
