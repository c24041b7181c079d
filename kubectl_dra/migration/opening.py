"""How a run begins: one reading, what is decided by it, and the journal: a new one, or the one of an earlier run to go on with."""

import secrets

import msgspec

from kubectl_dra.environment import Clock, Environment
from kubectl_dra.knowledge.permissions import kinds_of
from kubectl_dra.migration import rollback
from kubectl_dra.migration.canary import UNSCHEDULABLE, text_of
from kubectl_dra.migration.document import MigrationPlan
from kubectl_dra.migration.facts import Facts
from kubectl_dra.migration.gather import COMMAND, gather
from kubectl_dra.migration.journal import Before, Journal
from kubectl_dra.migration.marks import AUTOSCALERS, FENCE, is_of_a_run
from kubectl_dra.migration.names import Direction
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.plan import plan
from kubectl_dra.migration.preflight import preflight
from kubectl_dra.migration.profile import Profile
from kubectl_dra.migration.reach import Reach
from kubectl_dra.migration.subject import Subject
from kubectl_dra.migration.target import Target, target
from kubectl_dra.migration.timing import Timing
from kubectl_dra.objects.snapshot import Snapshot
from kubectl_dra.reading import Wanted, read_live


class Opening(msgspec.Struct, frozen=True):
    """One reading and what follows from it."""

    snapshot: Snapshot
    target: Target
    plan: MigrationPlan
    facts: Facts


def look(options: Options, profile: Profile, timing: Timing, reach: Reach, environment: Environment, facts: Facts | None = None) -> Opening:
    """Read, decide, plan. `facts` are those of an earlier look, which hold on; null asks the server for them.

    Raises UsageError for a node that is not there.
    """
    wanted = Wanted(kinds=frozenset(kinds_of(COMMAND)))
    snapshot = _without_our_own(reach.insist(lambda: read_live(reach.transport, reach.discovery, wanted, environment)))
    decided = target(snapshot, options, profile)
    known = facts if facts is not None else gather(decided, options, reach)
    subject = Subject(snapshot, options, decided, environment.clock.now(), known)
    return Opening(snapshot, decided, plan(subject, timing, preflight(subject)), known)


def _without_our_own(snapshot: Snapshot) -> Snapshot:
    """Without canaries and probes: one that was red still waits, and says nothing of the users' pods."""
    pods = tuple(pod for pod in snapshot.pods if not is_of_a_run(pod.metadata.name, pod.metadata.labels))
    return msgspec.structs.replace(snapshot, pods=msgspec.structs.replace(snapshot.pods, items=pods))


def new_id() -> str:
    """Of a journal: fit for a label and a taint's value."""
    return secrets.token_hex(4)


def journal_of(decided: Target, clock: Clock, id_: str) -> Journal:
    """The journal to go on with: an open one of this direction as it is, of the other direction turned round, else a new one."""
    open_ = decided.open_journal
    if open_ is None:
        return _new(decided, clock, id_)
    if open_.direction is decided.direction:
        return open_
    done = tuple(rollback.begun(open_))
    return msgspec.structs.replace(open_, direction=decided.direction, steps=(), done=done)


def _new(decided: Target, clock: Clock, id_: str) -> Journal:
    node, earlier = decided.node, decided.journal if isinstance(decided.journal, Journal) else None
    labels, annotations = node.metadata.labels or {}, node.metadata.annotations or {}
    passed = (FENCE, UNSCHEDULABLE["key"])
    before = Before(
        unschedulable=node.cordoned,
        labels={key: labels.get(key) for key in decided.profile.labels},
        annotations={key: annotations.get(key) for key in AUTOSCALERS},
        taints=tuple(text_of(taint) for taint in node.spec.taints or () if taint.key not in passed),
        devices={each.name: each.devices for each in decided.resources},
        plugin_pods=tuple(f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in decided.plugin_pods),
    )
    return Journal(
        id=id_,
        node_uid=node.metadata.uid or "",
        profile=decided.profile.name,
        direction=decided.direction,
        resources=tuple(sorted(decided.names)),
        driver=",".join(decided.drivers),
        before=before,
        changed=tuple(f"annotation {key}" for key in AUTOSCALERS),
        done=tuple(rollback.begun(earlier)) if decided.direction is Direction.ROLLBACK else (),
        started_at=clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
