"""What a call costs at run time (cel-go: interpreter/runtimecost.go, ext/; apiserver: pkg/cel/library/cost.go).

A cost function gets the arguments' values (FAILED for one that was an error) and the result (FAILED too), and gives units. Some calls
are charged by their function, some by the one signature that the check has found; the rest costs 1.
"""

import math
from collections.abc import Callable, Sequence

from kubectl_dra.allocation.cel.bounds import Walk
from kubectl_dra.allocation.cel.errors import EvaluationPanic
from kubectl_dra.allocation.cel.kinds import go_type
from kubectl_dra.allocation.cel.library.address import Cidr, Ip
from kubectl_dra.allocation.cel.library.amount import QuantityValue
from kubectl_dra.allocation.cel.library.link import Url
from kubectl_dra.allocation.cel.library.named_formats import NamedFormat
from kubectl_dra.allocation.cel.values import ListValue, MapValue, Optional, Value
from kubectl_dra.objects.semver import Semver


class Failed:
    """Stands for an argument or result that was an error."""


FAILED = Failed()
Cost = Callable[[Sequence[Value], Value], int]
_STRING, _PATTERN = 0.1, 0.25
LIST, MAP = 10, 30
"""What making a list and a map costs, whatever is in it."""


def size(value: Value) -> int:
    """Characters, bytes, elements; 1 for what has no size."""
    match value:
        case str() | bytes():
            return len(value)
        case ListValue():
            return len(value.items)
        case MapValue():
            return len(value.entries)
        case Ip():
            return value.address.max_prefixlen // 8
        case Cidr():
            return -(-value.bits // 8)
        case _:
            return 1


def _core_size(value: Value) -> int:
    """cel-go's own measure looks into optionals."""
    while type(value) is Optional and value.present:
        value = value.value
    return size(value)


def traversal(count: float) -> int:
    """Going once through a text of so many characters."""
    return math.ceil(count * _STRING)


def equality(one: Value, other: Value) -> int:
    """`==`."""
    if type(one) in _SINGLE:
        return 1
    return inequality(one, other)


def inequality(one: Value, other: Value) -> int:
    """`!=`, and the order of texts: the shorter side."""
    return traversal(min(_core_size(one), _core_size(other)))


_SINGLE = (QuantityValue, Ip, Cidr, NamedFormat, Url, Semver)


def _of_first(arguments: Sequence[Value], _: Value) -> int:
    return traversal(size(arguments[0]))


def _of_first_core(arguments: Sequence[Value], _: Value) -> int:
    return traversal(_core_size(arguments[0]))


def _of_second(arguments: Sequence[Value], _: Value) -> int:
    return traversal(_core_size(arguments[1]))


def _twice_first(arguments: Sequence[Value], _: Value) -> int:
    return math.ceil(size(arguments[0]) * 2 * _STRING)


def _twice_result(_: Sequence[Value], result: Value) -> int:
    return math.ceil(size(result) * 2 * _STRING)


def _shorter(arguments: Sequence[Value], _: Value) -> int:
    return inequality(arguments[0], arguments[1])


def _both(arguments: Sequence[Value], _: Value) -> int:
    return traversal(_core_size(arguments[0]) + _core_size(arguments[1]))


def pattern(text_size: int, pattern_size: int) -> int:
    """A text held against a pattern."""
    return math.ceil((1.0 + text_size) * _STRING) * math.ceil(pattern_size * _PATTERN)


def _matched(arguments: Sequence[Value], _: Value) -> int:
    return pattern(_core_size(arguments[0]), _core_size(arguments[1]))


def _found(arguments: Sequence[Value], _: Value) -> int:
    return pattern(size(arguments[0]), size(arguments[1]))


def _contained(arguments: Sequence[Value], _: Value) -> int:
    return traversal(_core_size(arguments[0])) * traversal(_core_size(arguments[1]))


def _walked(value: Value, walk: Walk) -> int:
    """Going through a value and all that is in it."""
    walk.visit(1)
    match value:
        case str():
            return int(len(value.encode()) * _STRING)
        case bytes():
            return int(len(value) * _STRING)
        case ListValue():
            return sum(_walked(item, walk) for item in value.items)
        case MapValue():
            return sum(_walked(part, walk) for part in (*value.key_values(), *value.entries.values()))
        case _:
            return 1


def _walk(arguments: Sequence[Value], _: Value) -> int:
    return _walked(arguments[0], Walk())


def _one(_: Sequence[Value], __: Value) -> int:
    return 1


def _contains_address(arguments: Sequence[Value], *, text: bool) -> int:
    network = size(arguments[0])
    return math.ceil((network + network) * _STRING) + (traversal(size(arguments[1])) if text else 0)


def _contains_network(arguments: Sequence[Value], *, text: bool) -> int:
    return _contains_address(arguments, text=text) + traversal(size(arguments[0])) + 1


def _validated(arguments: Sequence[Value], _: Value) -> int:
    if type(arguments[0]) is not NamedFormat:
        return 1
    return pattern(size(arguments[1]), arguments[0].pattern_size)


def allocated(factor: float, count: int) -> int:
    """A new list of so many elements."""
    whole = int(count * (1.0 if factor < 0 else factor))
    # Go's conversion of a double that is no uint64 gives 2^63 on amd64.
    return (whole if whole < 2**64 else 2**63) + 1 + LIST


def _output(_: Sequence[Value], result: Value) -> int:
    return allocated(1, size(result))


def _flattened(arguments: Sequence[Value], _: Value) -> int:
    depth = 1.0
    if len(arguments) == 2:
        if type(arguments[1]) is not int:
            found = "*types.Err" if arguments[1] is FAILED else go_type(arguments[1])
            raise EvaluationPanic(f"interface conversion: ref.Val is {found}, not types.Int")
        depth = float(arguments[1])
    return allocated(depth, size(arguments[0]))


def _self_compared(place: int) -> Cost:
    def cost(arguments: Sequence[Value], _: Value) -> int:
        values = arguments[place]
        if type(values) is not ListValue:
            raise EvaluationPanic("interface conversion: *types.Err is not traits.Lister: missing method Add")
        count = len(values.items)
        factor = 2.0 + (_STRING if count and type(values.items[0]) in (str, bytes) else 0.0)
        return allocated(factor, count * count)

    return cost


def _sets(factor: int) -> Cost:
    return lambda arguments, _: 1 + size(arguments[0]) * size(arguments[1]) * factor


BY_FUNCTION: dict[str, Cost] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _walk),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR"), _of_first),
    **dict.fromkeys(("quantity", "isQuantity", "semver", "isSemver"), _of_first),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _twice_first),
    **dict.fromkeys(("find", "findAll"), _found),
    "join": _twice_result,
    "validate": _validated,
    "check": lambda _, __: 350_000,
}
BY_SIGNATURE: dict[str, Cost] = {
    "list_slice": _output,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": _output,
    "list_reverse": _output,
    "list_distinct": _self_compared(0),
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "string_to_ip": _of_first,
    "cidr_contains_ip_string": lambda arguments, _: _contains_address(arguments, text=True),
    "cidr_contains_ip_ip": lambda arguments, _: _contains_address(arguments, text=False),
    "cidr_contains_cidr_string": lambda arguments, _: _contains_network(arguments, text=True),
    "cidr_contains_cidr": lambda arguments, _: _contains_network(arguments, text=False),
    "starts_with_string": _of_second,
    "ends_with_string": _of_second,
    "string_to_bytes": _of_first_core,
    "bytes_to_string": _of_first_core,
    "strings_quote": _of_first_core,
    "string_format": _of_first_core,
    "in_list": lambda arguments, _: _core_size(arguments[1]),
    **{f"{name}_{kind}": _shorter for name in ("less", "less_equals", "greater", "greater_equals") for kind in ("string", "bytes")},
    "add_string": _both,
    "add_bytes": _both,
    "matches": _matched,
    "matches_string": _matched,
    "contains_string": _contained,
}
for _kind in ("int", "uint", "double", "bool", "google.protobuf.Duration", "google.protobuf.Timestamp", "string", "bytes"):
    BY_SIGNATURE[f"list_{_kind}_sort"] = _self_compared(0)
    BY_SIGNATURE[f"list_{_kind}_sortByAssociatedKeys"] = _self_compared(1)

_DYNAMIC: dict[str, Cost] = {
    "ip": _of_first,
    "containsIP": lambda arguments, _: _contains_address(arguments, text=False),
    "containsCIDR": lambda arguments, _: _contains_network(arguments, text=False),
}
"""Functions of which the signature is looked at only where the check has found just one."""


def cost_of(function: str, signature: str) -> Cost:
    """What a call of the function costs; `signature` is empty when several fit."""
    return BY_SIGNATURE.get(signature) or BY_FUNCTION.get(function) or _DYNAMIC.get(function if not signature else "") or _one


def is_single(cost: Cost) -> bool:
    """True when the cost is 1 whatever happens."""
    return cost is _one
