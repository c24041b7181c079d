"""The bed itself: what the other live tests stand on."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.api import Manifest, RefusedError
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.process import BedError
from tests.bed.proxy import FaultProxy
from tests.bed.waiting import wait_until

GPU = "example.com/gpu"
ROOT = Path(__file__).parent.parent.parent


def pod(name: str, node: str, devices: int = 1) -> Manifest:
    """A pod for one node that asks for devices."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": node},
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "registry.example/train", "resources": {"limits": {GPU: str(devices)}}}],
        },
    }


def gpu_class(name: str = "gpu.example.com") -> Manifest:
    """A class of all devices of our driver that serves the extended resource."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"extendedResourceName": GPU, "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]},
    }


def phase(cluster: Cluster, namespace: str, name: str) -> str:
    """A pod's phase."""
    return str(cluster.api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")["status"]["phase"])


def resources(node: Node) -> tuple[str | None, str | None]:
    """Capacity and allocatable of the devices."""
    status = node.read()["status"]
    return status["capacity"].get(GPU), status["allocatable"].get(GPU)


def alive(pid: int) -> bool:
    """Whether a process of that id is there."""
    return Path(f"/proc/{pid}").exists()


def test_a_cluster_leaves_no_process_behind(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell()
    pids = [process.pid for process in cluster.processes.values()]
    assert sorted(cluster.processes) == ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]
    assert all(map(alive, pids))

    cluster.close()

    assert not any(map(alive, pids))


def test_components_die_with_a_supervisor_that_is_killed(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell(controllers=False, scheduler=False)
    pids = [process.pid for process in cluster.processes.values()]

    cluster.kill()

    wait_until(lambda: not any(map(alive, pids)), "no component left")


def test_a_component_that_cannot_start_is_told_with_its_log(own_cell: Callable[..., Cluster]) -> None:
    with pytest.raises(BedError, match=r"kube-apiserver died; the end of its log:\n(?s:.*)unknown flag: --no-such-flag"):
        own_cell(flags={"apiserver": ["--no-such-flag"]})


def test_a_component_can_be_stopped_and_started(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell(controllers=False, scheduler=False)
    cluster.stop("kube-apiserver")
    with pytest.raises(BedError, match="refused"):
        cluster.kubectl("get", "nodes")

    cluster.start("kube-apiserver")

    assert cluster.kubectl("get", "namespaces", "default", "-o", "name") == "namespace/default\n"


def test_a_cluster_goes_on_in_its_folder(own_cell: Callable[..., Cluster], bed: Path, short_path: Path) -> None:
    with Cluster(bed, short_path / "kept", controllers=False, scheduler=False) as cluster:
        cluster.api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kept"}})

    with Cluster(bed, short_path / "kept", controllers=False, scheduler=False) as cluster:
        assert cluster.api.find("/api/v1/namespaces/kept")


def test_two_clusters_side_by_side_know_nothing_of_each_other(cell: Cluster, own_cell: Callable[..., Cluster], namespace: str) -> None:
    other = own_cell(controllers=False, scheduler=False)

    assert other.server != cell.server
    assert other.api.find(f"/api/v1/namespaces/{namespace}") is None
    assert cell.api.find(f"/api/v1/namespaces/{namespace}")


def test_the_emulated_version_is_that_of_the_api(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell(emulated_version="1.34")

    version = cluster.api.get("/version")
    assert (version["gitVersion"], version["emulationMinor"]) == ("v1.37.2", "34")
    with pytest.raises(RefusedError, match="404"):
        cluster.api.get("/apis/resource.k8s.io/v1beta2/devicetaintrules")


def test_older_versions_of_the_api_alone(own_cell: Callable[..., Cluster], node: Callable[..., Node]) -> None:
    cluster = own_cell(
        authorization_mode="RBAC", runtime_config="resource.k8s.io/v1=false,resource.k8s.io/v1beta2=false,resource.k8s.io/v1beta1=true"
    )
    a = node("a", cluster)

    with DraDriver(a, count=2):
        assert len(cluster.api.items("/apis/resource.k8s.io/v1beta1/resourceslices")[0]["spec"]["devices"]) == 2


def test_users_log_in_by_token_and_by_certificate(own_cell: Callable[..., Cluster], tmp_path: Path) -> None:
    cluster = own_cell(users=["eve,devs,ops"], controllers=False, scheduler=False)
    eve = cluster.users["eve"]
    by_token = cluster.write_kubeconfig(tmp_path / "token", {"token": eve.token})
    by_certificate = cluster.write_kubeconfig(
        tmp_path / "certificate", {"client-certificate": str(eve.client_certificate), "client-key": str(eve.client_key)}
    )

    for kubeconfig in (by_token, by_certificate):
        user = json.loads(cluster.kubectl("auth", "whoami", "-o", "json", kubeconfig=kubeconfig))["status"]["userInfo"]
        assert (user["username"], sorted(user["groups"])) == ("eve", ["devs", "ops", "system:authenticated"])
    with pytest.raises(BedError, match='User "eve" cannot list resource "nodes"'):
        cluster.kubectl("get", "nodes", kubeconfig=by_token)


def test_a_serving_certificate_that_has_run_out(own_cell: Callable[..., Cluster]) -> None:
    cluster = own_cell(serving_for="-1h", controllers=False, scheduler=False)

    with pytest.raises(BedError, match="certificate has expired"):
        cluster.kubectl("get", "nodes")


def test_few_rights_are_just_these(few_rights: Callable[..., Path], kubectl: Callable[..., str], namespace: str) -> None:
    reader = few_rights({"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]})

    assert kubectl("get", "pods", kubeconfig=reader) == ""
    with pytest.raises(BedError, match=f'User "system:serviceaccount:{namespace}:few-.*" cannot list resource "nodes"'):
        kubectl("get", "nodes", kubeconfig=reader)


def test_a_cell_is_clean_after_each_test(cell: Cluster) -> None:
    assert cell.api.items("/api/v1/nodes") == []
    assert cell.api.items("/apis/resource.k8s.io/v1/resourceslices") == []
    assert cell.api.items("/api/v1/pods") == []


def test_a_device_plugin_gives_allocatable_and_takes_it_away(node: Callable[..., Node], device_plugin: Callable[..., DevicePlugin]) -> None:
    a = node(labels={"pool": "gpu"}, taints=["dedicated=gpu:NoSchedule"])
    assert a.read()["metadata"]["labels"]["pool"] == "gpu"
    assert {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"} in a.read()["spec"]["taints"]

    plugin = device_plugin(a, GPU, count=4)
    wait_until(lambda: resources(a) == ("4", "4"), "all devices there")

    plugin.set_health("dev-1", healthy=False)
    wait_until(lambda: resources(a) == ("4", "3"), "one device is unhealthy")

    plugin.set_health("all", healthy=True)
    wait_until(lambda: resources(a) == ("4", "4"), "all devices there again")

    plugin.kill()
    wait_until(lambda: resources(a) == ("4", "0"), "none can be allocated, capacity is kept for five minutes")


def test_a_device_plugin_registers_again_after_a_restart_of_the_kubelet(
    node: Callable[..., Node], device_plugin: Callable[..., DevicePlugin]
) -> None:
    a = node()
    device_plugin(a, GPU, count=2, pre_start_required=True)
    wait_until(lambda: resources(a) == ("2", "2"), "all devices there")

    a.restart_kubelet()

    wait_until(lambda: resources(a) == ("2", "2"), "all devices there again")


def test_an_unchanged_pod_runs_through_dra_where_a_class_maps_its_name(
    cell: Cluster, node: Callable[..., Node], dra_driver: Callable[..., DraDriver], apply: Callable[..., list[Manifest]], namespace: str
) -> None:
    a = node()
    dra_driver(
        a, count=3, attributes={"productName": "Test GPU", "index": 7, "ecc": True, "driverVersion": "v1.2.3"}, capacity={"memory": "80Gi"}
    )
    apply(gpu_class())

    apply(pod("train", a.name, devices=2))

    wait_until(lambda: phase(cell, namespace, "train") == "Running", "the pod runs")
    (claim,) = cell.api.items(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims")
    assert [result["driver"] for result in claim["status"]["allocation"]["devices"]["results"]] == ["gpu.example.com"] * 2
    assert GPU not in a.read()["status"]["capacity"]
    (published,) = cell.api.items("/apis/resource.k8s.io/v1/resourceslices")
    assert published["spec"]["pool"]["name"] == a.name
    assert published["spec"]["devices"][2] == {
        "name": "gpu-2",
        "attributes": {
            "productName": {"string": "Test GPU"},
            "index": {"int": 7},
            "ecc": {"bool": True},
            "driverVersion": {"version": "1.2.3"},
        },
        "capacity": {"memory": {"value": "80Gi"}},
    }


def test_a_driver_publishes_what_it_is_told(cell: Cluster, node: Callable[..., Node], dra_driver: Callable[..., DraDriver]) -> None:
    driver = dra_driver(node(), pools={"p": {"slices": [{"devices": [{"name": "one"}]}, {"devices": [{"name": "two"}]}]}})

    def names() -> list[str]:
        return [device["name"] for item in cell.api.items("/apis/resource.k8s.io/v1/resourceslices") for device in item["spec"]["devices"]]

    assert sorted(names()) == ["one", "two"]
    driver.publish({"p": {"slices": [{"devices": [{"name": "three"}]}]}})
    wait_until(lambda: names() == ["three"], "the new devices alone")


def test_removing_a_container_deletes_nothing_in_the_kubelets_working_directory(
    cell: Cluster,
    node: Callable[..., Node],
    device_plugin: Callable[..., DevicePlugin],
    apply: Callable[..., list[Manifest]],
    namespace: str,
) -> None:
    """Protects from a runtime that names no log: the kubelet then deletes `*` where it stands."""
    a = node()
    device_plugin(a, GPU)
    (a.working_dir / "precious").write_text("not a log")
    apply(pod("train", a.name))
    wait_until(lambda: phase(cell, namespace, "train") == "Running", "the pod runs")
    (log,) = a.pod_logs.glob(f"{namespace}_train_*/c/0.log")
    links = [path.resolve() for path in (a.dir / "container-logs").iterdir()]
    assert links == [log]

    cell.api.delete(f"/api/v1/namespaces/{namespace}/pods/train")

    wait_until(lambda: not log.exists(), "the container is removed with its log")
    assert (a.working_dir / "precious").read_text() == "not a log"


def test_a_kubelet_leaves_the_machine_as_it_was(node: Callable[..., Node]) -> None:
    settings = [Path("/proc/sys/vm/overcommit_memory"), Path("/proc/sys/kernel/panic"), Path("/proc/sys/kernel/panic_on_oops")]
    mounts, values = Path("/proc/self/mounts").read_text(), [path.read_text() for path in settings]

    a = node()
    a.close()

    assert Path("/proc/self/mounts").read_text() == mounts
    assert [path.read_text() for path in settings] == values
    assert not any(alive(process.pid) for process in a.processes.values())


def test_two_kubelets_side_by_side_have_devices_of_their_own(node: Callable[..., Node], device_plugin: Callable[..., DevicePlugin]) -> None:
    a, b = node(), node()
    device_plugin(a, GPU, count=1)
    device_plugin(b, GPU, count=2)

    wait_until(lambda: (resources(a), resources(b)) == (("1", "1"), ("2", "2")), "each has its own")


def test_a_proxy_stands_before_the_api_server(
    cell: Cluster, proxy: Callable[..., FaultProxy], kubectl: Callable[..., str], tmp_path: Path
) -> None:
    before = proxy(cell)
    kubeconfig = cell.write_kubeconfig(tmp_path / "kubeconfig", server=before.url)
    before.answer(
        "/api/v1/nodes", 403, b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not today","code":403}', method="GET"
    )

    with pytest.raises(BedError, match="not today"):
        kubectl("get", "nodes", kubeconfig=kubeconfig)

    assert kubectl("get", "nodes", "-o", "name", kubeconfig=kubeconfig) == ""
    lists = [passed.status for passed in before.requests if passed.path.startswith("/api/v1/nodes")]
    assert lists == [403, 200]


@pytest.mark.parametrize(("arguments", "pods"), [((), 8), (("--moves",), 9)])
def test_a_cluster_by_hand_tells_how_to_use_it_and_leaves_nothing(bed: Path, arguments: tuple[str, ...], pods: int) -> None:
    """Eight pods through the plugin and through the driver; to be moved, seven pods and the plugin's two."""
    command = [sys.executable, "-m", "tests.bed.by_hand", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as by_hand:
        assert by_hand.stdin is not None
        assert by_hand.stdout is not None
        told = ""
        while "Ctrl-C" not in told and (line := by_hand.stdout.readline()):
            told += line
        kubeconfig = re.search(r"export KUBECONFIG=(\S+)", told)
        assert kubeconfig is not None, told
        path = Path(kubeconfig[1])

        def running() -> bool:
            found = subprocess.run(
                [bed, "kubectl", f"--kubeconfig={path}", "get", "pods", "-A"], capture_output=True, text=True, check=True
            )
            return found.stdout.count("Running") == pods

        wait_until(running, f"{pods} running pods")
        by_hand.stdin.close()
        assert by_hand.wait(60) == 0
    assert not path.parent.parent.exists()
