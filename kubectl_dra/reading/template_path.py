"""Where a pod template stands in a custom object: a jsonpath, and how many pods are made of what it finds."""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from kubectl_dra.knowledge.workloads import TemplatePath

Steps = tuple[str | int | None, ...]
"""Keys and indexes from an object down; None stands for a wildcard."""


@cache
def parsed(path: str) -> Any:  # noqa: ANN401 - jsonpath-ng has no types
    """The jsonpath. Raises ValueError for what is none."""
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.parser import parse

    try:
        return parse(path)
    except JSONPathError as error:
        raise ValueError(str(error)) from None


def found(path: str, item: object) -> Iterator[tuple[Steps, object]]:
    """What stands at `path` in `item`, with the way there."""
    for match in parsed(path).find(item):
        steps = steps_of(match.full_path)
        yield steps or (), match.value


@cache
def _pattern(path: str) -> Steps | None:
    return steps_of(parsed(path))


def steps_of(path: Any) -> Steps | None:  # noqa: ANN401 - jsonpath-ng has no types
    """A jsonpath as keys and indexes; None for one that goes down to any depth, and other rare forms."""
    match type(path).__name__:
        case "Child":
            left, right = steps_of(path.left), steps_of(path.right)
            return None if left is None or right is None else (*left, *right)
        case "Root" | "This":
            return ()
        case "Fields":
            return (path.fields[0] if len(path.fields) == 1 and path.fields[0] != "*" else None,)
        case "Index":
            return (path.indices[0] if len(path.indices) == 1 else None,)
        case "Wildcard" | "Slice":
            return (None,)
        case _:
            return None


def text_of(steps: Steps) -> str:
    """`spec.tasks[0].template`; keys that are no plain words in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step is not None and step.replace("-", "_").isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"['{step}']"
    return text


def value_at(steps: Steps, item: object) -> object:
    """What stands at these steps; None when nothing does."""
    for step in steps:
        if isinstance(item, Mapping):
            item = item.get(step)
        elif isinstance(item, list) and isinstance(step, int) and step < len(item):
            item = item[step]
        else:
            return None
    return item


def replicas(where: TemplatePath, steps: Steps, item: object) -> int | None:
    """How many pods are made of the template at `steps`; None when nobody knows."""
    if where.replicas is None:
        return None
    wildcards = _wildcards(where.path, steps)
    factors: list[int] = []
    for path in where.replicas:
        pattern = _pattern(path)
        if pattern is None or wildcards is None:
            return None
        fill = iter(wildcards)
        value = value_at(tuple(next(fill, None) if step is None else step for step in pattern), item)
        number = _number(value)
        if number is None:
            return None
        factors.append(number)
    if factors and where.less_one and value_at(_pattern(where.less_one) or (), item) is not None:
        factors[-1] = max(0, factors[-1] - 1)
    return math.prod(factors)


def _wildcards(path: str, steps: Steps) -> Steps | None:
    pattern = _pattern(path)
    if pattern is None or len(pattern) != len(steps):
        return None
    return tuple(taken for step, taken in zip(pattern, steps, strict=True) if step is None)


def _number(value: object) -> int | None:
    """A count; a missing one is 1. None for anything else."""
    match value:
        case None:
            return 1
        case bool():
            return None
        case int():
            return value
        case str() if value.isdecimal():
            return int(value)
        case _:
            return None
