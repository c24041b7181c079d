"""Trees to instructions (Go: regexp/syntax/compile.go)."""

from dataclasses import dataclass

from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.regex.nodes import Assertion, Char, Choice, Matcher, Node, Repeat, Sequence

_LONGEST = 20_000


@dataclass(slots=True)
class Instruction:
    """One step: `char` consumes a character, `assert` looks at the place, `split` tries `next` and then `other`, `match` ends."""

    kind: str
    next: int = -1
    other: int = -1
    matches: Matcher | None = None
    assertion: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions and where they start."""

    instructions: list[Instruction]
    start: int


def compile_program(node: Node) -> Program:
    """The program of a tree. Raises Unsupported when it would be longer than what is decided here."""
    compiler = _Compiler()
    end = compiler.add(Instruction("match"))
    return Program(compiler.instructions, compiler.build(node, end))


class _Compiler:
    """Builds backwards: each part is told where to go on."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []

    def add(self, instruction: Instruction) -> int:
        if len(self.instructions) >= _LONGEST:
            raise Unsupported("the regular expression is too large to be decided here")
        self.instructions.append(instruction)
        return len(self.instructions) - 1

    def build(self, node: Node, then: int) -> int:
        match node:
            case Char():
                return self.add(Instruction("char", then, matches=node.matches))
            case Assertion():
                return self.add(Instruction("assert", then, assertion=node.kind))
            case Sequence(parts):
                for part in reversed(parts):
                    then = self.build(part, then)
                return then
            case Choice(parts):
                entry = self.build(parts[-1], then)
                for part in reversed(parts[:-1]):
                    entry = self.add(Instruction("split", self.build(part, then), entry))
                return entry
            case Repeat():
                return self.repeat(node, then)

    def repeat(self, node: Repeat, then: int) -> int:
        if node.most is None:
            entry = self.star(node, then) if node.least == 0 else self.plus(node, then)
            for _ in range(node.least - 1):
                entry = self.build(node.part, entry)
            return entry
        entry = then
        for _ in range(node.most - node.least):
            entry = self.split(self.build(node.part, entry), then, greedy=node.greedy)
        for _ in range(node.least):
            entry = self.build(node.part, entry)
        return entry

    def split(self, first: int, second: int, *, greedy: bool) -> int:
        return self.add(Instruction("split", first, second) if greedy else Instruction("split", second, first))

    def plus(self, node: Repeat, then: int) -> int:
        loop = self.add(Instruction("split"))
        entry = self.build(node.part, loop)
        self.aim(loop, entry, then, greedy=node.greedy)
        return entry

    def star(self, node: Repeat, then: int) -> int:
        if _nullable(node.part):
            return self.split(self.plus(node, then), then, greedy=node.greedy)
        loop = self.add(Instruction("split"))
        self.aim(loop, self.build(node.part, loop), then, greedy=node.greedy)
        return loop

    def aim(self, loop: int, again: int, then: int, *, greedy: bool) -> None:
        instruction = self.instructions[loop]
        instruction.next, instruction.other = (again, then) if greedy else (then, again)


def _nullable(node: Node) -> bool:
    """True when it can match the empty text."""
    match node:
        case Char():
            return False
        case Assertion():
            return True
        case Sequence(parts):
            return all(map(_nullable, parts))
        case Choice(parts):
            return any(map(_nullable, parts))
        case Repeat(part, least, _, _):
            return least == 0 or _nullable(part)
