"""Large JSON is cut at its items, in whatever way it is written, and is held a window at a time."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_dra.reading.json_cutter import LARGEST_OBJECT, CutShortError, JsonCutter, NotObjectsError, Text
from tests.reading.manifests import api_list, compact, kubectl_json, kubectl_list, node, pod

WINDOW = 10_000
PODS = [pod(f"pod-{index}") for index in range(300)]

Written = Callable[[Any], str]


class Taker:
    """Puts the pieces together again; `largest` is the longest piece."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self.items: list[Any] = []
        self.pieces: list[int] = []
        self.before: set[bytes] = set()

    def take_items(self, text: Text, before: bytes) -> None:
        self.items += msgspec.json.decode(text)
        self.pieces.append(len(text))
        self.before.add(before)

    def take_whole(self, text: bytes, cut: bool) -> None:
        document = json.loads(text)
        if cut:
            assert document["items"] == []
            document["items"], self.items = self.items, []
        self.documents.append(document)


def cut(text: str | bytes, window: int = WINDOW) -> Taker:
    taker = Taker()
    source = BytesIO(text if isinstance(text, bytes) else text.encode())
    JsonCutter(source.read, taker.take_items, taker.take_whole, window=window).run()
    return taker


WAYS: dict[str, Written] = {
    "kubectl": kubectl_json,
    "compact": compact,
    "python": json.dumps,
    "two spaces": lambda value: json.dumps(value, indent=2),
    "tabs": lambda value: json.dumps(value, indent="\t"),
    "no indent": lambda value: json.dumps(value, indent=0),
    "carriage returns": lambda value: json.dumps(value, indent=4).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("document", [kubectl_list(PODS), api_list(PODS)], ids=["kubectl", "server"])
def test_a_list_is_cut_and_nothing_is_lost(way: Written, document: dict[str, Any]) -> None:
    taker = cut(way(document))
    assert taker.documents == [document]
    assert len(taker.pieces) > 5
    assert max(taker.pieces) < 3 * WINDOW


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_an_array_is_cut_too(way: Written) -> None:
    taker = cut(way(PODS))
    assert (taker.items, taker.documents) == (PODS, [])
    assert max(taker.pieces) < 3 * WINDOW


def test_what_stands_before_the_items_is_told_with_each_piece() -> None:
    [before] = cut(compact(api_list(PODS))).before
    assert json.loads(before) == {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []}


def test_items_inside_of_an_object_are_no_list() -> None:
    large = pod("large", containers=[{"name": f"c{index}", "image": "x" * 100} for index in range(1000)])
    assert cut(kubectl_json(large)).documents == [large]


def test_templates_that_begin_like_their_object_are_not_taken_for_items() -> None:
    claims = [{"metadata": {"name": f"claim-{index}"}, "spec": {"storageClassName": "x" * 500}} for index in range(5)]
    sets = [{"metadata": {"name": f"set-{index}"}, "spec": {"volumeClaimTemplates": claims}} for index in range(100)]
    document = {"kind": "StatefulSetList", "apiVersion": "apps/v1", "metadata": {}, "items": sets}
    for way in WAYS.values():
        assert cut(way(document)).documents == [document]


def test_items_that_begin_differently_are_cut_by_their_brackets() -> None:
    items = [dict(reversed(item.items())) if index % 3 else item for index, item in enumerate(PODS)]
    assert cut(compact(kubectl_list(items))).documents == [kubectl_list(items)]


def test_brackets_and_quotes_in_texts_count_for_nothing() -> None:
    nasty = ["}]", '\\"}', '{"metadata":', "]", "\\", '"', ',{"apiVersion":"v1"', "\u2028€\U0001f600"]
    items = [pod(f"pod-{index}", hostname=nasty[index % len(nasty)] * 50) for index in range(200)]
    for way in WAYS.values():
        for document in (kubectl_list(items), api_list(items)):
            assert cut(way(document)).documents == [document]


def test_documents_may_follow_one_another() -> None:
    lists = [kubectl_list(PODS), kubectl_list([node("a")]), pod("single"), kubectl_list(PODS[:100])]
    for way in WAYS.values():
        for between in ("", "\n", " \r\n\n"):
            assert cut(between.join(map(way, lists))).documents == lists


@given(st.integers(1, 400), st.integers(0, 40), st.sampled_from(sorted(WAYS)), st.booleans())
def test_any_window_gives_the_same(window: int, count: int, way: str, server: bool) -> None:
    items = [{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x" * (index * 7 % 90)}} for index in range(count)]
    document = api_list(items) if server else kubectl_list(items)
    # Small documents are taken whole, so the window only matters for what is larger than that.
    document["filler"] = "x" * 70_000
    assert cut(WAYS[way](document), window).documents == [document]


@pytest.mark.parametrize("way", [kubectl_json, compact])
def test_a_list_that_ends_too_early_is_cut_short_wherever_it_ends(way: Written) -> None:
    whole = way(kubectl_list(PODS))
    for length in (1, 20, 5_000, 70_000, len(whole) // 2, len(whole.rstrip()) - 1):
        with pytest.raises((CutShortError, msgspec.DecodeError)) as told:
            cut(whole[:length])
        assert isinstance(told.value, CutShortError), length


def test_a_list_of_something_else_is_refused() -> None:
    for text in ("[" + ",".join(["null"] * 50_000) + "]", '{"items":[' + ",".join(["1"] * 50_000) + "]}"):
        with pytest.raises(NotObjectsError, match="its items are not objects"):
            cut(text)


def test_no_more_is_held_than_the_largest_object() -> None:
    class Endless:
        held = 0

        def read(self, size: int) -> bytes:
            self.held += size
            return (b'{"a":"' if self.held == size else b"") + b"x" * size

    source = Endless()
    with pytest.raises(NotObjectsError, match="no object ends within 64 MB"):
        JsonCutter(source.read, Taker().take_items, Taker().take_whole).run()
    assert source.held <= 2 * LARGEST_OBJECT + (8 << 20)


def test_a_broken_item_is_told_as_broken_json() -> None:
    text = kubectl_json(kubectl_list(PODS)).replace('"phase": "Running"', '"phase": Running', 1)
    with pytest.raises(msgspec.DecodeError, match="malformed"):
        cut(text)
