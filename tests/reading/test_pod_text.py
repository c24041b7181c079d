"""Pods that are read as texts become the pods that are made from whole ones."""

import json
from typing import Any

import msgspec
import pytest

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import Container, EnvVar, HostPathVolume, Pod, PodSpec, PodStatus, Volume
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.tolerations import Toleration
from kubectl_dra.reading import kept, pod_text
from kubectl_dra.reading.decoding import Decoder, MistypedError
from kubectl_dra.reading.kinds import BY_FIELD
from kubectl_dra.reading.pod_text import ContainerText, MetaText, PodText, SpecText
from tests.reading.filled import filled

FULL = json.loads(msgspec.json.encode(filled(Pod)))
CONTROL_PLANE: dict[str, Any] = {
    "metadata": {"name": "kube-scheduler-a", "namespace": "kube-system", "annotations": {"kubernetes.io/config.mirror": "x", "y": "z"}},
    "spec": {
        "nodeName": "a",
        "containers": [
            {
                "name": "kube-scheduler",
                "image": "registry.example/kube-scheduler:v1.37.2",
                "command": ["kube-scheduler", "--kubeconfig=hunter2", "--feature-gates=A=true"],
                "args": ["--emulated-version=1.36"],
            }
        ],
    },
}
PODS: list[dict[str, Any]] = [
    FULL,
    CONTROL_PLANE,
    {**CONTROL_PLANE, "metadata": {**CONTROL_PLANE["metadata"], "annotations": None}},
    {},
    {"metadata": None, "spec": None, "status": None},
    {"metadata": {"labels": {}, "annotations": {}, "ownerReferences": [], "finalizers": []}, "spec": {"containers": [], "volumes": []}},
    {"spec": dict.fromkeys(pod_text.SpecText.__struct_encode_fields__), "metadata": dict.fromkeys(MetaText.__struct_encode_fields__)},
    {"spec": {"containers": [dict.fromkeys(ContainerText.__struct_encode_fields__)]}},
    {"metadata": {"annotations": {"a": "hunter2", "meta.helm.sh/release-name": "r"}, "labels": {"b": "ü\n", "c": ""}}},
    {"spec": {"affinity": {"podAffinity": {}}, "volumes": [{"name": "t", "projected": {}}, {"name": "h", "hostPath": {"path": "/dev"}}]}},
    {"spec": {"containers": [{"name": "a", "env": [{"name": "A", "value": "x"}, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}]}},
    {"spec": {"containers": [{"name": "a", "env": [{"name": "NVIDIA_VISIBLE_DEV\u0049CES"}], "resources": {"limits": {"a/b": 1}}}]}},
]


def read(items: list[dict[str, Any]]) -> list[Object]:
    return Decoder(BY_FIELD["pods"], "v1", Sharing()).items(json.dumps(items).encode())


@pytest.mark.parametrize(
    ("whole", "text"),
    [(ObjectMeta, MetaText), (Container, ContainerText), (PodSpec, SpecText), (Pod, PodText)],
    ids=lambda each: each.__name__,
)
def test_the_texts_have_every_field(whole: type[Object], text: type[Object]) -> None:
    assert text.__struct_encode_fields__ == whole.__struct_encode_fields__


@pytest.mark.parametrize("item", PODS, ids=map(str, range(len(PODS))))
def test_a_pod_is_what_it_would_be_if_it_were_decoded_whole(item: dict[str, Any]) -> None:
    by_value = Decoder(BY_FIELD["pods"], "v1", Sharing()).value(item)
    assert read([item]) == [by_value]
    assert read([item, item]) == [by_value, by_value]


def test_equal_texts_are_one_object() -> None:
    first, second = read([FULL, {**FULL, "metadata": {"name": "other", "labels": FULL["metadata"]["labels"]}}])
    assert isinstance(first, Pod)
    assert isinstance(second, Pod)
    assert first.spec.containers is second.spec.containers
    assert first.spec.tolerations is second.spec.tolerations
    assert first.metadata.labels is second.metadata.labels


def test_texts_past_the_limit_are_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_text, "REMEMBERED", 1)
    items = [{"metadata": {"name": f"p{n}", "labels": {"n": str(n % 3)}}} for n in range(9)]
    assert [pod.metadata.labels for pod in read(items) if isinstance(pod, Pod)] == [{"n": str(n % 3)} for n in range(9)]


def test_a_field_of_the_wrong_type_is_told_by_pod_and_path() -> None:
    with pytest.raises(MistypedError, match=r"^Pod n/b: \.spec\.tolerations\[0\]\.key: expected `str.*`, got `int`"):
        read([{"metadata": {"name": "a"}}, {"metadata": {"name": "b", "namespace": "n"}, "spec": {"tolerations": [{"key": 1}]}}])


def test_whole_pods_take_the_same_way() -> None:
    """YAML has no text to compare: its pods are kept whole."""
    pod = Pod(
        ObjectMeta("a", annotations={"x": "hunter2"}),
        PodSpec((Container("c", image="i", env=(EnvVar("A", "b"),)),), tolerations=(Toleration(operator="Exists"),)),
        PodStatus(phase="Running"),
    )
    assert [kept.pod(pod, Sharing())] == read([json.loads(msgspec.json.encode(pod))])


def test_of_plugins_and_drivers_the_image_is_kept_either_way() -> None:
    volume = Volume("v", HostPathVolume("/var/lib/kubelet/device-plugins"))
    pod = Pod(ObjectMeta("a"), PodSpec((Container("c", image="vendor/plugin:v1", args=("--feature-gates=A=true",)),), volumes=(volume,)))
    (found,) = read([json.loads(msgspec.json.encode(pod))])
    assert found == kept.pod(pod, Sharing())
    assert isinstance(found, Pod)
    assert found.spec.containers == (Container("c", image="vendor/plugin:v1"),)
