"""Quantities as whole numbers of billionths: sums and comparisons of many are as exact as upstream's, and fast.

Every quantity is a whole number of billionths (objects/quantity.py: what is finer is rounded up when it is read).
"""

from functools import lru_cache

from kubectl_dra.allocation.failure import undecided
from kubectl_dra.objects.quantity import Quantity, QuantityError
from kubectl_dra.objects.shape import QuantityText

Nano = int
"""Billionths."""
_LARGEST = 1000
"""Decimal exponents beyond this would fill the memory."""


@lru_cache(maxsize=16384)
def _parsed(text: QuantityText, _kind: str) -> Quantity:
    return Quantity.parse(text.strip() if isinstance(text, str) else text)


def parsed(text: QuantityText | None) -> Quantity:
    """What the field says; null is zero. Raises QuantityError."""
    return Quantity() if text is None else _parsed(text, type(text).__name__)


def quantity(text: QuantityText | None) -> Quantity:
    """What the field says; null is zero. Raises AllocationError for what is none, as only people's files have."""
    try:
        return parsed(text)
    except QuantityError as error:
        raise undecided(f"{text!r} is no quantity: {error}") from None


def nano(text: QuantityText | None) -> Nano:
    """What the field says, in billionths. Raises AllocationError for what is no quantity or too large to write out."""
    return as_nano(quantity(text))


def as_nano(value: Quantity) -> Nano:
    """The quantity in billionths."""
    if value.scale > _LARGEST:
        raise undecided(f"a quantity with the exponent {value.scale} is too large to be added up here")
    power = value.scale + 9
    return int(value.unscaled * 10**power) if power >= 0 else -(-value.unscaled // 10**-power)
