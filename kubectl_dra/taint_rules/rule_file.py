"""Rules of a file (`-f`): YAML or JSON, one document or several, and nothing in them that the server does not know.

A field that the server does not know would become an empty selector, which is every device of the cluster; so it is refused here, and
once more by the server's strict validation.
"""

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from kubectl_dra.environment import Environment
from kubectl_dra.errors import UsageError
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.reading.manifest_text import Document, documents
from kubectl_dra.taint_rules.manifest import PlannedRule
from kubectl_dra.taint_rules.rule import GROUP, KIND
from kubectl_dra.taint_rules.validation import refuse_invalid

VERSIONS = ("v1", "v1beta2", "v1alpha3")
"""Those that have had such rules (k8s.io/api resource)."""

_FIELDS: Mapping[str, frozenset[str]] = {
    "": frozenset({"apiVersion", "kind", "metadata", "spec", "status"}),
    "spec": frozenset({"deviceSelector", "taint"}),
    "spec.deviceSelector": frozenset({"driver", "pool", "device"}),
    "spec.taint": frozenset({"key", "value", "effect", "timeAdded"}),
}
"""The fields that each part has, in 1.35 and later."""

_GONE = frozenset({"deviceClassName", "selectors"})
"""Of the selector, in 1.33 and 1.34 only."""


def read_rules(path: str, environment: Environment) -> tuple[PlannedRule, ...]:
    """The rules of the file, or of standard input for `-`, in their order. Raises UsageError for anything else in it."""
    text = _text(path, environment)
    found = tuple(_rule(document, path) for document in documents(text) if document.value is not None or document.trouble)
    if not found:
        raise UsageError(f"{path} has no {KIND} in it")
    names = [each.name for each in found if each.name]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f'{path} has two rules named "{twice}"')
    return found


def _text(path: str, environment: Environment) -> str:
    try:
        return environment.binary_stdin.read().decode() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise UsageError(f"cannot read {path}: not UTF-8") from None


def _rule(document: Document, path: str) -> PlannedRule:
    where = f"{path}, line {document.line}"
    value = document.value
    if document.trouble:
        raise UsageError(f"{where}: {document.trouble}")
    if not isinstance(value, Mapping):
        raise UsageError(f"{where}: no object")
    group, _, version = str(value.get("apiVersion") or "").rpartition("/")
    if value.get("kind") != KIND or group != GROUP or version not in VERSIONS:
        what = f"{value.get('apiVersion') or '(no apiVersion)'} {value.get('kind') or '(no kind)'}"
        raise UsageError(f"{where}: {what} is no {KIND}", hint=f"apiVersion {GROUP}/v1 and kind {KIND} are wanted.")
    unknown = tuple(_unknown(value))
    if unknown:
        raise UsageError(f"{where}: {', '.join(unknown)}", hint=_advice(unknown))
    try:
        rule = msgspec.convert(value, DeviceTaintRule, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from None
    refuse_invalid(rule, where)
    kept = {name: part for name, part in value.items() if name != "status"}
    return PlannedRule(_named(rule), kept, where)


def _named(rule: DeviceTaintRule) -> DeviceTaintRule:
    """With a name where the file leaves it to the server (generateName): what is sent must be found again."""
    meta = rule.metadata
    if meta.name:
        return rule
    name = f"{meta.generate_name}{secrets.token_hex(3)}"
    return msgspec.structs.replace(rule, metadata=msgspec.structs.replace(meta, name=name))


def _unknown(value: Mapping[str, object]) -> Iterator[str]:
    """What strict validation says (apimachinery: pkg/runtime/serializer/json, strict decoding)."""
    for path, fields in _FIELDS.items():
        part: object = value
        for step in filter(None, path.split(".")):
            part = part.get(step) if isinstance(part, Mapping) else None
        for name in part if isinstance(part, Mapping) else ():
            if name not in fields:
                yield f'unknown field "{path}.{name}"' if path else f'unknown field "{name}"'


def _advice(unknown: tuple[str, ...]) -> str:
    if any(f".{name}" in each for each in unknown for name in _GONE):
        return (
            "Rules have not selected by class or CEL since 1.35, where such a rule would select every device: use driver, pool and"
            " device (kubectl dra taint KEY:EFFECT --class CLASS lists what is behind a class)."
        )
    return "The server would drop the field, and what is left of the selector might be every device."
