"""What a preflight has to know beside a reading of the cluster: it takes requests of its own. Null means that nobody looked."""

import msgspec


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """`missing` are permissions that a later step needs and the user lacks, as `VERB RESOURCE[ in NAMESPACE]`.

    `refused` is what the server answered to the canary (and what belongs to it) in a server dry run; empty: nothing against it.
    `canary_image` is the image that the canary would have; empty: none was found on the node. `topology_manager` is the kubelet's policy.
    """

    missing: tuple[str, ...] | None = None
    refused: tuple[str, ...] | None = None
    canary_image: str | None = None
    topology_manager: str | None = None


NOTHING_KNOWN = Facts()
