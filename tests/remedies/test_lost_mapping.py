"""One sequence mends a name that two classes map, whichever command prints it."""

import json
import shlex

from kubectl_dra.inventory.classes import class_list
from kubectl_dra.remedies.lost_mapping import give_up_name, leave_to_one
from tests.audit.given import cluster, only
from tests.factories import GPU, device_class, pod

OLD, NEW = device_class("old", GPU, release="driver"), device_class("new", GPU, created="2026-01-01T00:00:41Z")


def test_the_others_give_up_the_name_before_the_one_that_stays_is_updated_and_proven() -> None:
    commands = [shlex.split(line) for line in leave_to_one(GPU, NEW, (OLD,), "team") if not line.startswith("#")]
    assert [command[1] if command[1] != "-n" else command[3] for command in commands] == ["patch", "annotate", "run", "wait", "delete"]
    assert commands[0] == ["kubectl", "patch", "deviceclass", "old", "--type=merge", "-p", '{"spec":{"extendedResourceName":null}}']
    assert commands[1][:4] == ["kubectl", "annotate", "deviceclass", "new"]
    assert all(command[1:3] == ["-n", "team"] for command in commands[2:])


def test_the_canary_asks_for_one_device() -> None:
    (line,) = (line for line in leave_to_one(GPU, NEW, (OLD,), "team") if " run " in line)
    overrides = json.loads(shlex.split(line)[-1].removeprefix("--overrides="))
    assert [each["resources"] for each in overrides["spec"]["containers"]] == [{"limits": {GPU: "1"}}]


def test_where_no_mapping_is_lost_nothing_needs_an_update() -> None:
    assert not any("annotate" in line for line in leave_to_one(GPU, NEW, (OLD,), "team", update=False))


def test_audit_and_classes_print_the_same() -> None:
    taken = cluster(device_classes=[OLD, NEW], pods=[pod("p", 1, namespace="team")])
    assert only(taken, "DRA101").fix == class_list(taken).warnings[0].steps


def test_a_line_break_in_a_release_does_not_end_the_comment_it_stands_in() -> None:
    comment, _ = give_up_name(device_class("c", GPU, release="x\nrm -rf y"))
    assert (
        comment
        == "# take the name off class c (or delete the class); the Helm release drivers/x rm -rf y owns it, so change its values as well"
    )
