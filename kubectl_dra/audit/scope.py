"""What of the cluster an audit is asked about: `-n`, `--node` and `--resource`."""

from fnmatch import fnmatchcase

import msgspec


class Scope(msgspec.Struct, frozen=True):
    """A namespace, and globs of node and extended resource names; empty means all.

    A scope leaves out what is about *another* namespace, node or name. What is about none in particular
    (a class, a forbidden kind) concerns every one of them and stays.
    """

    namespace: str = ""
    nodes: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()

    def has_namespace(self, namespace: str | None) -> bool:
        """True for a namespaced object to look at."""
        return not self.namespace or namespace == self.namespace

    def has_node(self, name: str | None) -> bool:
        """True for a node to look at, and for pods that have none yet."""
        return not self.nodes or not name or any(fnmatchcase(name, glob) for glob in self.nodes)

    def has_resource(self, name: str) -> bool:
        """True for an extended resource name to look at."""
        return not self.resources or any(fnmatchcase(name, glob) for glob in self.resources)


EVERYTHING = Scope()
"""The whole cluster."""


def is_glob(name: str) -> bool:
    """True for what may stand for several names."""
    return any(sign in name for sign in "*?[")
