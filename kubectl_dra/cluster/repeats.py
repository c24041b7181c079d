"""Whether the server carried out a write whose answer was lost: an object tells by what it holds (pure)."""

from collections.abc import Mapping, Sequence


def contains(found: object, wanted: object) -> bool:
    """True when all that is `wanted` stands in `found`, which may hold more: what the server adds. Null in `wanted` is "not there"."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(contains(found.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        return (
            isinstance(found, Sequence)
            and len(found) == len(wanted)
            and all(contains(one, other) for one, other in zip(found, wanted, strict=True))
        )
    if wanted is None:
        return found is None
    return type(found) is type(wanted) and found == wanted


def is_patched(found: object, operations: Sequence[Mapping[str, object]]) -> bool:
    """True when the object is as the JSON patch leaves it: what was added is there, what was removed is not (no `move`, no `copy`)."""
    return all(_holds(found, operation) for operation in operations)


def guarded(operations: Sequence[Mapping[str, object]]) -> bool:
    """True when the patch tests what it changes: sent twice, the second one fails."""
    return any(operation.get("op") == "test" for operation in operations)


def _holds(found: object, operation: Mapping[str, object]) -> bool:
    path, value = str(operation.get("path", "")), operation.get("value")
    match operation.get("op"):
        case "test":
            return True
        case "add" if path.endswith("/-"):
            place = _at(found, path.removesuffix("/-"))
            return isinstance(place, Sequence) and not isinstance(place, str) and any(contains(item, value) for item in place)
        case "add" | "replace":
            return contains(_at(found, path), value)
        case "remove":
            return _at(found, path) is None
        case _:
            return False


def _at(found: object, path: str) -> object:
    """What stands at a JSON pointer (RFC 6901); None when there is nothing."""
    for step in path.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        match found:
            case Mapping():
                found = found.get(name)
            case Sequence() if not isinstance(found, str) and name.isdigit() and int(name) < len(found):
                found = found[int(name)]
            case _:
                return None
    return found
