"""Parts of timestamps and durations (cel-go: common/stdlib/standard.go).

Named time zones are not decided here: what they mean depends on the zone data beside the scheduler.
"""

import re
from collections.abc import Callable
from datetime import datetime

from kubectl_dra.allocation.cel.errors import EvaluationError, Unsupported
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.moments import SECOND, Duration, Timestamp, truncated
from kubectl_dra.objects.quoted import quoted

_NUMBER = re.compile(r"[+-]?[0-9]+")


def _offset(zone: str) -> int:
    """Seconds east of UTC."""
    hours, colon, minutes = zone.partition(":")
    if not colon:
        if zone in ("", "UTC"):
            return 0
        raise Unsupported(f"the time zone {zone} is not known here")
    for part in (hours, minutes):
        if not _NUMBER.fullmatch(part):
            raise EvaluationError(f"strconv.Atoi: parsing {quoted(part)}: invalid syntax")
        if abs(int(part)) >= 10_000:
            raise Unsupported(f"the time zone {zone} is out of all ranges")
    hour, minute = int(hours), int(minutes)
    return (hour * 60 - minute if zone.startswith("-") else hour * 60 + minute) * 60


def _part(read: Callable[[datetime, Timestamp], int]) -> Implementation:
    def part(moment: Timestamp, zone: str = "") -> int:
        try:
            return read(moment.shown_at(_offset(zone)), moment)
        except OverflowError:
            raise Unsupported("the time zone moves the moment out of the years 1 to 9999") from None

    return part


def _of_duration(unit: int) -> Implementation:
    return lambda duration: truncated(duration.nanoseconds, unit)[0]


def _hours(duration: Duration) -> int:
    """Through a double, as upstream does."""
    return _through_double(duration, 3600 * SECOND)


def _minutes(duration: Duration) -> int:
    return _through_double(duration, 60 * SECOND)


def _seconds(duration: Duration) -> int:
    return int(duration.seconds)


def _through_double(duration: Duration, unit: int) -> int:
    whole, rest = truncated(duration.nanoseconds, unit)
    return int(float(whole) + float(rest) / float(unit))


_PARTS: dict[str, Callable[[datetime, Timestamp], int]] = {
    "year": lambda shown, _: shown.year,
    "month": lambda shown, _: shown.month - 1,
    "day_of_year": lambda shown, _: shown.timetuple().tm_yday - 1,
    "day_of_month": lambda shown, _: shown.day - 1,
    "day_of_month_1_based": lambda shown, _: shown.day,
    "day_of_week": lambda shown, _: shown.isoweekday() % 7,
    "hours": lambda shown, _: shown.hour,
    "minutes": lambda shown, _: shown.minute,
    "seconds": lambda shown, _: shown.second,
    "milliseconds": lambda _, moment: moment.nanoseconds // 1_000_000,
}
IMPLEMENTATIONS: dict[str, Implementation] = {
    **{f"timestamp_to_{name}": _part(read) for name, read in _PARTS.items()},
    **{f"timestamp_to_{name}_with_tz": _part(read) for name, read in _PARTS.items()},
    "duration_to_hours": _hours,
    "duration_to_minutes": _minutes,
    "duration_to_seconds": _seconds,
    "duration_to_milliseconds": _of_duration(1_000_000),
}
