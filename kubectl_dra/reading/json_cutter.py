"""Large JSON cut at the items of its list while it streams in: memory stays at a window's size, whatever the file's.

A cut is guessed and then proved. Items of one list nearly always begin alike (`{"metadata":`, or `{`, a line's end, spaces and
`"apiVersion":`), so the last such beginning in the window is taken for the start of the last item. That the text before it is
a whole number of items is proved by decoding it, which fails for any cut inside an item. Only where the guess fails are the
brackets counted one by one.
"""

import re
from collections.abc import Callable

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
_BLANK = re.compile(rb"[ \t\r\n]*")
_BLANK_AND_COMMA = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")
_CLOSE = ord("]")
_COMMA = ord(",")

Text = bytes | memoryview

TakeItems = Callable[[Text, bytes], None]
"""Takes a JSON array of some items of a list, and what the list's object says before its items, as an object (`{}`: nothing).

Raises msgspec.DecodeError, and takes nothing then, where the text is no JSON. The text is only good until it returns.
"""

TakeWhole = Callable[[bytes, bool], None]
"""Takes a whole object; of a list that was cut (then True), without its items."""


class CutShortError(ValueError):
    """The text ends before its JSON does."""


class NotObjectsError(ValueError):
    """It may be JSON, but not of Kubernetes objects."""


class JsonCutter:
    """Cuts the JSON documents that `read` gives (takes a number, gives at most so many bytes, none at the end)."""

    def __init__(self, read: Callable[[int], bytes], items: TakeItems, whole: TakeWhole, *, window: int = WINDOW) -> None:
        """Take the source, and those who take what it is cut into."""
        self._read = read
        self._take_items = items
        self._take_whole = whole
        self._window = window
        self._text = bytearray()
        self._ended = False

    def run(self) -> None:
        """Cut all documents, one after the other.

        Raises CutShortError, NotObjectsError, what those who take raise, and msgspec.DecodeError where the text is not JSON.
        """
        while self._fill():
            self._document()

    def _fill(self) -> bool:
        """Read until the window is full or the source has ended; False when nothing but space is left."""
        while True:
            blank = _BLANK.match(self._text)
            if blank and blank.end():
                del self._text[: blank.end()]
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

    def _taken(self, end: int) -> bytes:
        taken = bytes(self._text[:end])
        del self._text[:end]
        return taken

    def _document(self) -> None:
        if not self._text.startswith((b"{", b"[")):
            msgspec.json.decode(self._text[:_SMALL])  # says what is wrong with it, or it is a lone number or text
            raise NotObjectsError("it holds no objects")
        if end := _end_of_value(self._text[:_SMALL]):
            self._take_whole(self._taken(end), False)
            return
        start = self._start_of_items()
        if start is None:
            self._take_whole(self._taken(self._closed(depth=0)), False)
            return
        before = bytes(self._text[:start])
        del self._text[: start - 1]  # the list's `[` stays at the beginning of the window
        if before == b"[":
            self._items(b"{}")
            return
        self._items(before + b"]}")
        self._take_whole(before + b"]" + self._taken(self._closed(depth=1)), True)

    def _start_of_items(self) -> int | None:
        """Behind the `[` of a list's items: those at the top of an object, or the array itself."""
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

    def _items(self, before: bytes) -> None:
        self._fill()
        first = self._after(_BLANK, 1)
        while first == len(self._text):
            self._more()
            first = self._after(_BLANK, 1)
        if not self._text.startswith((b"{", b"]"), first):
            raise NotObjectsError("its items are not objects")
        found = _HEAD.match(self._text, first)
        head = found.group() if found else b""
        closed = False
        while not closed:
            self._fill()
            closed = False if head and self._guessed(head, before) else self._counted(before)

    def _after(self, what: re.Pattern[bytes], place: int) -> int:
        found = what.match(self._text, place)
        return found.end() if found else place

    def _guessed(self, head: bytes, before: bytes) -> bool:
        """Hand on all items but the last one in the window; False when it cannot be told where that begins."""
        text = self._text
        place = text.rfind(head)
        while place > 1 and not (comma := _COMMA_BEFORE.search(text, max(0, place - 256), place)):
            place = text.rfind(head, 0, place)
        if place <= 1 or comma is None:
            return False
        end = comma.start()
        text[end] = _CLOSE
        try:
            with memoryview(text) as view, view[: end + 1] as items:
                self._take_items(items, before)
        except msgspec.DecodeError:
            text[end] = _COMMA
            return False
        del text[1:place]
        return True

    def _counted(self, before: bytes) -> bool:
        """Hand on the whole items in the window, told by counting brackets; True when the list ended behind them."""
        while True:
            end, closed = _whole_items(self._text)
            if end > 1 or closed:
                break
            self._more()
        if end > 1:
            self._take_items(bytes(self._text[:end]) + b"]", before)
        if closed:
            del self._text[:closed]
        else:
            del self._text[1 : self._after(_BLANK_AND_COMMA, end)]
        return bool(closed)


def _decodes(text: bytes | bytearray) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def _end_of_value(text: bytes | bytearray, depth: int = 0) -> int:
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


def _whole_items(text: bytes | bytearray) -> tuple[int, int]:
    """Of a list that begins with `[`: behind its last whole item (1: there is none), and behind its `]` (0: not there yet)."""
    depth, end = 0, 1
    for match in _TOKEN.finditer(text, 1):
        token = match[0]
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            if depth == 0:
                return end, match.end()
            depth -= 1
            if depth == 0:
                end = match.end()
        elif token == b'"':
            break
    return end, 0
