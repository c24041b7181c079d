"""All CEL vectors: values, types, errors with their texts, costs and their estimates, as upstream gave them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.allocation.cel.asking import as_upstream

_FILE = Path(__file__).parents[2] / "vectors" / "cel-vectors.jsonl"
_VECTORS = [msgspec.json.decode(line) for line in _FILE.read_bytes().splitlines()]

_BY_CHANCE = {
    'device.attributes.exists(d, d == "other.example.com")',
    'device.attributes.exists(d, m, "model" in m)',
}
"""Their cost depends on the order in which upstream runs through a map, which is random. The vectors have the cost of one run."""


def test_there_are_as_many_as_there_were() -> None:
    assert len(_VECTORS) == 283


@pytest.mark.parametrize("vector", _VECTORS, ids=[vector["expression"][:80] for vector in _VECTORS])
def test_vector(vector: dict[str, Any]) -> None:
    wanted = dict(vector["expect"])
    found = as_upstream(vector["expression"], vector["device"], vector["driver"])
    if "cost" in found and found["cost"] is None and vector["expression"] in _BY_CHANCE:
        wanted["cost"] = None
    assert found == wanted
