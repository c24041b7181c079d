"""How the list of classes reads: one line a class, then the traps of the cluster's version with what to do."""

from collections.abc import Iterator

from kubectl_dra.inventory.document import ClassItem, ClassList
from kubectl_dra.report.age import age
from kubectl_dra.report.tables.inventory import number, unknown_lines
from kubectl_dra.report.terminal import plain
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

_STATES = {"wins": Style.FINE, "loses": Style.WARNING, "undefined": Style.BAD, "none": Style.FAINT}


def _release(item: ClassItem) -> str | None:
    release = item.helm_release
    return None if release is None else f"{release.namespace}/{release.name}"


CLASSES: Table[ClassItem] = Table(
    (
        Column("CLASS", lambda row: row.class_),
        Column("RESOURCE", lambda row: row.extended_resource_name),
        Column("STATE", lambda row: row.state, style=lambda row: _STATES.get(row.state, Style.PLAIN)),
        Column("WINNER", lambda row: row.winner),
        Column("WHY", lambda row: row.why),
        Column("DEVICES", lambda row: number(row.devices)),
        Column("PODS", lambda row: number(row.pods)),
        Column("AGE", lambda row: age(row.age_seconds)),
        Column("HELM RELEASE", _release),
        Column("WAITING", lambda row: number(row.waiting), wide=True),
        Column("IMPLICIT NAME", lambda row: row.implicit_name, wide=True),
        Column("USABLE", lambda row: "yes" if row.implicit_usable else "no", wide=True),
    )
)


def _sections(classes: ClassList, wide: bool) -> Iterator[Section]:
    if classes.items:
        yield CLASSES.of(classes.items)
    notes = [f"{item.class_}: {note}" for item in classes.items for note in item.notes]
    if notes:
        yield Text("\n".join(notes), Style.WARNING)
    yield from unknown_lines(classes.unknown)


CLASS_LIST: View[ClassList] = View(
    sections=_sections, names=lambda classes: [f"deviceclass.resource.k8s.io/{item.class_}" for item in classes.items]
)


def warning_lines(classes: ClassList) -> Iterator[str]:
    """The warnings as lines for stderr: what is wrong, then the steps. Names that a terminal would obey are shown, not executed."""
    for warning in classes.warnings:
        yield plain(f"warning: {warning.message}")
        yield from (plain(f"  {step}") for step in warning.steps)
