"""Results as upstream's types are written in JSON: what is empty is left out, but some fields never are."""

from collections.abc import Callable, Mapping, Sequence

from kubectl_dra.allocation.result import ClaimAllocation, ConfigOrigin
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement
from kubectl_dra.objects.resource import DeviceRequestAllocationResult
from kubectl_dra.objects.tolerations import Toleration

Json = Mapping[str, object]
Configuration = Callable[[ConfigOrigin], Json]
"""Finds a configuration, with its parameters, in the document."""


def allocation(one: ClaimAllocation, configuration: Configuration) -> Json:
    """What a claim gets."""
    devices = one.result.devices
    configs = [
        {"source": config.source, **_given(requests=config.requests), **_without_requests(configuration(origin))}
        for config, origin in zip(devices.config or (), one.origins, strict=True)
    ]
    found: dict[str, object] = {"devices": _given(results=[_device(each) for each in devices.results or ()], config=configs)}
    if one.result.node_selector is not None:
        found["nodeSelector"] = _node_selector(one.result.node_selector)
    return found


def _without_requests(config: Json) -> Json:
    return {key: value for key, value in config.items() if key == "opaque" and value is not None}


def _device(one: DeviceRequestAllocationResult) -> Json:
    return {
        "request": one.request,
        "driver": one.driver,
        "pool": one.pool,
        "device": one.device,
        **_given(
            adminAccess=one.admin_access,
            tolerations=[_toleration(each) for each in one.tolerations or ()],
            bindingConditions=one.binding_conditions,
            bindingFailureConditions=one.binding_failure_conditions,
            shareID=one.share_id,
            consumedCapacity=one.consumed_capacity,
            skipNodeOperations=one.skip_node_operations,
        ),
    }


def _toleration(one: Toleration) -> Json:
    found = _given(key=one.key, operator=one.operator, value=one.value, effect=one.effect)
    return found if one.toleration_seconds is None else {**found, "tolerationSeconds": one.toleration_seconds}


def _node_selector(one: NodeSelector) -> Json:
    terms = [
        _given(matchExpressions=_requirements(term.match_expressions or ()), matchFields=_requirements(term.match_fields or ()))
        for term in one.node_selector_terms or ()
    ]
    return {"nodeSelectorTerms": terms}


def _requirements(some: Sequence[NodeSelectorRequirement]) -> list[Json]:
    return [{"key": each.key, "operator": each.operator, **_given(values=each.values)} for each in some]


def _given(**fields: object) -> dict[str, object]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value}
