"""URLs as Go's net/url reads them (version 1.26)."""

import re

from kubectl_dra.allocation.cel.errors import Unsupported
from kubectl_dra.allocation.cel.library.address import AddressError, Ip, RefusedAddressError

_HEX = re.compile(rb"%[0-9A-Fa-f]{2}")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_PORT = re.compile(r"(?::[0-9]*)?")
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_UNRESERVED = r"A-Za-z0-9_.~\-"
_HOST = re.compile(rf"[{_UNRESERVED}!\"$&'()*+,:;<=>\[\]%\u0080-\U0010ffff]*")
_PATH = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@")
_WRITTEN_PATH = re.compile(rf"[{_UNRESERVED}$&+,/:;=@!'()*\[\]%]*")


class UrlError(ValueError):
    """The text is no URL that a request could be for."""


class Url:
    """A URL: scheme, host with port, path as it was written, query."""

    __slots__ = ("host", "path", "query", "scheme", "text")

    def __init__(self, text: str, scheme: str, host: str, path: str, query: str) -> None:
        """Take the parts."""
        self.text = text
        self.scheme = scheme
        self.host = host
        self.path = path
        self.query = query

    @classmethod
    def parse(cls, text: str) -> "Url":
        """Read an absolute URL or an absolute path, as `url()` does. Raises UrlError."""
        request(text)
        before, _, fragment = text.partition("#")
        url = _parsed(before, text, via_request=False)
        unescaped(fragment)
        return url

    @property
    def hostname(self) -> str:
        """Without port and brackets."""
        return _host_and_port(self.host)[0]

    @property
    def port(self) -> str:
        """The port, empty if there is none."""
        return _host_and_port(self.host)[1]

    @property
    def escaped_path(self) -> str:
        """The path, with what must be escaped escaped."""
        if _WRITTEN_PATH.fullmatch(self.path):
            return self.path
        raw = unescaped(self.path)
        return "".join(chr(octet) if octet in _PATH else f"%{octet:02X}" for octet in raw)

    @property
    def queries(self) -> dict[str, list[str]]:
        """The query's parameters; those that cannot be read are left out."""
        found: dict[str, list[str]] = {}
        for pair in self.query.split("&"):
            if not pair or ";" in pair:
                continue
            key, _, value = pair.partition("=")
            try:
                name, content = (_text(unescaped(part.replace("+", " "))) for part in (key, value))
            except UrlError:
                continue
            found.setdefault(name, []).append(content)
        return found

    def __str__(self) -> str:
        """As it was written, which for all but oddly escaped ones is what Go prints."""
        return self.text


def request(text: str) -> Url:
    """Read what `isURL` takes: ParseRequestURI. Raises UrlError."""
    if not text:
        raise UrlError("empty url")
    return _parsed(text, text, via_request=True)


def _parsed(rest: str, text: str, *, via_request: bool) -> Url:
    if any(letter < " " or letter == "\x7f" for letter in rest):
        raise UrlError("net/url: invalid control character in URL")
    if rest == "*":
        return Url(text, "", "", "*", "")
    scheme, rest = _scheme(rest)
    rest, _, query = rest.partition("?")
    host = ""
    if not rest.startswith("/"):
        if scheme:
            return Url(text, scheme, "", "", query)
        if via_request:
            raise UrlError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise UrlError("first path segment in URL cannot contain colon")
    elif (scheme or (not via_request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        host = _authority(scheme, authority)
        rest = slash + path
    unescaped(rest)
    return Url(text, scheme, host, rest, query)


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise UrlError("missing protocol scheme")
    found = _SCHEME.match(text)
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def _authority(scheme: str, authority: str) -> str:
    user, at, host = authority.rpartition("@")
    host = _host(scheme, host)
    if at:
        if not _USER.fullmatch(user):
            raise UrlError("net/url: invalid userinfo")
        unescaped(user)
    return host


def _host(scheme: str, host: str) -> str:
    bracket = host.rfind("[")
    if bracket > 0:
        raise UrlError("invalid IP-literal")
    if bracket == 0:
        return _literal(host)
    colon = host.find(":")
    if colon >= 0:
        last = host.rfind(":")
        at = last if last != colon and scheme not in ("http", "https") else colon
        if not _PORT.fullmatch(host[at:]):
            raise UrlError("invalid port after host")
    return _unescaped_host(host)


def _literal(host: str) -> str:
    end = host.rfind("]")
    if end < 0:
        raise UrlError("missing ']' in host")
    if not _PORT.fullmatch(host[end + 1 :]):
        raise UrlError("invalid port after host")
    name, zone, _ = host[1:end].partition("%25")
    if zone:
        raise Unsupported("a URL with an IPv6 zone")
    address = _unescaped_host(name)
    if ":" not in address:
        raise UrlError("invalid IP-literal")
    try:
        Ip.parse(address)
    except RefusedAddressError:
        pass  # good enough for a URL
    except AddressError as error:
        raise UrlError(f"invalid host: {error}") from None
    return f"[{address}]{host[end + 1 :]}"


def _unescaped_host(host: str) -> str:
    if not _HOST.fullmatch(host):
        raise UrlError("invalid character in host name")
    raw = unescaped(host)
    if any(int(escape[1:2], 16) < 8 and escape != b"%25" for escape in _HEX.findall(host.encode())):
        raise UrlError("invalid URL escape")
    return _text(raw)


def unescaped(text: str) -> bytes:
    """With each `%XX` made the byte it stands for. Raises UrlError for a `%` that begins none."""
    raw = text.encode()
    if b"%" in _HEX.sub(b"", raw):
        raise UrlError("invalid URL escape")
    return _HEX.sub(lambda found: bytes([int(found[0][1:], 16)]), raw)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Unsupported("a URL that is no UTF-8") from None


def _host_and_port(host: str) -> tuple[str, str]:
    port = ""
    colon = host.rfind(":")
    if colon >= 0 and _PORT.fullmatch(host[colon:]):
        host, port = host[:colon], host[colon + 1 :]
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return host, port
