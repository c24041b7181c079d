"""The canary as it is sent."""

import pytest
import yaml

from kubectl_dra.errors import InputError
from kubectl_dra.migration.canary import canary, image_on, own_canary, probe, taint_of, text_of
from kubectl_dra.migration.marks import ID_LABEL, NODE_LABEL, is_of_a_run, is_ours, node_hash, pod_name
from kubectl_dra.migration.reach import ContainerImage
from kubectl_dra.objects.node import Taint

TAINTS = (Taint("gpu", "yes", "NoSchedule"), Taint("soft", None, "PreferNoSchedule"), Taint("gone", None, "NoExecute"))
NAMES = ["example.com/gpu"]
TOLERATED = [
    {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
    {"key": "gone", "operator": "Equal", "effect": "NoExecute"},
]


def test_it_goes_through_the_scheduler_to_the_one_node_and_tolerates_what_was_there() -> None:
    body = canary("a", "0f", "space", "pause", NAMES, TAINTS)
    spec = body["spec"]
    assert "nodeName" not in spec
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert terms == [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]
    assert spec["tolerations"] == TOLERATED
    assert spec["containers"][0]["resources"] == {"limits": {"example.com/gpu": "1"}}
    assert body["metadata"]["labels"] == {NODE_LABEL: node_hash("a"), ID_LABEL: "0f"}


def test_the_probe_goes_past_the_scheduler() -> None:
    spec = probe("a", "0f", "space", "pause", NAMES)["spec"]
    assert (spec["nodeName"], spec["restartPolicy"]) == ("a", "Never")


def test_ones_own_canary_keeps_what_is_written() -> None:
    written = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "mine", "labels": {"team": "x"}},
        "spec": {"tolerations": [{"key": "k"}], "containers": [{"name": "c", "image": "i", "unheardOf": 1}]},
    }
    body = own_canary(yaml.safe_dump(written), "a", "0f", "space", TAINTS)
    assert body["metadata"]["name"] == pod_name("canary", "a")
    assert body["metadata"]["labels"]["team"] == "x"
    assert body["spec"]["tolerations"] == [{"key": "k"}, *TOLERATED]
    assert body["spec"]["containers"] == written["spec"]["containers"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "is no YAML"),
        ("kind: Job", "is no Pod"),
        ("[]", "is no Pod"),
        ("{kind: Pod, spec: {nodeName: a}}", "goes past the scheduler"),
    ],
)
def test_what_is_no_canary(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        own_canary(text, "a", "0f", "space", ())


def test_the_image_is_one_that_the_node_has() -> None:
    def image(*names: str) -> ContainerImage:
        return ContainerImage(names)

    large, small = image("r/large@sha256:1", "r/large:1"), image("r/small@sha256:2")
    assert image_on([large, image("r/pause:3.10"), small]) == "r/pause:3.10"
    assert image_on([large, image("<none>:<none>"), small]) == "r/small@sha256:2"
    assert image_on([large]) == "r/large:1"
    assert image_on([]) == image_on([ContainerImage()]) == ""


@pytest.mark.parametrize("taint", TAINTS)
def test_a_taint_in_the_journal_and_back(taint: Taint) -> None:
    assert taint_of(text_of(taint)) == taint


def test_pods_of_a_run_are_told_by_name_and_label() -> None:
    labels = {NODE_LABEL: node_hash("a")}
    name = pod_name("canary", "a")
    assert is_ours(name, labels, "a") and is_of_a_run(name, labels)
    assert not is_ours(name, labels, "b")
    assert not is_of_a_run("train-0", labels)  # a label alone hides nobody from the drain
    assert not is_of_a_run(name, None)
