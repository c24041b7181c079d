"""Waiting for a rule with the effect NoExecute: until the controller has looked at it, and then until every pod it counted is gone.

The controller's own condition does not tell: EvictionInProgress is false at the start, after its restart, and while pods are still ending.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

import msgspec

from kubectl_dra.errors import ClusterError, TimedOutError, UnreachableError
from kubectl_dra.eviction.evict import listed
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.eviction.wait import Surroundings, hangs
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.snapshot import KindReading, Snapshot
from kubectl_dra.taint_rules.hits import Hits, Stays
from kubectl_dra.taint_rules.listing import condition, is_current
from kubectl_dra.taint_rules.preview import reading_of

STATUS_LIMIT = 30.0
"""Seconds for the controller to look at a rule; what it does is seen by the pods all the same."""


EVICTED = ("DisruptionTarget", "DeletionByDeviceTaintManager")
"""Type and reason of the condition that the controller gives a pod before it deletes it."""


class Going(msgspec.Struct, frozen=True):
    """Pods that a rule takes."""

    pods: tuple[Pod, ...]
    seconds: Mapping[str, int]
    """By UID, how long a toleration still lets a pod stay after the rule takes effect."""


def going(snapshot: Snapshot, rules: Iterable[DeviceTaintRule], read: Callable[[Pod], Pod | None] | None = None) -> Going:
    """The pods that the rules count now; with `read`, which reads a pod again, also those that the controller has deleted before.

    A pod that somebody else deletes is nobody's here, and may never end.
    """
    hits = Hits(reading_of(snapshot), rules)
    found = [each for each in hits.pods if each.stays is None]
    if read is not None:
        ending = [each for each in hits.pods if each.stays is Stays.TERMINATING]
        found += [each for each in ending if was_evicted(read(each.pod))]
    return Going(tuple(each.pod for each in found), {each.pod.metadata.uid or "": each.after for each in found})


def was_evicted(pod: Pod | None) -> bool:
    """Whether the eviction controller has deleted it."""
    type_, reason = EVICTED
    told = pod.condition(type_) if pod is not None else None
    return told is not None and told.reason == reason


def observed(get: Callable[[], DeviceTaintRule], polling: Polling) -> bool:
    """Wait until the controller has looked at the rule as it is; False when the time was over before. Raises what `get` raises."""

    def look() -> str:
        rule = get()
        told = condition(rule)
        return "" if told is not None and is_current(rule, told) else "the eviction controller to look at the rule"

    try:
        polling.until(look)
    except TimedOutError:
        return False
    return True


class PodsGone:
    """The wait for pods, by UID: one that is replaced by another of its name is gone."""

    def __init__(
        self,
        wanted: Going,
        read: Callable[[Iterable[Pod]], KindReading[Pod]],
        around: Callable[[], Snapshot],
        now: Callable[[], datetime],
    ) -> None:
        """`read` gives these pods as far as they are there, `around` nodes, slices and claims: read when a pod hangs, to say why."""
        self._open = {pod.metadata.uid or "": pod for pod in wanted.pods}
        self._all = len(self._open)
        self._seconds = wanted.seconds
        self._read = read
        self._around = around
        self._now = now

    @property
    def gone(self) -> int:
        """How many have gone so far."""
        return self._all - len(self._open)

    def look(self) -> str:
        """What is missing, empty when all are gone. A server that does not answer now may do so later."""
        if not self._open:
            return ""
        try:
            pods = self._read(self._open.values())
        except UnreachableError as error:
            return f"{self._progress()}; the API server does not answer: {error.message}"
        if not pods.known:
            raise ClusterError(f"pods cannot be read: {pods.reason}", hint="kubectl dra rbac taint-wait prints the role.")
        there = {pod.metadata.uid or "": pod for pod in pods}
        self._open = {uid: there[uid] for uid in self._open if uid in there}
        return self._told() if self._open else ""

    def add(self, wanted: Going) -> None:
        """Wait for more: pods that came to such devices meanwhile."""
        for pod in wanted.pods:
            if (pod.metadata.uid or "") not in self._open:
                self._open[pod.metadata.uid or ""] = pod
                self._all += 1
        self._seconds = {**self._seconds, **wanted.seconds}

    def _progress(self) -> str:
        return f"{self.gone} of {self._all} {'pod' if self._all == 1 else 'pods'} gone"

    def _told(self) -> str:
        now = Surroundings(self._now())
        hanging = any(hangs(pod, now) for pod in self._open.values())
        around = self._around() if hanging else Snapshot()
        reasons: dict[str, list[str]] = {}
        for pod in self._open.values():
            reasons.setdefault(self._why(pod, around), []).append(f"{pod.metadata.namespace}/{pod.metadata.name}")
        slowest = "; ".join(f"{listed(sorted(names))} {why}" for why, names in sorted(reasons.items()))
        return f"{self._progress()}; {slowest}"

    def _why(self, pod: Pod, snapshot: Snapshot) -> str:
        if pod.metadata.deletion_timestamp is None:
            seconds = self._seconds.get(pod.metadata.uid or "", 0)
            return f"tolerates the taint for {seconds}s" if seconds else "is not evicted yet"
        late = hangs(pod, self._surroundings(pod, snapshot))
        deadline = timestamp(pod.metadata.deletion_timestamp)
        if late or deadline is None:
            return late or "is ending"
        left = (deadline - self._now()).total_seconds()
        return f"is ending, with {left:.0f}s of its grace period left" if left > 0 else "is ending"

    def _surroundings(self, pod: Pod, snapshot: Snapshot) -> Surroundings:
        """What explains that the pod hangs. A driver is at work on a node where it publishes slices of the node's own: the kubelet
        removes these 30 s after it has gone (kubernetes pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go).
        """
        node = next((each for each in snapshot.nodes if each.metadata.name == pod.node_name), None)
        here = {each.spec.driver for each in snapshot.resource_slices if each.spec.node_name == pod.node_name}
        names = {name for each in pod.status.resource_claim_statuses or () if (name := each.resource_claim_name)}
        names |= {name for each in pod.spec.resource_claims or () if (name := each.resource_claim_name)}
        if pod.status.extended_resource_claim_status is not None:
            names.add(pod.status.extended_resource_claim_status.resource_claim_name)
        drivers = {
            result.driver
            for claim in snapshot.resource_claims
            if claim.metadata.namespace == pod.metadata.namespace and claim.metadata.name in names and claim.status.allocation is not None
            for result in claim.status.allocation.devices.results or ()
            if result.pool == pod.node_name  # a pool of the node's own, by the habit of drivers
        }
        known = here if snapshot.resource_slices.known else None
        return Surroundings(self._now(), node, known, lambda _: drivers)
