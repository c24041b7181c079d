"""Short ways to a Transport on a test's own server, with a clock that never waits."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.environment import Clock, Environment
from kubectl_dra.kubeconfig.connection import Connection, Trust
from kubectl_dra.kubeconfig.credentials import Credentials, StoredCredentials
from kubectl_dra.progress import Event
from tests.peers import certificate

AUTHORITY = Path(certificate("authority")).read_bytes()


@dataclass(frozen=True)
class Given:
    """A transport with what it reported and the pieces of its pauses."""

    transport: Transport
    events: list[Event]
    slept: list[float]


def connection(url: str, *, credentials: Credentials | None = None, trust: Trust | None = None, **fields: object) -> Connection:
    """To `url`, by default as a user with a token, trusting the authority of the tests."""
    made = Connection(
        server=url,
        context="c",
        cluster="a",
        user="u",
        namespace="default",
        credentials=credentials or StoredCredentials(token="secret", monotonic=lambda: 0.0),
        trust=trust or Trust(AUTHORITY),
    )
    return replace(made, **fields)  # type: ignore[arg-type] # the fields of Connection, by name


def transport(to: Connection | str, variables: Mapping[str, str] | None = None) -> Given:
    """A transport whose pauses take no time."""
    events: list[Event] = []
    slept: list[float] = []
    run = Environment(io.StringIO(), io.StringIO(), io.StringIO(), dict(variables or {}), Clock(sleep=slept.append))
    return Given(Transport(connection(to) if isinstance(to, str) else to, run, events.append), events, slept)
