"""JSON in pieces is the same JSON."""

from collections.abc import Mapping

import msgspec
import pytest

from kubectl_dra.document import Document, Part
from kubectl_dra.report.json_pieces import INDENT, pieces


class Item(Part, frozen=True):
    some_name: str
    parts: tuple[int, ...] = ()
    more: Mapping[str, int] = msgspec.field(default_factory=dict)


class Answer(Document, frozen=True, kw_only=True):
    kind: str = "Answer"
    items: tuple[Item, ...] = ()
    inner: Item | None = None
    names: tuple[str, ...] = ()
    nested: tuple[tuple[int, ...], ...] = ()


@pytest.mark.parametrize(
    "document",
    [
        Answer(),
        Answer(items=(Item("a\nb"), Item('"\\{}[]', (1, 2), {"x": 1})), inner=Item("ü", (3,)), names=("a", ""), nested=((), (1,))),
    ],
)
def test_the_pieces_are_the_whole(document: Answer) -> None:
    whole = msgspec.json.format(msgspec.json.encode(document), indent=INDENT).decode() + "\n"
    assert "".join(pieces(document)) == whole
    assert len(list(pieces(document))) > len(document.items)
