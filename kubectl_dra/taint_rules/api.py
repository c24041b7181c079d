"""Rules in the cluster: read one, make one, change one, remove one; and no rule is left where a run was interrupted in making it."""

from collections.abc import Callable
from http import HTTPStatus

import msgspec

from kubectl_dra.cluster.transport import Transport
from kubectl_dra.cluster.writes import Writes
from kubectl_dra.environment import Clock
from kubectl_dra.errors import ApiError, ConflictError, DraError
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.taint_rules.manifest import PlannedRule
from kubectl_dra.taint_rules.rule import Effect, in_words, selector_in_words

_TRIES = 4
_PAUSE = 0.5
"""Seconds between two looks for a rule whose making was interrupted: the request may still be on its way."""

Say = Callable[[str], None]
"""Hears a line for people."""


class Rules:
    """The rules of one cluster at one version of the API (`resource.k8s.io/v1`)."""

    def __init__(self, transport: Transport, writes: Writes, api_version: str, clock: Clock, say: Say) -> None:
        """`say` hears of a rule that may be left."""
        self._transport = transport
        self._writes = writes
        self.api_version = api_version
        self._clock = clock
        self._say = say
        self.path = f"/apis/{api_version}/devicetaintrules"

    def get(self, name: str) -> DeviceTaintRule:
        """A rule. Raises ApiError, 404 when there is none."""
        return msgspec.json.decode(self._transport.get(f"{self.path}/{name}"), type=DeviceTaintRule)

    def find(self, name: str) -> DeviceTaintRule | None:
        """A rule, or None."""
        try:
            return self.get(name)
        except ApiError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                return None
            raise

    def try_out(self, rule: PlannedRule) -> None:
        """Have the server check the rule and keep nothing (`dryRun=All`). Raises ApiError with its words, ConflictError when it exists."""
        self._post(rule, dry_run=True)

    def create(self, rule: PlannedRule) -> DeviceTaintRule:
        """Make the rule, and see that what is stored selects what was meant.

        Raises ConflictError when there is one of that name. Where it is interrupted, or no answer comes, the rule is removed again.
        """
        if self.find(rule.name) is not None:
            raise _exists(rule.name)
        try:
            made = self._post(rule, dry_run=False)
        except ApiError:
            raise  # the server said no: nothing was made
        except BaseException:
            self._undo(rule)
            raise
        meant = rule.rule.spec
        if made.spec.device_selector != meant.device_selector:
            self.remove(rule.name, made.metadata.uid)
            raise DraError(
                f"rule {rule.name} was stored with another selector ({selector_in_words(made.spec.device_selector)} instead of"
                f" {selector_in_words(meant.device_selector)}), and is removed again",
                hint="Something in the cluster (an admission webhook) changes rules.",
            )
        return made

    def _post(self, rule: PlannedRule, *, dry_run: bool) -> DeviceTaintRule:
        try:
            return self._writes.create(self.path, rule.manifest, DeviceTaintRule, dry_run=dry_run)
        except ApiError as error:
            if error.code == HTTPStatus.CONFLICT:
                raise _exists(rule.name) from error
            raise

    def change_effect(self, rule: DeviceTaintRule, effect: Effect) -> DeviceTaintRule:
        """Give the rule another effect, if it is still what was read. Raises ConflictError when it is not."""
        body = {"metadata": {"uid": rule.metadata.uid}, "spec": {"taint": {"effect": effect.value}}}
        try:
            return self._writes.patch_merge(
                f"{self.path}/{rule.metadata.name}", body, DeviceTaintRule, resource_version=rule.metadata.resource_version
            )
        except ApiError as error:
            if error.code == HTTPStatus.CONFLICT:
                raise ConflictError(
                    f"rule {rule.metadata.name} was changed by somebody else meanwhile: nothing was done",
                    hint=f"kubectl dra taint show {rule.metadata.name} shows what it does now.",
                ) from error
            raise

    def remove(self, name: str, uid: str | None = None) -> bool:
        """Delete a rule; False when it (the one with that UID) was gone."""
        return self._writes.delete(f"{self.path}/{name}", uid=uid)

    def remove_surely(self, name: str) -> None:
        """Delete a rule of ours, whatever happens, or say how it is done."""
        self._surely(name, lambda: self.remove(name))

    def _undo(self, rule: PlannedRule) -> None:
        """Remove a rule whose making was interrupted. There was none of its name before; what is there may yet be another's."""

        def undo() -> None:
            for _ in range(_TRIES):
                found = self.find(rule.name)
                if found is not None and is_the_same(found, rule):
                    self.remove(rule.name, found.metadata.uid)
                    return
                self._clock.sleep(_PAUSE)

        self._surely(rule.name, undo)

    def _surely(self, name: str, act: Callable[[], object]) -> None:
        """Act although somebody presses Ctrl-C; pressed twice, it is obeyed, and said what may be left."""
        try:
            try:
                act()
            except KeyboardInterrupt:
                act()
                raise
        except KeyboardInterrupt:
            if self._is_left(name):
                self._say(left_over(name))
            raise
        except DraError as error:
            self._say(f"{left_over(name)} ({error.message})")

    def _is_left(self, name: str) -> bool:
        """Whether the rule may be there; not being able to look counts as yes."""
        try:
            return self.find(name) is not None
        except (DraError, KeyboardInterrupt):
            return True


def is_the_same(found: DeviceTaintRule, rule: PlannedRule) -> bool:
    """Whether a rule in the cluster has the taint and the devices of a planned one."""
    spec = rule.rule.spec
    return found.spec.device_selector == spec.device_selector and in_words(found.spec.taint) == in_words(spec.taint)


def left_over(name: str) -> str:
    """How a rule is removed that may be left."""
    return f"rule {name} may be left in the cluster: kubectl delete devicetaintrule {name}"


def _exists(name: str) -> ConflictError:
    return ConflictError(
        f'devicetaintrules.resource.k8s.io "{name}" already exists: nothing was done',
        hint=f"kubectl dra taint show {name} shows what it does; promote, demote and delete change it; --name gives another one.",
    )
