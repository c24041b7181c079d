"""Our allocator against upstream's own, on random clusters: devices, shares, node selectors, errors, scores, even the number of steps.

`HYPOTHESIS_PROFILE=fuzz` runs it for long.
"""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kubectl_dra.allocation.features import Implementation, implementation
from kubectl_dra.allocation.protocol import features
from tests.allocation.agreeing import comparable, timed_out, undecided
from tests.allocation.asking import ask
from tests.allocation.clusters import Clusters
from tests.allocation.shrinking import smallest

DOCUMENTS = 3000
MILLIS = 500
"""For each allocation, on either side: what takes longer is not compared."""
Ask = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def upstream(oracle: Path) -> Iterator[Ask]:
    """Asks upstream's code."""
    with subprocess.Popen([oracle], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        into, out = process.stdin, process.stdout

        def ask_upstream(document: dict[str, Any]) -> dict[str, Any]:
            into.write(msgspec.json.encode(document) + b"\n")
            into.flush()
            found: dict[str, Any] = msgspec.json.decode(out.readline())
            return found

        yield ask_upstream
        into.close()


def differs(document: dict[str, Any], upstream: Ask) -> bool:
    """Whether the answers to a document are not the same; nothing is compared where we say that we cannot tell.

    Upstream's tracker puts rules' taints on devices in its own time, and once in 100,000 documents not in time: it is asked again.
    """
    return all(_differs(document, upstream) for _ in range(3 if "taintRules" in document else 1))


def _differs(document: dict[str, Any], upstream: Ask) -> bool:
    theirs, ours = upstream(document), ask(document)
    if undecided(ours) or timed_out(ours) or timed_out(theirs) or "input" in (ours.get("errorKind"), theirs.get("errorKind")):
        return False
    stable = implementation(features(document.get("features") or {})) is Implementation.STABLE
    return bool(comparable(ours, steps=not stable) != comparable(theirs, steps=not stable))


@settings(max_examples=max(DOCUMENTS, settings().max_examples), phases=[Phase.generate])
@given(st.integers(0, 2**63))
def test_random_clusters(upstream: Ask, seed: int) -> None:
    document = {**Clusters(Random(seed)).document(), "timeoutMillis": MILLIS}  # noqa: S311 - no secret
    if differs(document, upstream):
        small = smallest(document, lambda each: differs(each, upstream))
        assert comparable(ask(small)) == comparable(upstream(small)), msgspec.json.encode(small).decode()
