"""What could stand at one place of a command line: values of flags, words of commands, names in the cluster."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntFlag
from typing import TYPE_CHECKING, NamedTuple

from kubectl_dra.cli.cluster_names import NAMESPACES, Names, names_for
from kubectl_dra.cli.options import GROUPS
from kubectl_dra.cli.pflag import Flag
from kubectl_dra.environment import Environment

if TYPE_CHECKING:
    from typer.core import TyperArgument, TyperOption

    from kubectl_dra.cli.dialect import KubectlCommand


class Directive(IntFlag):
    """What the shell is to do with the candidates (cobra: completions.go, ShellCompDirective)."""

    DEFAULT = 0
    """File names, if there are no candidates."""
    NO_SPACE = 2
    NO_FILES = 4


class Candidate(NamedTuple):
    """A word that could stand there, and what it means."""

    word: str
    help: str = ""


class Completion(NamedTuple):
    """All of them, and the directive."""

    candidates: Sequence[Candidate]
    directive: Directive = Directive.NO_FILES

    def text(self) -> str:
        """As cobra prints it: a candidate a line, its help after a tab, the directive last."""
        lines = [f"{word}\t{meaning}" if meaning else word for word, meaning in self.candidates]
        return "".join(f"{line}\n" for line in (*lines, f":{int(self.directive)}"))


FILES = Completion((), Directive.DEFAULT)


def of_shared(given: Mapping[str, str], waiting: Flag | None, current: str, environment: Environment) -> Completion:
    """Before the command's name: shared flags, or the value of one."""
    if waiting is not None:
        return _shared_value(waiting.name, given, current, environment) or Completion(())
    name, equals, value = current.removeprefix("--").partition("=")
    if equals:
        return _shared_value(name, given, value, environment) or Completion(())
    options = [option for group in GROUPS for option in group.options]
    return Completion([Candidate(f"--{option.flag}", option.help) for option in options if f"--{option.flag}".startswith(current)])


def of_value(command: "KubectlCommand", flag: Flag, given: Mapping[str, str], current: str, environment: Environment) -> Completion:
    """The value of one of a command's flags."""
    option = next((option for option in command.options() if flag_name(option) == flag.name), None)
    if option is None:
        return Completion(())
    if flag.bool_:
        return Completion([Candidate(word) for word in ("true", "false") if word.startswith(current)])
    if (names := names_for(command.name or "", str(option.name))) is not None:
        return _in_cluster(names, given, current, environment)
    if option.hidden and (shared := _shared_value(flag.name, given, current, environment, command.formats)):
        return shared
    return _of_parameter(command, option, current, environment)


def of_word(command: "KubectlCommand", position: int, given: Mapping[str, str], current: str, environment: Environment) -> Completion:
    """The word at `position` (from 0) behind the command's name."""
    arguments = command.arguments()
    many = next((argument for argument in arguments if argument.nargs == -1), None)
    argument = arguments[position] if position < len(arguments) else many
    if argument is None:
        return Completion(())
    if (names := names_for(command.name or "", str(argument.name))) is not None:
        return _in_cluster(names, given, current, environment)
    return _of_parameter(command, argument, current, environment)


def _in_cluster(wanted: Names, given: Mapping[str, str], current: str, environment: Environment) -> Completion:
    """Names in the cluster; of a list with commas the last one is completed."""
    from kubectl_dra.cli.names_asked import names

    if given.get("from") or "demo" in given:
        return Completion(())  # no cluster is meant
    before = current[: current.rfind(",") + 1]
    found = names(wanted, given, environment)
    return Completion([Candidate(before + name) for name in found if name.startswith(current.removeprefix(before))])


def flag_name(option: "TyperOption") -> str:
    """An option's long name."""
    return next((spelling[2:] for spelling in option.opts if spelling.startswith("--")), "")


def _of_parameter(
    command: "KubectlCommand", parameter: "TyperOption | TyperArgument", current: str, environment: Environment
) -> Completion:
    """What typer knows: choices of an enum, and the `autocompletion` that a command declares."""
    import typer

    context = typer.Context(command, info_name=command.name, obj=environment, resilient_parsing=True)
    found = [Candidate(item.value, item.help or "") for item in parameter.shell_complete(context, current)]
    if not found and parameter.metavar in ("FILE", "DIR", "PATH", "[FILE]"):
        return FILES
    return Completion(found)


def _shared_value(
    name: str, given: Mapping[str, str], current: str, environment: Environment, own_formats: Sequence[str] = ()
) -> Completion | None:
    """Values of shared flags; None for a flag that is not known here."""
    if name == "output":
        words = _formats(own_formats)
        directive = Directive.NO_FILES | (Directive.NO_SPACE if current.startswith("jsonpath") else Directive.DEFAULT)
        return Completion([Candidate(word) for word in words if word.startswith(current)], directive)
    if name == "namespace":
        return _in_cluster(NAMESPACES, given, current, environment)
    if name in _KUBECONFIG_NAMES:
        return Completion([Candidate(word) for word in _KUBECONFIG_NAMES[name](given, environment) if word.startswith(current)])
    option = next((option for group in GROUPS for option in group.options if option.flag == name), None)
    if option is None:
        return None
    return FILES if option.metavar == "FILE" else Completion(())


def _formats(own: Sequence[str]) -> Iterable[str]:
    from kubectl_dra.report.formats import PLAIN, TEMPLATES

    return [*filter(None, PLAIN), *own, *(f"{name}=" for name in TEMPLATES)]


def _names(kind: str) -> Callable[[Mapping[str, str], Environment], Iterable[str]]:
    def names(given: Mapping[str, str], environment: Environment) -> Iterable[str]:
        from kubectl_dra.kubeconfig.files import read_all
        from kubectl_dra.kubeconfig.merge import merged

        config = merged(read_all(given.get("kubeconfig", ""), environment.variables))
        return sorted({"context": config.contexts, "cluster": config.clusters, "user": config.users}[kind])

    return names


_KUBECONFIG_NAMES: Mapping[str, Callable[[Mapping[str, str], Environment], Iterable[str]]] = {
    kind: _names(kind) for kind in ("context", "cluster", "user")
}
