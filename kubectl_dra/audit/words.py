"""Small matters of English in titles and evidence."""

from collections.abc import Iterable

SHOWN = 5
"""So many names stand in a sentence; the objects of a finding list them all."""


def count(number: int, noun: str) -> str:
    """`1 pod`, `2 pods`, `3 classes`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def listed(names: Iterable[object], shown: int = SHOWN) -> str:
    """`a, b and c`, or `a, b, c, d, e and 12 more`."""
    words = [str(name) for name in names]
    if len(words) > shown + 1:
        words = [*words[:shown], f"{len(words) - shown} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def lines(texts: Iterable[str], shown: int = 20) -> str:
    """One a line; from the twentieth on only how many there are."""
    all_ = list(texts)
    rest = len(all_) - shown
    return "\n".join([*all_[:shown], f"and {rest} more"] if rest > 1 else all_)


def lasting(seconds: float) -> str:
    """A length of time as people say it: `45 s`, `12 min`, `11 h`, `3 d`."""
    for unit, of_unit, limit in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 48)):
        if seconds < of_unit * limit:
            return f"{int(seconds // of_unit)} {unit}"
    return f"{int(seconds // 86400)} d"
