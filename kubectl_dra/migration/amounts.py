"""What a node offers of some names, as its kubelet tells."""

from collections.abc import Collection, Mapping

from kubectl_dra.inventory.servers import amount
from kubectl_dra.objects.node import Node


def allocatable(node: Node, names: Collection[str]) -> Mapping[str, int]:
    """Names that the scheduler serves through a plugin here, with their number; none is offered when this is empty."""
    return {name: number for name in sorted(names) if (number := amount(node.status.allocatable, name))}


def capacity(node: Node, names: Collection[str]) -> Mapping[str, int]:
    """Names that the kubelet still keeps, with their number."""
    return {name: number for name in sorted(names) if (number := amount(node.status.capacity, name))}


def in_words(what: str, amounts: Mapping[str, int]) -> str:
    """`allocatable is still 8 of example.com/gpu`; empty for nothing."""
    listed = ", ".join(f"{number} of {name}" for name, number in amounts.items())
    return f"{what} is still {listed}" if listed else ""
