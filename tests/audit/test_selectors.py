"""DRA106 to DRA108: selectors of classes on the devices that are published."""

from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.scope import Scope
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.resource import Device, DeviceAttribute, DeviceClass, DeviceClassSpec, DeviceSelector
from kubectl_dra.objects.snapshot import KindReading
from tests.audit.given import DRIVER, GPU, cluster, device_class, findings, forbidden, names, only, report, resource_slice, unknown

MODEL = f'device.attributes["{DRIVER}"].model == "x"'
OF_ANOTHER_KIND = DeviceClass(ObjectMeta("gpu"), DeviceClassSpec((DeviceSelector(),), GPU))
HINT = "consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"
X, Y = (Device(name, {"model": DeviceAttribute(string=name)}) for name in "xy")


def by_model(name: str | None = GPU) -> DeviceClass:
    return device_class("gpu", name, selectors=(f'device.driver == "{DRIVER}"', MODEL))


# DRA106


def test_dra106_a_class_that_selects_nothing_of_what_its_driver_has() -> None:
    found = only(cluster(device_classes=[by_model()], resource_slices=[resource_slice("a", (Y,))]), "DRA106")
    assert (found.severity, names(found)) == (Severity.WARNING, ["DeviceClass gpu"])
    assert found.title == f"device class gpu maps {GPU} and selects no device"
    assert found.evidence == f'{DRIVER} publishes 1 device\non {DRIVER}/a/y, selector #1: {MODEL}: "y" != "x"'


def test_dra106_is_a_note_until_the_driver_has_slices() -> None:
    other = resource_slice("a", 1, driver="other.example.com")
    found = only(cluster(device_classes=[by_model()], resource_slices=[other]), "DRA106")
    assert (found.severity, found.evidence) == (Severity.INFO, f"no slice of driver {DRIVER} is published")


def test_dra106_tells_pools_that_are_not_used() -> None:
    found = only(cluster(device_classes=[by_model()], resource_slices=[resource_slice("a", (X,), slices=2)]), "DRA106")
    assert found.evidence == f"{DRIVER} publishes 0 devices\npool a of {DRIVER} is not used: it has 1 of 2 slices of generation 1"


def test_dra106_says_nothing_of_classes_that_select_fail_or_map_nothing() -> None:
    slices = [resource_slice("a", (X, Y))]
    assert not findings(cluster(device_classes=[by_model()], resource_slices=slices), "DRA106")
    assert not findings(cluster(device_classes=[by_model(None)], resource_slices=[resource_slice("a", (Y,))]), "DRA106")
    fails = device_class("gpu", GPU, selectors=('device.attributes["x"].y == 1',))
    assert not findings(cluster(device_classes=[fails], resource_slices=slices), "DRA106")


def test_dra106_blocks_the_name_only_where_devices_are_published() -> None:
    broken = report(cluster(device_classes=[by_model()], resource_slices=[resource_slice("a", (Y,))]))
    assert [(each.name, each.verdict, each.codes) for each in broken.names] == [(GPU, "blocked", ("DRA106",))]
    early = report(cluster(device_classes=[by_model()], resource_slices=()))
    assert [(each.name, each.verdict) for each in early.names] == [(GPU, "ready")]


# DRA107


def test_dra107_a_selector_that_fails_on_a_device() -> None:
    unguarded = device_class("gpu", GPU, selectors=(MODEL,))
    slices = [resource_slice("a", (X, Y)), resource_slice("b", 2, driver="other.example.com")]
    found = only(cluster(device_classes=[unguarded], resource_slices=slices), "DRA107")
    assert (found.severity, names(found)) == (Severity.ERROR, ["DeviceClass gpu"])
    assert found.title == "a selector of device class gpu fails on 2 devices"
    assert found.evidence.splitlines() == [
        f"class gpu: selector #0 on device other.example.com/b/gpu-0: CEL runtime error: no such key: model. {HINT}",
        f'on other.example.com/b/gpu-0, selector #0: device.attributes["{DRIVER}"].model: no such key: model',
        "it fails on 2 devices",
    ]


def test_dra107_is_about_classes_without_a_name_too_and_blocks_names() -> None:
    slices = [resource_slice("a", 1)]
    unguarded = device_class("gpu", selectors=(MODEL,))
    assert names(only(cluster(device_classes=[unguarded], resource_slices=slices), "DRA107")) == ["DeviceClass gpu"]
    named = report(cluster(device_classes=[device_class("gpu", GPU, selectors=(MODEL,))], resource_slices=slices))
    assert [(each.name, each.verdict, each.codes) for each in named.names] == [(GPU, "blocked", ("DRA107",))]


def test_dra107_what_stands_before_it_guards_a_selector() -> None:
    slices = [resource_slice("a", (X,)), resource_slice("b", 2, driver="other.example.com")]
    assert not findings(cluster(device_classes=[by_model()], resource_slices=slices), "DRA107")


def test_dra107_without_devices_nothing_fails() -> None:
    assert not findings(cluster(device_classes=[device_class("gpu", GPU, selectors=("device.nope",))], resource_slices=()), "DRA107")


# DRA108


def test_dra108_a_class_that_selects_devices_of_several_drivers() -> None:
    slices = [resource_slice("a", 2), resource_slice("a", 1, driver="other.example.com", pool="others")]
    found = only(cluster(device_classes=[device_class("all", GPU, driver=None)], resource_slices=slices), "DRA108")
    assert (found.severity, names(found)) == (Severity.WARNING, ["DeviceClass all"])
    assert found.evidence == f"{DRIVER}: 2 devices\nother.example.com: 1 device"


def test_dra108_one_driver_is_as_it_should_be() -> None:
    slices = [resource_slice("a", 2), resource_slice("a", 1, driver="other.example.com", pool="others")]
    assert not findings(cluster(device_classes=[device_class("gpu", GPU)], resource_slices=slices), "DRA108")
    assert not findings(cluster(device_classes=[device_class("all", driver=None)], resource_slices=slices), "DRA108")


# all of them


def test_what_cannot_be_judged_is_unknown() -> None:
    taken = cluster(device_classes=[OF_ANOTHER_KIND], resource_slices=[resource_slice("a", 1)])
    unread: KindReading[object] = forbidden("resourceslices")
    for code in ("DRA106", "DRA107", "DRA108"):
        assert not findings(taken, code)
        assert unknown(taken, code) == ("DeviceClass gpu: class gpu: selector #0 is no CEL expression",)
        (reason,) = unknown(cluster(device_classes=[by_model()], resource_slices=unread), code)
        assert reason.startswith("ResourceSlice: forbidden")


def test_other_names_are_left_out_when_one_is_asked_about() -> None:
    taken = cluster(device_classes=[by_model()], resource_slices=[resource_slice("a", (Y,))])
    assert not findings(taken, "DRA106", scope=Scope(resources=("other/*",)))
