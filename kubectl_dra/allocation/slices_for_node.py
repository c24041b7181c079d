"""Which slices a node sees (pools_incubating.go, GatherPools and NodeMatches)."""

from kubectl_dra.allocation.failure import fatal
from kubectl_dra.allocation.node_match import NodeSelectorError, node_matches
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.resource import Device, ResourceSlice


def is_for(one: ResourceSlice, node: Node) -> bool:
    """Whether the slice is for the node; one that says nothing of nodes is for none. Raises AllocationError for a broken node selector."""
    spec = one.spec
    if spec.node_name or spec.all_nodes or spec.node_selector is not None:
        try:
            return node_matches(node, spec.node_name, spec.all_nodes, spec.node_selector)
        except NodeSelectorError as error:
            name = one.metadata.name
            raise fatal(f"gather pool information: failed to perform node selection for slice {name}: {error}") from None
    return bool(spec.per_device_node_selection) and any(_device_is_for(one, device, node) for device in spec.devices or ())


def _device_is_for(one: ResourceSlice, device: Device, node: Node) -> bool:
    try:
        return node_matches(node, device.node_name, device.all_nodes, device.node_selector)
    except NodeSelectorError as error:
        where = f"device {device.name} in slice {one.metadata.name}"
        raise fatal(f"gather pool information: failed to perform node selection for {where}: {error}") from None
