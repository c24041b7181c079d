"""A drain's filters against kubectl's own, on one node with a pod of every kind: the same pods go, and the same ones are refused."""

import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import product

from kubectl_dra.environment import Environment
from kubectl_dra.eviction.filters import Action, Drain, DrainOptions, fates
from kubectl_dra.objects.labels import parse
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import Wanted, read_path
from tests.bed.api import Manifest
from tests.bed.cluster import Cluster
from tests.run import Stream, kubectl_dra

DAEMON_SET = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "agent"},
    "spec": {
        "selector": {"matchLabels": {"app": "agent"}},
        "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [{"name": "main", "image": "x"}]}},
    },
}
OWNERS = {
    "none": None,
    "set": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"},
    "daemons": {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent"},
    "orphan": {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "no-more"},
    "other": {"apiVersion": "apps.kruise.io/v1alpha1", "kind": "DaemonSet", "name": "agent"},
    "custom": {"apiVersion": "example.com/v1", "kind": "Gang", "name": "g"},
}
PHASES = ("Running", "Succeeded", "Failed", "Pending")


def one_pod(name: str, owner: str, *, scratch: bool, mirror: bool) -> Manifest:
    reference = OWNERS[owner]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {"app": "web" if owner == "set" else owner},
            "annotations": {"kubernetes.io/config.mirror": "x"} if mirror else {},
            "ownerReferences": [{**reference, "uid": f"uid-{owner}", "controller": True}] if reference else [],
        },
        "spec": {
            "nodeName": "node-x",
            "automountServiceAccountToken": False,
            "containers": [{"name": "main", "image": "x"}],
            "volumes": [{"name": "scratch", "emptyDir": {}}] if scratch else [],
        },
    }


def fill(cluster: Cluster) -> None:
    """A node, a DaemonSet, and a pod for each owner, phase, emptyDir or not; static ones; one that hangs in its deletion."""
    api = cluster.api
    api.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-x"}})
    api.create("/apis/apps/v1/namespaces/default/daemonsets", DAEMON_SET)
    pods = "/api/v1/namespaces/default/pods"
    for owner, phase, scratch in product(OWNERS, PHASES, (False, True)):
        name = f"{owner}-{phase.lower()}{'-scratch' if scratch else ''}"
        api.create(pods, one_pod(name, owner, scratch=scratch, mirror=False))
        api.patch(f"{pods}/{name}/status", {"status": {"phase": phase}})
    api.create(pods, one_pod("static", "none", scratch=False, mirror=True))
    hanging = one_pod("hanging", "set", scratch=False, mirror=False)
    hanging["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(pods, hanging)
    api.delete(f"{pods}/hanging", grace=1)


def test_the_same_pods_go_as_with_kubectl(own_cell: Callable[..., Cluster], tmp_path: object) -> None:
    cluster = own_cell(controllers=False, scheduler=False)
    fill(cluster)
    snapshot = read(cluster, f"{tmp_path}/cluster.json")
    agreed = 0
    for ignore, scratch, force, selector in product((False, True), (False, True), (False, True), ("", "app=web", "app!=daemons")):
        options = DrainOptions(ignore_daemonsets=ignore, delete_emptydir_data=scratch, force=force, pod_selector=parse(selector))
        flags = [f"--ignore-daemonsets={ignore}", f"--delete-emptydir-data={scratch}", f"--force={force}", f"--pod-selector={selector}"]
        assert ours(snapshot, options) == kubectls(cluster, flags), flags
        agreed += 1
    assert agreed == 24
    everybody = DrainOptions(ignore_daemonsets=True, delete_emptydir_data=True, force=True)
    assert len(ours(snapshot, everybody)[0]) == len(("none", "set", "other", "custom", "orphan")) * 4 + len(("hanging",))
    assert len(ours(snapshot, DrainOptions())[1]) == 2 * 4 + 4 * 2 + 2  # of DaemonSets; else with an emptyDir; else bare
    # a pod that should have ended long ago is skipped by both
    later = datetime.now(UTC) + timedelta(hours=1)
    assert "hanging" not in ours(snapshot, DrainOptions(skip_wait_for_delete_timeout=60, force=True, ignore_daemonsets=True), later)[0]


def read(cluster: Cluster, path: str) -> Snapshot:
    made = kubectl_dra("snapshot", path, "--kubeconfig", str(cluster.kubeconfig))
    assert made.code == 0, made.stderr
    environment = Environment(Stream(), Stream(), Stream())
    return read_path(path, environment, pod_templates=Wanted(kinds=frozenset()).pod_templates)


def ours(snapshot: Snapshot, options: DrainOptions, now: datetime | None = None) -> tuple[set[str], set[str]]:
    """Who goes, and who is refused; where somebody is refused, nobody goes."""
    found = fates(
        [pod for pod in snapshot.pods if pod.node_name == "node-x"], Drain(options, now or datetime.now(UTC), snapshot.daemon_sets)
    )
    refused = {fate.pod.metadata.name for fate in found if fate.action is Action.REFUSE}
    going = {fate.pod.metadata.name for fate in found if fate.action is Action.EVICT}
    return (set() if refused else going), refused


def kubectls(cluster: Cluster, flags: list[str]) -> tuple[set[str], set[str]]:
    """The same of kubectl; pods that have ended, which it deletes and we leave alone, are left out."""
    command = [str(cluster.bed), "kubectl", "--kubeconfig", str(cluster.kubeconfig), "drain", "node-x", "--dry-run=client", *flags]
    told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120).stdout
    going = {name for name in re.findall(r"^evicting pod default/(\S+)", told, re.MULTILINE) if not re.search("succeeded|failed", name)}
    faults = next((line for line in told.splitlines() if line.startswith("error: unable to drain")), "")
    refused = set(re.findall(r"default/([\w-]+)", faults))
    return going, refused
