"""`devices` as a command."""

from pathlib import Path

import pytest

from tests.cli.test_inventory import write
from tests.factories import claim, device_class, node, resource_slice, snapshot
from tests.run import kubectl_dra as run


@pytest.fixture
def file(tmp_path: Path) -> str:
    return write(snapshot(node("a"), device_class("gpu"), resource_slice("a", 2), claim("c", ("a", "gpu-0"), pod="p")), tmp_path)


def test_devices(file: str) -> None:
    result = run("devices", "--from", file)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == (
        "NODE   DRIVER            POOL   DEVICE   STATE       CLASSES   CLAIM       POD\n"
        "a      gpu.example.com   a      gpu-0    allocated   gpu       default/c   p\n"
        "a      gpu.example.com   a      gpu-1    free        gpu       <none>      <none>\n"
    )
    assert run("devices", "--from", file, "--free", "-o", "name").stdout == "device/gpu.example.com/a/gpu-1\n"
    assert run("devices", "--from", file, "--allocated", "-o", "name").stdout == "device/gpu.example.com/a/gpu-0\n"
    assert run("devices", "--from", file, "--pool", "other").stderr == "No resources found\n"


def test_an_expression_on_trial(file: str) -> None:
    result = run("devices", "--from", file, "--where", 'device.driver == "b"', "--free")
    assert (result.code, result.stdout) == (
        0,
        "NODE   DRIVER            POOL   DEVICE   WHERE   WHY\n"
        'a      gpu.example.com   a      gpu-1    false   device.driver == "b": "gpu.example.com" != "b"\n',
    )


def test_what_the_api_server_would_refuse_is_a_fault_of_usage(file: str) -> None:
    result = run("devices", "--from", file, "--where", "device.driver")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith('error: --where: Invalid value: "device.driver": must evaluate to bool')


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [("--node", "b", 'nodes "b" not found'), ("--class", "b", 'deviceclasses.resource.k8s.io "b" not found')],
)
def test_what_is_not_there(file: str, option: str, name: str, message: str) -> None:
    result = run("devices", "--from", file, option, name)
    assert (result.code, result.stdout) == (3, "")
    assert message in result.stderr


def test_free_and_allocated_exclude_each_other(file: str) -> None:
    assert run("devices", "--from", file, "--free", "--allocated").code == 2
