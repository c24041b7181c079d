"""Checks of whoever uses devices."""

from msgspec.structs import replace

from kubectl_dra.migration.names import Direction
from kubectl_dra.objects.node import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kubectl_dra.objects.pod import Affinity, Container, EnvVar, NodeAffinity, Pod, PodResourceClaim
from kubectl_dra.objects.resource import ResourceClaim
from tests.factories import GPU, claim, forbidden, pod, quota, resource_slice, workload
from tests.migration.given import DRIVER, PLUGIN, checks, cluster, driver_pod, gpu_node, web


def with_claims(of: Pod) -> Pod:
    return replace(of, spec=replace(of.spec, resource_claims=(PodResourceClaim("own", "claim-1"),)))


def test_claims_beside_a_mapped_name() -> None:
    ((level, message),) = checks(cluster(with_claims(web())), "own-claims")
    assert (level, message) == (
        "warning",
        "ReplicaSet default/web has claims of its own beside a mapped name: such pods run only on nodes that were moved",
    )
    assert checks(cluster(web(), with_claims(web("other", None))), "own-claims") == [
        ("ok", "no user mixes claims of its own with a mapped name")
    ]


def test_templates_that_cannot_be_read_may_mix_them() -> None:
    assert checks(cluster(stateful_sets=forbidden("statefulsets.apps")), "own-claims")[0][0] == "warning?"


# selectors


def test_a_selector_on_a_label_that_changes() -> None:
    chosen = web()
    chosen = replace(chosen, spec=replace(chosen.spec, node_selector={PLUGIN: "true"}))
    ((level, message),) = checks(cluster(chosen), "selectors")
    assert level == "warning"
    assert message == f"ReplicaSet default/web selects nodes by a label that changes here ({PLUGIN} and {DRIVER})"


def test_an_affinity_on_a_label_that_changes() -> None:
    term = NodeSelectorTerm((NodeSelectorRequirement(DRIVER, "DoesNotExist"),))
    chosen = web()
    affinity = Affinity(NodeAffinity(NodeSelector((term,))))
    assert checks(cluster(replace(chosen, spec=replace(chosen.spec, affinity=affinity))), "selectors")[0][0] == "warning"


def test_selectors_on_other_labels_and_the_operands_own() -> None:
    chosen = web()
    chosen = replace(chosen, spec=replace(chosen.spec, node_selector={"zone": "b"}))
    assert checks(cluster(chosen), "selectors") == [("ok", "no selector loses the node")]


# quotas


def test_a_quota_that_begins_to_count() -> None:
    key = "gpu.example.com.deviceclass.resource.k8s.io/devices"
    counts = quota("team", {key: 2, "pods": 10}, used={key: 0})
    ((level, message),) = checks(cluster(web(), resource_quotas=[counts]), "quotas")
    assert (level, message) == (
        "warning",
        f"ResourceQuota default/team begins to count these pods ({key} 0 of 2); over it they stay pending",
    )


def test_quotas_that_do_not() -> None:
    """Of other namespaces, on other things, on the name itself, which counts already."""
    elsewhere = quota("team", {"count/resourceclaims.resource.k8s.io": 2}, namespace="other")
    same = quota("gpus", {f"requests.{GPU}": 8, "pods": 10})
    assert checks(cluster(web(), resource_quotas=[elsewhere, same]), "quotas") == [("ok", "no quota begins to apply")]


def test_quotas_that_cannot_be_read() -> None:
    assert checks(cluster(web(), resource_quotas=forbidden("resourcequotas")), "quotas")[0][0] == "warning?"


# preemption


def test_priorities_no_longer_preempt() -> None:
    urgent = workload("urgent", gpu=1, replicas=1)
    template = urgent.spec.template
    assert template is not None
    urgent = replace(urgent, spec=replace(urgent.spec, template=replace(template, spec=replace(template.spec, priority=1000))))
    ((level, message),) = checks(cluster(deployments=[urgent]), "preemption")
    assert (level, message.partition(" has a priority")[0]) == ("warning", "Deployment default/urgent")
    polite = replace(
        urgent, spec=replace(urgent.spec, template=replace(template, spec=replace(template.spec, priority=1000, preemption_policy="Never")))
    )
    assert [level for level, _ in checks(cluster(deployments=[polite]), "preemption")] == ["ok"]


# unasked


def with_variable(of: Pod, value: str, name: str = "NVIDIA_VISIBLE_DEVICES") -> Pod:
    return replace(of, spec=replace(of.spec, containers=(Container("main", env=(EnvVar(name, value),)),)))


def test_pods_that_use_devices_without_asking() -> None:
    ((level, message),) = checks(cluster(with_variable(web(gpu=None), "all")), "unasked")
    assert (level, message.partition(" may use")[0]) == ("warning", "default/web-1")


def test_pods_that_were_given_theirs_or_want_none() -> None:
    asks = web()
    (container,) = asks.spec.containers or ()
    asks = replace(asks, spec=replace(asks.spec, containers=(replace(container, env=(EnvVar("NVIDIA_VISIBLE_DEVICES", "all"),)),)))
    none = with_variable(web("none", None), "void")
    elsewhere = with_variable(web("elsewhere", None, node="b"), "all")
    plugin = with_variable(driver_pod(), "all")
    assert checks(cluster(asks, none, elsewhere, plugin), "unasked") == [("ok", "no pod here uses devices without asking")]


# the way back


def test_claims_of_users_on_the_way_back() -> None:
    ((level, message),) = checks(cluster(with_claims(web())), "claims-of-users", direction=Direction.ROLLBACK)
    assert (level, message) == (
        "warning",
        "default/web-1 has claims of its own: once gpu.example.com is gone from the node, such pods cannot run here",
    )
    assert checks(cluster(web()), "claims-of-users", direction=Direction.ROLLBACK)[0][0] == "ok"
    assert checks(cluster(with_claims(web())), "claims-of-users") == []


def test_claims_on_the_way_back() -> None:
    def looked(*claims: ResourceClaim, **readings: object) -> list[tuple[str, str]]:
        of = cluster(*claims, resource_slice("a", 4), plugin=False, a=gpu_node("a", None), **readings)  # type: ignore[arg-type]
        return checks(of, "claims", direction=Direction.ROLLBACK)

    assert looked() == [("ok", "no claim has devices here")]
    assert looked(claim("used", ("a", "gpu-0"), pod="web-1"), claim("other", ("b", "gpu-0"), pod="x")) == [
        ("ok", "1 claim of pods here, which leave first")
    ]
    assert looked(claim("idle", ("a", "gpu-0"))) == [
        ("warning", "default/idle has devices here and is reserved for nobody: delete it, or step claims waits for it")
    ]
    assert looked(resource_claims=forbidden("resourceclaims"))[0][0] == "blocker?"


def test_pods_that_cannot_be_read() -> None:
    of = cluster(plugin=False, pods=forbidden("pods"))
    assert [checks(of, name)[0][0] for name in ("own-claims", "unasked")] == ["warning?", "warning?"]
    assert checks(cluster(pod("x")), "unasked")[0][0] == "ok"
