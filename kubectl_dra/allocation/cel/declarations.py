"""What is declared: every function of the environment with its signatures.

The environment is that of Kubernetes 1.37 for stored expressions, which is what the scheduler uses (apiserver:
pkg/cel/environment/base.go; dynamic-resource-allocation: cel/compile.go). A signature is `overload: [target.](arguments) -> result`.
"""

from dataclasses import dataclass
from functools import cache

from kubectl_dra.allocation.cel import types
from kubectl_dra.allocation.cel.declared import LIBRARY
from kubectl_dra.allocation.cel.types import Type


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature. Of a method, the first argument is the target."""

    id: str
    member: bool
    arguments: tuple[Type, ...]
    result: Type

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its type parameters, as upstream has them most of the time: in the order of a small map of Go."""
        found: dict[str, None] = {}
        for kind in (self.result, *self.arguments):
            _gather(kind, found)
        return tuple(found)


def _gather(kind: Type, found: dict[str, None]) -> None:
    if kind.kind is types.Kind.PARAM:
        found[kind.name] = None
    for part in kind.parameters:
        _gather(part, found)


@cache
def functions() -> dict[str, tuple[Overload, ...]]:
    """All functions by name, their signatures in the order in which they are tried."""
    found: dict[str, list[Overload]] = {}
    name = ""
    for line in LIBRARY.splitlines():
        if not line.strip():
            continue
        if not line.startswith(" "):
            name = line.strip()
            found.setdefault(name, [])
        else:
            found[name].extend(_signatures(line.strip()))
    return {name: tuple(overloads) for name, overloads in found.items()}


@cache
def overload(identity: str) -> Overload:
    """The signature of that name."""
    return next(one for overloads in functions().values() for one in overloads if one.id == identity)


COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ONE_OF = {"@comparable": COMPARABLE, "@summable": ("int", "uint", "double", "duration")}
_RUNTIME_NAMES = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}


def _signatures(line: str) -> list[Overload]:
    """The signature of a line; `@comparable` in it stands for each of the comparable types, `$` for that type's name."""
    marker = next((mark for mark in _ONE_OF if mark in line), None)
    if marker is None:
        return [_signature(line)]
    lines = (line.replace(marker, kind).replace("$$", _RUNTIME_NAMES.get(kind, kind)).replace("$", kind) for kind in _ONE_OF[marker])
    return [_signature(one) for one in lines]


def _signature(line: str) -> Overload:
    identity, _, rest = line.partition(": ")
    left, _, result = rest.partition(" -> ")
    target, _, inside = left.partition("(")
    arguments = _split(inside.removesuffix(")"))
    member = target.endswith(".")
    if member:
        arguments = [target.removesuffix("."), *arguments]
    elif target:
        raise ValueError(f"not a signature: {line}")
    return Overload(identity, member, tuple(map(_type, arguments)), _type(result))


def _split(text: str) -> list[str]:
    """At the commas that are in no angle brackets."""
    parts: list[str] = []
    depth = 0
    current = ""
    for letter in text:
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    if current.strip():
        parts.append(current.strip())
    return parts


_NAMED = {
    "bool": types.BOOL,
    "bytes": types.BYTES,
    "double": types.DOUBLE,
    "duration": types.DURATION,
    "dyn": types.DYN,
    "int": types.INT,
    "string": types.STRING,
    "timestamp": types.TIMESTAMP,
    "uint": types.UINT,
    "Quantity": types.QUANTITY,
    "Semver": types.SEMVER,
    "URL": types.URL,
    "Format": types.FORMAT,
    "IP": types.IP,
    "CIDR": types.CIDR,
}


def _type(text: str) -> Type:
    head, bracket, rest = text.partition("<")
    inside = [_type(part) for part in _split(rest.removesuffix(">"))] if bracket else []
    match head:
        case "list":
            return types.list_of(*inside)
        case "map":
            return types.map_of(*inside)
        case "optional":
            return types.optional_of(*inside)
        case "type":
            return types.type_of(*inside)
    if head in _NAMED:
        return _NAMED[head]
    if len(head) == 1:
        return types.parameter(head)
    return Type(types.Kind.STRUCT, head)
