"""Who makes pods: workloads by their templates, at zero too, and pods that nobody makes."""

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import Pod, PodSpec
from kubectl_dra.objects.snapshot import KINDS, Snapshot

_TEMPLATES = ("deployments", "replica_sets", "stateful_sets", "daemon_sets", "jobs", "cron_jobs", "replication_controllers")


class User(msgspec.Struct, frozen=True):
    """One maker of pods. `resource` is kubectl's word for its kind, `where` the template's place in a custom object.

    `waiting` are its pods that wait, with the scheduler's message.
    """

    ref: ObjectRef
    resource: str
    spec: PodSpec
    where: str = ""
    waiting: tuple[tuple[ObjectRef, str], ...] = ()


def users(snapshot: Snapshot, scope: Scope) -> tuple[User, ...]:
    """All of them, sorted. A workload whose own maker was read is left to that one."""
    owners = _Owners(snapshot)
    made = [user for user in _templates(snapshot) if owners.top(user.ref) == user.ref]
    known = {user.ref for user in made}
    pods: dict[ObjectRef, list[Pod]] = defaultdict(list)
    for pod in snapshot.pods:
        if not pod.finished:
            pods[owners.top_of(pod)].append(pod)
    made += [User(ref, ref.kind.lower(), of_it[0].spec) for ref, of_it in pods.items() if ref not in known]
    return tuple(
        msgspec.structs.replace(user, waiting=_waiting(pods.get(user.ref, [])))
        for user in sorted(made, key=lambda user: (user.ref, user.where))
        if scope.has_namespace(user.ref.namespace)
    )


class _Owners:
    """Who makes whom, by kind and names."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._controllers: dict[ObjectRef, ObjectRef] = {}
        for field in _TEMPLATES:
            for each in getattr(snapshot, field):
                self._note(KINDS[field], each.metadata)
        for reading in snapshot.custom_workloads.values():
            for custom in reading:
                self._note(custom.kind, custom.metadata)

    def _note(self, kind: str, metadata: ObjectMeta) -> None:
        controller = metadata.controller
        if controller is not None:
            self._controllers[ObjectRef.of(kind, metadata)] = ObjectRef(controller.kind, metadata.namespace or "", controller.name)

    def top(self, ref: ObjectRef) -> ObjectRef:
        """The end of the chain."""
        seen = {ref}
        while (above := self._controllers.get(ref)) is not None and above not in seen:
            seen.add(above)
            ref = above
        return ref

    def top_of(self, pod: Pod) -> ObjectRef:
        """The end of a pod's chain; the pod itself when nobody makes it, and for static pods, which their node makes."""
        controller = pod.metadata.controller
        if controller is None or controller.kind == "Node":
            return ObjectRef.of("Pod", pod.metadata)
        return self.top(ObjectRef(controller.kind, pod.metadata.namespace or "", controller.name))


def _templates(snapshot: Snapshot) -> Iterator[User]:
    for field in _TEMPLATES:
        kind = KINDS[field]
        for each in getattr(snapshot, field):
            template = each.spec.template or (each.spec.job_template.spec.template if each.spec.job_template else None)
            if template is not None:
                yield User(ObjectRef.of(kind, each.metadata), kind.lower(), template.spec)
    for reading in snapshot.custom_workloads.values():
        for custom in reading:
            for use in custom.templates or ():
                group = custom.api_version.partition("/")[0]
                yield User(ObjectRef.of(custom.kind, custom.metadata), f"{custom.kind.lower()}.{group}", use.template.spec, use.path)


def _waiting(pods: list[Pod]) -> tuple[tuple[ObjectRef, str], ...]:
    found = []
    for pod in pods:
        scheduled = pod.condition("PodScheduled")
        if pod.node_name is None and scheduled is not None and scheduled.status == "False":
            found.append((ObjectRef.of("Pod", pod.metadata), scheduled.message or ""))
    return tuple(sorted(found))
