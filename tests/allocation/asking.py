"""How the tests ask the core: a document, as the protocol has it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kubectl_dra.allocation.__main__ import deadline
from kubectl_dra.allocation.protocol import answer

Plain = Mapping[str, Any]


def ask(document: Plain) -> dict[str, Any]:
    """The answer to a document, as it is written."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer(msgspec.json.encode(document), deadline)))
    return found
