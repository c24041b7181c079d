"""The most that an expression may cost on any device, by which the API server refuses new ones. Imports the tree, its types and costs."""

from kubectl_dra.allocation.cel.estimate.walk import most_cost

__all__ = ["most_cost"]
