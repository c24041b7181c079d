"""Every interval and limit of a move, in seconds, in one Struct. Tests shorten them; nothing else in the room knows a number of seconds."""

from collections.abc import Mapping

import msgspec

from kubectl_dra.migration.names import StepName

MINUTE = 60.0
HOUR = 3600.0

LIMITS: Mapping[StepName, float] = {
    StepName.PREFLIGHT: 2 * MINUTE,
    StepName.LOCK: MINUTE,
    StepName.JOURNAL: MINUTE,
    StepName.CORDON: MINUTE,
    StepName.DRAIN: HOUR,
    StepName.EMPTY: 10 * MINUTE,
    StepName.UNPLUG: 10 * MINUTE,
    StepName.ZERO: 5 * MINUTE,
    StepName.FORGET: 2 * MINUTE,
    StepName.SETTLE: 10 * MINUTE,
    StepName.PLUG: 10 * MINUTE,
    StepName.SLICES: 5 * MINUTE,
    StepName.CLASS: 2 * MINUTE,
    StepName.CANARY: 10 * MINUTE,
    StepName.UNCORDON: 5 * MINUTE,
    StepName.CLOSE: MINUTE,
    StepName.CLAIMS: 10 * MINUTE,
    StepName.REMOVE: 10 * MINUTE,
    StepName.GONE: 5 * MINUTE,
    StepName.RECHECK: 5 * MINUTE,
    StepName.REPLUG: 10 * MINUTE,
    StepName.CAPACITY: 5 * MINUTE,
}
"""How long each step may wait unless `--step-timeout` (or `--timeout`, for the drain) says otherwise."""

PATIENCE = 7 * 24 * HOUR
"""How long a drain waits for pods that nobody evicts (`--drain=wait`): training takes days."""


class Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """All of them. The defaults are what a real cluster takes; a kubelet's five minutes cannot be shortened by anybody here."""

    poll: float = 1.0
    """Between two looks at the cluster while waiting."""
    say: float = 10.0
    """Between two lines about one wait, where no terminal shows it live."""
    lease: float = 15.0
    """How long a lock holds without being renewed."""
    renew: float = 5.0
    """Between two renewals."""
    retry: float = 5.0
    """Between two evictions that a budget refuses, as kubectl's (kubectl pkg/drain/drain.go, EvictErrorRetryDelay)."""
    outage: float = 120.0
    """How long the API server may be away before a run gives up. A minute must be no reason."""
    steady_zero: float = 10.0
    """Between the two readings of allocatable 0 (a kubelet writes its status every 10 s)."""
    plugin_grace: float = 300.0
    """For so long a kubelet keeps the capacity of a plugin that is gone (kubernetes devicemanager/types.go, endpointStopGracePeriod)."""
    accepted_zero: float = 60.0
    """How long allocatable must have been 0 for `--accept-allocatable-zero` to do without capacity 0."""
    slices_unchanged: float = 35.0
    """Slices untouched for so long are no dead driver's: a kubelet deletes those after 30 s (kubernetes pkg/kubelet/cm/dra)."""
    fence_returns: float = 5.0
    """A DaemonSet's pod is back on a cordoned node so soon."""
    uncordoned: float = 60.0
    """How long new pods are watched after the uncordon."""
    resync: float = 2.0
    """How long controllers take to see a change, before something that did not happen is told as a fault."""
    limits: Mapping[StepName, float] = {}
    """How long a step may wait, where that is not `LIMITS`."""

    def limit(self, step: StepName) -> float:
        """How long the step may wait."""
        return self.limits.get(step, LIMITS[step])


REAL = Timing()
