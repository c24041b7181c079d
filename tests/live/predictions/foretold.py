"""What the tool says of a pod before it is made, in the words of the scheduler."""

from collections import Counter
from dataclasses import dataclass

from kubectl_dra.allocation.node_fit import Misfit
from kubectl_dra.allocation.pod import PodOnNode, Verdict
from kubectl_dra.allocation.pod_claims import ClaimTrouble
from tests.live.predictions.pods import Meant

ORDER = (Misfit.UNSCHEDULABLE, Misfit.OTHER_NODE, Misfit.TAINTED, Misfit.AFFINITY, Misfit.RESOURCES)
"""The scheduler's plugins in their order: the first that refuses a node says why."""
WORDS = {
    Misfit.UNSCHEDULABLE: "node(s) were unschedulable",
    Misfit.TAINTED: "node(s) had untolerated taint(s)",
    Misfit.AFFINITY: "node(s) didn't match Pod's node affinity/selector",
}
LOST = "nil or empty request mappings"
"""What the scheduler says when it cannot bind a pod of which a plugin serves a mapped name beside a claim of the pod's own."""


@dataclass(frozen=True)
class Foretold:
    """What the tool says of the pod on each node, before it is made."""

    nodes: tuple[PodOnNode, ...]

    @property
    def meant(self) -> Meant:
        """All nodes taken together: one on which the attempt ends in an error is enough for that."""
        if any(obstacle.trouble is not ClaimTrouble.CLASS_MISSING for each in self.nodes for obstacle in each.obstacles):
            return Meant.HELD
        verdicts = {each.verdict for each in self.nodes}
        assert Verdict.UNDECIDED not in verdicts
        if Verdict.FATAL in verdicts:
            return Meant.FAILS
        if Verdict.FITS not in verdicts:
            return Meant.WAITS
        return Meant.LOST if all(each.lost_at_bind for each in self.nodes if each.verdict is Verdict.FITS) else Meant.BOUND

    @property
    def fitting(self) -> set[str]:
        """The nodes that can take it."""
        return {each.node for each in self.nodes if each.verdict is Verdict.FITS}

    @property
    def errors(self) -> set[str]:
        """The errors one of which ends the attempt."""
        if self.meant is Meant.LOST:
            return {LOST}
        return {each.allocation.error for each in self.nodes if each.verdict is Verdict.FATAL}

    @property
    def message(self) -> str:
        """Why it waits: how the pod's condition begins (kubernetes pkg/scheduler/framework/types.go, FitError)."""
        begin = f"0/{len(self.nodes)} nodes are available: "
        obstacle = next((obstacle for each in self.nodes for obstacle in each.obstacles), None)
        if obstacle is not None:
            return f"{begin}request {obstacle.request}: device class {obstacle.what} does not exist."
        found = Counter(why for each in self.nodes for why in why_not(each))
        return f"{begin}{', '.join(sorted(f'{count} {why}' for why, count in found.items()))}."


def why_not(one: PodOnNode) -> list[str]:
    """What the first plugin that refuses the node says."""
    against = sorted((each.misfit for each in one.misfits), key=ORDER.index)
    if against and against[0] is not Misfit.RESOURCES:
        return [WORDS[against[0]]]
    if against:
        return [f"Insufficient {each.what}" for each in one.misfits if each.misfit is Misfit.RESOURCES]
    if one.unavailable and one.allocation.allocations is not None:
        return ["resourceclaim not available on the node"]
    return [one.allocation.error or "cannot allocate all claims"]
