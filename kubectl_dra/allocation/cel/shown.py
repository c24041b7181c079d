"""Values as people read them in a trace: like literals, cut where they are long."""

from kubectl_dra.allocation.cel.errors import CelError
from kubectl_dra.allocation.cel.kinds import go_text
from kubectl_dra.allocation.cel.values import ListValue, MapValue, Optional, Undecided, Value
from kubectl_dra.objects.quoted import quoted

_MOST = 8
_LONGEST = 120
_DEEPEST = 2


def shown(value: Value, depth: int = 0) -> str:
    """The value in a few words."""
    if depth > _DEEPEST and isinstance(value, (ListValue, MapValue)):
        return "..."
    match value:
        case CelError():
            return f"error: {value.message}"
        case str():
            return quoted(value if len(value) <= _LONGEST else value[:_LONGEST] + "...")
        case None:
            return "null"
        case ListValue():
            return f"[{_cut([shown(item, depth + 1) for item in value.items[: _MOST + 1]])}]"
        case MapValue():
            pairs = list(zip(value.key_values(), value.entries.values(), strict=True))[: _MOST + 1]
            return "{" + _cut([f"{shown(key)}: {shown(item, depth + 1)}" for key, item in pairs]) + "}"
        case Optional():
            return f"optional.of({shown(value.value)})" if value.present else "optional.none()"
        case Undecided():
            return "undecided"
        case _:
            return go_text(value)


def _cut(parts: list[str]) -> str:
    return ", ".join(parts if len(parts) <= _MOST else [*parts[:_MOST], "..."])
