"""Kinds are listed at different moments: what counts shows in a second reading of the objects too."""

import msgspec

from kubectl_dra.audit import settle
from kubectl_dra.audit.candidate import Candidate, Later, whole
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.audit.registry import page
from kubectl_dra.audit.run import Examination, Sighting, examine, report
from kubectl_dra.audit.scope import Scope
from kubectl_dra.audit.selection import Selection
from kubectl_dra.knowledge.permissions import rules_of
from kubectl_dra.objects.snapshot import KINDS, KindReading, ReadState, Snapshot
from tests.audit.given import GPU, cluster, device_class, names, node, pod, quota, resource_slice

KINDS_TO_FIELDS = {kind: field for field, kind in KINDS.items()}

PLUGIN_GONE = node("a", allocatable={GPU: "0"}, capacity={GPU: "4"})
PLUGIN_BACK = node("a", allocatable={GPU: "4"})
GIVEN = cluster(nodes=[PLUGIN_GONE], pods=[pod("one", {GPU: 1}, on="a"), pod("two", {GPU: 1}, on="a")])


def again(**kinds: list[object]) -> Snapshot:
    """A second Snapshot, of just those objects."""
    return msgspec.structs.replace(Snapshot(), **{field: KindReading(items=tuple(items)) for field, items in kinds.items()})


def settled(first: Snapshot, second: Snapshot) -> list[tuple[bool, list[str]]]:
    case = Case(first, Scope())
    answer = report(case, settle.settle(case, examine(case), second), Selection(select=("DRA209",)))
    return [(finding.settled, names(finding)) for finding in answer.findings]


def test_the_objects_to_read_again_are_those_of_the_findings() -> None:
    assert settle.to_read(examine(Case(GIVEN, Scope()))) == (
        ObjectRef("Node", "", "a"),
        ObjectRef("Pod", "team", "one"),
        ObjectRef("Pod", "team", "two"),
    )


def test_what_shows_twice_is_settled() -> None:
    second = again(nodes=[PLUGIN_GONE], pods=[pod("one", {GPU: 1}, on="a"), pod("two", {GPU: 1}, on="a")])
    assert settled(GIVEN, second) == [(True, ["Node a", "Pod team/one", "Pod team/two"])]


def test_a_pod_that_is_gone_by_then_is_left_out() -> None:
    assert settled(GIVEN, again(nodes=[PLUGIN_GONE], pods=[pod("two", {GPU: 1}, on="a")])) == [(True, ["Node a", "Pod team/two"])]


def test_a_plugin_that_is_back_by_then_is_no_finding() -> None:
    assert settled(GIVEN, again(nodes=[PLUGIN_BACK], pods=[pod("one", {GPU: 1}, on="a"), pod("two", {GPU: 1}, on="a")])) == []


def test_a_second_reading_that_fails_settles_nothing_and_drops_nothing() -> None:
    second = msgspec.structs.replace(again(nodes=[PLUGIN_GONE]), pods=KindReading(state=ReadState.FAILED, reason="503"))
    assert settled(GIVEN, second) == [(False, ["Node a", "Pod team/one", "Pod team/two"])]


def test_what_only_time_can_tell_is_read_again_when_the_time_is_up() -> None:
    later = Candidate(cause="c", objects=(), evidence="", settling=Later((ObjectRef("Node", "", "a"),), seconds=300))
    examination = Examination((Sighting(page("DRA209"), later, settled=False),))
    assert settle.to_read(examination, waited=299) == ()
    assert settle.to_read(examination, waited=300) == (ObjectRef("Node", "", "a"),)


def test_a_whole_kind_is_read_again_where_what_is_missing_may_have_any_name() -> None:
    first = cluster(device_classes=[device_class("a", GPU)], nodes=[node("a")])
    second = again(device_classes=[device_class("b", GPU)], nodes=[])
    seen = settle.overlay(first, second, [whole("DeviceClass")])
    assert [each.metadata.name for each in seen.device_classes] == ["b"]
    assert [each.metadata.name for each in seen.nodes] == ["a"]


def test_what_is_about_other_objects_by_then_was_something_else() -> None:
    first = cluster(resource_slices=[resource_slice("a", 1, slices=2, name="one")])
    second = cluster(resource_slices=[resource_slice("a", 1, slices=2, generation=2, name="two")])
    case = Case(first)
    once = examine(case, ["DRA301"])
    assert [str(each) for each in once.sightings[0].candidate.objects] == ["ResourceSlice one"]
    assert settle.settle(case, once, second, waited=5).sightings == ()
    assert [each.settled for each in settle.settle(case, once, first, waited=5).sightings] == [True]


def test_the_role_for_a_second_look_allows_it() -> None:
    waiting = pod("p", {GPU: 1}, waits=f"0/1 nodes are available: 1 Insufficient {GPU}.")
    given = cluster(nodes=[PLUGIN_GONE], pods=[pod("one", {GPU: 1}, on="a"), waiting], device_classes=[device_class("gpu", GPU)])
    fields = {KINDS_TO_FIELDS[each.kind] for each in settle.to_read(examine(Case(given, Scope())))}
    (rules,) = [rule for rule in rules_of(["audit"]) if rule.api_groups == ("",) and "get" in rule.verbs]
    assert fields == {"nodes", "pods", "device_classes"}
    assert rules.resources == ("nodes", "pods")


def test_one_look_is_enough_for_what_stands_in_one_list() -> None:
    duplicates = cluster(device_classes=[device_class("a", GPU), device_class("b", GPU)], resource_slices=[resource_slice("a", 1)])
    case = Case(duplicates, Scope())
    examination = examine(case)
    assert settle.to_read(examination) == ()
    assert [finding.settled for finding in report(case, examination).findings] == [True]


def test_nothing_in_a_file_is_settled() -> None:
    duplicates = [device_class("a", GPU), device_class("b", GPU)]
    case = Case(cluster(live=False, device_classes=duplicates, resource_slices=[resource_slice("a", 1)]), Scope())
    assert [finding.settled for finding in report(case, examine(case)).findings] == [False]


def test_a_second_reading_that_shows_the_same_settles_everything() -> None:
    waiting = pod("w", {GPU: 1}, waits=f"0/2 nodes are available: 2 Insufficient {GPU}.")
    given = cluster(
        nodes=[PLUGIN_GONE, node("b", kubelet="v1.34.0")],
        pods=[pod("one", {GPU: 1}, on="a"), waiting, pod("big", {GPU: 33})],
        device_classes=[device_class("a", GPU), device_class("b", GPU), device_class("c" * 64)],
        resource_quotas=[quota("q", {GPU: 1})],
    )
    case = Case(given)
    once = examine(case)
    but_what_takes_time = Selection(ignore=("DRA202",))
    answer = report(case, settle.settle(case, once, given), but_what_takes_time)
    assert [each.code for each in answer.findings] == [
        "DRA101",
        "DRA105",
        "DRA209",
        "DRA401",
        "DRA501",
        "DRA102",
        "DRA106",
        "DRA106",
        "DRA203",
        "DRA407",
    ]
    assert all(finding.settled for finding in answer.findings)
    assert [msgspec.structs.replace(each, settled=True) for each in report(case, once, but_what_takes_time).findings] == list(
        answer.findings
    )
