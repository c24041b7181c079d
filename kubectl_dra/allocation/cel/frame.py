"""What one evaluation holds: the device, the variables of the folds, and the cost so far."""

from collections.abc import Callable

from kubectl_dra.allocation.cel.errors import CostLimitExceeded
from kubectl_dra.allocation.cel.values import Value


class Frame:
    """One evaluation's state."""

    __slots__ = ("backwards", "cost", "device", "expired", "limit", "order_seen", "slots")

    def __init__(
        self, device: Value, slots: int, limit: int, *, backwards: bool = False, expired: Callable[[], bool] | None = None
    ) -> None:
        """Begin with no cost and no variables. `backwards` runs through maps from the end; `expired` tells when time is up.

        Upstream runs through them in random order. `order_seen` tells that a map of several entries was run through.
        """
        self.backwards = backwards
        self.expired = expired
        self.order_seen = False
        self.device = device
        self.slots: list[Value] = [None] * slots
        self.cost = 0
        self.limit = limit

    def charge(self, cost: int) -> None:
        """Add the cost of one step. Raises CostLimitExceeded."""
        self.cost += cost
        if self.cost > self.limit:
            raise CostLimitExceeded

    def affords(self, cost: int) -> None:
        """Raises CostLimitExceeded, with the cost charged, if that would pass the limit; else nothing is charged yet."""
        if self.cost + cost > self.limit:
            self.charge(cost)

    def charge_steps(self, steps: int) -> None:
        """Add so many steps of cost 1, which upstream charges one by one."""
        self.cost += steps
        if self.cost > self.limit:
            self.cost = self.limit + 1
            raise CostLimitExceeded


Run = Callable[[Frame], Value]
"""A planned expression: gives its value, charges its cost, raises EvaluationError for a value that is an error."""
