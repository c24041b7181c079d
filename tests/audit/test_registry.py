"""Every check has a whole page, and its code is for ever."""

import re

import pytest

from kubectl_dra.audit.registry import Check, checks, kinds, page
from kubectl_dra.errors import UsageError
from kubectl_dra.knowledge.permissions import kinds_of
from kubectl_dra.objects.snapshot import KINDS

CHECKS = list(checks().values())
CODES = """
DRA001
DRA101 DRA102 DRA103 DRA104 DRA105 DRA106 DRA107 DRA108
DRA201 DRA202 DRA203 DRA204 DRA205 DRA206 DRA207 DRA208 DRA209
DRA301 DRA302 DRA303 DRA304 DRA305 DRA306
DRA401 DRA402 DRA403 DRA405 DRA406 DRA407 DRA408 DRA409 DRA410 DRA411 DRA412
DRA501 DRA502
DRA601 DRA602 DRA603 DRA604 DRA605
DRA701 DRA702 DRA703 DRA705
DRA801 DRA802 DRA803 DRA804 DRA805
DRA901 DRA902 DRA903 DRA904 DRA905
"""


def test_the_codes() -> None:
    assert list(checks()) == CODES.split()


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
    with pytest.raises(UsageError, match='there is no check "DRO101"') as caught:
        page("DRO101")
    assert caught.value.hint.startswith("Did you mean DRA101")
    for far in ("DRA999", "nonsense"):
        with pytest.raises(UsageError) as caught:
            page(far)
        assert caught.value.hint.startswith("The codes are DRA001, DRA101")
