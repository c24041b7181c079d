"""A move that turns round after any step, and a way back that is stopped after any step and finished."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.bed.api import Manifest
from tests.live.moves.conftest import Ground, told
from tests.live.moves.test_killed import deployment

LANES = 4
AFTER_MOVE = ("cordon", "drain", "unplug", "zero", "forget", "settle", "plug", "slices", "canary", "uncordon")
AFTER_BACK = ("cordon", "drain", "claims", "remove", "gone", "replug", "capacity", "canary", "uncordon")


def test_back_from_any_point(grounds: Callable[..., Ground], apply: Callable[..., list[Manifest]]) -> None:
    ground = grounds(LANES)
    apply([deployment(node.name) for node in ground.nodes])
    cases = [*(((), step) for step in AFTER_MOVE), *((("--rollback",), step) for step in AFTER_BACK)]

    def lane_of(index: int) -> None:
        name = ground.nodes[index].name
        ground.running(1, app=name)
        for way, step in cases[index::LANES]:
            _turned(ground, name, way, step)

    with ThreadPoolExecutor(LANES) as threads:
        list(threads.map(lane_of, range(LANES)))
    assert min(ground.held.seen.values()) > 0


def _turned(ground: Ground, name: str, way: tuple[str, ...], step: str) -> None:
    """Part of a way and then back to the plugin, where the node is before and after. A way back is finished, and no move begins before."""
    if way:
        ground.move(node=name)
    try:
        result = ground.run(*way, "--until", step, node=name)
        assert result.code == 0, told(result)
        if way:
            refused = ground.run(node=name)
            assert (refused.code, "the node is on its way back: finish that first (--rollback)" in refused.stdout) == (1, True)
        ground.back(node=name)
        ground.assert_clean(name)
        (pod,) = ground.running(1, app=name)
        assert "extendedResourceClaimStatus" not in pod["status"]
        again = ground.run("--rollback", node=name)  # nothing is left to be done
        assert again.code == 0, told(again)
        assert [each["metadata"]["uid"] for each in ground.running(1, app=name)] == [pod["metadata"]["uid"]]
    except AssertionError as error:
        raise AssertionError(f"{way} until {step}: {error}") from error
