"""Asking pods to go: all at once through policy/v1, again and again where a budget refuses, with the server's words.

One pod after the other deadlocks on ordered budgets (ansible-collections/kubernetes.core#711), so nobody waits for anybody here: a pod
that is refused is asked again in the next round, while the others go.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import msgspec

from kubectl_dra.cluster.writes import Writes
from kubectl_dra.errors import ApiError
from kubectl_dra.eviction.filters import Action, Fate
from kubectl_dra.eviction.polling import Polling

AT_ONCE = 5
"""Requests on their way at the same time."""

SHOWN = 5
"""Pods that are named one by one in a line."""


class Refusal(msgspec.Struct, frozen=True):
    """A pod that may not go now, and why in the server's words."""

    fate: Fate
    why: str

    @property
    def pod(self) -> str:
        """Namespace and name."""
        return shown(self.fate)


def evict(
    writes: Writes,
    fates: Iterable[Fate],
    polling: Polling,
    *,
    grace: int | None = None,
    went: Callable[[Fate], None] = lambda fate: None,
) -> None:
    """Send off every pod whose fate is `evict` or `delete`, and return when the server has accepted each; `went` hears of each.

    `polling.every` are the seconds between two rounds. Raises TimedOutError that names the pods and their budgets, and ApiError for what
    no patience helps with: no permission, or several budgets for one pod.
    """
    open_ = [fate for fate in fates if fate.action in (Action.EVICT, Action.DELETE)]

    def round_() -> str:
        refusals = _round(writes, open_, grace, went, dry_run=False)
        open_[:] = [refusal.fate for refusal in refusals]
        return told(refusals)

    polling.until(round_, hint="a budget that never yields is its owner's to change; then run the same command again")


def refusals(writes: Writes, fates: Iterable[Fate], *, grace: int | None = None) -> tuple[Refusal, ...]:
    """A dry run: each pod is asked once, nothing is changed; those that would be refused now (kubernetes/kubectl#1830: no loop)."""
    going = [fate for fate in fates if fate.action in (Action.EVICT, Action.DELETE)]
    return tuple(_round(writes, going, grace, lambda fate: None, dry_run=True))


def told(refused: Sequence[Refusal]) -> str:
    """The refusals in one line, pods with the same words together; empty for none."""
    by_words: dict[str, list[str]] = {}
    for each in refused:
        by_words.setdefault(each.why, []).append(each.pod)
    return "; ".join(f"{listed(pods)} may not be evicted: {words}" for words, pods in by_words.items())


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more."""
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def shown(fate: Fate) -> str:
    """`NAMESPACE/NAME` of the fate's pod."""
    return f"{fate.pod.metadata.namespace}/{fate.pod.metadata.name}"


def _round(writes: Writes, fates: Sequence[Fate], grace: int | None, went: Callable[[Fate], None], *, dry_run: bool) -> list[Refusal]:
    """Ask each once; those refused for now. An error that is no "not now" is raised when all were asked."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(lambda fate: _asked(writes, fate, grace, dry_run=dry_run), fates))
    refused: list[Refusal] = []
    failed: ApiError | None = None
    for fate, answer in zip(fates, answers, strict=True):
        match answer:
            case None:
                went(fate)
            case str():
                refused.append(Refusal(fate, answer))
            case ApiError():
                failed = failed or answer
    if failed is not None:
        raise failed
    return refused


def _asked(writes: Writes, fate: Fate, grace: int | None, *, dry_run: bool) -> str | ApiError | None:
    """None when the pod goes (or has gone), words when it may not now, an error when asking again is of no use."""
    meta = fate.pod.metadata
    namespace = meta.namespace or ""
    try:
        if fate.action is Action.DELETE:
            writes.delete(f"/api/v1/namespaces/{namespace}/pods/{meta.name}", uid=meta.uid, grace=grace, dry_run=dry_run)
        else:
            writes.evict(namespace, meta.name, uid=meta.uid, grace=grace, dry_run=dry_run)
    except ApiError as error:
        return _judged(error, namespace)
    return None


def _judged(error: ApiError, namespace: str) -> str | ApiError | None:
    if error.code == HTTPStatus.TOO_MANY_REQUESTS:
        words = [message for reason, message in error.causes if reason == "DisruptionBudget"]
        return "; ".join(words) or error.message
    if any(reason == "NamespaceTerminating" for reason, _ in error.causes):
        return None  # its namespace is being deleted, and takes the pod along (kubectl pkg/drain/drain.go)
    if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR and "more than one PodDisruptionBudget" not in error.message:
        return f"the server failed: {error.message}"
    if "more than one PodDisruptionBudget" in error.message:
        return ApiError(
            f"{error.message} (namespace {namespace})",
            code=error.code,
            reason=error.reason,
            hint="the eviction API refuses pods that several PodDisruptionBudgets select: leave it to one of them, or --disable-eviction",
        )
    return error
