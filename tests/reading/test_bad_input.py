"""Bad files: each gets one clear line that names the file and, where there is one, the object."""

import errno
import gzip
import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from kubectl_dra.errors import InputError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import read_path
from kubectl_dra.reading.json_cutter import LARGEST_OBJECT
from tests.reading.conftest import environment
from tests.reading.manifests import Plain, api_list, compact, kubectl_json, kubectl_list, node, pod

Read = Callable[..., Snapshot]

PODS = [pod(f"pod-{index}") for index in range(400)]
LIST = kubectl_json(kubectl_list(PODS)).encode()


def told(read: Read, content: bytes | str, name: str = "cluster.json") -> str:
    with pytest.raises(InputError) as error:
        read(content, name)
    assert error.value.status is ExitStatus.CLUSTER
    message = error.value.message
    assert "\n" not in message
    start, _, rest = message.partition(name)
    assert start.startswith("/"), message
    return rest


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"^/nowhere/cluster.json cannot be read: No such file or directory$"):
        read_path("/nowhere/cluster.json", environment())


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"", mtime=0), gzip.compress(b" \n" * 5000, mtime=0), b"\xef\xbb\xbf"])
def test_an_empty_file(read: Read, content: bytes) -> None:
    assert told(read, content) == " is empty"


def test_a_comment_alone(read: Read) -> None:
    assert told(read, "# nothing\n---\n") == " holds no objects"


@pytest.mark.parametrize("length", [1, 100, 5_000, len(LIST) // 2, len(LIST) - 3])
def test_a_truncated_file(read: Read, length: int) -> None:
    assert " is cut short: it ends in the middle of " in told(read, LIST[:length])


@pytest.mark.parametrize("length", [12, 30, 2_000])
def test_gzip_cut_short(read: Read, length: int) -> None:
    packed = gzip.compress(LIST, compresslevel=1)
    assert len(packed) > 2_000
    assert told(read, packed[:length]).startswith(" is cut short")


def test_damaged_gzip(read: Read) -> None:
    packed = bytearray(gzip.compress(LIST))
    packed[len(packed) // 2] ^= 0xFF
    packed[-6] ^= 0xFF
    assert told(read, bytes(packed)).startswith((" begins like gzip but is damaged", " is not JSON", " is cut short"))
    assert told(read, b"\x1f\x8b\x00\x00garbage").startswith(" begins like gzip but is damaged")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hello", " is no list of Kubernetes objects: it holds text, not objects"),
        ("<html><body>503</body></html>", " is no list of Kubernetes objects: it holds text, not objects"),
        ("NAME   READY\npod    1/1\n", " is no list of Kubernetes objects: it holds text, not objects"),
        ("42", " is no list of Kubernetes objects: it holds text, not objects"),
        ("{a: b}", " is not JSON as Kubernetes writes it: JSON is malformed: object keys must be strings (byte 1)"),
        ('{"a": tru}', " is not JSON as Kubernetes writes it: JSON is malformed: invalid character (byte 7)"),
        ('{"a": 1}}', " is not JSON as Kubernetes writes it: JSON is malformed: invalid character (byte 0)"),
        ("[1, 2]", None),
        ("[null]", None),
        ("a: b: c", " is neither JSON nor YAML: mapping values are not allowed in this context"),
        ("a: [b", " is neither JSON nor YAML: "),
        ("a: &x\n b: *y", " is neither JSON nor YAML: found undefined alias"),
        (b"\x80abc", " is neither JSON nor YAML: byte 0 is not UTF-8"),
        (b"\x7fELF\0\0\0\0", " is neither JSON nor YAML but binary data"),
        (
            b'{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "\xff"}}',
            " is not JSON as Kubernetes writes it: Invalid UTF-8 encoded string",
        ),
    ],
)
def test_not_json_and_not_yaml(read: Read, content: bytes | str, expected: str | None) -> None:
    message = told(read, content)
    assert expected is None or message.startswith(expected), message


def test_other_kinds_only_are_named(read: Read) -> None:
    items = [{"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}} for kind in ("Secret", "ConfigMap", "Secret")]
    expected = " holds no objects of a kind that this tool reads (found: 2 Secret, 1 ConfigMap)"
    assert told(read, kubectl_json(kubectl_list(items))) == expected
    assert told(read, json.dumps({"foo": {"bar": 1}})) == " holds no objects of a kind that this tool reads (found: 1 without a kind)"
    assert told(read, json.dumps(kubectl_list([]))) == " holds no objects"
    assert told(read, "replicas: 1\nimage: x\n") == " holds no objects of a kind that this tool reads (found: 1 without a kind)"


@pytest.mark.parametrize("unit", [b"\0", b"null,", b"null ", b"[", b'{"a":'])
@pytest.mark.parametrize("packed", [False, True])
def test_10_mb_of_nothing(read: Read, unit: bytes, packed: bool) -> None:
    content = (b"[" if unit == b"null," else b"") + unit * (10_000_000 // len(unit))
    message = told(read, gzip.compress(content, compresslevel=1) if packed else content)
    assert (
        "binary data" in message
        or "no list of Kubernetes objects" in message
        or "not JSON" in message
        or "nested" in message
        or "cut short" in message
    )


class Zeros:
    """As much of one byte as anybody reads, counted."""

    def __init__(self, start: bytes, unit: bytes, size: int) -> None:
        self.left = size
        self.given = 0
        self._start = start
        self._unit = unit

    def read(self, size: int = -1) -> bytes:
        block = (self._start + self._unit * (size // len(self._unit) + 1))[: min(size, self.left)]
        self._start = b""
        self.left -= len(block)
        self.given += len(block)
        return block


@pytest.mark.parametrize(
    ("start", "unit", "most"),
    [
        (b"", b"\0", 1 << 20),
        (b"[", b"null,", 16 << 20),
        (b'{"items":[', b"null,", 16 << 20),
        (b'{"a":[', b"null,", 2 * LARGEST_OBJECT + (16 << 20)),
        (b"[{},", b"null,", 2 * LARGEST_OBJECT + (16 << 20)),
        (b"", b"a\n", 21 << 20),
    ],
)
def test_a_gigabyte_of_nothing_is_given_up_early(start: bytes, unit: bytes, most: int) -> None:
    from kubectl_dra.progress import nobody
    from kubectl_dra.reading import files
    from kubectl_dra.reading.collecting import Collector
    from kubectl_dra.reading.custom import custom_reader

    source = Zeros(start, unit, 1 << 30)
    collector = Collector(custom_reader())
    collector.begin("cluster.json")
    with pytest.raises(InputError), files.told(collector):
        files.feed(source, collector, nobody)
    assert source.given <= most


def test_a_text_without_end(read: Read) -> None:
    assert told(read, '{"a": "' + "x" * (LARGEST_OBJECT + (8 << 20))) == " is no list of Kubernetes objects: no object ends within 64 MB"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"spec": {"nodeName": 5}}, ": Pod default/broken: .spec.nodeName: expected `str | null`, got `int`"),
        ({"spec": {"containers": {"a": 1}}}, ": Pod default/broken: .spec.containers: expected `array | null`, got `object`"),
        ({"spec": {"containers": [{"name": ["a"]}]}}, ": Pod default/broken: .spec.containers[0].name: expected `str`, got `array`"),
        ({"metadata": {"name": "broken", "labels": ["a"]}}, ": Pod broken: .metadata.labels: expected `object | null`, got `array`"),
        ({"metadata": "x"}, ": Pod without a name: .metadata: expected `object`, got `str`"),
        ({"status": []}, ": Pod default/broken: .status: expected `object`, got `array`"),
        ({"kind": 5}, ": an object (default/broken): .kind: expected `str | null`, got `int`"),
    ],
)
@pytest.mark.parametrize("form", ["list", "alone", "late"])
def test_a_mistyped_field_is_told_with_its_object(read: Read, change: Plain, expected: str, form: str) -> None:
    broken = {**pod("broken"), **change}
    content = {
        "list": kubectl_json(kubectl_list([*PODS[:3], broken])),
        "alone": kubectl_json(broken),
        "late": compact(kubectl_list([*PODS, broken])),
    }[form]
    assert told(read, content) == expected


def test_a_mistyped_field_in_yaml_is_told_with_its_object(read: Read) -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: broken}\nspec: {priority: high}\n"
    assert told(read, text, "pod.yaml") == ": Pod broken: .spec.priority: expected `int | null`, got `str`"


def test_nulls_and_missing_fields_are_as_if_they_were_not_there(read: Read) -> None:
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    nulls = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": None, "uid": None, "labels": None, "ownerReferences": [None]},
        "spec": None,
        "status": {"phase": None, "conditions": [{"type": None, "status": None}]},
    }
    expected = read(json.dumps(bare)).pods
    assert read(json.dumps({**nulls, "metadata": {"name": "a", "uid": None}})).pods == expected
    found = read(json.dumps(kubectl_list([nulls, {**bare, "metadata": {"name": "b"}}]))).pods.items
    assert (found[1].metadata.name, found[1].spec, found[1].status) == ("b", expected.items[0].spec, expected.items[0].status)
    assert (found[0].spec, found[0].status.conditions) == (expected.items[0].spec, None)
    assert read(json.dumps({"apiVersion": "v1", "kind": "Pod"})).pods.items[0].metadata.name == ""


def test_fields_of_the_future_are_passed_over(read: Read) -> None:
    future = {**pod("a"), "future": {"a": [1, {"b": None}]}}
    future["spec"] = {**future["spec"], "quantum": {"entangled": True}}
    assert read(json.dumps(future)).pods == read(json.dumps(pod("a"))).pods
    attributes = {"model": {"string": "A100"}, "numa": {"ints": [0, 1]}, "shape": {"tensor": {"rank": 2}}}
    slice_ = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {"driver": "d", "pool": {"name": "p"}, "devices": [{"name": "gpu-0", "attributes": attributes}]},
    }
    [found] = read(json.dumps(slice_)).resource_slices
    assert found.spec.devices is not None
    assert set(found.spec.devices[0].attributes or {}) == {"model", "numa", "shape"}


def test_long_names_and_unicode_labels_stay_as_they_are(read: Read) -> None:
    name = ".".join(["a" * 63] * 3 + ["b" * 61])
    labels = {"team": "Überwachung", "icon": "\U0001f680", "rtl": "عربي", "nul": "a\u0000b"}
    item = {**node(name), "metadata": {"name": name, "labels": labels}}
    for text in (kubectl_json(item), json.dumps(item, ensure_ascii=False), compact(api_list([item] * 1000, "Node"))):
        found = read(text).nodes.items[0]
        assert (len(name), found.metadata.name, found.metadata.labels) == (253, name, labels)


@pytest.mark.parametrize("place", ["unknown: *z", "metadata: {name: a, labels: {a: *z}}", "spec: {containers: *z}"])
def test_aliases_that_multiply_cost_no_more_than_their_text(read: Read, place: str) -> None:
    levels = "abcdefghijklmnopqrstuvwxyz"
    bomb = "a: &a [x]\n" + "".join(f"{deep}: &{deep} [{', '.join([f'*{above}'] * 10)}]\n" for above, deep in pairwise(levels))
    text = f"{bomb}apiVersion: v1\nkind: Pod\n{place}\n"
    if place.startswith("unknown"):
        assert len(read(text, "pod.yaml").pods) == 1
    else:
        assert "expected" in told(read, text, "pod.yaml")


def test_an_alias_of_itself(read: Read) -> None:
    assert "recursive" in told(read, "apiVersion: v1\nkind: Pod\nspec: &a {containers: [*a]}\n", "pod.yaml")


def test_very_deep_nesting(read: Read) -> None:
    assert told(read, '{"a":' * 5000 + "1" + "}" * 5000).startswith((" is nested deeper", " holds no objects"))
    deep = json.dumps({**pod("a"), "x": None}).replace('"x": null', '"x": ' + "[" * 20_000 + "]" * 20_000)
    assert told(read, deep) == " is nested deeper than any Kubernetes object"


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(InputError, match=r"x cannot be read: File name too long$"):
        read_path("x" * 5000, environment())


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nodes.json").write_text(kubectl_json(kubectl_list([node("a")])), encoding="utf-8")
    (tmp_path / "sub").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("sub"):  # root may read every folder
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match=r" cannot be read: Permission denied$"):
        read_path(str(tmp_path), environment())


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_path(str(tmp_path / "a" / "b"), environment())
    link = tmp_path / "loop.json"
    link.symlink_to(link)
    with pytest.raises(InputError, match="cannot be read"):
        read_path(str(link), environment())
