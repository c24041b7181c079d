"""Running a credential plugin: its stdout is ours, its stderr goes to people while it runs."""

import unicodedata
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import IO, TextIO

from kubectl_dra.errors import KubeconfigError

_LAST_WORDS = 400
"""Characters of a plugin's last words in an error; all of them went to stderr already."""


def run(command: Sequence[str], *, variables: Mapping[str, str], stdin: TextIO | None, stderr: TextIO, what: str) -> bytes:
    """What the plugin prints. `stdin` is handed through if given. Raises KubeconfigError with its last words when it fails."""
    import subprocess  # only those with a plugin pay for it

    try:
        child = subprocess.Popen(  # noqa: S603 # the kubeconfig names the program, as for kubectl
            command,
            env=dict(variables),
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments hold a null character"
        raise KubeconfigError(f"{what} cannot be run: {reason}") from None
    words: list[str] = []
    with child:
        assert child.stdout is not None and child.stderr is not None  # noqa: S101 # both are pipes
        listener = Thread(target=_listen, args=(child.stderr, stderr, words), daemon=True)
        listener.start()
        try:
            output = child.stdout.read()
        except BaseException:
            child.kill()
            raise
        listener.join()
    if child.returncode:
        ended = f"failed with exit status {child.returncode}" if child.returncode > 0 else f"was ended by signal {-child.returncode}"
        said = _last_line(words)
        raise KubeconfigError(f"{what} {ended}" + (f": {said}" if said else ""), hint="run it by hand, or log in again")
    return output


def _listen(source: IO[bytes], sink: TextIO, words: list[str]) -> None:
    """Show every line as it comes: a login plugin prints a code and waits for it."""
    while block := source.read1(4096):  # type: ignore[attr-defined] # a pipe of Popen is a BufferedReader
        text = block.decode(errors="replace")
        words.append(text)
        sink.write(text)
        sink.flush()


def _last_line(words: Sequence[str]) -> str:
    lines = [line.strip() for line in printable("".join(words)).splitlines()]
    return next((line[:_LAST_WORDS] for line in reversed(lines) if line), "")


def printable(text: str) -> str:
    """Somebody else's text without control characters: an escape sequence can leave a terminal in a strange state."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")
