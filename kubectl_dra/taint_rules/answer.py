"""What the eviction controller says of a rule with the effect None, read softly: its words may change; then there are no numbers (pure).

Source: kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go (maybeUpdateRuleStatus), the same in 1.35 to 1.37.
"""

import re
from collections.abc import Iterator

import msgspec

from kubectl_dra.taint_rules.document import Counts, TaintPreview

_MESSAGE = re.compile(
    r"(\d+) published devices? selected\. (\d+) allocated devices? selected\. (\d+) pods? would be evicted in (\d+)"
    r" (?:different namespaces|namespace) if the effect was NoExecute\.",
    re.ASCII,
)


class ProbeAnswer(msgspec.Struct, frozen=True):
    """The cluster's numbers, or why there are none."""

    counts: Counts | None
    reason: str = ""


def read_message(message: str) -> ProbeAnswer:
    """The numbers in a condition's message."""
    found = _MESSAGE.match(message)
    if found is None:
        return ProbeAnswer(None, f"the cluster's answer has a form that is not known here: {message}")
    published, allocated, pods, namespaces = map(int, found.groups())
    return ProbeAnswer(Counts(published, allocated, pods, namespaces))


def differences(before: TaintPreview, after: TaintPreview | None) -> Iterator[str]:
    """Why the cluster says other numbers than the preview. `after` is the same preview of a reading made after the cluster's answer."""
    probe = before.probe
    if probe is None or probe == before.client:
        return
    if None in (before.client.published_devices, before.client.allocated_devices, before.client.pods):
        yield "the numbers differ, because not all could be read here: the cluster's are the right ones"
        return
    if after is not None and after.client == probe:
        yield "the cluster has changed between the two answers: a second reading gives its numbers"
        return
    special = sum(1 for pod in before.pods if pod.extended_resource)
    if probe.pods is not None and before.client.pods is not None and probe.pods == before.client.pods - special and special:
        yield (
            f"{special} of the pods have extended resources: the cluster's controller is older than 1.37.2, and neither counts nor evicts"
            " them"
        )
        return
    yield "the numbers differ, and nothing that is known here explains it: go by the cluster's, and please report this"
