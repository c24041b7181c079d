"""Durations and timestamps with Go's ranges and texts (cel-go: common/types/duration.go, timestamp.go; Go: time)."""

import re
from datetime import UTC, datetime, timedelta

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.numbers_text import shortest_fixed
from kubectl_dra.allocation.cel.values import MAX_INT, MIN_INT

SECOND = 1_000_000_000
EARLIEST = -62135596800
"""0001-01-01T00:00:00Z in seconds since 1970."""
LATEST = 253402300799
"""9999-12-31T23:59:59Z in seconds since 1970."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Duration:
    """So many nanoseconds, within int64."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        """Take the nanoseconds."""
        self.nanoseconds = nanoseconds

    @property
    def seconds(self) -> float:
        """As Go's Seconds(): whole seconds and the fraction added as doubles."""
        whole, rest = truncated(self.nanoseconds, SECOND)
        return float(whole) + float(rest) / 1e9

    def __str__(self) -> str:
        """As `string(duration)` gives it: seconds."""
        return f"{shortest_fixed(self.seconds)}s"


class Timestamp:
    """A moment: seconds since 1970, nanoseconds, and the offset (in seconds) it was written with."""

    __slots__ = ("nanoseconds", "offset", "seconds")

    def __init__(self, seconds: int, nanoseconds: int = 0, offset: int = 0) -> None:
        """Take the parts; the nanoseconds are from 0 to 999999999."""
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offset = offset

    @property
    def instant(self) -> tuple[int, int]:
        """What makes two moments equal or ordered."""
        return self.seconds, self.nanoseconds

    def shown_at(self, offset: int) -> datetime:
        """Date and time of day at an offset from UTC, to the second."""
        return _EPOCH + timedelta(seconds=self.seconds + offset)

    def __str__(self) -> str:
        """RFC 3339, with the nanoseconds that are there."""
        shown = _EPOCH + timedelta(seconds=self.seconds + self.offset)
        text = f"{shown.year:04d}-{shown:%m-%dT%H:%M:%S}"
        if self.nanoseconds:
            text += f".{self.nanoseconds:09d}".rstrip("0")
        if not self.offset:
            return f"{text}Z"
        sign = "-" if self.offset < 0 else "+"
        minutes = abs(self.offset) // 60
        return f"{text}{sign}{minutes // 60:02d}:{minutes % 60:02d}"


def truncated(value: int, by: int) -> tuple[int, int]:
    """Quotient and remainder, rounded to zero as Go does."""
    quotient = abs(value) // abs(by)
    quotient = -quotient if (value < 0) != (by < 0) else quotient
    return quotient, value - quotient * by


def duration(nanoseconds: int) -> Duration:
    """A duration. Raises EvaluationError beyond int64."""
    if not MIN_INT <= nanoseconds <= MAX_INT:
        raise EvaluationError("integer overflow")
    return Duration(nanoseconds)


def timestamp(seconds: int, nanoseconds: int, offset: int = 0) -> Timestamp:
    """A moment. Raises EvaluationError outside the years 1 to 9999."""
    if not EARLIEST <= seconds <= LATEST:
        raise EvaluationError("timestamp overflow")
    return Timestamp(seconds, nanoseconds, offset)


def later(moment: Timestamp, by: Duration) -> Timestamp:
    """The moment so much later."""
    total = moment.nanoseconds + by.nanoseconds
    carry, rest = divmod(total, SECOND)
    return timestamp(moment.seconds + carry, rest, moment.offset)


def between(one: Timestamp, other: Timestamp) -> Duration:
    """How much later `one` is. Raises EvaluationError beyond int64 nanoseconds."""
    seconds = one.seconds - other.seconds
    if not MIN_INT <= seconds * SECOND <= MAX_INT:
        raise EvaluationError("integer overflow")
    return duration(seconds * SECOND + one.nanoseconds - other.nanoseconds)


_RFC3339 = re.compile(r"(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})([.,]\d+)?(?:Z|([+-])(\d{2}):(\d{2}))", re.ASCII)


def parse_timestamp(text: str) -> Timestamp | None:
    """RFC 3339 text as a moment, None when it is none; the range of years is the caller's to check."""
    found = _RFC3339.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    zone_hour, zone_minute = int(found[9] or 0), int(found[10] or 0)
    if zone_hour > 24 or zone_minute > 60:
        return None
    offset = (zone_hour * 60 + zone_minute) * 60 * (-1 if found[8] == "-" else 1)
    days = _days(year, month, day)
    if days is None or hour > 23 or minute > 59 or second > 59:
        return None
    nanoseconds = int((found[7] or ".0")[1:10].ljust(9, "0"))
    return Timestamp(days * 86400 + hour * 3600 + minute * 60 + second - offset, nanoseconds, offset)


def _days(year: int, month: int, day: int) -> int | None:
    """Days since 1970; the year 0 is there for Go, though not for Python."""
    try:
        moved = datetime(year + 400 if year == 0 else year, month, day, tzinfo=UTC)
    except ValueError:
        return None
    days = (moved - _EPOCH).days
    return days - 146097 if year == 0 else days


_UNITS = {
    "ns": 1,
    "us": 1_000,
    "\u00b5s": 1_000,
    "\u03bcs": 1_000,
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_PART = re.compile(r"([0-9]*)(?:(\.)([0-9]*))?([^.0-9]+)")


def parse_duration(text: str) -> Duration | None:
    """`1h30m`, `-1.5s` as Go's ParseDuration reads it; None when it is none or too long."""
    rest = text
    negative = rest.startswith("-")
    if rest[:1] in ("-", "+") and rest:
        rest = rest[1:]
    if rest == "0":
        return Duration(0)
    total = 0
    position = 0
    while position < len(rest):
        found = _PART.match(rest, position)
        if found is None or not (found[1] or found[3]) or found[4] not in _UNITS:
            return None
        part = _part(found[1], found[3] or "", _UNITS[found[4]])
        if part is None:
            return None
        total += part
        if total > 2**63:
            return None
        position = found.end()
    if not rest or (total > MAX_INT and not (negative and total == 2**63)):
        return None
    return Duration(-total if negative else total)


def _part(whole: str, fraction: str, unit: int) -> int | None:
    value = int(whole or "0")
    if value > 2**63 or value > 2**63 // unit:
        return None
    value *= unit
    if fraction:
        digits, scale = _fraction(fraction)
        value += int(float(digits) * (float(unit) / scale))
    return None if value > 2**63 else value


def _fraction(text: str) -> tuple[int, float]:
    """As many digits as fit into 63 bits, and the power of ten below them."""
    digits, scale = 0, 1.0
    for digit in text:
        if digits > MAX_INT // 10 or digits * 10 + int(digit) > 2**63:
            break
        digits = digits * 10 + int(digit)
        scale *= 10
    return digits, scale
