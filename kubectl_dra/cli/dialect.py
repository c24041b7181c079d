"""Commands on typer with kubectl's dialect: `pflag` reads the words, typer converts and checks the values.

    @command(SCOPE, SOURCE, OUTPUT, examples="# ...")
    def inventory(run: Run, by: Annotated[By, typer.Option("--by", help="...")] = By.NAME) -> ExitStatus | None:
        '''One line.

        The rest of the help text.
        '''

The first parameter gets the shared options as a `Run`: those of the connection and `-v`, which every command takes as kubectl's do,
and those of the groups that it names. The other parameters are typer's. What comes out is a click command.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, get_type_hints

import typer
import typer.main
from typer.core import TyperArgument, TyperCommand, TyperOption

from kubectl_dra.cli.help import command_help, see_help
from kubectl_dra.cli.options import CONNECTION, HELP, TALK, Group, Run, SharedOption
from kubectl_dra.cli.pflag import TRUE, Flag, Flags, Parsed, bool_flag
from kubectl_dra.errors import UsageError
from kubectl_dra.exit_status import ExitStatus
from kubectl_dra.report import formats

BARE: Mapping[str, str] = {"dry-run": "client"}
"""Flags whose value may be left out, and what they mean then."""


class KubectlCommand(TyperCommand):
    """A command whose words are read by `pflag`."""

    examples: str = ""
    formats: tuple[str, ...] = ()

    def flags(self) -> Flags:
        """Its flags, shared ones included."""
        return Flags([*(_flag(option) for option in self.options()), HELP])

    def options(self) -> list[TyperOption]:
        """Its options, shared ones included."""
        return [param for param in self.params if isinstance(param, TyperOption)]

    def arguments(self) -> list[TyperArgument]:
        """Its positional parameters."""
        return [param for param in self.params if isinstance(param, TyperArgument)]

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the words, then let every parameter convert and check what it was given.

        Raises UsageError, in kubectl's words and with the pointer to `--help`.
        """
        try:
            parsed = self.flags().parse(args)
            if parsed.is_true(HELP.name):
                formats.put(command_help(self, ctx.command_path.rstrip()), ctx.obj)
                raise typer.Exit(ExitStatus.OK)
            self._convert(ctx, parsed)
        except UsageError as error:
            raise UsageError(error.message, hint=error.hint or see_help(ctx.command_path.rstrip())) from error
        return []

    def _convert(self, ctx: typer.Context, parsed: Parsed) -> None:
        given: dict[str, object] = dict(_option_values(self.options(), parsed))
        given |= _argument_values(self.arguments(), parsed.words)
        params: list[TyperArgument | TyperOption] = [*self.arguments(), *self.options()]
        for param in params:
            if param.required and param.name not in given:
                raise UsageError(f"{_title(param)} is required")
            try:
                param.handle_parse_result(ctx, given, [])
            except typer.BadParameter as error:
                raise UsageError(_bad_value(param, given.get(str(param.name)), error)) from error


def command(
    *groups: Group, examples: str = "", formats: tuple[str, ...] = ()
) -> Callable[[Callable[..., ExitStatus | None]], KubectlCommand]:
    """Make a command of a function. `examples` is shown in its help as it stands (dedented), `formats` are words for -o that only it has.

    The function returns its status; None is OK.
    """

    def decorate(function: Callable[..., ExitStatus | None]) -> KubectlCommand:
        app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
        shared = [option for group in (CONNECTION, *groups, TALK) for option in group.options]
        app.command(function.__name__.strip("_").replace("_", "-"), cls=KubectlCommand, add_help_option=False)(
            _with_run(function, shared, formats)
        )
        made = typer.main.get_command(app)
        if not isinstance(made, KubectlCommand):
            raise TypeError(f"typer made a {type(made).__name__} of {function.__name__}")
        made.examples = inspect.cleandoc(examples)
        made.formats = formats
        return made

    return decorate


_PREFIX = "shared_"
"""Keeps the names of shared parameters apart from a command's own."""


def _with_run(
    function: Callable[..., ExitStatus | None], shared: Sequence[SharedOption], own_formats: tuple[str, ...]
) -> Callable[..., ExitStatus | None]:
    """`function` with its first parameter replaced by the shared options, in the form that typer reads: signature and annotations."""
    hints = get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name], kind=p.KEYWORD_ONLY) for p in list(inspect.signature(function).parameters.values())[1:]]

    def call(typer_context: typer.Context, **values: Any) -> ExitStatus | None:  # noqa: ANN401 (typer's values, by name)
        run = Run(environment=typer_context.obj, **{option.name: _plain(option, values[_PREFIX + option.name]) for option in shared})
        if run.output:
            formats.find(run.output, own_formats)  # nonsense is told before a cluster is read
        return function(run, **{p.name: values[p.name] for p in own})

    parameters = [
        inspect.Parameter("typer_context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *own,
        *(_parameter(option) for option in shared),
    ]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__doc__ = function.__doc__
    call.__name__ = function.__name__
    return call


def _parameter(option: SharedOption) -> inspect.Parameter:
    spellings = [f"--{option.flag}", *([f"-{option.short}"] if option.short else [])]
    declared = typer.Option(*spellings, metavar=option.metavar or None, help=option.help, hidden=True)
    annotated: Any = Annotated[(option.takes | None, declared)]
    return inspect.Parameter(_PREFIX + option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=annotated)


def _plain(option: SharedOption, value: object) -> Any:  # noqa: ANN401 (one of the types of SharedOption)
    """A Run's value: what was not said is empty, and all of it is frozen."""
    if option.takes is bool:
        return bool(value)
    if option.takes == list[str]:
        return tuple(value) if isinstance(value, list) else ()
    return value


def _flag(option: TyperOption) -> Flag:
    name = next((spelling[2:] for spelling in option.opts if spelling.startswith("--")), "")
    short = next((spelling[1:] for spelling in option.opts if not spelling.startswith("--")), "")
    if option.is_flag:
        return bool_flag(name, short)
    return Flag(name, short, bare=BARE.get(name))


def _option_values(options: Sequence[TyperOption], parsed: Parsed) -> dict[str, object]:
    """What typer expects: True or False, a list for repeated options, else the last word."""
    values: dict[str, object] = {}
    for option in options:
        given = parsed.values.get(_flag(option).name)
        if given is None:
            continue
        if option.is_flag:
            values[str(option.name)] = given[-1] in TRUE
        else:
            values[str(option.name)] = given if option.multiple else given[-1]
    return values


def _argument_values(arguments: Sequence[TyperArgument], words: Sequence[str]) -> dict[str, object]:
    """Give each argument its word; the one that takes many gets what the others leave. Raises UsageError for words too many."""
    values: dict[str, object] = {}
    left = list(words)
    for position, argument in enumerate(arguments):
        if argument.nargs == 1:
            if left:
                values[str(argument.name)] = left.pop(0)
            continue
        after = len(arguments) - position - 1
        many, left = (left[: len(left) - after], left[len(left) - after :]) if after < len(left) else ([], left)
        if many:
            values[str(argument.name)] = tuple(many)
    if left:
        raise UsageError(f'unexpected argument "{left[0]}"')
    return values


def _title(param: TyperArgument | TyperOption) -> str:
    return f'flag "{_flag(param).title}"' if isinstance(param, TyperOption) else f"argument {param.human_readable_name.upper()}"


WANTED: Mapping[str, str] = {"int": "must be a whole number", "float": "must be a number"}
"""What a value has to be, by the name of typer's type."""


def _bad_value(param: TyperArgument | TyperOption, value: object, error: typer.BadParameter) -> str:
    words = value if isinstance(value, list | tuple) else [value]
    choices: Sequence[str] = getattr(param.type, "choices", ())
    wrong = next((word for word in words if str(word) not in choices), words[-1])
    reason = _alternatives(choices) if choices else WANTED.get(param.type.name, error.message.rstrip("."))
    place = f'"{_flag(param).title}" flag' if isinstance(param, TyperOption) else param.human_readable_name.upper()
    return f'invalid argument "{wrong}" for {place}: {reason}'


def _alternatives(choices: Sequence[str]) -> str:
    *others, last = map(str, choices)
    return f"must be {', '.join(others)} or {last}" if others else f"must be {last}"
