"""The way from flags, variables and files to one Connection."""

from pathlib import Path

from kubectl_dra.environment import Environment
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import auth_provider, exec_plugin, files, in_cluster, proxies, server_url, timeout, validation
from kubectl_dra.kubeconfig.connection import Connection, Impersonation, Trust
from kubectl_dra.kubeconfig.credentials import Credentials, Material, StoredCredentials
from kubectl_dra.kubeconfig.entries import Kubeconfig, User
from kubectl_dra.kubeconfig.merge import merged
from kubectl_dra.kubeconfig.overrides import Overrides
from kubectl_dra.kubeconfig.selection import Selection, select


def connect(overrides: Overrides, environment: Environment, *, service_account: Path = in_cluster.SERVICE_ACCOUNT) -> Connection:
    """The connection that kubectl would make with the same flags, variables and files.

    Reads files, runs nothing, asks nobody. Raises KubeconfigError (3) or, for a flag that means nothing, UsageError (2).
    """
    limit = timeout.seconds(overrides.request_timeout)
    config = merged(files.read_all(overrides.kubeconfig, environment.variables))
    selection = select(config, overrides)
    server = selection.cluster.server or environment.variables.get("KUBERNETES_MASTER", "")
    if not selection.cluster.server and in_cluster.possible(environment.variables, service_account):
        return in_cluster.connection(overrides, environment, service_account, limit)
    if not server:
        raise _nowhere(config, selection, overrides, environment)
    validation.check(selection)
    server = server_url.normal(server, selection.cluster_name)
    secure = server.startswith("https://")
    trust = _trust(selection) if secure else Trust()
    proxy = selection.cluster.proxy_url or proxies.from_variables(server, environment.variables)
    return Connection(
        server=server,
        context=selection.context_name,
        cluster=selection.cluster_name,
        user=selection.user_name,
        namespace=selection.namespace or "default",
        # kubectl sends no credentials over plain http
        credentials=_credentials(selection, server, trust, proxy, config, environment) if secure else _stored(User(), "", environment),
        trust=trust,
        impersonation=impersonation(selection.user),
        proxy=proxy,
        timeout=limit,
        disable_compression=selection.cluster.disable_compression,
    )


def _nowhere(config: Kubeconfig, selection: Selection, overrides: Overrides, environment: Environment) -> KubeconfigError:
    """kubectl tries localhost:8080 then, which is nobody's wish."""
    if selection.cluster_name:
        return KubeconfigError(f'cluster "{selection.cluster_name}" in {config.place} has no server')
    if config.contexts:
        return KubeconfigError(
            f"no context is chosen: {config.place} has no current-context",
            hint=f"choose one with --context: {', '.join(sorted(config.contexts)[:10])}",
        )
    looked = ", ".join(files.paths(overrides.kubeconfig, environment.variables))
    if config.files:
        found = f"{config.place} has no cluster"
    else:
        found = f"there is no kubeconfig: {f'looked for {looked}' if looked else 'neither KUBECONFIG nor HOME is set'}"
    hint = "set KUBECONFIG, or give --kubeconfig FILE, --server URL, --from FILE for a snapshot, or --demo for the example"
    return KubeconfigError(found, hint=hint)


def _nobody(selection: Selection, config: Kubeconfig) -> KubeconfigError:
    """kubectl asks for a username and password then; API servers take none since Kubernetes 1.19."""
    if selection.user_name:
        return KubeconfigError(f'user "{selection.user_name}" in {config.place} has no credentials', hint="log in again, or give --token")
    return KubeconfigError(f'context "{selection.context_name}" in {config.place} names no user', hint="give --user NAME or --token")


def _trust(selection: Selection) -> Trust:
    cluster = selection.cluster
    authority = Material(cluster.certificate_authority_data, cluster.certificate_authority).read(
        f'the certificate authority of cluster "{selection.cluster_name}"'
    )
    return Trust(authority, cluster.tls_server_name, cluster.insecure_skip_tls_verify)


def impersonation(user: User) -> Impersonation | None:
    """Whom the entry, with the flags in it, acts as (report E72)."""
    if not user.as_:
        return None
    return Impersonation(user.as_, user.as_uid, user.as_groups, tuple(user.as_user_extra.items()))


def _stored(user: User, name: str, environment: Environment) -> StoredCredentials:
    return StoredCredentials(
        user_name=name,
        token=user.token,
        token_file=user.token_file,
        username=user.username,
        password=user.password,
        certificate=Material(user.client_certificate_data, user.client_certificate),
        key=Material(user.client_key_data, user.client_key),
        monotonic=environment.clock.monotonic,
    )


def _credentials(selection: Selection, server: str, trust: Trust, proxy: str, config: Kubeconfig, environment: Environment) -> Credentials:
    """An exec plugin is asked only when nothing else says who one is (client-go: plugin/pkg/client/auth/exec, UpdateTransportConfig)."""
    user = selection.user
    stored = _stored(user, selection.user_name, environment)
    if user.auth_provider is not None:
        return auth_provider.credentials(user, selection.user_name, stored, config, environment)
    others = user.token or user.token_file or user.username or user.password or user.client_certificate or user.client_certificate_data
    if user.exec is None and not others:
        raise _nobody(selection, config)
    if user.exec is None or others:
        return stored
    spec = exec_plugin.ClusterInfo.of(selection.cluster, server, trust, proxy) if user.exec.provide_cluster_info else None
    return exec_plugin.ExecCredentials(user.exec, selection.user_name, spec, environment)
