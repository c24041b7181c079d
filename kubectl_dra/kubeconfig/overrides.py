"""What the command line says about the connection, flag by flag."""

from dataclasses import dataclass, field

from kubectl_dra.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """kubectl's connection flags; empty means not given (so it is for kubectl: `--insecure-skip-tls-verify=false` changes nothing)."""

    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    user: str = ""
    namespace: str = ""
    server: str = ""
    token: str = field(default="", repr=False)
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool | None = None
    certificate_authority: str = ""
    client_certificate: str = ""
    client_key: str = ""
    as_: str = ""
    as_groups: tuple[str, ...] = ()
    as_uid: str = ""
    as_user_extra: tuple[str, ...] = ()
    """`KEY=VALUE` each; a key may come again."""
    disable_compression: bool | None = None
    proxy_url: str = ""
    request_timeout: str = "0"

    def extra(self) -> dict[str, tuple[str, ...]]:
        """`as_user_extra` by key. kubectl drops a value without `=`, and with it a limit on what may be done; here it is an error."""
        together: dict[str, tuple[str, ...]] = {}
        for text in self.as_user_extra:
            key, equals, value = text.partition("=")
            if not equals or not key:
                raise UsageError(f'"{text}" is not KEY=VALUE for --as-user-extra')
            together[key] = (*together.get(key, ()), value)
        return together
