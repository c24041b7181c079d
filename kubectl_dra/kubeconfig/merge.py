"""Several kubeconfigs as one (client-go: tools/clientcmd/loader.go, Load)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from kubectl_dra.kubeconfig.entries import Kubeconfig

T = TypeVar("T")


def merged(configs: Sequence[Kubeconfig]) -> Kubeconfig:
    """The first file that has an entry of a name gives the whole entry; the first with a current context gives that (report E71)."""
    return Kubeconfig(
        files=tuple(file for config in configs for file in config.files),
        current_context=next((config.current_context for config in configs if config.current_context), ""),
        clusters=_first_wins(config.clusters for config in configs),
        users=_first_wins(config.users for config in configs),
        contexts=_first_wins(config.contexts for config in configs),
    )


def _first_wins(maps: Iterable[Mapping[str, T]]) -> Mapping[str, T]:
    together: dict[str, T] = {}
    for entries in maps:
        for name, entry in entries.items():
            together.setdefault(name, entry)
    return together
