"""No claim has a device of the driver here, reserved or not, and no pod uses one.

Without the driver such pods never end (kubernetes/kubernetes#129402), and the plugin would give their devices to others.
"""

from kubectl_dra.errors import TimedOutError
from kubectl_dra.migration.holding import claim_holders, held_claims
from kubectl_dra.migration.move import GoBackError, Move
from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps.work import Work


class Claims(Work):
    """The proof before the driver goes. Only looks."""

    def wait(self, move: Move) -> str:
        """Until the last one is let go."""
        move.until(lambda: held(move), hint="a claim that nobody uses is its owner's to delete (kubectl dra devices shows whose)")
        return f"no claim has a device of {', '.join(move.target.drivers) or 'the driver'} here"


class Recheck(Work):
    """The same proof when the driver is gone, before the plugin comes: something may have been allocated in between."""

    def wait(self, move: Move) -> str:
        """Nothing, or the driver has to come back first, so that it lets go."""
        try:
            move.until(lambda: held(move), limit=move.timing.resync)
        except TimedOutError:
            raise GoBackError(StepName.CLAIMS, held(move)) from None
        return "still no claim"


def held(move: Move) -> str:
    """Which claims, and pods with claims, hold devices of this node; empty for none."""
    pools = {(each.spec.driver, each.spec.pool.name) for each in move.reach.slices_on(move.name)} | set(move.target.pools)
    claims = held_claims(move.reach.claims(), move.target.drivers, pools, move.name)
    pods = claim_holders(move.pods(), claims)
    words = [
        f"claim {each.claim.metadata.namespace}/{each.claim.metadata.name} has {each.devices} device{'s' if each.devices != 1 else ''} here"
        + (f" for {', '.join(each.pods)}" if each.pods else ", and is reserved for nobody")
        for each in claims
    ]
    words += [f"pod {pod.metadata.namespace}/{pod.metadata.name} uses a claim" for pod in pods]
    return "; ".join(words)
