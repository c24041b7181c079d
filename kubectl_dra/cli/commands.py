"""The table of commands: where each lives, and its line of help. Root help and completion read only this; a module is imported
when its command is called.

To add one: write `command/<name>.py` with a function under `dialect.command`, and put its line here. Tests hold that every entry
can be imported, that its help imports nothing slow, and that `rbac` knows what it reads (`knowledge/permissions.toml`).
"""

from collections.abc import Mapping
from typing import NamedTuple

_ROOM = "kubectl_dra.cli.command"


class Entry(NamedTuple):
    """A command: its module, the attribute that holds it, and what it does."""

    module: str
    attribute: str
    help: str


ABOUT = """\
Takes a cluster's GPUs and other devices from device plugins to Dynamic Resource Allocation (DRA),
and tells what there is, what stands in the way, and why."""

COMMANDS: Mapping[str, Entry] = {
    "inventory": Entry(f"{_ROOM}.inventory", "inventory", "Who asks for which extended resource, who serves it where, which class would"),
    "classes": Entry(f"{_ROOM}.classes", "classes", "Which DeviceClass each name resolves to, which duplicates lose, and why"),
    "devices": Entry(f"{_ROOM}.devices", "devices", "Which device is where and whose; tries CEL expressions"),
    "explain": Entry(f"{_ROOM}.explain", "explain", "Why a pod waits for its devices, or what it holds"),
    "audit": Entry(f"{_ROOM}.audit", "audit", "What stands between this cluster and the move, as checks with codes"),
    "migrate-node": Entry(
        f"{_ROOM}.migrate_node", "migrate_node", "Move one node from the device plugin to the DRA driver, or back, step by step"
    ),
    "taint": Entry(f"{_ROOM}.taint", "taint", "What a DeviceTaintRule would do, then do it; and the rules that exist"),
    "snapshot": Entry(f"{_ROOM}.snapshot", "snapshot", "Write the state of the cluster to one redacted file that --from reads"),
    "rbac": Entry(f"{_ROOM}.rbac", "rbac", "Print the least ClusterRole that a command needs"),
    "schema": Entry(f"{_ROOM}.schema", "schema", "Print the JSON schema of a document that -o json writes"),
    "options": Entry(f"{_ROOM}.options", "options", "List the options that all commands share"),
    "completion": Entry(f"{_ROOM}.completion", "completion", "Print a completion script for a shell or for kubectl"),
    "version": Entry(f"{_ROOM}.version", "version", "Print the version of this tool"),
}
