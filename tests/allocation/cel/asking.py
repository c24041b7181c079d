"""How the tests ask: an expression and a device to an answer."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kubectl_dra.allocation.cel import (
    SCHEDULER,
    Answer,
    CelEnvironment,
    CelError,
    DeviceVariables,
    ErrorClass,
    compile_expression,
)
from kubectl_dra.allocation.cel.estimate import most_cost
from kubectl_dra.objects.resource import Device

DRIVER = "gpu.example.com"
DEVICE: Mapping[str, Any] = {
    "name": "d",
    "attributes": {
        "model": {"string": "a100"},
        "numa": {"int": 1},
        "ok": {"bool": True},
        "ver": {"version": "1.2.3"},
        "other.example.com/x": {"string": "y"},
        "ids": {"ints": [1, 2, 3]},
        "names": {"strings": ["a", "b"]},
        "vers": {"versions": ["1.0.0", "2.0.0"]},
        "flags": {"bools": [True, False]},
    },
    "capacity": {"memory": {"value": "40Gi"}, "other.example.com/bw": {"value": "10G"}},
}


def variables(device: Mapping[str, Any] = DEVICE, driver: str = DRIVER) -> DeviceVariables:
    """What expressions see of the device."""
    return DeviceVariables(driver, msgspec.convert(device, Device))


def ask(expression: str, device: Mapping[str, Any] = DEVICE, *, environment: CelEnvironment = SCHEDULER) -> Answer:
    """Compile and evaluate; a fault of compiling is an answer too."""
    try:
        return compile_expression(expression, environment).evaluate(variables(device))
    except CelError as error:
        return Answer(error=error.message, error_class=error.error_class)


def as_upstream(expression: str, device: Mapping[str, Any], driver: str) -> dict[str, object]:
    """The answer as the oracle writes it, with its estimate. What we cannot decide has the kind `unsupported`."""
    try:
        program = compile_expression(expression)
    except CelError as error:
        return {"error": error.message, "errorKind": str(error.error_class)}
    answer = program.evaluate(variables(device, driver))
    found: dict[str, object] = {"type": str(program.type), "cost": answer.cost, "maxCost": most_cost(program.tree)}
    if answer.error_class is None:
        return found | {"result": answer.matches}
    # The oracle calls a passed cost limit a runtime error.
    kind = ErrorClass.RUNTIME if answer.error_class is ErrorClass.COST else answer.error_class
    return found | {"error": answer.error, "errorKind": str(kind)}
