"""Constraints of a claim on the devices chosen for it: an attribute must match, or must be distinct.

Rules: incubating/allocator_incubating.go (matchAttributeConstraint) and constraint.go; with lists of values experimental/. A constraint
that refuses a device refuses it however many more are added, and devices are taken back in the reverse order.
"""

from collections.abc import Callable
from typing import Protocol

from kubectl_dra.allocation import attribute_values
from kubectl_dra.allocation.attribute_values import Values
from kubectl_dra.allocation.claims import Request
from kubectl_dra.allocation.pools import Candidate
from kubectl_dra.objects.resource import DeviceAttribute, DeviceConstraint

Lookup = Callable[[Request, Candidate, str], DeviceAttribute | None]
"""Finds the attribute with a full name of a device, for a request that may have derived it. Raises AllocationError."""


class Constraint(Protocol):
    """What a constraint does during a search."""

    def add(self, request: Request, candidate: Candidate) -> bool:
        """Take the device if that is allowed. Raises AllocationError."""

    def remove(self, request: Request) -> None:
        """Take back the device that was added last."""


def constraint(given: DeviceConstraint, lookup: Lookup, *, lists: bool) -> Constraint:
    """The constraint that a claim has. `lists`: DRAListTypeAttributes is on."""
    names = frozenset(given.requests or ())
    if given.match_attribute is not None:
        return (MatchSets if lists else MatchAttribute)(names, given.match_attribute, lookup)
    return (DistinctSets if lists else DistinctAttribute)(names, given.distinct_attribute or "", lookup)


class _OnAttribute:
    """Looks only at the requests that it names; without names at all of them."""

    def __init__(self, names: frozenset[str], attribute: str, lookup: Lookup) -> None:
        """Take the names of requests (`request` or `request/subrequest`) and the full name of the attribute."""
        self._names = names
        self._attribute = attribute
        self._lookup = lookup

    def concerns(self, request: Request) -> bool:
        """Whether the constraint is about this request."""
        names = self._names
        return not names or request.full_name in names or request.parent in names

    def value(self, request: Request, candidate: Candidate) -> DeviceAttribute | None:
        """The device's attribute."""
        return self._lookup(request, candidate, self._attribute)


class MatchAttribute(_OnAttribute):
    """All devices have the same value; the first one sets it."""

    def __init__(self, names: frozenset[str], attribute: str, lookup: Lookup) -> None:
        """Begin without devices."""
        super().__init__(names, attribute, lookup)
        self._first: DeviceAttribute | None = None
        self._count = 0

    def add(self, request: Request, candidate: Candidate) -> bool:
        """The first device needs the attribute, each further one the same value."""
        if not self.concerns(request):
            return True
        value = self.value(request, candidate)
        if value is None:
            return False
        if self._count == 0 or self._first is None:
            self._first = value
        elif not attribute_values.same(value, self._first):
            return False
        self._count += 1
        return True

    def remove(self, request: Request) -> None:
        """Only the number of devices matters."""
        if self.concerns(request):
            self._count -= 1


class MatchSets(_OnAttribute):
    """All devices have a value in common."""

    def __init__(self, names: frozenset[str], attribute: str, lookup: Lookup) -> None:
        """Begin without devices."""
        super().__init__(names, attribute, lookup)
        self._common: list[Values] = []

    def add(self, request: Request, candidate: Candidate) -> bool:
        """What is common to all devices so far gets smaller with each."""
        if not self.concerns(request):
            return True
        value = self.value(request, candidate)
        values = None if value is None else attribute_values.as_set(value)
        if values is not None and self._common:
            values = attribute_values.common(self._common[-1], values)
        if values is None:
            return False
        self._common.append(values)
        return True

    def remove(self, request: Request) -> None:
        """Back to what was common before."""
        if self.concerns(request):
            self._common.pop()


class DistinctAttribute(_OnAttribute):
    """No two devices have the same value; values of different kinds are distinct."""

    def __init__(self, names: frozenset[str], attribute: str, lookup: Lookup) -> None:
        """Begin without devices."""
        super().__init__(names, attribute, lookup)
        self._values: list[DeviceAttribute] = []

    def add(self, request: Request, candidate: Candidate) -> bool:
        """The attribute has to be there."""
        if not self.concerns(request):
            return True
        value = self.value(request, candidate)
        # a value that is no single one is refused as soon as there is one to compare it with
        if value is None or any(attribute_values.same(value, other) is not False for other in self._values):
            return False
        self._values.append(value)
        return True

    def remove(self, request: Request) -> None:
        """Forget the last value."""
        if self.concerns(request):
            self._values.pop()


class DistinctSets(_OnAttribute):
    """No two devices have a value in common."""

    def __init__(self, names: frozenset[str], attribute: str, lookup: Lookup) -> None:
        """Begin without devices."""
        super().__init__(names, attribute, lookup)
        self._sets: list[Values] = []

    def add(self, request: Request, candidate: Candidate) -> bool:
        """The attribute has to be there, with a value at least."""
        if not self.concerns(request):
            return True
        value = self.value(request, candidate)
        values = None if value is None else attribute_values.as_set(value)
        if values is None or any(attribute_values.common(values, other) is not None for other in self._sets):
            return False
        self._sets.append(values)
        return True

    def remove(self, request: Request) -> None:
        """Forget the last set."""
        if self.concerns(request):
            self._sets.pop()
