"""Our CEL against upstream's own, on random expressions: value, type, class and text of errors, cost.

`HYPOTHESIS_PROFILE=fuzz` runs it for long.
"""

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.allocation.asking import ask as ask_core
from tests.allocation.cel.asking import DEVICE, DRIVER, as_upstream
from tests.allocation.cel.expressions import Expressions
from tests.allocation.cel.mutations import mutated

DEVICES = [
    DEVICE,
    {
        "name": "e",
        "allowMultipleAllocations": True,
        "attributes": {"model": {"int": 5}, "ok": {"string": "no"}, "ver": {"version": "2.0.0-rc.1"}},
        "capacity": {},
    },
]
VECTORS = [
    msgspec.json.decode(line)["expression"]
    for line in (Path(__file__).parents[1] / "vectors" / "cel-vectors.jsonl").read_bytes().splitlines()
    if b"range(1" not in line
]
OTHER_WORDS = ("netip", "ParseAddr", "parse error during conversion", "IPv4-mapped")
"""Errors of Go's parsers of addresses and URLs, of which we only promise that there is one."""
_FREE = re.compile(r"_var\d+")
Ask = Callable[..., list[list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def upstream(oracle: Path) -> Iterator[Ask]:
    """Asks the oracle for the answers to expressions on all DEVICES, with options of the protocol. One that crashes upstream has none."""
    running: list[subprocess.Popen[bytes]] = []

    def ask(expressions: Sequence[str], **options: object) -> list[list[dict[str, Any]]]:
        if not running or running[-1].poll() is not None:
            running.append(subprocess.Popen([oracle], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        process = running[-1]
        assert process.stdin and process.stdout
        document = question(expressions, **options)
        process.stdin.write(msgspec.json.encode(document) + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        found = msgspec.json.decode(line).get("results") if line else None
        if found is not None:
            results: list[list[dict[str, Any]]] = found
            return results
        if not line:
            process.wait()
        return [[{}] * len(DEVICES)] if len(expressions) == 1 else [ask([each], **options)[0] for each in expressions]

    yield ask
    for process in running:
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()
        process.wait()


def question(expressions: Sequence[str], **options: object) -> dict[str, Any]:
    """The document that asks for expressions on all DEVICES."""
    return {"mode": "cel", "driver": DRIVER, "devices": DEVICES, "expressions": expressions, "estimate": True, **options}


def agree(expressions: Sequence[str], upstream: Ask) -> None:
    """Fails with the first expression that is answered otherwise."""
    for expression, answers in zip(expressions, upstream(expressions), strict=True):
        for device, theirs in zip(DEVICES, answers, strict=True):
            ours = as_upstream(expression, device, DRIVER)
            assert _comparable(ours, theirs) == _comparable(theirs, ours), (expression, device["name"])


def _comparable(one: dict[str, Any], other: dict[str, Any]) -> object:
    """What has to be equal: nothing where we say that we cannot tell, or where upstream's process dies."""
    if "unsupported" in (one.get("errorKind"), other.get("errorKind")) or not one or not other:
        return None
    both = one.get("error", ""), other.get("error", "")
    loose = any(words in text for words in OTHER_WORDS for text in both)
    # Syntax errors and faults of planning have many words for one thing.
    loose = loose or (one.get("errorKind") == "compile" and any("Syntax error" in text or "instantiation" in text for text in both))
    dropped = {"error"} if loose else set()
    if None in (one.get("cost", 0), other.get("cost", 0)):
        dropped.add("cost")
    # types that are not found out are numbered by chance
    return {key: _FREE.sub("_var", value) if key == "error" else value for key, value in one.items() if key not in dropped}


@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_expressions_made_along_the_grammar(upstream: Ask, random: Random, depth: int) -> None:
    agree([Expressions(random).selector(depth) for _ in range(10)], upstream)


@given(st.randoms(use_true_random=False))
def test_expressions_with_accidents(upstream: Ask, random: Random) -> None:
    sources = [random.choice(VECTORS) if random.random() < 0.5 else Expressions(random).selector(2) for _ in range(10)]
    agree([mutated(source, random) for source in sources], upstream)


@given(st.lists(st.sampled_from(VECTORS), min_size=1, max_size=4), st.sampled_from((" && ", " || ")))
def test_vectors_combined(upstream: Ask, parts: list[str], operator: str) -> None:
    agree([operator.join(f"({part.strip() or 'true'}\n)" for part in parts)], upstream)


@given(st.randoms(use_true_random=False), st.booleans(), st.sampled_from(("NewExpressions", "StoredExpressions")), st.booleans())
def test_derived_attributes_and_new_expressions(upstream: Ask, random: Random, derived: bool, kind: str, lists: bool) -> None:
    source = Expressions(random)
    expressions = [random.choice((source.selector, source.value))(2) for _ in range(10)]
    options = {"derived": derived, "envType": kind, "features": {"ListTypeAttributes": lists}}
    theirs = upstream(expressions, **options)
    ours = ask_core(question(expressions, **options))["results"]
    for expression, mine, wanted in zip(expressions, ours, theirs, strict=True):
        for one, other in zip(mine, wanted, strict=True):
            # where ours has no cost it depends on the order of a map
            told = one if "cost" in one else {**one, "cost": None}
            assert _comparable(told, other) == _comparable(other, told), (expression, options)
