"""Sizes and costs as ranges, from the least to the most (cel-go: checker/cost.go, SizeEstimate and CostEstimate).

Sums and products stop at the largest unsigned 64 bit number, which also stands for "not known".
"""

import math
from typing import NamedTuple

MOST = 2**64 - 1


class Range(NamedTuple):
    """From `least` to `most`."""

    least: int
    most: int

    def plus(self, other: "Range") -> "Range":
        """The sum."""
        return Range(min(self.least + other.least, MOST), min(self.most + other.most, MOST))

    def times(self, other: "Range") -> "Range":
        """The product."""
        return Range(min(self.least * other.least, MOST), min(self.most * other.most, MOST))

    def scaled(self, factor: float) -> "Range":
        """Each end times the factor, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def joined(self, other: "Range") -> "Range":
        """What holds both."""
        return Range(min(self.least, other.least), max(self.most, other.most))


def fixed(number: int) -> Range:
    """Just this number."""
    return Range(number, number)


UNKNOWN = Range(0, MOST)
ZERO = fixed(0)
ONE = fixed(1)
NOTHING = Range(MOST, 0)
"""What joined with another range gives that."""


def _scaled(number: int, factor: float) -> int:
    # as Go does it: in doubles, in which the largest number is 2^64
    if number > 0 and factor > 0 and float(number) > float(MOST) / factor:
        return MOST
    product = math.ceil(float(number) * factor)
    return MOST if product >= 2**64 else product


def whole(number: float) -> int:
    """Go's conversion of a double to an unsigned number on amd64: what is too large becomes 2^63."""
    return int(number) if number < 2**64 else 2**63
