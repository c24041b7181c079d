"""Named formats and what fits them (apiserver: pkg/cel/library/format.go; apimachinery: pkg/util/validation; kube-openapi: strfmt)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from kubectl_dra.allocation.cel.library.link import UrlError, request

_LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_1123_LABEL = re.compile(_LABEL)
_DNS_1123_SUBDOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_DNS_1035_LABEL = re.compile("[a-z](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_KEY = re.compile("(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_UUID = re.compile("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_BASE64 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})")


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format: its name, how many complaints it has about a text, and the length of pattern that its cost is worked out from."""

    name: str
    complaints: Callable[[str], int]
    pattern_size: int


def _fits(pattern: re.Pattern[str], longest: int) -> Callable[[str], int]:
    return lambda text: (len(text.encode()) > longest) + (pattern.fullmatch(text) is None)


def _masked(complaints: Callable[[str], int]) -> Callable[[str], int]:
    """For names that others are made from: a dash at the end is no fault."""

    def masked(text: str) -> int:
        raw = text.encode()
        # Two bytes are cut, also where they are part of one character: what is left fits nothing then.
        return complaints(raw[:-2].decode(errors="replace") + "a" if len(raw) > 1 and text.endswith("-") else text)

    return masked


def _label_key(text: str) -> int:
    parts = text.split("/")
    if len(parts) > 2:
        return 1
    name = parts[-1]
    count = (not name or len(name.encode()) > 63) + (_LABEL_KEY.fullmatch(name) is None)
    if len(parts) == 2:
        count += 1 if not parts[0] else _SUBDOMAIN(parts[0])
    return count


def _label_value(text: str) -> int:
    return (len(text.encode()) > 63) + (bool(text) and _LABEL_KEY.fullmatch(text) is None)


def _uri(text: str) -> int:
    try:
        request(text)
    except UrlError:
        return 1
    return 0


def _date(text: str) -> int:
    found = _DATE.fullmatch(text)
    if found is None:
        return 1
    try:
        datetime(int(found[1]) or 400, int(found[2]), int(found[3]), tzinfo=UTC)
    except ValueError:
        return 1
    return 0


def _datetime(text: str) -> int:
    parts = text.lower().split("t")
    if len(text.encode()) < 4 or len(parts) < 2 or _date(parts[0]):
        return 1
    found = _TIME.fullmatch(parts[1])
    return 0 if found and found[1] <= "23" and found[2] <= "59" and found[3] <= "59" else 1


_SUBDOMAIN = _fits(_DNS_1123_SUBDOMAIN, 253)
_UUID_SIZE, _DATETIME_SIZE, _BASE64_SIZE, _URL_SIZE = 70, 71, 84, 1103
NAMED_FORMATS: dict[str, NamedFormat] = {
    "dns1123Label": NamedFormat("DNS1123Label", _fits(_DNS_1123_LABEL, 63), 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", _SUBDOMAIN, 60),
    "dns1035Label": NamedFormat("DNS1035Label", _fits(_DNS_1035_LABEL, 63), 30),
    "qualifiedName": NamedFormat("QualifiedName", _label_key, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", _masked(_fits(_DNS_1123_LABEL, 63)), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", _masked(_SUBDOMAIN), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", _masked(_fits(_DNS_1035_LABEL, 63)), 30),
    "labelValue": NamedFormat("LabelValue", _label_value, 40),
    "uri": NamedFormat("URI", _uri, _URL_SIZE),
    "uuid": NamedFormat("uuid", lambda text: int(_UUID.fullmatch(text) is None), _UUID_SIZE),
    "byte": NamedFormat("byte", lambda text: int(_BASE64.fullmatch(text) is None), _BASE64_SIZE),
    "date": NamedFormat("date", _date, _DATETIME_SIZE),
    "datetime": NamedFormat("datetime", _datetime, _DATETIME_SIZE),
}
"""All named formats."""
