"""The reading that previews rest on, and how they are shown."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import msgspec

from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import read_snapshot
from kubectl_dra.errors import UsageError
from kubectl_dra.knowledge.permissions import kinds_of
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.report import formats
from kubectl_dra.report.tables.taints import TAINT_PREVIEW
from kubectl_dra.report.view import View
from kubectl_dra.taint_rules.document import TaintPreview
from kubectl_dra.taint_rules.manifest import PlannedRule, sorted_keys
from kubectl_dra.taint_rules.preview import Sight, preview, sight

TRIAL = 3.0
"""Seconds for trying whether pods come back; for those that are left it is unknown."""

MANIFEST = "manifest"
"""The word for `-o` that prints the rules themselves."""


def is_live(run: Run) -> bool:
    """Whether a cluster is looked at, not a file that stands for one."""
    return run.from_ is None and not run.demo


def refuse_file(run: Run, command: str) -> None:
    """Raise UsageError for a command that a file is of no use to."""
    if not is_live(run):
        raise UsageError(f"{command} needs a cluster, not {'--demo' if run.demo else '--from'}")


def read(run: Run) -> Snapshot:
    """Everything that a preview rests on."""
    return read_snapshot(run, kinds_of("taint-preview"))


def seen(run: Run, snapshot: Snapshot, rules: Iterable[DeviceTaintRule]) -> Sight:
    """The rules in the reading; a file's rules begin at the time of its reading."""
    return sight(snapshot, rules, _now(run, snapshot))


def _now(run: Run, snapshot: Snapshot) -> datetime:
    live = run.environment.clock.now()
    return live if snapshot.cluster.live and is_live(run) else timestamp(snapshot.cluster.read_at) or live


def previewed(run: Run, looked_at: Sight, notes: Sequence[str] = ()) -> TaintPreview:
    """The preview, with what people should know of the choice of its rules."""
    found = preview(looked_at, limit(run, TRIAL))
    return msgspec.structs.replace(found, warnings=(*notes, *found.warnings)) if notes else found


def limit(run: Run, seconds: float) -> Callable[[], bool]:
    """True once the time is over."""
    clock = run.environment.clock
    end = clock.monotonic() + seconds
    return lambda: clock.monotonic() > end


def show(run: Run, found: TaintPreview, rules: Sequence[PlannedRule] = ()) -> None:
    """Print the document as `-o` says; `-o manifest` prints the rules."""
    formats.write(found, run.output, run.environment, _view(rules), no_headers=run.no_headers)


def show_before_asking(run: Run, found: TaintPreview, rules: Sequence[PlannedRule] = ()) -> None:
    """The preview before a write: people see it in any case, on stdout only where the answer itself is for people."""
    if formats.for_people(run.output):
        show(run, found, rules)
    elif run.environment.talks:
        formats.write(found, "", replace(run.environment, stdout=run.environment.stderr), TAINT_PREVIEW)


def _view(rules: Sequence[PlannedRule]) -> View[TaintPreview]:
    return replace(TAINT_PREVIEW, formats={MANIFEST: lambda found: manifests(rules)})


def manifests(rules: Sequence[PlannedRule]) -> str:
    """The rules as `kubectl create --dry-run=client -o yaml` prints them."""
    from kubectl_dra.report.yaml import dump

    return "---\n".join(dump(sorted_keys(each.manifest)) for each in rules)
