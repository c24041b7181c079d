"""What can go wrong with an expression: while it is compiled, while it runs, by its cost, or because we cannot decide."""

from enum import StrEnum


class ErrorClass(StrEnum):
    """Whose fault it is, and what the scheduler makes of it."""

    COMPILE = "compile"
    """It does not parse, does not type-check or cannot be planned: it fails on every device."""
    RUNTIME = "runtime"
    """It failed on this device. For the scheduler that is fatal, not "no match"."""
    COST = "cost"
    """It would have cost more than the limit."""
    UNSUPPORTED = "unsupported"
    """We cannot tell what the scheduler would say: neither a match nor a mismatch may be concluded."""


class CelError(Exception):
    """Base of the errors of this room; `message` is the scheduler's text where it has one."""

    error_class = ErrorClass.RUNTIME

    def __init__(self, message: str) -> None:
        """Take the text."""
        super().__init__(message)
        self.message = message


class CompileError(CelError):
    """The expression cannot be used at all."""

    error_class = ErrorClass.COMPILE


class EvaluationError(CelError):
    """A value that is an error: `&&`, `||`, `all` and `exists` may absorb it."""


class NoSuchOverload(EvaluationError):
    """An operation met a value of a type it is not made for."""

    def __init__(self, message: str = "no such overload") -> None:
        """Take the text; the bare one is what most operations say."""
        super().__init__(message)


class EvaluationPanic(CelError):
    """Upstream's evaluator crashes here and recovers: the whole evaluation fails, nothing absorbs it."""

    def __init__(self, message: str) -> None:
        """Take what the crash says."""
        super().__init__(f"internal error: {message}")


class CostLimitExceeded(CelError):
    """The run-time cost passed the limit; nothing absorbs it (cel-go: interpreter/runtimecost.go)."""

    error_class = ErrorClass.COST

    def __init__(self) -> None:
        """The text is always the same."""
        super().__init__("operation cancelled: actual cost limit exceeded")


class Unsupported(CelError):
    """We do not know what upstream would answer."""

    error_class = ErrorClass.UNSUPPORTED
