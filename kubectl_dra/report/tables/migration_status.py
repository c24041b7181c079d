"""How the states of nodes look, and the list of profiles."""

from collections.abc import Iterator

from kubectl_dra.migration.document import MigrationStatus, NodeStatus, ProfileList, ProfileSummary
from kubectl_dra.migration.names import Phase
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

PHASES = {
    Phase.MOVED: Style.FINE,
    Phase.RETURNED: Style.FINE,
    Phase.MOVING: Style.WARNING,
    Phase.RETURNING: Style.WARNING,
}

NODES: Table[NodeStatus] = Table(
    (
        Column("NODE", lambda item: item.node),
        Column("PHASE", lambda item: item.phase, style=lambda item: PHASES.get(item.phase, Style.PLAIN)),
        Column("STEP", lambda item: f"{item.step} {item.state}" if item.step else None),
        Column("CORDONED", lambda item: "yes" if item.cordoned else "no"),
        Column("FENCED", lambda item: "yes" if item.fenced or item.rules else "no"),
        Column("LOCK", lambda item: None if item.lock is None else "expired" if item.lock.expired else "held"),
        Column("PROFILE", lambda item: item.profile, wide=True),
        Column("ID", lambda item: item.id, wide=True),
        Column("SINCE", lambda item: item.since, wide=True),
        Column("HOLDER", lambda item: item.lock.identity if item.lock else None, wide=True),
    )
)

PROFILES: Table[ProfileSummary] = Table(
    (
        Column("PROFILE", lambda item: item.name),
        Column("FOR", lambda item: item.title),
        Column("SEEN HERE", lambda item: "; ".join(item.detected) or None, wide=True),
    )
)


def sections(status: MigrationStatus, wide: bool) -> Iterator[Section]:
    """A line a node, then what each says and how to go on."""
    if status.items:
        yield NODES.of(status.items)
    for item in status.items:
        yield Text(f"{item.node}: {item.message}", level=3)
        for each in item.leftovers:
            yield Text(f"  left over: {each}", Style.WARNING)
        if item.next:
            yield Text(item.next, code=True)
    for each in status.leftovers:
        yield Text(f"left over: {each}", Style.WARNING)
    for each in status.unknown:
        yield Text(f"not known: {each}", Style.WARNING)


def profile_sections(profiles: ProfileList, wide: bool) -> Iterator[Section]:
    """A line a profile; those that are seen in the cluster again below, with what was seen."""
    yield PROFILES.of(profiles.items)
    if not wide:
        for item in profiles.items:
            if item.detected:
                yield Text(f"seen here: {item.name} ({'; '.join(item.detected)})", Style.FINE)


STATUS: View[MigrationStatus] = View(
    sections=sections,
    names=lambda status: [f"node/{item.node}" for item in status.items],
    empty="No node has been touched by a move",
)
LIST: View[ProfileList] = View(sections=profile_sections, names=lambda profiles: [item.name for item in profiles.items])
