"""What becomes usable again when rules are deleted (pure)."""

from collections.abc import Iterable, Iterator

from kubectl_dra.inventory.devices import ClassDevices
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.taint_rules.consequences import KEEPS_AWAY, Taints
from kubectl_dra.taint_rules.hits import Hits
from kubectl_dra.taint_rules.preview import reading_of
from kubectl_dra.taint_rules.rule import Effect, in_words, selector_in_words


def freed(snapshot: Snapshot, rules: Iterable[DeviceTaintRule]) -> Iterator[str]:
    """A line for each rule, then one for each class that gets devices back: free ones that no other taint keeps from pods."""
    rules = tuple(rules)
    for rule in rules:
        left = _pods_left(snapshot, rule)
        yield f"DeviceTaintRule {rule.metadata.name}: {in_words(rule.spec.taint)} on {selector_in_words(rule.spec.device_selector)}{left}"
    hits = Hits(reading_of(snapshot), [rule for rule in rules if rule.spec.taint.effect in KEEPS_AWAY])
    others = Taints(snapshot, apart=(rule.metadata.name for rule in rules))
    devices = ClassDevices(snapshot)
    back = {each.id for each in hits.published if not any(True for _ in others.of(each)) and each.id not in devices.allocated}
    for each in sorted(snapshot.device_classes, key=lambda one: one.metadata.name):
        selected = devices.everywhere(each)
        count = sum(1 for placed in selected or () if placed.id in back)
        if count:
            number = f"{count} free {'device' if count == 1 else 'devices'}"
            yield f"Class {each.metadata.name} gets back {number}, which pods can be given again."


def _pods_left(snapshot: Snapshot, rule: DeviceTaintRule) -> str:
    """Pods whose eviction ends with the rule: those that tolerate it for a while."""
    if rule.spec.taint.effect != Effect.NO_EXECUTE:
        return ""
    count = len(Hits(reading_of(snapshot), (rule,)).evicted)
    return f"; {count} {'pod that has' if count == 1 else 'pods that have'} not gone yet may stay" if count else ""
