"""Who asks for extended resources: pods that are not finished, and the workloads that make pods, also those at zero."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.inventory.known import known
from kubectl_dra.inventory.owners import BUILT_IN, Owner, Owners, built_in, custom_kind, template_of
from kubectl_dra.inventory.scope import Scope
from kubectl_dra.objects.pod import Pod, PodSpec, PodTemplateSpec
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.workload import OVER, Workload


@dataclass(frozen=True, slots=True)
class AskingPod:
    """A pod that is not finished and asks: its devices by name, and the top of its owner chain."""

    pod: Pod
    devices: Mapping[str, int]
    owner: Owner

    @property
    def pending(self) -> bool:
        """Whether it does not run yet."""
        return self.pod.status.phase in (None, "", "Pending")


@dataclass(frozen=True, slots=True)
class AskingWorkload:
    """The top of an owner chain whose pods ask: the devices of one pod (of the largest), and its pods that are not finished.

    `replicas` is how many pods it wants, None when nobody knows. `at_zero` says that it wants none now: scaled to zero, suspended, or a
    CronJob between two runs.
    """

    owner: Owner
    devices: Mapping[str, int]
    pods: tuple[AskingPod, ...]
    replicas: int | None
    suspended: bool

    @property
    def at_zero(self) -> bool:
        """Whether it makes no pods now but will when it is scaled, resumed or due."""
        return not self.pods and (self.suspended or self.replicas == 0 or self.owner.kind.partition(".")[0] == "CronJob")


@dataclass(slots=True)
class _Gathering:
    """What is known of a workload while it is put together. `own` are its own templates, `made` those of controllers that it makes."""

    own: list[Mapping[str, int]] = field(default_factory=list)
    made: list[Mapping[str, int]] = field(default_factory=list)
    pods: list[AskingPod] = field(default_factory=list)
    replicas: int | None = None
    suspended: bool = False
    over: bool = False
    selected: bool = False


class Users:
    """Everybody who asks, in one snapshot and scope."""

    def __init__(self, snapshot: Snapshot, scope: Scope = Scope()) -> None:  # noqa: B008 (frozen)
        """Take the reading and the scope."""
        self._snapshot = snapshot
        self._scope = scope
        self._asked = Asked()
        self._nodes = {node.metadata.name: node for node in snapshot.nodes}

    @property
    def pods_known(self) -> bool:
        """Whether all pods in scope were read."""
        return known(self._snapshot.pods) and self._scope.within(self._snapshot.cluster.namespace)

    @property
    def workloads_known(self) -> bool:
        """Whether every controller of pods was read in full, so that those at zero are all seen."""
        readings = [*(getattr(self._snapshot, kind) for kind in BUILT_IN), *self._snapshot.custom_workloads.values()]
        return all(map(known, readings)) and self._scope.within(self._snapshot.cluster.namespace)

    def asked(self, spec: PodSpec) -> Mapping[str, int]:
        """The devices a pod of this spec needs by name, of the names in scope."""
        asked = self._asked.of(spec)
        if not self._scope.resources:
            return asked
        return {name: count for name, count in asked.items() if self._scope.has_resource(name)}

    @cached_property
    def pods(self) -> tuple[AskingPod, ...]:
        """The pods that ask, are not finished, and are in scope; sorted by namespace and name."""
        found = []
        for pod in self._snapshot.pods:
            if not pod.finished and self._scope.has_pod(pod) and self._on_wanted_node(pod):
                asked = self.asked(pod.spec)
                if asked:
                    found.append(AskingPod(pod, asked, self._owners.top_of(pod)))
        return tuple(sorted(found, key=lambda asking: (asking.pod.metadata.namespace or "", asking.pod.metadata.name)))

    @cached_property
    def workloads(self) -> tuple[AskingWorkload, ...]:
        """The workloads that ask and are in scope, bare pods among them; sorted by namespace, kind and name."""
        gathered: dict[Owner, _Gathering] = defaultdict(_Gathering)
        for asking in self.pods:
            gathered[asking.owner].pods.append(asking)
        for kind, workload in built_in(self._snapshot):
            self._add_built_in(gathered, kind, workload)
        self._add_custom(gathered)
        found = (self._workload(owner, gathered[owner]) for owner in sorted(gathered))
        return tuple(workload for workload in found if workload is not None)

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self._snapshot)

    def _on_wanted_node(self, pod: Pod) -> bool:
        """Pods without a node are everybody's; those of a node that could not be read are wanted if all nodes are."""
        if not self._scope.nodes.requirements or pod.node_name is None:
            return True
        node = self._nodes.get(pod.node_name)
        return node is not None and self._scope.has_node(node)

    def _add_built_in(self, gathered: dict[Owner, _Gathering], kind: str, workload: Workload) -> None:
        template = template_of(workload)
        if not self._scope.has_namespace(workload.metadata.namespace) or template is None:
            return
        owner = Owner(workload.metadata.namespace or "", kind, workload.metadata.name)
        asked = self.asked(template.spec)
        top = self._owners.top(owner)
        if asked and top != owner:
            gathered[top].made.append(asked)
            gathered[top].selected |= self._selected(template)
        elif asked:
            into = gathered[owner]
            into.own.append(asked)
            into.replicas, into.suspended = replicas(kind, workload), bool(workload.spec.suspend)
            into.over = kind == "Job" and job_is_over(workload)
            into.selected = self._selected(template)

    def _add_custom(self, gathered: dict[Owner, _Gathering]) -> None:
        for reading in self._snapshot.custom_workloads.values():
            for custom in reading:
                if not self._scope.has_namespace(custom.metadata.namespace):
                    continue
                owner = Owner(custom.metadata.namespace or "", custom_kind(custom), custom.metadata.name)
                uses = [(use, asked) for use in custom.templates or () if (asked := self.asked(use.template.spec))]
                top = self._owners.top(owner)
                into = gathered[top]
                into.selected |= any(self._selected(use.template) for use, _ in uses)
                if top != owner:
                    into.made += [asked for _, asked in uses]
                    continue
                into.own += [asked for _, asked in uses]
                into.replicas = _sum(use.replicas for use, _ in uses) if uses else None
                # its own switch also stops what only the objects that it makes ask for
                into.suspended = bool(custom.suspended)
                into.over = bool(custom.over)

    def _selected(self, template: PodTemplateSpec) -> bool:
        """Whether pods of the template would have the wanted labels."""
        return self._scope.pods.matches(template.metadata.labels)

    def _workload(self, owner: Owner, gathered: _Gathering) -> AskingWorkload | None:
        """The finished picture; None for what does not ask, asks no more (a Job that is done) or is out of scope."""
        wanted = bool(gathered.pods) or not self._scope.pods.requirements or gathered.selected
        if not wanted or (gathered.over and not gathered.pods):
            return None
        templates = gathered.own or gathered.made
        if owner.kind == "Pod" and self.pods_known:
            templates = []  # what repeats pods, as Kueue's Workload of a pod group does, says nothing that they do not
        largest: dict[str, int] = {}
        # pods may differ from the template: an older revision, a webhook
        for asked in (*templates, *(asking.devices for asking in gathered.pods)):
            for name, count in asked.items():
                largest[name] = max(count, largest.get(name, 0))
        if not largest:
            return None
        return AskingWorkload(owner, dict(sorted(largest.items())), tuple(gathered.pods), gathered.replicas, gathered.suspended)


def replicas(kind: str, workload: Workload) -> int | None:
    """How many pods a built-in controller wants at a time. Null fields have the API's defaults."""
    spec, status = workload.spec, workload.status
    match kind:
        case "DaemonSet":
            return status.desired_number_scheduled
        case "CronJob":
            job = spec.job_template.spec if spec.job_template else None
            return _at_a_time(job.parallelism, job.completions) if job is not None else 1
        case "Job":
            return _at_a_time(spec.parallelism, None if spec.completions is None else spec.completions - (status.succeeded or 0))
        case _:
            return 1 if spec.replicas is None else spec.replicas


def job_is_over(job: Workload) -> bool:
    """Whether a Job makes no more pods: it says so, or as many succeeded as were wanted.

    Failed pods end no Job: it waits for minutes before it makes the next one (kubernetes pkg/controller/job/backoff_utils.go). Nor
    does it end while its pods cannot be made (a quota).
    """
    status, spec = job.status, job.spec
    if any(each.type in OVER for each in status.conditions or ()):
        return True
    # without a number of completions the first pod that succeeds is the last to be made
    wanted = 1 if spec.completions is None else spec.completions
    return (status.succeeded or 0) >= max(wanted, 1) and not status.active and not spec.suspend and spec.parallelism != 0


def _at_a_time(parallelism: int | None, left: int | None) -> int:
    """How many pods a Job wants at a time: no more than are left to complete (kubernetes pkg/controller/job/job_controller.go)."""
    most = 1 if parallelism is None else parallelism
    return most if left is None else max(0, min(most, left))


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum, None if one of them is not known."""
    listed = tuple(counts)
    return None if None in listed else sum(count for count in listed if count is not None)
