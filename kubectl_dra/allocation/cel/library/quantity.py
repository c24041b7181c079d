"""Quantities (apiserver: pkg/cel/library/quantity.go)."""

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.library.amount import QuantityValue
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.values import MIN_INT
from kubectl_dra.objects.quantity import Format, Quantity, QuantityError


def _parse(text: str) -> QuantityValue:
    try:
        return QuantityValue(Quantity.parse(text))
    except QuantityError as error:
        raise EvaluationError(str(error)) from None


def _valid(text: str) -> bool:
    try:
        Quantity.parse(text)
    except QuantityError:
        return False
    return True


def _integer(value: QuantityValue) -> int:
    found = value.amount.as_int64()
    if found is None:
        raise EvaluationError("cannot convert value to integer")
    return found


def _power_of_ten(exponent: int) -> float:
    """math.Pow10: from tables in steps of 32 (Go: math/pow10.go)."""
    if exponent > 308:
        return float("inf")
    if exponent < -323:
        return 0.0
    large, small = float(f"1e{abs(exponent) // 32 * 32}"), float(f"1e{abs(exponent) % 32}")
    if exponent >= 0:
        return large * small
    return float(f"1e-{abs(exponent) // 32 * 32}") / small


def _float(value: QuantityValue) -> float:
    base = float(value.amount.unscaled)
    return base * _power_of_ten(value.amount.scale) if value.amount.scale else base


def _difference(one: Quantity, other: Quantity) -> QuantityValue:
    """Upstream negates the right side first, and the lowest int64 is its own negative (amount.go, Sub)."""
    if not one.wide and not other.wide and other.unscaled == MIN_INT:
        wrapped = one + other
        if not wrapped.wide:
            return QuantityValue(wrapped, pointer=True)
    return QuantityValue(one - other, pointer=True)


def _whole(number: int) -> Quantity:
    return Quantity(number, 0, Format.DECIMAL_EXPONENT)


IMPLEMENTATIONS: dict[str, Implementation] = {
    "string_to_quantity": _parse,
    "is_quantity_string": _valid,
    "quantity_sign": lambda value: value.amount.sign,
    "quantity_is_greater_than": lambda one, other: one.compared(other) > 0,
    "quantity_is_less_than": lambda one, other: one.compared(other) < 0,
    "quantity_compare_to": lambda one, other: one.compared(other),
    "quantity_get_float": _float,
    "quantity_get_int": _integer,
    "quantity_is_integer": lambda value: value.amount.as_int64() is not None,
    "quantity_add": lambda one, other: QuantityValue(one.amount + other.amount, pointer=True),
    "quantity_add_int": lambda one, number: QuantityValue(one.amount + _whole(number), pointer=True),
    "quantity_sub": lambda one, other: _difference(one.amount, other.amount),
    "quantity_sub_int": lambda one, number: _difference(one.amount, _whole(number)),
}
