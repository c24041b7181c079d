"""Whether each extended resource name can move to DRA."""

from collections.abc import Iterable

from kubectl_dra.audit.candidate import EVERY_NAME
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import NameVerdict

READY = "ready"
BLOCKED = "blocked"
LEAVE_ALONE = "leave alone"
UNKNOWN = "unknown"


def verdicts(case: Case, blocking: Iterable[tuple[str, str]], doubtful: frozenset[str]) -> tuple[NameVerdict, ...]:
    """Of all names that are asked for, served or mapped, sorted. `blocking` are (name, code), `doubtful` the names nobody could judge."""
    codes: dict[str, set[str]] = {}
    for name, code in blocking:
        codes.setdefault(name, set()).add(code)
    return tuple(_verdict(case, name, tuple(sorted(codes.get(name, ()))), doubtful) for name in case.names if case.scope.has_resource(name))


def _verdict(case: Case, name: str, codes: tuple[str, ...], doubtful: frozenset[str]) -> NameVerdict:
    mapped = case.class_of(name) is not None
    if not mapped and case.left_alone(name):
        return NameVerdict(name, LEAVE_ALONE, ())
    if codes:
        return NameVerdict(name, BLOCKED, codes)
    if not mapped or not case.extended_resources_on or name in doubtful or EVERY_NAME[0] in doubtful:
        return NameVerdict(name, UNKNOWN, ())
    return NameVerdict(name, READY, ())
