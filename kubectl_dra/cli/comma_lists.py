"""Options that are lists: they may be repeated, and each may have commas, as kubectl's do."""


def listed(words: list[str] | None) -> tuple[str, ...]:
    """`["a,b", " c "]` is a, b and c; empty parts are left out."""
    return tuple(part.strip() for word in words or () for part in word.split(",") if part.strip())
