"""Known faults by version."""

import pytest

from kubectl_dra.audit.registry import checks
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


@pytest.mark.parametrize(
    ("id_", "version", "mended"),
    [
        ("no-eviction-of-extended", "v1.37.1", "1.37.2"),
        ("no-eviction-of-extended", "v1.36.6", "1.37.2"),
        ("overflowing-count", "v1.37.0", "1.37.1"),
        ("overflowing-count", "v1.36.2", "1.36.5"),
        ("claim-names-flap", "v1.35.4", "1.36.6"),
        ("plugin-remembered", "v1.37.2", "1.38.0"),
        ("dangling-claim-status", "v1.37.2", "None"),
    ],
)
def test_the_release_that_mends_it_is_of_the_same_minor_where_there_is_one(id_: str, version: str, mended: str) -> None:
    running = Version.of(version)
    assert running is not None
    assert str(fault(id_).mended_in(running)) == mended


def test_the_faults_that_the_latest_release_has() -> None:
    latest = Version.of("1.37.2")
    assert {each.number for each in faults().values() if each.affects(latest)} == {
        "F1", "F2", "F3", "F4", "F5", "143378", "141898", "140798", "141556", "balanced allocation", "137534", "topology hints",
    }  # fmt: skip


def test_checks_that_are_named_exist() -> None:
    assert {each.check for each in faults().values()} - {""} <= set(checks())


def test_an_unknown_version_is_unknown() -> None:
    assert fault("lost-mapping").affects(None) is None


def test_every_fault_has_sources_and_a_remedy() -> None:
    assert [each.id for each in faults().values() if not (each.source and each.remedy and each.number)] == []
