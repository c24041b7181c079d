"""One connection of a command that writes rules: what is served, the rules, and reading again while it goes on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec

from kubectl_dra.cli.options import Run
from kubectl_dra.cli.source import connected_to_write
from kubectl_dra.errors import ApiError
from kubectl_dra.eviction.polling import Polling
from kubectl_dra.knowledge.permissions import grants_of
from kubectl_dra.objects.pod import Pod
from kubectl_dra.objects.resource import DeviceTaintRule
from kubectl_dra.progress import Waiting
from kubectl_dra.taint_rules.api import Rules
from kubectl_dra.taint_rules.rule import GROUP, KIND
from kubectl_dra.taint_rules.writable import refuse_unwritable

if TYPE_CHECKING:
    from kubectl_dra.cluster.discovery import Discovery
    from kubectl_dra.cluster.transport import Transport
    from kubectl_dra.cluster.writes import Writes
    from kubectl_dra.objects.snapshot import ClusterInfo, KindReading, Snapshot
    from kubectl_dra.progress import Observer

EVERY = 1.0
"""Seconds between two looks while something is waited for."""


class Session:
    """An open connection."""

    def __init__(self, run: Run, transport: "Transport", writes: "Writes", discovery: "Discovery", observer: "Observer") -> None:
        """Take what is open."""
        self.run = run
        self.transport = transport
        self.writes = writes
        self.discovery = discovery
        self._observer = observer

    def say(self, line: str) -> None:
        """A line for people, on stderr."""
        self.run.environment.stderr.write(f"{line}\n")
        self.run.environment.stderr.flush()

    def rules(self, cluster: "ClusterInfo") -> Rules:
        """The rules of the cluster. Raises RulesNotWrittenError where none are written."""
        found = self.discovery.find(GROUP, KIND)
        refuse_unwritable(cluster, None if found is None else found.version)
        api_version = f"{GROUP}/v1" if found is None else found.api_version
        return Rules(self.transport, self.writes, api_version, self.run.environment.clock, self.say)

    def refuse_missing(self, command: str) -> None:
        """Raise ApiError (403) when this user may not do what the command writes, with the lines of the role that are missing."""
        from kubectl_dra.cluster.access import Access, missing

        wanted = [
            Access(verb=verb, resource=grant.resource.partition("/")[0], group=grant.group, subresource=grant.resource.partition("/")[2])
            for grant in grants_of(command)
            for verb in grant.verbs
        ]
        denied = missing(self.writes, wanted)
        if denied:
            what = ", ".join(f"{each.access.verb} {each.access.resource}" for each in denied)
            lines = "; ".join(each.access.rule for each in denied)
            raise ApiError(
                f"you may not {what}: nothing was done",
                code=403,
                reason="Forbidden",
                hint=f"A ClusterRole allows it with: {lines} (kubectl dra rbac {command} prints all of it).",
            )

    def polling(self, limit: float | None, *, every: float = EVERY) -> Polling:
        """A wait that people see."""

        def tell(message: str, waited: float, left: float | None) -> None:
            self._observer(Waiting(message, left if left is not None else 0.0))

        return Polling(self.run.environment.clock, every, limit, tell)

    def read_pods(self, pods: Iterable[Pod]) -> "KindReading[Pod]":
        """These pods as far as they are there."""
        from kubectl_dra.progress import nobody
        from kubectl_dra.reading import again

        wanted = [("Pod", each.metadata.namespace or "", each.metadata.name) for each in pods]
        return again.read_again(self.transport, self.discovery, wanted, self.run.environment, nobody).pods

    def read_around(self) -> "Snapshot":
        """What explains why a pod hangs: nodes, slices and claims."""
        from kubectl_dra.progress import nobody
        from kubectl_dra.reading import Wanted, read_live

        kinds = frozenset({"nodes", "resource_slices", "resource_claims"})
        return read_live(self.transport, self.discovery, Wanted(kinds=kinds), self.run.environment, nobody)

    def read_pod(self, pod: Pod) -> Pod | None:
        """A pod with all of its conditions; None when it is gone."""
        meta = pod.metadata
        try:
            found = msgspec.json.decode(self.transport.get(f"/api/v1/namespaces/{meta.namespace}/pods/{meta.name}"), type=Pod)
        except ApiError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                return None
            raise
        return found if found.metadata.uid == meta.uid else None

    def read(self) -> "Snapshot":
        """Everything that a preview rests on, once more."""
        from kubectl_dra.knowledge.permissions import kinds_of
        from kubectl_dra.progress import nobody
        from kubectl_dra.reading import Wanted, read_live

        wanted = Wanted(kinds=frozenset(kinds_of("taint-preview")), pod_templates=self.run.pod_templates)
        return read_live(self.transport, self.discovery, wanted, self.run.environment, nobody)

    def refuse_disquiet(self, rules: Iterable[DeviceTaintRule], cluster: "ClusterInfo") -> str:
        """Where a rule could crash the scheduler while a slice grows: wait until the pools are quiet; why none may be written, or empty."""
        from kubectl_dra.knowledge.faults import fault
        from kubectl_dra.taint_rules.quiet import STILL, Pools

        if fault("rule-event-panic").affects(cluster.version) is False:
            return ""
        slices = self.discovery.find(GROUP, "ResourceSlice")
        if slices is None:
            return ""
        clock = self.run.environment.clock
        self.say(
            f"{cluster.version or 'This version'}: a rule that meets a growing slice can crash the scheduler"
            " (kubernetes/kubernetes#143378); none is written before the selected pools stand still."
        )
        return Pools(self.transport, slices.api_version, rules, clock).wait(self.polling(2 * STILL))


@contextmanager
def session(run: Run) -> Iterator[Session]:
    """Connect. Raises KubeconfigError and what the transport raises."""
    from kubectl_dra.cluster.discovery import discover
    from kubectl_dra.report.live import watching

    with watching(run.environment) as observer, connected_to_write(run, observer) as (transport, writes):
        yield Session(run, transport, writes, discover(transport), observer)
