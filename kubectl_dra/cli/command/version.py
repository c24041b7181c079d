"""`kubectl dra version`."""

import platform

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import OUTPUT, Run


@command(OUTPUT)
def version(run: Run) -> None:
    """Print the version of this tool."""
    from kubectl_dra import __version__

    run.environment.stdout.write(f"Client Version: v{__version__} {platform.python_version()}\n")
