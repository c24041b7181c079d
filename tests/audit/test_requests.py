"""DRA402 and DRA403: requests and claims that the scheduler does not take as they are meant."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.pod import Container, Pod, PodResourceClaim, PodSpec, PodTemplateSpec, ResourceRequirements
from kubectl_dra.objects.shape import QuantityText
from kubectl_dra.objects.workload import Workload
from tests.audit.given import GPU, Asks, cluster, device_class, findings, forbidden, names, node, only, pod, report, unknown, workload

MAPPED = [device_class("gpu", GPU)]
IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"
CLAIMS = (PodResourceClaim("nic", resource_claim_template_name="rdma"),)
SAID = 'running PreBind plugin "DynamicResources": nil or empty request mappings, no update of pod team/p ExtendedResourceClaimStatus'


def with_claims(name: str, asks: Asks, **options: object) -> Pod:
    made = pod(name, asks, **options)  # type: ignore[arg-type]
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, resource_claims=CLAIMS))


def workload_with_claims(name: str, asks: Asks, replicas: int) -> Workload:
    made = workload(name, asks, replicas=replicas)
    template = made.spec.template
    assert template is not None
    template = msgspec.structs.replace(template, spec=msgspec.structs.replace(template.spec, resource_claims=CLAIMS))
    return msgspec.structs.replace(made, spec=msgspec.structs.replace(made.spec, template=template))


# DRA402


def test_dra402_an_error_while_a_node_serves_the_name_by_its_plugin() -> None:
    given = cluster(nodes=[node("a", 4), node("b")], pods=[with_claims("p", {GPU: 1}, waits=SAID)], device_classes=MAPPED)
    finding = only(given, "DRA402")
    assert (finding.severity, names(finding)) == (Severity.ERROR, ["Pod team/p"])
    assert finding.title == f"Pod team/p has resource claims and asks {GPU}: it cannot be bound where the plugin serves that"
    assert finding.evidence.split("\n") == [
        f"Pod team/p asks {GPU} and has spec.resourceClaims nic (rdma)",
        f"the device plugin serves {GPU} on a",
        f"Pod team/p waits: {SAID}",
    ]
    assert report(given).names[0].codes == ("DRA402",)


def test_dra402_worth_knowing_when_no_node_has_a_plugin_any_more() -> None:
    given = cluster(nodes=[node("a", 0)], deployments=[workload_with_claims("web", {GPU: 1}, replicas=0)], device_classes=MAPPED)
    finding = only(given, "DRA402")
    assert (finding.severity, names(finding)) == (Severity.INFO, ["Deployment team/web"])
    assert report(given).names[0].codes == ()


def test_dra402_before_a_class_maps_a_vendors_name_a_warning_of_what_it_will_do() -> None:
    asks = {"nvidia.com/gpu": 1}
    served = node("a", allocatable={"nvidia.com/gpu": 8})
    (finding,) = findings(cluster(nodes=[served], pods=[with_claims("p", asks)]), "DRA402")
    assert finding.severity is Severity.WARNING
    assert "no class maps nvidia.com/gpu yet" in finding.evidence
    assert findings(cluster(nodes=[node("a")], pods=[with_claims("p", asks)]), "DRA402") == ()


def test_dra402_a_claim_that_is_not_empty_binds() -> None:
    """With a request for an implicit name, or for a name that only DRA serves there, the scheduler's claim has something in it."""
    two = [*MAPPED, device_class("nic", "example.com/nic")]
    implicit = with_claims("p", {GPU: 1, IMPLICIT: 1})
    assert findings(cluster(nodes=[node("a", 4)], pods=[implicit], device_classes=MAPPED), "DRA402") == ()
    mixed = with_claims("p", {GPU: 1, "example.com/nic": 1})
    assert only(cluster(nodes=[node("a", 4)], pods=[mixed], device_classes=two), "DRA402").severity is Severity.INFO
    both = node("a", 4, allocatable={"example.com/nic": 1})
    assert only(cluster(nodes=[both], pods=[mixed], device_classes=two), "DRA402").severity is Severity.ERROR


def test_dra402_without_claims_without_a_mapped_name_or_on_1_34_no_finding() -> None:
    served = [node("a", 4)]
    assert findings(cluster(nodes=served, pods=[pod("p", {GPU: 1})], device_classes=MAPPED), "DRA402") == ()
    assert findings(cluster(nodes=served, pods=[with_claims("p", {"acme.example/fpga": 1})], device_classes=MAPPED), "DRA402") == ()
    assert findings(cluster("1.34.2", nodes=served, pods=[with_claims("p", {GPU: 1})], device_classes=MAPPED), "DRA402") == ()


def test_dra402_where_the_gate_may_be_off_it_is_a_warning() -> None:
    given = cluster("1.35.4", nodes=[node("a", 4)], pods=[with_claims("p", {GPU: 1})], device_classes=MAPPED)
    assert only(given, "DRA402").severity is Severity.WARNING


@pytest.mark.parametrize("code", ["DRA402", "DRA403"])
def test_without_pods_nobody_knows(code: str) -> None:
    assert len(unknown(cluster(pods=forbidden()), code)) == 1


# DRA403


def asking(requests: QuantityText | None, limits: QuantityText | None = None, name: str = IMPLICIT) -> Pod:
    resources = ResourceRequirements(None if requests is None else {name: requests}, None if limits is None else {name: limits})
    made = pod("p", waits=SAID)
    return msgspec.structs.replace(made, spec=PodSpec(containers=(Container("main", resources=resources),)))


def test_dra403_a_fraction_can_never_be_bound() -> None:
    finding = only(cluster(pods=[asking("500m")], device_classes=MAPPED), "DRA403")
    assert (finding.severity, finding.title) == (
        Severity.ERROR,
        "Pod team/p asks for a fraction of a device, and can never be bound (1 name)",
    )
    assert finding.evidence.split("\n") == [
        f"container main requests 500m {IMPLICIT}, which is no whole number",
        f"Pod team/p waits: {SAID}",
    ]


def test_dra403_a_request_below_the_limit_gets_the_request() -> None:
    finding = only(cluster(pods=[asking(2, 4)], device_classes=MAPPED), "DRA403")
    assert finding.severity is Severity.WARNING
    assert finding.evidence.startswith(f"container main requests 2 {IMPLICIT} and limits 4\n")


@pytest.mark.parametrize(("requests", "limits"), [(1, None), (None, 2), ("2", "2"), ("2", "2000m"), ("1k", None), (0, None), ("0", "0")])
def test_dra403_whole_numbers_are_fine(requests: QuantityText | None, limits: QuantityText | None) -> None:
    assert findings(cluster(pods=[asking(requests, limits)], device_classes=MAPPED), "DRA403") == ()


def test_dra403_explicit_names_are_checked_by_the_api_server() -> None:
    assert findings(cluster(pods=[asking(1, 4, "example.com/gpu")], device_classes=MAPPED), "DRA403") == ()
    mixed = ResourceRequirements({GPU: 1, IMPLICIT: 1, "cpu": "500m"}, {GPU: 4, "cpu": 1, "memory": 1})
    made = msgspec.structs.replace(asking(1), spec=PodSpec(containers=(Container("main", resources=mixed),)))
    assert findings(cluster(pods=[made], device_classes=MAPPED), "DRA403") == ()


def test_dra403_init_containers_count_and_other_names_do_not() -> None:
    made = asking(1)
    spec = msgspec.structs.replace(made.spec, init_containers=(Container("init", resources=ResourceRequirements({IMPLICIT: "1500m"})),))
    given = cluster(pods=[msgspec.structs.replace(made, spec=spec)], device_classes=MAPPED)
    assert only(given, "DRA403").evidence.startswith("container init requests 1500m")
    assert findings(given, "DRA403", scope=Scope(resources=("example.com/*",))) == ()


def test_dra403_a_template_and_its_pods_are_one_finding() -> None:
    """The server fills a pod's requests in from its limits, so that it differs from the template it was made from."""
    limits = PodSpec(containers=(Container("main", resources=ResourceRequirements(limits={IMPLICIT: "500m"})),))
    bare = workload("half", {})
    template = msgspec.structs.replace(bare, spec=msgspec.structs.replace(bare.spec, template=PodTemplateSpec(spec=limits)))
    made = pod("half-1", {IMPLICIT: "500m"}, owner=("Deployment", "half"))
    assert names(only(cluster(deployments=[template], pods=[made], device_classes=[device_class("gpu")]), "DRA403")) == [
        "Deployment team/half"
    ]
