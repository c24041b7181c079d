"""What a server serves. Answers here are cut-outs of real ones; `tests/live/test_connect.py` asks real servers."""

import json
from collections.abc import Mapping

import pytest

from kubectl_dra.cluster.discovery import Discovery, ServedKind, discover
from kubectl_dra.errors import ApiError, NotKubernetesError
from kubectl_dra.objects.snapshot import Version
from tests.cluster.connecting import transport
from tests.peers import Reply, Request, peer

AGGREGATED = {"Content-Type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}


def resource(plural: str, kind: str, namespaced: bool = True) -> dict[str, object]:
    return {
        "resource": plural,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": "Namespaced" if namespaced else "Cluster",
        "verbs": ["get", "list"],
    }


def group(name: str, versions: Mapping[str, list[dict[str, object]] | None]) -> dict[str, object]:
    """None for a version: its server is down."""
    items = [
        {"version": version, "freshness": "Stale"}
        if resources is None
        else {"version": version, "resources": resources, "freshness": "Current"}
        for version, resources in versions.items()
    ]
    return {"metadata": {"name": name}, "versions": items}


def aggregated(*groups: dict[str, object]) -> Reply:
    body = {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": groups}
    return Reply(json.dumps(body).encode(), headers=AGGREGATED)


def plain(**body: object) -> Reply:
    return Reply(json.dumps(body).encode())


CORE = aggregated({"versions": [{"version": "v1", "resources": [resource("pods", "Pod")]}]})


def discovered(replies: Mapping[str, Reply]) -> Discovery:
    def answer(request: Request) -> Reply:
        return replies.get(request.path, Reply(b'{"kind": "Status", "message": "not here", "reason": "NotFound"}', 404))

    with peer(answer) as server, transport(server.url).transport as client:
        return discover(client)


def of_groups(*groups: dict[str, object], version: Mapping[str, str] | None = None) -> Discovery:
    told = plain(**(version or {"gitVersion": "v1.37.2"}))
    return discovered({"/version": told, "/api": CORE, "/apis": aggregated(*groups)})


@pytest.mark.parametrize(
    ("told", "version", "emulated"),
    [
        ({"gitVersion": "v1.37.2", "emulationMajor": "1", "emulationMinor": "36"}, (1, 37, 2), (1, 36, 0)),
        ({"gitVersion": "v1.34.1-gke.100"}, (1, 34, 1), (1, 34, 0)),
        ({"gitVersion": "v1.33.4-eks-a1b2c3", "minor": "33+"}, (1, 33, 4), (1, 33, 0)),
        ({"gitVersion": "v1.38.0-alpha.1+k3s1"}, (1, 38, 0), (1, 38, 0)),
    ],
)
def test_versions(told: Mapping[str, str], version: tuple[int, int, int], emulated: tuple[int, int, int]) -> None:
    found = of_groups(version=told)
    assert (found.git_version, found.version, found.emulated) == (told["gitVersion"], Version(*version), Version(*emulated))


def test_kinds() -> None:
    found = of_groups(group("apps", {"v1": [resource("deployments", "Deployment")]}))
    pod, deployment = found.find("", "Pod"), found.find("apps", "Deployment")
    assert pod == ServedKind("", "v1", "Pod", "pods", True, ("get", "list"))
    assert pod is not None and (pod.api_version, pod.prefix) == ("v1", "/api/v1")
    assert deployment is not None and (deployment.api_version, deployment.prefix) == ("apps/v1", "/apis/apps/v1")
    assert found.find("apps", "Nothing") is None
    assert found.find("jobset.x-k8s.io", "JobSet") is None
    assert found.failures == {}


def test_e69_the_best_version_that_is_read() -> None:
    slices = [resource("resourceslices", "ResourceSlice", False)]
    rules = [resource("devicetaintrules", "DeviceTaintRule", False)]
    found = of_groups(group("resource.k8s.io", {"v2": slices, "v1beta1": slices, "v1beta2": slices, "v1alpha3": rules}))
    best = found.find("resource.k8s.io", "ResourceSlice")
    assert best is not None and (best.version, best.namespaced) == ("v1beta2", False)
    rule = found.find("resource.k8s.io", "DeviceTaintRule")
    assert rule is not None and rule.version == "v1alpha3"
    assert found.versions_of("resource.k8s.io") == ("v2", "v1beta1", "v1beta2", "v1alpha3")


def test_e69_a_group_that_is_not_served() -> None:
    found = of_groups(group("apps", {"v1": []}))
    assert found.find("resource.k8s.io", "ResourceSlice") is None
    assert found.versions_of("resource.k8s.io") == ()
    assert found.failure_of("resource.k8s.io") is None


def test_other_groups_keep_the_server_s_order() -> None:
    jobsets = [resource("jobsets", "JobSet")]
    found = of_groups(group("jobset.x-k8s.io", {"v1alpha2": jobsets, "v1alpha1": jobsets}))
    best = found.find("jobset.x-k8s.io", "JobSet")
    assert best is not None and best.version == "v1alpha2"


def test_an_aggregated_api_whose_server_is_down() -> None:
    found = of_groups(group("metrics.k8s.io", {"v1beta1": None}), group("custom.io", {"v2": None, "v1": [resource("xs", "X")]}))
    assert found.failure_of("metrics.k8s.io") == "the server behind this aggregated API does not answer"
    assert found.failure_of("custom.io") is not None
    assert found.find("custom.io", "X") is not None
    assert found.versions_of("metrics.k8s.io") == ()


def test_a_server_without_aggregated_discovery() -> None:
    found = discovered(
        {
            "/version": plain(gitVersion="v1.25.3"),
            "/api": plain(kind="APIVersions", versions=["v1"]),
            "/api/v1": plain(
                kind="APIResourceList",
                resources=[
                    {"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list"]},
                    {"name": "pods/log", "kind": "Pod", "namespaced": True, "verbs": ["get"]},
                ],
            ),
            "/apis": plain(
                kind="APIGroupList",
                groups=[
                    {"name": "apps", "versions": [{"version": "v1"}]},
                    {"name": "metrics.k8s.io", "versions": [{"version": "v1beta1"}]},
                ],
            ),
            "/apis/apps/v1": plain(kind="APIResourceList", resources=[{"name": "deployments", "kind": "Deployment", "namespaced": True}]),
        }
    )
    assert found.kinds == (
        ServedKind("", "v1", "Pod", "pods", True, ("list",)),
        ServedKind("apps", "v1", "Deployment", "deployments", True),
    )
    assert found.failure_of("metrics.k8s.io") == "GET /apis/metrics.k8s.io/v1beta1: not here"


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ({"/version": plain(name="grafana")}, "/version names none"),
        ({"/version": plain(gitVersion="nightly")}, "/version names none"),
        ({"/version": Reply(b"[]")}, "/version is not what one answers"),
        ({"/version": plain(gitVersion="v1.37.2"), "/api": Reply(b"[1]")}, "/api is not what one answers"),
    ],
)
def test_something_that_is_not_kubernetes(replies: Mapping[str, Reply], reason: str) -> None:
    with pytest.raises(NotKubernetesError) as caught:
        discovered(replies)
    assert caught.value.message.endswith(f"is not a Kubernetes API server: {reason}")


def test_a_server_that_lets_nobody_in() -> None:
    with pytest.raises(ApiError) as caught:
        discovered({"/version": Reply(b'{"kind": "Status", "reason": "Forbidden", "message": "no"}', 403)})
    assert caught.value.code == 403
