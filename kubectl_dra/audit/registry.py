"""Where checks stand with their pages. From it come `--explain`, the list of codes, and what an audit has to read."""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType

import msgspec

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.document import Document
from kubectl_dra.errors import UsageError

Judgement = Callable[[Case], Iterator[Candidate | Doubt]]
"""A check: what it sees in one reading of a cluster."""

FAMILIES = (
    "reading", "classes", "helm_classes", "vendor_classes", "lost_mappings", "selectors", "counters", "nodes", "serving", "kubelets",
    "drivers", "pools", "node_operations", "pods", "requests", "unasked", "holders", "placement", "claims", "ending", "shared_names",
    "quotas", "quota_effects", "versions", "feature_gates", "known_faults", "neighbours", "gpu_operator", "platforms", "taint_rules",
    "tolerations",
)  # fmt: skip
"""The modules of `audit.checks`."""


class Page(Document, frozen=True, kw_only=True):
    """What a check is about, for people: `audit --explain CODE`.

    `needs` are the Snapshot's fields without which it cannot look at all, `also` those without which it sees only a part.
    `blocks` says that its findings keep the names they are about from moving, `manifests` that it also judges objects that run nowhere
    yet (`audit --manifests`). Texts are whole sentences.
    """

    kind: str = "CheckPage"
    code: str
    title: str
    severity: Severity
    why: str
    fix: tuple[str, ...]
    source: tuple[str, ...]
    needs: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    blocks: bool = False
    manifests: bool = False


class Check(msgspec.Struct, frozen=True):
    """A page and the function that looks."""

    page: Page
    judge: Judgement


_checks: dict[str, Check] = {}


def check(
    code: str,
    *,
    title: str,
    severity: Severity,
    why: str,
    fix: tuple[str, ...],
    source: tuple[str, ...],
    needs: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    blocks: bool = False,
    manifests: bool = False,
) -> Callable[[Judgement], Judgement]:
    """Register a check under its code, which is for ever."""

    def register(judge: Judgement) -> Judgement:
        if code in _checks:
            raise ValueError(f"{code} is registered twice")
        page = Page(
            code=code,
            title=title,
            severity=severity,
            why=why,
            fix=fix,
            source=source,
            needs=needs,
            also=also,
            blocks=blocks,
            manifests=manifests,
        )
        _checks[code] = Check(page, judge)
        return judge

    return register


def checks() -> Mapping[str, Check]:
    """Every check by its code, in the codes' order."""
    for family in FAMILIES:
        import_module(f"kubectl_dra.audit.checks.{family}")
    return MappingProxyType(dict(sorted(_checks.items())))


def page(code: str) -> Page:
    """The page of `code` (any case). Raises UsageError with the nearest codes for one that does not exist."""
    known = checks()
    found = known.get(code.upper())
    if found is None:
        near = get_close_matches(code.upper(), known, n=3, cutoff=0.8)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"The codes are {', '.join(known)}."
        raise UsageError(f'there is no check "{code}"', hint=hint)
    return found.page


def kinds() -> tuple[str, ...]:
    """The Snapshot's fields that the checks look at, sorted."""
    return tuple(sorted({kind for each in checks().values() for kind in (*each.page.needs, *each.page.also)}))
