"""Kubeconfig and flags together: one cluster, one user, one context (client-go: tools/clientcmd/client_config.go)."""

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.entries import Cluster, Context, Kubeconfig, User
from kubectl_dra.kubeconfig.overrides import Overrides


@dataclass(frozen=True)
class Selection:
    """The entries in use, with their names; flags are already in them. A name is empty when nothing names one."""

    context_name: str
    cluster_name: str
    cluster: Cluster
    user_name: str
    user: User
    namespace: str


def select(config: Kubeconfig, overrides: Overrides) -> Selection:
    """What `overrides` choose of `config`.

    kubectl goes on with defaults when the context names a cluster or user that is not there: to localhost:8080, as nobody.
    Here that is an error, unless flags say what is missing.
    """
    name, context = _context(config, overrides)
    cluster_name = overrides.cluster or context.cluster
    user_name = overrides.user or context.user
    cluster = config.clusters.get(cluster_name)
    if cluster is None and cluster_name and (overrides.cluster or not overrides.server):
        raise KubeconfigError(
            f'cluster "{cluster_name}" {_named_by(overrides.cluster, name, "cluster")} does not exist in {config.place}',
            hint=_choice("cluster", config.clusters),
        )
    user = config.users.get(user_name)
    if user is None and user_name and (overrides.user or not (overrides.token or overrides.client_certificate)):
        raise KubeconfigError(
            f'user "{user_name}" {_named_by(overrides.user, name, "user")} does not exist in {config.place}',
            hint=_choice("user", config.users),
        )
    return Selection(
        context_name=name,
        cluster_name=cluster_name,
        cluster=_cluster_with_flags(cluster or Cluster(), overrides),
        user_name=user_name,
        user=_user_with_flags(user or User(), overrides),
        namespace=overrides.namespace or context.namespace,
    )


def _context(config: Kubeconfig, overrides: Overrides) -> tuple[str, Context]:
    name = overrides.context or config.current_context
    context = config.contexts.get(name)
    if context is not None:
        return name, context
    if name:
        which = f'context "{name}"' if overrides.context else f'the current context "{name}"'
        raise KubeconfigError(f"{which} does not exist in {config.place}", hint=_choice("context", config.contexts))
    return "", Context()


def _named_by(flag: str, context_name: str, kind: str) -> str:
    return f"of --{kind}" if flag else f'of context "{context_name}"'


def _choice(kind: str, names: Iterable[str]) -> str:
    known = sorted(names)
    shown = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")
    return f"{kind}s there: {shown}" if known else f"it has no {kind}s at all"


def _cluster_with_flags(cluster: Cluster, flags: Overrides) -> Cluster:
    """A CA or `--insecure-skip-tls-verify` replaces all that the entry says of trust; `--server` also its tls-server-name."""
    changed = replace(
        cluster,
        server=flags.server or cluster.server,
        proxy_url=flags.proxy_url or cluster.proxy_url,
        disable_compression=flags.disable_compression or cluster.disable_compression,
    )
    if flags.insecure_skip_tls_verify or flags.certificate_authority:
        changed = replace(
            changed,
            insecure_skip_tls_verify=bool(flags.insecure_skip_tls_verify),
            certificate_authority=flags.certificate_authority,
            certificate_authority_data="",
        )
    if flags.tls_server_name or flags.server:
        changed = replace(changed, tls_server_name=flags.tls_server_name)
    return changed


def _user_with_flags(user: User, flags: Overrides) -> User:
    """Flags replace field by field: `--token` leaves the entry's client certificate (and its tokenFile) where it is, as kubectl does."""
    changed = replace(
        user,
        token=flags.token or user.token,
        as_=flags.as_ or user.as_,
        as_uid=flags.as_uid or user.as_uid,
        as_groups=flags.as_groups or user.as_groups,
        as_user_extra={**user.as_user_extra, **flags.extra()},
    )
    if flags.client_key:
        changed = replace(changed, client_key=flags.client_key, client_key_data="")
    if flags.client_certificate:
        changed = replace(changed, client_certificate=flags.client_certificate, client_certificate_data="")
    return changed
