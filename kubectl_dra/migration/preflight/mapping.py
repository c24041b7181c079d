"""Names and their classes: whether DRA would serve here what the plugin serves now."""

from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate
from kubectl_dra.audit.checks.lost_mappings import lost_mappings
from kubectl_dra.audit.missing import gaps, in_words
from kubectl_dra.audit.words import count, listed
from kubectl_dra.extended_resources.requests import MAX_DEVICES
from kubectl_dra.inventory.owners import BUILT_IN
from kubectl_dra.inventory.servers import failing
from kubectl_dra.knowledge import vendors
from kubectl_dra.migration.document import MovedResource
from kubectl_dra.migration.preflight.registry import MOVE, Verdict, blocker, check, fine, unknown, warning
from kubectl_dra.migration.subject import Subject, asked_by_users
from kubectl_dra.objects.resource import DeviceClass

_MAKERS = (*BUILT_IN, "custom_workloads")


@check(
    "mapped",
    ok="a class maps every name that the plugin serves here",
    needs=("device_classes",),
    blocks=True,
    directions=MOVE,
)
def mapped(subject: Subject) -> Iterator[Verdict]:
    """Unplugging kills every name that the plugin serves, also those that nobody thought of."""
    users = asked_by_users(subject, subject.target.names)
    for each in subject.target.resources:
        asking = users.get(each.name, ())
        if each.dropped and each.name in subject.options.dropped:
            if asking:
                yield warning(f"{each.name} will be served no more on this node, and {listed(asking)} asks for it (--drop-resource)")
        elif each.dropped and asking:
            yield blocker(
                f"the plugin serves {each.name} too, which --resource leaves out, and {listed(asking)} asks for it:"
                f" --drop-resource={each.name} gives it up"
            )
        elif each.dropped or not each.device_class:
            yield _unmapped(subject, each, asking)
        elif (known := vendors.resource(each.name)) is not None and known.blocked:
            yield blocker(f"{each.name} cannot move, whatever class there is: {known.blocked}; --drop-resource={each.name} gives it up")


def _unmapped(subject: Subject, each: MovedResource, asking: tuple[str, ...]) -> Verdict:
    """A name that DRA will not serve here."""
    why = f"--resource leaves {each.name} out" if each.dropped else f"no class maps {each.name}"
    missing = gaps(subject.snapshot, ("pods", *_MAKERS))
    if asking:
        return blocker(
            f"{why}, and {listed(asking)} asks for it: without the plugin nobody serves it here; make a class with"
            f" extendedResourceName {each.name}, or give the name up with --drop-resource={each.name}"
        )
    if missing:
        return unknown(f"{why}, and who asks for it is not known: {in_words(missing, 'migrate-node')}", blocks=True)
    return warning(f"{why}; nobody asks for it: after the move it is served no more here")


@check("one-class", ok="each name has one class", needs=("device_classes",), blocks=True, directions=MOVE)
def one_class(subject: Subject) -> Iterator[Verdict]:
    """Before 1.38 any change to one of two classes loses the name."""
    for each in subject.target.moving:
        rivals = [standing.device_class.metadata.name for standing in subject.case.resolution.contenders(each.name)]
        if len(rivals) > 1:
            yield blocker(f"{listed(rivals)} have {each.name} ({each.device_class or 'any of them'} is taken): leave the name to one")
        wanted = subject.options.device_class
        found = next((one for one in subject.snapshot.device_classes if one.metadata.name == wanted), None)
        if wanted and found is None:
            yield blocker(f"there is no class {wanted} (--device-class)")
        elif found is not None and found.spec.extended_resource_name != each.name:
            yield blocker(f"class {wanted} (--device-class) maps {found.spec.extended_resource_name or 'no name'}, not {each.name}")


@check("mapping-kept", ok="no pod tells that the scheduler has lost a mapping", needs=("pods", "nodes", "device_classes"), directions=MOVE)
def mapping_kept(subject: Subject) -> Iterator[Verdict]:
    """What audit's DRA105 sees."""
    for found in lost_mappings(subject.case):
        about = subject.target.names.intersection(found.resources)
        if not about:
            continue
        if isinstance(found, Candidate):
            yield blocker(
                f"the scheduler has probably lost the class of {listed(sorted(about))}: {found.fix[-1] if found.fix else found.evidence}"
            )
        else:
            yield unknown(found.reason)


@check("class-selects", ok="the classes select devices", needs=("device_classes", "resource_slices"), directions=MOVE)
def class_selects(subject: Subject) -> Iterator[Verdict]:
    """A class that selects nothing anywhere, and nobody knows who would publish such devices."""
    for each in subject.target.moving:
        found = subject.case.snapshot.device_classes if each.device_class else ()
        device_class = next((one for one in found if one.metadata.name == each.device_class), None)
        if device_class is not None:
            yield from _selects(subject, each, device_class)


def _selects(subject: Subject, each: MovedResource, device_class: DeviceClass) -> Iterator[Verdict]:
    devices = subject.case.servers.devices
    selected = devices.everywhere(device_class)
    failures = devices.failures(device_class)
    name = device_class.metadata.name
    if failures:
        yield blocker(f"class {name}: {failing(failures)}")
    elif selected is None:
        yield unknown(f"which devices class {name} selects cannot be told here: {subject.case.servers.why_unknown(device_class)}")
    elif selected:
        yield fine(f"class {name} selects {count(len(selected), 'device')} in the cluster")
    elif any(placed.driver in subject.target.drivers for placed in devices.pools.devices()):
        yield blocker(f"class {name} selects none of the devices that {listed(subject.target.drivers)} publishes elsewhere")
    elif each.driver and (each.driver in subject.target.profile.drivers or _known(each)):
        yield fine(f"class {name} selects nothing yet; {each.driver} is not there yet either")
    else:
        yield blocker(f"class {name} selects nothing anywhere, and no known driver publishes devices for it (--driver)")


def _known(each: MovedResource) -> bool:
    known = vendors.resource(each.name)
    return known is not None and known.driver == each.driver


@check(
    "pod-size",
    ok="no pod needs more devices than a claim can hold",
    needs=("pods", *_MAKERS),
    directions=MOVE,
)
def pod_size(subject: Subject) -> Iterator[Verdict]:
    """A claim holds 32 devices; a pod that needs more can never move."""
    names = {each.name for each in subject.target.moving}
    for user in subject.case.users:
        asked = subject.case.asked(user.spec)
        mapped = sum(number for name, number in asked.items() if name in names or subject.case.class_of(name))
        if mapped > MAX_DEVICES and names.intersection(asked):
            yield blocker(f"{user.ref} needs {mapped} devices a pod: a claim holds {MAX_DEVICES}, such pods cannot be served by DRA")
