"""A list in pages: the next one is asked for when this one begins to arrive; a list that expires is begun again, once."""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from kubectl_dra.errors import ApiError, DraError
from kubectl_dra.objects.snapshot import KindReading, ReadState
from kubectl_dra.reading.decoding import MistypedError
from kubectl_dra.reading.fetching import Request
from kubectl_dra.reading.json_cutter import CutShortError, JsonCutter, NotObjectsError, Text

PAGE = 1000
"""Objects in a page."""

PIECE = 1 << 20
"""Bytes of a page that are decoded at a time: as objects with all their fields they take three times that."""

EXPIRED = 410

_ITEMS = re.compile(rb'"items"\s*:\s*\[')


class _ListMeta(msgspec.Struct, frozen=True, rename={"continue_": "continue"}):
    continue_: str | None = None


class _Head(msgspec.Struct, frozen=True):
    metadata: _ListMeta | None = None


class _List(msgspec.Struct, frozen=True):
    items: msgspec.Raw


class _Reader:
    """A page as a stream."""

    def __init__(self, text: memoryview) -> None:
        self._left = text

    def read(self, size: int) -> bytes:
        block, self._left = bytes(self._left[:size]), self._left[size:]
        return block


def head_of(text: bytes) -> tuple[_Head, int] | None:
    """A list's metadata and where its items begin, from its first part; None where that part does not tell."""
    found = _ITEMS.search(text, 0, 1 << 16)
    if found is None:
        return None
    try:
        head = msgspec.json.decode(text[: found.start()] + b'"items":null}', type=_Head)
    except msgspec.DecodeError:
        return None  # that was not the list's own `items`
    return (head, found.end() - 1) if head.metadata is not None else None


def split(page: bytes) -> tuple[str, memoryview]:
    """The token of the next page (empty on the last one), and the JSON array of items. Raises msgspec.DecodeError for what is no list.

    The API server writes a list's metadata before its items and nothing behind them, so the items need not be looked at here.
    """
    found = head_of(page)
    end = len(page.rstrip(b" \r\n"))
    if found and page[end - 2 : end] == b"]}":
        return _token(found[0]), memoryview(page)[found[1] : end - 1]
    items = msgspec.json.decode(page, type=_List).items
    return _token(msgspec.json.decode(page, type=_Head)), memoryview(bytes(items))


def _token(head: _Head) -> str:
    return (head.metadata.continue_ or "") if head.metadata else ""


class Listing:
    """One list on its way. `take` gets an answer and gives the next request, which goes out before `decode` is called."""

    def __init__(
        self,
        name: str,
        path: str,
        decode: Callable[[Text], Sequence[object]],
        *,
        query: Mapping[str, str] | None = None,
        rule: str = "",
        api_version: str = "",
        served: tuple[str, ...] = (),
    ) -> None:
        """Take the list's `name` for messages, its path, what decodes a JSON array of its items, and the `rule` that would allow it."""
        self.name = name
        self._path = path
        self._decode = decode
        self._query = dict(query or {})
        self._rule = rule
        self._api_version = api_version
        self._served = served
        self._page: memoryview | None = None
        self._expired = 0
        self._items: list[object] = []
        self._state = ReadState.READ
        self._reason = ""
        self.error: DraError | None = None

    @property
    def count(self) -> int:
        """How many objects have been read."""
        return len(self._items)

    def first(self) -> Request:
        """The request for the first page."""
        return self._request("")

    def _request(self, token: str) -> Request:
        query = {**self._query, "limit": str(PAGE)}
        return Request(self._path, {**query, "continue": token} if token else query)

    def follows(self, head: bytes) -> Request | None:
        """The request for the page after the one that begins so; None on the last one. Changes nothing: other threads call it."""
        found = head_of(head)
        token = _token(found[0]) if found else ""
        return self._request(token) if token else None

    def take(self, answer: bytes | DraError) -> Request | None:
        """Take the answer to the last request; the next request, or None when the list has ended."""
        self._page = None
        if self.ended:
            return None  # this page was asked for before the one before it turned out to be unreadable
        if isinstance(answer, DraError):
            return self._failed(answer)
        try:
            token, self._page = split(answer)
        except msgspec.DecodeError as error:
            self._end(ReadState.FAILED, f"the answer for {self.name} is no list, or was cut short ({error})")
            return None
        return self._request(token) if token else None

    def decode(self) -> None:
        """Decode the page taken last."""
        page, self._page = self._page, None
        if page is None:
            return
        try:
            if bytes(page[:4]) != b"null":
                JsonCutter(_Reader(page).read, self._add, self._add, window=PIECE).run()
        except (MistypedError, NotObjectsError) as error:
            self._end(ReadState.FAILED, str(error))
        except (msgspec.DecodeError, CutShortError) as error:
            self._end(ReadState.FAILED, f"the answer for {self.name} is no list, or was cut short ({error})")

    def _add(self, items: Text, _: object) -> None:
        self._items += self._decode(items)

    @property
    def ended(self) -> bool:
        """True when no further page is wanted, whatever the server still has."""
        return self._state in (ReadState.FAILED, ReadState.FORBIDDEN)

    def _failed(self, error: DraError) -> Request | None:
        if isinstance(error, ApiError) and error.code == EXPIRED:
            return self._begin_again(error)
        self.error = error
        if isinstance(error, ApiError) and error.code == 403:
            self._end(ReadState.FORBIDDEN, f"{error.message}; a ClusterRole rule allows it: {self._rule}")
        else:
            self._end(ReadState.FAILED, error.message)
        return None

    def _begin_again(self, error: ApiError) -> Request | None:
        """From the start after the first 410. After that, on with the token of an inconsistent list, if the server gives one."""
        self._expired += 1
        if self._expired == 1:
            self._items = []
            return self._request("")
        self._state = ReadState.EXPIRED
        if error.continue_token and self._expired == 2:
            self._reason = f"the list of {self.name} expired twice while it was read: its pages are of different moments"
            return self._request(error.continue_token)
        self._reason = f"the list of {self.name} expired again and again: {len(self._items)} were read, and others may be missing"
        return None

    def _end(self, state: ReadState, reason: str) -> None:
        self._state, self._reason, self._items = state, reason, []

    def reading(self) -> KindReading[object]:
        """What came of it. A list that failed or was refused has no items: a part would look like the whole."""
        return KindReading(tuple(self._items), self._state, self._reason, self._api_version, self._served)
