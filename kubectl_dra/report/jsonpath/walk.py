"""A path walked over values (client-go, util/jsonpath/jsonpath.go)."""

from collections.abc import Iterable, Iterator, Sequence

from kubectl_dra.report.jsonpath.nodes import Constant, Descent, Field, Filter, Keyword, Node, Path, Slice, Union, Wildcard
from kubectl_dra.report.jsonpath.values import Value, WalkError, compare, type_name


def walk(values: Sequence[Value], path: Path) -> list[Value]:
    """What `path` finds from each of `values`, in order. Missing keys find nothing. Raises WalkError."""
    found = list(values)
    for node in path:
        found = _step(found, node)
    return found


def _step(values: list[Value], node: Node) -> list[Value]:
    match node:
        case Field(name):
            return [value[name] for value in values if isinstance(value, dict) and name in value]
        case Wildcard():
            return [child for value in values for child in _children(value)]
        case Slice():
            return _sliced(values, node)
        case Descent():
            return list(_descend(values))
        case Filter():
            return [item for value in values for item in _filtered(value, node)]
        case Union(paths):
            return [item for path in paths for item in walk(values, path)]
        case Constant(value):
            return [value for _ in values]
        case Keyword():
            return _keyword(values, node)


def _keyword(values: list[Value], node: Keyword) -> list[Value]:
    if node.name not in ("range", "end"):
        raise WalkError(f"unrecognized identifier {node.name}")
    return values if node.name == "range" else []


def _children(value: Value) -> Iterable[Value]:
    """The values inside; text has its bytes inside, as in Go."""
    match value:
        case dict():
            return value.values()
        case list():
            return value
        case str():
            return list(value.encode())
        case _:
            return ()


def _descend(values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        children = list(_children(value))
        if children:
            yield value
            yield from _descend(children)


def _sliced(values: list[Value], node: Slice) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            raise WalkError(f"{type_name(value)} is not array or slice")
        start, stop = _bounds(node, len(value))
        if start == stop:
            return found  # as kubectl does: nothing more, not even of the lists that follow
        _check_bounds(start, stop, len(value))
        if node.step is not None and node.step <= 0:
            raise WalkError("step must be > 0")
        found += value[start : stop : node.step or 1]
    return found


def _bounds(node: Slice, length: int) -> tuple[int, int]:
    start = node.start or 0
    stop = length if node.stop is None else node.stop
    if start < 0:
        start += length
    if stop < 0 or (stop == 0 and node.single):
        stop += length
    return start, stop


def _check_bounds(start: int, stop: int, length: int) -> None:
    if not 0 <= start < length:
        raise WalkError(f"array index out of bounds: index {start}, length {length}")
    if not 0 <= stop <= length:
        raise WalkError(f"array index out of bounds: index {stop - 1}, length {length}")
    if start > stop:
        raise WalkError(f"starting index {start} is greater than ending index {stop}")


def _filtered(value: Value, node: Filter) -> Iterator[Value]:
    if not isinstance(value, list):
        raise WalkError(f"{type_name(value)} is not array or slice and cannot be filtered")
    for item in value:
        if not node.operator:
            if _finds(item, node.left):
                yield item
            continue
        left, right = _one(walk([item], node.left)), _one(walk([item], node.right))
        if left and right and compare(left[0], node.operator, right[0]):
            yield item


def _finds(item: Value, path: Path) -> bool:
    """Whether `path` finds anything; a path that does not fit the item finds nothing."""
    try:
        return bool(walk([item], path))
    except WalkError:
        return False


def _one(found: list[Value]) -> list[Value]:
    if len(found) > 1:
        raise WalkError("can only compare one element at a time")
    return found
