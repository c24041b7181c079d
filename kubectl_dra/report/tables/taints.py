"""How the preview of a taint rule reads: what it selects, who goes and who stays, what follows; and the list of rules."""

from collections import Counter
from collections.abc import Iterable, Iterator

from kubectl_dra.report.age import age
from kubectl_dra.report.tables.inventory import unknown_lines
from kubectl_dra.report.view import Cell, Column, Grid, Section, Style, Table, Text, View
from kubectl_dra.taint_rules.document import (
    Counts,
    EvictedPod,
    HitDevice,
    HitWorkload,
    Rule,
    RuleItem,
    RulePreview,
    RuleTaint,
    SparedPod,
    TaintPreview,
    TaintRuleList,
)

_NUMBERS = ("published devices selected", "allocated devices selected", "pods evicted by NoExecute", "in so many namespaces")
UNKNOWN = "?"
_COMES_BACK = {"fits": Style.FINE, "waits": Style.WARNING, "never": Style.BAD, "unknown": Style.PLAIN}


def taint_words(taint: RuleTaint) -> str:
    """`KEY=VALUE:EFFECT`."""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def selector_words(rule: Rule) -> str:
    """`driver=gpu.example.com,pool=node-7`."""
    selector = rule.device_selector
    if selector is None:
        return "no device (no selector)"
    parts = {"driver": selector.driver, "pool": selector.pool, "device": selector.device}
    return ",".join(f"{name}={value}" for name, value in parts.items() if value is not None) or "every device"


def _goes(pod: EvictedPod) -> str:
    return f"after {age(pod.evict_after_seconds)}" if pod.evict_after_seconds else "at once"


def _workload(row: EvictedPod | SparedPod) -> str:
    return "" if row.workload.kind == "Pod" else f"{row.workload.kind}/{row.workload.name}"


PODS: Table[EvictedPod] = Table(
    (
        Column("NAMESPACE", lambda row: row.namespace),
        Column("POD", lambda row: row.name),
        Column("WORKLOAD", _workload),
        Column("NODE", lambda row: row.node),
        Column("GOES", _goes),
        Column("COMES BACK", lambda row: row.comes_back, style=lambda row: _COMES_BACK.get(row.comes_back, Style.PLAIN)),
        Column("CLAIM", lambda row: ",".join(row.claims)),
        Column("PRIORITY", lambda row: row.priority, wide=True),
        Column("DEVICE", lambda row: ",".join(row.devices), wide=True),
        Column("WHY", lambda row: row.why, wide=True),
    )
)
SPARED: Table[SparedPod] = Table(
    (
        Column("NAMESPACE", lambda row: row.namespace),
        Column("POD", lambda row: row.name),
        Column("WORKLOAD", _workload),
        Column("STAYS", lambda row: row.reason),
        Column("WHY", lambda row: row.detail),
    )
)
WORKLOADS: Table[HitWorkload] = Table(
    (
        Column("NAMESPACE", lambda row: row.namespace),
        Column("WORKLOAD", lambda row: f"{row.kind}/{row.name}"),
        Column("LOSES", lambda row: row.evicted, style=lambda row: Style.BAD if row.evicted == row.pods else Style.PLAIN),
        Column("OF PODS", lambda row: row.pods),
        Column("REPLICAS", lambda row: row.replicas),
    )
)
DEVICES: Table[HitDevice] = Table(
    (
        Column("DRIVER", lambda row: row.driver),
        Column("POOL", lambda row: row.pool),
        Column("DEVICE", lambda row: row.device),
        Column("NODE", lambda row: row.node),
        Column("PUBLISHED", lambda row: str(row.published).lower()),
        Column("CLAIM", lambda row: ",".join(f"{each.namespace}/{each.name}" for each in row.claims)),
        Column("TAINTS", lambda row: ",".join(row.taints)),
    )
)
RULES: Table[RulePreview] = Table(
    (
        Column("RULE", lambda row: row.rule.name),
        Column("TAINT", lambda row: taint_words(row.rule.taint)),
        Column("SELECTOR", lambda row: selector_words(row.rule)),
        Column("PUBLISHED", lambda row: _shown(row.client.published_devices)),
        Column("ALLOCATED", lambda row: _shown(row.client.allocated_devices)),
        Column("PODS", lambda row: _shown(row.client.pods)),
        Column("CLUSTER SAYS", lambda row: row.probe_reason if row.probe is None else ", ".join(map(_shown, _values(row.probe)))),
    )
)


def _values(counts: Counts) -> tuple[int | None, ...]:
    return counts.published_devices, counts.allocated_devices, counts.pods, counts.namespaces


def _shown(number: int | None) -> str:
    return UNKNOWN if number is None else str(number)


def _sections(found: TaintPreview, wide: bool) -> Iterator[Section]:
    if found.outcome is not None:
        yield from _outcome(found)
        return
    yield from _head(found)
    if found.pods:
        yield Text(_pods_title(found), Style.HEADING, level=2)
        yield PODS.of(found.pods)
    if found.workloads:
        yield WORKLOADS.of(found.workloads)
    if found.spared:
        yield Text("Pods that use such a device and stay:", Style.HEADING, level=2)
        yield SPARED.of(found.spared)
    if wide and found.devices:
        yield DEVICES.of(found.devices)
    notes = list(_notes(found))
    if notes:
        yield Text("Mind:", Style.HEADING, level=2)
        yield Text("\n".join(f"- {note}" for note in notes))
    yield from unknown_lines(found.unknown)


def _outcome(found: TaintPreview) -> Iterator[Section]:
    done = found.outcome
    if done is None:
        return
    yield Text("\n".join(f"devicetaintrule.resource.k8s.io/{name} {done.action}" for name in done.rules))
    if done.pods_gone is not None:
        yield Text(f"{_count(done.pods_gone, 'pod')} gone{'' if done.seconds is None else f' after {round(done.seconds)}s'}")


def _head(found: TaintPreview) -> Iterator[Section]:
    taint = taint_words(found.rules[0].rule.taint)
    if found.rule is not None:
        yield Text(f"DeviceTaintRule {found.rule.name} {_verb(found.rule)} {taint} on {selector_words(found.rule)}", Style.HEADING)
    else:
        yield Text(f"{len(found.rules)} DeviceTaintRules", Style.HEADING)
        yield RULES.of(found.rules)
    yield _numbers(found)
    if found.probe is None and found.probe_reason:
        yield Text(f"The cluster's own answer is not there: {found.probe_reason}", Style.WARNING)
    for each in found.differences:
        yield Text(each, Style.WARNING)


def _verb(rule: Rule) -> str:
    if not rule.exists:
        return "would be"
    return "is" if rule.effect_now == rule.taint.effect else f"has {rule.effect_now} now, and would be"


def _numbers(found: TaintPreview) -> Section:
    """Our numbers, and beside them the cluster's where it was asked."""
    here = _values(found.client)
    if found.probe is None:
        return Grid(("COUNTED", "HERE"), [(Cell(title), Cell(_shown(own))) for title, own in zip(_NUMBERS, here, strict=True)])
    rows = []
    for title, own, other in zip(_NUMBERS, here, _values(found.probe), strict=True):
        rows.append((Cell(title), Cell(_shown(own)), Cell(_shown(other), Style.FINE if own == other else Style.BAD)))
    return Grid(("COUNTED", "HERE", "BY THE CLUSTER"), rows)


def _pods_title(found: TaintPreview) -> str:
    number = _count(len(found.pods), "pod")
    match found.rules[0].rule.taint.effect:
        case "NoExecute":
            return f"{number} evicted, all at once but for tolerations, whatever disruption budgets say:"
        case effect:
            return f"{effect} evicts nobody. {number} would go with NoExecute:"


def _notes(found: TaintPreview) -> Iterator[str]:
    yield from found.warnings
    for each in found.budgets:
        allows = "" if each.disruptions_allowed is None else f" (it allows {each.disruptions_allowed} now)"
        yield f"budget {each.namespace}/{each.name} selects {each.pods} of these pods{allows}: NoExecute does not ask it"
    for claim in found.claims:
        if len(claim.pods) > 1:
            yield f"claim {claim.namespace}/{claim.name} is shared by {_some(claim.pods)}: what becomes of one becomes of all"
    yield from _of_classes(found)
    for taint in found.taints:
        source = "their driver" if taint.rule is None else f"rule {taint.rule}"
        have = "has" if taint.devices == 1 else "have"
        yield f"{taint.devices} of these devices {have} {taint.taint} already, from {source}"
    waits = Counter(pod.why for pod in found.pods if pod.comes_back == "waits")
    for why, count in sorted(waits.items()):
        yield f"{_count(count, 'pod')} will wait once {'it is' if count == 1 else 'they are'} made again: {why}"


def _of_classes(found: TaintPreview) -> Iterator[str]:
    """What nobody will get any more; a rule without effect takes nothing away."""
    would = "would lose" if found.rules[0].rule.taint.effect == "None" else "loses"
    for each in found.classes:
        if each.free_lost is None or each.free_now is None:
            yield f"class {each.name} {would} {_count(each.selected, 'device')}"
        elif each.free_lost:
            yield f"class {each.name} {would} {each.free_lost} of its {each.free_now} free devices"


def _some(names: Iterable[str], most: int = 5) -> str:
    listed = list(names)
    more = len(listed) - most
    return ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")


def _count(number: int, word: str, plural: str = "s") -> str:
    return f"{number} {word}{'' if number == 1 else plural}"


def _preview_names(found: TaintPreview) -> Iterator[str]:
    return (f"devicetaintrule.resource.k8s.io/{each.rule.name}" for each in found.rules)


TAINT_PREVIEW: View[TaintPreview] = View(
    sections=_sections, names=_preview_names, table=lambda found: PODS.of(found.pods), empty="No pod would be evicted"
)


def _condition(row: RuleItem) -> str:
    if row.condition is None:
        return ""
    if not row.condition.current:
        return "(of an older spec)"
    return row.condition.reason


LIST: Table[RuleItem] = Table(
    (
        Column("NAME", lambda row: row.name),
        Column("TAINT", lambda row: row.taint),
        Column("SELECTOR", lambda row: row.selector),
        Column("DEVICES", lambda row: _shown(row.published_devices)),
        Column("ALLOCATED", lambda row: _shown(row.allocated_devices)),
        Column("PODS", lambda row: _shown(row.pods)),
        Column("CONDITION", _condition),
        Column("AGE", lambda row: age(None if row.age_seconds is None else int(row.age_seconds)) or UNKNOWN),
        Column("MESSAGE", lambda row: "" if row.condition is None else row.condition.message, wide=True),
        Column("PREVIEW", lambda row: str(row.preview).lower(), wide=True),
    )
)


def _list_sections(found: TaintRuleList, wide: bool) -> Iterator[Section]:
    if found.items:
        yield LIST.of(found.items)
    left = [each.name for each in found.items if each.preview]
    if left:
        yield Text(f"Left from previews: {_some(left)} (kubectl dra taint delete --previews)", Style.WARNING)
    yield from unknown_lines(found.unknown)


TAINT_RULES: View[TaintRuleList] = View(
    sections=_list_sections,
    names=lambda found: [f"devicetaintrule.resource.k8s.io/{each.name}" for each in found.items],
    table=lambda found: LIST.of(found.items),
    empty="No device taint rules found",
)
