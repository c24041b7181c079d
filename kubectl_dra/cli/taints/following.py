"""What follows a rule: evicting pods as budgets allow, and waiting until pods are gone."""

from collections.abc import Sequence
from functools import partial

from kubectl_dra.cli.taints.session import Session
from kubectl_dra.errors import DraError
from kubectl_dra.eviction.evict import evict, listed
from kubectl_dra.eviction.filters import Action, Fate
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.taint_rules.api import Rules
from kubectl_dra.taint_rules.preview import Sight, evicted_pods
from kubectl_dra.taint_rules.rule import Effect
from kubectl_dra.taint_rules.wait import STATUS_LIMIT, Going, PodsGone, going, observed

ROUNDS = 5.0
"""Seconds between two times that pods are asked to go which a budget holds back."""


def evict_pods(opened: Session, looked_at: Sight, timeout: float | None) -> None:
    """Send off the pods of the preview through the eviction API. Raises TimedOutError with the budgets' words."""
    fates = [Fate(pod, Action.EVICT) for pod in evicted_pods(looked_at)]
    evict(opened.writes, fates, opened.polling(timeout, every=ROUNDS))


def wait_for_pods(opened: Session, api: Rules, rules: Sequence[DeviceTaintRule], wanted: Going, timeout: float | None) -> int:
    """Wait until the pods are gone, and with them those that have come to the same devices meanwhile; how many that were.

    Raises TimedOutError that says what each of the others waits for. A run that is interrupted here leaves the rules in force.
    """
    names = [rule.metadata.name for rule in rules]
    pods = PodsGone(wanted, opened.read_pods, opened.read_around, opened.run.environment.clock.now)
    try:
        for name in names:
            if not observed(partial(api.get, name), opened.polling(STATUS_LIMIT)):
                opened.say(f"The eviction controller has not said anything of rule {name}; waiting for the pods all the same.")
        opened.polling(timeout).until(pods.look, hint=_still_in_force(names))
        more = going(opened.read(), rules)
        if more.pods and all(rule.spec.taint.effect != Effect.NO_EXECUTE for rule in rules):
            # nobody evicts these: a claim that still had its device let them in (the scheduler looks at taints for new claims only)
            names_of_pods = listed(sorted(f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in more.pods))
            opened.say(f"{names_of_pods} came to the devices meanwhile, by claims that have them: the same command evicts them, too.")
        elif more.pods:
            pods.add(more)
            opened.polling(timeout).until(pods.look, hint=_still_in_force(names))
    except KeyboardInterrupt:
        opened.say(_still_in_force(names))
        raise
    except DraError as error:
        error.hint = error.hint or _still_in_force(names)
        raise
    return pods.gone


def _still_in_force(names: Sequence[str]) -> str:
    return "; ".join(f"rule {name} is in force: kubectl dra taint wait {name} goes on waiting, delete {name} ends it" for name in names)
