"""Semantic versions as Kubernetes reads them in device attributes and CEL (blang/semver v4, strict).

Precedence leaves out the build metadata: `1.0.0` and `1.0.0+b` are equal.
"""

import re
from functools import cached_property

from kubectl_dra.errors import DraError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.objects.quoted import quoted

_DIGITS = re.compile(r"[0-9]*")
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z-]*")
_MOST = 2**64 - 1


class SemverError(DraError):
    """The text is no version; `message` is upstream's."""

    status = ExitStatus.USAGE


class Semver:
    """A version: three numbers, the identifiers of a pre-release, and build metadata."""

    def __init__(self, major: int, minor: int, patch: int, pre: tuple[int | str, ...] = (), build: tuple[str, ...] = ()) -> None:
        """Take the parts; numeric pre-release identifiers are ints."""
        self.major = major
        self.minor = minor
        self.patch = patch
        self.pre = pre
        self.build = build

    @classmethod
    def parse(cls, text: str) -> "Semver":
        """Read a version strictly: exactly three numbers without leading zeros. Raises SemverError."""
        if not text:
            raise SemverError("Version string empty")
        parts = text.split(".", 2)
        if len(parts) != 3:
            raise SemverError("No Major.Minor.Patch elements found")
        major, minor = _number(parts[0], "major"), _number(parts[1], "minor")
        patch, plus, build = parts[2].partition("+")
        patch, dash, pre = patch.partition("-")
        return cls(
            major,
            minor,
            _number(patch, "patch"),
            tuple(map(_pre_release, pre.split("."))) if dash else (),
            tuple(map(_build, build.split("."))) if plus else (),
        )

    @classmethod
    def normalized(cls, text: str) -> "Semver":
        """Read a version leniently: one leading `v`, leading zeros and missing parts are taken (apiserver: semverlib.go)."""
        parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
        if len(parts) < 3:
            if "+" in parts[-1] or "-" in parts[-1]:
                raise SemverError("short version cannot contain PreRelease/Build meta data")
            parts += ["0"] * (3 - len(parts))
        return cls.parse(".".join(parts))

    @cached_property
    def precedence(self) -> tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
        """What versions are ordered by: numbers before words in a pre-release, a pre-release before the release."""
        identifiers = tuple(
            (isinstance(one, str), one if isinstance(one, int) else 0, one if isinstance(one, str) else "") for one in self.pre
        )
        return self.major, self.minor, self.patch, not self.pre, identifiers

    def compare(self, other: "Semver") -> int:
        """-1, 0 or 1 by precedence."""
        return (self.precedence > other.precedence) - (self.precedence < other.precedence)

    def __str__(self) -> str:
        """The canonical text, build metadata included."""
        pre = "-" + ".".join(map(str, self.pre)) if self.pre else ""
        build = "+" + ".".join(self.build) if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"


def _number(text: str, name: str) -> int:
    if not _DIGITS.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in {name} number {quoted(text)}")
    if len(text) > 1 and text.startswith("0"):
        raise SemverError(f"{name.capitalize()} number must not contain leading zeroes {quoted(text)}")
    return _unsigned(text)


def _unsigned(text: str) -> int:
    if not text:
        raise SemverError('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > 20 or int(text) > _MOST:
        raise SemverError(f"strconv.ParseUint: parsing {quoted(text)}: value out of range")
    return int(text)


def _pre_release(text: str) -> int | str:
    if not text:
        raise SemverError("Prerelease is empty")
    if _DIGITS.fullmatch(text):
        if len(text) > 1 and text.startswith("0"):
            raise SemverError(f"Numeric PreRelease version must not contain leading zeroes {quoted(text)}")
        return _unsigned(text)
    if not _ALPHANUMERIC.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in prerelease {quoted(text)}")
    return text


def _build(text: str) -> str:
    if not text:
        raise SemverError("Build meta data is empty")
    if not _ALPHANUMERIC.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in build meta data {quoted(text)}")
    return text


def _without_zeros(text: str) -> str:
    if len(text.encode()) <= 1:
        return text
    kept = text.lstrip("0")
    return kept if kept and kept[0] in "0123456789" else "0" + kept
