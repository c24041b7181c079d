"""What the selectors of device classes say of the devices that are published."""

from collections.abc import Iterator

from kubectl_dra.allocation.cel import DeviceVariables
from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import count, lines, listed
from kubectl_dra.inventory.pools import PlacedDevice
from kubectl_dra.inventory.selection import Outcome
from kubectl_dra.objects.resource import DeviceClass


@check(
    "DRA106",
    title="a device class that maps a name selects no device",
    severity=Severity.WARNING,
    why=(
        "The scheduler gives out what the class of a name selects, and this class selects none of the devices that drivers publish: where"
        " no device plugin serves the name, pods that ask for it wait for ever. As long as its driver has no slices anywhere, that is only"
        " worth knowing: the driver is not installed yet, or has not published."
    ),
    fix=(
        "# see which part of an expression is false on which device",
        "kubectl dra devices --where 'EXPRESSION'",
        "# then change the class",
        "kubectl edit deviceclass CLASS",
    ),
    source=(
        "k8s.io/dynamic-resource-allocation: structured/internal/incubating/allocator_incubating.go (selectorsMatch)",
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go",
    ),
    needs=("device_classes", "resource_slices"),
    blocks=True,
)
def nothing_selected(case: Case) -> Iterator[Candidate | Doubt]:
    """Classes with a name of which not one device of a usable pool is selected."""
    for device_class in _mapping(case):
        name, metadata = device_class.spec.extended_resource_name or "", device_class.metadata
        devices = case.servers.devices
        found = devices.everywhere(device_class)
        if found is None:
            yield Doubt(f"DeviceClass {metadata.name}: {devices.undecided(device_class)}", resources=(name,))
        elif not found and not devices.failures(device_class):
            published = _published_by_its_drivers(case, device_class)
            yield Candidate(
                cause=metadata.name,
                objects=(ObjectRef.of("DeviceClass", metadata),),
                evidence=_what_is_there(case, device_class, published),
                resources=(name,),
                severity=None if published else Severity.INFO,
                title=f"device class {metadata.name} maps {name} and selects no device",
            )


def _mapping(case: Case) -> Iterator[DeviceClass]:
    for each in case.snapshot.device_classes:
        name = each.spec.extended_resource_name
        if name and case.scope.has_resource(name):
            yield each


def _published_by_its_drivers(case: Case, device_class: DeviceClass) -> tuple[str, ...]:
    """The drivers with slices that the class could mean: all, unless its selectors name one."""
    terms = case.servers.devices.driver_terms(device_class)
    return tuple(sorted({each.spec.driver for each in case.snapshot.resource_slices if terms.may_select(each.spec.driver)}))


def _what_is_there(case: Case, device_class: DeviceClass, drivers: tuple[str, ...]) -> str:
    if not drivers:
        named = listed(sorted(case.servers.devices.driver_terms(device_class).drivers))
        return f"no slice of driver {named} is published" if named != "none" else "no slice is published"
    pools = case.servers.devices.pools
    told = [f"{driver} publishes {count(sum(each.driver == driver for each in pools.devices()), 'device')}" for driver in drivers]
    told += [f"pool {each.pool} of {each.driver} is not used: {each.why}" for each in pools.unusable if each.driver in drivers]
    first = next((each for each in pools.devices() if each.driver in drivers), None)
    return lines([*told, *(_trace(case, device_class, first) if first is not None else ())])


def _trace(case: Case, device_class: DeviceClass, placed: PlacedDevice) -> Iterator[str]:
    """Which selector decides on the device, and by which part."""
    chosen = case.servers.devices.selection(device_class)
    number = chosen.judge(placed.candidate).number
    judge = chosen.judges[number] if number < len(chosen.judges) else None
    if judge is not None and judge.program is not None:
        for reason in judge.program.trace(DeviceVariables(placed.driver, placed.device)):
            yield f"on {placed.candidate}, selector #{number}: {reason}"


@check(
    "DRA107",
    title="a device class with a selector that fails on a published device",
    severity=Severity.ERROR,
    why=(
        "For the scheduler an expression that fails is no mismatch but an error: it ends the attempt to place the pod, on every node."
        " Whether a pod meets the device depends on the order in which devices are tried and on what is in use, so this may show only now"
        " and then. A key that a device lacks is the usual cause: drivers do not set every attribute on every device, and a selector"
        " without a guard is evaluated on the devices of all drivers."
    ),
    fix=(
        "# let a selector before it pick the driver: the first that is false hides those behind it. And ask before reading a key:",
        """#   has(device.attributes["DRIVER"].KEY) && ..., or device.attributes["DRIVER"].?KEY.orValue("")""",
        "# try it on every device",
        "kubectl dra devices --where 'EXPRESSION'",
        "kubectl edit deviceclass CLASS",
    ),
    source=(
        "k8s.io/dynamic-resource-allocation: structured/internal/incubating/allocator_incubating.go (selectorsMatch)",
        "kubernetes: pkg/scheduler/schedule_one.go (findNodesThatPassFilters)",
        "k8s.io/dynamic-resource-allocation: cel/compile.go",
    ),
    needs=("device_classes", "resource_slices"),
    blocks=True,
)
def failing_selectors(case: Case) -> Iterator[Candidate | Doubt]:
    """Classes, with a name or without, of which a selector fails on a device that the scheduler may look at."""
    devices = case.servers.devices
    for device_class in case.snapshot.device_classes:
        name, metadata = device_class.spec.extended_resource_name, device_class.metadata
        if not case.scope.has_resource(name or ""):
            continue
        if undecided := devices.undecided(device_class):
            yield Doubt(f"DeviceClass {metadata.name}: {undecided}", resources=(name,) if name else ())
        failures = devices.failures(device_class)
        if failures:
            chosen = devices.selection(device_class)
            first = next(each for each in devices.pools.devices() if chosen.judge(each.candidate).outcome is Outcome.FAILS)
            yield Candidate(
                cause=metadata.name,
                objects=(ObjectRef.of("DeviceClass", metadata),),
                evidence=lines(
                    [failures[0].partition("\n")[0], *_trace(case, device_class, first), f"it fails on {count(len(failures), 'device')}"]
                ),
                resources=(name,) if name else (),
                title=f"a selector of device class {metadata.name} fails on {count(len(failures), 'device')}",
            )


@check(
    "DRA108",
    title="a device class selects devices of several drivers",
    severity=Severity.WARNING,
    why=(
        "A pod that asks for the class' name gets any of these devices, so perhaps one of another vendor or kind than its workload can"
        " use, and the class' configuration for one driver does nothing on the devices of another. A class without selectors"
        " selects everything that drivers publish."
    ),
    fix=(
        "# select one driver; classes can be changed while pods run",
        "kubectl patch deviceclass CLASS --type=merge -p"
        """ '{"spec":{"selectors":[{"cel":{"expression":"device.driver == \\"DRIVER\\""}}]}}'""",
    ),
    source=("k8s.io/api: resource/v1/types.go (DeviceClassSpec)",),
    needs=("device_classes", "resource_slices"),
)
def several_drivers(case: Case) -> Iterator[Candidate | Doubt]:
    """Classes with a name of which devices of more than one driver are selected."""
    for device_class in _mapping(case):
        name, metadata = device_class.spec.extended_resource_name or "", device_class.metadata
        found = case.servers.devices.everywhere(device_class)
        if found is None:
            yield Doubt(f"DeviceClass {metadata.name}: {case.servers.devices.undecided(device_class)}", resources=(name,))
            continue
        drivers = sorted({each.driver for each in found})
        if len(drivers) > 1:
            numbers = (f"{driver}: {count(sum(each.driver == driver for each in found), 'device')}" for driver in drivers)
            yield Candidate(
                cause=metadata.name,
                objects=(ObjectRef.of("DeviceClass", metadata),),
                evidence=lines(numbers),
                resources=(name,),
                title=f"device class {metadata.name}, which maps {name}, selects devices of {len(drivers)} drivers",
            )
