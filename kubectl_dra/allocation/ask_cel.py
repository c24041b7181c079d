"""The protocol's mode cel: expressions on devices."""

from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from kubectl_dra.allocation.cel import CelEnvironment, CelError, DeviceVariables, ErrorClass, Program, compile_expression
from kubectl_dra.allocation.cel.environment import COST_LIMIT
from kubectl_dra.allocation.cel.estimate import most_cost
from kubectl_dra.allocation.cel.syntax import Node
from kubectl_dra.allocation.derived import Derivation, derivation
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
    try:
        ask, tree = _derived_by(text, environment) if asked.derived else _matched_by(text, environment)
        told: dict[str, object] = {"type": str(tree.checked)}
        if asked.estimate:
            told["maxCost"] = most_cost(tree)
    except CelError as error:
        return [{"error": error.message, "errorKind": str(error.error_class)}] * len(devices)
    return [{**told, **ask(DeviceVariables(asked.driver, device))} for device in devices]


Asked = tuple[Callable[[DeviceVariables], Told], Node]
"""What answers for a device, and the expression's tree."""


def _matched_by(text: str, environment: CelEnvironment) -> Asked:
    program = compile_expression(text, environment)
    return partial(_matched, program), program.tree


def _derived_by(text: str, environment: CelEnvironment) -> Asked:
    program = derivation(text, environment)
    return partial(_derived, program), program.tree


def _matched(program: Program, device: DeviceVariables) -> Told:
    answer = program.evaluate(device)
    if answer.error_class is None:
        return {**_cost(answer.cost), "result": answer.matches}
    return {**_cost(answer.cost), "error": answer.error, "errorKind": _kind(answer.error_class)}


def _derived(program: Derivation, device: DeviceVariables) -> Told:
    answer = program.answer(device)
    if answer.error is None:
        # upstream leaves out what is empty
        written = {name: value for name, value in msgspec.to_builtins(answer.attribute).items() if value not in ((), [])}
        return {**_cost(answer.cost), "attribute": written}
    return {**_cost(answer.cost), "error": answer.error.message, "errorKind": _kind(answer.error.error_class)}


def _cost(cost: int | None) -> Told:
    return {} if cost is None else {"cost": cost}


def _kind(error_class: ErrorClass) -> str:
    """For the scheduler a passed cost limit is one of the errors at run time."""
    return str(ErrorClass.RUNTIME if error_class is ErrorClass.COST else error_class)
