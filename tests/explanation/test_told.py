"""What only the scheduler's words show, and hints that objects give."""

from msgspec.structs import replace

from kubectl_dra.explanation.document import Said
from kubectl_dra.explanation.pod import explain
from tests.explanation.given import codes, event, explained, on, told
from tests.factories import GPU, claim, device_class, node, pod, resource_slice, snapshot

GPUS = device_class("gpu", GPU)
INSUFFICIENT = "0/{all} nodes are available: {number} Insufficient example.com/gpu. preemption: 0/{all} nodes are available: {all} x."


def test_a_mapping_that_the_scheduler_has_lost() -> None:
    """E1: `Insufficient` of a mapped name, of more nodes than have it from a plugin."""
    waiting = told(pod("train", gpu=1), INSUFFICIENT.format(all=2, number=2))
    found = explained(waiting, node("a"), node("b", gpu=1), pod("x", gpu=1, node="b"), GPUS, resource_slice("a", 1))
    assert (found.verdict, codes(found)) == ("waits", ["lost-mapping", "plugin-used-up"])
    lost = found.reasons[0]
    assert lost.subject == GPU
    assert lost.detail[0].startswith(f"it says Insufficient {GPU} of 2 nodes, and a device plugin offers {GPU} on 1")
    assert 'kubectl annotate deviceclass gpu --overwrite kubectl-dra/touched="$(date +%s)"' in lost.fix


def test_insufficient_on_the_plugin_s_nodes_is_no_lost_mapping() -> None:
    waiting = told(pod("train", gpu=1), INSUFFICIENT.format(all=2, number=1))
    found = explained(waiting, node("a"), node("b", gpu=1), pod("x", gpu=1, node="b"), GPUS)
    assert "lost-mapping" not in codes(found)


def test_an_unmapped_name_is_no_lost_mapping() -> None:
    waiting = told(pod("train", gpu=1), INSUFFICIENT.format(all=1, number=1))
    assert codes(explained(waiting, node("a"))) == ["not-served"]


def test_the_last_words_and_when_they_were_said() -> None:
    waiting = told(pod("train", gpu=1), "0/1 nodes are available: 1 cannot allocate all claims.")
    said = "0/1 nodes are available: 1 cannot allocate all claims."
    assert explained(waiting, node("a"), GPUS).said == (Said("default-scheduler", said),)
    later = event(waiting, "FailedScheduling", said, "2026-01-01T13:00:00Z")
    found = explained(
        waiting, node("a"), GPUS, events=[event(waiting, "FailedScheduling", said), later, event(pod("x"), "FailedScheduling", said)]
    )
    assert found.said == (Said("default-scheduler", said, "2026-01-01T13:00:00Z"),)


def test_a_quota_that_forbids_the_scheduler_s_claim() -> None:
    """F10: it shows at binding only, as an error of the scheduler."""
    words = 'running PreBind plugin "DynamicResources": create claim for extended resources default/: forbidden: exceeded quota: q'
    found = explained(told(pod("train", gpu=1), words, "SchedulerError"), node("a"), GPUS, resource_slice("a", 1))
    assert (found.verdict, codes(found), found.reasons[0].fix) == ("waits", ["quota"], ("kubectl -n default describe resourcequota",))


def test_a_class_of_the_vendor_that_maps_no_name() -> None:
    """E14: installers differ in whether the class has the name."""
    found = explained(pod("train", resources={"nvidia.com/gpu": 1}), node("a"), device_class("gpu.nvidia.com"))
    assert codes(found) == ["class-maps-no-name", "not-served"]
    assert found.reasons[0].fix == (
        """kubectl patch deviceclass gpu.nvidia.com --type=merge -p '{"spec":{"extendedResourceName":"nvidia.com/gpu"}}'""",
    )


def test_priority_frees_no_devices_that_dra_gave() -> None:
    """E65."""
    held = claim("c", ("a", "gpu-0"), pod="low")
    urgent = pod("train", gpu=1)
    urgent = replace(urgent, spec=replace(urgent.spec, priority=1000))
    found = explained(urgent, node("a"), GPUS, resource_slice("a", 1), held, pod("low", gpu=1, node="a", claim="c"))
    assert codes(found) == ["no-preemption", "in-use"]
    assert "no-preemption" not in codes(explained(pod("train", gpu=1), node("a"), GPUS, resource_slice("a", 1), held, pod("low", node="a")))


def test_a_node_that_the_scheduler_has_chosen() -> None:
    """For preemption, or while the pod is bound: the node tells which."""
    waiting = told(pod("train", gpu=1), "")
    waiting = replace(waiting, status=replace(waiting.status, nominated_node_name="b"))
    found = explained(waiting, node("a"), node("b", gpu=1), GPUS)
    assert (found.verdict, found.reasons[0].code) == ("fits", "nominated")
    found = explained(waiting, node("a"), node("b", gpu=1), pod("low", gpu=1, node="b"), GPUS)
    assert (found.verdict, codes(found)) == ("waits", ["nominated", "no-devices", "plugin-used-up"])


def test_clusters_whose_classes_serve_no_names() -> None:
    waiting = pod("train", gpu=1)
    old = snapshot(waiting, node("a"), GPUS, resource_slice("a", 1), version="v1.35.2")
    found = explain(old, waiting)
    assert (codes(found), on(found, "a").served_by) == (["feature-unknown"], {GPU: "dra"})
    off = replace(old, cluster=replace(old.cluster, feature_gates={"DRAExtendedResource": False}))
    found = explain(off, waiting)
    assert (found.verdict, codes(found), on(found, "a").served_by) == ("waits", ["feature-off", "not-served"], {GPU: "nobody"})
    of_a_file = replace(old, cluster=replace(old.cluster, emulated=None, version=None))
    assert codes(explain(of_a_file, waiting)) == []


def test_what_is_not_judged_here_and_the_scheduler_said() -> None:
    words = (
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod anti-affinity rules."
        " preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    )
    waiting = told(pod("train", gpu=1), words)
    found = explained(waiting, node("a"), node("b"), GPUS, resource_slice("a", 1), resource_slice("b", 1))
    assert [(each.code, each.subject, each.nodes) for each in found.reasons] == [
        ("said-by-scheduler", "node(s) didn't match pod anti-affinity rules", 1)
    ]
    assert found.verdict == "fits"
    both = told(waiting, words.replace("1 Insufficient cpu, 1 node", "2 node"))
    found = explained(both, node("a"), node("b"), GPUS, resource_slice("a", 1), resource_slice("b", 1))
    assert (found.verdict, found.reasons[0].nodes) == ("waits", 2)
    volume = told(
        waiting, "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/1 nodes are available: 1 x."
    )
    found = explained(volume, node("a"), GPUS, resource_slice("a", 1))
    assert (found.verdict, found.reasons[0].subject) == ("waits", "pod has unbound immediate PersistentVolumeClaims")


def test_an_error_of_the_scheduler_that_is_not_foreseen() -> None:
    words = 'running PreBind plugin "DynamicResources": create claim for extended resources default/: resourceclaims is forbidden'
    found = explained(told(pod("train", gpu=1), words, "SchedulerError"), node("a"), GPUS, resource_slice("a", 1))
    assert (found.verdict, codes(found), found.reasons[0].detail) == ("waits", ["scheduler-error"], (words,))
    foreseen = told(pod("train", gpu=33), 'running "DynamicResources" filter plugin: ...', "SchedulerError")
    assert codes(explained(foreseen, node("a"), GPUS)) == ["too-many-devices"]


def test_an_implicit_name_that_a_scheduler_forgets_when_it_starts() -> None:
    """E1: of two classes of one second the one whose name sorts later never gets its implicit name."""
    other = device_class("other", GPU)
    for name, told_codes in (("other", ["name-forgotten"]), ("gpu", [])):
        asks = pod("train", resources={f"deviceclass.resource.kubernetes.io/{name}": 1})
        found = explained(asks, node("a"), GPUS, other, resource_slice("a", 1))
        assert (found.verdict, codes(found)) == ("fits", told_codes)
