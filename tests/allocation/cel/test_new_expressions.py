"""What the API server takes in new expressions, which is less than the scheduler takes."""

from kubectl_dra.allocation.cel import CelEnvironment, ErrorClass
from tests.allocation.cel.asking import ask

NEW = CelEnvironment(stored=False)


def test_attributes_are_of_any_type_and_nothing_runs_through_them() -> None:
    answer = ask('device.attributes["gpu.example.com"].ids.exists(i, i == 2)', environment=NEW)
    assert answer.error_class is ErrorClass.COMPILE
    assert "expression of type 'any' cannot be range of a comprehension" in answer.error
    assert ask('device.attributes["gpu.example.com"].ok', environment=NEW).matches is True


def test_includes_comes_with_its_gate() -> None:
    assert ask("[1].includes(1)", environment=NEW).error_class is ErrorClass.COMPILE
    assert ask("[1].includes(1)", environment=CelEnvironment(stored=False, list_type_attributes=True)).matches is True


def test_multiple_allocations_come_with_their_gate() -> None:
    without = CelEnvironment(stored=False, consumable_capacity=False)
    assert "undefined field 'allowMultipleAllocations'" in ask("device.allowMultipleAllocations", environment=without).error
    assert ask("device.allowMultipleAllocations", environment=NEW).matches is False


def test_a_result_of_unknown_type_must_be_an_attribute() -> None:
    assert ask("dyn(true)", environment=NEW).error == "must evaluate to bool or the unknown type, not dyn"
