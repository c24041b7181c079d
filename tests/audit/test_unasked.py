"""DRA405: devices that pods use without asking for them."""

from collections.abc import Mapping

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.pod import Container, ContainerResourceClaim, EnvVar, Pod, PodSpec, PodTemplateSpec, ResourceRequirements
from kubectl_dra.objects.snapshot import KindReading
from kubectl_dra.objects.workload import CustomWorkload, TemplateUse, Workload, WorkloadSpec
from tests.audit.given import Asks, cluster, findings, forbidden, names, node, only, resource_slice, unknown
from tests.factories import meta
from tests.factories import pod as bare_pod

NVIDIA = "nvidia.com/gpu"
GPU_NODE = node("gpu", allocatable={NVIDIA: 8})
CPU_NODE = node("cpu")


def container(
    name: str = "main", value: str | None = "all", asks: Asks | None = None, variable: str = "NVIDIA_VISIBLE_DEVICES"
) -> Container:
    return Container(name, resources=ResourceRequirements(asks, asks) if asks else None, env=(EnvVar(variable, value),))


def using(
    *containers: Container, on: str | None = "gpu", owner: tuple[str, str] | None = None, labels: Mapping[str, str] | None = None
) -> Pod:
    spec = PodSpec(containers=containers or (container(),), node_name=on)
    return bare_pod("p", namespace="team", node=on, owner=owner, labels=labels, spec=spec)


def daemon_set(name: str, owner: tuple[str, str] | None = None, template: PodTemplateSpec | None = None) -> Workload:
    return Workload(meta(name, "team", owner=owner), WorkloadSpec(template=template or PodTemplateSpec(spec=PodSpec())))


def test_dra405_a_pod_beside_devices() -> None:
    finding = only(cluster(nodes=[GPU_NODE], pods=[using()]), "DRA405")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["Pod team/p"])
    assert finding.title == "Pod team/p uses devices of NVIDIA without asking for them on 1 node"
    assert finding.evidence == ("container main sets NVIDIA_VISIBLE_DEVICES=all, and asks for no device of NVIDIA\nit runs on gpu")


def test_dra405_a_workload_is_told_once_with_a_command_that_mends_it() -> None:
    pods = [
        msgspec.structs.replace(
            using(owner=("DaemonSet", "exporter")), metadata=meta(f"exporter-{n}", "team", owner=("DaemonSet", "exporter"))
        )
        for n in range(2)
    ]
    finding = only(cluster(nodes=[GPU_NODE], pods=pods, daemon_sets=[daemon_set("exporter")]), "DRA405")
    assert names(finding) == ["DaemonSet team/exporter", "Pod team/exporter-0", "Pod team/exporter-1"]
    assert finding.fix[-1] == "kubectl -n team set env daemonset/exporter -c main NVIDIA_VISIBLE_DEVICES=void"


@pytest.mark.parametrize("value", ["", "void", "none", None])
def test_dra405_values_that_give_nothing(value: str | None) -> None:
    assert findings(cluster(nodes=[GPU_NODE], pods=[using(container(value=value))]), "DRA405") == ()


def test_dra405_variables_that_only_name_what_is_there() -> None:
    assert findings(cluster(nodes=[GPU_NODE], pods=[using(container(value="0", variable="CUDA_VISIBLE_DEVICES"))]), "DRA405") == ()


def test_dra405_who_asks_has_them_by_right_and_another_container_does_not() -> None:
    assert findings(cluster(nodes=[GPU_NODE], pods=[using(container(asks={NVIDIA: 1}))]), "DRA405") == ()
    claimed = msgspec.structs.replace(container(), resources=ResourceRequirements(claims=(ContainerResourceClaim("gpu"),)))
    assert findings(cluster(nodes=[GPU_NODE], pods=[using(claimed)]), "DRA405") == ()
    implicit = container(asks={"deviceclass.resource.kubernetes.io/gpu": 1})
    assert findings(cluster(nodes=[GPU_NODE], pods=[using(implicit)]), "DRA405") == ()
    beside = cluster(nodes=[GPU_NODE], pods=[using(container(asks={NVIDIA: 1}), container("sidecar"))])
    assert only(beside, "DRA405").evidence.startswith("container sidecar sets")
    other = cluster(nodes=[GPU_NODE], pods=[using(container(asks={"rdma/hca": 1}))])
    assert len(findings(other, "DRA405")) == 1


def test_dra405_the_vendor_s_own_pods() -> None:
    by_label = using(labels={"app": "nvidia-dcgm-exporter"})
    by_operator = using(owner=("DaemonSet", "something"))
    sets = [daemon_set("something", owner=("ClusterPolicy nvidia.com/v1", "cluster-policy"))]
    assert findings(cluster(nodes=[GPU_NODE], pods=[by_label], daemon_sets=sets), "DRA405") == ()
    assert findings(cluster(nodes=[GPU_NODE], pods=[by_operator], daemon_sets=sets), "DRA405") == ()
    template = PodTemplateSpec(meta("", labels={"app": "nvidia-dcgm"}), PodSpec(containers=(container(),)))
    assert findings(cluster(nodes=[GPU_NODE], daemon_sets=[daemon_set("dcgm", template=template)]), "DRA405") == ()


def test_dra405_init_containers_count() -> None:
    made = using(Container("main"))
    made = msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, init_containers=(container("init"),)))
    assert only(cluster(nodes=[GPU_NODE], pods=[made]), "DRA405").evidence.startswith("container init sets")


def test_dra405_where_the_vendor_has_no_device_nothing_is_used() -> None:
    assert findings(cluster(nodes=[GPU_NODE, CPU_NODE], pods=[using(on="cpu")]), "DRA405") == ()
    dra_node = cluster(nodes=[node("gpu")], pods=[using()], resource_slices=[resource_slice("gpu", 2, driver="gpu.nvidia.com")])
    assert only(dra_node, "DRA405").severity is Severity.WARNING


def test_dra405_what_runs_nowhere_yet_is_told() -> None:
    waiting = using(on=None)
    template = PodTemplateSpec(spec=PodSpec(containers=(container(variable="AMD_VISIBLE_DEVICES"),)))
    given = cluster(nodes=[GPU_NODE], pods=[waiting], deployments=[daemon_set("idle", template=template)])
    (idle, pod) = findings(given, "DRA405")
    assert (idle.severity, names(idle), pod.severity, names(pod)) == (
        Severity.INFO,
        ["Deployment team/idle"],
        Severity.INFO,
        ["Pod team/p"],
    )
    assert idle.fix[-1] == "kubectl -n team set env deployment/idle -c main AMD_VISIBLE_DEVICES-"
    assert findings(cluster(nodes=[CPU_NODE], pods=[waiting]), "DRA405") == ()


def test_dra405_a_vendor_without_known_names_is_believed_beside_any_device() -> None:
    npu = using(container(variable="ASCEND_VISIBLE_DEVICES"))
    assert only(cluster(nodes=[GPU_NODE], pods=[npu]), "DRA405").severity is Severity.WARNING
    assert findings(cluster(nodes=[node("gpu")], pods=[npu]), "DRA405") == ()


def test_dra405_custom_kinds_count() -> None:
    template = PodTemplateSpec(spec=PodSpec(containers=(container(),)))
    job = CustomWorkload("jobset.x-k8s.io/v1", "JobSet", meta("train", "team"), (TemplateUse("spec", template=template),))
    plain = CustomWorkload("jobset.x-k8s.io/v1", "JobSet", meta("empty", "team"))
    given = cluster(nodes=[GPU_NODE], custom_workloads={"JobSet.jobset.x-k8s.io": KindReading((job, plain))})
    assert names(only(given, "DRA405")) == ["JobSet team/train"]
    assert findings(given, "DRA405", scope=Scope(namespace="other")) == ()


def test_dra405_stays_within_the_namespace() -> None:
    template = PodTemplateSpec(spec=PodSpec(containers=(container(),)))
    given = cluster(nodes=[GPU_NODE], pods=[using()], deployments=[daemon_set("idle", template=template)])
    assert findings(given, "DRA405", scope=Scope(namespace="other")) == ()


def test_dra405_is_unknown_without_pods_and_partly_without_nodes() -> None:
    assert len(unknown(cluster(pods=forbidden()), "DRA405")) == 1
    assert only(cluster(nodes=forbidden(), pods=[using()]), "DRA405").severity is Severity.INFO
