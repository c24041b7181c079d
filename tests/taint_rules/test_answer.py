"""The cluster's own answer: its words, and why it may differ from ours."""

import pytest
from msgspec.structs import replace

from kubectl_dra.audit.checks.taint_rules import PREVIEW_LABEL as AUDITED
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintSelector
from kubectl_dra.taint_rules.answer import differences, read_message
from kubectl_dra.taint_rules.document import Counts, EvictedPod, TaintPreview, Workload
from kubectl_dra.taint_rules.probe import asking
from kubectl_dra.taint_rules.rule import PREVIEW_LABEL, rule

END = " if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update."


@pytest.mark.parametrize(
    ("message", "counts"),
    [
        ("3 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace", Counts(3, 1, 1, 1)),
        (
            "0 published devices selected. 0 allocated devices selected. 0 pods would be evicted in 0 different namespaces",
            Counts(0, 0, 0, 0),
        ),
        (
            "1 published device selected. 16 allocated devices selected. 12 pods would be evicted in 3 different namespaces",
            Counts(1, 16, 12, 3),
        ),
    ],
)
def test_numbers(message: str, counts: Counts) -> None:
    assert read_message(message + END).counts == counts
    assert read_message(f"{message}{END} 2 pods evicted since starting the controller.").counts == counts


def test_other_words_are_no_error() -> None:
    found = read_message("One would go.")
    assert found.counts is None
    assert found.reason == "the cluster's answer has a form that is not known here: One would go."


def pod(*, extended: bool) -> EvictedPod:
    return EvictedPod("n", "p", "u", "a", Workload("Pod", "p"), 0, (), (), 0, extended_resource=extended)


BASE = TaintPreview(rule=None, rules=(), client=Counts(3, 2, 2, 1), pods=(pod(extended=True), pod(extended=False)))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (replace(BASE, probe=BASE.client), None, ()),
        (BASE, None, ()),
        (replace(BASE, probe=Counts(3, 3, 3, 1)), replace(BASE, client=Counts(3, 3, 3, 1)), ("the cluster has changed between",)),
        (replace(BASE, probe=Counts(3, 2, 1, 1)), BASE, ("1 of the pods have extended resources",)),
        (replace(BASE, probe=Counts(3, 2, 2, 2)), BASE, ("the numbers differ, and nothing that is known here explains it",)),
        (replace(BASE, client=Counts(3, None, None, None), probe=Counts(3, 2, 2, 2)), BASE, ("the numbers differ, because not all",)),
    ],
)
def test_differences(before: TaintPreview, after: TaintPreview | None, words: tuple[str, ...]) -> None:
    found = tuple(differences(before, after))
    assert len(found) == len(words)
    assert all(text.startswith(word) for text, word in zip(found, words, strict=True))


def test_the_rule_of_the_question() -> None:
    asked = rule(DeviceTaint("k", "v", "NoExecute", "2026-01-01T00:00:00Z"), DeviceTaintSelector("d"), "own")
    found = asking(asked)
    assert found.metadata.name.startswith("kubectl-dra-preview-")
    assert found.metadata.name != asking(asked).metadata.name
    assert found.metadata.labels == {PREVIEW_LABEL: "true"}
    assert (found.spec.taint, found.spec.device_selector) == (DeviceTaint("k", "v", "None"), DeviceTaintSelector("d"))


def test_the_audit_knows_what_previews_leave() -> None:
    assert AUDITED == PREVIEW_LABEL
