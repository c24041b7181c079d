"""A drain's filters, one by one. `tests/live` holds them to kubectl's own."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from kubectl_dra.eviction.filters import Action, DaemonSetPods, Drain, DrainMode, DrainOptions, Fate, fates
from kubectl_dra.objects.labels import parse
from kubectl_dra.objects.pod import EmptyDirVolume, Pod, Volume
from kubectl_dra.objects.snapshot import KindReading
from kubectl_dra.objects.workload import Workload
from tests.factories import forbidden, pod, workload

NOW = datetime(2026, 1, 2, 3, 0, 0, tzinfo=UTC)
PLAIN = DrainOptions()
OF_SET = ("ReplicaSet apps/v1", "web")
OF_DAEMONS = ("DaemonSet apps/v1", "agent")
DAEMONS: KindReading[Workload] = KindReading((workload("agent"),))


def fate(
    of: Pod, options: DrainOptions = PLAIN, *, holds: bool = False, daemon_sets: KindReading[Workload] = DAEMONS, ours: str = ""
) -> Fate:
    name = (of.metadata.namespace or "", of.metadata.name)
    (found,) = fates([of], Drain(options, NOW, daemon_sets, {name} if holds else (), lambda pod: ours))
    return found


def with_empty_dir(of: Pod) -> Pod:
    return replace(of, spec=replace(of.spec, volumes=(Volume("scratch", empty_dir=EmptyDirVolume()),)))


def static(of: Pod) -> Pod:
    return replace(of, metadata=replace(of.metadata, annotations={"kubernetes.io/config.mirror": "x"}))


def deleted(of: Pod, at: str) -> Pod:
    return replace(of, metadata=replace(of.metadata, deletion_timestamp=at))


def test_a_pod_that_a_controller_makes_again_is_evicted() -> None:
    found = fate(pod("web-1", node="a", owner=OF_SET))
    assert (found.action, found.reason, found.warns) == (Action.EVICT, "", False)


def test_past_the_budgets_it_is_deleted() -> None:
    assert fate(pod("web-1", node="a", owner=OF_SET), DrainOptions(disable_eviction=True)).action is Action.DELETE


@pytest.mark.parametrize(
    ("force", "action", "reason"),
    [
        (False, Action.REFUSE, "nothing makes it again: --force deletes it for good"),
        (True, Action.EVICT, "nothing makes it again"),
    ],
)
def test_a_bare_pod(force: bool, action: Action, reason: str) -> None:
    found = fate(pod("notebook", node="a"), DrainOptions(force=force))
    assert (found.action, found.reason, found.warns) == (action, reason, action is Action.EVICT)


@pytest.mark.parametrize(
    ("allowed", "action", "reason"),
    [
        (False, Action.REFUSE, "the data in its emptyDir would go with it: --delete-emptydir-data allows it"),
        (True, Action.EVICT, "the data in its emptyDir goes with it"),
    ],
)
def test_a_pod_with_an_empty_dir(allowed: bool, action: Action, reason: str) -> None:
    found = fate(with_empty_dir(pod("web-1", node="a", owner=OF_SET)), DrainOptions(delete_emptydir_data=allowed))
    assert (found.action, found.reason) == (action, reason)


def test_only_the_last_warning_is_told_as_kubectl_does() -> None:
    found = fate(with_empty_dir(pod("notebook", node="a")), DrainOptions(delete_emptydir_data=True, force=True))
    assert (found.action, found.reason) == (Action.EVICT, "nothing makes it again")


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
@pytest.mark.parametrize("owner", [None, OF_SET, OF_DAEMONS])
def test_a_pod_that_has_ended_stays_because_it_holds_nothing(phase: str, owner: tuple[str, str] | None) -> None:
    found = fate(with_empty_dir(pod("done", node="a", owner=owner, phase=phase)))
    assert (found.action, found.reason) == (Action.IGNORE, f"has ended ({phase})")


def test_a_static_pod_stays() -> None:
    assert fate(static(pod("kube-proxy-a", node="a"))).action is Action.IGNORE


def test_a_static_pod_that_holds_a_device_must_not_stay() -> None:
    found = fate(static(pod("monitor-a", node="a")), holds=True)
    assert (found.action, found.reason) == (Action.REFUSE, "a static pod that holds a device: take its manifest off the node")


# DaemonSets

LEAVES_IT = "of DaemonSet agent: --ignore-daemonsets leaves it"


@pytest.mark.parametrize(("ignore", "action", "reason"), [(False, Action.REFUSE, LEAVES_IT), (True, Action.IGNORE, "of DaemonSet agent")])
@pytest.mark.parametrize("force", [False, True])
def test_a_daemon_pod_is_never_evicted(ignore: bool, action: Action, reason: str, force: bool) -> None:
    options = DrainOptions(ignore_daemonsets=ignore, force=force, delete_emptydir_data=force)
    found = fate(with_empty_dir(pod("agent-x", node="a", owner=OF_DAEMONS)), options)
    assert (found.action, found.reason) == (action, reason)


def test_an_orphan_of_a_daemon_set_goes_by_force() -> None:
    orphan = pod("agent-x", node="a", owner=("DaemonSet apps/v1", "gone"))
    assert fate(orphan, DrainOptions(ignore_daemonsets=True)).reason == "its DaemonSet gone is gone: --force deletes it for good"
    found = fate(orphan, DrainOptions(force=True))
    assert (found.action, found.reason, found.warns) == (Action.EVICT, "its DaemonSet gone is gone", True)


def test_a_daemon_set_of_that_name_elsewhere_is_another_one() -> None:
    elsewhere: KindReading[Workload] = KindReading((workload("agent", namespace="other"),))
    assert fate(pod("agent-x", node="a", owner=OF_DAEMONS), daemon_sets=elsewhere).action is Action.REFUSE


def test_daemon_sets_that_cannot_be_read_are_not_taken_for_gone() -> None:
    found = fate(pod("agent-x", node="a", owner=OF_DAEMONS), DrainOptions(force=True), daemon_sets=forbidden("daemonsets.apps"))
    assert found.action is Action.REFUSE
    assert found.reason.startswith("whether DaemonSet agent is still there is not known: daemonsets.apps is forbidden")


@pytest.mark.parametrize(
    ("wanted", "action", "reason"),
    [
        (DaemonSetPods.IGNORE, Action.REFUSE, "of DaemonSet agent, and holds a device: --daemonset-pods=delete"),
        (DaemonSetPods.DELETE, Action.DELETE, "of DaemonSet agent, and holds a device"),
    ],
)
def test_a_daemon_pod_that_holds_a_device(wanted: DaemonSetPods, action: Action, reason: str) -> None:
    found = fate(pod("agent-x", node="a", owner=OF_DAEMONS), DrainOptions(ignore_daemonsets=True, daemonset_pods=wanted), holds=True)
    assert (found.action, found.reason) == (action, reason)


def test_a_daemon_set_of_another_api_is_a_controller_like_any_other() -> None:
    assert fate(pod("agent-x", node="a", owner=("DaemonSet apps.kruise.io/v1alpha1", "agent"))).action is Action.EVICT


# who is meant


def test_pods_that_the_selector_leaves_out_stay() -> None:
    options = DrainOptions(pod_selector=parse("app=web"))
    assert fate(pod("web-1", node="a", owner=OF_SET, labels={"app": "web"}), options).action is Action.EVICT
    assert fate(pod("db-1", node="a", owner=OF_SET, labels={"app": "db"}), options).reason == "--pod-selector leaves it out"


def test_pods_that_somebody_answers_for_stay() -> None:
    assert fate(pod("plugin-x", node="a"), ours="the device plugin itself").action is Action.IGNORE


@pytest.mark.parametrize(("seconds", "action"), [(0, Action.EVICT), (60, Action.IGNORE), (120, Action.EVICT), (3600, Action.EVICT)])
def test_pods_that_should_have_ended_long_ago_are_skipped(seconds: int, action: Action) -> None:
    hanging = deleted(pod("web-1", node="a", owner=OF_SET), "2026-01-02T02:58:00Z")
    assert fate(hanging, DrainOptions(skip_wait_for_delete_timeout=seconds)).action is action


@pytest.mark.parametrize(
    ("mode", "holds", "action"),
    [
        (DrainMode.EVICT, False, Action.EVICT),
        (DrainMode.EVICT, True, Action.EVICT),
        (DrainMode.HOLDERS, False, Action.IGNORE),
        (DrainMode.HOLDERS, True, Action.EVICT),
        (DrainMode.WAIT, False, Action.IGNORE),
        (DrainMode.WAIT, True, Action.WAIT),
    ],
)
def test_modes(mode: DrainMode, holds: bool, action: Action) -> None:
    assert fate(pod("web-1", node="a", owner=OF_SET), DrainOptions(mode=mode), holds=holds).action is action


@pytest.mark.parametrize(("mode", "action"), [(DrainMode.HOLDERS, Action.REFUSE), (DrainMode.WAIT, Action.WAIT)])
def test_a_bare_pod_that_holds_a_device(mode: DrainMode, action: Action) -> None:
    """Waiting for it needs no leave: nobody deletes it."""
    assert fate(pod("notebook", node="a"), DrainOptions(mode=mode), holds=True).action is action


def test_the_order_is_that_of_the_pods() -> None:
    pods = [pod(name, node="a", owner=OF_SET) for name in ("b", "a", "c")]
    assert [each.pod.metadata.name for each in fates(pods, Drain(PLAIN, NOW))] == ["b", "a", "c"]
