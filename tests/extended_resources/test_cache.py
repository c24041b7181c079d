"""What a scheduler of 1.37 remembers of names, event by event. The live test of the same name plays histories to a real one."""

from collections.abc import Iterable
from itertools import permutations

from kubectl_dra.extended_resources.cache import ClassEvent, RememberedClasses, at_start
from kubectl_dra.objects.resource import DeviceClass
from tests.factories import device_class

X, Y = "example.com/x", "example.com/y"
OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-01T00:01:40Z"


def a(maps: str | None = X, created: str = OLD) -> DeviceClass:
    return device_class("a", maps, created=created)


def b(maps: str | None = X, created: str = NEW) -> DeviceClass:
    return device_class("b", maps, created=created)


def added(*classes: DeviceClass) -> list[ClassEvent]:
    return [ClassEvent(after=each) for each in classes]


def meaning(events: Iterable[ClassEvent], *names: str) -> tuple[str | None, ...]:
    remembered = RememberedClasses(events)
    found = (remembered.device_class(name) for name in names)
    return tuple(None if each is None else each.metadata.name for each in found)


def implicit(name: str) -> str:
    return f"deviceclass.resource.kubernetes.io/{name}"


def test_the_newer_class_takes_the_name() -> None:
    assert meaning(added(a(), b()), X, implicit("a"), implicit("b")) == ("b", "a", "b")


def test_of_the_same_second_the_lower_name_has_it_and_the_other_lacks_its_implicit_name() -> None:
    assert meaning(added(a(created=NEW), b()), X, implicit("a"), implicit("b")) == ("a", "a", None)
    assert meaning(added(b(), a(created=NEW)), X, implicit("a"), implicit("b")) == ("a", "a", "b")


def test_the_loser_that_comes_later_lacks_its_implicit_name() -> None:
    assert meaning(added(b(), a()), X, implicit("a")) == ("b", None)


def test_the_loser_that_gives_up_the_name_takes_the_winner_s_entry_along_until_that_is_updated() -> None:
    """E1: the way to swap classes that the enhancement proposal recommends."""
    cleared = [*added(a(), b()), ClassEvent(a(), a(None))]
    assert meaning(cleared, X) == (None,)
    assert meaning([*cleared, ClassEvent(b(), b())], X) == ("b",)


def test_either_class_deleted_leaves_the_name_without_one() -> None:
    assert meaning([*added(a(), b()), ClassEvent(before=a())], X) == (None,)
    assert meaning([*added(a(), b()), ClassEvent(before=b())], X) == (None,)


def test_a_winner_renamed_leaves_its_former_name_without_a_class() -> None:
    assert meaning([*added(a(), b()), ClassEvent(b(), b(Y))], X, Y) == (None, "b")


def test_a_rename_onto_the_name_of_a_newer_class_leaves_the_former_name_mapped() -> None:
    assert meaning([*added(a(), b(Y)), ClassEvent(a(), a(Y))], X, Y) == ("a", "b")


def test_an_update_of_the_only_class_keeps_the_object_as_it_was() -> None:
    changed = device_class("a", X, created=OLD, driver="other.example.com")
    remembered = RememberedClasses([*added(a()), ClassEvent(a(), changed)])
    assert remembered.device_class(X) == a()


def test_a_scheduler_that_starts_knows_winners_and_a_loser_s_implicit_name_by_chance() -> None:
    c = device_class("c", None)
    found = at_start([b(created=OLD), a(created=NEW), c])
    assert found.certain == {X: a(created=NEW), implicit("a"): a(created=NEW), implicit("c"): c}
    assert found.by_chance == {implicit("b")}


def test_what_a_scheduler_knows_that_starts_is_what_every_order_of_the_list_gives() -> None:
    classes = [a(created=NEW), b(), device_class("c", X, created=OLD), device_class("d", Y), device_class("e", None)]
    names = [X, Y, *(implicit(letter) for letter in "abcde")]
    seen: dict[str, set[str | None]] = {name: set() for name in names}
    for order in permutations(classes):
        for name, found in zip(names, meaning(added(*order), *names), strict=True):
            seen[name].add(found)
    known = at_start(classes)
    assert {name: {found.metadata.name} for name, found in known.certain.items()} == {
        name: found for name, found in seen.items() if len(found) == 1
    }
    assert known.by_chance == {name for name, found in seen.items() if len(found) > 1}
