"""Classes of Helm releases (E15)."""

import msgspec
import pytest

from kubectl_dra.audit.finding import Severity
from kubectl_dra.objects.workload import Workload
from tests import factories
from tests.audit.given import GPU, cluster, device_class, findings, forbidden, names, node, only, resource_slice, unknown

OURS = device_class("mine", GPU)
THEIRS = device_class("gpu.example.com", GPU, release="driver-chart")


def test_dra104_a_release_owns_one_of_two_classes_with_a_name() -> None:
    finding = only(cluster(device_classes=[OURS, THEIRS]), "DRA104")
    assert (finding.severity, names(finding)) == (Severity.WARNING, ["DeviceClass gpu.example.com", "DeviceClass mine"])
    assert finding.title == f"Helm release drivers/driver-chart owns a class for {GPU}, and another class maps it too"
    assert finding.evidence.split("\n") == [
        f"DeviceClass gpu.example.com maps {GPU}; it belongs to Helm release drivers/driver-chart",
        f"DeviceClass mine maps {GPU}; it belongs to no Helm release",
    ]
    assert finding.fix[-1] == '#   kubectl annotate deviceclass mine --overwrite kubectl-dra/touched="$(date +%s)"'


def test_dra104_two_releases_are_one_finding() -> None:
    both = cluster(device_classes=[THEIRS, device_class("b", GPU, release="other")])
    assert only(both, "DRA104").title.startswith("Helm release drivers/driver-chart and Helm release drivers/other own a class for")


def daemon_set(release: str | None = None, controller: tuple[str, str] | None = None) -> Workload:
    annotations = {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "drivers"} if release else None
    made = factories.workload("nics", namespace="drivers")
    return msgspec.structs.replace(made, metadata=factories.meta("nics", "drivers", annotations=annotations, owner=controller))


@pytest.mark.parametrize(
    ("installed", "by", "severity"),
    [
        (daemon_set("nic-driver"), "Helm release drivers/nic-driver", Severity.WARNING),
        (daemon_set(controller=("ClusterPolicy", "policy")), "ClusterPolicy policy", Severity.INFO),
        (daemon_set("classes"), None, None),
        (daemon_set(), None, None),
    ],
)
def test_dra104_a_class_whose_driver_somebody_else_has_installed(installed: Workload, by: str | None, severity: Severity | None) -> None:
    pod = factories.pod("nics-1", namespace="drivers", node="a", owner=("DaemonSet", "nics"), mounts=["/var/lib/kubelet/plugins/nic.io"])
    given = cluster(
        nodes=[node("a")],
        pods=[pod],
        daemon_sets=[installed],
        device_classes=[device_class("nic", "nic.io/card", driver="nic.io", release="classes")],
        resource_slices=[resource_slice("a", 1, driver="nic.io")],
    )
    found = findings(given, "DRA104")
    assert [each.title for each in found] == (
        [f"class nic belongs to Helm release drivers/classes, its driver to {by}"] if by is not None else []
    )
    assert all(each.severity is severity and names(each) == ["DeviceClass nic", "DaemonSet drivers/nics"] for each in found)


def test_dra104_a_release_with_a_name_of_its_own_and_classes_of_nobody_are_no_finding() -> None:
    given = cluster(device_classes=[THEIRS, device_class("a", "a.io/b"), device_class("c", "a.io/b")])
    assert findings(given, "DRA104") == ()


def test_dra104_without_classes_is_unknown() -> None:
    assert len(unknown(cluster(device_classes=forbidden()), "DRA104")) == 1
    assert len(unknown(cluster(daemon_sets=forbidden()), "DRA104")) == 1
