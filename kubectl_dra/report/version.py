"""The answer of `kubectl dra version`."""

from collections.abc import Iterator

from kubectl_dra.document import Document, Part
from kubectl_dra.report.view import Text, View


class ClientVersion(Part, frozen=True):
    """This tool and the Python that runs it."""

    version: str
    python: str


class ServerVersion(Part, frozen=True):
    """The API server: its binary's version, the minor it emulates if it does (`1.36`), and the versions of resource.k8s.io it serves."""

    git_version: str
    emulated: str | None
    resource_versions: tuple[str, ...]


class Version(Document, frozen=True, kw_only=True):
    """Versions; `server` is null unless it was asked for."""

    kind: str = "Version"
    client: ClientVersion
    server: ServerVersion | None = None


def _lines(document: Version, wide: bool) -> Iterator[Text]:
    python = f" (Python {document.client.python})" if wide else ""
    yield Text(f"Client Version: v{document.client.version}{python}")
    if document.server is not None:
        emulated = f" (emulates {document.server.emulated})" if document.server.emulated else ""
        yield Text(f"Server Version: {document.server.git_version}{emulated}")
        yield Text(f"resource.k8s.io: {', '.join(document.server.resource_versions) or 'not served'}")


VERSION: View[Version] = View(sections=_lines, names=lambda document: [f"version/{document.client.version}"])
