"""Every check has a whole page, and its code is for ever."""

import re

import pytest

from kubectl_dra.audit.registry import Check, checks, kinds, page
from kubectl_dra.errors import UsageError
from kubectl_dra.knowledge.permissions import kinds_of
from kubectl_dra.objects.snapshot import KINDS

CHECKS = list(checks().values())


def test_the_codes() -> None:
    classes = ["DRA101", "DRA102", "DRA103", "DRA105", "DRA106", "DRA107", "DRA108"]
    assert list(checks()) == ["DRA001", *classes, "DRA203", "DRA209", "DRA401", "DRA501"]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.page.code))
def test_every_page_is_whole(check: Check) -> None:
    told = check.page
    assert re.fullmatch(r"DRA\d{3}", told.code)
    assert told.title and told.title[0].islower() and not told.title.endswith(".")
    assert told.why.endswith(".") and len(told.why) > 80
    assert told.fix and all(step.startswith(("#", "kubectl ")) for step in told.fix)
    assert told.source
    assert all(re.match(r"https://|kubernetes: |k8s\.io/|[\w.-]+/[\w.-]+#\d+$", source) for source in told.source)
    assert set(told.needs) | set(told.also) <= {*KINDS, "custom_workloads"}
    assert check.judge.__doc__


def test_what_the_checks_look_at_is_what_the_command_reads_and_no_more() -> None:
    assert {*kinds(), "feature_gates"} == set(kinds_of("audit"))


def test_a_code_is_found_in_any_case() -> None:
    assert page("dra101") is page("DRA101")


def test_a_wrong_code_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match='there is no check "DRA110"') as caught:
        page("DRA110")
    assert caught.value.hint == "Did you mean DRA108 or DRA107 or DRA106?"
    for far in ("DRA999", "nonsense"):
        with pytest.raises(UsageError) as caught:
            page(far)
        assert caught.value.hint.startswith("The codes are DRA001, DRA101")
