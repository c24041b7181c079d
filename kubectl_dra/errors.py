"""One tree of errors. Each says what happened, to which object, and what to do next, and knows its exit status."""

from kubectl_dra.exit_status import ExitStatus


class DraError(Exception):
    """The root: `message` is one line for people, `hint` the next step (may be empty)."""

    status = ExitStatus.CLUSTER

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Take the sentence and the next step."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(DraError):
    """The command line asks for something that does not exist or does not go together."""

    status = ExitStatus.USAGE


class InputError(DraError):
    """A file given as the cluster (or a manifest) is not what it should be: empty, cut short, of another kind."""

    status = ExitStatus.CLUSTER


class OutputError(DraError):
    """The answer is there, but stdout (or the file asked for) cannot be written."""

    status = ExitStatus.USAGE


class KubeconfigError(DraError):
    """The kubeconfig names no usable connection: no file, unknown context, a broken entry, a failing exec plugin."""


class ClusterError(DraError):
    """Something went wrong between here and the API server."""


class UnreachableError(ClusterError):
    """No answer: refused, reset, name not found, certificate not trusted or expired."""


class NotKubernetesError(ClusterError):
    """Something answered, but not a Kubernetes API server."""


class IncompleteReadingError(ClusterError):
    """`--strict`: a kind could not be read in full."""


class ApiError(ClusterError):
    """The API server answered with a Status of failure.

    `code` is the HTTP status, `reason` the Status' reason (`Forbidden`, `NotFound`, `Expired`, ...), `retry_after` the seconds it asks
    to wait, if it does. `causes` are the Status' own as (reason, message): a refused eviction names its budget there.
    """

    def __init__(
        self,
        message: str,
        *,
        code: int,
        reason: str = "",
        hint: str = "",
        retry_after: float | None = None,
        continue_token: str | None = None,
        causes: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Take what the Status says."""
        super().__init__(message, hint=hint)
        self.code = code
        self.reason = reason
        self.retry_after = retry_after
        self.continue_token = continue_token
        self.causes = causes


class TimedOutError(DraError):
    """A limit of time has passed; `message` says which wait it was and for what."""

    status = ExitStatus.TIMEOUT


class ConflictError(DraError):
    """Another run works on the same object."""

    status = ExitStatus.CONFLICT
