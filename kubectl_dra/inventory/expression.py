"""A CEL expression, tried on devices before anybody writes it into a class."""

from collections.abc import Hashable

from kubectl_dra.allocation.cel import CelEnvironment, CompileError, DeviceVariables, Unsupported, compile_expression
from kubectl_dra.allocation.cel.environment import COST_LIMIT, LONGEST_NEW
from kubectl_dra.allocation.cel.estimate import most_cost
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.allocation.selectors import Judges
from kubectl_dra.allocation.shapes import reads, shape
from kubectl_dra.inventory.device_document import Trial
from kubectl_dra.knowledge.gates import enabled_by_default
from kubectl_dra.objects.quoted import quoted
from kubectl_dra.objects.resource import CELDeviceSelector, DeviceSelector
from kubectl_dra.objects.snapshot import ClusterInfo


def refusal(text: str, cluster: ClusterInfo) -> str:
    """What the cluster's API server says to a new selector with this expression; empty when it takes it.

    Rule: kubernetes pkg/apis/resource/validation/validation.go, validateCELExpression.
    """
    if len(text.encode()) > LONGEST_NEW:
        return f"Too long: may not be more than {LONGEST_NEW} bytes"

    def on(gate: str, otherwise: bool) -> bool:
        found = enabled_by_default(gate, cluster.emulated, cluster.feature_gates)
        return otherwise if found is None else found

    environment = CelEnvironment(
        stored=False,
        consumable_capacity=on("DRAConsumableCapacity", True),
        list_type_attributes=on("DRAListTypeAttributes", False),
    )
    try:
        too_complex = most_cost(compile_expression(text, environment).tree) > COST_LIMIT
    except CompileError as error:
        return f"Invalid value: {quoted(text)}: {error.message}"
    except Unsupported:
        return ""
    return "Forbidden: too complex, exceeds cost limit" if too_complex else ""


class Expression:
    """An expression on trial. Devices that are equal in what it reads are tried once."""

    def __init__(self, text: str) -> None:
        """Take the expression."""
        (judge,) = Judges().of([DeviceSelector(CELDeviceSelector(text))])
        if judge is None:
            raise TypeError("a selector with an expression has a judge")
        self._judge = judge
        self._reasons: dict[Hashable, tuple[str, ...]] = {}

    def on(self, candidate: Candidate) -> Trial:
        """What it says of the device, and why."""
        answer = self._judge.answer(candidate)
        return Trial(answer.matches, () if answer.matches else self._why(candidate), answer.error)

    def _why(self, candidate: Candidate) -> tuple[str, ...]:
        program = self._judge.program
        if program is None:
            return ()
        driver, device = candidate.pool[0], candidate.device
        key = shape(reads(program.tree), driver, device)
        found = None if key is None else self._reasons.get(key)
        if found is None:
            found = tuple(str(reason) for reason in program.trace(DeviceVariables(driver, device)))
            if key is not None:
                self._reasons[key] = found
        return found
