"""Known faults by version."""

import pytest

from kubectl_dra.knowledge.faults import fault, faults
from kubectl_dra.objects.snapshot import Version


@pytest.mark.parametrize(
    ("id_", "affected", "mended"),
    [
        ("lost-mapping", ["v1.37.0", "v1.37.2"], ["v1.38.0", "v1.34.4"]),
        ("random-class", ["v1.34.4"], ["v1.35.0"]),
        ("kubelet-deadlock", ["v1.34.0", "v1.34.1"], ["v1.34.2", "v1.35.0", "v1.33.9"]),
        ("overflowing-count", ["v1.36.4", "v1.37.0"], ["v1.36.5", "v1.37.1", "v1.38.0"]),
        ("no-eviction-of-extended", ["v1.36.1", "v1.37.1"], ["v1.37.2"]),
        ("too-many-devices", ["v1.37.2", "v1.38.0"], ["v1.33.0"]),
    ],
)
def test_ranges(id_: str, affected: list[str], mended: list[str]) -> None:
    assert [text for text in (*affected, *mended) if fault(id_).affects(Version.of(text))] == affected


def test_an_unknown_version_is_unknown() -> None:
    assert fault("lost-mapping").affects(None) is None


def test_every_fault_has_sources_and_a_remedy() -> None:
    assert [each.id for each in faults().values() if not (each.source and each.remedy and each.number)] == []
