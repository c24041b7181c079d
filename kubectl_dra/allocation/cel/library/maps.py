"""What transformMap and transformMapEntry are made of (cel-go: ext/comprehensions.go)."""

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.kinds import go_text
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.map_keys import find, map_key
from kubectl_dra.allocation.cel.values import ABSENT, MapValue, Value


def _insert(target: MapValue, key: Value, value: Value) -> MapValue:
    if find(target, key) is not ABSENT:
        raise EvaluationError(f"insert failed: key {go_text(key)} already exists")
    # The accumulator of a fold is the only target there can be, and nobody else holds it.
    target.entries[map_key(key)] = value
    return target


def _merge(target: MapValue, update: MapValue) -> MapValue:
    for key, value in zip(update.key_values(), update.entries.values(), strict=True):
        _insert(target, key, value)
    return target


IMPLEMENTATIONS: dict[str, Implementation] = {
    "@mapInsert_map_key_value": _insert,
    "@mapInsert_map_map": _merge,
}
