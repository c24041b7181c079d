"""What could not be looked at, as people read it: each reason once, with the checks below it."""

from pathlib import Path

from kubectl_dra.reading import write_snapshot
from tests.audit.given import GPU, cluster, forbidden, quota
from tests.run import kubectl_dra


def test_each_reason_stands_once_with_its_checks(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    with path.open("wb") as stream:
        write_snapshot(cluster(device_classes=forbidden("deviceclasses is forbidden")), stream.write)
    told = kubectl_dra("audit", "--from", str(path), "--select", "DRA101,DRA102,DRA203").stdout
    assert told.partition("Not known (2)\n")[2].splitlines() == [
        'DeviceClass: forbidden (needs the verb list on deviceclasses.resource.k8s.io; "kubectl dra rbac audit" prints the role)',
        "    DRA101, DRA102",
    ]


def test_how_kubectl_writes_the_file_stands_in_the_finding_and_not_with_every_reason(tmp_path: Path) -> None:
    path = tmp_path / "pods.json"
    path.write_text('{"apiVersion": "v1", "kind": "PodList", "items": []}')
    told = kubectl_dra("audit", "--from", str(path)).stdout
    assert "kubectl get" in told.partition("Not known")[0]
    assert "kubectl get" not in told.partition("Not known")[2]
    assert "kubectl get" in kubectl_dra("audit", "--from", str(path), "-o", "wide").stdout.partition("Not known")[2]


def test_many_findings_are_listed_first_a_line_each(tmp_path: Path) -> None:
    def told(number: int) -> str:
        path = tmp_path / "cluster.json"
        quotas = [quota(f"q{each}", {GPU: 1}) for each in range(number)]
        with path.open("wb") as stream:
            write_snapshot(cluster(resource_quotas=quotas), stream.write)
        return kubectl_dra("audit", "--from", str(path), "--select", "DRA501").stdout

    assert "Findings (" not in told(9)
    many = told(10)
    listed = many.partition("Findings (10)\n\n")[2].partition("\n\n")[0].splitlines()
    assert listed[0].split() == ["CODE", "SEVERITY", "TITLE"]
    assert listed[1:] == ["DRA501   warning    a quota on example.com/gpu that nothing counts"] * 10
    assert many.count("seen:") == 10
