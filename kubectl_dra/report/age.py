"""Ages as kubectl writes them (apimachinery pkg/util/duration, HumanDuration)."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_YEAR = 365 * _DAY


def age(seconds: int | None) -> str | None:
    """`41s`, `3m20s`, `5h`, `12d`; None for an unknown age."""
    if seconds is None:
        return None
    if seconds < 0:
        return "0s"
    if seconds < 2 * _MINUTE:
        return f"{seconds}s"
    for below, unit, sign, lower, lower_sign in (
        (10 * _MINUTE, _MINUTE, "m", 1, "s"),
        (3 * _HOUR, _MINUTE, "m", 0, ""),
        (8 * _HOUR, _HOUR, "h", _MINUTE, "m"),
        (2 * _DAY, _HOUR, "h", 0, ""),
        (8 * _DAY, _DAY, "d", _HOUR, "h"),
        (2 * _YEAR, _DAY, "d", 0, ""),
        (8 * _YEAR, _YEAR, "y", _DAY, "d"),
    ):
        if seconds < below:
            rest = seconds % unit // lower if lower else 0
            return f"{seconds // unit}{sign}" + (f"{rest}{lower_sign}" if rest else "")
    return f"{seconds // _YEAR}y"
