"""Template text → literal text and paths. The grammar and its errors are those of client-go, util/jsonpath/parser.go."""

import re

from kubectl_dra.report.jsonpath.nodes import Constant, Descent, Field, Filter, Keyword, Node, Path, Slice, Union, Wildcard


class ScanError(ValueError):
    """The template cannot be read; the message says why, as kubectl does."""


FIELD = re.compile(r"(?:\\.|[^ \t\r\n.,\[\]$@{}\\])*", re.DOTALL)
"""A name: a backslash takes the next character in, whatever it is."""
WORD = re.compile(r"[^ \t\r\n.,\[\]$@{}]*")
NUMBER = re.compile(r"[+-]?[0-9.]*")
DICT_KEY = re.compile(r"'([^']*)'")
SLICE = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?")
COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+)")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)
LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}


def scan(template: str) -> tuple[str | Path, ...]:
    """The pieces of a template in order. Raises ScanError."""
    pieces: list[str | Path] = []
    position = 0
    while position < len(template):
        opening = template.find("{", position)
        text = template[position:] if opening < 0 else template[position:opening]
        if text:
            pieces.append(text)
        if opening < 0:
            break
        scanner = _Action(template, opening + 1)
        pieces.append(scanner.path())
        position = scanner.position
    return tuple(pieces)


class _Action:
    """Reads what stands between two braces."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.nodes: list[Node] = []

    def path(self) -> Path:
        """Read up to the closing brace and step over it."""
        while not self._at("}"):
            self._step()
        self.position += 1
        return tuple(self.nodes)

    def _at(self, prefix: str) -> bool:
        return self.text.startswith(prefix, self.position)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        assert match is not None  # noqa: S101 (every pattern matches the empty string)
        self.position = match.end()
        return match.group()

    def _step(self) -> None:
        character = self.text[self.position : self.position + 1]
        match character:
            case "" | "\r" | "\n":
                raise ScanError("unclosed action")
            case " " | "@" | "$":
                self.position += 1
            case "." if self._at(".."):
                self._descent()
            case ".":
                self.position += 1
                self._field()
            case "[" if self._at("[?("):
                self._filter()
            case "[":
                self._brackets()
            case '"' | "'":
                self._quoted(character)
            case _ if character in "+-" or character.isdecimal():
                self._number()
            case _ if character == "_" or character.isalnum():
                word = self._take(WORD)
                self.nodes.append(Constant(word == "true") if word in ("true", "false") else Keyword(word))
            case _:
                shown = f" '{character}'" if character.isprintable() else ""
                raise ScanError(f"unrecognized character in action: U+{ord(character):04X}{shown}")

    def _descent(self) -> None:
        if self.nodes and isinstance(self.nodes[-1], Descent):
            raise ScanError("invalid multiple recursive descent")
        self.position += 2
        self.nodes.append(Descent())
        after = self.text[self.position : self.position + 1]
        if after == "_" or after.isalnum():
            self._field()

    def _field(self) -> None:
        name = self._take(FIELD)
        self.nodes.append(Wildcard() if name == "*" else Field(name.replace("\\", "")))

    def _number(self) -> None:
        text = self._take(NUMBER)
        try:
            self.nodes.append(Constant(float(text) if "." in text else int(text)))
        except ValueError:
            raise ScanError(f"cannot parse number {text}") from None

    def _quoted(self, quote: str) -> None:
        end = self.position
        while True:
            end += 1
            if end >= len(self.text) or self.text[end] == "\n":
                raise ScanError("unterminated quoted string")
            if self.text[end] == quote and self.text[end - 1] != "\\":
                break
        self.nodes.append(Constant(_unquoted(self.text[self.position + 1 : end])))
        self.position = end + 1

    def _brackets(self) -> None:
        end = re.compile(r"[\]\n]").search(self.text, self.position)
        if end is None or end.group() == "\n":
            raise ScanError("unterminated array")
        inside = self.text[self.position + 1 : end.start()]
        self.position = end.end()
        if inside == "*":
            inside = ":"
        alternatives = inside.split(",")
        if len(alternatives) > 1:
            self.nodes.append(Union(tuple(_inner(f"[{alternative.strip(' ')}]") for alternative in alternatives)))
        elif key := DICT_KEY.fullmatch(inside):
            self.nodes += _inner(f".{key.group(1)}")
        else:
            self.nodes.append(_slice(inside))

    def _filter(self) -> None:
        start = self.position + len("[?(")
        end = self._closing_parenthesis(start)
        if self.text[end + 1 : end + 2] != "]":
            raise ScanError("unclosed array expect ]")
        self.position = end + 2
        inside = self.text[start:end]
        if comparison := COMPARISON.fullmatch(inside):
            left, operator, right = comparison.groups()
            self.nodes.append(Filter(_inner(left), operator, _inner(right)))
        else:
            self.nodes.append(Filter(_inner(inside)))

    def _closing_parenthesis(self, start: int) -> int:
        """The first `)` that does not stand inside quotes."""
        quote, closed = "", False
        for position in range(start, len(self.text)):
            character = self.text[position]
            if character == "\n":
                break
            if character in "'\"" and not quote:
                quote = character
            elif character == quote and self.text[position - 1] != "\\":
                closed = True
            elif character == ")" and bool(quote) == closed:
                return position
        raise ScanError("unterminated filter")


def _inner(text: str) -> Path:
    """A path inside a path."""
    return _Action(f"{text}}}", 0).path()


def _slice(text: str) -> Slice:
    match = SLICE.fullmatch(text)
    if match is None:
        raise ScanError(f"invalid array index {text}")
    start, stop, step = match.groups()
    first = _integer(start) if start else None
    if stop is None:
        return Slice(first, (first or 0) + 1, _after_colon(step), single=True)
    return Slice(first, _after_colon(stop), _after_colon(step))


def _after_colon(text: str | None) -> int | None:
    return _integer(text[1:]) if text and text != ":" else None


def _integer(text: str) -> int:
    """An index; Go's integers have 64 bits."""
    if not text.removeprefix("-").isdecimal() or int(text).bit_length() > 63:
        raise ScanError(f"array index {text} is not a number")
    return int(text)


def _unquoted(text: str) -> str:
    return ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "xuU" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code.isdecimal() and len(code) == len("000"):
        return chr(int(code, 8))
    if code in LETTERS:
        return LETTERS[code]
    raise ScanError(f"unquote string {match.string} error invalid syntax")
