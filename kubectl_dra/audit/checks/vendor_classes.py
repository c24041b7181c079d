"""Vendors' device classes and the names that pods ask for."""

import re
from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef, Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import lines, listed
from kubectl_dra.knowledge import vendors
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.remedies.kubectl_line import apply, kubectl, merge_patch


@check(
    "DRA103",
    title="a vendor's device class does not map the name that pods ask for",
    severity=Severity.WARNING,
    why=(
        "Pods ask for a name that this vendor's DRA driver can serve, the driver's class is there, but no class maps the name: once the"
        " device plugin is gone these pods wait for ever. NVIDIA's operator makes gpu.nvidia.com without a name where NVIDIA's chart sets"
        " one; Intel's charts map other names than Intel's device plugins serve."
    ),
    fix=(
        "# let the class map the name; first make sure that no pod asks for more than 32 (DRA401)",
        """kubectl patch deviceclass gpu.nvidia.com --type=merge -p '{"spec":{"extendedResourceName":"nvidia.com/gpu"}}'""",
    ),
    source=(
        "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/dra-intro-install.html",
        "https://github.com/intel/intel-resource-drivers-for-kubernetes",
        "kubernetes-sigs/dra-driver-nvidia-gpu#939",
    ),
    needs=("device_classes", "pods"),
    blocks=True,
)
def unmapped_vendor_names(case: Case) -> Iterator[Candidate | Doubt]:
    """Known vendors' names that pods or workloads ask for and no class maps, where the vendor's class exists."""
    for name, users in case.users_by_name.items():
        if case.class_of(name) or not case.scope.has_resource(name):
            continue
        classes = case.vendor_classes(name)
        if classes and not case.snapshot.device_classes.known:
            yield Doubt(f"not all classes were read, so one of the others may map {name}", resources=(name,))
        elif classes:
            yield _unmapped(case, name, classes, users)


def _unmapped(case: Case, name: str, classes: tuple[DeviceClass, ...], users: tuple[ObjectRef, ...]) -> Candidate:
    empty = next((each for each in classes if not each.spec.extended_resource_name), None)
    target = empty or classes[0]
    other = target.spec.extended_resource_name
    return Candidate(
        cause=name,
        objects=(*(ObjectRef.of("DeviceClass", each.metadata) for each in classes), *users),
        evidence=lines(
            [
                *(
                    f"DeviceClass {each.metadata.name} maps {each.spec.extended_resource_name or 'nothing'}{_drops_names(case)}"
                    for each in classes
                ),
                f"{name} is asked for by {listed(users)}",
            ]
        ),
        resources=(name,),
        title=f"device class {target.metadata.name} maps {other or 'nothing'}, while pods ask for {name}",
        fix=(
            *_first_keep_names(case),
            f"# before: no pod may ask for more than 32 (DRA401), and no class but this one may map {name} (DRA101)",
            *_map(target, name, keep=bool(other and case.users_by_name.get(other))),
        ),
    )


def _map(device_class: DeviceClass, name: str, *, keep: bool) -> tuple[str, ...]:
    """Let the class map `name`; when its present name is in use (`keep`), a second class with the same selectors does."""
    known = vendors.resource(name)
    if known is not None and "*" in known.name:
        told = known.note or "a class that selects just these devices has to map the name"
        return (f"# {told}", kubectl("get", "deviceclass", device_class.metadata.name, "-o", "yaml"))
    if not keep:
        return (merge_patch("deviceclass", device_class.metadata.name, {"spec": {"extendedResourceName": name}}),)
    selectors = [{"cel": {"expression": each.cel.expression}} for each in device_class.spec.selectors or () if each.cel]
    second = re.sub(r"[^a-z0-9.-]", "-", name.lower())
    manifest = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": second},
        "spec": {"selectors": selectors, "extendedResourceName": name},
    }
    return ("# the class' own name is in use: a second class maps this one to the same devices", apply(manifest))


def _first_keep_names(case: Case) -> tuple[str, ...]:
    """What has to come before: on a server that drops the field a patch says "patched" and changes nothing."""
    if case.extended_resources_on or case.snapshot.cluster.emulated is None:
        return ()
    gate = "its gate DRAExtendedResource (the API server's, the scheduler's, the controller manager's and the kubelets')"
    return (
        f"# first upgrade the control plane and the kubelets to 1.36 or later, or turn on {gate}: until then the patch below is dropped",
    )


def _drops_names(case: Case) -> str:
    """What a server does with the field that would map the name, where that is not to keep it. It says nothing of it itself."""
    emulated = case.snapshot.cluster.emulated
    on = case.extended_resources_on
    match on:
        case None if emulated is not None:
            return f" (a server at {emulated.major}.{emulated.minor} drops the field unless its gate DRAExtendedResource is on)"
        case False:
            return " (this server drops the field: its gate DRAExtendedResource is off or not there)"
        case _:
            return ""
