"""A group of commands that are imported when they are called."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

import typer
import typer.core

from kubectl_dra.cli.commands import ABOUT, COMMANDS, Entry
from kubectl_dra.cli.help import PROGRAM, group_help, see_help
from kubectl_dra.cli.options import HELP, shared_flags
from kubectl_dra.errors import UsageError
from kubectl_dra.report.formats import put

if TYPE_CHECKING:
    from typer.core import TyperCommand, TyperGroup

    Command = TyperCommand | TyperGroup


def root() -> "LazyGroup":
    """The group of all commands."""
    return LazyGroup(PROGRAM, ABOUT, COMMANDS)


class LazyGroup(typer.core.TyperGroup):
    """Commands by name. Shared flags before the command's name are handed to the command, so that none is dropped or misread."""

    def __init__(self, name: str, about: str, table: Mapping[str, Entry]) -> None:
        """Take the group's name, its text and its table."""
        super().__init__(name=name, help=about, add_help_option=False)
        self.table = table

    @property
    def default(self) -> "Command | None":
        """The command that takes words which are no command's name, in a group that has one."""
        return None

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The names, in the table's order."""
        return list(self.table)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> "Command | None":  # type: ignore[override]
        """Import a command; None if there is none of that name."""
        return self.find(cmd_name)

    def find(self, name: str) -> "Command | None":
        """The same, for who has no context."""
        entry = self.table.get(name)
        if entry is None:
            return None
        found: Command = getattr(importlib.import_module(entry.module), entry.attribute)
        return found

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put the command's name first and the flags that stood before it after it. Without a name, print the help."""
        try:
            parsed = shared_flags().parse(args, mixed=False)
        except UsageError as error:
            raise UsageError(error.message, hint=error.hint or see_help(ctx.command_path)) from error
        head = len(args) - len(parsed.rest) - parsed.ended
        name, *after = _help_last(parsed.rest) or [""]
        if name in ("", f"--{HELP.name}"):
            self._print_help(ctx)
        return super().parse_args(ctx, [name, *args[:head], *after])

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str, "Command", list[str]]:  # type: ignore[override]
        """The command of the first word. Raises UsageError with what it may have been meant to be."""
        name, *rest = args
        found = self.get_command(ctx, name)
        if found is None:
            near = get_close_matches(name, self.table, n=1)
            hint = f'Did you mean "{near[0]}"?' if near else f"See '{ctx.command_path} --help' for the commands."
            raise UsageError(f'unknown command "{name}" for "{ctx.command_path}"', hint=hint)
        return name, found, rest

    def _print_help(self, ctx: typer.Context) -> None:
        rows = [(name, entry.help) for name, entry in self.table.items()]
        put(group_help(self.help or "", rows, ctx.command_path), ctx.obj)
        raise typer.Exit(0)


def _help_last(words: list[str]) -> list[str]:
    """`help audit` is `audit --help`."""
    return [*(word for word in words if word != "help"), f"--{HELP.name}"] if words[:1] == ["help"] else words
