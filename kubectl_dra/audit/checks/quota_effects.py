"""Quotas that begin, or cease, to limit pods when DRA serves them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.claims import served_by_claim
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.extended_resources.names import IMPLICIT_PREFIX, implicit_name, is_implicit_name
from kubectl_dra.objects import quantity
from kubectl_dra.objects.policy import ResourceQuota
from kubectl_dra.objects.resource import DeviceClass, ResourceClaim
from kubectl_dra.remedies.kubectl_line import kubectl

_CLAIMS = "count/resourceclaims.resource.k8s.io"
_OF_CLASS = ".deviceclass.resource.k8s.io/devices"


@check(
    "DRA502",
    title="a quota that begins or ceases to apply when DRA serves the pods",
    severity=Severity.WARNING,
    why=(
        "Pods are counted under requests.NAME, whoever serves them. When DRA does, each has a claim as well, and that is counted too: once"
        " as a claim, and with its devices under its class. A quota on these does nothing to pods of the device plugin and limits them from"
        " the move on; what exceeds it is not refused when the pod is made, but waits with `exceeded quota` after the scheduler has chosen"
        " a node. Conversely, claims that people make for a class count under requests.NAME only from the moment the class maps NAME, and a"
        " quota on a class does not limit pods that another class serves."
    ),
    fix=(
        "# raise the quota before the nodes move, or take the key out",
        "kubectl -n NAMESPACE describe resourcequota QUOTA",
    ),
    source=(
        "kubernetes: pkg/quota/v1/evaluator/core/resource_claims.go",
        "kubernetes: pkg/quota/v1/evaluator/core/pods.go",
        "kubernetes/kubernetes#134210",
        "kubernetes/kubernetes#135434",
    ),
    needs=("resource_quotas", "pods", "device_classes"),
    also=("resource_claims",),
)
def quotas_that_change(case: Case) -> Iterator[Candidate | Doubt]:
    """Quotas on claims and classes in namespaces whose pods have a name in question from a plugin, or from another class."""
    if not len(case.snapshot.resource_quotas) or case.extended_resources_on is False:
        return
    coming = _coming(case)
    for quota in case.snapshot.resource_quotas:
        namespace = quota.metadata.namespace or ""
        if not case.scope.has_namespace(namespace):
            continue
        of_it = coming.get(namespace, _Coming())
        hard = quota.spec.hard or {}
        begin = [_Change(key, str(hard[key]), _used(quota, key), of_it.more[key]) for key in sorted(hard) if of_it.more.get(key)]
        cease = {key: name for key, name in _of_losers(case, namespace).items() if key in hard}
        if begin:
            yield _begins(quota, begin, of_it)
        if cease:
            yield _ceases(case, quota, cease)


class _Coming(msgspec.Struct):
    """What will be counted in a namespace besides what is: by quota key, with the names of pods and claims that bring it."""

    more: dict[str, int] = msgspec.field(default_factory=lambda: defaultdict(int))
    pods: int = 0
    claims: int = 0
    names: set[str] = msgspec.field(default_factory=set)


class _Change(msgspec.Struct, frozen=True):
    """One key of a quota: its limit, what is used of it now, and what comes on top."""

    key: str
    hard: str
    used: int
    more: int

    @property
    def exceeded(self) -> bool:
        """Whether what comes is more than the limit has left."""
        limit = quantity.read(self.hard)
        return limit is not None and self.used + self.more > limit.value()

    def __str__(self) -> str:
        return f"{self.key}: {self.used} of {self.hard} used now, {self.more} more when DRA serves them all"


def _coming(case: Case) -> Mapping[str, _Coming]:
    """By namespace: the pods that have names from a plugin now, or wait for them, as claims; and people's claims of unnamed classes."""
    found: dict[str, _Coming] = defaultdict(_Coming)
    for pod, asked in case.asking_pods:
        classes = {name: _class_to_be(case, name) for name in asked if not is_implicit_name(name) and case.in_question(name)}
        moving = {name: each for name, each in classes.items() if each is not None and not served_by_claim(pod, name)}
        if not moving:
            continue
        of_it = found[pod.metadata.namespace or ""]
        of_it.pods += 1
        of_it.names |= moving.keys()
        of_it.more[_CLAIMS] += 1
        for name, device_class in moving.items():
            of_it.more[f"{device_class.metadata.name}{_OF_CLASS}"] += asked[name]
            of_it.more[f"requests.{implicit_name(device_class.metadata.name)}"] += asked[name]
    unnamed = _names_to_be(case)
    for claim in case.snapshot.resource_claims if unnamed else ():
        for class_name, devices in _asked_by(claim).items():
            for name in unnamed.get(class_name, ()) if not claim.extended else ():
                of_it = found[claim.metadata.namespace or ""]
                of_it.claims += 1
                of_it.names.add(name)
                of_it.more[f"requests.{name}"] += devices
    return found


def _class_to_be(case: Case, name: str) -> DeviceClass | None:
    """The class that serves the name, or that will when its vendor's class maps it."""
    return case.class_of(name) or next(iter(case.vendor_classes(name)), None)


def _names_to_be(case: Case) -> Mapping[str, set[str]]:
    """By class without a name: the name that pods ask for and that it will map."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in case.users_by_name:
        classes = case.vendor_classes(name) if case.in_question(name) and case.class_of(name) is None else ()
        if classes and not classes[0].spec.extended_resource_name:
            found[classes[0].metadata.name].add(name)
    return found


def _asked_by(claim: ResourceClaim) -> Mapping[str, int]:
    """Devices by class as the quota evaluator counts them: of alternatives the most, and 32 where all devices are wanted."""
    found: dict[str, int] = defaultdict(int)
    for request in claim.spec.devices.requests or ():
        exactly = (request.exactly,) if request.exactly is not None else ()
        most: dict[str, int] = {}
        for each in (*exactly, *(request.first_available or ())):
            number = 32 if each.allocation_mode == "All" else each.count or 1
            most[each.device_class_name] = max(number, most.get(each.device_class_name, 0))
        for class_name, number in most.items():
            found[class_name] += number
    return found


def _of_losers(case: Case, namespace: str) -> Mapping[str, str]:
    """The quota keys of classes whose name another class serves, where pods of the namespace ask for that name."""
    found: dict[str, str] = {}
    for name in case.resolution.contested:
        winner = case.class_of(name)
        if not any(ref.namespace == namespace for ref in case.users_by_name.get(name, ())):
            continue
        for contender in case.resolution.contenders(name):
            if contender.device_class is not winner:
                found[f"{contender.device_class.metadata.name}{_OF_CLASS}"] = name
                found[f"requests.{IMPLICIT_PREFIX}{contender.device_class.metadata.name}"] = name
    return found


def _used(quota: ResourceQuota, key: str) -> int:
    used = quantity.read((quota.status.used or {}).get(key))
    return used.value() if used is not None else 0


def _begins(quota: ResourceQuota, changes: list[_Change], coming: _Coming) -> Candidate:
    ref = ObjectRef.of("ResourceQuota", quota.metadata)
    over = [change for change in changes if change.exceeded]
    who = [
        *([f"{count(coming.pods, 'pod')} in {ref.namespace} {_ask(coming.pods)} {listed(sorted(coming.names))}"] if coming.pods else ()),
        *([f"{count(coming.claims, 'claim')} of people {_ask(coming.claims)} for a class that will map it"] if coming.claims else ()),
    ]
    return Candidate(
        cause=f"{ref} begins",
        objects=(ref,),
        evidence=lines([*map(str, changes), *who]),
        resources=tuple(sorted(coming.names)),
        severity=Severity.WARNING if over else Severity.INFO,
        title=f"{ref} will limit {listed(change.key for change in over or changes)} when DRA serves the pods"
        + (", and is too small for those that are there" if over else ""),
        fix=(
            "# raise the quota before the nodes move, or take the key out; new numbers:",
            *(f"#   {change.key}: {change.used + change.more} or more" for change in over or changes),
            kubectl("-n", ref.namespace, "describe", "resourcequota", ref.name),
        ),
    )


def _ask(number: int) -> str:
    return "asks" if number == 1 else "ask"


def _ceases(case: Case, quota: ResourceQuota, keys: Mapping[str, str]) -> Candidate:
    ref = ObjectRef.of("ResourceQuota", quota.metadata)
    winners = {name: case.class_of(name) for name in keys.values()}
    told = [f"{key} does not count pods that ask {name}: class {_name(winners[name])} serves them" for key, name in sorted(keys.items())]
    return Candidate(
        cause=f"{ref} ceases",
        objects=(ref,),
        evidence=lines(told),
        resources=tuple(sorted(set(keys.values()))),
        title=f"{ref} limits a class that serves no pod that asks {listed(sorted(set(keys.values())))}",
        fix=(
            "# leave the name to one class (DRA101), and name that class in the quota",
            kubectl("-n", ref.namespace, "describe", "resourcequota", ref.name),
        ),
    )


def _name(device_class: DeviceClass | None) -> str:
    return device_class.metadata.name if device_class is not None else "unknown"
