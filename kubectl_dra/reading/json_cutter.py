"""Large JSON cut at the items of its list while it streams in: memory stays at a window's size, whatever the file's.

A cut is guessed and then proved. Items of one list nearly always begin alike (`{"metadata":`, or `{`, a line's end, spaces and
`"apiVersion":`), so the last such beginning in the window is taken for the start of the last item; that the text before it is
a whole number of items is proved by decoding it, which fails for any cut inside an item. Only where the guess fails are the
brackets counted one by one.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

WINDOW = 4 << 20
"""Bytes that are cut at a time."""

LARGEST_OBJECT = 64 << 20
"""No Kubernetes object is this large (etcd takes 1.5 MB), so nothing larger is held in memory to find its end."""

_SMALL = 1 << 16
_ITEMS = re.compile(rb'"items"\s*:\s*\[')
_HEAD = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[][{}"]', re.DOTALL)
_COMMA_BEFORE = re.compile(rb",\s*\Z")
_SPACE = b" \t\r\n"


class CutShortError(ValueError):
    """The text ends before its JSON does."""


class NotObjectsError(ValueError):
    """It may be JSON, but not of Kubernetes objects."""


@dataclass(frozen=True, slots=True)
class Items:
    """Some items of a list, as the text of a JSON array. `before` is what the list's object says before its items, as an object."""

    text: bytes
    before: bytes


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole object; of a list that was `cut`, without its items."""

    text: bytes
    cut: bool


class JsonCutter:
    """Cuts the JSON documents that `read` gives (takes a number, gives at most so many bytes, none at the end)."""

    def __init__(self, read: Callable[[int], bytes], window: int = WINDOW) -> None:
        """Take the source."""
        self._read = read
        self._window = window
        self._text = b""
        self._ended = False

    def pieces(self) -> Iterator[Items | Whole]:
        """All documents, one after the other.

        Raises CutShortError, NotObjectsError, or msgspec.DecodeError where the text is not JSON.
        """
        while self._fill():
            yield from self._document()

    def _fill(self) -> bool:
        """Read until a window is full or the source has ended; False when nothing but space is left."""
        while True:
            self._text = self._text.lstrip(_SPACE)
            if self._ended or len(self._text) >= self._window:
                return bool(self._text)
            self._more()

    def _more(self) -> None:
        """Read on, however full the window is. Raises where no more can come, or no more be held."""
        if self._ended:
            raise CutShortError
        if len(self._text) > LARGEST_OBJECT:
            raise NotObjectsError(f"no object ends within {LARGEST_OBJECT >> 20} MB")
        block = self._read(max(self._window, len(self._text)))
        self._ended = not block
        self._text += block

    def _take(self, end: int) -> bytes:
        taken, self._text = self._text[:end], self._text[end:]
        return taken

    def _document(self) -> Iterator[Items | Whole]:
        if not self._text.startswith((b"{", b"[")):
            msgspec.json.decode(self._text[:_SMALL])  # says what is wrong with it, or it is a lone number or text
            raise NotObjectsError("it holds no objects")
        if end := _end_of_value(self._text[:_SMALL]):
            yield Whole(self._take(end), cut=False)
            return
        start = self._start_of_items()
        if start is None:
            yield Whole(self._take(self._closed(depth=0)), cut=False)
            return
        before = self._take(start)
        if before == b"[":
            yield from self._items(b"{}")
            return
        yield from self._items(before + b"]}")
        yield Whole(before + b"]" + self._take(self._closed(depth=1)), cut=True)

    def _start_of_items(self) -> int | None:
        """Where the items of a list begin: `items` at the top of an object, or the array itself."""
        if self._text.startswith(b"["):
            return 1
        for match in _ITEMS.finditer(self._text, 0, 1 << 20):
            # Only at the top of the object do these two brackets complete it; a projected volume has `items` too, deeper down.
            if _decodes(self._text[: match.end()] + b"]}"):
                return match.end()
        return None

    def _closed(self, depth: int) -> int:
        """Where the value that has `depth` brackets open already ends, reading on as far as needed."""
        while not (end := _end_of_value(self._text, depth)):
            self._more()
        return end

    def _items(self, envelope: bytes) -> Iterator[Items]:
        self._fill()
        if not self._text.startswith((b"{", b"]")):
            if not self._text:
                raise CutShortError
            raise NotObjectsError("its items are not objects")
        head = _HEAD.match(self._text)
        closed = False
        while not closed:
            self._fill()
            cut = self._guess(head.group()) if head and not self._ended else None
            if cut is None:
                text, closed = self._counted()
            else:
                text = self._take(cut)
            if text := text.strip(_SPACE + b","):
                yield Items(b"[" + text + b"]", envelope)

    def _guess(self, head: bytes) -> int | None:
        """Where the last item in the window begins, proved; None when it cannot be told so."""
        place = self._text.rfind(head)
        while place > 0 and not _COMMA_BEFORE.search(self._text, max(0, place - 256), place):
            place = self._text.rfind(head, 0, place)
        if place <= 0 or not _decodes(b"[" + self._text[:place].rstrip(_SPACE + b",") + b"]"):
            return None
        return place

    def _counted(self) -> tuple[bytes, bool]:
        """The whole items in the window, told by counting brackets, and whether the list ended behind them."""
        while True:
            end, closed = _whole_items(self._text)
            if end or closed:
                text = self._take(end)
                if closed:
                    self._text = self._text.lstrip(_SPACE + b",")[1:]
                else:
                    self._text = self._text.lstrip(_SPACE + b",")
                return text, closed
            self._more()


def _decodes(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def _end_of_value(text: bytes, depth: int = 0) -> int:
    """Behind the bracket that closes the last open one; 0 when `text` ends before."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                return match.end()
        elif token == b'"':
            return 0  # a text that has no end here: brackets from here on may stand in it
    return 0


def _whole_items(text: bytes) -> tuple[int, bool]:
    """Behind the last whole item of a list whose `[` stands before `text`, and whether the list's `]` follows."""
    depth = end = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            if depth == 0:
                return end, True
            depth -= 1
            if depth == 0:
                end = match.end()
        elif token == b'"':
            break
    return end, False
