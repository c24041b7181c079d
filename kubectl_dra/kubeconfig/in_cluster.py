"""The connection of a pod that has no kubeconfig: its service account (client-go: rest/config.go, InClusterConfig)."""

from collections.abc import Mapping
from pathlib import Path

from kubectl_dra.environment import Environment
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig import proxies
from kubectl_dra.kubeconfig.connection import Connection, Impersonation, Trust
from kubectl_dra.kubeconfig.credentials import Material, StoredCredentials
from kubectl_dra.kubeconfig.overrides import Overrides

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def possible(variables: Mapping[str, str], service_account: Path) -> bool:
    """Whether this process runs in a pod with a service account."""
    named = variables.get("KUBERNETES_SERVICE_HOST") and variables.get("KUBERNETES_SERVICE_PORT")
    return bool(named) and (service_account / "token").is_file()


def connection(overrides: Overrides, environment: Environment, service_account: Path, timeout: float | None) -> Connection:
    """The service account's connection; of the flags, token, authority, namespace and impersonation count."""
    host, port = environment.variables["KUBERNETES_SERVICE_HOST"], environment.variables["KUBERNETES_SERVICE_PORT"]
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    authority = Path(overrides.certificate_authority) if overrides.certificate_authority else service_account / "ca.crt"
    if not overrides.as_ and (overrides.as_uid or overrides.as_groups or overrides.as_user_extra):
        raise KubeconfigError("a uid, groups or extra fields are asked for without a user to act as (--as)")
    return Connection(
        server=server,
        context="",
        cluster="",
        user="",
        namespace=overrides.namespace or _namespace(environment.variables, service_account),
        credentials=StoredCredentials(
            token=overrides.token,
            token_file="" if overrides.token else str(service_account / "token"),
            monotonic=environment.clock.monotonic,
        ),
        trust=Trust(Material(path=str(authority)).read("the certificate authority")),
        impersonation=(
            Impersonation(overrides.as_, overrides.as_uid, overrides.as_groups, tuple(overrides.extra().items())) if overrides.as_ else None
        ),
        proxy=overrides.proxy_url or proxies.from_variables(server, environment.variables),
        timeout=timeout,
        disable_compression=bool(overrides.disable_compression),
    )


def _namespace(variables: Mapping[str, str], service_account: Path) -> str:
    if variables.get("POD_NAMESPACE"):
        return variables["POD_NAMESPACE"]
    try:
        return (service_account / "namespace").read_text(encoding="utf-8").strip() or "default"
    except OSError:
        return "default"  # kubectl's rule: a service account without the file is in no namespace of its own
