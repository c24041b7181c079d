"""Specs are worked out once for each make, and never taken for one another."""

import msgspec

from kubectl_dra.extended_resources.asked import Asked, make_of
from tests.factories import GPU, pod


def test_each_make_is_worked_out_once() -> None:
    one, other = pod("one", 2).spec, pod("other", 3).spec
    again = msgspec.structs.replace(one, node_name="elsewhere")
    asked = Asked()
    assert (asked.of(one), asked.of(other)) == ({GPU: 2}, {GPU: 3})
    assert make_of(again) == make_of(one)
    assert asked.of(again) is asked.of(one)


def test_the_overhead_is_part_of_the_make() -> None:
    plain = pod("one", 2).spec
    more = msgspec.structs.replace(plain, overhead={GPU: 1})
    asked = Asked()
    assert (asked.of(plain), asked.of(more)) == ({GPU: 2}, {GPU: 3})
