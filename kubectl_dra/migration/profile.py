"""A profile: how one installer's device plugin is taken off a node and its DRA driver put there, and how both are undone.

Profiles are YAML files, as these Structs say; a field that is not one of theirs is refused. `profile_files` reads them.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from kubectl_dra.objects.pod import Pod

API_VERSION = "kubectl-dra/v1"
KIND = "MigrationProfile"


class _Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A part of a profile."""


class PodMarks(_Piece, frozen=True):
    """By what a pod is recognised: everything that is given must fit.

    `name`, `namespaces`, `image` and `host_path` are globs; `host_path` has to fit one of the folders that the pod mounts.
    """

    labels: Mapping[str, str] = {}
    name: str = ""
    namespaces: tuple[str, ...] = ()
    image: str = ""
    host_path: str = ""

    def __post_init__(self) -> None:
        """Refuse marks that every pod has."""
        if not (self.labels or self.name or self.image or self.host_path):
            raise ValueError("marks of a pod need labels, a name, an image or a hostPath")

    def fits(self, pod: Pod) -> bool:
        """Whether the pod has all the marks. An image that a snapshot left out fits nothing."""
        labels = pod.metadata.labels or {}
        mounts = (volume.host_path.path for volume in pod.spec.volumes or () if volume.host_path is not None)
        images = (container.image or "" for container in pod.spec.containers or ())
        return (
            all(labels.get(key) == value for key, value in self.labels.items())
            and (not self.name or fnmatchcase(pod.metadata.name, self.name))
            and (not self.namespaces or any(fnmatchcase(pod.metadata.namespace or "", each) for each in self.namespaces))
            and (not self.image or any(fnmatchcase(image, self.image) for image in images))
            and (not self.host_path or any(fnmatchcase(path, self.host_path) for path in mounts))
        )


class SetLabel(_Piece, frozen=True, tag_field="action", tag="set-label"):
    """Give the node a label. While its present value fits the glob `wait_while`, somebody else is at work: wait."""

    key: str
    value: str
    wait_while: str = ""


class RemoveLabel(_Piece, frozen=True, tag_field="action", tag="remove-label"):
    """Take a label off the node."""

    key: str


class Run(_Piece, frozen=True, tag_field="action", tag="run"):
    """Run a program here: the words of its command line, no shell. Its environment has NODE, STEP, PROFILE, RESOURCES and CONTEXT.

    `timeout` are seconds; an exit status other than 0 fails the step.
    """

    command: tuple[str, ...]
    timeout: float = 300

    def __post_init__(self) -> None:
        """A command has a first word, and some time."""
        if not self.command or not self.command[0]:
            raise ValueError("command is empty")
        if self.timeout <= 0:
            raise ValueError("timeout must be more than 0 seconds")


class Say(_Piece, frozen=True, tag_field="action", tag="say"):
    """Tell a person what to do; the step's wait then sees when it is done. `{node}` stands for the node's name."""

    text: str


Action = SetLabel | RemoveLabel | Run | Say


class PodWait(_Piece, frozen=True):
    """Something more to wait for: pods of the node with these marks are `gone` or `ready`. `why` is said while waiting."""

    pods: PodMarks
    until: Literal["gone", "ready"]
    why: str


class Change(_Piece, frozen=True):
    """One thing that is done to a node (the plugin leaves, the driver comes), its undo, and what is waited for beside the rule.

    The rule: after `do` of unplug the plugin's pods are gone from the node, after its `undo` they are ready again; plug is the other way
    round, with the driver's pods.
    """

    do: tuple[Action, ...]
    undo: tuple[Action, ...]
    waits: tuple[PodWait, ...] = ()


class Part(_Piece, frozen=True):
    """The plugin or the driver: any of the marks tells its pod. `outside` says that it may run outside of Kubernetes (a systemd unit)."""

    pods: tuple[PodMarks, ...] = ()
    outside: bool = False


class Ignored(_Piece, frozen=True):
    """Pods that are none of a move's business: not evicted, and no reason to wait; `why` is shown."""

    pods: PodMarks
    why: str


class Caution(_Piece, frozen=True):
    """Something to know. With `node_label`, only on nodes that have that label."""

    text: str
    node_label: str = ""


class Detection(_Piece, frozen=True):
    """What tells that a node belongs to this installer, beside its pods: labels of nodes (keys)."""

    node_labels: tuple[str, ...] = ()


class Profile(_Piece, frozen=True, kw_only=True):
    """All of one installer's ways. `resources` are globs of the names that its plugin serves; none means any name.

    `drivers` are the names of its DRA drivers, `about` what a person must have prepared.
    """

    api_version: Literal["kubectl-dra/v1"] = "kubectl-dra/v1"
    kind: Literal["MigrationProfile"] = "MigrationProfile"
    name: str
    title: str
    about: str = ""
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    plugin: Part = Part()
    driver: Part = Part()
    detect: Detection = Detection()
    unplug: Change
    plug: Change
    ignore: tuple[Ignored, ...] = ()
    warnings: tuple[Caution, ...] = ()
    source: tuple[str, ...] = ()

    def serves(self, resource: str) -> bool:
        """Whether this installer's plugin may serve the name."""
        return not self.resources or any(fnmatchcase(resource, each) for each in self.resources)

    @property
    def labels(self) -> tuple[str, ...]:
        """The node labels that any of its actions touches, each once."""
        actions = (*self.unplug.do, *self.unplug.undo, *self.plug.do, *self.plug.undo)
        return tuple(dict.fromkeys(each.key for each in actions if isinstance(each, SetLabel | RemoveLabel)))


def shown(action: Action, node: str) -> str:
    """An action as a sentence for people."""
    match action:
        case SetLabel(key, value):
            return f"set label {key}={value} on node {node}"
        case RemoveLabel(key):
            return f"remove label {key} from node {node}"
        case Run(command):
            return f"run {' '.join(command)}"
        case Say(text):
            return text.replace("{node}", node).strip()
