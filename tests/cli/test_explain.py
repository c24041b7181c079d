"""`explain` as a command."""

import json
from pathlib import Path

import pytest

from tests.cli.test_inventory import write
from tests.factories import GPU, claim, device_class, node, pod, resource_slice, snapshot
from tests.run import kubectl_dra as run

MANIFEST = b"""
apiVersion: v1
kind: Pod
metadata: {name: new}
spec:
  containers: [{name: main, resources: {limits: {example.com/gpu: 1}}}]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    nodes = [node(f"gpu-{number:02}") for number in range(11)]
    slices = [resource_slice(each.metadata.name, 1) for each in nodes[:9]]
    held = [claim(f"c{number}", (f"gpu-{number:02}", "gpu-0"), pod=f"p{number}") for number in range(8)]
    twice = [pod("both", gpu=1, namespace="one"), pod("both", gpu=1, namespace="two")]
    return write(snapshot(*nodes, device_class("gpu", GPU), *slices, *held, pod("train", gpu=1), pod("large", gpu=2), *twice), tmp_path)


def test_nodes_that_are_alike_share_a_line_where_there_are_many(file: str) -> None:
    result = run("explain", "pod", "train", "--from", file)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == (
        "Pod default/train fits on gpu-08 now: the scheduler has not tried it yet, or something else keeps it.\n"
        "\n"
        "Why\n"
        "  in-use: the only device of class gpu is in use, 1 is asked for (8 of 11 nodes)\n"
        "      gpu-00: gpu-0 is in use by default/p0 (claim default/c0)\n"
        "  no-devices: no driver has devices for the node (2 of 11 nodes)\n"
        "\n"
        "CONTAINER   RESOURCE          COUNT   CLASS   CLAIM                  REQUEST                 SERVED BY\n"
        "main        example.com/gpu   1       gpu     <extended-resources>   container-0-request-0   dra on 11\n"
        "\n"
        "NODE                                    VERDICT   SERVED BY   WHY\n"
        "8 nodes (gpu-00, gpu-01, gpu-02, ...)   no        dra         the only device of class gpu is in use, 1 is asked for\n"
        "2 nodes (gpu-09, gpu-10)                no        dra         no driver has devices for the node\n"
        "gpu-08                                  fits      dra         <none>\n"
        "\n"
        "Not judged here: affinity between pods, topology spread, volumes, host ports, pod-level resources, extenders.\n"
    )
    assert run("explain", "pod", "train", "--from", file, "-o", "wide").stdout.count("\ngpu-") == 11


def test_one_node_down_to_its_devices(file: str) -> None:
    result = run("explain", "pod/train", "--node", "gpu-00", "--from", file)
    assert result.code == 0
    table = result.stdout[result.stdout.index("NODE     REQUEST") :].splitlines()
    assert table[:2] == [
        "NODE     REQUEST                 DRIVER            POOL     DEVICE   AGAINST IT   WHY",
        "gpu-00   container-0-request-0   gpu.example.com   gpu-00   gpu-0    in use       "
        "gpu-0 is in use by default/p0 (claim default/c0)",
    ]
    everything = json.loads(run("explain", "pod", "train", "--devices", "--from", file, "-o", "json").stdout)
    assert sum(len(each["devices"]) for each in everything["nodes"]) == 9


def test_quantities_that_are_none(tmp_path: Path) -> None:
    bad = write(snapshot(node("a", allocatable={"cpu": "much"}), pod("train", resources={"cpu": "1"})), tmp_path)
    result = run("explain", "pod", "train", "--from", bad)
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr.startswith("error: the cluster's objects cannot be understood: ")


def test_a_file_needs_no_events(file: str) -> None:
    assert run("explain", "pod", "train", "--from", file, "--strict").stderr.startswith(
        "error: --strict: not read in full: feature gates (absent)\n"
    )


def test_for_scripts(file: str) -> None:
    assert run("explain", "pod", "large", "--from", file, "-o", "jsonpath={.verdict}").stdout == "waits"
    assert run("explain", "po", "large", "--from", file, "-o", "name").stdout == "pod/large\n"


def test_a_pod_that_does_not_exist_yet(file: str) -> None:
    assert run("explain", "-f", "-", "--from", file, stdin=MANIFEST).code == 0
    refused = run("explain", "pod", "-f", "-", "--from", file, stdin=MANIFEST.replace(b"gpu: 1", b"gpu: 2"))
    assert refused.code == 1
    assert refused.stdout.startswith("Pod default/new would wait: none of 11 nodes can take it now: on 9 of them")
    assert run("explain", "-f", "-", "-n", "team", "--from", file, stdin=MANIFEST).stdout.startswith(
        "Pod team/new would fit on gpu-08 now."
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["pod", "nope"], 3, 'pods "nope" not found'),
        (["pod", "train", "-n", "elsewhere"], 3, 'pods "train" not found in namespace elsewhere'),
        (["pod", "train", "--node", "nope"], 3, 'nodes "nope" not found'),
        (["pod", "both"], 2, 'pods "both" are in several namespaces: one, two'),
        (["deployment", "web"], 2, 'only pods can be explained, not "deployment"'),
        (["pod"], 2, "a pod's name is required"),
        (["pod/train", "large"], 2, 'unexpected argument "large"'),
        (["-f", "-", "--from", "-"], 2, "--from and --filename cannot both be standard input"),
    ],
)
def test_what_cannot_be_explained(file: str, words: list[str], code: int, message: str) -> None:
    source = [] if "--from" in words else ["--from", file]
    result = run("explain", *words, *source)
    assert (result.code, result.stdout) == (code, "")
    assert message in result.stderr
