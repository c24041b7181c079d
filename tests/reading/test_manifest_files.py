"""Manifests as people write them: several in a file, lists, merge keys, templates, overlays; each with its place."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kubectl_dra.errors import InputError
from kubectl_dra.objects.manifests import ManifestKey, Manifests
from kubectl_dra.reading.manifest_files import read_manifests
from tests.reading.conftest import environment

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Manifests]:
    """Reads a folder with these files."""

    def read(files: Mapping[str, str], **options: str) -> Manifests:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return read_manifests(str(tmp_path), environment=environment(), **options)  # type: ignore[arg-type]

    return read


def lines(found: Manifests) -> list[tuple[str, int]]:
    """Names with their lines, of the first layer."""
    return [(key.name, place.line) for key, place in found.layers[0].places.items()]


def test_each_document_has_the_line_on_which_its_object_begins(folder: Callable[..., Manifests]) -> None:
    text = "# licence\n\n" + POD % "a" + "--- # the second\n" + POD % "b" + "---\n\n# why\n" + POD % "c" + "...\n---\n"
    assert lines(folder({"a.yaml": text})) == [("a", 3), ("b", 7), ("c", 13)]


def test_items_of_a_list_have_lines_of_their_own(folder: Callable[..., Manifests]) -> None:
    first, second = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n", "- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n"
    items = f"apiVersion: v1\nkind: List\nitems:\n{first}{second}"
    assert lines(folder({"a.yaml": POD % "first" + "---\n" + items})) == [("first", 1), ("a", 8), ("b", 11)]


def test_a_list_of_one_kind_tells_it_for_its_items(folder: Callable[..., Manifests]) -> None:
    assert lines(folder({"a.yaml": "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n"})) == [("a", 4)]


def test_json_one_object_several_and_a_list(folder: Callable[..., Manifests]) -> None:
    pod = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"}}'
    text = f'{pod % "a"}\n\n{pod % "b"}\n{{"apiVersion": "v1", "kind": "List", "items": [{pod % "c"}]}}\n'
    assert lines(folder({"a.json": text})) == [("a", 1), ("b", 3), ("c", 4)]


def test_merge_keys_and_aliases_are_followed(folder: Callable[..., Manifests]) -> None:
    text = """
x-one: &one {limits: {a/b: 1, c/d: 1}}
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - {name: a, resources: {<<: *one, limits: {a/b: 2}}}
  - {name: b, resources: {<<: *one}}
  - {name: c, resources: {<<: [{limits: {e/f: 3}}, *one]}}
"""
    (pod,) = folder({"a.yaml": text}).layers[0].snapshot.pods
    limits = [container.resources.limits for container in pod.spec.containers or () if container.resources]
    assert limits == [{"a/b": "2"}, {"a/b": "1", "c/d": "1"}, {"e/f": "3"}]


def test_maps_that_are_merged_into_themselves_end(folder: Callable[..., Manifests]) -> None:
    found = folder({"a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: &m\n  name: a\n  <<: *m\n", "b.yaml": POD % "b"})
    assert len(found.unread) == 1
    assert lines(found) == [("b", 1)]


def test_several_manifests_of_one_object_stand_in_layers(folder: Callable[..., Manifests]) -> None:
    found = folder({"base/p.yaml": POD % "p", "prod/p.yaml": POD % "p" + "---\n" + POD % "q"})
    assert [[(key.name, Path(place.file).parent.name) for key, place in layer.places.items()] for layer in found.layers] == [
        [("p", "base"), ("q", "prod")],
        [("p", "prod")],
    ]
    assert (found.files, found.objects) == (2, 3)


def test_kinds_of_one_name_and_different_groups_are_different_objects(folder: Callable[..., Manifests]) -> None:
    ours = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n"
    theirs = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n"
    (layer,) = folder({"a.yaml": ours + "---\n" + theirs}).layers
    assert list(layer.places) == [ManifestKey("batch", "Job", "", "j"), ManifestKey("batch.volcano.sh", "Job", "", "j")]


def test_what_names_no_namespace_gets_the_one_asked_for(folder: Callable[..., Manifests]) -> None:
    named = "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: own}\n"
    class_ = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\n"
    found = folder({"a.yaml": POD % "a" + "---\n" + named + "---\n" + class_}, namespace="team")
    assert [(key.name, key.namespace) for key in found.layers[0].places] == [("a", "team"), ("b", "own"), ("c", "")]


def test_a_name_that_the_server_is_to_make_is_told_by_its_beginning(folder: Callable[..., Manifests]) -> None:
    found = folder({"a.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: tune-}\n"})
    assert [job.metadata.name for job in found.layers[0].snapshot.jobs] == ["tune-"]


def test_what_is_no_manifest_is_passed_over(folder: Callable[..., Manifests]) -> None:
    others = {
        "values.yaml": "image: x\ntags: [{{ .a }}\n",
        "kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n",
        "service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n",
        "rules.yaml": "groups: [{name: a, expr: '{{ $value }}'}]\n",
        "notes.txt": "apiVersion: {{",
        ".hidden.yaml": "apiVersion: {{",
    }
    found = folder({**others, "pod.yaml": POD % "a"})
    assert (lines(found), found.unread) == ([("a", 1)], ())


def test_a_document_that_cannot_be_read_does_not_keep_the_others_from_it(folder: Callable[..., Manifests], tmp_path: Path) -> None:
    text = (
        POD % "a"
        + "---\napiVersion: v1\nkind: Pod\nmetadata: [\n---\n"
        + POD % "b"
        + "---\napiVersion: v1\nkind: Pod\nspec: {containers: 3}\n"
    )
    found = folder({"a.yaml": text})
    assert lines(found) == [("a", 1), ("b", 9)]
    assert found.unread == (
        f"{tmp_path}/a.yaml:5 is not YAML: did not find expected node content (line 8)",
        f"{tmp_path}/a.yaml:13 is no Pod as Kubernetes has it: Pod without a name: .spec.containers: expected `array | null`, got `str`",
    )


@pytest.mark.parametrize(
    "body", ["  name: {{ .Values.name }}\n", "{{- if .Values.on }}\n  name: a\n{{- end }}\n", "  name: a\nspec: {{ toYaml .x }}\n"]
)
def test_a_template_that_was_not_rendered_is_told_as_one(folder: Callable[..., Manifests], tmp_path: Path, body: str) -> None:
    found = folder({"a.yaml": f"apiVersion: v1\nkind: Pod\nmetadata:\n{body}"})
    assert found.unread == (
        f"{tmp_path}/a.yaml:1 is a template that was not rendered (helm template CHART | kubectl dra audit --manifests -)",
    )


def test_text_in_braces_is_fine_where_it_belongs(folder: Callable[..., Manifests]) -> None:
    text = POD % "a" + "spec: {containers: [{name: main, command: ['{{inputs.parameters.x}}']}]}\n"
    assert folder({"a.yaml": text}).unread == ()


def test_a_file_that_was_named_has_to_be_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(POD % "a" + "---\napiVersion: v1\nkind: [\n")
    with pytest.raises(InputError, match=r"a.yaml:5 is not YAML"):
        read_manifests(str(path), environment=environment())


def test_standard_input(tmp_path: Path) -> None:
    found = read_manifests("-", environment=environment((POD % "a").encode()))
    assert [(key.name, place.file, place.line) for key, place in found.layers[0].places.items()] == [("a", "-", 1)]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has no file that ends in .yaml, .yml, .json"),
        ({"a.yaml": "a: 1\n"}, "has no Kubernetes manifest"),
        (None, "cannot be read: No such file"),
    ],
)
def test_where_nothing_can_be_found_nothing_is_judged(tmp_path: Path, files: dict[str, str] | None, message: str) -> None:
    for name, text in (files or {}).items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_manifests(str(tmp_path / "none.yaml" if files is None else tmp_path), environment=environment())


def test_what_is_no_text_is_told(folder: Callable[..., Manifests], tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_bytes(b"apiVersion: \xff\xfe")
    assert folder({"a.yaml": POD % "a"}).unread == (f"{tmp_path}/b.yaml:1 is not UTF-8 (byte 12)",)
