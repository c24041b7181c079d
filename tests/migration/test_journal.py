"""The journal's form: it is not trusted."""

import pytest

from kubectl_dra.migration.journal import LARGEST, Journal, decode, encode, of_node
from kubectl_dra.migration.names import StepName, StepState
from tests.migration.given import gpu_node, journal, with_journal


def test_what_was_written_is_read() -> None:
    of = journal(StepName.CORDON, begun=StepName.DRAIN, changed=("cordon", "fence"))
    assert decode(encode(of)) == of
    assert of_node(with_journal(gpu_node(), of)) == of


def test_the_same_journal_is_the_same_text() -> None:
    """A write tests for the old text."""
    one, two = (Journal(id="j", node_uid="u", profile="p", resources=("b", "a")) for _ in range(2))
    assert encode(one) == encode(two)


def test_a_node_without_one() -> None:
    assert of_node(gpu_node()) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ('{"id": "j"}', "Object missing required field `nodeUid`"),
        ('{"id":"j","nodeUid":"u","profile":"p","version":2}', "it is of version 2, this tool reads version 1"),
        ('{"id":"j","nodeUid":"u","profile":"p","steps":[{"step":"rm -rf /","state":"done","at":""}]}', "Invalid enum value 'rm -rf /'"),
        ("x" * (LARGEST + 1), f"it is longer than {LARGEST} bytes"),
    ],
)
def test_what_is_no_journal(text: str, why: str) -> None:
    found = decode(text)
    assert isinstance(found, str)
    assert found.startswith(why)


def test_how_far_it_got() -> None:
    of = journal(StepName.CORDON, begun=StepName.DRAIN)
    assert (of.state(StepName.CORDON), of.state(StepName.DRAIN), of.state(StepName.PLUG)) == (
        StepState.DONE,
        StepState.RUNNING,
        StepState.PENDING,
    )
    assert of.last is not None
    assert of.last.step is StepName.DRAIN
    assert journal().last is None
