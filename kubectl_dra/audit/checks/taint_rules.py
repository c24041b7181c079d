"""DeviceTaintRules: what they select, and rules that somebody has forgotten."""

from collections.abc import Iterator

from kubectl_dra.audit import claims
from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lasting, lines, listed
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.knowledge.gates import enabled
from kubectl_dra.objects.resource import DeviceTaintRule, DeviceTaintSelector
from kubectl_dra.remedies.kubectl_line import kubectl, merge_patch

_EVERYTHING_WITHOUT_SELECTOR = fault("rule-without-selector")
_KEEPS_AWAY = frozenset({"NoSchedule", "NoExecute"})
_EVERY_DEVICE = DeviceTaintSelector()
PREVIEW_LABEL = "kubectl-dra.io/preview"
"""The label of rules that `kubectl dra taint --probe` makes and deletes again."""
_FORGOTTEN = {True: 600.0, False: 86400.0}
"""Seconds after which a rule without effect is forgotten: one of a preview, which takes a minute, and one of somebody else's."""


def _rules(case: Case) -> tuple[DeviceTaintRule, ...]:
    """All rules, unless the scheduler is known not to go by rules at all."""
    cluster = case.snapshot.cluster
    on = enabled("DRADeviceTaintRules", cluster.emulated, cluster.feature_gates)
    return () if on is False else tuple(case.snapshot.device_taint_rules)


def _effect(rule: DeviceTaintRule) -> str:
    taint = rule.spec.taint
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


@check(
    "DRA901",
    title="a taint rule without a selector",
    severity=Severity.ERROR,
    why=(
        "A DeviceTaintRule without spec.deviceSelector is meant to select no device. Schedulers before 1.37.1 take it for one that selects"
        " every device: with NoSchedule or NoExecute nothing can be allocated any more, anywhere in the cluster, while its status says that"
        " it selects nothing. From 1.37.1 on it does nothing at all."
    ),
    fix=(
        "# give it a selector, or delete it",
        """kubectl patch devicetaintrule RULE --type=merge -p '{"spec":{"deviceSelector":{"driver":"DRIVER","pool":"POOL"}}}'""",
        "kubectl delete devicetaintrule RULE",
    ),
    source=(
        "kubernetes/kubernetes#141620",
        "kubernetes/kubernetes#141998",
        "k8s.io/dynamic-resource-allocation: resourceslice/tracker/tracker.go",
    ),
    needs=("device_taint_rules",),
)
def rules_without_selector(case: Case) -> Iterator[Candidate | Doubt]:
    """Such rules: an error where the scheduler takes them for all devices, else worth knowing."""
    version = case.snapshot.cluster.version
    everything = _EVERYTHING_WITHOUT_SELECTOR.affects(version)
    for rule in _rules(case):
        if rule.spec.device_selector is not None or rule.spec.taint.effect not in _KEEPS_AWAY:
            continue
        me = ObjectRef.of("DeviceTaintRule", rule.metadata)
        if everything is None:
            yield Doubt(f"{me} has no selector; whether that is all devices or none depends on the scheduler's version, which is not known")
            continue
        delete = kubectl("delete", "devicetaintrule", rule.metadata.name)
        yield Candidate(
            cause=rule.metadata.name,
            objects=(me,),
            evidence=f"{me} has the taint {_effect(rule)} and no spec.deviceSelector; the server is {version}",
            severity=Severity.ERROR if everything else Severity.INFO,
            title=f"{me} has no selector: "
            + (f"the scheduler of {version} takes it for every device" if everything else "it taints no device"),
            fix=(
                ("# as long as it is there no device can be allocated: delete it, and make it again with a selector", delete)
                if everything
                else ("# it does nothing: give it a selector, or delete it", delete)
            ),
        )


@check(
    "DRA902",
    title="a taint rule that selects every device",
    severity=Severity.ERROR,
    why=(
        "An empty selector selects every device of every driver in the cluster. With NoExecute every pod that holds a device is evicted,"
        " past all disruption budgets; with NoSchedule no device can be allocated. It is rarely meant: fields that the server does not know"
        " become an empty selector (deviceClassName and selectors, which 1.33 and 1.34 had), unless they are refused by strict validation."
    ),
    fix=(
        "# take it out of force at once, then give it a selector",
        """kubectl patch devicetaintrule RULE --type=merge -p '{"spec":{"taint":{"effect":"None"}}}'""",
    ),
    source=(
        "kubernetes/kubernetes#141422",
        "kubernetes: pkg/controller/devicetainteviction/device_taint_eviction.go",
        "k8s.io/api: resource/v1/types.go (DeviceTaintSelector)",
    ),
    needs=("device_taint_rules",),
    also=("resource_claims", "resource_slices"),
    manifests=True,
)
def rules_for_everything(case: Case) -> Iterator[Candidate | Doubt]:
    """Rules with an empty selector: an error with NoExecute, a warning with NoSchedule."""
    for rule in _rules(case):
        effect = rule.spec.taint.effect
        if rule.spec.device_selector != _EVERY_DEVICE or effect not in _KEEPS_AWAY:
            continue
        me = ObjectRef.of("DeviceTaintRule", rule.metadata)
        held = [claim for claim in case.snapshot.resource_claims if claims.devices(claim)]
        drivers = sorted({each.spec.driver for each in case.snapshot.resource_slices})
        devices = sum(len(each.spec.devices or ()) for each in case.snapshot.resource_slices)
        evicts = effect == "NoExecute"
        yield Candidate(
            cause=rule.metadata.name,
            objects=(me,),
            evidence=lines(
                [
                    f"{me}: spec.deviceSelector is {{}}, the taint is {_effect(rule)}",
                    *(
                        (
                            f"{count(devices, 'device')} of {listed(drivers)} {'is' if devices == 1 else 'are'} published,"
                            f" {count(len(held), 'claim')} {'holds' if len(held) == 1 else 'hold'} some of them",
                        )
                        if case.snapshot.resource_slices.known
                        else ()
                    ),
                ]
            ),
            severity=Severity.ERROR if evicts else Severity.WARNING,
            title=f"{me} taints every device of the cluster: "
            + ("all pods with devices are evicted" if evicts else "none can be allocated"),
            fix=(
                "# take it out of force at once, then give it a selector",
                merge_patch("devicetaintrule", rule.metadata.name, {"spec": {"taint": {"effect": "None"}}}),
            ),
        )


@check(
    "DRA903",
    title="a taint rule without effect that was forgotten",
    severity=Severity.WARNING,
    why=(
        "A rule with the effect None taints nothing: it asks the cluster what NoExecute would do. The answer is given once and never"
        " renewed, so such a rule is of no use after that; and whoever edits its effect later acts on what it selects then. `kubectl dra"
        " taint --probe` makes such a rule for a moment and deletes it: one that is left comes from a run that was killed."
    ),
    fix=("# delete it", "kubectl delete devicetaintrule RULE"),
    source=("kubernetes/kubernetes#134152", "kubernetes: pkg/controller/devicetainteviction/device_taint_eviction.go"),
    needs=("device_taint_rules",),
)
def forgotten_previews(case: Case) -> Iterator[Candidate | Doubt]:
    """Rules with the effect None: a warning for those of a preview that has ended long ago, worth knowing for those of others."""
    undated: list[ObjectRef] = []
    for rule in case.snapshot.device_taint_rules:
        if rule.spec.taint.effect != "None":
            continue
        me, ours = ObjectRef.of("DeviceTaintRule", rule.metadata), PREVIEW_LABEL in (rule.metadata.labels or {})
        age = case.age(rule.metadata.creation_timestamp)
        if age is None:
            undated.append(me)
        elif age >= _FORGOTTEN[ours]:
            label = f"label {PREVIEW_LABEL}" if ours else f"no label {PREVIEW_LABEL}"
            yield Candidate(
                cause=rule.metadata.name,
                objects=(me,),
                evidence=f"{me} has the taint {_effect(rule)} and {label}; it was made {lasting(age)} ago",
                severity=Severity.WARNING if ours else Severity.INFO,
                title=f"{me} has had no effect for {lasting(age)}" + (", and is left from a preview" if ours else ""),
                fix=(
                    "# what it said, if that is still wanted; then delete it",
                    kubectl("get", "devicetaintrule", rule.metadata.name, "-o", "yaml"),
                    kubectl("delete", "devicetaintrule", rule.metadata.name),
                ),
            )
    if undated:
        yield Doubt(f"it is not known how long {listed(sorted(undated))} {'has' if len(undated) == 1 else 'have'} been there")
