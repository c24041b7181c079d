"""Patterns to trees, with the errors of Go's parser (Go: regexp/syntax/parse.go, flags Perl)."""

from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.regex import classes
from kubectl_dra.allocation.cel.regex.classes import LAST, CharSet, Ranges
from kubectl_dra.allocation.cel.regex.nodes import Assertion, Char, Choice, Node, Repeat, Sequence

_MOST_REPEATS = 1000
_DEEPEST_HERE = 100
_SIMPLE = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


class RegexError(ValueError):
    """Go's parser refuses the pattern; the text is Go's."""

    def __init__(self, code: str, fragment: str) -> None:
        """Take what is wrong, and the part of the pattern."""
        super().__init__(f"error parsing regexp: {code}: `{fragment}`")


def parse(pattern: str) -> Node:
    """The tree of a pattern. Raises RegexError or Unsupported."""
    parser = _Parser(pattern)
    node = parser.choice()
    if parser.position < len(pattern):
        raise RegexError("unexpected )", pattern)
    return node


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.depth = 0
        self.fold = self.multiline = self.dot_all = self.swap_greed = False
        self.last_start = 0

    @property
    def rest(self) -> str:
        return self.pattern[self.position :]

    def at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.position)

    def flags(self) -> tuple[bool, bool, bool, bool]:
        return self.fold, self.multiline, self.dot_all, self.swap_greed

    def choice(self) -> Node:
        parts = [self.sequence()]
        while self.at("|"):
            self.position += 1
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Node:
        parts: list[Node] = []
        repeated = -1
        while self.position < len(self.pattern) and self.pattern[self.position] not in "|)":
            start = self.position
            if self.pattern[start] in "*+?" or self.counted() is not None:
                repeated = self.repeat(parts, start, repeated)
            else:
                parts.extend(self.atom())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def counted(self) -> tuple[int, int | None, int] | None:
        """Least, most and end of a `{n,m}` here; None when the brace is a plain character."""
        if not self.at("{"):
            return None
        least, position = self.number(self.position + 1)
        if least is None:
            return None
        most: int | None = least
        if self.pattern[position : position + 1] == ",":
            most, position = self.number(position + 1)
            if most is None and self.pattern[position - 1] != ",":
                return None
        if self.pattern[position : position + 1] != "}":
            return None
        return least, most, position + 1

    def number(self, position: int) -> tuple[int | None, int]:
        start = position
        while position < len(self.pattern) and self.pattern[position] in "0123456789":
            position += 1
        digits = self.pattern[start:position]
        if not digits or (len(digits) > 1 and digits[0] == "0"):
            return None, start
        return (int(digits) if len(digits) < 9 else _MOST_REPEATS + 1), position

    def repeat(self, parts: list[Node], start: int, repeated: int) -> int:
        """Repeat the last part; the end of the operator, since two may not follow each other."""
        letter = self.pattern[start]
        counts = self.counted()
        if counts is not None:
            least, most, end = counts
            if least > _MOST_REPEATS or (most is not None and (most > _MOST_REPEATS or most < least)):
                raise RegexError("invalid repeat count", self.pattern[start:end])
        else:
            least, most, end = int(letter == "+"), 1 if letter == "?" else None, start + 1
        greedy = not self.swap_greed
        if self.pattern[end : end + 1] == "?":
            greedy = not greedy
            end += 1
        if repeated == start:
            raise RegexError("invalid nested repetition operator", self.pattern[self.last_start : end])
        if not parts:
            raise RegexError("missing argument to repetition operator", self.pattern[start:end])
        node = Repeat(parts[-1], least, most, greedy)
        if counts is not None and (least >= 2 or (most or 0) >= 2) and not _repeats_fit(node, _MOST_REPEATS):
            raise RegexError("invalid repeat count", self.pattern[start:end])
        parts[-1] = node
        self.last_start = start
        self.position = end
        return end

    def atom(self) -> list[Node]:
        letter = self.pattern[self.position]
        match letter:
            case "(":
                return self.group()
            case "[":
                return [self.bracket()]
            case "\\":
                return self.escape()
        self.position += 1
        match letter:
            case "^":
                return [Assertion("^" if self.multiline else "A")]
            case "$":
                return [Assertion("$" if self.multiline else "z")]
            case ".":
                return [Char(_anything if self.dot_all else _no_line_feed)]
        return [self.literal(ord(letter))]

    def literal(self, code: int) -> Node:
        letter = chr(code)
        if self.fold and (letter.isalpha() or code > 127):
            found = CharSet()
            found.add_range(code, code, fold=True)
            return Char(found.matcher(negative=False))
        return Char(letter.__eq__, letter)

    def group(self) -> list[Node]:
        saved = self.flags()
        if self.at("(?"):
            if not self.perl_group():
                return []
        else:
            self.position += 1
        self.depth += 1
        if self.depth > _DEEPEST_HERE:
            # Go's limit is 1000, but Python's stack ends before that.
            raise Unsupported("the regular expression nests too deeply to be decided here")
        node = self.choice()
        if not self.at(")"):
            raise RegexError("missing closing )", self.pattern)
        self.position += 1
        self.depth -= 1
        self.fold, self.multiline, self.dot_all, self.swap_greed = saved
        return [node]

    def perl_group(self) -> bool:
        """`(?flags)`, `(?flags:`, `(?P<name>`, `(?<name>`; True when a group is open now."""
        start = self.position
        if self.at("(?P<") or self.at("(?<"):
            return self.named_group(start)
        self.position += 2
        sign, flagged = True, False
        values = {"i": self.fold, "m": self.multiline, "s": self.dot_all, "U": self.swap_greed}
        while self.position < len(self.pattern):
            letter = self.pattern[self.position]
            self.position += 1
            if letter in values:
                values[letter] = sign
                flagged = True
            elif letter == "-" and sign:
                sign, flagged = False, False
            elif letter in ":)" and (sign or flagged):
                self.fold, self.multiline, self.dot_all, self.swap_greed = values.values()
                return letter == ":"
            else:
                raise RegexError("invalid or unsupported Perl syntax", self.pattern[start : self.position])
        raise RegexError("invalid or unsupported Perl syntax", self.pattern[start:])

    def named_group(self, start: int) -> bool:
        opened = self.pattern.index("<", start)
        end = self.pattern.find(">", opened)
        if end < 0:
            raise RegexError("invalid named capture", self.pattern[start:])
        name = self.pattern[opened + 1 : end]
        if not name or not all(letter == "_" or (letter.isascii() and letter.isalnum()) for letter in name):
            raise RegexError("invalid named capture", self.pattern[start : end + 1])
        self.position = end + 1
        return True

    def escape(self) -> list[Node]:
        following = self.pattern[self.position + 1 : self.position + 2]
        if following in ("A", "b", "B", "z") and following:
            self.position += 2
            return [Assertion(following)]
        if following == "C":
            raise RegexError("invalid escape sequence", "\\C")
        if following == "Q":
            body, _, _ = self.pattern[self.position + 2 :].partition("\\E")
            self.position += 2 + len(body) + (2 if self.pattern.startswith("\\E", self.position + 2 + len(body)) else 0)
            return [self.literal(ord(letter)) for letter in body]
        found = CharSet()
        if self.named_class(found):
            return [Char(found.matcher(negative=False))]
        return [self.literal(self.escaped())]

    def named_class(self, found: CharSet) -> bool:
        """Add a `\\d` or `\\pL` that stands here; False when none does."""
        following = self.pattern[self.position + 1 : self.position + 2]
        if not following or not self.at("\\"):
            return False
        if following.lower() in classes.PERL:
            self.position += 2
            self.add_group(found, classes.PERL[following.lower()], negative=following.isupper())
            return True
        if following not in "pP":
            return False
        start = self.position
        negative = following == "P"
        if self.pattern[start + 2 : start + 3] == "{":
            end = self.pattern.find("}", start)
            if end < 0:
                raise RegexError("invalid character class range", self.pattern[start:])
            name = self.pattern[start + 3 : end]
            self.position = end + 1
        else:
            name = self.pattern[start + 2 : start + 3]
            self.position = start + 3
        if name.startswith("^"):
            name, negative = name[1:], not negative
        if not name or not classes.category_known(name):
            raise RegexError("invalid character class range", self.pattern[start : self.position])
        if self.fold and name != "Any":
            raise Unsupported("a regular expression folds the case of a Unicode class")
        found.categories.append((name, negative))
        return True

    def escaped(self) -> int:
        """The code of an escaped character, which stands here."""
        start = self.position
        letter = self.pattern[start + 1 : start + 2]
        if not letter:
            raise RegexError("trailing backslash at end of expression", "")
        self.position = start + 2
        if letter in "01234567" and (letter == "0" or self.pattern[start + 2 : start + 3] in tuple("01234567")):
            while self.position < start + 4 and self.pattern[self.position : self.position + 1] in tuple("01234567"):
                self.position += 1
            return int(self.pattern[start + 1 : self.position], 8)
        if letter == "x":
            return self.hexadecimal(start)
        if letter in _SIMPLE:
            return _SIMPLE[letter]
        if letter.isascii() and not letter.isalnum():
            return ord(letter)
        raise RegexError("invalid escape sequence", self.pattern[start : start + 2])

    def hexadecimal(self, start: int) -> int:
        if self.at("{"):
            end = self.pattern.find("}", self.position)
            digits = self.pattern[self.position + 1 : end] if end >= 0 else ""
            self.position = end + 1
        else:
            digits = self.pattern[self.position : self.position + 2]
            self.position += 2
            if len(digits) < 2:
                digits = ""
        if not digits or not all(digit in "0123456789abcdefABCDEF" for digit in digits) or int(digits, 16) > LAST:
            raise RegexError("invalid escape sequence", self.pattern[start : max(self.position, start + 2)])
        return int(digits, 16)

    def bracket(self) -> Node:
        start = self.position
        self.position += 1
        negative = self.at("^")
        self.position += int(negative)
        found = CharSet()
        first = True
        while self.position < len(self.pattern) and (first or not self.at("]")):
            first = False
            if not (self.at("[:") and self.posix(found)) and not self.named_class(found):
                self.range(found, start)
        if not self.at("]"):
            raise RegexError("missing closing ]", self.pattern[start:])
        self.position += 1
        return Char(found.matcher(negative=negative))

    def posix(self, found: CharSet) -> bool:
        end = self.pattern.find(":]", self.position + 2)
        if end < 0:
            return False
        name = self.pattern[self.position + 2 : end]
        negative = name.startswith("^")
        if name.removeprefix("^") not in classes.POSIX:
            raise RegexError("invalid character class range", self.pattern[self.position : end + 2])
        self.add_group(found, classes.POSIX[name.removeprefix("^")], negative=negative)
        self.position = end + 2
        return True

    def add_group(self, found: CharSet, ranges: Ranges, *, negative: bool) -> None:
        """Add a named set, with the other cases of its letters where case does not count."""
        group = CharSet()
        for low, high in ranges:
            group.add_range(low, high, fold=self.fold)
        found.add(group.ranges, negative=negative)

    def range(self, found: CharSet, bracket: int) -> None:
        start = self.position
        low = high = self.class_character(bracket)
        if self.at("-") and self.position + 1 < len(self.pattern) and self.pattern[self.position + 1] != "]":
            self.position += 1
            high = self.class_character(bracket)
            if high < low:
                raise RegexError("invalid character class range", self.pattern[start : self.position])
        found.add_range(low, high, fold=self.fold)

    def class_character(self, bracket: int) -> int:
        if self.position >= len(self.pattern):
            raise RegexError("missing closing ]", self.pattern[bracket:])
        if self.at("\\"):
            return self.escaped()
        self.position += 1
        return ord(self.pattern[self.position - 1])


def _anything(_: str) -> bool:
    return True


def _no_line_feed(letter: str) -> bool:
    return letter != "\n"


def _repeats_fit(node: Node, most: int) -> bool:
    """False when nested repetitions multiply to more than `most` (Go: repeatIsValid)."""
    match node:
        case Repeat(part, least, limit, _) if least >= 2 or (limit is not None and limit >= 2):
            factor = least if limit is None else limit
            if factor > most:
                return False
            return _repeats_fit(part, most // factor)
        case Repeat(part, _, _, _):
            return _repeats_fit(part, most)
        case Sequence(parts) | Choice(parts):
            return all(_repeats_fit(part, most) for part in parts)
        case _:
            return True
