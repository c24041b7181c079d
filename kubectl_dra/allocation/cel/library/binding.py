"""What a library offers for a signature."""

from collections.abc import Callable

from kubectl_dra.allocation.cel.values import Value

Implementation = Callable[..., Value]
"""Takes the values of the arguments (the target first), gives a value or raises EvaluationError. Their types have been looked at."""
