"""Putting a new token in the place of an old one in a kubeconfig, and nothing else: comments and order stay."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def replaced_in(files: Sequence[str], tokens: Mapping[str, str]) -> bool:
    """Write `tokens` (old to new) into the files that hold an old one; False when some old token was found in none of them."""
    missing = set(tokens)
    for path in files:
        try:
            file = Path(path).resolve()
            before = file.read_text(encoding="utf-8")
            found = {old for old in tokens if old in before}
            if found:
                after = before
                for old in found:
                    after = after.replace(old, tokens[old])
                _written(file, after)
            missing -= found
        except (OSError, UnicodeDecodeError):
            continue  # a file that cannot be written keeps its old tokens, and they stay missing
    return not missing


def _written(file: Path, text: str) -> None:
    """The whole file or none of it, with the mode that it has."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        temporary.chmod(file.stat().st_mode & 0o777)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
