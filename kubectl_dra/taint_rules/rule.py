"""What people write for a rule, `KEY[=VALUE]:EFFECT` and selectors, made into DeviceTaintRules; and which effects there are."""

import re
from collections.abc import Mapping
from datetime import UTC
from enum import StrEnum
from hashlib import sha256

from kubectl_dra.errors import UsageError
from kubectl_dra.objects.meta import ObjectMeta, timestamp
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule, DeviceTaintRuleSpec, DeviceTaintSelector

KIND = "DeviceTaintRule"
GROUP = "resource.k8s.io"

PREVIEW_LABEL = "kubectl-dra.io/preview"
"""On rules that ask the cluster and are deleted again. By it those are found that a killed run has left."""

GRAMMAR = "KEY[=VALUE]:EFFECT"

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_UNNAMEABLE = re.compile(r"[^a-z0-9]+", re.ASCII)
_LONGEST_STEM = 40


class Effect(StrEnum):
    """The effects of device taints, in the API's spelling."""

    NONE = "None"
    """Nothing happens; the eviction controller says what NoExecute would do."""
    NO_SCHEDULE = "NoSchedule"
    """The device is given to nobody new."""
    NO_EXECUTE = "NoExecute"
    """The same, and pods that hold the device are deleted."""


def looks_like_a_taint(word: str) -> bool:
    """Whether the first word behind `taint` is one: it has a colon. No sub-command and no name of an object has."""
    return ":" in word


def read_taint(text: str, time_added: str | None = None) -> DeviceTaint:
    """The taint of `KEY[=VALUE]:EFFECT`. What its parts may be is told by `validation`. Raises UsageError for another form."""
    left, colon, effect = text.rpartition(":")
    key, equals, value = left.partition("=")
    if not colon or ":" in left or "=" in value:
        raise UsageError(f'"{text}" is no taint', hint=f"Write {GRAMMAR}, as in example.com/maintenance=drain:NoExecute.")
    if effect not in tuple(Effect):
        near = next((each for each in Effect if each.lower() == effect.lower()), None)
        hint = f"Did you mean {key}{equals}{value}:{near}?" if near else "None only asks what NoExecute would do."
        raise UsageError(f'effect "{effect}" of the taint "{text}" must be {_alternatives()}', hint=hint)
    return DeviceTaint(key, value or None, effect, None if time_added is None else read_time(time_added))


def read_time(text: str) -> str:
    """A moment (RFC 3339) as the server stores it: UTC, whole seconds. Raises UsageError."""
    moment = timestamp(text) if _RFC3339.fullmatch(text) else None
    if moment is None:
        raise UsageError(f'"{text}" is no time for --time-added', hint="Write it as 2026-12-01T15:04:05Z.")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _alternatives() -> str:
    *others, last = Effect
    return f"{', '.join(others)} or {last}"


def rule(taint: DeviceTaint, selector: DeviceTaintSelector | None, name: str | None = None) -> DeviceTaintRule:
    """A rule that does not exist yet. Without a name it gets `rule_name`."""
    spec = DeviceTaintRuleSpec(selector, taint)
    return DeviceTaintRule(ObjectMeta(name or rule_name(spec)), spec)


def rule_name(spec: DeviceTaintRuleSpec) -> str:
    """A name that the taint's key and the devices tell: the same rule made twice is a conflict, not two rules."""
    stem = _UNNAMEABLE.sub("-", spec.taint.key.rpartition("/")[2].lower()).strip("-")[:_LONGEST_STEM].rstrip("-") or "taint"
    selector = spec.device_selector or DeviceTaintSelector()
    told = "\0".join((spec.taint.key, spec.taint.value or "", *(str(each) for each in (selector.driver, selector.pool, selector.device))))
    return f"{stem}-{sha256(told.encode()).hexdigest()[:8]}"


def in_words(taint: DeviceTaint) -> str:
    """`KEY=VALUE:EFFECT`, as people write it."""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def selector_in_words(selector: DeviceTaintSelector | None) -> str:
    """Which devices, for people: `driver=gpu.example.com,pool=node-7`."""
    if selector is None:
        return "none (no selector)"
    parts = selected_by(selector)
    return ",".join(f"{name}={value}" for name, value in parts.items()) or "all devices"


def selected_by(selector: DeviceTaintSelector) -> Mapping[str, str]:
    """The parts of a selector that are set, those of 1.33 and 1.34 among them."""
    parts = {"driver": selector.driver, "pool": selector.pool, "device": selector.device, "class": selector.device_class_name}
    if selector.selectors:
        parts["CEL"] = " && ".join(each.cel.expression for each in selector.selectors if each.cel is not None)
    return {name: value for name, value in parts.items() if value is not None}


def selects_everything(selector: DeviceTaintSelector | None) -> bool:
    """Whether nothing narrows it: `{}`, and no selector at all, which schedulers before 1.37.1 take for the same."""
    return selector is None or not selected_by(selector)


def is_readable(selector: DeviceTaintSelector | None) -> bool:
    """False for rules of 1.33 and 1.34 that select by class or CEL, which is not evaluated here."""
    return selector is None or not (selector.device_class_name or selector.selectors)
