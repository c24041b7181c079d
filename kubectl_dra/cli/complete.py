"""Completion: the words so far in, candidates and cobra's directive out. kubectl runs it as `kubectl_complete-dra`.

It is run at every press of a key, so it reads the table of commands, imports the one command that is being completed, and asks the
cluster for names only where some could stand. It says nothing on stderr, which is the user's terminal; when something goes wrong it
has no candidates.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubectl_dra.cli import candidates
from kubectl_dra.cli.candidates import Candidate, Completion
from kubectl_dra.cli.commands import COMMANDS
from kubectl_dra.cli.options import shared_flags
from kubectl_dra.cli.pflag import Flag, Flags
from kubectl_dra.environment import Environment

if TYPE_CHECKING:
    from kubectl_dra.cli.dialect import KubectlCommand


def main() -> None:
    """The console script `kubectl_complete-dra`."""
    sys.exit(run(sys.argv[1:], Environment.of_process()))


def run(words: Sequence[str], environment: Environment) -> int:
    """Print what the last of `words`, perhaps empty or half written, could become. Status 1, and nothing printed, after a fault."""
    try:
        environment.stdout.write(complete(words, environment).text())
        environment.stdout.flush()
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 (nobody wants a traceback while typing)
        return 1
    return 0


class Before(NamedTuple):
    """What stands before the word that is being completed: plain words, flags with their last value, a flag that waits for one."""

    words: list[str]
    given: Mapping[str, str]
    waiting: Flag | None = None
    ended: bool = False


def read(flags: Flags, words: Sequence[str], *, mixed: bool = True) -> tuple[Before, list[str]]:
    """Read words as `pflag` does, but forgivingly: unknown flags count as ones that stand alone.

    Without `mixed`, reading stops behind the first plain word; what follows is returned beside.
    """
    plain: list[str] = []
    given: dict[str, str] = {}
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if word == "--":
            return Before([*plain, *queue], given, ended=True), []
        if len(word) < len("-x") or word[0] != "-":
            plain.append(word)
            if not mixed:
                break
            continue
        flag, value = _flag_of(flags, word)
        if flag is None:
            continue
        if value is None and flag.bare is None:
            if not queue:
                return Before(plain, given, waiting=flag), []
            value = queue.pop(0)
        given[flag.name] = value or ""
    return Before(plain, given), queue


def _flag_of(flags: Flags, word: str) -> tuple[Flag | None, str | None]:
    """The last flag of a word, and the value that the word has for it."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        return flags.by_name.get(name), value if equals else None
    for position, letter in enumerate(word[1:], 2):
        flag = flags.by_short.get(letter)
        if flag is None or flag.bare is None or position == len(word):
            return flag, word[position:].removeprefix("=") or None
    return None, None


def complete(words: Sequence[str], environment: Environment) -> Completion:
    """The candidates for the last of `words`."""
    *earlier, current = words or [""]
    before, rest = read(shared_flags(), earlier, mixed=False)
    names = before.words
    if not names or names == ["help"]:
        if before.waiting or current.startswith("-"):
            return candidates.of_shared(before.given, before.waiting, current, environment)
        return Completion([Candidate(name, entry.help) for name, entry in COMMANDS.items() if name.startswith(current)])
    command, groups_own, rest = _command(names[0], rest)
    words_of_group = [] if current.startswith("-") else [each for each in groups_own if each.word.startswith(current)]
    if command is None:
        return Completion(words_of_group)
    inside, _ = read(command.flags(), rest)
    found = _of_command(command, inside._replace(given={**before.given, **inside.given}), current, environment)
    return found if inside.waiting else found._replace(candidates=[*words_of_group, *found.candidates])


def _command(name: str, rest: list[str]) -> "tuple[KubectlCommand | None, list[Candidate], list[str]]":
    """The command that is being completed, the commands of its group if one of these may stand there instead, and the words behind."""
    from kubectl_dra.cli.dialect import KubectlCommand
    from kubectl_dra.cli.lazy import LazyGroup, root

    found = root().find(name)
    others: list[Candidate] = []
    while isinstance(found, LazyGroup):
        before, after = read(shared_flags(), rest, mixed=False)
        if before.words and before.words[0] in found.table:
            found, rest = found.find(before.words[0]), after
        else:
            others = [] if before.words else [Candidate(word, entry.help) for word, entry in found.table.items()]
            found = found.default
    return (found if isinstance(found, KubectlCommand) else None), others, rest


def _of_command(command: "KubectlCommand", before: Before, current: str, environment: Environment) -> Completion:
    if before.waiting is not None:
        return candidates.of_value(command, before.waiting, before.given, current, environment)
    if current.startswith("-") and not before.ended:
        name, equals, value = current.partition("=")
        flag = command.flags().by_name.get(name[2:]) if name.startswith("--") else command.flags().by_short.get(name[1:])
        if equals and flag is not None:
            return candidates.of_value(command, flag, before.given, value, environment)
        return Completion(list(_flags(command, before.given, current)))
    return candidates.of_word(command, len(before.words), before.given, current, environment)


def _flags(command: "KubectlCommand", given: Mapping[str, str], current: str) -> Iterable[Candidate]:
    """The command's flags, its own first, without those that are there already and may not be repeated."""
    for option in sorted(command.options(), key=lambda option: option.hidden):
        name = candidates.flag_name(option)
        if f"--{name}".startswith(current) and (option.multiple or name not in given):
            yield Candidate(f"--{name}", option.help or "")
