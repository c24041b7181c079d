"""Which words of a command line are names in the cluster, and where the API server has them."""

from collections.abc import Mapping
from typing import NamedTuple


class Names(NamedTuple):
    """Which names: those of a `plural` of a `group`, at the first of `versions` that the server has.

    `extended` are instead the extended resource names that such objects map.
    """

    plural: str
    group: str = ""
    versions: tuple[str, ...] = ("v1",)
    namespaced: bool = False
    extended: bool = False


_RESOURCE_VERSIONS = ("v1", "v1beta2", "v1beta1")
NAMESPACES = Names("namespaces")
NODES = Names("nodes")
PODS = Names("pods", namespaced=True)
CLASSES = Names("deviceclasses", "resource.k8s.io", _RESOURCE_VERSIONS)
RULES = Names("devicetaintrules", "resource.k8s.io", ("v1", "v1beta2", "v1alpha3"))
EXTENDED_RESOURCES = Names("deviceclasses", "resource.k8s.io", _RESOURCE_VERSIONS, extended=True)

OF_PARAMETERS: Mapping[tuple[str, str], Names] = {
    ("classes", "names"): CLASSES,
    ("explain", "name"): PODS,
    ("migrate-node", "canary_namespace"): NAMESPACES,
    ("migrate-node", "drop_resource"): EXTENDED_RESOURCES,
}
"""By command and parameter; and, below, by the parameter alone."""

OF_ANY: Mapping[str, Names] = {
    "node": NODES,
    "resource": EXTENDED_RESOURCES,
    "device_class": CLASSES,
    "pod": PODS,
    "rule": RULES,
    "rules": RULES,
}


def names_for(command: str, parameter: str) -> Names | None:
    """What completes a command's parameter, if names in the cluster do."""
    return OF_PARAMETERS.get((command, parameter)) or OF_ANY.get(parameter)
