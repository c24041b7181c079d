"""Whatever stands in a file, reading manifests ends with objects, a sentence, or an InputError."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kubectl_dra.errors import InputError
from kubectl_dra.reading.manifest_files import read_manifests
from tests.reading.conftest import environment

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
KEYS = st.sampled_from(
    [
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "generateName",
        "items",
        "spec",
        "template",
        "containers",
        "resources",
        "limits",
    ]
)
KINDS = st.sampled_from(["Pod", "PodList", "List", "Deployment", "Job", "DeviceClass", "JobSet", "ConfigMap", "CronJob"])
VERSIONS = st.sampled_from(["v1", "apps/v1", "batch/v1", "resource.k8s.io/v1", "jobset.x-k8s.io/v1alpha2", "x/y/z", ""])
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)
OBJECTS = st.builds(
    lambda body, kind, version: {**body, "kind": kind, "apiVersion": version}, st.dictionaries(KEYS, VALUES), KINDS, VERSIONS
)
TEXT = st.text(alphabet=st.sampled_from("{}[]:-&*<#%|>\n \t'\"!abk1.~,?"), max_size=40)


def read(text: str) -> None:
    try:
        found = read_manifests("-", environment=environment(text.encode()))
    except InputError as error:
        assert error.message
        return
    assert all(place.line >= 1 for layer in found.layers for place in layer.places.values())


@given(st.lists(OBJECTS | VALUES, min_size=1, max_size=3))
def test_any_json(documents: list[object]) -> None:
    read("\n".join(map(json.dumps, documents)))
    read("\n---\n".join(map(json.dumps, documents)).replace("{", "\n{", 1))


@given(st.lists(TEXT, max_size=4))
def test_any_yaml(parts: list[str]) -> None:
    read("apiVersion: v1\nkind: Pod\n" + "\n---\n".join(parts))


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    try:
        read_manifests("-", environment=environment(data))
    except InputError as error:
        assert error.message


def test_a_deep_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "deep.yaml").write_text("apiVersion: v1\nkind: Pod\nspec: " + "[" * 5000 + "]" * 5000)
    (tmp_path / "deep.json").write_text('{"apiVersion": "v1", "kind": "Pod", "spec": ' + "[" * 100_000 + "]" * 100_000 + "}")
    unread = read_manifests(str(tmp_path), environment=environment()).unread
    assert [text.split(":")[0].rpartition("/")[2] for text in unread] == ["deep.json", "deep.yaml"]
