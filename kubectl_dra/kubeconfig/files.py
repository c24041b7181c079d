"""Which kubeconfig files there are, and what stands in one (client-go: tools/clientcmd/loader.go)."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.entries import Cluster, Kubeconfig, KubeconfigFile, User
from kubectl_dra.kubeconfig.text import parsed, without_nulls

T = TypeVar("T")


def home(variables: Mapping[str, str]) -> str:
    """The user's folder; empty when nobody says where it is."""
    return variables.get("HOME") or variables.get("USERPROFILE") or ""


def paths(explicit: str, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The files to read, first one first: `--kubeconfig`, else the list in KUBECONFIG, else ~/.kube/config. Some may not exist."""
    if explicit:
        return (explicit,)
    if listed := variables.get("KUBECONFIG"):
        return tuple(dict.fromkeys(path for path in listed.split(os.pathsep) if path))
    folder = home(variables)
    return (str(Path(folder, ".kube", "config")),) if folder else ()


def read_all(explicit: str, variables: Mapping[str, str]) -> list[Kubeconfig]:
    """Every file that exists, in order. Only the one that `--kubeconfig` names must exist."""
    found = [(path, read(path)) for path in paths(explicit, variables)]
    if explicit and found[0][1] is None:
        raise KubeconfigError(f"the kubeconfig {explicit} does not exist", hint="check the path after --kubeconfig")
    return [config for _, config in found if config is not None]


def read(path: str) -> Kubeconfig | None:
    """One file, its relative paths resolved against its own folder; None when there is no such file, nothing in an empty one."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise KubeconfigError(f"the kubeconfig {path} cannot be read: {error.strerror}") from None
    value = without_nulls(parsed(data, what=f"the kubeconfig {path}"))
    if value is None:
        return Kubeconfig(files=(path,))
    try:
        file = msgspec.convert(value, KubeconfigFile)
    except msgspec.ValidationError as error:
        raise KubeconfigError(f"{path} is not a kubeconfig: {error}") from None
    if file.kind not in ("", "Config") or file.api_version not in ("", "v1"):
        raise KubeconfigError(f"{path} is not a kubeconfig: it holds a {file.kind or 'Config'} of {file.api_version or 'v1'}")
    folder = Path(path).absolute().parent
    return Kubeconfig(
        files=(path,),
        current_context=file.current_context,
        clusters={
            name: _placed_cluster(entry, folder) for name, entry in _named(path, "cluster", ((c.name, c.cluster) for c in file.clusters))
        },
        users={name: _placed_user(entry, folder) for name, entry in _named(path, "user", ((u.name, u.user) for u in file.users))},
        contexts=dict(_named(path, "context", ((c.name, c.context) for c in file.contexts))),
    )


def _named(path: str, kind: str, items: Iterable[tuple[str, T]]) -> Iterable[tuple[str, T]]:
    seen: set[str] = set()
    for name, entry in items:
        if name in seen:
            raise KubeconfigError(f'the kubeconfig {path} has two {kind}s named "{name}"', hint="delete or rename one of them")
        seen.add(name)
        yield name, entry


def _placed_cluster(cluster: Cluster, folder: Path) -> Cluster:
    return msgspec.structs.replace(cluster, certificate_authority=_absolute(cluster.certificate_authority, folder))


def _placed_user(user: User, folder: Path) -> User:
    plugin = user.exec
    if plugin is not None and os.sep in plugin.command:  # a bare name is looked up in PATH instead
        plugin = msgspec.structs.replace(plugin, command=_absolute(plugin.command, folder))
    return msgspec.structs.replace(
        user,
        client_certificate=_absolute(user.client_certificate, folder),
        client_key=_absolute(user.client_key, folder),
        token_file=_absolute(user.token_file, folder),
        exec=plugin,
    )


def _absolute(path: str, folder: Path) -> str:
    return os.path.normpath(folder / path) if path else ""
