"""The attribute of a device that a constraint names, and when two values are equal (incubating and experimental: constraint.go)."""

from collections.abc import Mapping

from kubectl_dra.objects.resource import DeviceAttribute

Values = tuple[str, frozenset[int | bool | str]]
"""A kind of value and all values of it that an attribute has."""


def find(attributes: Mapping[str, DeviceAttribute] | None, driver: str, name: str) -> DeviceAttribute | None:
    """The attribute with the full name `domain/id`; in the driver's own domain it may be published as `id`."""
    if not attributes:
        return None
    found = attributes.get(name)
    if found is None:
        domain, slash, identity = name.partition("/")
        if slash and domain == driver:
            found = attributes.get(identity)
    return found


def same(one: DeviceAttribute, other: DeviceAttribute) -> bool | None:
    """Whether both have the same single value; versions are compared as text. None when `one` has no single value."""
    if one.string is not None:
        return one.string == other.string
    if one.int_ is not None:
        return one.int_ == other.int_
    if one.bool_ is not None:
        return one.bool_ == other.bool_
    if one.version is not None:
        return one.version == other.version
    return None


def as_set(attribute: DeviceAttribute) -> Values | None:
    """The values as a set, a single value as a set of one; None when there is none."""
    lists = (("int", attribute.ints), ("bool", attribute.bools), ("string", attribute.strings), ("version", attribute.versions))
    for kind, values in lists:
        if values:
            return kind, frozenset(values)
    singles = (("int", attribute.int_), ("bool", attribute.bool_), ("string", attribute.string), ("version", attribute.version))
    for kind, value in singles:
        if value is not None:
            return kind, frozenset((value,))
    return None


def common(one: Values, other: Values) -> Values | None:
    """The values that both have; None when there is none or they are of different kinds.

    Upstream asks for the kinds in a fixed order, but a set made here has one kind only.
    """
    shared = one[1] & other[1] if one[0] == other[0] else frozenset()
    return (one[0], shared) if shared else None
