"""What can stand in the way on a node, by code, and the sentence that is true of all nodes where it does."""

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    # before devices are looked at
    "cordoned": "the node is cordoned",
    "other-node": "the pod names the node {subject}",
    "node-taint": "the node's taint {subject} is not tolerated",
    "node-affinity": "the pod's node selector or node affinity does not match",
    "insufficient": "not enough {subject} is left",
    "plugin-used-up": "the device plugin has not enough {subject} left",
    "not-served": "nobody serves {subject} there: no device plugin offers it on the node, and no class maps it",
    "claim-elsewhere": "the claim {subject} is allocated, and cannot be used from this node",
    "claims-and-plugin": (
        "the scheduler cannot bind a pod that has claims of its own where a device plugin serves {subject} and a class maps it, too"
    ),
    # devices
    "no-devices": "no driver has devices for the node",
    "incomplete-pool": "a pool of {subject} is not complete, so nothing of it is given out",
    "invalid-pool": "a pool of {subject} is not valid, so nothing of it is given out",
    "not-selected": "class {subject} selects none of the node's devices",
    "not-selected-by-request": "request {subject} selects none of its class' devices on the node",
    "too-few": "the node has fewer devices of class {subject} than are asked for",
    "in-use": "too many devices of class {subject} are in use",
    "device-tainted": "devices of class {subject} are tainted",
    "capacity": "devices of class {subject} have too little capacity left",
    "counters": "counters that devices of class {subject} share are used up",
    "device-not-usable": "devices of class {subject} cannot be used here",
    "constraint": "no devices together satisfy the constraint on {subject}",
    "together": "each request of the pod can be met by itself, all of them together cannot",
    # errors, which end the attempt on all nodes
    "too-many-devices": "one claim cannot have more than 32 devices, and a pod's extended resources come from one claim",
    "selector-fails": "a selector of {subject} fails on a device",
    "all-of-unready-pool": "the claim asks for all devices, and a pool is not ready",
    "error": "the allocation fails",
    "undecided": "it cannot be told",
}


_RANKS: Mapping[str, int] = {code: -place for place, code in enumerate(SENTENCES)}


def rank(code: str) -> int:
    """The lower, the nearer a node with this reason is to taking the pod: that its devices are in use tells more than that it has none."""
    return _RANKS[code]


def sentence(code: str, subject: str = "") -> str:
    """What is so on every node with this reason."""
    return SENTENCES[code].format(subject=subject)
