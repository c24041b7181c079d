"""`kubectl dra version`."""

import platform
from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, Run

if TYPE_CHECKING:
    from kubectl_dra.report.version import ServerVersion


@command(
    OUTPUT,
    examples="""
    # The version of this tool
    kubectl dra version

    # And of the cluster, for a report of a fault
    kubectl dra version --with-server -o yaml
    """,
)
def version(
    run: Run,
    with_server: Annotated[bool, typer.Option("--with-server", help="Ask the API server for its version, too.")] = False,
) -> None:
    """Print the version of this tool, and with --with-server of the cluster and its DRA API."""
    import kubectl_dra
    from kubectl_dra.report import formats
    from kubectl_dra.report.version import VERSION, ClientVersion, Version

    client = ClientVersion(version=kubectl_dra.__version__, python=platform.python_version())
    document = Version(client=client, server=_server(run) if with_server else None)
    formats.write(document, run.output, run.environment, VERSION, no_headers=run.no_headers)


def _server(run: Run) -> "ServerVersion":
    from kubectl_dra.cli.source import connected
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.progress import nobody
    from kubectl_dra.report.version import ServerVersion

    with connected(run, nobody) as transport:
        found = discover(transport)
    real, emulated = found.version, found.emulated
    minor = None if (real.major, real.minor) == (emulated.major, emulated.minor) else f"{emulated.major}.{emulated.minor}"
    return ServerVersion(found.git_version, minor, found.versions_of("resource.k8s.io"))
