"""DRA904 and DRA905: tolerations that do not save from eviction, and devices that their drivers taint."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.resource import (
    Device,
    DeviceClaim,
    DeviceRequest,
    DeviceSubRequest,
    DeviceTaint,
    DeviceTaintRule,
    DeviceTaintRuleSpec,
    DeviceTaintSelector,
    ExactDeviceRequest,
    ResourceClaimSpec,
    ResourceClaimTemplate,
    ResourceClaimTemplateSpec,
)
from kubectl_dra.objects.tolerations import Toleration
from tests.audit.given import DRIVER, GPU, cluster, device_class, findings, forbidden, names, only, pod, resource_slice, unknown
from tests.factories import claim, devices, meta

SICK = [resource_slice("a", devices(2, taint="NoExecute"))]
MAPPED = [device_class("gpu", GPU)]


def template(*tolerations: Toleration, alternative: bool = False) -> ResourceClaimTemplate:
    request = (
        DeviceRequest("r", first_available=(DeviceSubRequest("s", "gpu", tolerations=tolerations),))
        if alternative
        else DeviceRequest("r", ExactDeviceRequest("gpu", tolerations=tolerations))
    )
    spec = ResourceClaimSpec(DeviceClaim((request,)))
    return ResourceClaimTemplate(meta("gpus", "team"), ResourceClaimTemplateSpec(spec=spec))


# DRA904


@pytest.mark.parametrize("alternative", [False, True])
@pytest.mark.parametrize(
    "toleration", [Toleration(operator="Exists"), Toleration("example.com/sick", "Exists"), Toleration("example.com/sick")]
)
def test_dra904_a_toleration_without_effect_on_a_device_with_no_execute(toleration: Toleration, alternative: bool) -> None:
    given = cluster(resource_claim_templates=[template(toleration, alternative=alternative)], resource_slices=SICK)
    finding = only(given, "DRA904")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["ResourceClaimTemplate team/gpus"])
    assert finding.evidence.endswith("devices have the taint example.com/sick:NoExecute")


def test_dra904_without_such_a_taint_it_is_worth_knowing_and_a_rule_counts_as_one() -> None:
    templates = [template(Toleration("example.com/sick", "Exists"))]
    healthy = cluster(resource_claim_templates=templates, resource_slices=[resource_slice("a", devices(2, taint="NoSchedule"))])
    assert only(healthy, "DRA904").severity is Severity.INFO
    rule = DeviceTaintRule(meta("r"), DeviceTaintRuleSpec(DeviceTaintSelector(), DeviceTaint("example.com/sick", None, "NoExecute")))
    assert only(cluster(resource_claim_templates=templates, device_taint_rules=[rule]), "DRA904").severity is Severity.WARNING


@pytest.mark.parametrize(
    "tolerations",
    [
        (),
        (Toleration("k", "Exists", effect="NoExecute"),),
        (Toleration("k", "Exists", effect="NoSchedule"),),
        (Toleration("k", "Exists"), Toleration("k", "Exists", effect="NoExecute")),
        (Toleration("k", "Equal", "v"), Toleration(operator="Exists", effect="NoExecute")),
        (Toleration("k", "Equal", "v"), Toleration("k", "Equal", "v", "NoExecute")),
    ],
)
def test_dra904_what_names_no_execute_as_well_saves(tolerations: tuple[Toleration, ...]) -> None:
    assert findings(cluster(resource_claim_templates=[template(*tolerations)], resource_slices=SICK), "DRA904") == ()


@pytest.mark.parametrize(
    ("toleration", "other"),
    [
        (Toleration("k", "Exists"), Toleration("other", "Exists", effect="NoExecute")),
        (Toleration("k", "Exists"), Toleration("k", "Equal", "w", "NoExecute")),
        (Toleration("k", "Exists"), Toleration("k", effect="NoExecute")),
        (Toleration("k", "Equal", "v"), Toleration("k", "Equal", "w", "NoExecute")),
        (Toleration("k", value="v"), Toleration("k", effect="NoExecute")),
        (Toleration(operator="Exists"), Toleration("k", "Exists", effect="NoExecute")),
    ],
)
def test_dra904_another_toleration_does_not(toleration: Toleration, other: Toleration) -> None:
    given = cluster(resource_claim_templates=[template(toleration, other)])
    assert len(findings(given, "DRA904")) == 1
    assert findings(given, "DRA904", scope=Scope(namespace="other")) == ()


def test_dra904_claims_of_people_count_and_those_of_templates_do_not() -> None:
    spec = template(Toleration(operator="Exists")).spec.spec
    own = msgspec.structs.replace(claim("own", namespace="team", extended=False), spec=spec)
    made = msgspec.structs.replace(claim("made", namespace="team", pod="p", extended=False), spec=spec)
    given = cluster(resource_claims=[own, made])
    finding = only(given, "DRA904")
    assert names(finding) == ["ResourceClaim team/own"]
    assert finding.evidence.startswith("ResourceClaim team/own tolerates every key without an effect")
    assert findings(given, "DRA904", scope=Scope(namespace="other")) == ()


def test_dra904_is_unknown_without_templates() -> None:
    assert len(unknown(cluster(resource_claim_templates=forbidden()), "DRA904")) == 1


# DRA905


def test_dra905_some_devices_of_many() -> None:
    slices = [resource_slice("a", (*devices(2, taint="NoSchedule"), *devices(2, first=2)))]
    finding = only(cluster(resource_slices=slices, device_classes=MAPPED), "DRA905")
    assert (finding.severity, finding.evidence) == (
        Severity.INFO,
        f"example.com/sick:NoSchedule on a/gpu-0 and a/gpu-1 of driver {DRIVER}",
    )
    assert finding.fix[-1] == f"kubectl dra devices --driver {DRIVER}"


def test_dra905_none_is_left_of_a_name() -> None:
    finding = only(cluster(resource_slices=[resource_slice("a", devices(2, taint="NoSchedule"))], device_classes=MAPPED), "DRA905")
    assert finding.severity is Severity.WARNING
    assert finding.title == f"driver {DRIVER} taints 2 devices: none of {GPU} is left for pods that ask for it"


@pytest.mark.parametrize(("version", "found"), [("1.37.0", 2), ("1.37.1", 2), ("1.37.2", 1)])
def test_dra905_the_step_to_1_37_2_evicts(version: str, found: int) -> None:
    given = cluster(
        version,
        resource_slices=[resource_slice("a", (*devices(1, taint="NoExecute"), *devices(1, first=1)))],
        resource_claims=[
            claim("c", ("a", "gpu-0"), namespace="team", pod="train"),
            claim("d", ("a", "gpu-1"), namespace="team", pod="other"),
        ],
        pods=[pod("train", {GPU: 1}, on="a"), pod("other", {GPU: 1}, on="a")],
        device_classes=MAPPED,
    )
    told = findings(given, "DRA905")
    assert len(told) == found
    if found == 2:
        assert (told[0].severity, names(told[0])) == (Severity.WARNING, ["Pod team/train"])
        assert told[0].title == "1 pod on devices with NoExecute is evicted by an upgrade to 1.37.2"


def test_dra905_taints_without_effect_and_pools_that_are_not_used_are_no_finding() -> None:
    slices = [
        resource_slice("a", (Device("x", taints=(DeviceTaint("k", None, "None"),)),)),
        resource_slice("b", devices(1, taint="NoExecute"), slices=2),
    ]
    assert findings(cluster(resource_slices=slices, device_classes=MAPPED), "DRA905") == ()


def test_dra905_is_unknown_without_slices() -> None:
    assert len(unknown(cluster(resource_slices=forbidden()), "DRA905")) == 1
