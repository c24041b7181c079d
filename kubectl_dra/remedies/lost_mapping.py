"""The sequence that leaves a name to one class, gets a lost mapping back and proves it."""

import json
from collections.abc import Iterable

from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.remedies.helm import release_of
from kubectl_dra.remedies.kubectl_line import kubectl, merge_patch

LOST_MAPPING = fault("lost-mapping")

CANARY = "dra-canary"


def leave_to_one(name: str, keep: DeviceClass, others: Iterable[DeviceClass], namespace: str, *, update: bool = True) -> tuple[str, ...]:
    """What is safe in this order: the others give up the name, the class that stays is updated, a pod in `namespace` proves it.

    `update` is false where the server's version does not lose mappings.
    """
    return (
        *(line for other in others for line in give_up_name(other)),
        *(update_survivor(keep.metadata.name) if update else ()),
        *prove(name, namespace),
    )


def give_up_name(device_class: DeviceClass) -> tuple[str, ...]:
    """Take the explicit name off a class. What a Helm release owns must be changed in its values too, or it comes back."""
    release, name = release_of(device_class.metadata), device_class.metadata.name
    # an annotation may hold anything: a line break would end the comment
    owner = " ".join("/".join(filter(None, release)).split()) if release else ""
    return (
        f"# take the name off class {name} (or delete the class)"
        + (f"; the Helm release {owner} owns it, so change its values as well" if owner else ""),
        without_name(name),
    )


def without_name(class_name: str) -> str:
    """The command alone that takes the explicit name off a class."""
    return merge_patch("deviceclass", class_name, {"spec": {"extendedResourceName": None}})


def update_survivor(class_name: str) -> tuple[str, ...]:
    """Any update of the class makes the scheduler, the API server and the controllers map its name again."""
    line = kubectl("annotate", "deviceclass", class_name, "--overwrite")
    return (
        f"# update class {class_name}, and its name maps to it again: before 1.38, removing another with that name loses the mapping",
        f'{line} kubectl-dra/touched="$(date +%s)"',
    )


def prove(name: str, namespace: str) -> tuple[str, ...]:
    """A pod that asks for one device. Its deletion makes the scheduler try all waiting pods again, which changing them does not."""
    container = {"name": CANARY, "image": "busybox", "command": ["sleep", "300"], "resources": {"limits": {name: "1"}}}
    overrides = json.dumps({"spec": {"automountServiceAccountToken": False, "containers": [container]}}, separators=(",", ":"))
    return (
        f"# prove it with a pod that asks for one {name}; deleting it, once scheduled, makes pods that wait be tried again",
        kubectl("-n", namespace, "run", CANARY, "--image=busybox", "--restart=Never", f"--overrides={overrides}"),
        f"# while no device is free it waits like any other: kubectl dra explain pod {CANARY} -n {namespace}",
        kubectl("-n", namespace, "wait", "--for=condition=PodScheduled", f"pod/{CANARY}", "--timeout=60s"),
        kubectl("-n", namespace, "delete", "pod", CANARY),
    )
