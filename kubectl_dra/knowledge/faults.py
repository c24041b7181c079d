"""Known faults of Kubernetes by version (`faults.toml`)."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from kubectl_dra.objects.snapshot import Version

Component = Literal["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet"]

Concern = Literal[
    "extended", "claims", "templates", "counters", "capacity", "all-mode", "rules", "taints", "plugin-and-class", "quotas", "zero-keys",
    "unseen",
]  # fmt: skip
"""What a cluster has that can meet a fault: mapped names in use, claims, claims of templates, devices with counters or capacity for several
claims, claims for all devices, DeviceTaintRules, taints of devices, plugins that offer devices of a mapped name, quotas on devices,
nodes that list a mapped name with 0; or what no object shows (and what is no matter of DRA).
"""


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fault: what happens, in which releases of which component, and what helps."""

    id: str
    number: str
    title: str
    component: Component
    since: str
    fixed: tuple[str, ...]
    concerns: Concern
    remedy: str
    source: tuple[str, ...]
    check: str = ""

    def affects(self, version: Version | None) -> bool | None:
        """Whether a release has it; None when the version is not known.

        Known faults go by the binary's version, not by the emulated one.
        """
        if version is None:
            return None
        if version < _version(self.since):
            return False
        fixes = self._fixes()
        # a fix that was brought back to an older minor says nothing of the minors after it
        brought_back = any((fix.major, fix.minor) == (version.major, version.minor) and version >= fix for fix in fixes)
        return not (brought_back or (fixes and version >= fixes[-1]))

    def mended_in(self, version: Version) -> Version | None:
        """The first release of the same minor that has the fix, else of a later one; None when no release is known to have it."""
        later = [fix for fix in self._fixes() if fix > version]
        own = [fix for fix in later if (fix.major, fix.minor) == (version.major, version.minor)]
        return own[0] if own else later[0] if later else None

    def _fixes(self) -> list[Version]:
        return sorted(_version(text) for text in self.fixed)

    @property
    def in_words(self) -> str:
        """The releases that have it: `1.34.0 to before 1.34.2`, `1.35.0 and later`."""
        fixes = self._fixes()
        return f"{self.since} to before {' and '.join(map(str, fixes))}" if fixes else f"{self.since} and later"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    faults: tuple[Fault, ...]


@cache
def faults() -> Mapping[str, Fault]:
    """All faults by id."""
    table = msgspec.toml.decode(Path(__file__).with_name("faults.toml").read_bytes(), type=_Table)
    return {fault.id: fault for fault in table.faults}


def fault(id_: str) -> Fault:
    """The fault of that id. Raises KeyError."""
    return faults()[id_]


def _version(text: str) -> Version:
    found = Version.of(text)
    if found is None:
        raise ValueError(f"faults.toml: {text} is no version")
    return found
