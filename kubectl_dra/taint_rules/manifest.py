"""A rule as an object of the API: what is sent, and what `kubectl create --dry-run=client -o yaml` prints of it."""

from collections.abc import Iterable, Mapping

import msgspec

from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.taint_rules.rule import GROUP, KIND

V1 = f"{GROUP}/v1"

Manifest = Mapping[str, object]
"""Plain JSON."""


class PlannedRule(msgspec.Struct, frozen=True):
    """A rule that is to be: as it is computed with, and as it is sent. A file's labels and annotations are in the manifest alone.

    `source` names where it comes from, for messages (`-f`); empty for the command line.
    """

    rule: DeviceTaintRule
    manifest: Manifest
    source: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        return self.rule.metadata.name


def planned(rule: DeviceTaintRule, api_version: str = V1) -> PlannedRule:
    """A rule of the command line."""
    return PlannedRule(rule, manifest(rule, api_version))


def manifest(rule: DeviceTaintRule, api_version: str = V1) -> Manifest:
    """The rule without what only the server writes. An empty selector stays (it is every device), none stays none."""
    meta, taint = rule.metadata, rule.spec.taint
    names = {"name": meta.name or None, "generateName": meta.generate_name if not meta.name else None, "labels": meta.labels}
    spec: dict[str, object] = {}
    if rule.spec.device_selector is not None:
        spec["deviceSelector"] = msgspec.to_builtins(rule.spec.device_selector)
    told = {"key": taint.key, "value": taint.value, "effect": taint.effect, "timeAdded": taint.time_added}
    spec["taint"] = {name: value for name, value in told.items() if value}
    return {
        "apiVersion": api_version,
        "kind": KIND,
        "metadata": {name: value for name, value in names.items() if value},
        "spec": spec,
    }


def to_send(rule: PlannedRule, api_version: str) -> PlannedRule:
    """The rule as it is sent: at a version of the API (all that are written have the same fields), and with the name that it has here.

    A file's generateName has been made into a name, so that what was sent can be found again.
    """
    metadata = rule.manifest.get("metadata")
    kept = {key: value for key, value in metadata.items() if key != "generateName"} if isinstance(metadata, Mapping) else {}
    return msgspec.structs.replace(rule, manifest={**rule.manifest, "apiVersion": api_version, "metadata": {**kept, "name": rule.name}})


def sorted_keys(value: object) -> object:
    """As Go writes maps: keys by bytes."""
    match value:
        case Mapping():
            return {key: sorted_keys(value[key]) for key in sorted(value)}
        case str():
            return value
        case Iterable():
            return [sorted_keys(each) for each in value]
        case _:
            return value
