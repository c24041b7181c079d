"""Checks of emptying the node."""

import pytest
from msgspec.structs import replace

from kubectl_dra.eviction.filters import DaemonSetPods, DrainMode, DrainOptions
from kubectl_dra.migration.journal import Journal
from kubectl_dra.migration.names import Direction, StepName
from kubectl_dra.objects.labels import parse
from kubectl_dra.objects.pod import EmptyDirVolume, Pod, Volume
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.objects.workload import WorkloadSpec, WorkloadStatus
from tests.factories import claim, forbidden, pod, resource_slice, workload
from tests.migration.given import (
    DRIVER_SET,
    MOVED,
    PLUGIN_SET,
    blockers,
    checks,
    cluster,
    daemon_set,
    driver_pod,
    gpu_node,
    journal,
    planned,
    web,
    with_journal,
)

AGENT = daemon_set("agent", "agent", None)
SETS = (PLUGIN_SET, DRIVER_SET, AGENT)
USUAL = DrainOptions(ignore_daemonsets=True)


def agent(gpu: int | None = None) -> Pod:
    return pod("agent-a", gpu, namespace="devices", node="a", labels={"app": "agent"}, owner=("DaemonSet apps/v1", "agent"))


def static(of: Pod) -> Pod:
    return replace(of, metadata=replace(of.metadata, annotations={"kubernetes.io/config.mirror": "x"}))


def tolerating(of: Pod, key: str | None = None) -> Pod:
    return replace(of, spec=replace(of.spec, tolerations=(Toleration(key, "Exists"),)))


def test_pods_that_leave() -> None:
    of = cluster(web(), web("web-2", None), agent(), daemon_sets=SETS)
    assert checks(of, "drain") == [("ok", "2 pods will leave; 1 holder of devices here")]


def test_a_node_with_only_its_operands() -> None:
    assert checks(cluster(), "drain") == [("ok", "no pod has to leave")]


def test_who_must_not_go_without_leave() -> None:
    scratch = web("scratch-1", 1)
    scratch = replace(scratch, spec=replace(scratch.spec, volumes=(Volume("s", empty_dir=EmptyDirVolume()),)))
    of = cluster(pod("notebook-1", 1, node="a"), pod("notebook-2", node="a"), scratch)
    assert checks(of, "drain") == [
        ("blocker", "default/notebook-1 and default/notebook-2: nothing makes it again: --force deletes it for good"),
        ("blocker", "default/scratch-1: the data in its emptyDir would go with it: --delete-emptydir-data allows it"),
    ]
    allowed = DrainOptions(ignore_daemonsets=True, force=True, delete_emptydir_data=True)
    assert checks(of, "drain", drain=allowed) == [("ok", "3 pods will leave; 2 holders of devices here")]


def test_daemon_pods_that_hold_devices() -> None:
    of = cluster(agent(1), daemon_sets=SETS)
    assert checks(of, "drain") == [("blocker", "devices/agent-a: of DaemonSet agent, and holds a device: --daemonset-pods=delete")]
    asked = DrainOptions(ignore_daemonsets=True, daemonset_pods=DaemonSetPods.DELETE)
    assert [level for level, _ in checks(of, "drain", drain=asked)] == ["ok"]


def test_a_static_pod_that_holds_a_device() -> None:
    ((level, message),) = checks(cluster(static(pod("monitor-a", 1, node="a"))), "drain")
    assert (level, message) == ("blocker", "default/monitor-a: a static pod that holds a device: take its manifest off the node")


@pytest.mark.parametrize("of", [journal(StepName.CORDON, StepName.DRAIN, StepName.UNPLUG, begun=StepName.UNCORDON), journal(finished=True)])
def test_a_node_that_was_drained_is_not_judged_again(of: Journal) -> None:
    """After the uncordon users' pods are back: one without a controller must not keep the run from its end."""
    a = with_journal(gpu_node("a", None, labels=MOVED), of)
    world = cluster(pod("notebook", 1, node="a", claim="c"), resource_slice("a", 4), driver_pod(), a=a, plugin=False)
    assert [checks(world, name)[0][0] for name in ("drain", "bare-pods", "holders-leave", "elsewhere")] == ["ok"] * 4
    assert blockers(world) == []
    assert planned(world).pods == ()


def test_pods_that_are_waited_for() -> None:
    of = cluster(web(), web("web-2", None))
    assert checks(of, "drain", drain=DrainOptions(mode=DrainMode.WAIT)) == [("ok", "1 pod will be waited for: default/web-1")]


def test_pods_or_daemon_sets_that_cannot_be_read() -> None:
    assert checks(cluster(plugin=False, pods=forbidden("pods")), "drain")[0][0] == "blocker?"
    assert checks(cluster(daemon_sets=forbidden("daemonsets.apps")), "drain")[0][0] == "blocker?"


# holders that would stay


def test_a_holder_that_the_selector_leaves_out() -> None:
    chosen = DrainOptions(ignore_daemonsets=True, pod_selector=parse("app=batch"))
    ((level, message),) = checks(cluster(web()), "holders-leave", drain=chosen)
    assert (level, message) == ("blocker", "default/web-1 holds a device and would stay: --pod-selector leaves it out")
    assert checks(cluster(web()), "holders-leave") == [("ok", "every pod that holds a device leaves")]


def test_a_pod_that_has_ended_holds_nothing() -> None:
    assert checks(cluster(web(phase="Succeeded")), "holders-leave")[0][0] == "ok"


def test_a_pod_with_a_claim_holds_nothing_of_the_plugin() -> None:
    chosen = DrainOptions(pod_selector=parse("app=batch"))
    assert checks(cluster(web(claim="c")), "holders-leave", drain=chosen)[0][0] == "ok"


def test_on_the_way_back_holders_are_those_with_claims() -> None:
    chosen = DrainOptions(ignore_daemonsets=True, pod_selector=parse("app=batch"))
    of = cluster(
        web(claim="web-1-claim"),
        claim("web-1-claim", ("a", "gpu-0"), pod="web-1"),
        resource_slice("a", 4),
        a=gpu_node("a", None),
        plugin=False,
    )
    found = checks(of, "holders-leave", drain=chosen, direction=Direction.ROLLBACK)
    assert found == [("blocker", "default/web-1 holds a device and would stay: --pod-selector leaves it out")]


# the fence


def test_a_daemon_pod_that_tolerates_every_taint() -> None:
    asked = DrainOptions(ignore_daemonsets=True, daemonset_pods=DaemonSetPods.DELETE)
    of = cluster(tolerating(agent(1)), daemon_sets=SETS)
    ((level, message),) = checks(of, "fence", drain=asked)
    assert (level, message) == ("blocker", "devices/agent-a tolerates every taint: deleted, it is back at once, fence or not")
    assert checks(cluster(tolerating(agent(1), "gpu"), daemon_sets=SETS), "fence", drain=asked)[0][0] == "ok"


def test_a_waiting_pod_that_tolerates_every_taint() -> None:
    ((level, message),) = checks(cluster(tolerating(pod("eager", 1))), "fence")
    assert (level, message) == ("warning", "default/eager waits, and tolerates every taint: it may land here in the middle")
    assert checks(cluster(tolerating(pod("eager"))), "fence") == [("ok", "nothing that holds a device gets past the fence")]


# who is hurt


def test_bare_pods_are_lost() -> None:
    forced = DrainOptions(ignore_daemonsets=True, force=True)
    assert checks(cluster(pod("notebook", node="a")), "bare-pods", drain=forced) == [
        ("warning", "default/notebook: nothing makes it again; keep its manifest")
    ]
    assert checks(cluster(web()), "bare-pods") == [("ok", "controllers make every pod again")]


def test_gangs() -> None:
    member = web("train-0", owner=("Job batch/v1", "train"), labels={"jobset.sigs.k8s.io/jobset-name": "train"})
    assert checks(cluster(member), "gangs") == [("warning", "default/train-0 works in a group: one that leaves stops all of it")]
    assert checks(cluster(web()), "gangs") == [("ok", "no pod takes others down with it")]


def test_a_job_near_its_limit() -> None:
    of_job = web("train-x", owner=("Job batch/v1", "train"))
    job = replace(workload("train", gpu=1, status=WorkloadStatus(failed=6)), spec=WorkloadSpec(backoff_limit=6))
    assert checks(cluster(of_job, jobs=[job]), "jobs") == [
        ("warning", "Job default/train may fail for good: 6 pods failed, 1 leave here, its backoffLimit is 6")
    ]
    fresh = replace(job, status=WorkloadStatus(failed=1))
    assert checks(cluster(of_job, jobs=[fresh]), "jobs") == [("ok", "no Job fails by it")]
    unsaid = replace(job, spec=WorkloadSpec())
    assert checks(cluster(of_job, jobs=[unsaid]), "jobs")[0][0] == "warning", "a Job without a limit has 6"


def test_jobs_that_cannot_be_read() -> None:
    assert checks(cluster(jobs=forbidden("jobs.batch")), "jobs")[0][0] == "warning?"
