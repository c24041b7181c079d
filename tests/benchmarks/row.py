"""One promise of speed or memory, and whether it is kept."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One promise: what was measured, in `unit`, against the budget. `value` None: it could not be measured, `note` says why."""

    what: str
    value: float | None
    budget: float
    unit: str
    note: str = ""
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """True when the budget holds (or nothing was measured)."""
        if self.value is None:
            return True
        return self.value >= self.budget if self.at_least else self.value <= self.budget

    def __str__(self) -> str:
        """A line of the report."""
        value = "not measured" if self.value is None else f"{self.value:.2f}{self.unit}"
        sign = "≥" if self.at_least else "≤"
        return f"{self.what:<58} {value:>13}   {sign} {self.budget:g}{self.unit:<8} {'' if self.kept else 'OVER'}  {self.note}".rstrip()
