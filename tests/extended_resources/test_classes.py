"""Which class a name means: newest, then lowest name (E2)."""

import pytest

from kubectl_dra.extended_resources.classes import State, resolve, span
from kubectl_dra.objects.snapshot import Version
from tests.factories import GPU, device_class

T0, T41 = "2026-01-01T00:00:00Z", "2026-01-01T00:00:41Z"


def standings(*classes: tuple[str, str | None, str | None], version: Version | None = None) -> list[tuple[str, str, str | None, str]]:
    found = resolve([device_class(name, maps, created=created) for name, maps, created in classes], version).standings
    return [(each.device_class.metadata.name, each.state.value, each.winner, str(each.why or "")) for each in found]


def test_the_newest_wins() -> None:
    assert standings(("old", GPU, T0), ("new", GPU, T41)) == [
        ("new", "wins", "new", "created 41 s later"),
        ("old", "loses", "new", "created 41 s earlier"),
    ]


def test_in_the_same_second_the_lower_name_wins() -> None:
    assert standings(("b-gpu", GPU, T0), ("a-gpu", GPU, T0)) == [
        ("a-gpu", "wins", "a-gpu", "same second, name sorts first"),
        ("b-gpu", "loses", "a-gpu", "same second, name sorts later"),
    ]


def test_a_winner_is_told_from_the_runner_up_and_a_loser_from_the_winner() -> None:
    assert standings(("a", GPU, T0), ("b", GPU, T41), ("c", GPU, T41)) == [
        ("a", "loses", "b", "created 41 s earlier"),
        ("b", "wins", "b", "same second, name sorts first"),
        ("c", "loses", "b", "same second, name sorts later"),
    ]


def test_alone_and_without_a_name() -> None:
    assert standings(("a", GPU, T0), ("b", None, T0)) == [("a", "only", "a", ""), ("b", "none", None, "")]


def test_1_34_takes_any_of_them() -> None:
    assert standings(("a", GPU, T0), ("b", GPU, T41), version=Version(1, 34, 4)) == [
        ("a", "undefined", None, "Kubernetes 1.34 takes any of them"),
        ("b", "undefined", None, "Kubernetes 1.34 takes any of them"),
    ]


def test_a_class_that_was_never_created_cannot_be_compared() -> None:
    assert [row[1] for row in standings(("a", GPU, None), ("b", GPU, T41))] == ["undefined", "undefined"]


def test_names_resolve_to_classes() -> None:
    found = resolve([device_class("old", GPU, created=T0), device_class("new", GPU, created=T41), device_class("other")])
    implicit = "deviceclass.resource.kubernetes.io/old"
    assert found.class_names([GPU, implicit, "example.com/fpga"]) == {GPU: "new", implicit: "old"}
    assert found.contested == (GPU,)
    assert [each.state for each in found.contenders(GPU)] == [State.WINS, State.LOSES]


@pytest.mark.parametrize(
    ("seconds", "text"), [(41, "41 s"), (119, "119 s"), (200, "3 min 20 s"), (7200, "2 h"), (3601, "1 h"), (356400, "4 d 3 h")]
)
def test_spans(seconds: int, text: str) -> None:
    assert span(seconds) == text
