"""`device`, made once for each device (dynamic-resource-allocation: cel/compile.go, DeviceMatches)."""

from kubectl_dra.allocation.cel.given_twice import MOST, names_given_twice, possibilities
from kubectl_dra.allocation.cel.library.amount import QuantityValue
from kubectl_dra.allocation.cel.values import DomainMap, ListValue, StringMap, TypedMap, Undecided, Value
from kubectl_dra.objects.quantity import Quantity, QuantityError
from kubectl_dra.objects.resource import Device, DeviceAttribute
from kubectl_dra.objects.semver import Semver, SemverError


class DeviceVariables:
    """What expressions see of a device. `error` is set when every expression on it fails: an attribute has no usable value.

    Names without a domain belong to the driver's. If a device has both `x` and `<driver>/x`, upstream takes one of them at random:
    `chance` says so, and `alternatives` are all that it may see (none where they are too many). `changed` are quantities that the
    evaluation now running has altered.
    """

    __slots__ = ("alternatives", "chance", "changed", "error", "root")

    def __init__(self, driver: str, device: Device) -> None:
        """Take a device of a driver."""
        self.error = ""
        self.chance = ""
        self.alternatives: tuple[DeviceVariables, ...] = ()
        self.changed: list[tuple[QuantityValue, Quantity]] = []
        attributes: dict[str, dict[str, Value]] = {}
        for name, attribute in (device.attributes or {}).items():
            try:
                value = _attribute(attribute)
            except (SemverError, ValueError) as error:
                self.error = f"attribute {name}: {error}"
                break
            _put(attributes, driver, name, value)
        capacity: dict[str, dict[str, Value]] = {}
        for name, amount in (device.capacity or {}).items():
            _put(capacity, driver, name, self._quantity(amount.value))
        self.root = StringMap(
            {
                "driver": driver,
                "allowMultipleAllocations": bool(device.allow_multiple_allocations),
                "attributes": DomainMap({domain: StringMap(found) for domain, found in attributes.items()}),
                "capacity": DomainMap({domain: TypedMap(found) for domain, found in capacity.items()}),
            }
        )
        twice = names_given_twice(driver, device)
        if any(twice) and not self.error:
            told = ", ".join(f"{name} and {driver}/{name}" for names in twice for name in names)
            self.chance = f"upstream takes {told} at random"
            if sum(map(len, twice)) <= MOST:
                self.alternatives = tuple(DeviceVariables(driver, each) for each in possibilities(driver, device, *twice))

    def _quantity(self, text: str | int | float | None) -> Value:
        try:
            amount = Quantity() if text is None else Quantity.parse(text)
        except QuantityError:
            return Undecided("capacities that are no quantity")
        return QuantityValue(amount, changed=self.changed)

    def restore(self) -> None:
        """Undo what an evaluation did to the quantities."""
        for value, amount in reversed(self.changed):
            value.amount = amount
        self.changed.clear()


def _put(found: dict[str, dict[str, Value]], driver: str, name: str, value: Value) -> None:
    domain, slash, identity = name.partition("/")
    if not slash:
        domain, identity = driver, name
    found.setdefault(domain, {})[identity] = value


def _attribute(attribute: DeviceAttribute) -> Value:
    """The value that is set. Raises ValueError with upstream's text when none is, or a version is none."""
    for values, go in ((attribute.ints, "int64"), (attribute.bools, "bool"), (attribute.strings, "string")):
        if values is not None:
            return ListValue(list(values), go=go)
    if attribute.versions is not None:
        return ListValue([_version(text) for text in attribute.versions], go="cel.Semver")
    for value in (attribute.int_, attribute.bool_, attribute.string):
        if value is not None:
            return value
    if attribute.version is not None:
        return _version(attribute.version)
    raise ValueError("unsupported attribute value")


def _version(text: str) -> Semver:
    try:
        return Semver.parse(text)
    except SemverError as error:
        raise ValueError(f"parse semantic version: {error.message}") from None
