"""`audit --since FILE`: an earlier report, or files that stand for the cluster as it was."""

import gzip
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from kubectl_dra.document import API_VERSION
from kubectl_dra.environment import Environment
from kubectl_dra.errors import InputError

if TYPE_CHECKING:
    from kubectl_dra.audit.finding import AuditReport

_PEEK = 4096
_GZIP = b"\x1f\x8b"


def earlier_report(path: str, environment: Environment) -> "AuditReport | None":
    """The report in `path` (`-` for standard input), written by `audit -o json` or `-o yaml`; None where it holds something else.

    Raises InputError for a file that cannot be read, and for one that is a document of this tool but no whole report.
    """
    if path == "-":
        return _report(environment.binary_stdin.read(), "standard input")
    place = Path(path)
    if place.is_dir():
        return None
    try:
        with place.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
        with gzip.open(place) if packed else place.open("rb") as stream:
            start = stream.read(_PEEK)
            if API_VERSION.encode() not in start:
                return None  # perhaps hundreds of megabytes of a cluster
            return _report(start + stream.read(), path)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _report(data: bytes, source: str) -> "AuditReport":
    import msgspec
    import yaml

    from kubectl_dra.audit.finding import AuditReport
    from kubectl_dra.reading.yaml_text import documents

    hint = "Write one with `kubectl dra audit -o json`, or give a snapshot."
    try:
        if data.lstrip().startswith(b"{"):
            plain: object = msgspec.json.decode(data)
        else:
            plain = next(documents(data.decode()), None)
        kind = plain.get("kind") if isinstance(plain, dict) else None
        if kind != "AuditReport":
            raise InputError(f"{source} is {f'of kind {kind}' if kind else 'no document'}, not an audit's report", hint=hint)
        return msgspec.convert(plain, AuditReport, strict=False)
    except (msgspec.MsgspecError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{source} is no whole report of an audit: {' '.join(str(error).split())}", hint=hint) from None
