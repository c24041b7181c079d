"""The rules that are there: what each selects now, and what the eviction controller says of it (pure)."""

from datetime import datetime

from kubectl_dra.inventory.known import unknown_kinds
from kubectl_dra.objects.meta import Condition, timestamp
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.document import RuleCondition, RuleItem, TaintRuleList
from kubectl_dra.taint_rules.hits import Hits, Reading
from kubectl_dra.taint_rules.preview import RESTS_ON, counts, reading_of
from kubectl_dra.taint_rules.rule import PREVIEW_LABEL, in_words, selector_in_words

EVICTION_IN_PROGRESS = "EvictionInProgress"
"""The one condition of rules (k8s.io/api resource/v1)."""


def rule_list(snapshot: Snapshot, now: datetime) -> TaintRuleList:
    """All rules by name."""
    reading = reading_of(snapshot)
    items = [_item(reading, rule, now) for rule in sorted(snapshot.device_taint_rules, key=lambda each: each.metadata.name)]
    return TaintRuleList(items=tuple(items), unknown=unknown_kinds(snapshot, ("device_taint_rules", *RESTS_ON)))


def _item(reading: Reading, rule: DeviceTaintRule, now: datetime) -> RuleItem:
    numbers = counts(reading.snapshot, Hits(reading, (rule,)))
    created = timestamp(rule.metadata.creation_timestamp)
    return RuleItem(
        name=rule.metadata.name,
        selector=selector_in_words(rule.spec.device_selector),
        taint=in_words(rule.spec.taint),
        created_at=rule.metadata.creation_timestamp,
        age_seconds=None if created is None else (now - created).total_seconds(),
        published_devices=numbers.published_devices,
        allocated_devices=numbers.allocated_devices,
        pods=numbers.pods,
        preview=PREVIEW_LABEL in (rule.metadata.labels or {}),
        condition=_told(rule),
    )


def condition(rule: DeviceTaintRule) -> Condition | None:
    """What the eviction controller has written, if anything."""
    return next((each for each in rule.status.conditions or () if each.type == EVICTION_IN_PROGRESS), None)


def is_current(rule: DeviceTaintRule, found: Condition) -> bool:
    """Whether it speaks of the rule as it is now."""
    return found.observed_generation is not None and found.observed_generation == rule.metadata.generation


def _told(rule: DeviceTaintRule) -> RuleCondition | None:
    found = condition(rule)
    if found is None:
        return None
    return RuleCondition(found.status, found.reason or "", found.message or "", is_current(rule, found))
