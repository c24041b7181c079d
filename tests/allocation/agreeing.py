"""Whether an answer of ours is upstream's: where chance decides there, only what it leaves alone is compared."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_CHANCE = (
    # a device is printed with the addresses of its fields
    re.compile(r"(failed to perform node selection for device ).*", re.DOTALL),
    # of several capacities or attributes that are wrong any may come first
    re.compile(r'(: capacity )".*', re.DOTALL),
    re.compile(r"(CEL runtime error: attribute ).*", re.DOTALL),
    re.compile(r"(evaluate derived attribute \S+ on device \S+ failed: (?:attribute|unsupported|expected)).*", re.DOTALL),
)


def undecided(answer: Mapping[str, Any]) -> bool:
    """Whether we say of any part that we cannot tell."""
    return any(part.get("errorKind") in ("undecided", "unsupported") for part in _parts(answer))


def timed_out(answer: Mapping[str, Any]) -> bool:
    """Whether any part took too long."""
    return any(part.get("errorKind") == "timeout" for part in _parts(answer))


def _parts(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield answer
    for key in ("nodes", "steps"):
        for part in answer.get(key) or ():
            yield from _parts(part)


def comparable(answer: Any, *, steps: bool = True) -> Any:
    """The answer without what is chance upstream; without the numbers of `steps` if they are, as in the stable allocator."""
    match answer:
        case dict():
            shown = {key: item for key, item in answer.items() if steps or key != "allocateOne"}
            return {key: _text(item) if key == "error" else comparable(item, steps=steps) for key, item in shown.items()}
        case list():
            return [comparable(item, steps=steps) for item in answer]
        case _:
            return answer


def _text(text: str) -> str:
    for pattern in _CHANCE:
        text = pattern.sub(r"\1", text)
    return text
