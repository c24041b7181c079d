"""Feature gates by emulated version."""

import pytest

from kubectl_dra.knowledge.gates import enabled, enabled_by_default, gates, stage
from kubectl_dra.objects.snapshot import Version

GATE = "DRAExtendedResource"


@pytest.mark.parametrize(
    ("version", "sure", "likely"),
    [
        (Version(1, 33), False, False),
        (Version(1, 34), None, False),
        (Version(1, 35), None, False),
        (Version(1, 36), None, True),
        (Version(1, 37), True, True),
        (None, None, None),
    ],
)
def test_extended_resources(version: Version | None, sure: bool | None, likely: bool | None) -> None:
    assert enabled(GATE, version, {}) is sure
    assert enabled_by_default(GATE, version, {}) is likely


def test_the_component_s_own_word_counts_most() -> None:
    assert enabled(GATE, Version(1, 36), {GATE: False}) is False


def test_stages() -> None:
    found = stage("DRADeviceTaintRules", Version(1, 36, 3))
    assert found is not None
    assert (found.stage, found.default, found.locked) == ("beta", False, False)


def test_stages_are_in_order() -> None:
    for stages in gates().values():
        minors = [Version.of(each.since) for each in stages]
        assert minors == sorted(minor for minor in minors if minor)
