"""`matches`, `find` and `findAll` (cel-go: common/types/string.go; apiserver: pkg/cel/library/regex.go)."""

from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.regex import Machine, RegexError, compiled
from kubectl_dra.allocation.cel.values import ListValue, Value


def _machine(pattern: str, prefix: str = "") -> Machine:
    try:
        return compiled(pattern)
    except RegexError as error:
        raise EvaluationError(f"{prefix}{error}") from None


def _matches(text: str, pattern: Value) -> bool:
    if type(pattern) is not str:
        raise NoSuchOverload
    return _machine(pattern).matches(text)


def _find_all(text: str, pattern: str, limit: int = -1) -> ListValue:
    return ListValue(list(_machine(pattern, "Illegal regex: ").find_all(text, limit)), go="string")


IMPLEMENTATIONS: dict[str, Implementation] = {
    "matches": _matches,
    "matches_string": _matches,
    "string_find_string": lambda text, pattern: _machine(pattern, "Illegal regex: ").find(text),
    "string_find_all_string": _find_all,
    "string_find_all_string_int": _find_all,
}
