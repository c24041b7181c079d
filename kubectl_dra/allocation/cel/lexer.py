"""Text to tokens, by the longest match (cel-go: parser/gen/CEL.g4)."""

import re
from dataclasses import dataclass

from kubectl_dra.allocation.cel.errors import CompileError
from kubectl_dra.allocation.cel.source import Problem, render

_ESCAPE = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_STRING = "|".join(
    (
        r"[rR]\"\"\"[\s\S]*?\"\"\"",
        r"[rR]'''[\s\S]*?'''",
        rf'"""(?:{_ESCAPE}|[^\\])*?"""',
        rf"'''(?:{_ESCAPE}|[^\\])*?'''",
        r"[rR]\"[^\"\n\r]*\"",
        r"[rR]'[^'\n\r]*'",
        rf'"(?:{_ESCAPE}|[^\\"\n\r])*"',
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
    )
)
_TOKEN = re.compile(
    rf"""
    (?P<space>[\t\ \r\n\f]+|//[^\n]*)
  | (?P<bytes>[bB](?:{_STRING}))
  | (?P<string>{_STRING})
  | (?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<uint>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])
  | (?P<int>0x[0-9a-fA-F]+|[0-9]+)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_.\-/\ ]+`)
  | (?P<symbol>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
    """,
    re.VERBOSE,
)
_KEYWORDS = frozenset({"in", "true", "false", "null"})


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its kind (`name`, `quoted`, `string`, `bytes`, `int`, `uint`, `float`, `end`, or the symbol or keyword itself)."""

    kind: str
    text: str
    offset: int

    @property
    def end(self) -> int:
        """Where the text behind it starts."""
        return self.offset + len(self.text)


def tokens(text: str) -> list[Token]:
    """All tokens of `text` with an `end` behind them. Raises CompileError where there is none."""
    found: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            message = f"Syntax error: token recognition error at: '{text[position]}'"
            raise CompileError(f"compilation failed: {render(text, [Problem(position, message)])}")
        kind = match.lastgroup or ""
        word = match.group()
        if kind == "symbol" or (kind == "name" and word in _KEYWORDS):
            kind = word
        if kind != "space":
            found.append(Token(kind, word, position))
        position = match.end()
    found.append(Token("end", "<EOF>", len(text)))
    return found
