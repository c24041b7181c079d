"""What has to stay as it is while a move is under way, looked at between any two polls: the node, its cordon and fence, its labels."""

from collections.abc import Callable

from kubectl_dra.errors import DraError
from kubectl_dra.migration import fence
from kubectl_dra.migration.node_writes import RawNode, read
from kubectl_dra.migration.reach import Reach


class DisturbedError(DraError):
    """Somebody undoes what this run has done."""


class Watch:
    """Nothing is expected at first but the node itself; steps say what they have brought about."""

    def __init__(self, reach: Reach, node: str, uid: str, journal: str, says: Callable[[str], None]) -> None:
        """`journal` is the journal's id, `says` hears what was put right."""
        self._reach = reach
        self._node = node
        self._uid = uid
        self._journal = journal
        self._says = says
        self._mended: set[str] = set()
        self.cordon = False
        self.fence = False
        self.labels: dict[str, str | None] = {}

    def look(self) -> RawNode:
        """See that all is as it should be. A cordon or fence that is gone is put back once.

        Raises DisturbedError for the second time and for labels, NodeChangedError for another node of that name.
        """
        node = read(self._reach, self._node, self._uid)
        present = node.metadata.labels or {}
        for key, value in self.labels.items():
            if present.get(key) != value:
                raise DisturbedError(
                    f"label {key} of node {self._node} is {_shown(present.get(key))} again, this run has set it to {_shown(value)}",
                    hint="find out who sets it (an operator, or NFD's labels that went and came back); then run the same command again",
                )
        if self.cordon and not node.cordoned:
            self._mend("cordon", f"node {self._node} was uncordoned by somebody else")
            node = fence.cordon(self._reach, self._node, self._uid)
        if self.fence and not fence.is_fenced(node, self._journal):
            self._mend("fence", f"the taint that fences node {self._node} was taken off by somebody else")
            node = fence.close(self._reach, self._node, self._uid, self._journal)
        return node

    def _mend(self, what: str, words: str) -> None:
        if what in self._mended:
            raise DisturbedError(f"{words}, again", hint="the node is left as it is; find out who does it, then run the same command again")
        self._mended.add(what)
        self._says(f"{words}; put back, this once")


def _shown(value: str | None) -> str:
    return "gone" if value is None else f'"{value}"'
