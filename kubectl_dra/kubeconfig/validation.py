"""What cannot be used, said before anything is sent (client-go: tools/clientcmd/validation.go)."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.entries import Cluster, ExecPlugin, User
from kubectl_dra.kubeconfig.selection import Selection

INTERACTIVE_MODES = ("Never", "IfAvailable", "Always")
EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
PROXY_SCHEMES = ("http", "https", "socks5")


def check(selection: Selection) -> None:
    """Raise KubeconfigError with everything that is wrong with the entries in use."""
    cluster = f'cluster "{selection.cluster_name}"' if selection.cluster_name else "the cluster of the flags"
    user = f'user "{selection.user_name}"' if selection.user_name else "the user of the flags"
    mistakes = [f"{cluster} {mistake}" for mistake in _of_cluster(selection.cluster)]
    mistakes += [f"{user} {mistake}" for mistake in _of_user(selection.user)]
    if mistakes:
        raise KubeconfigError("; ".join(mistakes), hint="mend the kubeconfig, or choose another context with --context")


def _of_cluster(cluster: Cluster) -> Iterator[str]:
    if cluster.proxy_url:
        try:
            scheme = urlsplit(cluster.proxy_url).scheme
        except ValueError:
            scheme = ""
        if scheme not in PROXY_SCHEMES:
            yield f"has a proxy-url that does not begin with {', '.join(f'{scheme}://' for scheme in PROXY_SCHEMES)}"
    if cluster.certificate_authority and cluster.certificate_authority_data:
        yield "has both certificate-authority and certificate-authority-data"
    if cluster.insecure_skip_tls_verify and (cluster.certificate_authority or cluster.certificate_authority_data):
        yield "has a certificate authority and insecure-skip-tls-verify"


def _of_user(user: User) -> Iterator[str]:
    if user.token and (user.username or user.password):
        yield "has both a token and a username with password"
    if user.client_certificate or user.client_certificate_data:
        if user.client_certificate and user.client_certificate_data:
            yield "has both client-certificate and client-certificate-data"
        if user.client_key and user.client_key_data:
            yield "has both client-key and client-key-data"
        if not user.client_key and not user.client_key_data:
            yield "has a client certificate without its key"
    if not user.as_ and (user.as_uid or user.as_groups or user.as_user_extra):
        yield "asks for a uid, groups or extra fields without a user to act as (as, --as)"
    if user.exec is not None:
        yield from _of_plugin(user.exec)
        if user.auth_provider is not None:
            yield "has both an exec plugin and an auth-provider"


def _of_plugin(plugin: ExecPlugin) -> Iterator[str]:
    if not plugin.command:
        yield "has an exec plugin without a command"
    if not plugin.api_version:
        yield "has an exec plugin without an apiVersion"
    elif plugin.api_version not in EXEC_VERSIONS:
        yield f'has an exec plugin of apiVersion "{plugin.api_version}"; only {" and ".join(EXEC_VERSIONS)} are known'
    elif mode(plugin) not in INTERACTIVE_MODES:
        yield f'has an exec plugin with interactiveMode "{plugin.interactive_mode}"; it is one of {", ".join(INTERACTIVE_MODES)}'
    if any(not variable.name for variable in plugin.env):
        yield "has an exec plugin with a variable that has no name"


def mode(plugin: ExecPlugin) -> str:
    """The plugin's interactiveMode; v1beta1 may leave it out (client-go: tools/clientcmd/api/v1/defaults.go)."""
    return plugin.interactive_mode or ("IfAvailable" if plugin.api_version.endswith("/v1beta1") else "")
