"""Versions (apiserver: pkg/cel/library/semverlib.go)."""

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.objects.semver import Semver, SemverError


def _parse(text: str, normalize: bool = False) -> Semver:
    try:
        return Semver.normalized(text) if normalize else Semver.parse(text)
    except SemverError as error:
        raise EvaluationError(error.message) from None


def _valid(text: str, normalize: bool = False) -> bool:
    try:
        _parse(text, normalize)
    except EvaluationError:
        return False
    return True


def _signed(number: int) -> int:
    """Upstream converts the unsigned part without a look: beyond int64 it comes out negative."""
    return number - 2**64 if number >= 2**63 else number


IMPLEMENTATIONS: dict[str, Implementation] = {
    "string_to_semver": _parse,
    "string_bool_to_semver": _parse,
    "is_semver_string": _valid,
    "is_semver_string_bool": _valid,
    "semver_is_greater_than": lambda one, other: one.compare(other) > 0,
    "semver_is_less_than": lambda one, other: one.compare(other) < 0,
    "semver_compare_to": lambda one, other: one.compare(other),
    "semver_major": lambda value: _signed(value.major),
    "semver_minor": lambda value: _signed(value.minor),
    "semver_patch": lambda value: _signed(value.patch),
}
