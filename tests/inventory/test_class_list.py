"""The list of classes and the traps of each version (E1, E2)."""

from msgspec.structs import replace

from kubectl_dra.inventory.classes import class_list
from kubectl_dra.inventory.document import ClassItem, ClassList, ObjectName
from kubectl_dra.objects.resource import DeviceClaim, DeviceRequest, ExactDeviceRequest, ResourceClaim, ResourceClaimSpec
from kubectl_dra.remedies.lost_mapping import leave_to_one
from tests.factories import GPU, claim, device_class, forbidden, pod, resource_slice, snapshot

OLD, NEW = device_class("old", GPU, release="gpu-driver"), device_class("new", GPU, created="2026-01-01T00:00:41Z")


def of_class(name: str, made: ResourceClaim) -> ResourceClaim:
    request = DeviceRequest("container-0-request-0", ExactDeviceRequest(name, allocation_mode="ExactCount", count=1))
    return replace(made, spec=ResourceClaimSpec(DeviceClaim((request,))))


def warnings(found: ClassList) -> list[str]:
    return [warning.message for warning in found.warnings]


def test_every_field_of_a_class() -> None:
    taken = snapshot(OLD, NEW, of_class("new", claim("c", ("a", "gpu-0"), pod="one")), pod("one", 1, node="a", claim="c"), pod("waits", 1))
    new, old = class_list(taken).items
    assert new == ClassItem(
        class_="new",
        extended_resource_name=GPU,
        state="wins",
        winner="new",
        why="created 41 s later",
        implicit_name="deviceclass.resource.kubernetes.io/new",
        implicit_usable=True,
        created_at="2026-01-01T00:00:41Z",
        age_seconds=86359,
        helm_release=None,
        pods=1,
        waiting=1,
        devices=0,
    )
    assert (old.state, old.winner, old.why, old.helm_release, old.pods) == (
        "loses", "new", "created 41 s earlier", ObjectName("drivers", "gpu-driver"), 0,
    )  # fmt: skip


def test_only_contested_names() -> None:
    taken = snapshot(OLD, NEW, device_class("alone", "example.com/fpga"), device_class("nameless"))
    assert [item.class_ for item in class_list(taken, duplicates=True).items] == ["new", "old"]
    assert [item.state for item in class_list(taken).items] == ["only", "none", "wins", "loses"]
    assert [item.class_ for item in class_list(taken, ["alone"]).items] == ["alone"]


def test_the_safe_sequence_where_removing_a_duplicate_loses_the_mapping() -> None:
    (warning,) = class_list(snapshot(OLD, NEW)).warnings
    assert warning.extended_resource_name == GPU
    assert warning.message.startswith(f"Kubernetes 1.37.2: removing either duplicate of {GPU}")
    assert warning.steps == leave_to_one(GPU, NEW, (OLD,), "default")


def test_the_canary_runs_where_pods_ask_for_the_name() -> None:
    asking = [pod("b", 1, namespace="team-b"), pod("a", 1, namespace="team-a", phase="Succeeded"), pod("c", 1, namespace="team-c")]
    (warning,) = class_list(snapshot(OLD, NEW, *asking)).warnings
    assert warning.steps[-1] == "kubectl -n team-b delete pod dra-canary"


def test_1_38_loses_nothing() -> None:
    assert class_list(snapshot(OLD, NEW, version="v1.38.0")).warnings == ()


def test_1_34_takes_any_of_them() -> None:
    found = class_list(snapshot(OLD, NEW, version="v1.34.4"))
    assert [item.state for item in found.items] == ["undefined", "undefined"]
    assert [item.winner for item in found.items] == [None, None]
    assert any("random" in message for message in warnings(found))


def test_a_gate_that_is_off_is_told() -> None:
    taken = snapshot(device_class("gpu", GPU), version="v1.36.1")
    found = class_list(replace(taken, cluster=replace(taken.cluster, feature_gates={"DRAExtendedResource": False})))
    assert warnings(found) == [f"The feature gate DRAExtendedResource is off here: no class serves {GPU}."]


def test_a_gate_that_may_have_been_turned_on_is_not_told_to_be_off() -> None:
    found = class_list(snapshot(device_class("gpu", GPU), version="v1.35.1"))
    assert warnings(found) == [
        "The feature gate DRAExtendedResource is off here by default, and whether it was turned on could not be read. If not, no class"
        f" serves {GPU}."
    ]


def test_classes_without_names_of_their_own_are_still_two() -> None:
    found = class_list(snapshot(device_class("", GPU), device_class("", GPU)))
    assert [item.state for item in found.items] == ["wins", "loses"]
    assert len(found.warnings) == 1


def test_no_duplicates_no_warning() -> None:
    assert class_list(snapshot(device_class("gpu", GPU))).warnings == ()


def test_a_name_that_no_pod_can_write() -> None:
    (item,) = class_list(snapshot(device_class("x" * 64))).items
    assert not item.implicit_usable
    assert item.notes == ("no pod can write the implicit name: what follows the slash may have 63 characters at most",)


def test_unread_pods_and_claims_are_unknown() -> None:
    found = class_list(snapshot(NEW, pods=forbidden(), resource_claims=forbidden()))
    assert (found.items[0].pods, found.items[0].waiting) == (None, None)
    assert [each.kind for each in found.unknown] == ["Pod", "ResourceClaim"]


def test_devices_that_a_class_selects_and_selectors_that_fail() -> None:
    fails = device_class("fails", selectors=('device.attributes["x"].y == 1',))
    found = class_list(snapshot(NEW, fails, resource_slice("a", 2), resource_slice("b", 3), resource_slice("c", 4, slices=2)))
    assert [(item.class_, item.devices) for item in found.items] == [("fails", 0), ("new", 5)]
    (note,) = found.items[0].notes
    assert note.startswith("class fails: selector #0 on device gpu.example.com/a/gpu-0: CEL runtime error: no such key: y.")
    assert note.endswith("(and on 4 more): a pod for which the scheduler looks at such a device is placed on no node")


def test_unread_slices_leave_the_devices_unknown() -> None:
    found = class_list(snapshot(NEW, resource_slices=forbidden()))
    assert [item.devices for item in found.items] == [None]
    assert [each.kind for each in found.unknown] == ["ResourceSlice"]


def test_a_line_break_in_an_annotation_does_not_end_the_comment_it_stands_in() -> None:
    (warning,) = class_list(snapshot(device_class("old", GPU, release="gpu\nrm -rf x"), NEW)).warnings
    assert not any("\n" in step for step in warning.steps)
