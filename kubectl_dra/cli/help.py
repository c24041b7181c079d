"""The text of `--help`, laid out as kubectl does: what it is, examples, its own options, usage."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer.core import TyperOption

    from kubectl_dra.cli.dialect import KubectlCommand

WIDTH = 100
PROGRAM = "kubectl dra"
"""How people call it. kubectl finds the plugin by its file name, and usage texts say what the user typed."""

FOOTER = f'Use "{PROGRAM} options" for the options that all commands share: connection, source and output.'


def see_help(path: str) -> str:
    """kubectl's second line of a usage error; `path` is how the command is called."""
    return f"See '{path} --help' for usage."


def command_help(command: "KubectlCommand", path: str) -> str:
    """The help of one command; `path` is how it is called (`kubectl dra audit`)."""
    own = [option for option in command.options() if not option.hidden]
    parts = [(command.help or "").strip()]
    if command.examples:
        parts.append("Examples:\n" + textwrap.indent(command.examples, "  "))
    arguments = [(argument.human_readable_name.upper(), argument.help) for argument in command.arguments() if argument.help]
    if arguments:
        parts.append("Arguments:\n" + definitions(arguments))
    if own:
        parts.append("Options:\n" + definitions((spelling(option), _described(option)) for option in own))
    parts.append(f"Usage:\n  {' '.join([path, *_words(command), '[options]'])}")
    return "\n\n".join([*parts, FOOTER]) + "\n"


def group_help(about: str, commands: Iterable[tuple[str, str]], path: str) -> str:
    """The help of a group of commands: names and their line of help."""
    parts = [about, "Commands:\n" + definitions(commands), f"Usage:\n  {path} COMMAND [options]"]
    return "\n\n".join([*parts, f'Use "{path} COMMAND --help" for more about a command.\n{FOOTER}']) + "\n"


def definitions(rows: Iterable[tuple[str, str | None]], *, limit: int = 30) -> str:
    """Two columns, the second wrapped; a first that is longer than `limit` stands on a line of its own."""
    rows = list(rows)
    width = max((len(left) for left, _ in rows if len(left) <= limit), default=0)
    lines: list[str] = []
    for left, right in rows:
        wrapped = textwrap.wrap(right or "", WIDTH - width - 5, break_on_hyphens=False) or [""]
        if len(left) > width:
            lines.append(f"  {left}")
        else:
            lines.append(f"  {left:<{width}}   {wrapped.pop(0)}".rstrip())
        lines += [f"  {'':<{width}}   {line}" for line in wrapped]
    return "\n".join(lines)


def spelling(option: "TyperOption") -> str:
    """An option as it is listed: `-n, --namespace NAME`."""
    short = [name for name in option.opts if not name.startswith("--")]
    names = ", ".join([*short, *(name for name in option.opts if name.startswith("--"))])
    if option.is_flag:
        return names
    return f"{names} {option.metavar or _choices(option) or 'VALUE'}"


def _choices(option: "TyperOption") -> str:
    choices: Sequence[str] = getattr(option.type, "choices", ())
    return "|".join(map(str, choices))


def _described(option: "TyperOption") -> str:
    default = option.default
    if option.show_default is False or default is None or default == "" or default is False or callable(default):
        return option.help or ""
    text = str(getattr(default, "value", default)).lower() if default is True else str(getattr(default, "value", default))
    return f"{option.help or ''} [default: {text}]".strip()


def _words(command: "KubectlCommand") -> Iterable[str]:
    for argument in command.arguments():
        name = argument.human_readable_name.upper()
        if name.startswith("["):
            yield name
            continue
        many = f"{name}..." if argument.nargs == -1 else name
        yield many if argument.required else f"[{many}]"
