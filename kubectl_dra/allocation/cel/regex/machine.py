"""Runs a program on a text, all ways at once, so that time is linear in the text (Go: regexp/exec.go).

The leftmost match is found, and of those at one place the one that the pattern's order prefers.
"""

from collections.abc import Iterator

from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.regex.program import Program

_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_BUDGET = 3_000_000
_REMEMBERED = 1024


class Machine:
    """A compiled pattern. Remembers its answers for some texts: devices have few different values."""

    def __init__(self, program: Program) -> None:
        """Take the program."""
        self._program = program
        self._known: dict[str, bool] = {}

    def matches(self, text: str) -> bool:
        """True when the pattern occurs anywhere. Raises Unsupported when that would take too long."""
        found = self._known.get(text)
        if found is None:
            found = self._run(text, 0, shortest=True) is not None
            if len(self._known) < _REMEMBERED:
                self._known[text] = found
        return found

    def find(self, text: str) -> str:
        """The leftmost match, empty if there is none."""
        found = self._run(text, 0)
        return "" if found is None else text[found[0] : found[1]]

    def find_all(self, text: str, limit: int) -> list[str]:
        """The matches that do not overlap, at most `limit` unless that is negative."""
        found: list[str] = []
        for start, end in self._all(text):
            if 0 <= limit <= len(found):
                break
            found.append(text[start:end])
        return found

    def _all(self, text: str) -> Iterator[tuple[int, int]]:
        position, previous = 0, -1
        while position <= len(text):
            match = self._run(text, position)
            if match is None:
                return
            start, end = match
            # An empty match right behind the last one does not count.
            accepted = not (end == position and start == previous)
            position = position + 1 if end == position else end
            previous = end
            if accepted:
                yield start, end

    def _run(self, text: str, begin: int, *, shortest: bool = False) -> tuple[int, int] | None:
        instructions = self._program.instructions
        threads: list[tuple[int, int]] = []
        best: tuple[int, int] | None = None
        spent = 0
        for position in range(begin, len(text) + 1):
            if best is None:
                threads.append((self._program.start, position))
            elif not threads:
                break
            ready = self._closure(threads, text, position)
            spent += len(ready) + len(threads)
            if spent > _BUDGET:
                raise Unsupported("the regular expression takes too long to be decided here")
            letter = text[position] if position < len(text) else None
            threads = []
            for place, start in ready:
                instruction = instructions[place]
                if instruction.kind == "match":
                    best = (start, position)
                    if shortest:
                        return best
                    break
                if letter is not None and instruction.matches is not None and instruction.matches(letter):
                    threads.append((instruction.next, start))
        return best

    def _closure(self, threads: list[tuple[int, int]], text: str, position: int) -> list[tuple[int, int]]:
        """The threads moved on to where a character is needed or a match is reached, each place once, in order."""
        instructions = self._program.instructions
        seen: set[int] = set()
        ready: list[tuple[int, int]] = []
        for first, start in threads:
            stack = [first]
            while stack:
                place = stack.pop()
                if place in seen:
                    continue
                seen.add(place)
                instruction = instructions[place]
                if instruction.kind == "split":
                    stack.append(instruction.other)
                    stack.append(instruction.next)
                elif instruction.kind == "assert":
                    if _holds(instruction.assertion, text, position):
                        stack.append(instruction.next)
                else:
                    ready.append((place, start))
        return ready


def _holds(kind: str, text: str, position: int) -> bool:
    match kind:
        case "A":
            return position == 0
        case "z":
            return position == len(text)
        case "^":
            return position == 0 or text[position - 1] == "\n"
        case "$":
            return position == len(text) or text[position] == "\n"
    before = position > 0 and text[position - 1] in _WORD
    after = position < len(text) and text[position] in _WORD
    return (before is not after) is (kind == "b")
