"""The tests' own way to a cluster: urllib3 and JSON, none of the code under test."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
import yaml

Manifest = dict[str, Any]
"""An object of the API, as JSON."""


class RefusedError(Exception):
    """The server said no: `status` is the HTTP status, the text its message."""

    def __init__(self, status: int, message: str) -> None:
        """Take what the server said."""
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """One user's access to one API server."""

    def __init__(self, server: str, certificate_authority: Path, token: str) -> None:
        """`server` is a URL; the certificate is checked."""
        self._server = server
        self._pool = urllib3.PoolManager(ca_certs=str(certificate_authority), headers={"Authorization": f"Bearer {token}"}, retries=False)
        self._kinds: dict[tuple[str, str], tuple[str, bool]] = {}

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    def request(self, method: str, path: str, body: object = None, content: str = "application/json", **query: str) -> Manifest:
        """Ask, and give the answer; what is not a success is raised."""
        url = f"{self._server}{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        answer = self._pool.request(method, url, body=data, headers={**self._pool.headers, "Content-Type": content}, timeout=30)
        if answer.status >= 300:
            try:
                message = answer.json().get("message", "")
            except ValueError:
                message = answer.data.decode(errors="replace")
            raise RefusedError(answer.status, message)
        told = answer.json()
        return told if isinstance(told, dict) else {"value": told}

    def get(self, path: str, **query: str) -> Manifest:
        """One object or list."""
        return self.request("GET", path, **query)

    def items(self, path: str, **query: str) -> list[Manifest]:
        """The items of a list."""
        items: list[Manifest] = self.get(path, **query)["items"]
        return items

    def find(self, path: str) -> Manifest | None:
        """One object, or None when there is none."""
        try:
            return self.get(path)
        except RefusedError as refused:
            if refused.status == 404:
                return None
            raise

    def create(self, path: str, body: Manifest) -> Manifest:
        """Create one object in the collection; unknown fields are refused."""
        return self.request("POST", path, body, fieldValidation="Strict")

    def patch(self, path: str, body: Manifest) -> Manifest:
        """Merge into one object; unknown fields are refused."""
        return self.request("PATCH", path, body, "application/merge-patch+json", fieldValidation="Strict")

    def delete(self, path: str, *, grace: int | None = None, **query: str) -> None:
        """Delete one object or a collection; what is not there is fine. `grace` 0 is by force."""
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        try:
            self.request("DELETE", path, options, **query)
        except RefusedError as refused:
            if refused.status != 404:
                raise

    def path(self, manifest: Manifest, namespace: str = "default") -> str:
        """Where an object lives; `namespace` is taken when it names none and needs one."""
        version = manifest["apiVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        plural, namespaced = self._kind(root, version, manifest["kind"])
        if namespaced:
            root += f"/namespaces/{manifest['metadata'].get('namespace', namespace)}"
        return f"{root}/{plural}/{manifest['metadata']['name']}"

    def apply(self, manifest: Manifest, namespace: str = "default") -> Manifest:
        """Server-side apply of one object, and of its status where it has one; unknown fields are refused."""
        path = self.path(manifest, namespace)
        query = {"fieldManager": "test", "force": "true", "fieldValidation": "Strict"}
        told = self.request("PATCH", path, manifest, "application/apply-patch+yaml", **query)
        if "status" in manifest and self._has_status(manifest):
            told = self.request("PATCH", f"{path}/status", manifest, "application/apply-patch+yaml", **query)
        return told

    def _kind(self, root: str, version: str, kind: str) -> tuple[str, bool]:
        if (version, kind) not in self._kinds:
            for resource in self.get(root)["resources"]:
                self._kinds[version, resource["kind"] + resource["name"].partition("/")[2]] = (resource["name"], resource["namespaced"])
        if (version, kind) not in self._kinds:
            raise RefusedError(404, f"{kind} is not served in {version}")
        return self._kinds[version, kind]

    def _has_status(self, manifest: Manifest) -> bool:
        return (manifest["apiVersion"], manifest["kind"] + "status") in self._kinds


def manifests(text: str | Manifest | Iterable[Manifest]) -> list[Manifest]:
    """Objects out of YAML (several documents, Lists too), one object or several."""
    documents = yaml.safe_load_all(text) if isinstance(text, str) else [text] if isinstance(text, dict) else text
    found: list[Manifest] = []
    for document in documents:
        if document:
            found.extend(document["items"] if document["kind"] == "List" else [document])
    return found
