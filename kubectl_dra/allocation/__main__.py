"""`python -m kubectl_dra.allocation`: JSON documents on stdin, one after the other; for each an answer on stdout, one line."""

import json
import sys
import time
from collections.abc import Callable, Iterator

import msgspec

from kubectl_dra.allocation.protocol import answer

UNREADABLE = 2
"""The exit status when stdin is no JSON."""


def main() -> int:
    """Answer until stdin ends."""
    number = 0
    try:
        for document in documents(iter(sys.stdin.buffer.readline, b"")):
            sys.stdout.buffer.write(msgspec.json.encode(answer(document, deadline)) + b"\n")
            sys.stdout.buffer.flush()
            number += 1
    except ValueError as error:
        sys.stderr.write(f"document {number}: {error}\n")
        return UNREADABLE
    return 0


def deadline(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds are over from now on."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def documents(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The documents, each as JSON text; as a rule one is a line. Raises ValueError for what is no JSON."""
    waiting = b""
    for line in lines:
        waiting += line
        if is_document(waiting):
            yield waiting
            waiting = b""
        elif line.strip()[-1:] in (b"}", b"]"):
            found, waiting = several(waiting)
            yield from found
    if waiting.strip():
        found, rest = several(waiting)
        yield from found
        if rest.strip():
            json.loads(rest)


def is_document(text: bytes) -> bool:
    """Whether the text is one document and nothing else."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def several(text: bytes) -> tuple[list[bytes], bytes]:
    """The documents that the text begins with, and the rest."""
    rest, decoder, found = text.decode(), json.JSONDecoder(), []
    while rest.strip():
        try:
            _, end = decoder.raw_decode(rest.lstrip())
        except json.JSONDecodeError:
            break
        rest = rest.lstrip()
        found.append(rest[:end].encode())
        rest = rest[end:]
    return found, rest.encode()


if __name__ == "__main__":
    sys.exit(main())
