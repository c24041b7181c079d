"""Checks of what the user and the server allow."""

from msgspec.structs import replace

from kubectl_dra.migration.options import CanaryOptions
from tests.migration.given import ASKED, checks, cluster


def test_every_permission_is_there() -> None:
    assert checks(cluster(), "permissions") == [("ok", "every permission of the later steps is there")]


def test_permissions_that_are_missing() -> None:
    facts = replace(ASKED, missing=("patch nodes", "create leases in kube-system"))
    assert checks(cluster(), "permissions", facts=facts) == [
        ("blocker", 'not allowed: patch nodes ("kubectl dra rbac migrate-node" prints the role)'),
        ("blocker", 'not allowed: create leases in kube-system ("kubectl dra rbac migrate-node" prints the role)'),
    ]


def test_a_canary_that_the_server_takes() -> None:
    assert checks(cluster(), "canary") == [("ok", "the canary's image is registry.example/tool:1")]


def test_a_canary_that_the_server_refuses() -> None:
    facts = replace(ASKED, refused=("exceeded quota: none",))
    assert checks(cluster(), "canary", facts=facts) == [("blocker", "the server refuses the canary: exceeded quota: none")]


def test_no_image_for_the_canary() -> None:
    facts = replace(ASKED, refused=None, canary_image="")
    assert ("blocker", "the node says of no image that it has it: name one for the canary with --canary-image") in checks(
        cluster(), "canary", facts=facts
    )


def test_a_canary_of_ones_own_brings_its_image() -> None:
    own = CanaryOptions(manifest="kind: Pod")
    assert checks(cluster(), "canary", facts=replace(ASKED, canary_image=""), canary=own) == [
        ("ok", "the server takes the canary of --canary")
    ]
    assert [level for level, _ in checks(cluster(), "canary", facts=replace(ASKED, refused=("no",)), canary=own)] == ["blocker"]


def test_without_a_canary_nothing_is_proved() -> None:
    ((level, message),) = checks(cluster(), "canary", canary=CanaryOptions(skip=True))
    assert (level, message.partition(":")[0]) == ("warning", "--no-canary")
