"""The sequence that gets a lost mapping back and proves it. Several checks end in it."""

import json

from kubectl_dra.audit.kubectl_line import kubectl, merge_patch
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.objects.resource import DeviceClass

LOST_MAPPING = fault("lost-mapping")

CANARY = "dra-canary"


def update_survivor(class_name: str) -> tuple[str, ...]:
    """Any update of the class makes the scheduler, the API server and the controllers map its name again."""
    line = kubectl("annotate", "deviceclass", class_name, "--overwrite")
    return (
        f"# update class {class_name}, and its name maps to it again: before 1.38, removing another with that name loses the mapping",
        f'{line} kubectl-dra/touched="$(date +%s)"',
    )


def prove(name: str, namespace: str) -> tuple[str, ...]:
    """A pod that asks for one device. Its deletion makes the scheduler try all waiting pods again, which changing them does not."""
    resources = {"requests": {name: "1"}, "limits": {name: "1"}}
    container = {"name": CANARY, "image": "busybox", "command": ["sleep", "300"], "resources": resources}
    overrides = json.dumps({"spec": {"automountServiceAccountToken": False, "containers": [container]}}, separators=(",", ":"))
    return (
        f"# prove it with a pod that asks for one {name}; deleting it, once scheduled, makes pods that wait be tried again",
        kubectl("-n", namespace, "run", CANARY, "--image=busybox", "--restart=Never", f"--overrides={overrides}"),
        kubectl("-n", namespace, "wait", "--for=condition=PodScheduled", f"pod/{CANARY}", "--timeout=60s"),
        kubectl("-n", namespace, "delete", "pod", CANARY),
    )


def give_up_name(device_class: DeviceClass) -> tuple[str, ...]:
    """Take the explicit name off a class. What a Helm release owns must be changed in its values too, or it comes back."""
    release = (device_class.metadata.annotations or {}).get("meta.helm.sh/release-name")
    name = device_class.metadata.name
    owner = f"; the Helm release {release} owns it, so change its values as well" if release else ""
    return (
        f"# take the name off class {name} (or delete the class){owner}",
        merge_patch("deviceclass", name, {"spec": {"extendedResourceName": None}}),
    )
