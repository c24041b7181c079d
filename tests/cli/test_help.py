"""Help, and that it stays cheap: it is what completion and newcomers meet first."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from kubectl_dra.cli.commands import ABOUT, COMMANDS
from kubectl_dra.cli.dialect import KubectlCommand
from kubectl_dra.cli.lazy import LazyGroup, root
from kubectl_dra.cli.taint_group import TaintGroup
from tests.cli.probe import call
from tests.run import Result

FOOTER = 'Use "kubectl dra options" for the options that all commands share: connection, source and output.\n'


@pytest.mark.parametrize("argv", [(), ("--help",), ("-h",), ("help",), ("--context", "x"), ("--help", "--context=x"), ("help", "help")])
def test_the_root_lists_the_table(kubectl_dra: Callable[..., Result], argv: tuple[str, ...]) -> None:
    result = kubectl_dra(*argv)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{ABOUT}\n\nCommands:\n  inventory ")
    for name, entry in COMMANDS.items():
        assert f"  {name:<12}   {entry.help}\n" in result.stdout
    assert result.stdout.endswith(FOOTER)


def test_a_commands_help() -> None:
    result = call("probe", "--help")
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == (
        "Tell how it was called.\n"
        "\n"
        "In two paragraphs.\n"
        "\n"
        "Examples:\n"
        "  kubectl dra probe --by node\n"
        "\n"
        "Arguments:\n"
        "  THINGS   Things to look at.\n"
        "\n"
        "Options:\n"
        "  --by name|node|pod   What a row is. [default: name]\n"
        "  -c, --count VALUE    How many. [default: 1]\n"
        "  --wait               Wait for it. [default: true]\n"
        "  --dry-run VALUE      client or server. [default: none]\n"
        "  --resource VALUE     Names.\n"
        "\n"
        "Usage:\n"
        "  kubectl dra probe [THINGS...] [options]\n"
        "\n" + FOOTER
    )


@pytest.mark.parametrize(
    "argv",
    [
        ("probe", "-h"),
        ("help", "probe"),
        ("--help", "probe"),
        ("probe", "a", "--help", "--by=node"),
        ("-h", "-n", "x", "probe"),
    ],
)
def test_help_in_other_places(argv: tuple[str, ...]) -> None:
    assert call(*argv) == call("probe", "--help")


def test_help_of_a_command_in_a_group() -> None:
    assert "Usage:\n  kubectl dra inner needy NODE [options]\n" in call("inner", "needy", "--help").stdout
    assert call("help", "inner", "needy") == call("inner", "needy", "--help")


def test_help_does_not_excuse_an_unknown_flag() -> None:
    assert call("probe", "--help", "--foo").code == 2


def commands(group: LazyGroup | None = None) -> Iterator[tuple[str, KubectlCommand]]:
    """All commands by the words that call them, those in groups too."""
    for name in (group or root()).table:
        command = (group or root()).find(name)
        if isinstance(command, LazyGroup):
            yield from ((f"{name} {inner}", each) for inner, each in commands(command))
        else:
            assert isinstance(command, KubectlCommand)
            yield name, command
    if isinstance(group, TaintGroup):
        yield "KEY:EFFECT", group.make


def test_every_command_of_the_table_is_there() -> None:
    for name, command in commands():
        assert command.name == name.rpartition(" ")[2] or name.endswith("KEY:EFFECT")
        assert command.help


def test_no_command_takes_a_name_from_the_shared_options() -> None:
    for name, command in commands():
        spellings = [spelling for option in command.options() for spelling in option.opts]
        assert len(spellings) == len(set(spellings)), name


SLOW = ("rich", "yaml", "urllib3", "kubernetes", "jsonpath_ng", "ssl", "importlib.metadata", "pygments", "kubectl_dra.reading")
"""What help and completion have no use for, and what costs more than all of them."""


def imported_slowly(module: str, argv: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a console script's `main`; it leaves on stderr which of the slow modules it has imported."""
    report = f"print(*(set({SLOW}) & set(sys.modules)), file=sys.stderr)"
    program = f"import sys; from {module} import main\ntry: main()\nfinally: {report}"
    return subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("argv", [[], *([name, "--help"] for name in COMMANDS), ["taint", "wait", "--help"], ["options"]])
def test_help_imports_nothing_slow(argv: list[str]) -> None:
    done = imported_slowly("kubectl_dra.cli.main", argv)
    assert (done.returncode, done.stderr.strip()) == (0, "")


@pytest.mark.parametrize("argv", [[""], ["aud"], ["--con"], ["version", "-o", ""], ["rbac", "--"], ["schema", ""]])
def test_completion_imports_nothing_slow(argv: list[str]) -> None:
    done = imported_slowly("kubectl_dra.cli.complete", argv)
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_completion_of_the_first_word_does_without_typer() -> None:
    program = "import sys; from kubectl_dra.cli.complete import main\ntry: main()\nfinally: print('typer' in sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program, ""], capture_output=True, text=True, check=False)
    assert done.stderr == "False\n"
