"""What runs beside and has its own view of devices (`neighbours.toml`)."""

from functools import cache
from pathlib import Path

import msgspec

from kubectl_dra.knowledge.vendors import PodPattern


class Neighbour(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """One of them, and how it is recognised: by its Deployment, by nodes that it makes, by custom kinds that are served."""

    id: str
    name: str
    source: tuple[str, ...]
    deployments: tuple[PodPattern, ...] = ()
    node_labels: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    neighbours: tuple[Neighbour, ...]


@cache
def _table() -> dict[str, Neighbour]:
    table = msgspec.toml.decode(Path(__file__).with_name("neighbours.toml").read_bytes(), type=_Table)
    return {each.id: each for each in table.neighbours}


def neighbour(id_: str) -> Neighbour:
    """The one of that id. Raises KeyError."""
    return _table()[id_]
