"""Versions: what is read, how they are ordered and written."""

from itertools import pairwise

import pytest

from kubectl_dra.objects.semver import Semver, SemverError


@pytest.mark.parametrize("text", ["1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3-a.b-c+d.5", "18446744073709551615.0.0"])
def test_read_and_written_again(text: str) -> None:
    assert str(Semver.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Version string empty"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("v1.2.3", 'Invalid character(s) found in major number "v1"'),
        ("01.2.3", 'Major number must not contain leading zeroes "01"'),
        ("1.2.3 ", 'Invalid character(s) found in patch number "3 "'),
        ("1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.2.3-", "Prerelease is empty"),
        ("1.2.3+", "Build meta data is empty"),
        ("18446744073709551616.0.0", 'strconv.ParseUint: parsing "18446744073709551616": value out of range'),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SemverError) as caught:
        Semver.parse(text)
    assert caught.value.message == message


def test_order() -> None:
    ordered = ["1.0.0-1", "1.0.0-2", "1.0.0-11", "1.0.0-a", "1.0.0-a.1", "1.0.0-b", "1.0.0", "1.0.1", "1.10.0", "2.0.0"]
    versions = [Semver.parse(text) for text in ordered]
    assert all(one.compare(other) == -1 for one, other in pairwise(versions))


def test_build_metadata_does_not_count() -> None:
    assert Semver.parse("1.0.0+a").compare(Semver.parse("1.0.0+b")) == 0


@pytest.mark.parametrize(
    ("text", "read"), [("v1", "1.0.0"), ("1.2", "1.2.0"), ("01.002.3", "1.2.3"), ("1.2.3-rc.1", "1.2.3-rc.1"), ("00.0.0", "0.0.0")]
)
def test_read_leniently(text: str, read: str) -> None:
    assert str(Semver.normalized(text)) == read


def test_a_short_version_has_no_pre_release() -> None:
    with pytest.raises(SemverError, match="short version"):
        Semver.normalized("1.2-a")
