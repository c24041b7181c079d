"""What a kubeconfig holds: clusters, users, contexts (client-go: tools/clientcmd/api/v1/types.go).

Users hold secrets, so no entry shows its fields when it is printed.
"""

from collections.abc import Mapping

import msgspec


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all: unknown fields are ignored, as kubectl ignores them."""

    def __repr__(self) -> str:
        """Only the name of the class: tracebacks and logs must not carry tokens."""
        return f"<{type(self).__name__}>"

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """The same for rich's tracebacks."""
        return []


class Extension(Entry, frozen=True):
    """A named piece of somebody else's data; exec plugins get the one named `client.authentication.k8s.io/exec`."""

    name: str = ""
    extension: object = None


class Cluster(
    Entry,
    frozen=True,
    rename={
        "tls_server_name": "tls-server-name",
        "insecure_skip_tls_verify": "insecure-skip-tls-verify",
        "certificate_authority": "certificate-authority",
        "certificate_authority_data": "certificate-authority-data",
        "proxy_url": "proxy-url",
        "disable_compression": "disable-compression",
    },
):
    """How to reach an API server. `certificate_authority_data` is base64 of PEM, the path's data wins over the path."""

    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    proxy_url: str = ""
    disable_compression: bool = False
    extensions: tuple[Extension, ...] = ()


class AuthProvider(Entry, frozen=True):
    """The old way to log in. kubectl still knows `oidc` only."""

    name: str = ""
    config: Mapping[str, str] = {}


class ExecVariable(Entry, frozen=True):
    """A variable for the plugin's environment."""

    name: str = ""
    value: str = ""


class ExecPlugin(Entry, frozen=True, rename="camel"):
    """A program that prints credentials."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[ExecVariable, ...] = ()
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


class User(
    Entry,
    frozen=True,
    rename={
        "client_certificate": "client-certificate",
        "client_certificate_data": "client-certificate-data",
        "client_key": "client-key",
        "client_key_data": "client-key-data",
        "token_file": "tokenFile",
        "as_": "as",
        "as_uid": "as-uid",
        "as_groups": "as-groups",
        "as_user_extra": "as-user-extra",
        "auth_provider": "auth-provider",
    },
):
    """Who to be."""

    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    token: str = ""
    token_file: str = ""
    as_: str = ""
    as_uid: str = ""
    as_groups: tuple[str, ...] = ()
    as_user_extra: Mapping[str, tuple[str, ...]] = {}
    username: str = ""
    password: str = ""
    auth_provider: AuthProvider | None = None
    exec: ExecPlugin | None = None


class Context(Entry, frozen=True):
    """A cluster, a user and a namespace, by their names."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class NamedCluster(Entry, frozen=True):
    """An item of `clusters`."""

    name: str = ""
    cluster: Cluster = Cluster()


class NamedUser(Entry, frozen=True):
    """An item of `users`."""

    name: str = ""
    user: User = User()


class NamedContext(Entry, frozen=True):
    """An item of `contexts`."""

    name: str = ""
    context: Context = Context()


class KubeconfigFile(Entry, frozen=True, rename={"api_version": "apiVersion", "current_context": "current-context"}):
    """One file as it is written."""

    api_version: str = ""
    kind: str = ""
    current_context: str = ""
    clusters: tuple[NamedCluster, ...] = ()
    users: tuple[NamedUser, ...] = ()
    contexts: tuple[NamedContext, ...] = ()


class Kubeconfig(Entry, frozen=True):
    """One file, or several merged, by name. `files` are the paths that were read."""

    files: tuple[str, ...] = ()
    current_context: str = ""
    clusters: Mapping[str, Cluster] = {}
    users: Mapping[str, User] = {}
    contexts: Mapping[str, Context] = {}

    @property
    def place(self) -> str:
        """Where an entry was looked for, for messages."""
        return ", ".join(self.files) or "the kubeconfig"
