"""Where in the text a problem lies, drawn as cel-go draws it (cel-go: common/error.go)."""

from collections.abc import Iterable
from dataclasses import dataclass

_MOST = 100
_LONGEST_LINE = 16384


@dataclass(frozen=True, slots=True)
class Problem:
    """A message and the offset (in characters) that it is about."""

    offset: int
    message: str


def render(text: str, problems: Iterable[Problem]) -> str:
    """All problems by position, each with its line and a mark under the place."""
    found = list(problems)
    shown = sorted(found[:_MOST], key=lambda problem: problem.offset)
    lines = [_one(text, problem) for problem in shown]
    if len(found) > _MOST:
        lines.append(f"{len(found) - _MOST} more errors were truncated")
    return "\n".join(lines)


def _one(text: str, problem: Problem) -> str:
    if not text:
        return f"ERROR: <input>:1:0: {problem.message}"
    offset = max(problem.offset, 0)
    before = text[:offset]
    line = before.count("\n")
    column = offset - (before.rfind("\n") + 1)
    message = f"ERROR: <input>:{line + 1}:{column + 1}: {problem.message}"
    snippet = text.split("\n")[line].replace("\t", " ")
    if len(snippet.encode()) > _LONGEST_LINE:
        return message
    dots = "".join("\uff0e" if ord(letter) > 127 else "." for letter in snippet[:column])
    mark = "\uff3e" if column < len(snippet) and ord(snippet[column]) > 127 else "^"
    return f"{message}\n | {snippet}\n | {dots}{mark}"
