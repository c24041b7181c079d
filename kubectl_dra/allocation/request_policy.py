"""Which amount of a capacity is taken for what was asked, and whether its policy allows that.

Rules: dynamic-resource-allocation structured/internal/incubating/consumable_capacity.go. Upstream computes in int64, either in whole
numbers or, under DRAFractionalCapacityRange, in thousandths.
"""

from kubectl_dra.allocation.amounts import quantity
from kubectl_dra.allocation.failure import divided_by_zero, nil_pointer
from kubectl_dra.objects.int64 import LARGEST, wrapped
from kubectl_dra.objects.quantity import Quantity
from kubectl_dra.objects.resource import CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity
from kubectl_dra.objects.shape import QuantityText

_NOT_REPRESENTABLE = "capacity request cannot be represented in the device's range arithmetic"


class AmountError(ValueError):
    """The amount cannot be computed; the message is upstream's."""


def taken(asked: Quantity | None, capacity: DeviceCapacity, *, fractional: bool) -> Quantity:
    """The amount that is taken. Raises AmountError, and AllocationError where upstream crashes."""
    policy = capacity.request_policy
    if asked is None:
        return quantity(capacity.value if policy is None or policy.default is None else policy.default)
    if policy is None:
        return asked
    if policy.valid_range is not None and policy.valid_range.min is not None:
        return _rounded_up(asked, policy.valid_range, quantity(policy.valid_range.min), fractional=fractional)
    allowed = (quantity(each) for each in policy.valid_values or ())
    return next((each for each in allowed if asked.compare(each) <= 0), asked)


def violated(amount: Quantity, policy: CapacityRequestPolicy | None, *, fractional: bool) -> bool:
    """Whether the policy forbids the amount. Raises AllocationError where upstream crashes."""
    if policy is None or (policy.default is not None and _identical(amount, quantity(policy.default))):
        return False
    if policy.valid_range is not None:
        return _outside(amount, policy.valid_range, fractional=fractional)
    allowed = policy.valid_values or ()
    return bool(allowed) and all(amount.compare(quantity(each)) != 0 for each in allowed)


def _identical(one: Quantity, other: Quantity) -> bool:
    """Equal in every field, as Go compares structs: big decimals are pointers there and never equal."""
    if one.wide or other.wide:
        return False
    return (one.unscaled, one.scale, one.format, one.text) == (other.unscaled, other.scale, other.format, other.text)


def _rounded_up(asked: Quantity, allowed: CapacityRequestPolicyRange, least: Quantity, *, fractional: bool) -> Quantity:
    if asked.compare(least) < 0:
        return least
    if allowed.step is None:
        return asked
    step = quantity(allowed.step)
    if _in_thousandths(allowed, fractional=fractional):
        in_milli = _exact_milli(asked)
        if in_milli is None:
            raise AmountError(f"{_NOT_REPRESENTABLE}: request {asked} is not a representable milli value")
        step_milli, least_milli = step.milli_value(), least.milli_value()
        steps = _steps(in_milli, least_milli, step_milli)
        if steps > _quotient(wrapped(LARGEST - least_milli), step_milli):
            raise AmountError(f"{_NOT_REPRESENTABLE}: rounding request {asked} up to the next step passes the milli-value range")
        result = wrapped(least_milli + wrapped(step_milli * steps))
        return Quantity(result // 1000, 0, step.format) if result % 1000 == 0 else Quantity(result, -3, step.format)
    if asked.compare(Quantity(LARGEST)) > 0:
        raise AmountError(f"{_NOT_REPRESENTABLE}: request {asked} exceeds MaxInt64")
    step_whole, least_whole = step.value(), least.value()
    steps = _steps(asked.value(), least_whole, step_whole)
    if least_whole >= 0 and steps > _quotient(LARGEST - least_whole, step_whole):
        raise AmountError(f"{_NOT_REPRESENTABLE}: rounding request {asked} up to the next step passes MaxInt64")
    return Quantity(wrapped(least_whole + wrapped(step_whole * steps)), 0, step.format)


def _steps(asked: int, least: int, step: int) -> int:
    """How many steps are above `least`, the last one begun counted whole."""
    added = wrapped(asked - least)
    return wrapped(_quotient(added, step) + (_rest(added, step) != 0))


def _outside(amount: Quantity, allowed: CapacityRequestPolicyRange, *, fractional: bool) -> bool:
    if allowed.max is not None and amount.compare(quantity(allowed.max)) > 0:
        return True
    if allowed.step is None:
        return False
    step = quantity(allowed.step)
    if _in_thousandths(allowed, fractional=fractional):
        in_milli = _exact_milli(amount)
        if in_milli is None:
            return True
        return _rest(wrapped(in_milli - _least(allowed).milli_value()), step.milli_value()) != 0
    return _rest(wrapped(amount.value() - _least(allowed).value()), step.value()) != 0


def _least(allowed: CapacityRequestPolicyRange) -> Quantity:
    """The lower end, which upstream takes for granted here."""
    if allowed.min is None:
        raise nil_pointer()
    return quantity(allowed.min)


def _in_thousandths(allowed: CapacityRequestPolicyRange, *, fractional: bool) -> bool:
    """Whether upstream computes in thousandths: all three limits can be told in them."""
    if not fractional or not all(map(_fits_milli, (allowed.min, allowed.max, allowed.step))):
        return False
    return allowed.step is None or quantity(allowed.step).milli_value() >= 1


def _fits_milli(text: QuantityText | None) -> bool:
    return text is None or _exact_milli(quantity(text)) is not None


def _exact_milli(amount: Quantity) -> int | None:
    """Thousandths, if none is lost."""
    milli = amount.milli_value()
    return milli if amount.compare(Quantity(milli, -3)) == 0 else None


def _quotient(number: int, divisor: int) -> int:
    """Go's division: towards zero."""
    if divisor == 0:
        raise divided_by_zero()
    quotient = abs(number) // abs(divisor)
    return wrapped(quotient if (number < 0) == (divisor < 0) else -quotient)


def _rest(number: int, divisor: int) -> int:
    """Go's remainder: with the sign of `number`."""
    return number - wrapped(_quotient(number, divisor) * divisor)
