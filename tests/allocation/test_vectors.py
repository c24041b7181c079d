"""Answers of upstream's allocator, recorded: every one is ours, too, whole."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.allocation.asking import ask

VECTORS = [
    msgspec.json.decode(line) for line in (Path(__file__).parents[1] / "vectors" / "allocator-vectors.jsonl").read_bytes().splitlines()
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["input"]["id"])
def test_vector(vector: dict[str, Any]) -> None:
    assert ask(vector["input"]) == {**vector["expect"], "id": vector["input"]["id"]}
