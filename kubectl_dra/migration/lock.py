"""One run at a time on a node: a Lease that is renewed while the run lives.

Times are never compared between machines: that a holder is dead is concluded from its Lease staying as it is for the Lease's whole time,
on this machine's clock (as client-go: tools/leaderelection).
"""

import threading
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

import msgspec

from kubectl_dra.environment import Clock
from kubectl_dra.errors import ApiError, ConflictError, DraError
from kubectl_dra.eviction.polling import Tell
from kubectl_dra.migration.holder import Holder
from kubectl_dra.migration.marks import LOCK_NAMESPACE, lock_name
from kubectl_dra.migration.reach import Reach
from kubectl_dra.migration.timing import Timing
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.policy import Lease, LeaseSpec

LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{LOCK_NAMESPACE}/leases"


class Lock:
    """The lock of one node. `take` it, `check` it before every change, `release` it at the end."""

    def __init__(self, reach: Reach, node: str, journal: str, timing: Timing, clock: Clock) -> None:
        """`journal` is the journal's id."""
        self._reach = reach
        self._node = node
        self._name = lock_name(node)
        self._path = f"{LEASES}/{self._name}"
        self._timing = timing
        self._clock = clock
        self.holder = str(Holder.this_process(journal))
        self._held: Lease | None = None
        self._lost: DraError | None = None
        self._ended = threading.Event()
        self._renewing = threading.Lock()
        self._thread: threading.Thread | None = None

    def take(self, *, force: bool, tell: Tell, before_each: Callable[[], None]) -> None:
        """Take it; from a dead holder of this machine at once, else by waiting until its time is over.

        `force` takes it from anybody. Raises ConflictError when the holder renews it meanwhile.
        """
        seen: Lease | None = None
        since = self._clock.monotonic()
        while True:
            found = self._reach.one(self._path, Lease)
            if found is None:
                if self._made():
                    return
                continue
            if seen is not None and _stamp(found) != _stamp(seen):
                raise self._conflict(found)
            if seen is None:
                seen, since = found, self._clock.monotonic()
            waited = self._clock.monotonic() - since
            left = self._patience(found) - waited
            if force or left <= 0 or self._free(found):
                if self._taken(found):
                    return
                raise self._conflict(self._reach.one(self._path, Lease) or found)
            before_each()
            tell(f"waiting {left:.0f} s for the lock of a run that stopped answering ({found.spec.holder_identity})", waited, left)
            self._clock.sleep(min(self._timing.poll, left))

    def check(self) -> None:
        """Raise ConflictError when another run has it."""
        if self._lost is not None:
            raise self._lost

    def stop(self) -> None:
        """Renew it no more."""
        self._ended.set()

    def release(self) -> None:
        """Give it back, if it is ours. Stops renewing in any case; raises what the server answers."""
        self.stop()
        if self._thread is not None:
            self._thread.join()
        held = self._held
        if held is not None and self._lost is None:
            self._held = None
            self._reach.insist(lambda: self._reach.writes.delete(self._path, uid=held.metadata.uid))

    def _free(self, lease: Lease) -> bool:
        """Nobody's, ours from a lost answer, or a dead local process'."""
        identity = lease.spec.holder_identity or ""
        holder = Holder.read(identity)
        return not identity or identity == self.holder or (holder is not None and holder.dead)

    def _patience(self, lease: Lease) -> float:
        """Seconds for which its holder may be silent: its own word, within reason."""
        return float(min(max(lease.spec.lease_duration_seconds or 0, 1), 10 * self._timing.lease))

    def _made(self) -> bool:
        """Whether it could be created; False when somebody was quicker."""
        manifest = Lease(ObjectMeta(self._name, LOCK_NAMESPACE), self._spec(0, self._moment()))
        body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", **msgspec.to_builtins(manifest)}
        try:
            self._begin(self._reach.insist(lambda: self._reach.writes.create(LEASES, body, Lease)))
        except ApiError as error:
            if error.code != HTTPStatus.CONFLICT:
                raise
            return False
        return True

    def _taken(self, found: Lease) -> bool:
        """Whether it could be taken over as it was seen; False when somebody was quicker."""
        body = {"spec": self._spec((found.spec.lease_transitions or 0) + 1, self._moment())}
        try:
            version = found.metadata.resource_version
            self._begin(self._reach.insist(lambda: self._reach.writes.patch_merge(self._path, body, Lease, resource_version=version)))
        except ApiError as error:
            if error.code not in (HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND):
                raise
            return False
        return True

    def _begin(self, lease: Lease) -> None:
        self._held = lease
        self._thread = threading.Thread(target=self._renew, name="lock", daemon=True)
        self._thread.start()

    def _renew(self) -> None:
        """Until the end. A server that is away is no loss: whoever takes the Lease then changes it, and the next renewal sees it."""
        while not self._ended.wait(self._timing.renew):
            held = self._held
            if held is None:
                return
            body = {"spec": {"renewTime": self._moment()}}
            try:
                self._held = self._reach.writes.patch_merge(self._path, body, Lease, resource_version=held.metadata.resource_version)
            except ApiError as error:
                if error.code in (HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND):
                    self._look_again()
            except DraError:
                continue

    def _look_again(self) -> None:
        """Somebody changed or deleted it: another run, or a person who only looked after it."""
        try:
            found = msgspec.json.decode(self._reach.transport.get(self._path), type=Lease)
        except ApiError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                self._lost = ConflictError(f"the lock of node {self._node} was deleted while this run held it", hint=self._advice)
            return
        except DraError:
            return
        if found.spec.holder_identity == self.holder:
            self._held = found
        else:
            self._lost = self._conflict(found)

    def _spec(self, transitions: int, moment: str) -> LeaseSpec:
        # a Lease counts whole seconds; shortened ones of tests count as one
        seconds = max(1, round(self._timing.lease))
        return LeaseSpec(self.holder, seconds, moment, moment, transitions)

    def _moment(self) -> str:
        """Now, as the server writes a MicroTime."""
        now: datetime = self._clock.now()
        return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    @property
    def _advice(self) -> str:
        return f"kubectl dra migrate-node {self._node} --status tells who; --force-unlock takes it all the same"

    def _conflict(self, lease: Lease) -> ConflictError:
        return ConflictError(
            f"node {self._node} is being moved by another run ({lease.spec.holder_identity}, last heard of {lease.spec.renew_time})",
            hint=self._advice,
        )


def _stamp(lease: Lease) -> tuple[str | None, str | None, str | None]:
    return lease.spec.holder_identity, lease.spec.renew_time, lease.metadata.uid
