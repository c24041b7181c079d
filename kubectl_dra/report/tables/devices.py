"""How the list of devices reads: a line a device, then the selectors that fail."""

from collections.abc import Iterator

from kubectl_dra.inventory.device_document import DeviceItem, DeviceList, Trial
from kubectl_dra.report.tables.inventory import UNKNOWN, unknown_lines
from kubectl_dra.report.view import Column, Section, Style, Table, Text, View

_STATES = {
    "free": Style.FINE,
    "tainted": Style.WARNING,
    "incomplete": Style.BAD,
    "invalid": Style.BAD,
    "unknown": Style.WARNING,
}


def _state(item: DeviceItem) -> str:
    return f"shared {item.shared_percent}%" if item.shared_percent is not None else item.state


def _classes(item: DeviceItem) -> str | None:
    return UNKNOWN if item.classes is None else ",".join(item.classes)


def _claims(item: DeviceItem) -> str:
    held = [item.claim] if item.claim is not None else [share.claim for share in item.shares]
    return ",".join(dict.fromkeys(f"{claim.namespace}/{claim.name}" for claim in held))


def _values(item: DeviceItem) -> str:
    return ",".join(f"{name}={_value(value)}" for name, value in item.attributes.items())


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{' '.join(map(_value, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _where(item: DeviceItem) -> str:
    trial = item.where or Trial(None)
    return "error" if trial.matches is None else str(trial.matches).lower()


def _why(item: DeviceItem) -> str:
    trial = item.where or Trial(None)
    return "; ".join(trial.reasons) or trial.error.partition("\n")[0]


_PLACE: tuple[Column[DeviceItem], ...] = (
    Column("NODE", lambda row: row.node or f"<{row.nodes or 'none'}>"),
    Column("DRIVER", lambda row: row.driver),
    Column("POOL", lambda row: row.pool),
    Column("DEVICE", lambda row: row.device),
)
_WIDE: tuple[Column[DeviceItem], ...] = (
    Column("TAINTS", lambda row: ",".join(row.taints), wide=True),
    Column("ATTRIBUTES", _values, wide=True),
    Column("CAPACITY", lambda row: ",".join(f"{name}={amount}" for name, amount in row.capacity.items()), wide=True),
    Column("NOTE", lambda row: row.note, wide=True),
)
DEVICES: Table[DeviceItem] = Table(
    (
        *_PLACE,
        Column("STATE", _state, style=lambda row: _STATES.get(row.state, Style.PLAIN)),
        Column("CLASSES", _classes),
        Column("CLAIM", _claims),
        Column("POD", lambda row: ",".join(row.pods)),
        *_WIDE,
    )
)
TRIED: Table[DeviceItem] = Table(
    (
        *_PLACE,
        Column("WHERE", _where, style=lambda row: {"true": Style.FINE, "error": Style.BAD}.get(_where(row), Style.PLAIN)),
        Column("WHY", _why),
        *_WIDE,
    )
)


def _sections(devices: DeviceList, wide: bool) -> Iterator[Section]:
    if devices.items:
        yield (DEVICES if devices.where is None else TRIED).of(devices.items)
    if devices.where is None:
        yield from _failing(devices)
    yield from unknown_lines(devices.unknown)


def _failing(devices: DeviceList) -> Iterator[Section]:
    """The first error of each class: it stops the scheduling of pods for which the device is looked at."""
    first: dict[str, tuple[str, int]] = {}
    for item in devices.items:
        for name, error in item.failing.items():
            seen = first.get(name, (error, 0))
            first[name] = (seen[0], seen[1] + 1)
    for error, count in first.values():
        more = f" (and on {count - 1} more)" if count > 1 else ""
        yield Text(
            f"{error.partition(chr(10))[0]}{more}: a pod for which the scheduler looks at such a device is placed on no node", Style.BAD
        )


DEVICE_LIST: View[DeviceList] = View(
    sections=_sections, names=lambda devices: [f"device/{item.driver}/{item.pool}/{item.device}" for item in devices.items]
)
