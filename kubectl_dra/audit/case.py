"""The case that the checks judge: one Snapshot, what of it was asked about, and what several checks need computed once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from kubectl_dra.audit.claims import Claims, served_by_claim
from kubectl_dra.audit.control_plane import Component, components
from kubectl_dra.audit.finding import ObjectRef
from kubectl_dra.audit.gate_uses import uses
from kubectl_dra.audit.scope import EVERYTHING, Scope
from kubectl_dra.audit.users import User, users
from kubectl_dra.extended_resources.asked import Asked
from kubectl_dra.extended_resources.classes import Resolution, resolve
from kubectl_dra.extended_resources.names import is_implicit_name
from kubectl_dra.inventory.asking import namespace_asking
from kubectl_dra.inventory.cluster import names_on
from kubectl_dra.inventory.node_pods import NodePods
from kubectl_dra.inventory.owners import Owners
from kubectl_dra.inventory.selection import DriverTerms
from kubectl_dra.inventory.servers import Server, Servers, State
from kubectl_dra.knowledge import gates, vendors
from kubectl_dra.objects import quantity
from kubectl_dra.objects.meta import timestamp
from kubectl_dra.objects.node import Node
from kubectl_dra.objects.pod import Pod, PodSpec
from kubectl_dra.objects.resource import DeviceClass
from kubectl_dra.objects.shape import QuantityText, ResourceList
from kubectl_dra.objects.snapshot import Snapshot, Version


class Case:
    """One reading of a cluster, narrowed to a scope. Everything that it tells is computed when it is first asked for.

    `watched` are the seconds since an earlier reading that showed the same: 0 in a first look, more in a second one (`settle`).
    """

    def __init__(self, snapshot: Snapshot, scope: Scope = EVERYTHING, watched: float = 0.0) -> None:
        """Take the reading, the scope and the seconds."""
        self.snapshot = snapshot
        self.scope = scope
        self.watched = watched
        self._asked = Asked()
        self._dra_nodes: dict[str, tuple[Node, ...]] = {}
        self._in_question: dict[str, bool] = {}
        self._serves: dict[tuple[str, str], Server] = {}

    def nodes(self) -> Iterator[Node]:
        """The nodes asked about."""
        return (node for node in self.snapshot.nodes if self.scope.has_node(node.metadata.name))

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """The pods asked about that are not finished: on these nodes or on none yet."""
        scope, pods = self.scope, (pod for pod in self.snapshot.pods if not pod.finished)
        if scope == EVERYTHING:
            return tuple(pods)
        return tuple(pod for pod in pods if scope.has_namespace(pod.metadata.namespace) and scope.has_node(pod.node_name))

    @property
    def pods_everywhere(self) -> bool:
        """Whether the pods of all namespaces were read: plugins and drivers have their own."""
        return self.snapshot.pods.known and not self.snapshot.cluster.namespace

    @cached_property
    def asking_pods(self) -> tuple[tuple[Pod, Mapping[str, int]], ...]:
        """Those of `pods` that ask for extended resources, most clusters' few, with their devices by name."""
        return tuple((pod, asked) for pod in self.pods if (asked := self.asked(pod.spec)))

    @cached_property
    def held_from_plugins(self) -> tuple[tuple[Pod, tuple[str, ...]], ...]:
        """The pods on nodes, and not going already, that have names in question from a device plugin, with these names."""
        found = []
        for pod, asked in self.asking_pods:
            if pod.node_name is not None and not pod.metadata.deletion_timestamp:
                names = [name for name in asked if self.in_question(name) and not is_implicit_name(name)]
                names = [name for name in names if not served_by_claim(pod, name)]
                if names:
                    found.append((pod, tuple(names)))
        return tuple(found)

    @cached_property
    def waiting_pods(self) -> tuple[Pod, ...]:
        """Those of `pods` that are on no node."""
        return tuple(pod for pod in self.pods if pod.node_name is None)

    def asked(self, spec: PodSpec) -> Mapping[str, int]:
        """Devices by extended or implicit name that a pod of this spec needs; only names with at least one."""
        return self._asked.of(spec)

    def age(self, moment: str | None) -> float | None:
        """Seconds from an object's time to the reading; None when one of them is not known."""
        then, now = timestamp(moment), timestamp(self.snapshot.cluster.read_at)
        return None if then is None or now is None else (now - then).total_seconds()

    @cached_property
    def claims(self) -> Claims:
        """Claims, and the pods they are for."""
        return Claims(self.snapshot)

    @cached_property
    def control_plane(self) -> tuple[Component, ...]:
        """The control plane's processes that show themselves."""
        return components(self.snapshot)

    @cached_property
    def gate_uses(self) -> Mapping[str, str]:
        """The feature gates that something in the cluster rests on, each with an example of what."""
        return uses(self.snapshot)

    @cached_property
    def node_pods(self) -> NodePods:
        """The pods that are device plugins and node parts of drivers."""
        return NodePods(self.snapshot)

    @cached_property
    def owners(self) -> Owners:
        """Who makes which pod."""
        return Owners(self.snapshot)

    # nodes

    def node(self, name: str | None) -> Node | None:
        """The node of that name, whatever the scope."""
        return self._nodes.get(name or "")

    @cached_property
    def _nodes(self) -> Mapping[str, Node]:
        return {node.metadata.name: node for node in self.snapshot.nodes}

    def allocatable(self, node: Node, name: str) -> int:
        """What the scheduler sees: devices of that name that a plugin offers on the node; 0 when the node does not list it."""
        return _amount(node.status.allocatable, name)

    def capacity(self, node: Node, name: str) -> int:
        """What the node says it has of the name; it follows allocatable by five minutes. 0 when the node does not list it."""
        return _amount(node.status.capacity, name)

    def plugin_nodes(self, name: str) -> tuple[Node, ...]:
        """All nodes on which the scheduler leaves the name to the device plugin.

        From 1.35 on these have allocatable above 0; a 1.34 scheduler asked only whether the key is there (kubernetes/kubernetes#133488).
        """
        version = self.snapshot.cluster.version
        by_key = version is not None and version < Version(1, 35)
        return tuple(
            node for node in self.snapshot.nodes if (name in (node.status.allocatable or {}) if by_key else self.allocatable(node, name))
        )

    def concerned_by_devices(self, node: Node) -> bool:
        """True for nodes that list extended resources, reach devices of drivers, or run pods with claims."""
        return bool(names_on(node)) or bool(self.devices_on(node)) or node.metadata.name in self.nodes_with_claims

    @cached_property
    def nodes_with_claims(self) -> frozenset[str]:
        """The names of nodes on which pods with claims run, of whatever kind."""
        return frozenset(
            pod.node_name
            for pod in self.snapshot.pods
            if pod.node_name and not pod.finished and (pod.spec.resource_claims or pod.status.extended_resource_claim_status)
        )

    @cached_property
    def servers(self) -> Servers:
        """Who serves which name where."""
        return Servers(self.snapshot)

    def server(self, node: Node, name: str) -> Server:
        """Who serves the name on the node."""
        key = (node.metadata.name, name)
        found = self._serves.get(key)
        if found is None:
            found = self._serves[key] = self.servers.server(node, name)
        return found

    def devices_on(self, node: Node) -> Mapping[str, int]:
        """How many devices of which driver the scheduler could give out on the node, whatever is given out already."""
        return Counter(placed.driver for placed in self.servers.devices.pools.devices_on(node))

    def serves_by_dra(self, node: Node, name: str) -> bool:
        """True when the scheduler gives out devices for the name on the node: nothing is allocatable, and a class has devices there."""
        return self.snapshot.resource_slices.known and self.server(node, name).state is State.DRA

    def dra_nodes(self, name: str) -> tuple[Node, ...]:
        """All nodes on which the scheduler serves the name through DRA."""
        found = self._dra_nodes.get(name)
        if found is None:
            found = self._dra_nodes[name] = tuple(node for node in self.snapshot.nodes if self.serves_by_dra(node, name))
        return found

    # classes

    @property
    def resolution(self) -> Resolution:
        """What each name means to the scheduler of this cluster's version."""
        return self.servers.classes

    @cached_property
    def _intended(self) -> Resolution:
        return resolve(self.snapshot.device_classes)

    def class_of(self, name: str) -> DeviceClass | None:
        """The class that serves the name; where nobody can tell (1.34), the one that would from 1.35 on."""
        found = self.resolution.device_class(name) or self._intended.device_class(name)
        if found is not None:
            return found
        contenders = self.resolution.contenders(name)
        return contenders[0].device_class if contenders else None

    def without_class(self, names: Iterable[str]) -> Iterator[str]:
        """For each of these names that no class maps, a line of evidence that says so, or that nobody knows."""
        for name in names:
            if self.class_of(name) is None:
                known = self.snapshot.device_classes.known
                yield f"no class maps {name} yet" if known else f"whether a class maps {name} is not known"

    @cached_property
    def extended_resources_on(self) -> bool | None:
        """Whether extended resources are served through DRA, by the API server's word or by default; None: nobody can tell.

        Off by default is nobody can tell: the gate may be turned on where it is not seen.
        """
        cluster = self.snapshot.cluster
        emulated = cluster.emulated or self.oldest_possible_server
        if gates.enabled_by_default(gates.EXTENDED_RESOURCE, emulated, cluster.feature_gates):
            return True
        return gates.enabled(gates.EXTENDED_RESOURCE, cluster.emulated, cluster.feature_gates)

    @property
    def oldest_possible_server(self) -> Version | None:
        """A file may not name the server's version, but no kubelet may be newer than it (version skew policy)."""
        return max(filter(None, (Version.of(node.kubelet_version) for node in self.snapshot.nodes)), default=None)

    # users

    @cached_property
    def users(self) -> tuple[User, ...]:
        """Whoever makes pods, in the namespace asked about: workloads by their templates, pods that nobody makes by themselves."""
        return users(self.snapshot, self.scope, self.asked)

    @cached_property
    def users_by_name(self) -> Mapping[str, tuple[ObjectRef, ...]]:
        """Extended resource names and who asks for them, sorted."""
        found: dict[str, set[ObjectRef]] = defaultdict(set)
        for user in self.users:
            for name in self.asked(user.spec):
                found[name].add(user.ref)
        return {name: tuple(sorted(found[name])) for name in sorted(found)}

    def namespace_of_users(self, name: str) -> str:
        """A namespace in which the name is asked for: a pod's sooner than that of a workload at zero."""
        workloads = (each.namespace for each in self.users_by_name.get(name, ()))
        return namespace_asking(self.snapshot, name) or next(workloads, "default")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All extended resource names that pods ask for, nodes list or classes map, sorted. Of the implicit ones those asked for."""
        found = {name for node in self.nodes() for name in names_on(node)}
        found.update(each.spec.extended_resource_name for each in self.snapshot.device_classes if each.spec.extended_resource_name)
        return tuple(sorted(found.union(self.users_by_name)))

    # vendors

    def vendor_classes(self, name: str) -> tuple[DeviceClass, ...]:
        """The classes that a known vendor's driver has for the devices of this name: by their names, else those of all its devices."""
        known = vendors.resource(name)
        if known is None or known.blocked or not known.driver:
            return ()
        named = tuple(each for each in self.snapshot.device_classes if each.metadata.name in known.classes)
        all_of_it, terms = DriverTerms(frozenset({known.driver})), self.servers.devices.driver_terms
        return named or tuple(each for each in self.snapshot.device_classes if terms(each) == all_of_it)

    def has_driver(self, name: str) -> bool:
        """True for names of a known vendor who has a DRA driver for them."""
        known = vendors.resource(name)
        return known is not None and bool(known.driver) and not known.blocked

    def in_question(self, name: str) -> bool:
        """True for names asked about that DRA serves, or could: a class maps them, or their vendor has a driver for them."""
        found = self._in_question.get(name)
        if found is None:
            asked_about = self.scope.has_resource(name)
            found = self._in_question[name] = asked_about and (self.class_of(name) is not None or self.has_driver(name))
        return found

    def left_alone(self, name: str) -> bool:
        """True for names that nobody will move to DRA."""
        return vendors.leave_alone(name) is not None


def _amount(resources: ResourceList | None, name: str) -> int:
    text = (resources or {}).get(name)
    return 0 if text is None else _whole(text)


@lru_cache(maxsize=1024)
def _whole(text: QuantityText) -> int:
    """As the scheduler reads it. Nodes by the thousand say the same few numbers."""
    found = quantity.read(text)
    return found.value() if found is not None else 0
