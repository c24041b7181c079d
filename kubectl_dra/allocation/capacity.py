"""Whether a device has enough left of its capacities (incubating/consumable_capacity.go, CmpRequestOverCapacity).

Upstream runs through a device's capacities in random order and stops at the first that says no. Where the answer depends on that
order, it is undecided here.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from kubectl_dra.allocation.amounts import Nano, as_nano, quantity
from kubectl_dra.allocation.failure import AllocationError, undecided
from kubectl_dra.allocation.request_policy import AmountError, taken, violated
from kubectl_dra.objects.quantity import Quantity
from kubectl_dra.objects.quoted import quoted
from kubectl_dra.objects.resource import Device, DeviceCapacity
from kubectl_dra.objects.shape import QuantityText

Asked = Mapping[str, QuantityText]
"""Amounts by capacity, as a request has them. A name is compared as it is written, no domain is added."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What one allocation takes of a capacity, and how much the device has of it; `violation` when its policy forbids the amount."""

    name: str
    taken: Quantity
    nano: Nano
    limit: Nano
    violation: bool = False
    crash: AllocationError | None = None


@dataclass(frozen=True, slots=True)
class Amounts:
    """What an allocation takes of each capacity of a device.

    `missing` is a capacity that is asked for and not there, `error` the text of the error that ends everything, `crash` upstream's.
    """

    amounts: tuple[Amount, ...] = ()
    missing: str | None = None
    error: str = ""
    crash: AllocationError | None = None
    simple: bool = True
    """No policy is violated, nothing crashes, and a device that nobody uses has enough."""

    def fits(self, consumed: Mapping[str, Nano] | None, allocating: Mapping[str, Nano] | None) -> bool:
        """Whether the device has enough left beside these. `error` and `crash` have to be looked at before. Raises AllocationError."""
        if self.simple and not consumed and not allocating:
            return True
        return self.first_short(consumed, allocating) is None

    def first_short(self, consumed: Mapping[str, Nano] | None, allocating: Mapping[str, Nano] | None) -> "Amount | str | None":
        """The first capacity that says no, or the name of one that is missing; None when the device has enough. Raises AllocationError."""
        if self.missing is not None:
            return self.missing
        consumed, allocating = consumed or {}, allocating or {}
        crashes = [each.crash for each in self.amounts if each.crash is not None]
        short = next((each for each in self.amounts if each.crash is None and _short(each, consumed, allocating)), None)
        if crashes and (short is not None or len({crash.text for crash in crashes}) > 1):
            raise undecided(f"upstream crashes or not, as it comes first to one or another capacity: {crashes[0].text}")
        if crashes:
            raise crashes[0]
        return short


def _short(amount: Amount, consumed: Mapping[str, Nano], allocating: Mapping[str, Nano]) -> bool:
    return amount.violation or consumed.get(amount.name, 0) + amount.nano + allocating.get(amount.name, 0) > amount.limit


_NOTHING = Amounts()


class Capacities:
    """Works out amounts, once for every kind of request and of device."""

    def __init__(self, *, fractional: bool) -> None:
        """`fractional`: DRAFractionalCapacityRange is on."""
        self._fractional = fractional
        self._known: dict[Hashable, dict[int, tuple[Device, Amounts]]] = {}

    def of(self, asked: Asked, key: Hashable, device: Device) -> Amounts:
        """What a request takes of the device. `key` stands for `asked`, see `key_of`."""
        if not device.capacity:
            return Amounts(missing=next(iter(asked)), simple=False) if asked else _NOTHING
        known = self._known.setdefault(key, {})
        found = known.get(id(device))
        if found is None:
            found = known[id(device)] = (device, self._amounts(asked, device.capacity))
        return found[1]

    def _amounts(self, asked: Asked, capacity: Mapping[str, DeviceCapacity]) -> Amounts:
        missing = next((name for name in asked if name not in capacity), None)
        if missing is not None:
            return Amounts(missing=missing, simple=False)
        amounts: dict[str, Quantity] = {}
        errors: list[str] = []
        crashes: list[AllocationError] = []
        for name in sorted(capacity):
            try:
                amounts[name] = taken(quantity(asked[name]) if name in asked else None, capacity[name], fractional=self._fractional)
            except AmountError as error:
                errors.append(f"capacity {quoted(name)}: {error}")
            except AllocationError as error:
                crashes.append(error)
            else:
                if amounts[name].sign < 0:
                    errors.append(f"capacity {quoted(name)}: capacity value is negative")
        if crashes:
            return Amounts(
                crash=undecided("upstream crashes or fails, as it comes first to one or another capacity") if errors else crashes[0]
            )
        if errors:
            return Amounts(error=errors[0], simple=False)
        found = tuple(self._amount(name, amounts[name], capacity[name]) for name in amounts)
        simple = not any(each.crash is not None or _short(each, {}, {}) for each in found)
        return Amounts(found, simple=simple)

    def _amount(self, name: str, amount: Quantity, capacity: DeviceCapacity) -> Amount:
        limit = as_nano(quantity(capacity.value))
        try:
            violation = violated(amount, capacity.request_policy, fractional=self._fractional)
        except AllocationError as error:
            return Amount(name, amount, as_nano(amount), limit, crash=error)
        return Amount(name, amount, as_nano(amount), limit, violation)


def key_of(asked: Asked) -> Hashable:
    """Equal for requests for the same amounts."""
    return tuple(sorted((name, str(type(amount)), amount) for name, amount in asked.items())) if asked else ()
