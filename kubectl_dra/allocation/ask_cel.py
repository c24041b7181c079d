"""The protocol's mode cel: expressions on devices."""

from collections.abc import Mapping

from kubectl_dra.allocation.cel import CelEnvironment, CelError, DeviceVariables, ErrorClass, Program, compile_expression
from kubectl_dra.allocation.cel.environment import COST_LIMIT
from kubectl_dra.allocation.documents import Question
from kubectl_dra.allocation.features import Features
from kubectl_dra.objects.resource import Device

Told = Mapping[str, object]


def ask_cel(asked: Question, features: Features) -> Told:
    """Every expression on every device; one of each without lists gives one answer."""
    environment = CelEnvironment(
        stored=asked.env_type != "NewExpressions",
        consumable_capacity=features.consumable_capacity,
        list_type_attributes=features.list_type_attributes,
        cost_limit=COST_LIMIT if asked.cost_limit is None else asked.cost_limit,
    )
    devices = asked.devices or (asked.device or Device(),)
    answers = [_row(text, devices, asked, environment) for text in asked.expressions or (asked.expression,)]
    return {"results": answers} if asked.expressions or asked.devices else answers[0][0]


def _row(text: str, devices: tuple[Device, ...], asked: Question, environment: CelEnvironment) -> list[Told]:
    if asked.derived or asked.estimate:
        what = "the cost of derived attributes is not counted here" if asked.derived else "costs are not estimated here"
        return [{"error": what, "errorKind": str(ErrorClass.UNSUPPORTED)}] * len(devices)
    try:
        program = compile_expression(text, environment)
    except CelError as error:
        return [{"error": error.message, "errorKind": str(error.error_class)}] * len(devices)
    return [_told(program, DeviceVariables(asked.driver, device)) for device in devices]


def _told(program: Program, device: DeviceVariables) -> Told:
    answer = program.evaluate(device)
    found: dict[str, object] = {"type": str(program.type)}
    if answer.cost is not None:
        found["cost"] = answer.cost
    if answer.error_class is None:
        return {**found, "result": answer.matches}
    # for the scheduler a passed cost limit is one of the errors at run time
    kind = ErrorClass.RUNTIME if answer.error_class is ErrorClass.COST else answer.error_class
    return {**found, "error": answer.error, "errorKind": str(kind)}
