"""Variables, fields, indices and `?:` as one thing, as upstream plans them (cel-go: interpreter/attributes.go).

A chain of selections costs 1 for each and 1 for the whole; a branch of `?:` does not cost that last 1.
"""

from dataclasses import dataclass, field

from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload
from kubectl_dra.allocation.cel.frame import Frame, Run
from kubectl_dra.allocation.cel.kinds import go_text, go_type, type_name
from kubectl_dra.allocation.cel.map_keys import find
from kubectl_dra.allocation.cel.values import (
    ABSENT,
    MAX_INT,
    MAX_UINT,
    NONE,
    DomainMap,
    ListValue,
    MapValue,
    Optional,
    StringMap,
    UInt,
    Value,
)

_KEYS = (str, int, UInt, bool, float)
_EMPTY = StringMap({})


@dataclass(frozen=True, slots=True)
class Qualifier:
    """One selection: a constant `key`, or an `index` to be worked out; `test` only asks whether it is there."""

    key: Value = None
    index: Run | None = None
    optional: bool = False
    test: bool = False

    def get(self, frame: Frame, value: Value) -> Value:
        """What is selected. Raises EvaluationError when it is not there."""
        try:
            key = self.key if self.index is None else _key(self.index(frame))
            found = present(value, key) is not ABSENT if self.test else selected(value, key)
        except EvaluationError:
            frame.charge_steps(1)
            raise
        frame.charge_steps(1)
        return found

    def find(self, frame: Frame, value: Value) -> Value:
        """What is selected, or ABSENT; costs only if it is there."""
        key = self.key if self.index is None else _key(self.index(frame))
        found = present(value, key)
        if found is ABSENT:
            return ABSENT
        frame.charge_steps(1)
        return None if self.test else found


def _key(value: Value) -> Value:
    if type(value) not in _KEYS:
        raise EvaluationError(f"invalid qualifier type: {go_type(value)}")
    return value


def selected(value: Value, key: Value) -> Value:
    """`value[key]`. Raises EvaluationError."""
    if isinstance(value, MapValue):
        found = find(value, key)
    elif type(value) is ListValue:
        place = _place(key)
        if not 0 <= place < len(value.items):
            raise EvaluationError(f"index out of bounds: {go_text(key)}")
        found = value.items[place]
    else:
        found = ABSENT
    if found is ABSENT:
        raise EvaluationError(f"no such key: {go_text(key)}")
    return found


def present(value: Value, key: Value) -> Value:
    """`value[key]`, or ABSENT."""
    if isinstance(value, MapValue):
        return find(value, key)
    if type(value) is ListValue:
        place = _place(key)
        return value.items[place] if 0 <= place < len(value.items) else ABSENT
    return ABSENT


def _place(key: Value) -> int:
    kind = type(key)
    if kind is int:
        return key  # type: ignore[no-any-return]
    if kind is UInt and key.number <= MAX_INT:
        return key.number  # type: ignore[no-any-return]
    if kind is float and abs(key) < 2.0**63 and key == int(key):
        return int(key)
    if kind is UInt or kind is float:
        raise EvaluationError(f"unsupported index value {go_text(key)} in list")
    raise EvaluationError(f"unsupported index type '{type_name(key)}' in list")


@dataclass(slots=True)
class Attribute:
    """A value that selections are made on. `base` gives it; or, of `?:`, the condition and both sides."""

    base: Run | None = None
    qualifiers: list[Qualifier] = field(default_factory=list)
    condition: Run | None = None
    branches: tuple["Attribute", ...] = ()
    device: bool = False
    tested: bool = False

    def add(self, qualifier: Qualifier) -> None:
        """Select once more, of both sides if there are two."""
        self.tested = self.tested or qualifier.test
        for branch in self.branches:
            branch.add(qualifier)
        if not self.branches:
            self.qualifiers.append(qualifier)

    def resolve(self) -> Run:
        """What gives the value, without the cost of the whole."""
        if self.condition is not None:
            return _conditional(self.condition, *(branch.resolve() for branch in self.branches))
        if self.base is None:
            raise TypeError("an attribute has a base or a condition")
        return _selection(self.base, tuple(self.qualifiers)) if self.qualifiers else self.base

    def run(self) -> Run:
        """What gives the value and charges for it."""
        if self.condition is not None:
            return _refunded(self.resolve()) if self.tested else self.resolve()
        if self.device and self.qualifiers and all(_plain(qualifier) for qualifier in self.qualifiers):
            return _device_path(tuple(qualifier.key for qualifier in self.qualifiers))
        return _tested(self.resolve()) if self.tested else _charged(self.resolve())


def _plain(qualifier: Qualifier) -> bool:
    return type(qualifier.key) is str and qualifier.index is None and not qualifier.optional and not qualifier.test


def _conditional(condition: Run, yes: Run, no: Run) -> Run:
    def run(frame: Frame) -> Value:
        decided = condition(frame)
        if decided is True:
            return yes(frame)
        if decided is False:
            return no(frame)
        raise NoSuchOverload

    return run


def _selection(base: Run, qualifiers: tuple[Qualifier, ...]) -> Run:
    def run(frame: Frame) -> Value:
        value = base(frame)
        optional = type(value) is Optional
        if optional:
            if value is NONE or not value.present:
                return value
            value = value.value
        for qualifier in qualifiers:
            optional = optional or qualifier.optional
            if optional:
                value = qualifier.find(frame, value)
                if value is ABSENT:
                    return NONE
            else:
                value = qualifier.get(frame, value)
        return Optional(value) if optional else value

    return run


def _charged(resolve: Run) -> Run:
    def run(frame: Frame) -> Value:
        try:
            value = resolve(frame)
        except EvaluationError:
            frame.charge_steps(1)
            raise
        frame.cost += 1
        if frame.cost > frame.limit:
            frame.charge(0)
        return value

    return run


def _tested(resolve: Run) -> Run:
    """`has(...)`: the selections cost, the test does not."""

    def run(frame: Frame) -> Value:
        value = resolve(frame)
        return value.present if type(value) is Optional else value

    return run


def _refunded(resolve: Run) -> Run:
    """`has((a ? b : c).d)`: upstream takes back what it never charged, and below zero the unsigned cost is beyond every limit."""
    tested = _tested(resolve)

    def run(frame: Frame) -> Value:
        try:
            return tested(frame)
        finally:
            frame.cost -= 1
            if frame.cost < 0:
                frame.cost = MAX_UINT
                frame.charge(0)

    return run


def _device_path(keys: tuple[str, ...]) -> Run:
    """`device.a["b"].c`, which nearly all selectors are made of, without detours."""
    whole = len(keys) + 1

    def run(frame: Frame) -> Value:
        value = frame.device
        for at, key in enumerate(keys):
            if isinstance(value, StringMap):
                found = value.entries.get(key, ABSENT)
                if found is not ABSENT:
                    value = found
                    continue
                if type(value) is DomainMap:
                    value = _EMPTY
                    continue
            try:
                value = selected(value, key)
            except EvaluationError:
                frame.charge_steps(at + 2)
                raise
        frame.cost += whole
        if frame.cost > frame.limit:
            frame.charge_steps(0)
        return value

    return run
