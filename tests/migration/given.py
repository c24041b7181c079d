"""A cluster in which node `a` can be moved: a plugin and a driver that select their nodes by a label, a class, another node beside it."""

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from kubectl_dra.migration.document import Check, MigrationPlan
from kubectl_dra.migration.facts import Facts
from kubectl_dra.migration.journal import Before, Journal, Mark, encode
from kubectl_dra.migration.marks import FENCE, JOURNAL
from kubectl_dra.migration.names import Direction, StepName, StepState
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.plan import plan
from kubectl_dra.migration.preflight import preflight
from kubectl_dra.migration.profile import Profile
from kubectl_dra.migration.profile_files import find
from kubectl_dra.migration.subject import Subject
from kubectl_dra.migration.target import Target, target
from kubectl_dra.migration.timing import REAL
from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.node import Node, Taint
from kubectl_dra.objects.pod import Pod, PodSpec, PodTemplateSpec
from kubectl_dra.objects.shape import QuantityText
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.workload import Workload, WorkloadSpec
from tests.factories import GPU, device_class, meta, node, pod, snapshot

NOW = datetime(2026, 1, 2, 3, 0, 0, tzinfo=UTC)
PLUGIN, DRIVER = "example.com/device-plugin", "example.com/dra-driver"
EXAMPLE = find("example")
ASKED = Facts(missing=(), refused=(), canary_image="registry.example/tool:1", topology_manager="none")
"""What is known where a cluster was asked and has nothing against it."""

BY_PLUGIN = {PLUGIN: "true"}
MOVED = {PLUGIN: "false", DRIVER: "true"}


def ready(of: Node, status: str = "True", message: str = "") -> Node:
    """The node with that Ready condition."""
    condition = Condition("Ready", status, "KubeletReady" if status == "True" else "NodeStatusUnknown", message or None)
    return replace(of, status=replace(of.status, conditions=(condition,)))


def gpu_node(name: str = "a", gpu: QuantityText | None = 4, **more: object) -> Node:
    """A Ready node with the plugin's label; `more` as the factory `node` takes it."""
    labels = more.pop("labels", BY_PLUGIN)
    return ready(node(name, gpu, labels=labels, capacity={"pods": "110", "cpu": "8", "memory": "32Gi"}, **more))  # type: ignore[arg-type]


def with_journal(of: Node, journal: Journal | str) -> Node:
    """The node with that journal."""
    text = journal if isinstance(journal, str) else encode(journal)
    return replace(of, metadata=replace(of.metadata, annotations={JOURNAL: text}))


def fenced(of: Node, id_: str = "j1") -> Node:
    """The node with a fence."""
    return replace(of, spec=replace(of.spec, taints=(*(of.spec.taints or ()), Taint(FENCE, id_, "NoSchedule"))))


def journal(
    *done: StepName, direction: Direction = Direction.MOVE, finished: bool = False, begun: StepName | None = None, **more: object
) -> Journal:
    """A journal of node `a` with these steps done and one that was begun."""
    marks = [Mark(step=step, state=StepState.DONE, at="2026-01-02T02:00:00Z") for step in done]
    marks += [Mark(step=begun, state=StepState.RUNNING, at="2026-01-02T02:30:00Z")] if begun else []
    fields = {"id": "j1", "node_uid": "uid-a", "profile": "example", "resources": (GPU,), "before": Before(devices={GPU: 4}), **more}
    return Journal(direction=direction, finished=finished, steps=tuple(marks), **fields)  # type: ignore[arg-type]


def daemon_set(name: str, app: str, selects: dict[str, str] | None, namespace: str = "devices") -> Workload:
    """A DaemonSet whose pods have the label app."""
    template = PodTemplateSpec(meta("", labels={"app": app}), PodSpec(node_selector=selects))
    return Workload(meta(name, namespace), WorkloadSpec(template=template))


PLUGIN_SET = daemon_set("plugin", "example-device-plugin", {PLUGIN: "true"})
DRIVER_SET = daemon_set("driver", "example-dra-driver", {DRIVER: "true"})


def plugin_pod(on: str = "a") -> Pod:
    """The device plugin's pod on a node."""
    return pod(f"plugin-{on}", namespace="devices", node=on, labels={"app": "example-device-plugin"}, owner=("DaemonSet apps/v1", "plugin"))


def driver_pod(on: str = "a") -> Pod:
    """The driver's pod on a node."""
    return pod(f"driver-{on}", namespace="devices", node=on, labels={"app": "example-dra-driver"}, owner=("DaemonSet apps/v1", "driver"))


def web(name: str = "web-1", gpu: QuantityText | None = 1, **more: object) -> Pod:
    """A pod on node `a` that a ReplicaSet makes again."""
    fields: dict[str, object] = {"node": "a", "owner": ("ReplicaSet apps/v1", "web"), **more}
    return pod(name, gpu, **fields)  # type: ignore[arg-type]


def cluster(
    *more: object,
    a: Node | None = None,
    b: Node | None = None,
    daemon_sets: Iterable[Workload] = (PLUGIN_SET, DRIVER_SET),
    plugin: bool = True,
    classes: bool = True,
    **readings: Iterable[object],
) -> Snapshot:
    """Node a on the plugin, node b with room, and what else is given. `plugin` is its pod on a, `classes` the class of the name."""
    fixed: list[object] = [a or gpu_node("a"), b or gpu_node("b")]
    fixed += [plugin_pod("a")] if plugin else []
    fixed += [device_class("gpu.example.com", GPU)] if classes else []
    return snapshot(*fixed, *more, daemon_sets=daemon_sets, **readings)  # type: ignore[arg-type]


def subject(of: Snapshot, profile: Profile = EXAMPLE, facts: Facts = ASKED, **options: object) -> Subject:
    """What checks judge; `options` as `Options` takes them."""
    wanted = Options(node="a", **options)  # type: ignore[arg-type]
    return Subject(of, wanted, target(of, wanted, profile), NOW, facts)


def decided(of: Snapshot, profile: Profile = EXAMPLE, **options: object) -> Target:
    """The target alone."""
    return subject(of, profile, ASKED, **options).target


def checks(of: Snapshot, name: str, profile: Profile = EXAMPLE, facts: Facts = ASKED, **options: object) -> list[tuple[str, str]]:
    """What one check says: level and message of each; `?` behind the level where it could not look."""
    found = [check for check in preflight(subject(of, profile, facts, **options)) if check.name == name]
    return [(f"{check.level}{'' if check.known else '?'}", check.message) for check in found]


def blockers(of: Snapshot, profile: Profile = EXAMPLE, facts: Facts = ASKED, **options: object) -> list[Check]:
    """Every check that forbids it."""
    return [check for check in preflight(subject(of, profile, facts, **options)) if check.level == "blocker"]


def planned(of: Snapshot, profile: Profile = EXAMPLE, facts: Facts = ASKED, **options: object) -> MigrationPlan:
    """The plan."""
    about = subject(of, profile, facts, **options)
    return plan(about, REAL, preflight(about))
