"""Which module does which step."""

from collections.abc import Mapping

from kubectl_dra.migration.names import StepName
from kubectl_dra.migration.steps.canary import Canary
from kubectl_dra.migration.steps.claims import Claims, Recheck
from kubectl_dra.migration.steps.close import Close
from kubectl_dra.migration.steps.cordon import Cordon
from kubectl_dra.migration.steps.device_class import DeviceClassStep
from kubectl_dra.migration.steps.drain import Drain
from kubectl_dra.migration.steps.empty import Empty
from kubectl_dra.migration.steps.forget import Forget
from kubectl_dra.migration.steps.plug import Plug
from kubectl_dra.migration.steps.remove import Gone, Remove
from kubectl_dra.migration.steps.replug import Capacity, Replug
from kubectl_dra.migration.steps.settle import Settle
from kubectl_dra.migration.steps.slices import Slices
from kubectl_dra.migration.steps.uncordon import Uncordon
from kubectl_dra.migration.steps.unplug import Unplug
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.steps.zero import Zero

WORK: Mapping[StepName, Work] = {
    StepName.CORDON: Cordon(),
    StepName.DRAIN: Drain(),
    StepName.EMPTY: Empty(),
    StepName.UNPLUG: Unplug(),
    StepName.ZERO: Zero(),
    StepName.FORGET: Forget(),
    StepName.SETTLE: Settle(),
    StepName.PLUG: Plug(),
    StepName.SLICES: Slices(),
    StepName.CLASS: DeviceClassStep(),
    StepName.CANARY: Canary(),
    StepName.UNCORDON: Uncordon(),
    StepName.CLOSE: Close(),
    StepName.CLAIMS: Claims(),
    StepName.REMOVE: Remove(),
    StepName.GONE: Gone(),
    StepName.RECHECK: Recheck(),
    StepName.REPLUG: Replug(),
    StepName.CAPACITY: Capacity(),
}
"""All but preflight, lock and journal, which are the runner's own."""
