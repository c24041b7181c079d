"""`--request-timeout` as kubectl reads it (client-go: tools/clientcmd/helpers.go; the units are Go's time.ParseDuration)."""

import math
import re

from kubectl_dra.errors import UsageError

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PIECE = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_LONGEST = (2**63 - 1) / 1e9
"""Of a Go duration, which counts nanoseconds in 64 bits."""
_WHOLE = re.compile(rf"[+-]?(?:{_PIECE.pattern})+", re.ASCII)


def seconds(text: str) -> float | None:
    """`30`, `1m30s`, `0` as seconds; None when requests may take as long as they like (empty, zero, negative)."""
    if re.fullmatch(r"\+?\d+", text, re.ASCII):
        value = float(text)
    elif _WHOLE.fullmatch(text):
        value = sum(float(number) * _UNITS[unit] for number, unit in _PIECE.findall(text))
        value = -value if text.startswith("-") else value
    elif text in ("", "-0", "+0"):
        value = 0.0
    else:
        value = math.inf
    if abs(value) > _LONGEST:
        raise UsageError(
            f'"{text}" is not a timeout for --request-timeout',
            hint="give whole seconds, or numbers with units: 30, 10s, 2m, 1h30m; 0 means no limit",
        )
    return value if value > 0 else None
