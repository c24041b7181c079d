"""Whatever people have of a cluster gives the same Snapshot."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from kubectl_dra.errors import InputError
from kubectl_dra.objects.snapshot import KINDS, ReadState, Snapshot
from kubectl_dra.progress import Event, ReadingKind
from kubectl_dra.reading import read_path
from tests.reading.conftest import environment
from tests.reading.manifests import Plain, api_list, compact, kubectl_json, kubectl_list, node, pod

Read = Callable[..., Snapshot]

PODS = [pod(f"pod-{index}") for index in range(400)]
NODES = [node("a"), node("b")]


def kubectl_yaml(value: object) -> str:
    return yaml.safe_dump(value)


def test_kubectls_json_and_yaml_the_servers_list_lines_and_arrays_are_equal(read: Read) -> None:
    of_kubectl = read(kubectl_json(kubectl_list(PODS)))
    assert [each.metadata.name for each in of_kubectl.pods] == [f"pod-{index}" for index in range(400)]
    for other in (
        read(kubectl_yaml(kubectl_list(PODS)), "cluster.yaml"),
        read("---\n".join(map(kubectl_yaml, PODS)), "documents.yaml"),
        read(compact(api_list(PODS))),
        read(kubectl_yaml(api_list(PODS)), "list.yaml"),
        read("\n".join(map(compact, PODS)), "lines.json"),
        read("".join(map(kubectl_json, PODS)), "documents.json"),
        read(kubectl_json(json.loads(compact(PODS))), "array.json"),
        read(kubectl_json(dict(sorted(api_list(PODS).items())))),
    ):
        assert other.pods == of_kubectl.pods


def test_the_ending_of_a_name_says_nothing_about_what_is_inside(read: Read) -> None:
    expected = read(kubectl_json(kubectl_list(PODS))).pods
    assert read(kubectl_yaml(kubectl_list(PODS)), "cluster.json").pods == expected
    assert read(gzip.compress(kubectl_json(kubectl_list(PODS)).encode()), "cluster.txt").pods == expected
    assert read(gzip.compress(kubectl_yaml(kubectl_list(PODS)).encode()), "cluster").pods == expected
    assert read(b"\xef\xbb\xbf \r\n" + kubectl_json(kubectl_list(PODS)).encode(), "bom").pods == expected
    assert read(b" " * 10_000 + kubectl_json(kubectl_list(PODS)).encode(), "spaces").pods == expected


def test_standard_input_is_read(read: Read) -> None:
    text = kubectl_json(kubectl_list(PODS)).encode()
    expected = read(text).pods
    for stdin in (text, gzip.compress(text)):
        snapshot = read_path("-", environment(stdin))
        assert snapshot.pods == expected
        assert snapshot.cluster.server == "standard input"


def test_several_kinds_in_one_list_find_their_places(read: Read) -> None:
    items = [node("a"), *PODS[:2], node("b"), PODS[2], {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}]
    for text in (kubectl_json(kubectl_list(items)), compact(kubectl_list(items))):
        snapshot = read(text)
        assert [each.metadata.name for each in snapshot.nodes] == ["a", "b"]
        assert [each.metadata.name for each in snapshot.pods] == ["pod-0", "pod-1", "pod-2"]


def test_a_kind_of_which_the_file_has_nothing_is_absent_and_an_empty_list_of_it_is_none(read: Read) -> None:
    snapshot = read(kubectl_json(kubectl_list(NODES)))
    assert (snapshot.nodes.state, snapshot.pods.state, snapshot.pods.reason) == (ReadState.READ, ReadState.ABSENT, "not in the file")
    snapshot = read(compact(api_list([])))
    assert (snapshot.pods.state, len(snapshot.pods), snapshot.nodes.state) == (ReadState.READ, 0, ReadState.ABSENT)
    assert read("apiVersion: v1\nkind: PodList\nitems: []\n").pods.known
    assert read('{"apiVersion": "v1", "kind": "PodList", "items": null}').pods.known


def test_a_group_tells_kinds_of_the_same_name_apart(read: Read) -> None:
    ours = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"parallelism": 1}}
    theirs = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "b"}, "spec": {"tasks": []}}
    snapshot = read(kubectl_json(kubectl_list([ours, theirs])))
    assert [each.metadata.name for each in snapshot.jobs] == ["a"]
    assert [each.metadata.name for each in snapshot.custom_workloads["Job.batch.volcano.sh"]] == ["b"]


def test_a_folder_is_read_with_its_folders_and_the_last_of_two_equal_names_counts(tmp_path: Path) -> None:
    newer = pod("pod-1", nodeName="node-z")
    (tmp_path / "a.json").write_text(kubectl_json(kubectl_list(PODS[:2])))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.yaml").write_text(kubectl_yaml(newer))
    (tmp_path / "nodes.yml.gz").write_bytes(gzip.compress(kubectl_yaml(NODES[0]).encode()))
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "notes.txt").write_text("{nothing")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "c.json").write_text("{nothing")
    snapshot = read_path(str(tmp_path), environment())
    assert [(each.metadata.name, each.spec.node_name) for each in snapshot.pods] == [("pod-0", "node-a"), ("pod-1", "node-z")]
    assert [each.metadata.name for each in snapshot.nodes] == ["a"]
    assert snapshot.cluster.server == str(tmp_path)


@pytest.mark.parametrize("form", [kubectl_json, kubectl_yaml])
def test_an_object_that_one_list_names_twice_is_one_object(read: Read, form: Callable[[Plain], str]) -> None:
    snapshot = read(form(kubectl_list([*PODS, NODES[0], *PODS, NODES[0]])))
    assert len(snapshot.pods) == len(PODS)
    assert len(snapshot.nodes) == 1


def test_a_broken_file_in_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(kubectl_json(kubectl_list(PODS)))
    (tmp_path / "b.json").write_text('{"apiVersion": "v1"')
    with pytest.raises(InputError, match=r"b\.json is cut short"):
        read_path(str(tmp_path), environment())


def test_a_folder_without_files_says_which_are_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no file that ends in \.json, \.yaml, \.yml"):
        read_path(str(tmp_path), environment())


def test_a_file_stands_for_the_moment_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(kubectl_json(kubectl_list(NODES)))
    os.utime(path, (1_767_225_600, 1_767_225_600))
    cluster = read_path(str(path), environment()).cluster
    assert (cluster.server, cluster.read_at, cluster.live, cluster.version) == (str(path), "2026-01-01T00:00:00Z", False, None)


def test_progress_is_told(read: Read, tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(kubectl_json(kubectl_list(PODS)))
    events: list[Event] = []
    read_path(str(path), environment(), observer=events.append)
    assert events[-1] == ReadingKind("objects", 400, done=True)


@pytest.mark.parametrize("count", [1, 400])
def test_texts_stay_texts_in_yaml(read: Read, count: int) -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n" + "".join(_pod_in_yaml(index) for index in range(count))
    snapshot = read(text, "cluster.yaml")
    assert len(snapshot.pods) == count
    for found in snapshot.pods:
        assert found.metadata.labels == {
            "version": "1.10",
            "on": "yes",
            "octal": "0755",
            "date": "2026-01-01",
            "quoted": "null",
            "1e3": "1_000",
            "inf": ".inf",
            "empty": "",
            "multi": "a\nb\n",
        }
        assert found.spec.priority == 10
        assert found.spec.containers is not None
        assert found.spec.containers[0].resources is not None
        assert found.spec.containers[0].resources.limits == {"example.com/gpu": "1", "memory": "1.5Ki", "cpu": "0.5"}
        assert found.metadata.deletion_timestamp is None
        assert found.metadata.controller is not None


def _pod_in_yaml(index: int) -> str:
    return f"""\
- apiVersion: v1
  kind: Pod
  metadata:
    name: pod-{index}
    deletionTimestamp: null
    labels: {{version: 1.10, on: yes, octal: 0755, date: 2026-01-01, quoted: "null", 1e3: 1_000, inf: .inf, empty: ""}}
    ownerReferences: [{{kind: Job, name: a, uid: u, controller: true}}]
  spec:
    # a comment
    priority: 10
    containers:
    - name: main
      resources: {{limits: {{example.com/gpu: 1, memory: 1.5Ki, cpu: 0.5}}}}
""".replace('empty: ""}', 'empty: "", multi: "a\\nb\\n"}')


def test_yaml_as_other_programs_write_it_is_cut_in_the_same_places(read: Read) -> None:
    item = """\
    - apiVersion: v1
      kind: Node
      metadata:
        name: NAME
        labels:
          text: |
            - x

            items:
"""
    indented = "kind: List\nitems: # all\n" + "".join(item.replace("NAME", f"n{index}") for index in range(5000))
    snapshot = read(indented + "apiVersion: v1\n", "cluster.yaml")
    assert [each.metadata.name for each in snapshot.nodes] == [f"n{index}" for index in range(5000)]
    assert {(each.metadata.labels or {})["text"] for each in snapshot.nodes} == {"- x\n\nitems:\n"}


def test_anchors_hold_across_a_long_list(read: Read) -> None:
    nodes = "".join(f"- {{apiVersion: v1, kind: Node, metadata: {{name: n{index}, labels: *shared}}}}\n" for index in range(10_000))
    text = f"apiVersion: v1\nkind: List\nmetadata: {{labels: &shared {{a: b}}}}\nitems:\n{nodes}"
    assert {tuple((each.metadata.labels or {}).items()) for each in read(text).nodes} == {(("a", "b"),)}


def test_yaml_with_windows_line_ends_and_document_marks(read: Read) -> None:
    text = "--- # first\r\n" + kubectl_yaml(NODES[0]).replace("\n", "\r\n") + "...\r\n---\r\n" + kubectl_yaml(NODES[1]) + "---\n---\n"
    assert [each.metadata.name for each in read(text).nodes] == ["a", "b"]


def test_more_than_20_mb_of_yaml_is_refused_with_advice(read: Read) -> None:
    with pytest.raises(InputError, match="more than 20 MB of YAML") as told:
        read("apiVersion: v1\nkind: List\nitems:\n" + "# filler\n" * 2_400_000)
    assert "-o json" in told.value.hint


def test_every_kind_is_found_by_the_name_kubectl_gives_it(read: Read) -> None:
    from kubectl_dra.reading.kinds import ALL

    items: list[Plain] = [{"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "x"}} for kind in ALL]
    snapshot = read(kubectl_json(kubectl_list(items)))
    for field in KINDS:
        assert [each.metadata.name for each in getattr(snapshot, field)] == ["x"], field
    assert {kind.field: kind.kind for kind in ALL} == dict(KINDS)
    # A list of one kind takes another way through the decoder, and must come out the same.
    for kind, item in zip(ALL, items, strict=True):
        for text in (kubectl_json(kubectl_list([item, item])), kubectl_json(item), compact(api_list([item], kind.kind, kind.api_version))):
            [*alone] = getattr(read(text), kind.field)
            assert {type(each) for each in alone} == {kind.struct}
            assert set(map(repr, alone)) == set(map(repr, getattr(snapshot, kind.field)))
