"""The control plane's processes, as their static pods show them: versions by image, feature gates by flags.

Managed control planes show none of this. Flags say all: neither kube-scheduler nor kube-controller-manager takes gates from a file.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.knowledge import gates
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.snapshot import Snapshot, Version

API_SERVER, SCHEDULER, CONTROLLERS = "kube-apiserver", "kube-scheduler", "kube-controller-manager"
NAMES = (API_SERVER, SCHEDULER, CONTROLLERS)
"""The components, as their pods are named."""

_ALL = {"alpha": "AllAlpha", "beta": "AllBeta"}
"""The gate that stands for all of a stage (component-base: featuregate/feature_gate.go)."""


class Component(msgspec.Struct, frozen=True):
    """One process. `version` is that of its image, `emulated` what its gates go by; null where its image names none.

    `flags` are the gates on its command line.
    """

    name: str
    ref: ObjectRef
    version: Version | None
    emulated: Version | None
    flags: Mapping[str, bool]

    def gate(self, gate: str) -> bool | None:
        """Whether the gate is on: by a flag, else as the process' version has it; None when that is not known."""
        if gate in self.flags:
            return self.flags[gate]
        if self.emulated is None:
            return None
        stage = gates.stage(gate, self.emulated)
        if stage is None:
            return False
        of_all = None if stage.locked else self.flags.get(_ALL.get(stage.stage, ""))
        return stage.default if of_all is None else of_all


def components(snapshot: Snapshot) -> tuple[Component, ...]:
    """The processes that show themselves, by name and node."""
    return tuple(sorted(_components(snapshot.pods), key=lambda each: (each.name, each.ref)))


def _components(pods: Iterable[Pod]) -> Iterator[Component]:
    for pod in pods:
        if pod.metadata.namespace != "kube-system" or pod.finished or not pod.mirror:
            continue
        name = next((name for name in NAMES if pod.metadata.name == name or pod.metadata.name.startswith(f"{name}-")), None)
        container = next((each for each in pod.spec.containers or () if each.image and each.name == name), None)
        if name is None or container is None:
            continue
        # the reader keeps `--feature-gates` and `--emulated-version` of command and args here
        told = [flag.partition("=")[::2] for flag in (*(container.command or ()), *(container.args or ()))]
        version = _of_image(container.image or "")
        emulated = next((_of_component(value) for flag, value in told if flag == "--emulated-version"), None)
        flags = dict(pair for flag, value in told if flag == "--feature-gates" for pair in _pairs(value))
        yield Component(name, ObjectRef.of("Pod", pod.metadata), version, emulated or version, flags)


def _of_image(image: str) -> Version | None:
    """The version in an image's tag: `registry.k8s.io/kube-scheduler:v1.37.2@sha256:...`."""
    _, colon, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return Version.of(tag) if colon else None


def _of_component(value: str) -> Version | None:
    """`1.36`, or with the component in front: `kube=1.36`."""
    return Version.of(value.rpartition("=")[2])


def _pairs(value: str) -> Iterator[tuple[str, bool]]:
    """`A=true,kube:B=false`, as Go reads booleans."""
    for pair in value.split(","):
        gate, _, state = pair.partition("=")
        if state.strip().lower() in ("true", "t", "1", "false", "f", "0"):
            yield gate.rpartition(":")[2].strip(), state.strip().lower() in ("true", "t", "1")
