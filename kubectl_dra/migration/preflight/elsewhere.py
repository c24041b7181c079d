"""Where the pods that leave could run meanwhile."""

from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from kubectl_dra.allocation.node_fit import misfits
from kubectl_dra.audit.words import count, listed
from kubectl_dra.inventory.servers import State, amount
from kubectl_dra.migration.preflight.registry import Verdict, check, fine, warning
from kubectl_dra.migration.subject import Subject
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod


@check("elsewhere", ok="no pod needs another place", needs=("nodes", "pods", "device_classes", "resource_slices", "resource_claims"))
def elsewhere(subject: Subject) -> Iterator[Verdict]:
    """How many of them fit on other nodes as things stand, taken one after the other; affinity between pods and volumes are not judged."""
    places = _Places(subject)
    leaving = [pod for pod in subject.leaving if not _stays_gone(pod)]
    homeless = [pod for pod in leaving if not places.take(pod)]
    if homeless:
        names = listed(f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in homeless)
        fits = len(leaving) - len(homeless)
        yield warning(f"{fits} of {count(len(leaving), 'pod')} would fit on other nodes now; {names} would wait")
    elif leaving:
        yield fine(f"{count(len(leaving), 'pod')} would fit on other nodes now")


def _stays_gone(pod: Pod) -> bool:
    """Nothing makes it again, or only on this node."""
    return pod.metadata.controller is None or pod.metadata.controller.kind == "DaemonSet"


class _Places:
    """Room on the other nodes, less with every pod that took some. What refused a pod refuses every later one of the same spec."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._nodes = [node for node in subject.snapshot.nodes if node.metadata.name != subject.target.name and not node.cordoned]
        self._bound: dict[str, list[Pod]] = {}
        for pod in subject.snapshot.pods:
            if pod.node_name and not pod.finished:
                self._bound.setdefault(pod.node_name, []).append(pod)
        self._given: dict[str, Counter[str]] = {}
        self._refused: dict[bytes, int] = {}

    def take(self, pod: Pod) -> bool:
        """Give the pod room on the first node that has some; False where none has."""
        free = msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, node_name=None))
        asked = self._subject.case.asked(pod.spec)
        make = msgspec.json.encode(free.spec)
        for number in range(self._refused.get(make, 0), len(self._nodes)):
            if self._placed(free, asked, self._nodes[number]):
                self._refused[make] = number
                return True
        self._refused[make] = len(self._nodes)
        return False

    def _placed(self, free: Pod, asked: Mapping[str, int], node: Node) -> bool:
        through_dra = self._through_dra(node, asked)
        if through_dra is None:
            return False
        others = self._bound.setdefault(node.metadata.name, [])
        if misfits(free, node, others, delegated=through_dra):
            return False
        others.append(free)
        self._given.setdefault(node.metadata.name, Counter()).update(through_dra)
        return True

    def _through_dra(self, node: Node, asked: Mapping[str, int]) -> Mapping[str, int] | None:
        """Of what is asked, what the node would serve through DRA; None where it has too little of a name."""
        found: dict[str, int] = {}
        for name, number in asked.items():
            if amount(node.status.allocatable, name):
                continue
            server = self._subject.case.servers.server(node, name)
            if server.state is not State.DRA or server.devices is None:
                return None
            free = self._subject.case.servers.devices.count(server.devices).free
            given = self._given.get(node.metadata.name, Counter())[name]
            if free is None or free - given < number:
                return None
            found[name] = number
        return found
