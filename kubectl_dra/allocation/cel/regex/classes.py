"""Sets of characters: ranges, the named ones of Perl and POSIX, Unicode's general categories (Go: regexp/syntax)."""

import unicodedata
from collections.abc import Iterable

from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.regex.nodes import Matcher

Ranges = tuple[tuple[int, int], ...]
"""First and last code point of each range."""

LAST = 0x10FFFF


def _ranges(text: str) -> Ranges:
    """`09AZ` as two ranges."""
    return tuple((ord(text[at]), ord(text[at + 1])) for at in range(0, len(text), 2))


_DIGITS, _WORD, _SPACE = _ranges("09"), _ranges("09AZaz__"), _ranges("\t\n\f\r  ")
PERL = {"d": _DIGITS, "s": _SPACE, "w": _WORD}
POSIX = {
    "alnum": _ranges("09AZaz"),
    "alpha": _ranges("AZaz"),
    "ascii": _ranges("\x00\x7f"),
    "blank": _ranges("\t\t  "),
    "cntrl": _ranges("\x00\x1f\x7f\x7f"),
    "digit": _DIGITS,
    "graph": _ranges("!~"),
    "lower": _ranges("az"),
    "print": _ranges(" ~"),
    "punct": _ranges("!/:@[`{~"),
    "space": _ranges("\t\r  "),
    "upper": _ranges("AZ"),
    "word": _WORD,
    "xdigit": _ranges("09AFaf"),
}
_CATEGORIES = frozenset(
    {
        *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No"),
        *("P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So"),
        *("Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cs"),
    }
)


class CharSet:
    """Ranges and categories, as a class gathers them."""

    def __init__(self) -> None:
        """Empty."""
        self.ranges: list[tuple[int, int]] = []
        self.categories: list[tuple[str, bool]] = []

    def add(self, ranges: Iterable[tuple[int, int]], *, negative: bool = False) -> None:
        """Add the ranges, or everything outside of them."""
        self.ranges.extend(outside(ranges) if negative else ranges)

    def add_range(self, first: int, last: int, *, fold: bool) -> None:
        """Add a range, with the other cases of its letters where case does not count."""
        self.ranges.append((first, last))
        if fold:
            self.ranges.extend(folded(first, last))

    def matcher(self, *, negative: bool) -> Matcher:
        """What tells whether a character is in it (or, `negative`, is not)."""
        ascii_set = frozenset(chr(code) for code in range(128) if self._has_code(code) is not negative)
        wide = [one for one in self.ranges if one[1] > 127]
        categories = list(self.categories)

        def matches(letter: str) -> bool:
            if letter < "\x80":
                return letter in ascii_set
            code = ord(letter)
            found = any(first <= code <= last for first, last in wide) or any(in_category(letter, *one) for one in categories)
            return found is not negative

        return matches

    def _has_code(self, code: int) -> bool:
        return any(first <= code <= last for first, last in self.ranges) or any(in_category(chr(code), *one) for one in self.categories)


def outside(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Everything that the ranges leave out."""
    found: list[tuple[int, int]] = []
    free = 0
    for first, last in sorted(ranges):
        if first > free:
            found.append((free, first - 1))
        free = max(free, last + 1)
    if free <= LAST:
        found.append((free, LAST))
    return found


def folded(first: int, last: int) -> list[tuple[int, int]]:
    """The other cases of the letters in a range. Raises Unsupported where that goes beyond ASCII's letters."""
    if (first, last) == (0, LAST):
        return []
    if last > 127:
        raise Unsupported("a regular expression folds the case of characters beyond ASCII")
    codes: set[int] = set()
    for code in range(first, last + 1):
        letter = chr(code)
        if letter.isalpha():
            codes |= {ord(letter.lower()), ord(letter.upper())}
            codes |= {"k": {0x212A}, "s": {0x17F}}.get(letter.lower(), set())
    return [(code, code) for code in sorted(codes)]


def category_known(name: str) -> bool:
    """True for the general categories and `Any`. Raises Unsupported for what may be a script or an alias."""
    if name in _CATEGORIES or name == "Any":
        return True
    if name[:1].isupper() and name.replace("_", "").isalpha():
        raise Unsupported(f"the Unicode class {name} is not known here")
    return False


def in_category(letter: str, name: str, negative: bool) -> bool:
    """Whether the character is in a category, or (`negative`) is not."""
    if name == "Any":
        return not negative
    category = unicodedata.category(letter)
    if category == "Cn":
        raise Unsupported(f"the character U+{ord(letter):04X} is not known here")
    return category.startswith(name) is not negative
