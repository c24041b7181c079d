"""The role that `rbac migrate-node` prints is all that a move needs; with any part of it taken away nothing begins."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.live.moves.conftest import Ground, told
from tests.run import kubectl_dra

Rule = dict[str, Any]


def parts(rules: list[Rule]) -> Iterator[tuple[str, list[Rule]]]:
    """The role without each of its parts: a rule with fewer resources, or with fewer verbs."""
    for index, rule in enumerate(rules):
        for field in ("resources", "verbs", "nonResourceURLs"):
            for value in rule.get(field, ()):
                rest = {**rule, field: [each for each in rule[field] if each != value]}
                kept = [rest] if rest[field] else []
                yield f"{field[:-1]} {value} of {rule}", [*rules[:index], *kept, *rules[index + 1 :]]


def test_the_role_is_enough_and_nothing_begins_with_less(ground: Ground, few_rights: Callable[..., Path]) -> None:
    rules: list[Rule] = yaml.safe_load(kubectl_dra("rbac", "migrate-node", "--custom-workloads=false").stdout)["rules"]
    before = ground.node_object()
    for taken, rest in parts(rules):
        result = ground.run(kubeconfig=few_rights(*rest))
        assert result.code in (1, 2, 3), (taken, told(result))
        assert "not allowed" in result.stdout or "forbidden" in result.stdout + result.stderr, (taken, told(result))
    after = ground.node_object()
    assert before["spec"] == after["spec"]
    assert ground.journal() == {}
    assert before["metadata"]["labels"] == after["metadata"]["labels"]

    config = few_rights(*rules)
    for way, phase in (((), "moved"), (("--rollback",), "returned")):
        result = ground.run(*way, kubeconfig=config)
        assert result.code == 0, told(result)
        assert json.loads(result.stdout)["phase"] == phase
        ground.assert_clean()
