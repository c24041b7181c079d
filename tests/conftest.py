"""Fixtures for every room."""

from collections.abc import Callable

import pytest

from tests import run


@pytest.fixture
def kubectl_dra() -> Callable[..., run.Result]:
    """Runs the tool in this process: `kubectl_dra("audit", "-o", "json", variables=..., stdin=...)` gives code, stdout and stderr."""
    return run.kubectl_dra
