"""The words with which a call can be made again: what was said, without what only this one call was about."""

import shlex
from collections.abc import Collection, Mapping
from enum import Enum
from typing import TYPE_CHECKING

from kubectl_dra.cli.options import CONNECTION, Run

if TYPE_CHECKING:
    from kubectl_dra.cli.dialect import KubectlCommand

SECRETS = frozenset({"token"})
"""Never repeated: what is printed lands in logs."""


def repeated(command: "KubectlCommand", values: Mapping[str, object], run: Run, *, without: Collection[str]) -> tuple[str, ...]:
    """The options that were given other values than their defaults, ready for a shell: connection first, then the command's own.

    `values` are those of the command's parameters by name, `without` the names of those to leave out.
    """
    words: list[str] = []
    for option in CONNECTION.options:
        value = getattr(run, option.name)
        if value and value != option.default and option.name not in SECRETS:
            words += _words(option.flag, value)
    for own in command.options():
        name = str(own.name)
        if not own.hidden and name in values and name not in without and values[name] not in (None, own.default):
            flag = next(spelling[2:] for spelling in own.opts if spelling.startswith("--"))
            words += _words(flag, values[name])
    return tuple(words)


def _words(flag: str, value: object) -> list[str]:
    match value:
        case bool():
            return [f"--{flag}" if value else f"--{flag}=false"]
        case list() | tuple():
            return [word for each in value for word in _words(flag, each)]
        case Enum():
            return [f"--{flag}", shlex.quote(str(value.value))]
        case _:
            text = shlex.quote(str(value))
            return [f"--{flag}={text}"] if text.startswith("-") else [f"--{flag}", text]
