"""The group `taint`, whose first word is a taint or a sub-command: a taint has a colon."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

import typer
import typer.core

from kubectl_dra.cli.commands import Entry
from kubectl_dra.cli.help import command_help, definitions, see_help
from kubectl_dra.cli.lazy import LazyGroup
from kubectl_dra.cli.options import HELP, shared_flags
from kubectl_dra.errors import UsageError
from kubectl_dra.report.formats import put

if TYPE_CHECKING:
    from kubectl_dra.cli.dialect import KubectlCommand
    from kubectl_dra.cli.lazy import Command

_MAKE = ":"
"""Stands first where the words are for the command that makes a rule. Nobody can type it as a sub-command."""
_LIKE_A_KEY = frozenset("=/.")


class TaintGroup(LazyGroup):
    """Sub-commands by name; a taint, or options alone, are for the command that makes a rule."""

    def __init__(self, table: Mapping[str, Entry], make: "KubectlCommand") -> None:
        """Take the table of sub-commands, and the command that makes a rule."""
        super().__init__("taint", make.help or "", table)
        self.make = make

    @property
    def default(self) -> "Command":
        """The command that makes a rule."""
        return self.make

    def find(self, name: str) -> "Command | None":
        """A sub-command; for a taint the command that makes a rule."""
        return self.make if _MAKE in name else super().find(name)

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put the sub-command's name first; words that have none are for the command that makes a rule.

        Raises UsageError for a first word that is neither a taint nor a sub-command.
        """
        if args in ([], ["help"]) or self._wants_help(args):
            self._print_help(ctx)
        if args[0] == "help":
            return super().parse_args(ctx, args)
        word = self._first_word(ctx, args)
        if word is None or _MAKE in word:
            return super(LazyGroup, self).parse_args(ctx, [_MAKE, *args])
        if word not in self.table:
            raise self._unknown(ctx, word)
        rest = list(args)
        rest.remove(word)
        return super().parse_args(ctx, [word, *rest])

    @staticmethod
    def _wants_help(args: list[str]) -> bool:
        """Whether nothing but shared options and `--help` is there."""
        try:
            parsed = shared_flags().parse(args, mixed=False)
        except UsageError:
            return False
        return not parsed.rest and parsed.is_true(HELP.name)

    def _first_word(self, ctx: typer.Context, args: list[str]) -> str | None:
        """The first word that is no flag and no flag's value; flags of a sub-command may follow it, and are not read here."""
        try:
            before = shared_flags().parse(args, mixed=False)
            if before.rest and not before.rest[0].startswith("-"):
                return before.rest[0]
        except UsageError:
            pass  # a flag of the command's own stands before the word
        try:
            words = self.make.flags().parse(args).words
        except UsageError as error:
            raise UsageError(error.message, hint=error.hint or see_help(ctx.command_path)) from error
        return words[0] if words else None

    def _unknown(self, ctx: typer.Context, word: str) -> UsageError:
        near = get_close_matches(word, self.table, n=1)
        if near and not _LIKE_A_KEY & set(word):
            return UsageError(f'unknown command "{word}" for "{ctx.command_path}"', hint=f'Did you mean "{near[0]}"?')
        if _LIKE_A_KEY & set(word):
            effects = f"{word}:NoSchedule, {word}:NoExecute or {word}:None"
            return UsageError(f'"{word}" looks like a taint without its effect', hint=f"Write {effects}.")
        hint = f"A taint has a colon; the commands are {', '.join(self.table)}. See '{ctx.command_path} --help'."
        return UsageError(f'"{word}" is neither a taint (KEY[=VALUE]:EFFECT) nor a command of "{ctx.command_path}"', hint=hint)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str, "Command", list[str]]:  # type: ignore[override]
        """The sub-command, or the command that makes a rule, which has the group's own name."""
        if args[0] == _MAKE:
            return "", self.make, args[1:]
        return super().resolve_command(ctx, args)

    def _print_help(self, ctx: typer.Context) -> None:
        text = command_help(self.make, ctx.command_path)
        before, usage, after = text.partition("\n\nUsage:\n")
        commands = definitions((name, entry.help) for name, entry in self.table.items())
        put(f"{before}\n\nCommands for rules that exist:\n{commands}{usage}{after}", ctx.obj)
        raise typer.Exit(0)
