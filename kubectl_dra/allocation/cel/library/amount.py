"""A quantity as a value of the language."""

from dataclasses import replace

from kubectl_dra.objects.quantity import Quantity


class QuantityValue:
    """A quantity. `pointer` marks sums and differences, which upstream hands out in another form that `==` does not know on its right.

    Comparing with a quantity that upstream keeps as a big decimal turns this one into a big decimal too, and then it is no
    integer any more for `isInteger`. Quantities of a device are listed in `changed` when that happens, to be put back.
    """

    __slots__ = ("amount", "changed", "pointer")

    def __init__(self, amount: Quantity, *, pointer: bool = False, changed: "list[tuple[QuantityValue, Quantity]] | None" = None) -> None:
        """Take the amount."""
        self.amount = amount
        self.pointer = pointer
        self.changed = changed

    def compare(self, other: "QuantityValue") -> int:
        """-1, 0 or 1, by value."""
        return self.amount.compare(other.amount)

    def compared(self, other: "QuantityValue") -> int:
        """The same, with what it does to this quantity (apimachinery: pkg/api/resource/quantity.go, Cmp)."""
        if other.amount.wide and not self.amount.wide:
            if self.changed is not None:
                self.changed.append((self, self.amount))
            self.amount = replace(self.amount, wide=True)
        return self.amount.compare(other.amount)

    def __str__(self) -> str:
        """The canonical form."""
        return str(self.amount)
