"""What a scheduler of 1.37 remembers of names, event by event. The live test of the same name plays histories to a real one."""

from collections.abc import Iterable

from kubectl_dra.extended_resources.cache import ClassEvent, RememberedClasses
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


def test_a_scheduler_that_starts_lists_the_classes_by_name() -> None:
    remembered = RememberedClasses.at_start([b(created=OLD), a(created=NEW)])
    assert (remembered.device_class(X), remembered.device_class(implicit("b"))) == (a(created=NEW), None)
