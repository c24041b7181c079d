"""A class maps each name, and is the one that the scheduler takes."""

from kubectl_dra.extended_resources.classes import State, resolve
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.steps.work import Work


class DeviceClassStep(Work):
    """Only looks; whether the scheduler has lost the mapping (1.37.0 to 1.37.2) is seen by the canary."""

    def wait(self, move: Move) -> str:
        """Until the class is there and wins."""
        move.until(lambda: _lacking(move), hint="kubectl dra classes shows who has which name")
        return ", ".join(f"{each.name} is mapped by class {each.device_class}" for each in move.target.moving)


def _lacking(move: Move) -> str:
    resolution = resolve(move.reach.classes(), move.snapshot.cluster.emulated)
    for each in move.target.moving:
        standing = next((one for one in resolution.standings if one.device_class.metadata.name == each.device_class), None)
        if standing is None:
            return f"there is no class {each.device_class}" if each.device_class else f"no class maps {each.name}"
        if standing.name != each.name:
            return f"class {each.device_class} maps {standing.name or 'no name'}, not {each.name}"
        if standing.state not in (State.ONLY, State.WINS):
            return f"class {each.device_class} does not win {each.name}" + (f": {standing.winner} does" if standing.winner else "")
    return ""
