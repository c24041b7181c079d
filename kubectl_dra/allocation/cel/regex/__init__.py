"""Regular expressions as Go's regexp (RE2) understands them, matched in time linear in the text.

Python's `re` differs where it matters: it has look-around, back-references, possessive and atomic groups, conditionals and `(?#...)`,
which RE2 refuses; it takes `{,n}` as a repetition; `$` matches before a last line feed; `\\d`, `\\w`, `\\s` and `\\b` know all of Unicode
where RE2's know ASCII; `\\s` includes the vertical tab; `[[:alpha:]]`, `\\pL`, `\\z` and `\\Q...\\E` are not there or mean something else;
flags have other letters (`U`); and it backtracks, so that `(a+)+$` can take for ever. Hence a parser and a machine of our own.
What needs Unicode tables that Python does not have (scripts, folding beyond ASCII) is Unsupported.
"""

from functools import lru_cache

from kubectl_dra.allocation.cel.regex.machine import Machine
from kubectl_dra.allocation.cel.regex.program import compile_program
from kubectl_dra.allocation.cel.regex.syntax import RegexError, parse

__all__ = ["Machine", "RegexError", "compiled"]


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Machine:
    """A machine for the pattern. Raises RegexError with Go's text, or Unsupported."""
    return Machine(compile_program(parse(pattern)))
