"""What commands may read."""

import pytest

from kubectl_dra.cli.command.taint import COMMANDS as TAINT_COMMANDS
from kubectl_dra.cli.commands import COMMANDS
from kubectl_dra.knowledge.permissions import (
    CUSTOM_WORKLOADS,
    FEATURE_GATES,
    Resource,
    Rule,
    commands,
    grants_of,
    kinds_of,
    resource_of,
    rules_of,
)
from kubectl_dra.objects.snapshot import KINDS
from kubectl_dra.reading.kinds import ALL


def test_only_commands_that_exist_need_permissions() -> None:
    of_taint = {f"taint-{name}" for name in (*TAINT_COMMANDS, "preview", "probe", "create", "evict")}
    assert set(commands()) <= set(COMMANDS) | of_taint
    assert of_taint <= set(commands())


def test_the_role_for_taints_is_that_of_all_its_commands_together() -> None:
    parts = [name for name in commands() if name.startswith("taint-")]
    assert rules_of(["taint"]) == rules_of(parts)


@pytest.mark.parametrize("command", commands())
def test_commands_read_kinds_that_a_snapshot_has(command: str) -> None:
    assert set(kinds_of(command)) <= {*KINDS, CUSTOM_WORKLOADS, FEATURE_GATES}
    assert len(kinds_of(command)) == len(set(kinds_of(command)))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.field)
def test_every_kind_is_named_as_it_is_read(kind: object) -> None:
    found = next(each for each in ALL if each is kind)
    assert resource_of(found.field) == Resource(found.plural, found.group)


def test_the_audit_reads_what_its_checks_need() -> None:
    from kubectl_dra.audit.registry import kinds

    assert set(kinds()) <= set(kinds_of("audit"))


def test_a_move_reads_what_its_checks_need() -> None:
    from kubectl_dra.migration.preflight.registry import kinds
    from kubectl_dra.migration.status import LOOKED_AT

    assert {*kinds(), *LOOKED_AT} <= set(kinds_of("migrate-node"))


READERS = [command for command in commands() if not grants_of(command)]


def test_rules_of_commands_that_read_only_read() -> None:
    assert {"inventory", "audit", "snapshot"} <= set(READERS)
    assert {verb for rule in rules_of(READERS) for verb in rule.verbs} == {"get", "list"}


def test_rules_leave_out_what_nobody_should_ask_for() -> None:
    for rule in rules_of(commands()):
        assert "*" not in (*rule.api_groups, *rule.resources)
        assert not {"secrets", "configmaps", "nodes/proxy", "pods/exec", "pods/log"} & set(rule.resources)
        assert rule.non_resource_urls in ((), ("/metrics",))


def test_resources_with_the_same_verbs_share_a_rule() -> None:
    rules = rules_of(("snapshot",))
    assert (rules[0].api_groups, rules[0].verbs) == (("",), ("list",))
    assert {"nodes", "pods"} <= set(rules[0].resources)
    assert list(rules[0].resources) == sorted(rules[0].resources)
    assert len({(rule.api_groups, rule.verbs) for rule in rules}) == len(rules)


def test_custom_kinds_are_allowed_only_where_a_command_reads_such() -> None:
    ray = Resource("rayjobs", "ray.io")
    allowed = Rule(api_groups=("ray.io",), resources=("rayjobs",), verbs=("list",))
    assert allowed in rules_of(("snapshot",), [ray])
    assert allowed not in rules_of(("classes",), [ray])
