"""`kubectl dra rbac`."""

from typing import TYPE_CHECKING, Annotated

import typer

from kubectl_dra.cli.dialect import command
from kubectl_dra.cli.options import Run
from kubectl_dra.errors import UsageError

if TYPE_CHECKING:
    from kubectl_dra.knowledge.permissions import Resource


def _commands(incomplete: str) -> list[str]:
    from kubectl_dra.knowledge.permissions import commands

    return [name for name in commands() if name.startswith(incomplete)]


@command(
    examples="""
    # Allow all that reads
    kubectl dra rbac | kubectl apply -f -

    # Only what the audit needs, for the service account ci in namespace tools
    kubectl dra rbac audit | kubectl apply -f -
    kubectl create clusterrolebinding dra-audit --clusterrole=kubectl-dra-audit --serviceaccount=tools:ci
    """,
)
def rbac(
    run: Run,
    commands: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND...]", help="The commands to allow; all without one.", autocompletion=_commands),
    ] = None,
    custom_workloads: Annotated[
        bool, typer.Option("--custom-workloads", help="Allow reading the custom kinds that make pods (JobSet, RayJob, ...), too.")
    ] = True,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FORMAT", help="yaml or json.")] = "yaml",
) -> None:
    """Print the least ClusterRole that commands need.

    Commands that look need only get and list; the verbs of migrate-node are those of its steps, each of which its preflight asks for. No
    role allows secrets or anything of the kubelets; whoever may read pods sees what stands in them in clear text.
    Rules for custom kinds grant nothing where the cluster does not serve them; --custom-workloads=false leaves them out, and then
    workloads of such kinds that have no pods are not known. Without a permission, a command says what it could not look at.
    """
    from kubectl_dra.knowledge import permissions
    from kubectl_dra.report import formats
    from kubectl_dra.report.cluster_role import cluster_role

    if output not in ("yaml", "json"):
        raise UsageError(f'invalid argument "{output}" for "-o, --output" flag: must be yaml or json')
    names = tuple(dict.fromkeys(commands or permissions.commands()))
    unknown = next((name for name in names if name not in permissions.commands()), None)
    if unknown is not None:
        hint = f"Commands that read a cluster: {', '.join(permissions.commands())}."
        raise UsageError(f'"{unknown}" is no command that needs permissions', hint=hint)
    rules = permissions.rules_of(names, _custom() if custom_workloads else ())
    role = cluster_role("-".join(("kubectl-dra", *(names if commands else ()))), rules)
    formats.put(formats.serialized(role, output), run.environment)


def _custom() -> "tuple[Resource, ...]":
    """The custom kinds that this tool knows, as roles name them."""
    from kubectl_dra.knowledge.permissions import Resource
    from kubectl_dra.knowledge.workloads import custom_kinds

    return tuple(Resource(kind.plural or f"{kind.kind.lower()}s", kind.group) for kind in custom_kinds())
