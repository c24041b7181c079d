"""Credentials from a program (client-go: plugin/pkg/client/auth/exec/exec.go).

A plugin that fails is an error with its own words: going on as nobody only earns a 403 (report E73).
"""

import base64
import shutil
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

import msgspec

from kubectl_dra.environment import Environment
from kubectl_dra.errors import KubeconfigError
from kubectl_dra.kubeconfig.connection import Trust
from kubectl_dra.kubeconfig.credentials import ClientCertificate, Credential, Web
from kubectl_dra.kubeconfig.entries import Cluster, Entry, ExecPlugin
from kubectl_dra.kubeconfig.plugin_run import printable, run
from kubectl_dra.kubeconfig.text import parsed, without_nulls
from kubectl_dra.kubeconfig.validation import mode

CLUSTER_EXTENSION = "client.authentication.k8s.io/exec"
"""The cluster's extension that is the plugin's own configuration."""


class ClusterInfo(msgspec.Struct, frozen=True, omit_defaults=True, rename="kebab"):
    """`spec.cluster` of KUBERNETES_EXEC_INFO, for a plugin with provideClusterInfo."""

    server: str
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority_data: str = ""
    proxy_url: str = ""
    disable_compression: bool = False
    config: object = None

    @classmethod
    def of(cls, cluster: Cluster, server: str, trust: Trust, proxy: str) -> "ClusterInfo":
        """What the connection says of its cluster; the authority as data even if it is a file."""
        return cls(
            server=server,
            tls_server_name=trust.server_name,
            insecure_skip_tls_verify=trust.insecure,
            certificate_authority_data=base64.b64encode(trust.authority).decode() if trust.authority else "",
            proxy_url=proxy,
            disable_compression=cluster.disable_compression,
            config=next((item.extension for item in cluster.extensions if item.name == CLUSTER_EXTENSION), None),
        )


class _Status(Entry, frozen=True, rename="camel"):
    expiration_timestamp: str = ""
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""


class _Answer(Entry, frozen=True, rename="camel"):
    kind: str = ""
    api_version: str = ""
    status: _Status | None = None


@dataclass(frozen=True)
class _Kept:
    credential: Credential
    until: datetime | None


class ExecCredentials:
    """Runs the plugin when credentials are wanted, keeps them until they expire or are refused."""

    def __init__(self, plugin: ExecPlugin, user_name: str, cluster: ClusterInfo | None, environment: Environment) -> None:
        """Take the entry of the kubeconfig; `cluster` is None unless provideClusterInfo asks for it. Runs nothing yet."""
        self._plugin = plugin
        self._what = f'exec plugin "{plugin.command}" of user "{user_name}"'
        self._cluster = cluster
        self._environment = environment
        self._lock = Lock()  # a plugin may ask people: never two at a time
        self._kept: _Kept | None = None

    def get(self, web: Web) -> Credential:
        """The plugin's credential; runs it if there is none that is still good. Raises KubeconfigError."""
        with self._lock:
            kept = self._kept
            if kept is None or (kept.until is not None and self._environment.clock.now() > kept.until):
                kept = self._kept = self._ask()
            return kept.credential

    def renewed(self, refused: Credential, web: Web) -> Credential | None:
        """Run the plugin again, unless another thread has done so."""
        with self._lock:
            if self._kept is None or self._kept.credential is refused:
                self._kept = self._ask()
            return self._kept.credential

    def _ask(self) -> _Kept:
        interactive = self._interactive()
        command = shutil.which(self._plugin.command, path=self._environment.variables.get("PATH", ""))
        if command is None:
            raise KubeconfigError(f"{self._what} is not installed (not found, or not executable)", hint=self._install_hint())
        spec: dict[str, object] = {"interactive": interactive}
        if self._cluster is not None:
            spec["cluster"] = self._cluster
        info = {"kind": "ExecCredential", "apiVersion": self._plugin.api_version, "spec": spec}
        output = run(
            (command, *self._plugin.args),
            variables={
                **self._environment.variables,
                **{variable.name: variable.value for variable in self._plugin.env},
                "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode(),
            },
            stdin=self._environment.stdin if interactive else None,
            stderr=self._environment.stderr,
            what=self._what,
        )
        return self._kept_from(output)

    def _interactive(self) -> bool:
        """Whether the plugin gets standard input: it does when that is a terminal, whatever stdout is (report E76)."""
        terminal = self._environment.stdin.isatty()
        match mode(self._plugin):
            case "Never":
                return False
            case "Always" if not terminal:
                raise KubeconfigError(
                    f"{self._what} needs a terminal as standard input (interactiveMode: Always)",
                    hint="run it in a terminal, or log in first and use a user without questions",
                )
            case _:
                return terminal

    def _install_hint(self) -> str:
        hint = printable(self._plugin.install_hint).strip()
        return hint or "install it, or put its folder in PATH; it is a client-go credential plugin that the kubeconfig names"

    def _kept_from(self, output: bytes) -> _Kept:
        answer = self._decoded(output)
        if answer.api_version != self._plugin.api_version:
            raise KubeconfigError(
                f'{self._what} answers in "{answer.api_version}", but the kubeconfig says "{self._plugin.api_version}"',
                hint="set the apiVersion that the plugin speaks in the kubeconfig",
            )
        status = answer.status
        if status is None or not (status.token or status.client_certificate_data or status.client_key_data):
            raise KubeconfigError(f"{self._what} gave neither a token nor a client certificate")
        if bool(status.client_certificate_data) != bool(status.client_key_data):
            raise KubeconfigError(f"{self._what} gave a client certificate without its key, or a key alone")
        certificate = None
        if status.client_certificate_data:
            certificate = ClientCertificate(status.client_certificate_data.encode(), status.client_key_data.encode())
        return _Kept(Credential(token=status.token, certificate=certificate), self._until(status.expiration_timestamp))

    def _decoded(self, output: bytes) -> _Answer:
        value = without_nulls(parsed(output, what=f"the output of {self._what}"))
        try:
            answer = msgspec.convert(value, _Answer)
        except msgspec.ValidationError:
            answer = _Answer()
        if answer.kind != "ExecCredential":
            raise KubeconfigError(f"{self._what} did not print an ExecCredential")
        return answer

    def _until(self, text: str) -> datetime | None:
        if not text:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise KubeconfigError(f"{self._what} gave an expirationTimestamp that is not a time with a zone")
        return moment
