"""What pods ask for, worked out once for all pods of one make."""

from collections.abc import Mapping

from kubectl_dra.extended_resources.requests import devices
from kubectl_dra.objects.pod import PodSpec


def make_of(spec: PodSpec) -> tuple[int, int, int]:
    """The same for specs that ask for the same: equal containers of one reading are one object (objects.sharing).

    It holds while the specs live.
    """
    return id(spec.init_containers), id(spec.containers), id(spec.overhead)


class Asked:
    """The devices that specs need, remembered by their make."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._known: dict[tuple[int, int, int], Mapping[str, int]] = {}

    def of(self, spec: PodSpec) -> Mapping[str, int]:
        """Devices by extended or implicit name that a pod of this spec needs; only names with at least one."""
        make = make_of(spec)
        found = self._known.get(make)
        if found is None:
            found = self._known[make] = devices(spec)
        return found
