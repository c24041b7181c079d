"""The journal of a move: an annotation on the Node, from which a rerun goes on and the way back knows what was done.

It is not trusted, because a kubelet may write its own Node's annotations: it holds names of steps and values to compare. Commands,
labels and undo come from the profile and the plan.
"""

from collections.abc import Mapping

import msgspec

from kubectl_dra.migration.marks import JOURNAL
from kubectl_dra.migration.names import Direction, StepName, StepState
from kubectl_dra.objects.node import Node

VERSION = 1
LARGEST = 64 << 10
"""Bytes of a journal that are read: an object's annotations together hold 256 KiB."""


class Before(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the node was when the first run began.

    `labels` are those that the profile's actions touch, null where the node had none; `annotations` the autoscalers'. `devices` is the
    capacity by resource name. `taints` are those that the canary has to tolerate, as `KEY=VALUE:EFFECT`.
    """

    unschedulable: bool = False
    labels: Mapping[str, str | None] = {}
    annotations: Mapping[str, str | None] = {}
    taints: tuple[str, ...] = ()
    devices: Mapping[str, int] = {}
    plugin_pods: tuple[str, ...] = ()


class Mark(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """That a step began, or how it ended; `at` is RFC 3339."""

    step: StepName
    state: StepState
    at: str
    message: str = ""


class Journal(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The whole of it. `steps` are the marks of this direction, each step once, in the order in which they began.

    `done` are the steps of the move that the way back has to undo, while the direction is rollback. `changed` tells what a run wrote
    (`cordon`, `fence`, `rule NAME`, `namespace NAME`, `pod NAMESPACE/NAME`, `annotation KEY`), written down before it is made.
    `finished` when nothing is left to do: then it is a record for `--verify` and `--status`.
    """

    version: int = VERSION
    id: str
    node_uid: str
    profile: str
    direction: Direction = Direction.MOVE
    resources: tuple[str, ...] = ()
    driver: str = ""
    before: Before = Before()
    steps: tuple[Mark, ...] = ()
    done: tuple[StepName, ...] = ()
    changed: tuple[str, ...] = ()
    finished: bool = False
    started_at: str = ""

    def state(self, step: StepName) -> StepState:
        """How far the step got."""
        return next((mark.state for mark in self.steps if mark.step is step), StepState.PENDING)

    @property
    def last(self) -> Mark | None:
        """The mark of the step that began last."""
        return self.steps[-1] if self.steps else None


def encode(journal: Journal) -> str:
    """The annotation's text; the same journal gives the same text, so that a write can test for the old one."""
    return msgspec.json.encode(journal, order="sorted").decode()


def decode(text: str) -> Journal | str:
    """The journal in an annotation's text, or why it is none."""
    if len(text) > LARGEST:
        return f"it is longer than {LARGEST} bytes"
    try:
        found = msgspec.json.decode(text, type=Journal)
    except msgspec.DecodeError as error:
        return str(error)
    return found if found.version == VERSION else f"it is of version {found.version}, this tool reads version {VERSION}"


def of_node(node: Node) -> Journal | str | None:
    """The node's journal; None where it has none, a text where what stands there is none."""
    text = (node.metadata.annotations or {}).get(JOURNAL)
    return None if text is None else decode(text)
