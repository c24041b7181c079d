"""Writing the journal: under a test of the old text, so that a run that slept while another took over cannot go on."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus

import msgspec

from kubectl_dra.environment import Clock
from kubectl_dra.errors import ApiError, ConflictError
from kubectl_dra.migration.journal import Journal, Mark, encode
from kubectl_dra.migration.marks import JOURNAL
from kubectl_dra.migration.names import StepName, StepState
from kubectl_dra.migration.node_writes import TRIES, NodeChangedError, RawNode, change
from kubectl_dra.migration.reach import Reach, node_path

POINTER = f"/metadata/annotations/{JOURNAL.replace('~', '~0').replace('/', '~1')}"


class Journaling:
    """The journal as this run knows it, and as it stands on the node once `flush` has returned."""

    def __init__(self, reach: Reach, node: str, clock: Clock, journal: Journal, text: str | None) -> None:
        """`text` is what stands on the node now; null for nothing."""
        self._reach = reach
        self._node = node
        self._clock = clock
        self._text = text
        self.now = journal

    def begin(self, annotations: Mapping[str, str | None]) -> None:
        """Write the first one, in one go with other annotations. Raises ConflictError when somebody has written another meanwhile."""
        text = encode(self.now)

        def edit(node: RawNode) -> Mapping[str, object] | None:
            present = (node.metadata.annotations or {}).get(JOURNAL)
            if present == text:
                return None
            if present != self._text:
                raise self._conflict()
            return {"metadata": {"annotations": {**annotations, JOURNAL: text}}}

        change(self._reach, self._node, self.now.node_uid, edit)
        self._text = text

    def mark(self, step: StepName, state: StepState, message: str = "", changed: Iterable[str] = ()) -> None:
        """Note how far a step got, and what it is about to change. Nothing is written before `flush`."""
        at = self._clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        mark = Mark(step=step, state=state, at=at, message=message)
        before = [each for each in self.now.steps if each.step is not step]
        kept = next((each for each in self.now.steps if each.step is step), None)
        if kept is not None and state is not StepState.RUNNING:
            before = [mark if each.step is step else each for each in self.now.steps]
        else:
            before = [*before, mark]
        self.now = msgspec.structs.replace(self.now, steps=tuple(before), changed=tuple(dict.fromkeys((*self.now.changed, *changed))))

    def forget(self, steps: Iterable[StepName]) -> None:
        """These steps have to be done again."""
        again = frozenset(steps)
        self.now = msgspec.structs.replace(self.now, steps=tuple(each for each in self.now.steps if each.step not in again))

    def unchanged(self, *changed: str) -> None:
        """What was changed has been taken back."""
        self.now = msgspec.structs.replace(self.now, changed=tuple(each for each in self.now.changed if each not in changed))

    def flush(self, annotations: Mapping[str, str | None] | None = None) -> None:
        """Write it down, in one go with other annotations (null takes one off).

        Raises ConflictError when another run has written since, NodeChangedError for another node of that name.
        """
        text = encode(self.now)
        if text == self._text and not annotations:
            return
        operations: list[dict[str, object]] = [
            {"op": "test", "path": "/metadata/uid", "value": self.now.node_uid},
            {"op": "test", "path": POINTER, "value": self._text},
            {"op": "replace", "path": POINTER, "value": text},
        ]
        for key, value in (annotations or {}).items():
            place = f"/metadata/annotations/{key.replace('~', '~0').replace('/', '~1')}"
            # adding before removing: a removal of what is not there would fail
            operations.append({"op": "add", "path": place, "value": value or ""})
            if value is None:
                operations.append({"op": "remove", "path": place})
        for _ in range(TRIES):
            if self._reach.insist(lambda: self._patched(operations, text)):
                self._text = text
                return
        raise ConflictError(f"node {self._node} is changed by others faster than its journal can be written")

    def _patched(self, operations: list[dict[str, object]], text: str) -> bool:
        """Whether it was written; False when the server gave up because others were quicker, again and again."""
        try:
            self._reach.writes.patch_json(node_path(self._node), operations, RawNode)
        except ApiError as error:
            if error.code == HTTPStatus.CONFLICT:
                return False
            if error.code == HTTPStatus.NOT_FOUND:
                raise NodeChangedError(f"node {self._node} has been deleted") from error
            if error.code != HTTPStatus.UNPROCESSABLE_ENTITY:
                raise
            node = self._reach.node(self._node)
            if node is None or node.metadata.uid != self.now.node_uid:
                raise NodeChangedError(f"node {self._node} has been deleted and made again") from error
            if (node.metadata.annotations or {}).get(JOURNAL) != text:
                raise self._conflict() from error
        return True

    def _conflict(self) -> ConflictError:
        return ConflictError(
            f"the journal on node {self._node} was written by somebody else: another run has taken over",
            hint=f"kubectl dra migrate-node {self._node} --status tells where it stands",
        )
