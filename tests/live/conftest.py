"""Fixtures of live tests. A test in this folder runs against a real cluster:

    def test_a_waiting_pod_is_counted(cell, namespace, apply, kubectl, node, device_plugin, wait_until):
        a = node("a")                                          # a real kubelet, of this test alone; Ready when this returns
        device_plugin(a, "example.com/gpu", count=4)           # registered; allocatable follows within a second
        wait_until(lambda: a.read()["status"]["allocatable"].get("example.com/gpu") == "4", "the node has its devices")
        apply(POD)                                             # YAML text or dicts; into `namespace` where they name none
        assert kubectl("get", "pods", "-n", namespace, "-o", "name") == "pod/train\n"

`cell` is one control plane of each worker, shared by its tests: what a test makes in it beside the fixtures, it removes, and a check
after each test says what it forgot. `own_cell(...)` is a control plane for one test, to break, retune or emulate older versions with.
`paste(lines)` runs in a shell what a command printed, with the bed's kubectl.
`few_rights(rules)` gives the kubeconfig of a user who may only do so much. `proxy(cell)` (tests/conftest.py) stands before the API server.
On failure the report shows the end of every component's log, and the events. Nothing here is to sleep: `wait_until`.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from tests.bed.api import Manifest, manifests
from tests.bed.cluster import Cluster
from tests.bed.node import DevicePlugin, DraDriver, Node
from tests.bed.waiting import wait_until as _wait_until

WATCHED = (
    "/api/v1/nodes",
    "/api/v1/namespaces",
    "/api/v1/pods",
    "/apis/resource.k8s.io/v1/deviceclasses",
    "/apis/resource.k8s.io/v1/resourceslices",
    "/apis/resource.k8s.io/v1/resourceclaims",
    "/apis/resource.k8s.io/v1/devicetaintrules",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/storage.k8s.io/v1/csidrivers",
)
"""Of these a test leaves none behind in the shared cell."""
numbers = count(1)
Made = TypeVar("Made", DevicePlugin, DraDriver)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder for this test with a path short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="bed-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def shared_cell(bed: Path) -> Iterator[Cluster]:
    """The worker's control plane. Tests take `cell`."""
    path = Path(tempfile.mkdtemp(prefix="bed-"))
    with Cluster(bed, path / "c") as cluster:
        yield cluster
    shutil.rmtree(path)


@pytest.fixture
def cell(shared_cell: Cluster) -> Iterator[Cluster]:
    """A real control plane, shared with the other tests of this worker. Afterwards no object of the kinds above may be left."""
    before = _objects(shared_cell)
    yield shared_cell
    left = sorted(_objects(shared_cell) - before)
    for path in left:
        shared_cell.api.delete(path)
    assert not left, "left in the cell by this test (now removed)"


def _objects(cluster: Cluster) -> set[str]:
    """Paths of all objects of these kinds that are not being deleted."""
    return {
        _path(kind, item["metadata"]) for kind in WATCHED for item in cluster.api.items(kind) if "deletionTimestamp" not in item["metadata"]
    }


def _path(kind: str, metadata: Manifest) -> str:
    root, _, plural = kind.rpartition("/")
    return (
        f"{root}/namespaces/{metadata['namespace']}/{plural}/{metadata['name']}"
        if "namespace" in metadata
        else f"{kind}/{metadata['name']}"
    )


@pytest.fixture
def own_cell(bed: Path, short_path: Path) -> Iterator[Callable[..., Cluster]]:
    """A factory of control planes for this test alone; it takes what `Cluster` takes. They end by SIGKILL."""
    with ExitStack() as stack:

        def start(**options: object) -> Cluster:
            return stack.enter_context(Cluster(bed, short_path / f"c{next(numbers)}", **options))  # type: ignore[arg-type]

        yield start


@pytest.fixture
def node(cell: Cluster, short_path: Path) -> Iterator[Callable[..., Node]]:
    """A factory of kubelets: `node(name=None, cluster=None, **options)`, in the cell or another cluster; options as `Node` takes them."""
    if not can_mount():
        pytest.skip("a kubelet needs root (CAP_SYS_ADMIN)")
    with ExitStack() as stack:

        def start(name: str | None = None, cluster: Cluster | None = None, **options: object) -> Node:
            number = next(numbers)
            made = Node(cluster or cell, name or f"node-{number}", short_path / f"n{number}", **options)  # type: ignore[arg-type]
            stack.callback(_forget, made)
            return stack.enter_context(made)

        yield start


def _forget(node: Node) -> None:
    """Remove what a node leaves: its object, its slices, and its pods, which no kubelet would ever report as gone."""
    if not node.cluster.running:
        return
    api = node.cluster.api
    for pod in api.items("/api/v1/pods", fieldSelector=f"spec.nodeName={node.name}"):
        meta = pod["metadata"]
        api.delete(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}", grace=0)
    api.delete(f"/api/v1/nodes/{node.name}")
    version = next(iter(v["version"] for g in api.get("/apis")["groups"] if g["name"] == "resource.k8s.io" for v in g["versions"]), None)
    if version:
        root = f"/apis/resource.k8s.io/{version}/resourceslices"
        for item in api.items(root):
            if item["spec"].get("nodeName") == node.name or item["metadata"].get("ownerReferences", [{}])[0].get("name") == node.name:
                api.delete(f"{root}/{item['metadata']['name']}")


def can_mount() -> bool:
    """Whether this process may make mount namespaces: capability 21. Root in a container often may not."""
    effective = re.search(r"^CapEff:\s*([0-9a-f]+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return effective is not None and bool(int(effective[1], 16) >> 21 & 1)


@pytest.fixture
def device_plugin(node: Callable[..., Node]) -> Iterator[Callable[..., DevicePlugin]]:
    """A factory of device plugins: `device_plugin(node, resource, count, unhealthy=..., pre_start_required=...)`."""
    yield from _factory(DevicePlugin)


@pytest.fixture
def dra_driver(node: Callable[..., Node]) -> Iterator[Callable[..., DraDriver]]:
    """A factory of DRA drivers: `dra_driver(node, driver, count, pool=..., attributes=..., capacity=..., pools=...)`."""
    yield from _factory(DraDriver)


def _factory(kind: type[Made]) -> Iterator[Callable[..., Made]]:
    with ExitStack() as stack:

        def start(*arguments: object, **options: object) -> Made:
            return stack.enter_context(kind(*arguments, **options))  # type: ignore[arg-type]

        yield start


@pytest.fixture
def namespace(cell: Cluster) -> Iterator[str]:
    """A namespace of this test, ready for pods. Afterwards its pods and claims are gone, and it is going."""
    name = f"test-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{next(numbers)}"
    make_namespace(cell, name)
    yield name
    remove_namespace(cell, name)


def make_namespace(cluster: Cluster, name: str) -> None:
    """Make one and wait until pods can be made in it."""
    cluster.api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    _wait_until(lambda: cluster.api.find(f"/api/v1/namespaces/{name}/serviceaccounts/default"), f"service account of namespace {name}")


def remove_namespace(cluster: Cluster, name: str) -> None:
    """Begin to remove one and wait until its pods and claims are gone. Nothing can be made in it from the first moment on."""
    cluster.api.delete(f"/api/v1/namespaces/{name}")
    pods, claims = f"/api/v1/namespaces/{name}/pods", f"/apis/resource.k8s.io/v1/namespaces/{name}/resourceclaims"
    cluster.api.delete(pods, grace=0)
    _wait_until(lambda: not cluster.api.items(pods), f"no pods in namespace {name}")
    _wait_until(lambda: not cluster.api.items(claims), f"no claims in namespace {name}")


@pytest.fixture
def apply(cell: Cluster, namespace: str) -> Iterator[Callable[..., list[Manifest]]]:
    """Server-side apply of YAML, an object or several, with their status: `apply(what)` gives what the server made of them.

    Objects that need a namespace and name none go into `namespace`. All are removed afterwards.
    """
    made: list[str] = []

    def apply_all(what: str | Manifest | Iterable[Manifest]) -> list[Manifest]:
        told = []
        for manifest in manifests(what):
            told.append(cell.api.apply(manifest, namespace))
            made.append(cell.api.path(manifest, namespace))
        return told

    yield apply_all
    for path in reversed(made):
        cell.api.delete(path)


@pytest.fixture
def kubectl(cell: Cluster) -> Callable[..., str]:
    """The bed's kubectl on the cell, as administrator or with another `kubeconfig`; gives stdout, raises on failure."""
    return cell.kubectl


@pytest.fixture
def paste(cell: Cluster, tmp_path: Path) -> Callable[[list[str]], None]:
    """Runs what a command prints, as a person would paste it into a shell, with the bed's kubectl."""
    command = tmp_path / "bin" / "kubectl"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {cell.bed} kubectl "$@"\n')
    command.chmod(0o755)

    def run(lines: list[str]) -> None:
        environment = {**os.environ, "KUBECONFIG": str(cell.kubeconfig), "PATH": f"{command.parent}:{os.environ['PATH']}"}
        ran = subprocess.run(
            ["/bin/sh", "-e"], input="\n".join(lines), env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr

    return run


@pytest.fixture
def wait_until() -> Callable[..., object]:
    """`wait_until(condition, what, limit=30)`: polls, gives the first true answer, and fails with the last one seen."""
    return _wait_until


@pytest.fixture
def few_rights(cell: Cluster, namespace: str, tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """A factory of users who may do just what these cluster-wide rules say: `few_rights({"apiGroups": [""], ...}, ...)` gives the path
    of a kubeconfig. Without a rule they may do nothing that not everybody may. `server` as for a proxy.
    """
    made: list[str] = []

    def make(*rules: Mapping[str, object], server: str | None = None) -> Path:
        name = f"few-{next(numbers)}"
        return make_user(cell, namespace, name, rules, tmp_path / f"{name}.kubeconfig", made, server)

    yield make
    for path in made:
        cell.api.delete(path)


def make_user(
    cluster: Cluster,
    namespace: str,
    name: str,
    rules: Iterable[Mapping[str, object]],
    path: Path,
    made: list[str],
    server: str | None = None,
) -> Path:
    """A service account with a cluster role of just these rules; `made` gets the paths of what is cluster-wide."""
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    cluster.api.create(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": [*rules]}
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
    }
    for plural, body in (("clusterroles", role), ("clusterrolebindings", binding)):
        cluster.api.create(f"{rbac}/{plural}", body)
        made.append(f"{rbac}/{plural}/{name}")
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = cluster.api.create(f"{accounts}/{name}/token", request)["status"]["token"]
    return cluster.write_kubeconfig(path, {"token": token}, server=server, namespace=namespace)
