"""What a preview says beyond the controller's numbers."""

from datetime import UTC, datetime

from msgspec.structs import replace

from kubectl_dra.objects.pod import Pod, PodResourceClaim, PodResourceClaimStatus
from kubectl_dra.objects.resource import (
    DeviceClaim,
    DeviceRequest,
    DeviceTaint,
    DeviceTaintRule,
    DeviceTaintSelector,
    ExactDeviceRequest,
    ResourceClaimSpec,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
)
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.taint_rules.document import HitBudget, HitClass, HitWorkload, OtherTaint, RuleSelector, TaintPreview
from kubectl_dra.taint_rules.preview import evicted_pods, preview, sight
from kubectl_dra.taint_rules.rule import rule
from tests.factories import DRIVER, budget, device_class, devices, meta, node, resource_slice, snapshot, workload
from tests.taint_rules.given import held, using

NOW = datetime(2026, 1, 2, tzinfo=UTC)
DRAIN = DeviceTaint("example.com/maintenance", "drain", "NoExecute")
POOL_A = DeviceTaintSelector(DRIVER, "a")


def seen(cluster: Snapshot, taint: DeviceTaint = DRAIN, selector: DeviceTaintSelector | None = POOL_A) -> TaintPreview:
    return preview(sight(cluster, [rule(taint, selector, "drain")], NOW))


def template() -> ResourceClaimTemplate:
    asked = DeviceRequest("gpu", ExactDeviceRequest("gpu", allocation_mode="ExactCount", count=1))
    return ResourceClaimTemplate(meta("one", "default"), ResourceClaimTemplateSpec(spec=ResourceClaimSpec(DeviceClaim((asked,)))))


def of_template(name: str, on: str, owner: tuple[str, str] = ("ReplicaSet apps/v1", "web")) -> Pod:
    pod = using(name, node=on, owner=owner)
    spec = replace(pod.spec, resource_claims=(PodResourceClaim("gpu", None, "one"),))
    return replace(pod, spec=spec, status=replace(pod.status, resource_claim_statuses=(PodResourceClaimStatus("gpu", f"{name}-gpu"),)))


def its_claim(pod: str, pool: str, device: str) -> object:
    return held(f"{pod}-gpu", (pool, device), by=[pod], owner=pod, node=pool)


def test_the_rule_and_when_each_pod_goes() -> None:
    for_20s = Toleration("example.com/maintenance", "Exists", effect="NoExecute", toleration_seconds=20)
    cluster = snapshot(
        resource_slice("a", 4),
        held("now", ("a", "gpu-0"), by=["now"]),
        held("late", ("a", "gpu-1"), by=["late"], tolerations=[for_20s]),
        held("never", ("a", "gpu-2"), by=["never"], tolerations=[replace(for_20s, toleration_seconds=None)]),
        using("now", "now"),
        using("late", "late"),
        using("both", "now", "late"),
        using("never", "never"),
    )
    found = seen(cluster)
    assert found.rule is not None
    assert (found.rule.name, found.rule.device_selector, found.rule.exists) == ("drain", RuleSelector(DRIVER, "a"), False)
    assert [(each.name, each.evict_after_seconds) for each in found.pods] == [("late", 20), ("now", 0)]
    assert [(each.name, each.reason, each.detail) for each in found.spared] == [
        ("both", "notReserved", "its claim is not reserved for it"),
        ("never", "tolerates", "request request-0 of never tolerates it for ever"),
    ]
    later = seen(cluster, replace(DRAIN, time_added="2026-01-02T01:00:00Z"))
    assert [each.evict_after_seconds for each in later.pods] == [3620, 3600]
    long_ago = seen(cluster, replace(DRAIN, time_added="2026-01-01T00:00:00Z"))
    assert [each.evict_after_seconds for each in long_ago.pods] == [0, 0]


def test_the_time_of_an_existing_rule_counts_only_while_its_effect_is_no_execute() -> None:
    for_2h = Toleration(operator="Exists", effect="NoExecute", toleration_seconds=7200)
    claim, pod = held("c", ("a", "gpu-0"), by=["p"], tolerations=[for_2h]), using("p", "c")
    for effect, after in (("NoExecute", 3600), ("None", 7200), ("NoSchedule", 7200)):
        there = rule(DeviceTaint("k", None, effect, "2026-01-01T23:00:00Z"), POOL_A, "there")
        found = preview(sight(snapshot(resource_slice("a", 1), claim, pod, there), [there], NOW))
        assert found.rule is not None
        assert found.rule.exists
        assert [each.evict_after_seconds for each in found.pods] == [after]


def test_workloads_budgets_and_shared_claims() -> None:
    pods = [replace(using(f"web-{n}", "shared", owner=("ReplicaSet apps/v1", "web")), spec=using("x", "shared").spec) for n in range(2)]
    pods = [replace(pod, metadata=replace(pod.metadata, labels={"app": "web"})) for pod in pods]
    other = replace(using("web-2", owner=("ReplicaSet apps/v1", "web")))
    cluster = snapshot(
        resource_slice("a", 2),
        held("shared", ("a", "gpu-0"), by=["web-0", "web-1"]),
        *pods,
        other,
        budget("guard", {"app": "web"}, allowed=0),
        budget("elsewhere", {"app": "web"}, namespace="other"),
        replica_sets=[workload("web", replicas=3, owner=("Deployment apps/v1", "web"))],
        deployments=[workload("web", replicas=3)],
    )
    found = seen(cluster)
    assert found.workloads == (HitWorkload("default", "Deployment", "web", 2, 3, 3),)
    assert found.budgets == (HitBudget("default", "guard", 2, 0),)
    assert [each.budgets for each in found.pods] == [("guard",)] * 2
    assert [(each.name, each.pods, each.devices) for each in found.claims] == [("shared", ("web-0", "web-1"), (f"{DRIVER}/a/gpu-0",))]


def test_successors_take_what_is_left_one_after_the_other() -> None:
    cluster = snapshot(
        node("a"),
        node("b"),
        resource_slice("a", 4),
        resource_slice("b", 2),
        device_class("gpu"),
        *(of_template(f"web-{n}", "a") for n in range(3)),
        *(its_claim(f"web-{n}", "a", f"gpu-{n}") for n in range(3)),
        of_template("busy", "b"),
        its_claim("busy", "b", "gpu-0"),
        using("alone", "own"),
        held("own", ("a", "gpu-3"), by=["alone"], node="a"),
        resource_claim_templates=[template()],
        replica_sets=[workload("web", replicas=4)],
    )
    found = seen(cluster)
    assert [(each.name, each.comes_back) for each in found.pods] == [
        ("alone", "never"),
        ("web-0", "fits"),
        ("web-1", "waits"),
        ("web-2", "waits"),
    ]
    # with one device tainted there is room for its pod on the same node only if another device is free there
    one = seen(cluster, selector=DeviceTaintSelector(DRIVER, "a", "gpu-1"))
    assert [(each.name, each.comes_back) for each in one.pods] == [("web-1", "fits")]
    everywhere = seen(cluster, selector=DeviceTaintSelector())
    assert {each.comes_back for each in everywhere.pods if each.workload.kind != "Pod"} == {"waits"}
    in_no_time = preview(sight(cluster, [rule(DRAIN, POOL_A)], NOW), expired=lambda: True)
    assert {each.comes_back for each in in_no_time.pods} == {"never", "unknown"}


def test_a_daemon_sets_pod_comes_back_on_its_node_only() -> None:
    cluster = snapshot(
        node("a"),
        node("b"),
        resource_slice("a", 1),
        resource_slice("b", 1),
        device_class("gpu"),
        of_template("agent", "a", owner=("DaemonSet apps/v1", "agent")),
        its_claim("agent", "a", "gpu-0"),
        resource_claim_templates=[template()],
    )
    assert [each.comes_back for each in seen(cluster).pods] == ["waits"]


def test_free_devices_that_a_class_loses() -> None:
    cluster = snapshot(
        node("a"), node("b"), resource_slice("a", 3), resource_slice("b", 2), device_class("gpu"), device_class("none", driver="other"),
        held("c", ("a", "gpu-0"), by=["p"]), using("p", "c"),
    )  # fmt: skip
    assert seen(cluster).classes == (HitClass("gpu", 3, 2, 4),)


def test_taints_that_are_there_already() -> None:
    sick = rule(DeviceTaint("sick", None, "NoSchedule"), DeviceTaintSelector(device="gpu-1"), "sick-rule")
    idle = rule(DeviceTaint("idle", None, "None"), DeviceTaintSelector(), "idle")
    found = seen(snapshot(resource_slice("a", devices(3, taint="NoExecute")), sick, idle))
    assert found.taints == (OtherTaint("example.com/sick:NoExecute", None, 3), OtherTaint("sick:NoSchedule", "sick-rule", 1))
    assert [each.taints for each in found.devices] == [
        ("example.com/sick:NoExecute",),
        ("example.com/sick:NoExecute", "sick:NoSchedule"),
        ("example.com/sick:NoExecute",),
    ]


def test_devices_that_only_claims_name() -> None:
    found = seen(snapshot(resource_slice("a", 1), held("c", ("a", "gpu-7"), by=["p"]), using("p", "c")))
    assert [(each.device, each.published, [claim.name for claim in each.claims]) for each in found.devices] == [
        ("gpu-0", True, []),
        ("gpu-7", False, ["c"]),
    ]


def test_traps() -> None:
    exists = Toleration(operator="Exists")
    cluster = snapshot(
        resource_slice("a", 1), resource_slice("b", 1), held("c", ("a", "gpu-0"), by=["p"], tolerations=[exists]), using("p", "c")
    )
    assert seen(cluster).warnings == (
        "1 pod (p) has a toleration without an effect: by it the scheduler uses such devices, but only one with the effect NoExecute keeps"
        " a pod from being evicted",
    )
    assert seen(cluster, selector=None).warnings == ("a rule without a selector selects no device",)
    assert seen(cluster, selector=DeviceTaintSelector(DRIVER)).warnings[0] == (
        "the selector selects all of the 2 devices that are published in the cluster"
    )
    assert seen(cluster, selector=DeviceTaintSelector("Gpu.example.com")).warnings == (
        "no device is selected: there is no driver Gpu.example.com: did you mean gpu.example.com?",
    )
    assert seen(cluster, selector=DeviceTaintSelector(DRIVER, "c")).warnings == ("no device is selected: there is no pool c",)
    noschedule = seen(cluster, replace(DRAIN, effect="NoSchedule")).warnings
    assert "pods that use a claim which has its devices already are still placed on them" in noschedule[-1]


def versions_say(version: str, selector: DeviceTaintSelector | None = POOL_A, *slices: object) -> tuple[str, ...]:
    return seen(snapshot(*(slices or (resource_slice("a", 1), resource_slice("b", 1))), version=version), selector=selector).warnings


def test_versions_on_which_a_rule_misbehaves() -> None:
    assert "takes it for every device" in versions_say("v1.37.0", None)[0]
    assert "can crash the scheduler (kubernetes/kubernetes#139681)" in versions_say("v1.36.2")[0]
    assert versions_say("v1.36.3") == ()
    assert versions_say("v1.37.2") == ()
    assert versions_say("v1.37.2", POOL_A, resource_slice("a", 1, slices=2)) == (
        "1.37.2 has a fault by which a rule that is written while a slice grows can crash the scheduler (kubernetes/kubernetes#143378), and"
        " pool a of gpu.example.com has 1 of its 2 slices",
        "the selector selects all of the 1 devices that are published in the cluster",
    )
    assert "none of them saves a pod" in versions_say("v1.34.3")[-1]


def test_a_gate_that_is_off() -> None:
    cluster = snapshot(resource_slice("a", 1), resource_slice("b", 1))
    off = replace(cluster, cluster=replace(cluster.cluster, feature_gates={"DRADeviceTaintRules": False}))
    assert seen(off).warnings == ("the feature gate DRADeviceTaintRules is off: the rule would be stored, and nobody would look at it",)


def test_the_pods_themselves() -> None:
    pod = using("p", "c")
    looked_at = sight(snapshot(resource_slice("a", 1), held("c", ("a", "gpu-0"), by=["p"]), pod), [rule(DRAIN, POOL_A)], NOW)
    assert evicted_pods(looked_at) == (pod,)


def test_a_rule_that_selects_by_class_is_not_judged() -> None:
    old = DeviceTaintRule(meta("old"), replace(rule(DRAIN, None).spec, device_selector=DeviceTaintSelector(device_class_name="gpu")))
    found = preview(sight(snapshot(resource_slice("a", 1), old), [old], NOW))
    assert found.client.pods is None
    assert "selects by class or CEL" in found.warnings[-1]
