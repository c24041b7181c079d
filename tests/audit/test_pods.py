"""Checks on pods and what makes them."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import PodSpec, PodTemplateSpec
from kubectl_dra.objects.snapshot import KindReading
from kubectl_dra.objects.workload import CustomWorkload, TemplateUse, WorkloadStatus
from tests.audit.given import GPU, asking, cluster, device_class, findings, forbidden, names, only, pod, report, unknown, workload

MAPPED = [device_class("gpu", GPU)]
IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"
LIMIT_SAID = (
    'running "DynamicResources" filter plugin: claim team/<extended-resources>, request container-0-request-0:'
    " adding 33 devices exceeds the claim limit of 32, with 0 already accounted for"
)


@pytest.mark.parametrize(("devices", "found"), [(32, 0), (33, 1), ("1k", 1)])
def test_dra401_a_claim_holds_32_devices(devices: int | str, found: int) -> None:
    assert len(findings(cluster(pods=[pod("p", {GPU: devices})], device_classes=MAPPED), "DRA401")) == found


def test_dra401_says_what_the_scheduler_said() -> None:
    finding = only(cluster(pods=[pod("p", {GPU: 33}, waits=LIMIT_SAID)], device_classes=MAPPED), "DRA401")
    assert finding.severity is Severity.ERROR
    assert finding.title == "Pod team/p needs 33 devices a pod, more than the 32 that a claim can hold"
    assert names(finding) == ["Pod team/p"]
    assert finding.evidence == (f"Pod team/p asks 33 {GPU} = 33 devices a pod; a claim holds 32\nPod team/p waits: {LIMIT_SAID}")


def test_dra401_all_mapped_names_of_a_pod_share_one_claim() -> None:
    given = cluster(
        pods=[pod("p", {GPU: 20, IMPLICIT: 10, "example.com/nic": 3})],
        device_classes=[*MAPPED, device_class("nic", "example.com/nic")],
    )
    assert f"10 {IMPLICIT} + 20 {GPU} + 3 example.com/nic = 33" in only(given, "DRA401").evidence


def test_dra401_containers_add_up_and_init_containers_share() -> None:
    spec = asking(a={GPU: 20}, b={GPU: 12})
    init = asking(i={GPU: 32})
    shared = PodSpec(containers=spec.containers, init_containers=init.containers)
    given = pod("p")
    assert findings(cluster(pods=[type(given)(given.metadata, shared, given.status)], device_classes=MAPPED), "DRA401") == ()


def test_dra401_a_workload_at_zero_counts_and_stands_for_its_pods() -> None:
    given = cluster(
        deployments=[workload("idle", {GPU: 40}, replicas=0)],
        stateful_sets=[workload("busy", {GPU: 64}, replicas=2)],
        pods=[pod(f"busy-{n}", {GPU: 64}, owner=("StatefulSet", "busy"), waits=LIMIT_SAID) for n in range(2)],
        device_classes=MAPPED,
    )
    assert [names(finding) for finding in findings(given, "DRA401")] == [["Deployment team/idle"], ["StatefulSet team/busy"]]


def test_dra401_templates_in_custom_kinds_count() -> None:
    job = CustomWorkload(
        api_version="jobset.x-k8s.io/v1alpha2",
        kind="JobSet",
        metadata=ObjectMeta(name="train", namespace="team"),
        templates=(TemplateUse(path="spec.replicatedJobs[0].template", template=PodTemplateSpec(spec=asking(main={GPU: 33}))),),
    )
    finding = only(cluster(custom_workloads={"JobSet.jobset.x-k8s.io": KindReading(items=(job,))}, device_classes=MAPPED), "DRA401")
    assert names(finding) == ["JobSet team/train"]
    assert finding.evidence.startswith("JobSet team/train (spec.replicatedJobs[0].template) asks 33")


def test_dra401_before_the_class_exists_a_known_vendors_name_is_a_warning_and_any_other_is_told() -> None:
    (vendor,) = findings(cluster(pods=[pod("p", {"nvidia.com/gpu": 40})]), "DRA401")
    assert vendor.severity is Severity.WARNING
    assert "no class maps nvidia.com/gpu yet" in vendor.evidence
    (other,) = findings(cluster(pods=[pod("p", {"acme.example/fpga": 40})]), "DRA401")
    assert other.severity is Severity.INFO


def test_dra401_names_that_nobody_moves_do_not_count() -> None:
    assert findings(cluster(pods=[pod("vm", {"devices.kubevirt.io/kvm": 110})]), "DRA401") == ()


def test_dra401_counts_every_name_even_when_one_is_asked_for() -> None:
    given = cluster(pods=[pod("p", {GPU: 30, "example.com/nic": 3})], device_classes=[*MAPPED, device_class("nic", "example.com/nic")])
    assert len(findings(given, "DRA401", scope=Scope(resources=("*/nic",)))) == 1
    assert findings(given, "DRA401", scope=Scope(resources=("*/other",))) == ()


def test_dra401_is_unknown_without_classes_and_partly_without_workloads() -> None:
    assert len(unknown(cluster(device_classes=forbidden()), "DRA401")) == 1
    given = cluster(jobs=forbidden(), pods=[pod("p", {GPU: 33})], device_classes=MAPPED)
    assert len(unknown(given, "DRA401")) == 1
    assert len(report(given, "DRA401").findings) == 1


def test_dra401_pods_that_differ_from_their_template_and_pods_of_unread_makers_speak_for_themselves() -> None:
    given = cluster(
        deployments=[workload("web", {GPU: 8})],
        pods=[
            pod("web-old", {GPU: 40}, owner=("Deployment", "web")),
            pod("train-leader", {GPU: 1}, owner=("TrainJob", "train")),
            pod("train-worker-0", {GPU: 64}, owner=("TrainJob", "train")),
            pod("train-worker-1", {GPU: 64}, owner=("TrainJob", "train")),
        ],
        device_classes=MAPPED,
    )
    assert [names(finding) for finding in findings(given, "DRA401")] == [["Deployment team/web"], ["TrainJob team/train"]]


def test_dra401_a_job_that_is_done_asks_no_more_and_a_suspended_one_will() -> None:
    job = msgspec.structs.replace(workload("done", {GPU: 33}), status=WorkloadStatus(succeeded=1))
    suspended = workload("later", {GPU: 33})
    suspended = msgspec.structs.replace(suspended, spec=msgspec.structs.replace(suspended.spec, suspend=True))
    given = cluster(jobs=[job, suspended], pods=[pod("done-1", {GPU: 33}, owner=("Job", "done"), phase="Succeeded")], device_classes=MAPPED)
    assert [names(finding) for finding in findings(given, "DRA401")] == [["Job team/later"]]


def test_dra401_a_custom_job_that_is_over_asks_no_more() -> None:
    template = TemplateUse("spec.template", 1, PodTemplateSpec(spec=asking(a={GPU: 33})))
    over = CustomWorkload("jobset.x-k8s.io/v1alpha2", "JobSet", ObjectMeta("done", "team"), (template,), over=True)
    given = cluster(device_classes=MAPPED)
    given = msgspec.structs.replace(given, custom_workloads={"JobSet.jobset.x-k8s.io": KindReading((over,))})
    assert findings(given, "DRA401") == ()


def test_dra401_what_an_unread_maker_makes_speaks_for_it_once() -> None:
    given = cluster(jobs=[workload(f"fancy-{n}", {GPU: 40}, owner=("FancyJob", "fancy")) for n in range(2)], device_classes=MAPPED)
    assert [names(finding) for finding in findings(given, "DRA401")] == [["FancyJob team/fancy"]]
