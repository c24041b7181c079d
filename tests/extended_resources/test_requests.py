"""Devices of pods against upstream's createRequestsAndMappings and PodRequests (vectors/requests-mappings.json)."""

import json
from pathlib import Path
from typing import TypedDict

import msgspec
import pytest

from kubectl_dra.extended_resources.requests import Request, claim_requests, devices, scalar_requests
from kubectl_dra.objects.pod import Container, Pod, PodSpec, RequestMapping, ResourceRequirements
from tests.factories import GPU, container, pod_spec


class Row(TypedDict):
    pod: object
    nameToClass: dict[str, str]
    requests: list[dict[str, object]] | None
    mappings: list[dict[str, str]] | None
    devicesTotal: int
    devicesPerClass: dict[str, int]
    podScalarRequests: dict[str, int]


VECTORS: list[Row] = json.loads((Path(__file__).parents[1] / "vectors" / "requests-mappings.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", VECTORS, ids=[f"p{index}" for index in range(len(VECTORS))])
def test_every_answer_is_that_of_upstream(row: Row) -> None:
    spec = msgspec.convert(row["pod"], Pod).spec
    answer = claim_requests(spec, row["nameToClass"])
    assert [_request(each) for each in answer.requests] == (row["requests"] or [])
    assert [_mapping(each) for each in answer.mappings] == (row["mappings"] or [])
    assert answer.devices == row["devicesTotal"]
    assert answer.devices_by_class() == row["devicesPerClass"]
    assert scalar_requests(spec) == row["podScalarRequests"]


def _request(request: Request) -> dict[str, object]:
    exactly = {"deviceClassName": request.device_class_name, "allocationMode": "ExactCount", "count": request.count}
    return {"name": request.name, "exactly": exactly}


def _mapping(mapping: RequestMapping) -> dict[str, str]:
    return {"containerName": mapping.container_name, "resourceName": mapping.resource_name, "requestName": mapping.request_name}


def test_all_vectors_are_here() -> None:
    assert len(VECTORS) == 60


def test_containers_add_up_and_init_containers_come_before_them() -> None:
    spec = PodSpec(containers=(container("a", gpu=2), container("b", gpu=1)), init_containers=(container("prepare", gpu=4),))
    assert devices(spec) == {GPU: 4}


def test_a_sidecar_runs_beside_the_containers() -> None:
    sidecar = Container("cache", resources=ResourceRequirements({GPU: 1}, {GPU: 1}), restart_policy="Always")
    spec = PodSpec(containers=(container("a", gpu=2),), init_containers=(sidecar, container("prepare", gpu=1)))
    assert devices(spec) == {GPU: 3}


def test_limits_count_where_a_template_has_no_requests() -> None:
    spec = PodSpec(containers=(Container("a", resources=ResourceRequirements(None, {GPU: 2})),))
    assert devices(spec) == {GPU: 2}
    assert claim_requests(spec, {GPU: "gpu"}).devices == 2


@pytest.mark.parametrize(("text", "count"), [("1k", 1000), ("1.5Ki", 1536), (2, 2), (2.0, 2), ("2000m", 2)])
def test_quantities_are_exact(text: str | int | float, count: int) -> None:
    assert devices(pod_spec(text)) == {GPU: count}
    assert claim_requests(pod_spec(text), {GPU: "gpu"}).devices == count


def test_zero_and_what_is_no_quantity_ask_for_nothing() -> None:
    assert devices(pod_spec(0)) == devices(pod_spec("many")) == {}


def test_explicit_and_implicit_names_are_counted_separately() -> None:
    implicit = "deviceclass.resource.kubernetes.io/gpu"
    assert devices(pod_spec(1, {implicit: 2})) == {GPU: 1, implicit: 2}


def test_a_fraction_of_an_implicit_name_counts_as_one_but_makes_no_request() -> None:
    implicit = "deviceclass.resource.kubernetes.io/gpu"
    assert devices(pod_spec(resources={implicit: "500m"})) == {implicit: 1}
    assert claim_requests(pod_spec(resources={implicit: "500m"}), {implicit: "gpu"}).requests == ()


def test_pods_without_anything() -> None:
    assert devices(PodSpec()) == {}
    assert claim_requests(PodSpec(), {GPU: "gpu"}).mappings == ()
