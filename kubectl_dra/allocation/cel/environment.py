"""For whom an expression is compiled: which fields `device` has and which functions are there.

The scheduler compiles with everything (stored expressions). The API server checks new expressions against what the
enabled features allow (dynamic-resource-allocation: cel/compile.go, newCompiler).
"""

from dataclasses import dataclass
from functools import cached_property

from kubectl_dra.allocation.cel import types
from kubectl_dra.allocation.cel.types import Type

DEVICE = Type(types.Kind.STRUCT, "kubernetes.DRADevice")
COST_LIMIT = 1_000_000
"""What one evaluation may cost (api: resource/v1, CELSelectorExpressionMaxCost)."""
LONGEST_NEW = 10 * 1024
"""The longest expression that the API server takes, in bytes (api: resource/v1, CELSelectorExpressionMaxLength)."""


@dataclass(frozen=True)
class CelEnvironment:
    """`stored` as the scheduler compiles, else as the API server checks a new expression under the two feature gates."""

    stored: bool = True
    consumable_capacity: bool = True
    list_type_attributes: bool = False
    cost_limit: int = COST_LIMIT

    @cached_property
    def attribute(self) -> Type:
        """The type of every attribute's value."""
        return types.DYN if self.stored or self.list_type_attributes else types.ANY

    @cached_property
    def fields(self) -> dict[str, Type]:
        """The fields of `device`."""
        found = {
            "driver": types.STRING,
            "attributes": types.map_of(types.STRING, types.map_of(types.STRING, self.attribute)),
            "capacity": types.map_of(types.STRING, types.map_of(types.STRING, types.QUANTITY)),
        }
        if self.stored or self.consumable_capacity:
            found["allowMultipleAllocations"] = types.BOOL
        return found

    @cached_property
    def missing(self) -> frozenset[str]:
        """Functions that are declared for stored expressions but not here."""
        return frozenset() if self.stored or self.list_type_attributes else frozenset({"includes"})


SCHEDULER = CelEnvironment()
"""What the scheduler uses."""
