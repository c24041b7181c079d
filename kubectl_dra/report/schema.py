"""JSON Schemas of the documents, made from the Structs that are written: what a script may rely on."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches

import msgspec

from kubectl_dra.document import API_VERSION, Document
from kubectl_dra.errors import UsageError

DIALECT = "https://json-schema.org/draft/2020-12/schema"

KINDS: Mapping[str, str] = {
    "AuditReport": "kubectl_dra.audit.finding",
    "CheckPage": "kubectl_dra.audit.registry:Page",
    "ClassList": "kubectl_dra.inventory.document",
    "DeviceList": "kubectl_dra.inventory.device_document",
    "Explanation": "kubectl_dra.explanation.document",
    "Inventory": "kubectl_dra.inventory.document",
    "MigrationPlan": "kubectl_dra.migration.document",
    "MigrationRecord": "kubectl_dra.migration.document",
    "MigrationStatus": "kubectl_dra.migration.document",
    "ProfileList": "kubectl_dra.migration.document",
    "TaintPreview": "kubectl_dra.taint_rules.document",
    "TaintRuleList": "kubectl_dra.taint_rules.document",
    "Version": "kubectl_dra.report.version",
}
"""The kinds that commands print, and where their Structs are (`module:Struct` where the name differs)."""

Schema = dict[str, object]


def document_type(kind: str) -> type[Document]:
    """The Struct of a kind, whatever its letters' case. Raises UsageError for a kind that no command prints."""
    names = {name.lower(): name for name in KINDS}
    name = names.get(kind.lower())
    if name is None:
        near = get_close_matches(kind.lower(), names, n=1)
        hint = f'Did you mean "{names[near[0]]}"?' if near else f"Kinds: {', '.join(KINDS)}."
        raise UsageError(f'no command prints documents of kind "{kind}"', hint=hint)
    module, _, attribute = KINDS[name].partition(":")
    found: type[Document] = getattr(importlib.import_module(module), attribute or name)
    return found


def schema(kind: str) -> Schema:
    """The JSON Schema of a kind. Every field is required, because every field is always written; further ones may come."""
    struct = document_type(kind)
    (reference,), definitions = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    whole = definitions.pop(reference["$ref"].rpartition("/")[2])
    for each in (whole, *definitions.values()):
        _complete(each)
    whole["properties"]["apiVersion"] = {"const": API_VERSION}
    whole["properties"]["kind"] = {"const": struct.__struct_defaults__[list(struct.__struct_fields__).index("kind")]}
    return {"$schema": DIALECT, **whole, "$defs": dict(sorted(definitions.items()))}


def _complete(definition: dict[str, dict[str, object]]) -> None:
    """Require every property, and take defaults out: they say how the Struct is built, not what a reader will find."""
    properties = definition.get("properties")
    if properties is None:
        return
    definition["required"] = list(properties)  # type: ignore[assignment]
    for each in properties.values():
        if isinstance(each, dict):
            each.pop("default", None)
