"""Lengths of time on the command line, as kubectl's flags take them."""

import math

from kubectl_dra.errors import UsageError


def seconds(text: str, option: str, *, longest: float = 7 * 24 * 3600.0) -> float:
    """`30`, `10s`, `1h30m` as seconds; 0 where nothing is said. Raises UsageError for what is no duration, negative or longer than that."""
    from kubectl_dra.kubeconfig import timeout

    try:
        found = timeout.seconds(text) or 0.0
    except UsageError:
        found = math.inf
    if text.startswith("-") or found > longest:
        most = f"; {longest / 3600:.0f}h at most" if found < math.inf else ""
        raise UsageError(f'"{text}" is no duration for {option}', hint=f"Give seconds, or numbers with units: 10s, 6m, 1h30m{most}.")
    return found
