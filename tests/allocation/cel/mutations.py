"""Expressions with a few tokens lost, doubled, swapped or replaced: mostly wrong, in all ways."""

import re
from random import Random

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[A-Za-z_]\w*|\d+\.?\d*u?|\s+|&&|\|\||[<>=!]=|.', re.DOTALL)
_STRAYS = (
    *("null", "true", "1", "-", "!", "?", "[", "]", "(", ")", "{", "}", ".", ",", ":", '"a"', "dyn(1)", "device", "x", "in", "1u", "1.5"),
    *(
        'b"x"',
        "//c\n",
        "`a`",
        ".?",
        "[?",
        "int",
        "@",
        'r"\\d"',
        '"""a"""',
        "'\\n'",
        '"\\x41"',
        "0x",
        "1e",
        "type",
        "size",
        ".all(x,",
        "has(",
    ),
    "cel.bind(a,1,",
)


def mutated(expression: str, random: Random) -> str:
    """The expression after one to three accidents."""
    tokens: list[str] = _TOKENS.findall(expression)
    for _ in range(random.randrange(1, 4)):
        if not tokens:
            break
        at, stray = random.randrange(len(tokens)), _STRAYS[random.randrange(len(_STRAYS))]
        match random.randrange(5):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, stray)
            case 2:
                tokens[at] = stray
            case 3:
                tokens.insert(at, tokens[at])
            case _:
                other = random.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)
