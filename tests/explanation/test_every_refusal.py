"""Random clusters: whatever is in the way, it is told, node by node; where a node would take the pod, nothing is."""

from random import Random

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kubectl_dra.allocation.documents import Question
from kubectl_dra.allocation.failure import AllocationError
from kubectl_dra.explanation.document import Explanation
from kubectl_dra.explanation.pod import explain
from kubectl_dra.objects.pod import Pod, PodResourceClaim, PodSpec
from kubectl_dra.objects.resource import ResourceClaim
from tests.allocation.clusters import Clusters
from tests.factories import container, meta, snapshot

TRIED = 300


def explained(question: Question) -> Explanation | None:
    """A pod with the document's claims on its nodes; None for quantities that are none."""
    claims = tuple(map(in_default, question.claims or ()))
    named = tuple(PodResourceClaim(f"c{number}", each.metadata.name) for number, each in enumerate(claims))
    pod = Pod(meta("train", "default"), PodSpec((container("main"),), resource_claims=named))
    nodes = question.nodes or ((question.node,) if question.node is not None else ())
    objects = (*nodes, *(question.slices or ()), *(question.classes or ()), *claims, *map(in_default, question.allocated or ()))
    cluster = snapshot(pod, *objects, device_taint_rules=question.taint_rules or ())
    steps = iter(range(100_000))
    try:
        return explain(cluster, pod, devices=True, expired=lambda: next(steps, None) is None)
    except AllocationError:
        return None


def in_default(claim: ResourceClaim) -> ResourceClaim:
    return replace(claim, metadata=replace(claim.metadata, namespace="default"))


@settings(max_examples=max(TRIED, settings().max_examples), phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_every_refusal_has_a_reason_and_no_other_verdict_has(seed: int) -> None:
    document = Clusters(Random(seed)).document()  # noqa: S311 - no secret
    found = explained(msgspec.convert(document, Question, strict=False))
    for node in found.nodes if found is not None else ():
        assert (node.verdict, bool(node.reasons)) in (("fits", False), ("no", True), ("error", True), ("unknown", True)), node
    if found is not None and found.verdict in ("waits", "fails", "held"):
        assert found.reasons
