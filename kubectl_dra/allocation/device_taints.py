"""Device taints: those that rules add, and whether a request tolerates them.

Rules: dynamic-resource-allocation resourceslice/tracker/tracker.go (applyPatches) and resourceclaim/devicetoleration.go.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from kubectl_dra.objects.resource import Device, DeviceTaint, DeviceTaintRule, DeviceTaintSelector, ResourceSlice
from kubectl_dra.objects.tolerations import Toleration

_PREVENTING = frozenset({"NoSchedule", "NoExecute"})


def tainted_slices(
    slices: Iterable[ResourceSlice], rules: Sequence[DeviceTaintRule], *, everything_without_selector: bool = False
) -> list[ResourceSlice]:
    """The slices with the taints of the rules behind those of their own. Upstream's order of the rules is random.

    `everything_without_selector`: a rule without a selector taints all devices, as before 1.37.1 (kubernetes/kubernetes#141998).
    """
    default = DeviceTaintSelector() if everything_without_selector else None
    selectors = ((rule.spec.device_selector or default, rule.spec.taint) for rule in rules)
    selecting = [(selector, taint) for selector, taint in selectors if selector is not None]
    return [_tainted(each, selecting) for each in slices]


def _tainted(one: ResourceSlice, selecting: Sequence[tuple[DeviceTaintSelector, DeviceTaint]]) -> ResourceSlice:
    spec = one.spec
    here = [(selector, taint) for selector, taint in selecting if _fits(selector, spec.driver, spec.pool.name)]
    if not here or not spec.devices:
        return one
    return replace(one, spec=replace(spec, devices=tuple(_with_taints(device, here) for device in spec.devices)))


def selects(selector: DeviceTaintSelector | None, driver: str, pool: str, device: str) -> bool:
    """Whether a rule with this selector taints the device. Null selects nothing, `{}` everything."""
    return selector is not None and _fits(selector, driver, pool) and selector.device in (None, device)


def _fits(selector: DeviceTaintSelector, driver: str, pool: str) -> bool:
    return selector.driver in (None, driver) and selector.pool in (None, pool)


def _with_taints(device: Device, selecting: Sequence[tuple[DeviceTaintSelector, DeviceTaint]]) -> Device:
    more = tuple(taint for selector, taint in selecting if selector.device in (None, device.name))
    return replace(device, taints=(*(device.taints or ()), *more)) if more else device


def untolerated(taints: Iterable[DeviceTaint], tolerations: Iterable[Toleration]) -> DeviceTaint | None:
    """The first taint that keeps a request with these tolerations away; None if there is none."""
    tolerations = tuple(tolerations)
    for taint in taints:
        if taint.effect in _PREVENTING and not any(tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def tolerates(toleration: Toleration, taint: DeviceTaint) -> bool:
    """Whether the toleration is for this taint; for how many seconds does not matter here."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator or "Equal":
        case "Equal":
            # with an empty key, too, only the values are compared
            return (toleration.value or "") == (taint.value or "")
        case "Exists":
            return True
        case _:
            return False
