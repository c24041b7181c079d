"""What every step can do. All of it may be done twice: each looks first, and writes what is missing."""

from kubectl_dra.migration.move import Move


class Work:
    """A step that does nothing; the others say what they do differently."""

    def holds(self, move: Move) -> str:
        """Whether what an earlier run has done here is still so: empty text if it is, else why it has to be done again.

        Also tells the watch what has to stay so from here on.
        """
        return ""

    def check(self, move: Move) -> None:
        """What must be so before. Raises RefusedError, or GoBackError to the step that brings it about."""

    def do(self, move: Move) -> None:
        """The changes, written down in the journal before they are made."""

    def wait(self, move: Move) -> str:
        """Wait until it has come about, and tell what was seen. Raises TimedOutError, RefusedError, GoBackError."""
        return ""

    def undo(self, move: Move) -> None:
        """Take the changes back: what the way back does, or `--on-failure=uncordon`."""
