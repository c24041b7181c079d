"""Feature gates as a component tells them in its metrics."""

import re
from collections.abc import Mapping

_LINE = re.compile(rb"^kubernetes_feature_enabled\{([^}]*)\}\s+([0-9.eE+-]+)", re.MULTILINE)
_NAME = re.compile(rb'(?:^|,)\s*name="([^"]*)"')


def parse(metrics: bytes) -> Mapping[str, bool]:
    """The text of `/metrics` as gate → on; a gate that has no line is not in the map (component-base: featuregate metrics)."""
    gates = {}
    for labels, value in _LINE.findall(metrics):
        name = _NAME.search(labels)
        if name is not None:
            gates[name.group(1).decode()] = float(value) == 1.0
    return gates
