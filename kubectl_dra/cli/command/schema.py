"""`kubectl dra schema`."""

from typing import Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import Run


def _kinds(incomplete: str) -> list[str]:
    from kubectl_dra.report.schema import KINDS

    return [kind for kind in KINDS if kind.lower().startswith(incomplete.lower())]


@command(
    examples="""
    # The kinds of documents
    kubectl dra schema

    # What `kubectl dra inventory -o json` prints
    kubectl dra schema Inventory
    """,
)
def schema(
    run: Run,
    kind: Annotated[str, typer.Argument(help="The kind of document; without one, list them.", autocompletion=_kinds)] = "",
) -> None:
    """Print the JSON Schema of a document that commands write with -o json or -o yaml."""
    from kubectl_dra.report import formats
    from kubectl_dra.report import schema as schemas

    text = formats.serialized(schemas.schema(kind), "json") if kind else "".join(f"{name}\n" for name in schemas.KINDS)
    formats.put(text, run.environment)
