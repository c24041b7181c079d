"""The core's protocol: a document is a question, the answer has the form of upstream's own answers.

Modes: `allocate` (one node, several nodes, or steps one after the other), `cel`, `slices`. What cannot be decided has the errorKind
`undecided`, in CEL `unsupported`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import msgspec

from kubectl_dra.allocation.allocated import AllocatedState
from kubectl_dra.allocation.allocator import Allocator, Answer, Catalog, Claims, never
from kubectl_dra.allocation.ask_cel import ask_cel
from kubectl_dra.allocation.device_taints import tainted_slices
from kubectl_dra.allocation.documents import Question, Step, question, without_nulls
from kubectl_dra.allocation.failure import AllocationError, FailureKind
from kubectl_dra.allocation.features import ALL, NAMES, NONE, Features, Implementation, upstream_name
from kubectl_dra.allocation.patched_slices import Plain, patched
from kubectl_dra.allocation.result import ConfigOrigin
from kubectl_dra.allocation.written import Json, allocation
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.quantity import QuantityError
from kubectl_dra.objects.resource import DeviceTaintRule, ResourceClaim, ResourceSlice

Deadline = Callable[[float], Callable[[], bool]]
"""From seconds to a function that tells whether they are over."""
FIRST_AVAILABLE_MOST = 8
"""Alternatives that a request may have (api: resource/v1)."""
_NAMES = {upstream_name(name): name for name in NAMES}


class ProtocolError(ValueError):
    """The document cannot be used as it is."""


def answer(text: bytes, deadline: Deadline) -> Json:
    """The answer to one document, which is JSON."""
    found = dict(_answer(text, deadline))
    identity = _identity(text)
    return found if identity is None else {**found, "id": identity}


def _identity(text: bytes) -> object:
    try:
        return msgspec.json.decode(text, type=_Identity).id
    except msgspec.ValidationError:
        return None


class _Identity(msgspec.Struct):
    """What the asker calls the document."""

    id: object = None


def _answer(text: bytes, deadline: Deadline) -> Json:
    try:
        asked = question(text)
        match asked.mode:
            case "" | "allocate":
                return _Allocate(asked, text, deadline).answer()
            case "cel":
                return ask_cel(asked, features(asked.features or {}))
            case "slices":
                return _slices(asked, text)
        raise ProtocolError(f"unknown mode {asked.mode}")
    except (msgspec.ValidationError, QuantityError, ProtocolError) as error:
        return {"error": str(error), "errorKind": "input"}
    except AllocationError as error:
        return {"error": error.text, "errorKind": str(error.kind)}


def features(named: Mapping[str, bool]) -> Features:
    """The features that a document names, the others as in 1.37; `none` and `all` change where one starts. Raises ProtocolError."""
    found = ALL if named.get("all") else Features()
    found = NONE if named.get("none") else found
    for name, on in named.items():
        if name in ("none", "all"):
            continue
        if name not in _NAMES:
            raise ProtocolError(f'unknown feature "{name}"')
        found = replace(found, **{_NAMES[name]: on})
    return found


def _slices(asked: Question, text: bytes) -> Json:
    _need_unique_names(asked.slices or ())
    raw = cast(Mapping[str, object], msgspec.json.decode(text)).get("slices") or []
    return {"slices": patched(cast(Sequence[Plain], raw), _rules(asked)) or None}


def _need_unique_names(slices: Sequence[ResourceSlice]) -> None:
    names = [each.metadata.name for each in slices]
    if "" in names or len(set(names)) < len(names):
        raise AllocationError(FailureKind.FATAL, "tracker: slices need unique metadata.name")


def _rules(asked: Question) -> list[DeviceTaintRule]:
    """Of rules with the same name the last one counts."""
    return list({rule.metadata.name: rule for rule in asked.taint_rules or ()}.values())


class _Allocate:
    """One document of mode allocate."""

    def __init__(self, asked: Question, text: bytes, deadline: Deadline) -> None:
        self._asked = asked
        self._text = text
        self._deadline = deadline
        self._configs: Mapping[str, object] | None = None
        self._features = features(asked.features or {})
        slices: Sequence[ResourceSlice] = asked.slices or ()
        if asked.taint_rules or asked.tracker:
            _need_unique_names(slices)
            slices = tainted_slices(slices, _rules(asked))
        self._slices = slices
        self._nodes = (*((asked.node,) if asked.node is not None else ()), *(asked.nodes or ()))

    def answer(self) -> Json:
        asked = self._asked
        allowed = [each for each in Implementation if asked.allocator in ("", each)]
        try:
            catalog = Catalog(self._slices, asked.classes or (), self._features, allowed)
        except AllocationError as error:
            failed = {"error": error.text, "errorKind": str(error.kind)}
            return {"steps": [failed] * len(asked.steps)} if asked.steps else failed
        if asked.steps:
            return self._steps(catalog, asked.steps)
        if not self._nodes:
            raise ProtocolError("no node given")
        allocator = Allocator(catalog, self._state(asked.allocated or ()))
        claims = allocator.prepare(asked.claims or (), defaults=not asked.no_defaults)
        found: dict[str, object]
        if len(self._nodes) == 1:
            found = self._on(allocator, self._nodes[0], claims, 0)[1]
        else:
            found = {"nodes": [{**self._on(allocator, node, claims, 0)[1], "node": node.metadata.name} for node in self._nodes]}
        return {**found, "allocator": str(catalog.implementation)}

    def _state(self, claims: Sequence[ResourceClaim]) -> AllocatedState:
        state = AllocatedState(claims, consumable_capacity=self._features.consumable_capacity)
        if self._asked.allocated_state is not None:
            self._asked.allocated_state.add_to(state)
        return state

    def _on(self, allocator: Allocator, node: Node, claims: Claims, step: int) -> tuple[Answer, dict[str, object]]:
        """The claims on one node, and how it is told. Raises AllocationError where upstream's process crashes, and what is undecided."""
        millis = self._asked.timeout_millis
        found = allocator.allocate(node, claims, expired=self._deadline(millis / 1000) if millis > 0 else never)
        if found.kind is FailureKind.PANIC:
            raise AllocationError(found.kind, found.error)
        told: dict[str, object]
        if found.kind is not None:
            told = {"error": found.error, "errorKind": str(found.kind)}
        elif found.allocations is None:
            told = {"allocated": None}
        else:
            shown = [
                allocation(each, lambda origin, number=number: self._configuration(origin, step, number))  # type: ignore[misc]
                for number, each in enumerate(found.allocations)
            ]
            told = {"allocated": shown, "score": _score(found)}
        return found, {**told, "allocateOne": found.steps}

    def _configuration(self, origin: ConfigOrigin, step: int, claim: int) -> Json:
        """A configuration as the document has it: its parameters are in no Struct."""
        if self._configs is None:
            self._configs = cast(Mapping[str, object], without_nulls(msgspec.json.decode(self._text)))
        if origin.class_name is not None:
            classes = cast(list[Plain], self._configs["classes"])
            owner = [each for each in classes if cast(Plain, each.get("metadata", {})).get("name", "") == origin.class_name][-1]
            config = cast(list[Plain], cast(Plain, owner["spec"])["config"])[origin.number]
        else:
            steps = cast(list[Plain], self._configs.get("steps") or [self._configs])
            owner = cast(list[Plain], steps[step]["claims"])[claim]
            devices = cast(Plain, cast(Plain, owner["spec"])["devices"])
            config = cast(list[Plain], devices["config"])[origin.number]
        opaque = cast(Plain | None, config.get("opaque"))
        return {} if opaque is None else {"opaque": {"driver": opaque.get("driver", ""), "parameters": opaque.get("parameters")}}

    def _steps(self, catalog: Catalog, steps: Sequence[Step]) -> Json:
        """Each step sees what the earlier ones left; after one that cannot be decided none can."""
        allocated = list(self._asked.allocated or ())
        state: AllocatedState | None = None
        by_name = {node.metadata.name: node for node in self._nodes}
        told: list[Json] = []
        for number, step in enumerate(steps):
            kept = [claim for claim in allocated if _name(claim) not in set(step.release or ())]
            if state is None or len(kept) < len(allocated):
                state, allocated = self._state(kept), kept
            unknown = next((name for name in step.nodes or () if name not in by_name), None)
            if unknown is not None:
                raise ProtocolError(f"unknown node {unknown}")
            nodes = [by_name[name] for name in step.nodes] if step.nodes else self._nodes
            allocator = Allocator(catalog, state)
            claims = allocator.prepare(step.claims or (), defaults=not self._asked.no_defaults)
            found, answers, taken = self._tried(allocator, nodes, claims, step, number)
            told.append({"nodes": answers or None} if step.all_nodes else found)
            if any(each.get("errorKind") == FailureKind.UNDECIDED for each in answers):
                after = {"error": f"step {number} is undecided", "errorKind": str(FailureKind.UNDECIDED)}
                return {"steps": [*told, *([after] * (len(steps) - number - 1))]}
            if taken is not None and taken.allocations is not None and not step.dry_run:
                for each in taken.allocations:
                    state.add(each.result.devices.results or ())
                    status = msgspec.structs.replace(each.claim.status, allocation=each.result)
                    allocated.append(msgspec.structs.replace(each.claim, status=status))
        return {"steps": told}

    def _tried(
        self, allocator: Allocator, nodes: Sequence[Node], claims: Claims, step: Step, number: int
    ) -> tuple[dict[str, object], list[dict[str, object]], Answer | None]:
        """The first node that works, all answers up to it, and what was taken."""
        answers: list[dict[str, object]] = []
        first: tuple[dict[str, object], Answer] | None = None
        for node in nodes:
            found, one = self._on(allocator, node, claims, number)
            one["node"] = node.metadata.name
            answers.append(one)
            if found.kind not in (None, FailureKind.NODE):
                return one, answers, first[1] if first is not None else None
            if found.allocations is not None and first is None:
                first = one, found
                if not step.all_nodes:
                    break
        if first is not None:
            return first[0], answers, first[1]
        return {"allocated": None, "nodes": answers or None}, answers, None


def _name(claim: ResourceClaim) -> str:
    return f"{claim.metadata.namespace or ''}/{claim.metadata.name}"


def _score(found: Answer) -> int:
    """The plugin's score: the earlier the alternative, the more (scheduler: dynamicresources.go, Score)."""
    total = 0
    for each in found.allocations or ():
        taken = {result.request for result in each.result.devices.results or ()}
        for request in each.claim.spec.devices.requests or ():
            if request.exactly is None:
                names = [f"{request.name}/{alternative.name}" for alternative in request.first_available or ()]
                total += sum(FIRST_AVAILABLE_MOST - place for place, name in enumerate(names) if name in taken)
    return total
