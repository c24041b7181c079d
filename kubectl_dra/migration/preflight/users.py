"""Whoever uses devices: what changes for them when the node's devices come through claims."""

from collections.abc import Iterator

from kubectl_dra.audit.users import User
from kubectl_dra.audit.words import count, listed
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.knowledge.vendors import device_variables
from kubectl_dra.migration.holding import claims_of, held_claims
from kubectl_dra.migration.preflight.registry import BACK, MOVE, Verdict, check, fine, warning
from kubectl_dra.migration.subject import Subject, with_labels
from kubectl_dra.objects.pod import Pod, PodSpec

_MAKERS = (*BUILT_IN, "custom_workloads")
_SERVED_BY_THEMSELVES = frozenset({"", "none", "void"})
"""Values of device variables that give nothing."""


@check("own-claims", ok="no user mixes claims of its own with a mapped name", needs=("pods", *_MAKERS), directions=MOVE)
def own_claims(subject: Subject) -> Iterator[Verdict]:
    """Such pods are never bound to a node whose plugin serves the name (F2)."""
    found = [str(user.ref) for user in _users(subject) if user.spec.resource_claims]
    if found:
        yield warning(f"{listed(found)} has claims of its own beside a mapped name: such pods run only on nodes that were moved")


@check("selectors", ok="no selector loses the node", needs=("pods", *_MAKERS))
def selectors(subject: Subject) -> Iterator[Verdict]:
    """Labels that the move changes may be what pods look for."""
    profile, node = subject.target.profile, subject.node
    changes = (profile.unplug, profile.plug)
    after = with_labels(node, [action for change in changes for action in (change.undo if subject.back else change.do)])
    changed = {key for key in profile.labels if (node.metadata.labels or {}).get(key) != (after.metadata.labels or {}).get(key)}
    daemon_sets = {str(each.metadata.name) for part in (profile.plugin, profile.driver) for each in subject.daemon_sets_of(part)}
    found = [
        str(user.ref) for user in subject.case.users if user.ref.name not in daemon_sets and (keys := changed & _keys(user.spec)) and keys
    ]
    if found:
        yield warning(f"{listed(sorted(set(found)))} selects nodes by a label that changes here ({listed(sorted(changed))})")


def _keys(spec: PodSpec) -> set[str]:
    """The node labels that the pod's selector and required affinity look at."""
    keys = set(spec.node_selector or {})
    affinity = spec.affinity.node_affinity if spec.affinity else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    for term in (required.node_selector_terms or ()) if required else ():
        keys.update(each.key for each in term.match_expressions or ())
    return keys


@check("quotas", ok="no quota begins to apply", needs=("resource_quotas", "pods", *_MAKERS), directions=MOVE)
def quotas(subject: Subject) -> Iterator[Verdict]:
    """Claims that the scheduler makes count in quotas that plain pods never met."""
    classes = {each.device_class for each in subject.target.moving if each.device_class}
    keys = {"count/resourceclaims.resource.k8s.io"}
    keys.update(f"{name}.deviceclass.resource.k8s.io/devices" for name in classes)
    keys.update(f"requests.deviceclass.resource.kubernetes.io/{name}" for name in classes)
    namespaces = {user.ref.namespace for user in _users(subject)}
    for quota in subject.snapshot.resource_quotas:
        applies = sorted(keys.intersection(quota.spec.hard or {}))
        if quota.metadata.namespace in namespaces and applies:
            used = quota.status.used or {}
            limits = listed(f"{key} {used.get(key, '?')} of {(quota.spec.hard or {})[key]}" for key in applies)
            name = f"{quota.metadata.namespace}/{quota.metadata.name}"
            yield warning(f"ResourceQuota {name} begins to count these pods ({limits}); over it they stay pending")


@check("preemption", ok="nobody relies on preemption for these devices", needs=("pods", *_MAKERS), directions=MOVE)
def preemption(subject: Subject) -> Iterator[Verdict]:
    """A shortage of DRA devices preempts nobody (kubernetes dynamicresources.go, UnschedulableAndUnresolvable)."""
    found = sorted({str(user.ref) for user in _users(subject) if (user.spec.priority or 0) > 0 and user.spec.preemption_policy != "Never"})
    if found:
        yield warning(f"{listed(found)} has a priority: where devices come through DRA it no longer preempts other pods for them")


@check("unasked", ok="no pod here uses devices without asking", needs=("pods",))
def unasked(subject: Subject) -> Iterator[Verdict]:
    """Neither plugin nor driver knows of those; draining the holders does not make the devices free."""
    found = [f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in subject.pods if not pod.finished and _takes_unasked(subject, pod)]
    if found:
        yield warning(f"{listed(found)} may use devices without asking for them (environment of the container): nothing accounts for that")


def _takes_unasked(subject: Subject, pod: Pod) -> bool:
    if subject.answered_for(pod) or subject.case.asked(pod.spec) or pod.spec.resource_claims:
        return False
    names = device_variables()
    return any(
        variable.name in names and (variable.value or "") not in _SERVED_BY_THEMSELVES
        for container in (*(pod.spec.init_containers or ()), *(pod.spec.containers or ()))
        for variable in container.env or ()
    )


@check("claims-of-users", ok="no pod here has claims of its own", needs=("pods",), directions=BACK)
def claims_of_users(subject: Subject) -> Iterator[Verdict]:
    """Pods that name claims themselves cannot be served by a device plugin."""
    made = subject.target.drivers
    found = [
        f"{pod.metadata.namespace}/{pod.metadata.name}"
        for pod in subject.pods
        if not pod.finished and pod.spec.resource_claims and claims_of(pod) and not subject.answered_for(pod)
    ]
    if found:
        yield warning(f"{listed(found)} has claims of its own: once {listed(made)} is gone from the node, such pods cannot run here")


@check("claims", ok="no claim has devices here", needs=("resource_claims", "resource_slices"), blocks=True, directions=BACK)
def claims(subject: Subject) -> Iterator[Verdict]:
    """What has to be gone before the driver goes: without it, pods that hold a claim never end."""
    target = subject.target
    held = held_claims(subject.snapshot.resource_claims, target.drivers, target.pools, target.name)
    idle = [f"{each.claim.metadata.namespace}/{each.claim.metadata.name}" for each in held if not each.pods]
    if idle:
        yield warning(f"{listed(idle)} has devices here and is reserved for nobody: delete it, or step claims waits for it")
    if len(held) > len(idle):
        yield fine(f"{count(len(held) - len(idle), 'claim')} of pods here, which leave first")


def _users(subject: Subject) -> Iterator[User]:
    """Whoever asks for a name that moves."""
    names = {each.name for each in subject.target.moving}
    return (user for user in subject.case.users if names.intersection(subject.case.asked(user.spec)))
