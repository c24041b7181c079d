"""Random expressions that are mostly well typed, made from templates.

The choices come from a `random.Random`, which may be hypothesis' own: then failing expressions shrink.
"""

import re
from collections.abc import Sequence
from random import Random

from tests.allocation.cel.templates import POOLS, TEMPLATES

_HOLE = re.compile("«([^«»]*)»")
_MISTAKEN = ("bool", "int", "string", "dyn", "double", "list", "map", "quantity", "semver", "optional", "uint", "bytes")
Scope = tuple[tuple[str, str], ...]
"""The variables in sight and their types."""


class Expressions:
    """Draws expressions of a wanted type; once in a while one of another type, as people do."""

    def __init__(self, random: Random, *, mistakes: float = 0.02) -> None:
        self.random = random
        self.mistakes = mistakes

    def selector(self, depth: int = 4) -> str:
        """An expression that should give a bool, with so many levels of templates in each other at most."""
        return self.make("bool", depth, ())

    def value(self, depth: int = 4) -> str:
        """An expression that gives anything."""
        around = self.pick(("{}", "dyn({})", "[{}]", "[dyn({}), dyn({})]", "optional.of({})"))
        return around.replace("{}", self.make(self.pick(_MISTAKEN), depth, ()))

    def make(self, kind: str, depth: int, scope: Scope) -> str:
        if self.random.random() < self.mistakes:
            kind = self.pick(_MISTAKEN)
        fitting = [name for name, found in scope if found == kind]
        if fitting and self.random.random() < 0.5:
            return self.pick(fitting)
        templates = TEMPLATES[kind]
        template = self.pick(templates) if depth > 0 else templates[0]
        # A template that is nothing but another kind is no level.
        below = depth if _HOLE.fullmatch(template) else depth - 1
        return _HOLE.sub(lambda hole: self.filled(hole[1], below, scope), template)

    def filled(self, hole: str, depth: int, scope: Scope) -> str:
        if hole.startswith("$"):
            return f'"{self.pick(POOLS[hole[1:]])}"'
        if hole.startswith("="):
            return self.pick(POOLS[hole[1:]])
        kinds, _, variables = hole.partition(" ")
        if kinds == "bound":
            return self.make(hole, depth, scope)
        bound = tuple(tuple(pair.split(":")) for pair in variables.split())
        return self.make(self.pick(kinds.split("|")), depth, (*scope, *((name, kind) for name, kind in bound)))

    def pick(self, options: Sequence[str]) -> str:
        return options[self.random.randrange(len(options))]
