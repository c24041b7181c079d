"""What of the cluster an inventory is about: `-n`, `-l`, `--nodes` and `--resource`."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from kubectl_dra.objects.labels import EVERYTHING, Selector
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod


@dataclass(frozen=True, slots=True)
class Scope:
    """A namespace (None is all), the labels of pods, the labels of nodes, and globs of extended resource names (none is all)."""

    namespace: str | None = None
    pods: Selector = EVERYTHING
    nodes: Selector = EVERYTHING
    resources: tuple[str, ...] = ()

    def has_namespace(self, namespace: str | None) -> bool:
        """Whether objects of this namespace are wanted."""
        return self.namespace is None or namespace == self.namespace

    def within(self, namespace: str) -> bool:
        """Whether a reading of just this namespace (empty: of all) has everything in scope."""
        return not namespace or namespace == self.namespace

    def has_pod(self, pod: Pod) -> bool:
        """Whether the pod is wanted, leaving aside where it runs."""
        return self.has_namespace(pod.metadata.namespace) and self.pods.matches(pod.metadata.labels)

    def has_node(self, node: Node) -> bool:
        """Whether the node is wanted."""
        return self.nodes.matches(node.metadata.labels)

    def has_resource(self, name: str) -> bool:
        """Whether the extended resource is wanted."""
        return not self.resources or any(fnmatchcase(name, glob) for glob in self.resources)

    @property
    def literal_resources(self) -> tuple[str, ...]:
        """The names that were given without a glob: these are told even where there is nothing of them."""
        return tuple(name for name in self.resources if not any(sign in name for sign in "*?["))
