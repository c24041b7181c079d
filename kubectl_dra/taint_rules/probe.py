"""Asking the cluster itself: a rule of the same selector with the effect None, its status, and the rule is gone again."""

import base64
import secrets
from http import HTTPStatus

from msgspec.structs import replace

from kubectl_dra.errors import ApiError, TimedOutError
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.taint_rules.answer import ProbeAnswer, read_message
from kubectl_dra.taint_rules.api import Rules
from kubectl_dra.taint_rules.listing import condition, is_current
from kubectl_dra.taint_rules.manifest import planned
from kubectl_dra.taint_rules.rule import PREVIEW_LABEL, Effect

LIMIT = 30.0
"""Seconds for the controller to answer."""

_NO_STATUS = (
    "the eviction controller said nothing of the rule within {limit:.0f}s: is kube-controller-manager at work, with the feature gates"
    " DRADeviceTaints and DRADeviceTaintRules?"
)


def probe(rules: Rules, rule: DeviceTaintRule, polling: Polling) -> ProbeAnswer:
    """What the cluster says that NoExecute on this selector would do. `polling` limits the wait for the answer.

    The rule of the question is removed whatever happens; where that fails, `rules` says how it is done. Raises what reading and writing
    raise; a user who may not write gets no numbers but the reason.
    """
    question = asking(rule)
    try:
        try:
            made = rules.create(planned(question, rules.api_version))
        except ApiError as error:
            if error.code == HTTPStatus.FORBIDDEN:
                return ProbeAnswer(None, f"{error.message}; `kubectl dra rbac taint-probe` prints the role that allows it")
            raise
        return _answer(rules, made, polling)
    finally:
        rules.remove_surely(question.metadata.name)


def asking(rule: DeviceTaintRule) -> DeviceTaintRule:
    """The rule of the question: the same selector and taint with the effect None, a name of its own, and the label of previews."""
    name = f"kubectl-dra-preview-{base64.b32encode(secrets.token_bytes(5)).decode().lower()}"
    taint = replace(rule.spec.taint, effect=Effect.NONE.value, time_added=None)
    return DeviceTaintRule(ObjectMeta(name, labels={PREVIEW_LABEL: "true"}), replace(rule.spec, taint=taint))


def _answer(rules: Rules, made: DeviceTaintRule, polling: Polling) -> ProbeAnswer:
    found: list[str] = []

    def look() -> str:
        now = rules.get(made.metadata.name)
        told = condition(now)
        if told is None or not is_current(now, told):
            return "the eviction controller's answer"
        found.append(told.message or "")
        return ""

    try:
        polling.until(look)
    except TimedOutError:
        return ProbeAnswer(None, _NO_STATUS.format(limit=polling.limit or 0.0))
    return read_message(found[-1])
