"""Names against upstream's functions (vectors/names.json)."""

import json
from pathlib import Path
from typing import TypedDict

import pytest

from kubectl_dra.extended_resources.names import (
    class_of_implicit_name,
    implicit_name,
    implicit_name_usable,
    is_dra_extended_resource_name,
    is_extended_resource_name,
    is_scalar_resource_name,
)


class Row(TypedDict):
    name: str
    isDRAExtendedResourceName: bool
    isExtendedResourceName: bool
    isScalarResourceName: bool


VECTORS: list[Row] = json.loads((Path(__file__).parents[1] / "vectors" / "names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: repr(row["name"])[:40])
def test_every_answer_is_that_of_upstream(row: Row) -> None:
    assert is_dra_extended_resource_name(row["name"]) is row["isDRAExtendedResourceName"]
    assert is_extended_resource_name(row["name"]) is row["isExtendedResourceName"]
    assert is_scalar_resource_name(row["name"]) is row["isScalarResourceName"]


def test_all_vectors_are_here() -> None:
    assert len(VECTORS) == 32


def test_implicit_names() -> None:
    assert implicit_name("gpu.example.com") == "deviceclass.resource.kubernetes.io/gpu.example.com"
    assert class_of_implicit_name("deviceclass.resource.kubernetes.io/gpu.example.com") == "gpu.example.com"
    assert class_of_implicit_name("example.com/gpu") is None


def test_a_pod_cannot_write_the_implicit_name_of_a_class_with_a_long_name() -> None:
    assert implicit_name_usable("a" * 63)
    assert not implicit_name_usable("a" * 64)
