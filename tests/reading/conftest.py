"""Reading files in tests."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from kubectl_dra.environment import Environment
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import read_path


def environment(stdin: bytes = b"") -> Environment:
    """Surroundings with `stdin` to read."""
    return Environment(io.TextIOWrapper(io.BytesIO(stdin)), io.StringIO(), io.StringIO())


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Snapshot]:
    """Writes `content` to a file `name` and reads it."""

    def of(content: bytes | str, name: str = "cluster.json", **options: tuple[str, ...]) -> Snapshot:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_path(str(path), environment(), **options)  # type: ignore[arg-type]

    return of
