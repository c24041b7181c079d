"""What stands between a device and a request, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence

from kubectl_dra.allocation.allocated import DeviceId
from kubectl_dra.allocation.reasons import Against, DeviceReason
from kubectl_dra.inventory.holders import Holders
from kubectl_dra.objects.resource import DeviceTaint

_COUNTED: Mapping[Against, str] = {
    Against.IN_USE: "in use",
    Against.TAINTED: "tainted",
    Against.REQUEST_SELECTOR: "not selected by the request",
    Against.SELECTOR_FAILS: "ones on which a selector fails",
    Against.CAPACITY: "short of capacity",
    Against.COUNTERS: "without counters left",
    Against.CONSTRAINT: "without the attribute of a constraint",
    Against.OTHER_NODES: "for other nodes",
}
"""What devices are, behind "is" or "are"."""


def counted(devices: Sequence[DeviceReason], class_name: str) -> str:
    """`both devices of class c are in use`, `of 4 devices of class c 3 are in use and 1 is tainted`: the commonest first."""
    numbers = Counter(each.against for each in devices if each.against is not None).most_common()
    total = len(devices)
    if len(numbers) == 1 and numbers[0][1] == total:
        who, verb = {1: ("the only device", "is"), 2: ("both devices", "are")}.get(total, (f"all {total} devices", "are"))
        return f"{who} of class {class_name} {verb} {_COUNTED.get(numbers[0][0], numbers[0][0])}"
    parts = [f"{number} {'is' if number == 1 else 'are'} {_COUNTED.get(kind, kind)}" for kind, number in numbers]
    told = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"of {total} devices of class {class_name} {told}"


def against(reason: DeviceReason, holders: Mapping[DeviceId, Holders]) -> str:
    """What is against one device."""
    match reason.against:
        case None:
            return "would do"
        case Against.IN_USE:
            return by_whom(reason.device, holders)
        case Against.CLASS_SELECTOR | Against.REQUEST_SELECTOR:
            return "; ".join(map(str, reason.trace)) or f"{reason.selector}: false"
        case Against.SELECTOR_FAILS:
            return reason.message.partition("\n")[0]
        case Against.TAINTED if reason.taint is not None:
            return f"{reason.device[2]} is tainted: {taint(reason.taint)}"
        case Against.CAPACITY:
            return _capacity(reason)
        case Against.COUNTERS if reason.counter is not None:
            return f"{reason.device[2]}: counter {reason.counter[1]} of set {reason.counter[0]} is used up"
        case Against.CONSTRAINT:
            return f"{reason.device[2]} has no attribute {reason.attribute}"
        case _:
            return f"{reason.device[2]}: {reason.message or reason.against}"


def by_whom(device: DeviceId, holders: Mapping[DeviceId, Holders]) -> str:
    """Which pods have the device, and by which claim."""
    holder = holders.get(device)
    claims = [(holder.claim, holder.pods)] if holder is not None and holder.claim is not None else []
    claims += [(share.claim, share.pods) for share in holder.shares] if holder is not None else []
    told = []
    for claim, pods in claims:
        users = ", ".join(f"{claim.namespace}/{pod}" for pod in pods) or "no pod"
        told.append(f"{users} (claim {claim.namespace}/{claim.name})")
    return f"{device[2]} is in use by {'; '.join(told) or 'somebody'}"


def taint(of_device: DeviceTaint) -> str:
    """`KEY=VALUE:EFFECT`."""
    return f"{of_device.key}{f'={of_device.value}' if of_device.value else ''}:{of_device.effect}"


def _capacity(reason: DeviceReason) -> str:
    name, short = reason.device[2], reason.capacity
    if short is None or isinstance(short, str):
        return f"{name} has no capacity {short}"
    return f"{name} cannot give {short.taken} of {short.name}" + (": its policy forbids the amount" if short.violation else "")
