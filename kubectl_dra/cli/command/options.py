"""`kubectl dra options`."""

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.help import definitions
from kubectl_dra.cli.options import GROUPS, Run, SharedOption
from kubectl_dra.report.formats import put


@command()
def options(run: Run) -> None:
    """List the options that commands share, before or after the command.

    Those of the connection and -v may be given to every command; the others to every command that reads, narrows or prints.
    """
    sections = [f"{group.title}:\n{definitions((_spelling(option), option.help) for option in group.options)}" for group in GROUPS]
    put("\n\n".join(sections) + "\n", run.environment)


def _spelling(option: SharedOption) -> str:
    short = f"-{option.short}, " if option.short else "    "
    return f"{short}--{option.flag} {option.metavar}".rstrip()
