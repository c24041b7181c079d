"""Where the pods that leave could run meanwhile."""

from msgspec.structs import replace

from tests.factories import claim, forbidden, node, pod, resource_slice
from tests.migration.given import MOVED, checks, cluster, gpu_node, web


def test_room_on_another_plugin_node() -> None:
    assert checks(cluster(web(), web("web-2")), "elsewhere") == [("ok", "2 pods would fit on other nodes now")]


def test_nobody_leaves() -> None:
    assert checks(cluster(), "elsewhere") == [("ok", "no pod needs another place")]


def test_one_after_the_other_takes_the_room() -> None:
    small = gpu_node("b", 1)
    assert checks(cluster(web(), web("web-2"), b=small), "elsewhere") == [
        ("warning", "1 of 2 pods would fit on other nodes now; default/web-2 would wait")
    ]


def test_what_others_have_is_no_room() -> None:
    assert checks(cluster(web(), pod("other", 4, node="b")), "elsewhere")[0][0] == "warning"


def test_core_resources_count_too() -> None:
    hungry = web(resources={"cpu": "7"})
    busy = pod("busy", node="b", resources={"cpu": "4"})
    assert checks(cluster(hungry, busy), "elsewhere")[0][0] == "warning"
    assert checks(cluster(hungry), "elsewhere")[0][0] == "ok"


def test_room_on_a_moved_node() -> None:
    moved = gpu_node("b", None, labels=MOVED)
    taken = claim("c", ("b", "gpu-0"), pod="other")
    of = cluster(web(), web("web-2"), resource_slice("b", 2), taken, b=moved)
    assert checks(of, "elsewhere") == [("warning", "1 of 2 pods would fit on other nodes now; default/web-2 would wait")]


def test_cordoned_nodes_and_wrong_ones_are_no_place() -> None:
    assert checks(cluster(web(), b=gpu_node("b", cordoned=True)), "elsewhere")[0][0] == "warning"
    picky = replace(web(), spec=replace(web().spec, node_selector={"zone": "z"}))
    assert checks(cluster(picky), "elsewhere")[0][0] == "warning"
    assert checks(cluster(web(), b=node("b")), "elsewhere")[0][0] == "warning"


def test_pods_that_nothing_makes_again_need_no_place() -> None:
    assert checks(cluster(pod("notebook", 4, node="a")), "elsewhere")[0][0] == "ok"


def test_what_cannot_be_read() -> None:
    assert checks(cluster(web(), resource_claims=forbidden("resourceclaims")), "elsewhere")[0][0] == "warning?"
