"""Short ways to kubeconfig files and to an Environment for tests."""

import io
import json
from collections.abc import Mapping
from pathlib import Path

from kubectl_dra.environment import Clock, Environment
from tests.peers import certificate

Fields = Mapping[str, object]


def kubeconfig(
    path: Path,
    *,
    clusters: Mapping[str, Fields] | None = None,
    users: Mapping[str, Fields] | None = None,
    contexts: Mapping[str, Fields] | None = None,
    current: str = "c",
) -> Path:
    """A file with these entries; by default one cluster `a`, one user `u` with a token, and a context `c` of both."""
    clusters = clusters if clusters is not None else {"a": {"server": "https://a.example.com"}}
    users = users if users is not None else {"u": {"token": "secret"}}
    contexts = contexts if contexts is not None else {"c": {"cluster": "a", "user": "u"}}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": current,
        "clusters": [{"name": name, "cluster": fields} for name, fields in clusters.items()],
        "users": [{"name": name, "user": fields} for name, fields in users.items()],
        "contexts": [{"name": name, "context": fields} for name, fields in contexts.items()],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def trusting(server: str, **fields: object) -> Fields:
    """A cluster entry with the authority of the tests."""
    return {"server": server, "certificate-authority": certificate("authority"), **fields}


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def environment(variables: Mapping[str, str] | None = None, *, clock: Clock | None = None, stdin: io.StringIO | None = None) -> Environment:
    """An environment of its own: nothing of this process's variables but what is given."""
    return Environment(stdin or io.StringIO(), io.StringIO(), io.StringIO(), dict(variables or {}), clock or Clock())


def said(environment: Environment) -> str:
    """What was written to stderr."""
    assert isinstance(environment.stderr, io.StringIO)
    return environment.stderr.getvalue()
