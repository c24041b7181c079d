"""Kubernetes' quantities, exactly: what is read, compared, added and printed is what apimachinery reads, compares, adds and prints.

Rules: apimachinery pkg/api/resource (quantity.go, amount.go, suffix.go, math.go). Upstream keeps a quantity as an int64 with a decimal
scale where it can, and as a big decimal otherwise; `wide` says which, because `AsInt64` answers only for the first kind.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import total_ordering

from kubectl_dra.objects.int64 import LARGEST, divided_up, is_int64, raised, raised_unchecked, without_factors, wrapped
from kubectl_dra.objects.shape import QuantityText

_NANO = -9
_FORM = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?P<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)

_DECIMAL: Mapping[str, int] = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Mapping[str, int] = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent: suffix for suffix, exponent in _BINARY.items()}


class QuantityError(ValueError):
    """The text is no quantity; the message is apimachinery's."""


class Format(StrEnum):
    """How a quantity is written: `12e6`, `12Mi` or `12M`."""

    DECIMAL_EXPONENT = "DecimalExponent"
    BINARY_SI = "BinarySI"
    DECIMAL_SI = "DecimalSI"


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """`unscaled` x 10^`scale`. Two are equal when their values are, however they are written (`1k` and `1000`)."""

    unscaled: int = 0
    scale: int = 0
    format: Format = Format.DECIMAL_SI
    wide: bool = False
    text: str = ""
    """The text it was read from, where upstream prints it again as it was."""

    @classmethod
    def parse(cls, text: QuantityText) -> "Quantity":
        """Read a quantity, or a number that a manifest has without quotes. Raises QuantityError."""
        if not isinstance(text, str):
            text = str(text)
        if not text:
            raise QuantityError(_FORM_WRONG)
        if text == "0":
            return cls(text=text)
        found = _FORM.fullmatch(text)
        if found is None or len(text) > _LONGEST:
            raise QuantityError(_FORM_WRONG)
        base, exponent, format_ = _suffix(found["suffix"])
        whole, fraction = found["whole"], found["fraction"] or ""
        negative = found["sign"] == "-"
        small = _narrow(text, whole.lstrip("0") or "0", fraction, base, exponent, format_, negative)
        return small if small is not None else _wide(whole + fraction, len(fraction), base, exponent, format_, negative)

    def __str__(self) -> str:
        """The canonical form: no fraction, the largest suffix that loses nothing (`1.5Gi` is `1536Mi`)."""
        return self.text or self._canonical()

    def __eq__(self, other: object) -> bool:
        """By value."""
        return isinstance(other, Quantity) and self.compare(other) == 0

    def __lt__(self, other: "Quantity") -> bool:
        """By value."""
        return self.compare(other) < 0

    def __hash__(self) -> int:
        """By value: trailing zeros and scale do not count."""
        unscaled, zeros = without_factors(self.unscaled, 10)
        return hash((unscaled, self.scale + zeros if unscaled else 0))

    def __bool__(self) -> bool:
        """False for zero."""
        return self.unscaled != 0

    def __add__(self, other: "Quantity") -> "Quantity":
        """The sum, in the format of this quantity, or of the other one if this is zero."""
        format_ = self.format if self else other.format
        if self.wide or other.wide:
            return Quantity(*_aligned_sum(self, other), format_, wide=True)
        if not other:
            return Quantity(self.unscaled, self.scale, format_)
        if not self:
            return Quantity(other.unscaled, other.scale, format_)
        scale = min(self.scale, other.scale)
        parts = [raised(each.unscaled, each.scale - scale) for each in (self, other)]
        total = None if None in parts else sum(part for part in parts if part is not None)
        if total is None or not is_int64(total):
            return Quantity(*_aligned_sum(self, other), format_, wide=True)
        return Quantity(total, scale, format_)

    def __neg__(self) -> "Quantity":
        """The same, with the other sign."""
        return Quantity(-self.unscaled, self.scale, self.format, self.wide)

    def __sub__(self, other: "Quantity") -> "Quantity":
        """The difference, in the format of this quantity, or of the other one if this is zero."""
        return self + -other

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    def compare(self, other: "Quantity") -> int:
        """-1, 0 or 1, as this is less than, equal to or greater than `other`."""
        if self.sign != other.sign or not self.unscaled:
            return (self.sign > other.sign) - (self.sign < other.sign)
        size, other_size = (len(str(abs(each.unscaled))) + each.scale for each in (self, other))
        if size != other_size:
            return self.sign if size > other_size else -self.sign
        # of the same size, so that the scales differ by no more than the digits do
        scale = min(self.scale, other.scale)
        left, right = (int(each.unscaled * 10 ** (each.scale - scale)) for each in (self, other))
        return (left > right) - (left < right)

    def as_int64(self) -> int | None:
        """The value if it is an integer that upstream gives without loss; None otherwise (`AsInt64`)."""
        if self.wide or self.scale < 0:
            return None
        return raised(self.unscaled, self.scale)

    def value(self) -> int:
        """The value as an integer, fractions rounded away from zero (`Value`). Beyond int64 it overflows as upstream does."""
        return self.scaled_value(0)

    def milli_value(self) -> int:
        """Thousandths, rounded away from zero (`MilliValue`). Beyond int64 it overflows as upstream does."""
        return self.scaled_value(-3)

    def scaled_value(self, scale: int) -> int:
        """The value in units of 10^`scale` (`ScaledValue`)."""
        if self.wide:
            return _wide_scaled(self.unscaled, self.scale, scale)
        if self.scale >= scale:
            return raised_unchecked(self.unscaled, self.scale - scale)
        rounded = divided_up(abs(self.unscaled), scale - self.scale)
        return self.sign * rounded

    def _canonical(self) -> str:
        if not self.unscaled:
            return "0"
        format_ = self.format
        if format_ is Format.BINARY_SI:
            integer = _integer(self)
            if abs(self) >= _KIBI and integer is not None:
                number, times = without_factors(integer, 1024)
                return f"{number}{_BINARY_SUFFIX.get(times * 10, '')}"
            format_ = Format.DECIMAL_SI
        number, zeros = without_factors(self.unscaled, 10)
        exponent = self.scale + zeros
        number *= 10 ** (exponent % 3)
        exponent -= exponent % 3
        if format_ is Format.DECIMAL_SI:
            # upstream prints no suffix where there is none so large: 1000E reads back as 1 (suffix.go, constructBytes)
            return f"{number}{_DECIMAL_SUFFIX.get(exponent, '')}"
        return f"{number}e{exponent}" if exponent else f"{number}"

    def __abs__(self) -> "Quantity":
        """Without its sign."""
        return -self if self.unscaled < 0 else self


_LONGEST = 4000
"""Characters of a quantity. Upstream takes more; the sums here would take minutes, and Python refuses to write them out."""

_KIBI = Quantity(1024)
_FORM_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def canonical(text: QuantityText) -> str:
    """The form in which the API server stores it. Raises QuantityError."""
    return str(Quantity.parse(text))


def read(text: QuantityText | None) -> Quantity | None:
    """What an object's field says, as the API server reads it: null is zero, blanks around do not count; None when it is no quantity."""
    if text is None:
        return Quantity()
    try:
        return Quantity.parse(text.strip() if isinstance(text, str) else text)
    except QuantityError:
        return None


def total(quantities: Iterable[Quantity]) -> Quantity:
    """The sum, zero for none."""
    result = Quantity()
    for quantity in quantities:
        result += quantity
    return result


def _suffix(suffix: str) -> tuple[int, int, Format]:
    """Base, exponent and format; the exponent is cut to int32 as upstream does."""
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix], Format.DECIMAL_SI
    if suffix in _BINARY:
        return 2, _BINARY[suffix], Format.BINARY_SI
    if len(suffix) > 1 and suffix[0] in "eE":
        try:
            exponent = int(suffix[1:])
        except ValueError:
            exponent = LARGEST + 1
        if is_int64(exponent):
            return 10, wrapped(exponent, 32), Format.DECIMAL_EXPONENT
    raise QuantityError("unable to parse quantity's suffix")


def _narrow(text: str, whole: str, fraction: str, base: int, exponent: int, format_: Format, negative: bool) -> Quantity | None:
    """The int64 form; None where upstream takes the big decimal instead."""
    digits, mantissa, scale = len(whole) + len(fraction), 1, exponent
    if base == 10:
        precision = 18 - digits
    elif fraction:
        return None
    else:
        scale, mantissa, precision = 0, 1 << exponent, 15 - len(whole) - exponent * 3 // 10 - 1
    scale -= len(fraction)
    if precision < 0 or scale < _NANO:
        return None
    shifted = whole + fraction
    number = int(shifted)
    result = number * mantissa
    if not is_int64(result):
        return None
    as_it_is = number & 7 != 0 if base == 2 else scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    return Quantity(-result if negative else result, scale, format_, text=text if as_it_is else "")


def _wide(digits: str, places: int, base: int, exponent: int, format_: Format, negative: bool) -> Quantity:
    """The big decimal form: rounded up to nano, binary ones capped at the largest int64."""
    if not digits:
        raise QuantityError("unable to parse numeric part of quantity")
    number, scale = int(digits), -places
    if base == 2:
        number <<= exponent
    else:
        scale += exponent
    if number and scale < _NANO:
        number, scale = divided_up(number, _NANO - scale), _NANO
    elif number and scale <= _WRITTEN_OUT:
        number, scale = number * 10 ** (scale - _NANO), _NANO
    if format_ is Format.BINARY_SI:
        size = Quantity(number, scale)
        if size > _LARGEST:
            number, scale = LARGEST, 0
        elif _ZERO < size < _ONE:
            format_ = Format.DECIMAL_SI
    return Quantity(-number if negative else number, scale, format_, wide=True)


_WRITTEN_OUT = 100
"""Upstream writes every big decimal out to nano. Exponents beyond this are kept as such here: 1e999999999 would fill the memory."""

_ZERO, _ONE, _LARGEST = Quantity(), Quantity(1), Quantity(LARGEST)


def _integer(quantity: Quantity) -> int | None:
    """The value if it is an integer, of any size."""
    if quantity.scale >= 0:
        return int(quantity.unscaled * 10**quantity.scale)
    number, rest = divmod(quantity.unscaled, 10**-quantity.scale)
    return None if rest else number


def _aligned_sum(left: Quantity, right: Quantity) -> tuple[int, int]:
    """The sum as number and scale."""
    scale = min(left.scale, right.scale)
    return sum(each.unscaled * 10 ** (each.scale - scale) for each in (left, right)), scale


def _wide_scaled(unscaled: int, scale: int, wanted: int) -> int:
    """A big decimal in units of 10^`wanted` (scale_int.go), which wraps around beyond int64."""
    if scale > _WRITTEN_OUT:
        return 0  # all of its lower 64 bits, once written out to nano
    power = wanted - scale
    if power <= 0:
        return wrapped(wrapped(unscaled) * 10**-power)
    if unscaled < 0 and power < 19:
        # not rounded up: Go cuts the quotient towards zero and adds 1
        cut = wrapped(unscaled)
        quotient, rest = divmod(abs(cut), 10**power)
        return wrapped(quotient * (1 if cut > 0 else -1) + (1 if rest else 0))
    return wrapped(-(-unscaled // 10**power))
