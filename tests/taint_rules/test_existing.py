"""Rules that exist: the list, what deleting one frees, and where none is written."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from kubectl_dra.objects.meta import Condition
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintRule, DeviceTaintRuleStatus, DeviceTaintSelector
from kubectl_dra.objects.snapshot import ClusterInfo, Version
from kubectl_dra.taint_rules.document import RuleCondition
from kubectl_dra.taint_rules.freed import freed
from kubectl_dra.taint_rules.listing import rule_list
from kubectl_dra.taint_rules.rule import PREVIEW_LABEL, rule
from kubectl_dra.taint_rules.writable import RulesNotWrittenError, refusal, refuse_unwritable
from tests.factories import DRIVER, device_class, devices, node, resource_slice, snapshot
from tests.taint_rules.given import held, using

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def there(name: str, effect: str, generation: int = 1, *, observed: int | None = None, selector: DeviceTaintSelector) -> DeviceTaintRule:
    made = rule(DeviceTaint("k", None, effect), selector, name)
    meta = replace(made.metadata, generation=generation, creation_timestamp="2026-01-01T23:59:00Z")
    told = Condition("EvictionInProgress", "False", "NotStarted", "", observed_generation=observed)
    return replace(made, metadata=meta, status=DeviceTaintRuleStatus((told,) if observed else None))


def test_the_list() -> None:
    pool = DeviceTaintSelector(DRIVER, "a")
    left = there("b", "None", selector=pool)
    cluster = snapshot(
        resource_slice("a", 2),
        held("c", ("a", "gpu-0"), by=["p"]),
        using("p", "c"),
        there("c", "NoExecute", 2, observed=1, selector=pool),
        there("a", "NoExecute", 2, observed=2, selector=DeviceTaintSelector(device_class_name="gpu")),
        replace(left, metadata=replace(left.metadata, labels={PREVIEW_LABEL: "true"})),
    )
    found = rule_list(cluster, NOW)
    assert [(each.name, each.published_devices, each.allocated_devices, each.pods, each.preview) for each in found.items] == [
        ("a", None, None, None, False),
        ("b", 2, 1, 1, True),
        ("c", 2, 1, 1, False),
    ]
    assert [each.age_seconds for each in found.items] == [60, 60, 60]
    assert [each.condition for each in found.items] == [
        RuleCondition("False", "NotStarted", "", True),
        None,
        RuleCondition("False", "NotStarted", "", False),
    ]


def test_what_deleting_gives_back() -> None:
    mine = there("mine", "NoExecute", selector=DeviceTaintSelector(DRIVER, "a"))
    other = there("other", "NoSchedule", selector=DeviceTaintSelector(DRIVER, "a", "gpu-3"))
    cluster = snapshot(
        node("a"),
        resource_slice("a", (*devices(4), *devices(1, first=4, taint="NoSchedule"))),
        device_class("gpu"),
        held("c", ("a", "gpu-0"), by=["p"]),
        using("p", "c"),
        mine,
        other,
    )
    assert list(freed(cluster, [mine])) == [
        f"DeviceTaintRule mine: k:NoExecute on driver={DRIVER},pool=a; 1 pod that has not gone yet may stay",
        "Class gpu gets back 2 free devices, which pods can be given again.",
    ]
    assert list(freed(cluster, [mine, other]))[-1] == "Class gpu gets back 3 free devices, which pods can be given again."
    idle = there("idle", "None", selector=DeviceTaintSelector())
    assert list(freed(cluster, [idle])) == ["DeviceTaintRule idle: k:None on all devices"]


def cluster_of(version: str, emulated: str = "", **gates: bool) -> ClusterInfo:
    return ClusterInfo(version=Version.of(version), emulated=Version.of(emulated or version), feature_gates=gates)


@pytest.mark.parametrize(
    ("cluster", "served", "words"),
    [
        (cluster_of("1.37.2"), "v1", ""),
        (cluster_of("1.38.0"), "v1", ""),
        (cluster_of("1.36.3"), "v1beta2", ""),
        (cluster_of("1.36.2"), "v1beta2", "any rule can crash the scheduler of 1.36.2"),
        (cluster_of("1.36.4"), None, "the server does not serve DeviceTaintRules: 1.36 has them at resource.k8s.io/v1beta2, which is off"),
        (cluster_of("1.36.4"), "v1alpha3", "the server has DeviceTaintRules at resource.k8s.io/v1alpha3 only"),
        (cluster_of("1.37.2"), None, "the server does not serve DeviceTaintRules"),
        (cluster_of("1.35.4"), "v1alpha3", "1.35 has taint rules as an alpha of another form"),
        (cluster_of("1.37.2", "1.34"), "v1alpha3", "1.34 has taint rules as an alpha of another form"),
        (cluster_of("1.37.2", DRADeviceTaintRules=False), "v1", "the feature gate DRADeviceTaintRules is off"),
    ],
)
def test_where_no_rule_is_written(cluster: ClusterInfo, served: str | None, words: str) -> None:
    found = refusal(cluster, served)
    assert found.startswith(words) if words else found == ""
    if words:
        with pytest.raises(RulesNotWrittenError, match=r"^no rule is written: "):
            refuse_unwritable(cluster, served)
