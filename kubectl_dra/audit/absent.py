"""What an audit was asked about by its name and is not there: a mistyped node would look like a healthy one."""

from collections.abc import Iterator

from kubectl_dra.audit.case import Case
from kubectl_dra.audit.scope import is_glob


def absent(case: Case) -> Iterator[str]:
    """`node a`, `extended resource a/b`: nodes that do not exist, and names that nobody asks for, lists or maps."""
    if case.snapshot.nodes.known:
        for name in case.scope.nodes:
            if not is_glob(name) and case.node(name) is None:
                yield f"node {name}"
    for name in case.scope.resources:
        if not is_glob(name) and name not in case.names:
            yield f"extended resource {name}"
