"""Which findings are shown: codes and their prefixes, and from which severity on."""

from collections.abc import Iterable, Sequence

import msgspec

from kubectl_dra.audit.finding import Severity


class Selection(msgspec.Struct, frozen=True):
    """`select` and `ignore` hold codes (`DRA101`) or prefixes (`DRA1`), upper case; an empty `select` is everything.

    The longer of two that match counts, as in `--select DRA101 --ignore DRA1`; at equal length `ignore` does.
    `severity` is the mildest that is shown.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Severity = Severity.INFO

    def has_code(self, code: str) -> bool:
        """True when findings of that check are wanted."""
        chosen = _longest(self.select, code) if self.select else 0
        return chosen > _longest(self.ignore, code)

    def has(self, code: str, severity: Severity) -> bool:
        """True when this finding is shown."""
        return self.has_code(code) and severity.at_least(self.severity)


def _longest(prefixes: Sequence[str], code: str) -> int:
    """The length of the longest prefix that matches; -1 when none does."""
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def unmatched(prefixes: Iterable[str], codes: Iterable[str]) -> tuple[str, ...]:
    """Those of `prefixes` that match no code: mistakes on the command line."""
    known = tuple(codes)
    return tuple(prefix for prefix in prefixes if not any(code.startswith(prefix) for code in known))


ALL_FINDINGS = Selection()
"""Nothing left out."""
