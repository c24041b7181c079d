"""What a reading keeps: every field of the Structs but those that may hold secrets."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kubectl_dra.knowledge.vendors import device_variables
from kubectl_dra.objects.meta import KEPT_ANNOTATIONS, Condition, ObjectMeta
from kubectl_dra.objects.node import Node, NodeStatus
from kubectl_dra.objects.pod import Container, EnvVar, HostPathVolume, Pod, PodSpec, PodStatus, PodTemplateSpec, Volume
from kubectl_dra.objects.shape import Object
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.workload import CustomWorkload, Workload, WorkloadSpec
from kubectl_dra.reading import kept
from kubectl_dra.reading.kinds import ALL
from tests.reading.filled import filled

STRUCTS: list[type[Object]] = [*dict.fromkeys(kind.struct for kind in ALL), CustomWorkload]
VARIABLE = "NVIDIA_VISIBLE_DEVICES"


def keep(value: Object) -> Any:
    return kept.keeper(type(value))(value, Sharing())


def as_kept(value: Any) -> Any:
    """`value` without what is not kept, told by type: the expectation, written a second time and without any sharing."""
    if isinstance(value, tuple):
        items = tuple(as_kept(item) for item in value)
        return tuple(item for item in items if item is not None)
    if not isinstance(value, Object):
        return value
    changed: dict[str, Any] = {name: as_kept(getattr(value, name)) for name in value.__struct_fields__}
    match value:
        case ObjectMeta():
            changed["annotations"] = None
        case Container():
            changed |= {"image": None, "args": None, "command": None, "env": None}
        case PodStatus():
            changed["conditions"] = None
        case NodeStatus():
            changed["conditions"] = None
    return replace(value, **changed)


@pytest.mark.parametrize("struct", STRUCTS)
def test_no_field_is_forgotten(struct: type[Object]) -> None:
    value = filled(struct)
    assert keep(value) == as_kept(value)


@pytest.mark.parametrize("struct", STRUCTS)
def test_what_was_kept_is_kept_again_as_it_is(struct: type[Object]) -> None:
    once = keep(filled(struct))
    assert keep(once) == once
    assert keep(struct()) == struct()


def test_annotations_that_the_checks_read_are_kept_and_no_others() -> None:
    annotations = {name: "x" for name in KEPT_ANNOTATIONS} | {"kubectl.kubernetes.io/last-applied-configuration": '{"password":"hunter2"}'}
    assert keep(Pod(ObjectMeta("a", annotations=annotations))).metadata.annotations == {name: "x" for name in KEPT_ANNOTATIONS}


def test_variables_that_name_devices_are_kept_and_no_others() -> None:
    assert VARIABLE in device_variables()
    env = (EnvVar("PASSWORD", "hunter2"), EnvVar(VARIABLE, "all"), EnvVar("MY_" + VARIABLE, "hunter2"))
    for pod in (Pod(spec=PodSpec((Container("a", env=env),))), Pod(spec=PodSpec(None, (Container("a", env=env),)))):
        spec = keep(pod).spec
        assert (spec.containers or spec.init_containers)[0].env == (EnvVar(VARIABLE, "all"),)


def test_host_folders_and_empty_dirs_are_kept_and_no_other_volumes() -> None:
    spec = msgspec.convert(
        {
            "volumes": [
                {"name": "a", "hostPath": {"path": "/dev", "type": "Directory"}},
                {"name": "b", "emptyDir": {"medium": "Memory"}},
                {"name": "c", "secret": {"secretName": "hunter2"}},
            ]
        },
        PodSpec,
    )
    volumes: tuple[Volume, ...] = keep(Pod(spec=spec)).spec.volumes
    assert [volume.name for volume in volumes] == ["a", "b"]
    assert keep(Pod(spec=PodSpec(volumes=(Volume("c"),)))).spec.volumes is None


def test_of_conditions_only_those_that_are_read_are_kept() -> None:
    conditions = tuple(Condition(type_, "True") for type_ in ("Initialized", "Ready", "PodScheduled", "DiskPressure"))
    assert [each.type for each in keep(Pod(status=PodStatus(conditions=conditions))).status.conditions] == ["Ready", "PodScheduled"]
    assert [each.type for each in keep(Node(status=NodeStatus(conditions=conditions))).status.conditions] == ["Ready"]


def control_plane_pod(container: Container, name: str = "kube-apiserver-cp-1", namespace: str = "kube-system", mirror: bool = True) -> Pod:
    annotations = {"kubernetes.io/config.mirror": "hash"} if mirror else None
    return Pod(ObjectMeta(name, namespace, annotations=annotations), PodSpec((container,), node_name="cp-1"))


@pytest.mark.parametrize(
    "container",
    [
        Container(
            command=(
                "kube-apiserver",
                "--etcd-servers=https://user:hunter2@etcd",
                "--feature-gates=A=true,B=false",
                "--emulated-version=1.36",
            )
        ),
        Container(args=("--token=hunter2", "--feature-gates=A=true,B=false", "--emulated-version=1.36")),
        Container(command=("kube-apiserver", "--feature-gates", "A=true,B=false", "--emulated-version", "1.36", "--token", "hunter2")),
        Container(command=("sh", "-c", "exec kube-apiserver --feature-gates='A=true,B=false' --emulated-version=1.36 --token=hunter2")),
    ],
)
def test_of_the_control_planes_command_line_only_gates_and_emulated_version_are_kept(container: Container) -> None:
    found = keep(control_plane_pod(replace(container, image="registry.example/kube-apiserver:v1.37.2"))).spec.containers[0]
    assert found == Container(
        image="registry.example/kube-apiserver:v1.37.2", args=("--feature-gates=A=true,B=false", "--emulated-version=1.36")
    )


@pytest.mark.parametrize("path", ["device-plugins", "plugins_registry", "plugins/gpu.example.com"])
def test_images_of_plugins_and_drivers_are_kept(path: str) -> None:
    """By them a move tells one installer's from another's; their arguments and those of a template's are not kept."""
    volume = Volume("v", HostPathVolume(f"/var/lib/kubelet/{path}"))
    spec = PodSpec((Container("main", image="vendor/plugin:v1", args=("--token=hunter2", "--feature-gates=A=true")),), volumes=(volume,))
    assert keep(Pod(spec=spec)).spec.containers == (Container("main", image="vendor/plugin:v1"),)
    template = Workload(spec=WorkloadSpec(template=PodTemplateSpec(spec=spec)))
    assert keep(template).spec.template.spec.containers == (Container("main", image="vendor/plugin:v1"),)
    other = replace(spec, volumes=(Volume("v", HostPathVolume("/var/lib/kubelet/pods")),))
    assert keep(Pod(spec=other)).spec.containers == (Container("main"),)


@pytest.mark.parametrize(
    "pod",
    [
        control_plane_pod(Container(image="i", args=("--feature-gates=A=true",)), name="my-app"),
        control_plane_pod(Container(image="i", args=("--feature-gates=A=true",)), name="kube-apiserver-other"),
        control_plane_pod(Container(image="i", args=("--feature-gates=A=true",)), namespace="default"),
        control_plane_pod(Container(image="i", args=("--feature-gates=A=true",)), mirror=False),
    ],
)
def test_image_and_arguments_of_other_pods_are_not_kept(pod: Pod) -> None:
    assert keep(pod).spec.containers == (Container(),)


def test_templates_of_workloads_lose_the_same_as_pods() -> None:
    template = PodTemplateSpec(
        ObjectMeta(annotations={"vault/secret": "hunter2"}),
        PodSpec((Container(image="i", args=("hunter2",), env=(EnvVar("A", "hunter2"),)),)),
    )
    for value in (kept.pod_template(template, Sharing()),):
        assert value == PodTemplateSpec(ObjectMeta(), PodSpec((Container(),)))
