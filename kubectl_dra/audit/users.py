"""Who makes pods: workloads by their templates, at zero too, and pods that nobody makes."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set

import msgspec

from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.audit.scope import Scope
from kubectl_dra.extended_resources.asked import make_of
from kubectl_dra.inventory.owners import Owner, Owners, built_in, custom_kind, template_of
from kubectl_dra.inventory.users import job_is_over
from kubectl_dra.objects.pod import Pod, PodSpec
from kubectl_dra.objects.snapshot import Snapshot


class User(msgspec.Struct, frozen=True):
    """One maker of pods. `resource` is kubectl's word for its kind, `where` the template's place in a custom object.

    `waiting` are its pods that wait, with the scheduler's message.
    """

    ref: ObjectRef
    resource: str
    spec: PodSpec
    where: str = ""
    waiting: tuple[tuple[ObjectRef, str], ...] = ()


def users(snapshot: Snapshot, scope: Scope, asked: Callable[[PodSpec], Mapping[str, int]]) -> tuple[User, ...]:
    """All of them, sorted. A workload whose own maker was read is left to that one.

    What a maker that was not read makes, and pods, speak for it; pods also for themselves where they differ from the template (an older
    revision, a webhook). `asked` tells the devices that a spec needs: pods that need none, most of them, are not looked at any further.
    """
    owners = Owners(snapshot)
    pods: dict[ObjectRef, list[Pod]] = defaultdict(list)
    for pod in snapshot.pods:
        if not pod.finished and asked(pod.spec):
            pods[_ref(owners.top_of(pod))].append(pod)
    made = list(_makers(snapshot, owners, pods.keys()))
    resources = {user.ref: user.resource for user in made}
    seen = {(user.ref, make_of(user.spec)) for user in made}
    for ref, of_it in pods.items():
        for pod in of_it:
            key = (ref, make_of(pod.spec))
            if key not in seen:
                seen.add(key)
                made.append(User(ref, resources.get(ref, ref.kind.lower()), pod.spec))
    return tuple(
        msgspec.structs.replace(user, waiting=_waiting(pods.get(user.ref, [])))
        for user in sorted(made, key=lambda user: (user.ref, user.where))
        if scope.has_namespace(user.ref.namespace)
    )


def _makers(snapshot: Snapshot, owners: Owners, busy: Set[ObjectRef]) -> Iterator[User]:
    """Those at the top of their chains, by their own templates or, where they have none that was read, by what they make.

    `busy` are the makers of pods that ask for devices and are not finished. What only repeats pods (Kueue's Workload of a pod group)
    is left to these.
    """
    users = tuple(_templates(snapshot))
    read, done = {user.ref for user in users}, _done_jobs(snapshot)
    for user in users:
        top = _ref(owners.top(Owner(user.ref.namespace, user.ref.kind, user.ref.name)))
        if user.ref in done and top not in busy:
            continue
        if top == user.ref:
            yield user
        elif top not in read and top.kind != "Pod":
            yield User(top, top.kind.lower(), user.spec)


def _done_jobs(snapshot: Snapshot) -> set[ObjectRef]:
    """Jobs that make no more pods, when they have none; custom ones by what their status says."""
    customs = (custom for reading in snapshot.custom_workloads.values() for custom in reading if custom.over)
    return {ObjectRef.of("Job", job.metadata) for job in snapshot.jobs if job_is_over(job)} | {
        ObjectRef.of(custom_kind(custom), custom.metadata) for custom in customs
    }


def _ref(owner: Owner) -> ObjectRef:
    return ObjectRef(owner.kind, owner.namespace, owner.name)


def _templates(snapshot: Snapshot) -> Iterator[User]:
    for kind, workload in built_in(snapshot):
        template = template_of(workload)
        if template is not None:
            yield User(ObjectRef.of(kind, workload.metadata), kind.lower(), template.spec)
    for reading in snapshot.custom_workloads.values():
        for custom in reading:
            for use in custom.templates or ():
                group = custom.api_version.partition("/")[0]
                yield User(
                    ObjectRef.of(custom_kind(custom), custom.metadata), f"{custom.kind.lower()}.{group}", use.template.spec, use.path
                )


def _waiting(pods: list[Pod]) -> tuple[tuple[ObjectRef, str], ...]:
    found = []
    for pod in pods:
        scheduled = pod.condition("PodScheduled")
        if pod.node_name is None and scheduled is not None and scheduled.status == "False":
            found.append((ObjectRef.of("Pod", pod.metadata), scheduled.message or ""))
    return tuple(sorted(found))
