"""Equal values become one object."""

from kubectl_dra.objects.meta import OwnerReference
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.tolerations import Toleration


def text(*parts: str) -> str:
    """A text that is not interned."""
    return "".join(parts)


def test_equal_texts_are_one() -> None:
    share = Sharing()
    one, other = text("node", "-a"), text("node", "-a")
    assert one is not other
    assert share.text(one) is share.text(other)
    assert share.text(None) is None


def test_equal_maps_are_one_and_null_is_not_empty() -> None:
    share = Sharing()
    one = share.mapping({text("a", "pp"): text("tr", "ain")})
    assert one == {"app": "train"}
    assert one is share.mapping({"app": "train"})
    assert one is not share.mapping({"app": "train", "x": "y"})
    assert share.mapping(None) is None
    assert share.mapping({}) == {}


def test_equal_structs_are_one_and_types_are_told_apart() -> None:
    share = Sharing()
    assert share.leaf(OwnerReference("Job", "a")) is share.leaf(OwnerReference("Job", "a"))
    assert share.leaf(Toleration("Job", "a")) == Toleration("Job", "a")
    assert type(share.leaf(OwnerReference("Job", "a"))) is OwnerReference


def test_equal_sequences_are_one_and_their_items_are() -> None:
    share = Sharing()
    one = share.sequence((Toleration("a"), Toleration("b")))
    assert one == (Toleration("a"), Toleration("b"))
    assert one is share.sequence((Toleration("a"), Toleration("b")))
    assert one is not share.sequence((Toleration("b"), Toleration("a")))
    assert share.sequence(None) is None
    assert share.sequence(()) == ()


def test_a_value_is_found_under_its_key() -> None:
    share = Sharing()
    assert share.known(("container", 1)) is None
    kept = share.keep(("container", 1), Toleration("a"))
    assert share.known(("container", 1)) is kept
