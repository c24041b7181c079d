"""A control plane of its own on this machine."""

import base64
import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from tests.bed.api import Api, Manifest
from tests.bed.process import BedError, Process, Supervised, closed_on_error


class User(msgspec.Struct, frozen=True, rename="camel"):
    """Who may log in. `client_certificate` and `client_key` are paths."""

    name: str
    groups: tuple[str, ...]
    token: str
    client_certificate: Path
    client_key: Path


class _Ready(msgspec.Struct, frozen=True, rename="camel"):
    dir: Path
    kubeconfig: Path
    server: str
    certificate_authority: Path
    users: tuple[User, ...]
    processes: dict[str, Process]


class Cluster(Supervised):
    """etcd, kube-apiserver, kube-scheduler and kube-controller-manager.

    `kubeconfig` is the administrator's; `api` the tests' own access; `users` are `admin`, `nobody` (no rights) and what was asked for.
    """

    def __init__(
        self,
        bed: Path,
        directory: Path,
        *,
        emulated_version: str = "",
        runtime_config: str = "",
        authorization_mode: str = "",
        feature_gates: str = "",
        controllers: bool = True,
        scheduler: bool = True,
        users: Iterable[str] = (),
        serving_for: str = "",
        port: int = 0,
        flags: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Start it and wait until it is ready: 2 to 4 s.

        `directory` is new, or an earlier cluster's, which then goes on with its keys and data. `emulated_version` as "1.36". `users` as
        "NAME,GROUP,GROUP". `serving_for` as "-1h" makes a serving certificate that has run out. `flags`: more flags by component
        ("apiserver", "scheduler", "controller-manager").
        """
        directory.mkdir(parents=True, exist_ok=True)
        options = {
            "dir": str(directory),
            "emulated-version": emulated_version,
            "runtime-config": runtime_config,
            "authorization-mode": authorization_mode,
            "feature-gates": feature_gates,
            "serving-for": serving_for,
            "port": str(port or ""),
        }
        command: list[str | Path] = [bed, "cluster", *(f"--{name}={value}" for name, value in options.items() if value)]
        command += [f"--no-{name}" for name, wanted in (("controllers", controllers), ("scheduler", scheduler)) if not wanted]
        command += [f"--user={user}" for user in users]
        command += [f"--{component}-flag={flag}" for component, more in (flags or {}).items() for flag in more]
        self.bed = bed
        self._ready: _Ready | None = None
        super().__init__(command, "cluster", directory / "cluster.log")
        with closed_on_error(self):
            self._ready = self.line(_Ready)

    @property
    def _told(self) -> _Ready:
        if self._ready is None:
            raise BedError("the cluster is not ready")
        return self._ready

    @property
    def dir(self) -> Path:
        """Its work folder."""
        return self._told.dir

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self._told.kubeconfig

    @property
    def server(self) -> str:
        """The API server's URL."""
        return self._told.server

    @property
    def certificate_authority(self) -> Path:
        """The certificate that its serving certificate is signed by."""
        return self._told.certificate_authority

    @property
    def serving_certificate(self) -> tuple[Path, Path]:
        """The API server's own certificate and key, good for 127.0.0.1: another server may pose as it."""
        return self.certificate_authority.with_name("server.crt"), self.certificate_authority.with_name("server.key")

    @property
    def users(self) -> Mapping[str, User]:
        """Users by name."""
        return {user.name: user for user in self._told.users}

    @property
    def processes(self) -> Mapping[str, Process]:
        """The components by name, as they were told last."""
        return self._told.processes

    @cached_property
    def api(self) -> Api:
        """The administrator's access."""
        return Api(self.server, self.certificate_authority, self.users["admin"].token)

    def logs(self) -> Mapping[str, Path]:
        """The components' logs."""
        if self._ready is None:
            return super().logs()
        return {**super().logs(), **{name: process.log for name, process in self._ready.processes.items()}}

    def stop(self, component: str) -> None:
        """End one component by name."""
        self._take(f"stop {component}")

    def start(self, component: str) -> None:
        """Start it again, on the same port and data."""
        self._take(f"start {component}")

    def _take(self, command: str) -> None:
        self._ready = msgspec.structs.replace(self._told, processes=self.command(command, dict[str, Process]))

    def kubectl(self, *arguments: str, kubeconfig: Path | None = None, stdin: str | None = None, check: bool = True) -> str:
        """Run the bed's kubectl and give its stdout. `check` raises its stderr when it fails."""
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig or self.kubeconfig), "KUBECACHEDIR": str(self.dir / "kubectl-cache")}
        ran = subprocess.run(
            [self.bed, "kubectl", *arguments], env=environment, input=stdin, capture_output=True, text=True, check=False, timeout=120
        )
        if check and ran.returncode:
            raise BedError(f"kubectl {' '.join(arguments)}: {ran.stderr.strip()}")
        return ran.stdout

    def write_kubeconfig(
        self,
        path: Path,
        user: Mapping[str, object] | None = None,
        *,
        server: str | None = None,
        namespace: str | None = None,
        context: str = "bed",
        cluster: Mapping[str, object] | None = None,
    ) -> Path:
        """Write a kubeconfig with one context and give its path.

        `user` is the entry's content (`{"token": ...}`; the administrator's token if none), `server` another URL (a proxy's), `cluster`
        further fields of the cluster's entry. The authority's certificate is inlined.
        """
        authority = base64.b64encode(self.certificate_authority.read_bytes()).decode()
        config: Manifest = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": context, "cluster": {"server": server or self.server, "certificate-authority-data": authority, **(cluster or {})}}
            ],
            "users": [{"name": context, "user": dict(user) if user is not None else {"token": self.users["admin"].token}}],
            "contexts": [
                {"name": context, "context": {"cluster": context, "user": context, **({"namespace": namespace} if namespace else {})}}
            ],
            "current-context": context,
        }
        path.write_text(json.dumps(config, indent=1))
        return path

    def events(self) -> str:
        """All events, oldest first, a line each."""
        events = self.api.items("/api/v1/events")
        events.sort(key=lambda event: event["metadata"]["creationTimestamp"])
        return "\n".join(
            f"{event['metadata']['creationTimestamp']} {event['involvedObject'].get('namespace', '')}/{event['involvedObject'].get('name')}"
            f" {event.get('reason')}: {event.get('message')}"
            for event in events
        )

    def close(self) -> None:
        """End it; nothing in it is worth saving, its folder stays."""
        if "api" in self.__dict__:
            self.api.close()
        super().close()
