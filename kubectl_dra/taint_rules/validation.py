"""What the API server has against a rule, in its own words, before it is asked.

Rules: kubernetes pkg/apis/resource/validation/validation.go (ValidateDeviceTaintRule), pkg/apis/core/validation/validation.go
(ValidateCSIDriverName, ValidateDNS1123Label), k8s.io/dynamic-resource-allocation api/validate for the pool's name.
"""

import re
from collections.abc import Iterable, Iterator

from kubectl_dra.errors import UsageError
from kubectl_dra.objects.qualified_name import label_value_faults, qualified_name_faults, subdomain_faults
from kubectl_dra.objects.quoted import quoted
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule, DeviceTaintSelector
from kubectl_dra.taint_rules.rule import GROUP, KIND, Effect

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric"
    " character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_LONGEST_DRIVER, _LONGEST_POOL, _LONGEST_LABEL = 63, 253, 63


def refuse_invalid(rule: DeviceTaintRule, what: str = "") -> None:
    """Raise UsageError with all that is wrong with the rule, as the server would say it; `what` names a file for messages."""
    found = tuple(dict.fromkeys(faults(rule)))
    if found:
        told = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
        place = f"{what}: " if what else ""
        hint = "This is what the API server says to such a rule; nothing was asked of it."
        raise UsageError(f'{place}{KIND}.{GROUP} "{rule.metadata.name}" is invalid: {told}', hint=hint)


def faults(rule: DeviceTaintRule) -> Iterator[str]:
    """Each fault with its field, in the server's order."""
    meta = rule.metadata
    if meta.name:
        yield from _invalid("metadata.name", meta.name, _in_characters(subdomain_faults(meta.name)))
    elif not meta.generate_name:
        yield "metadata.name: Required value: name or generateName is required"
    if rule.spec.device_selector is not None:
        yield from _selector_faults(rule.spec.device_selector)
    yield from _taint_faults(rule.spec.taint)


def _selector_faults(selector: DeviceTaintSelector) -> Iterator[str]:
    field = "spec.deviceSelector"
    if selector.driver is not None:
        yield from _driver_faults(f"{field}.driver", selector.driver)
    if selector.pool is not None:
        yield from _pool_faults(f"{field}.pool", selector.pool)
    if selector.device is not None:
        yield from _invalid(f"{field}.device", selector.device, _label_faults(selector.device))


def _driver_faults(field: str, driver: str) -> Iterator[str]:
    if not driver:
        yield f"{field}: Required value"
        return
    if _size(driver) > _LONGEST_DRIVER:
        yield _too_long(field, _LONGEST_DRIVER)
    # the name may have capitals, and then selects no driver whose own name has none
    yield from _invalid(field, driver, _in_characters(subdomain_faults(driver.lower())))


def _pool_faults(field: str, pool: str) -> Iterator[str]:
    if not pool:
        yield f"{field}: Required value"
        return
    if _size(pool) > _LONGEST_POOL:
        yield _too_long(field, _LONGEST_POOL)
    for part in pool.split("/"):
        yield from _invalid(field, part, _in_characters(subdomain_faults(part)))


def _taint_faults(taint: DeviceTaint) -> Iterator[str]:
    yield from _invalid("spec.taint.key", taint.key, qualified_name_faults(taint.key))
    if taint.value:
        yield from _invalid("spec.taint.value", taint.value, label_value_faults(taint.value))
    if not taint.effect:
        yield "spec.taint.effect: Required value"
    elif taint.effect not in tuple(Effect):
        supported = ", ".join(f'"{each}"' for each in sorted(Effect))
        yield f"spec.taint.effect: Unsupported value: {quoted(taint.effect)}: supported values: {supported}"


def _label_faults(value: str) -> tuple[str, ...]:
    long = ("must be no more than 63 characters",) if _size(value) > _LONGEST_LABEL else ()
    if _LABEL.fullmatch(value):
        return long
    return (*long, "must not contain dots" if all(map(_LABEL.fullmatch, value.split("."))) else _LABEL_RULE)


def _in_characters(reasons: Iterable[str]) -> Iterator[str]:
    """Names are measured in bytes everywhere; of whole names (not of the parts of keys) the server says characters."""
    return (reason.replace(" bytes", " characters") for reason in reasons)


def _invalid(field: str, value: str, reasons: Iterable[str]) -> Iterator[str]:
    return (f"{field}: Invalid value: {quoted(value)}: {reason}" for reason in reasons)


def _too_long(field: str, most: int) -> str:
    return f"{field}: Too long: may not be more than {most} bytes"


def _size(text: str) -> int:
    """In bytes, as Go counts."""
    return len(text.encode(errors="surrogatepass"))
