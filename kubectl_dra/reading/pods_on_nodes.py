"""The pods of a few nodes, where those of all would be many times more."""

from collections.abc import Iterable
from typing import Any

from kubectl_dra.cluster.discovery import Discovery
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.snapshot import KindReading, ReadState
from kubectl_dra.reading.decoding import Decoder
from kubectl_dra.reading.fetching import Fetching, Gets
from kubectl_dra.reading.kinds import BY_FIELD, api_version
from kubectl_dra.reading.live import best, rule
from kubectl_dra.reading.pages import Listing


def read_pods_on(transport: Gets, discovery: Discovery, nodes: Iterable[str]) -> KindReading[Pod]:
    """The pods that are bound to these nodes. If those of one node cannot be read, the whole reading says so and has none.

    Raises what is no answer of a server: the transport's faults of use.
    """
    kind = BY_FIELD["pods"]
    served = best(discovery, kind)
    if served is None:
        return KindReading(state=ReadState.UNSERVED, reason="the server does not serve pods")
    version, share = api_version(kind.group, served.version), Sharing()
    path = f"{served.prefix}/{served.plural}"
    listings = {
        node: Listing(
            served.plural,
            path,
            Decoder(kind, served.version, share).items,
            query={"fieldSelector": f"spec.nodeName={node}"},
            rule=rule(kind.group, served.plural),
            api_version=version,
        )
        for node in nodes
    }
    fetching: Fetching[str] = Fetching(transport)
    for node, listing in listings.items():
        fetching.ask(node, listing.first())
    for node, answer in fetching.answers():
        following = listings[node].take(answer)
        if following is not None:
            fetching.ask(node, following)
        listings[node].decode()
    readings: list[KindReading[Any]] = [listing.reading() for listing in listings.values()]
    failed = next((each for each in readings if each.state is not ReadState.READ), None)
    if failed is not None:
        return KindReading(state=failed.state, reason=failed.reason, api_version=version)
    return KindReading(tuple(pod for each in readings for pod in each), api_version=version)
