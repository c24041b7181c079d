"""The registry of `-o`. Each format turns a document and its view into text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from kubectl_dra.document import Document
from kubectl_dra.environment import Environment
from kubectl_dra.errors import OutputError, UsageError
from kubectl_dra.report import layout
from kubectl_dra.report.comma_separated import csv_text
from kubectl_dra.report.json_pieces import INDENT, pieces
from kubectl_dra.report.view import Grid, View

D = TypeVar("D", bound=Document)


@dataclass(frozen=True, slots=True)
class Page:
    """All that a format may want: the document, its view, the surroundings, and whether tables have headers."""

    document: Document
    view: View[Any]
    environment: Environment
    headers: bool = True


Format = Callable[[Page], str | Iterable[str]]


def write(document: D, output: str, environment: Environment, view: View[D], *, no_headers: bool = False) -> None:
    """Print `document` as `-o OUTPUT` says (empty is `table`).

    A reader that has left (a closed pipe) changes nothing about the answer: the command goes on to its status.
    Raises UsageError for an unknown format or a template that does not fit, OutputError when stdout cannot be written.
    """
    chosen = find(output, view.formats)
    put(chosen(Page(document, view, environment, headers=not no_headers)), environment)


def put(text: str | Iterable[str], environment: Environment) -> None:
    """Write to stdout at once, a long text in pieces. A reader that has left is no error; a full disk is (OutputError)."""
    try:
        for piece in (text,) if isinstance(text, str) else text:
            environment.stdout.write(piece)
        environment.stdout.flush()
    except BrokenPipeError:
        return
    except OSError as error:
        raise OutputError(f"cannot write the output: {error.strerror}") from error


def find(output: str, more: Iterable[str] = ()) -> Format:
    """The format that `-o OUTPUT` names; `more` are those that only this document has. Raises UsageError for one that does not exist."""
    own = tuple(more)
    if output in own:
        return lambda page: page.view.formats[output](page.document)
    name, equals, argument = output.partition("=")
    if not equals and name in PLAIN:
        return PLAIN[name]
    if name in TEMPLATES:
        if not argument:
            raise UsageError("template format specified but no template given", hint=f"Use -o {name}=TEMPLATE.")
        return TEMPLATES[name](argument)
    allowed = ",".join([*filter(None, PLAIN), *own, *TEMPLATES])
    raise UsageError(f'unable to match a printer suitable for the output format "{output}", allowed formats are: {allowed}')


def for_people(output: str) -> bool:
    """True for the tables, beside which a word on stderr helps. Scripts that take other formats see an empty answer as such."""
    return output in ("", "table", "wide", "markdown")


def serialized(value: object, language: str) -> str:
    """Anything made of Structs, lists and maps as `json` or `yaml`; whole, numbers exact."""
    if language == "json":
        return msgspec.json.format(msgspec.json.encode(value), indent=INDENT).decode() + "\n"
    from kubectl_dra.report.yaml import dump

    return dump(msgspec.to_builtins(value))


def _table(page: Page, *, wide: bool) -> str:
    from kubectl_dra.report.terminal import Brush

    environment = page.environment
    paint = Brush(environment.stdout, environment.variables)
    sections = page.view.sections(page.document, wide)
    return _joined(layout.lines(sections, paint, wide=wide, headers=page.headers))


def _markdown(page: Page) -> str:
    return _joined(layout.markdown(page.view.sections(page.document, True)))


def _csv(page: Page) -> str:
    view = page.view
    grids = [view.table(page.document)] if view.table else [each for each in view.sections(page.document, True) if isinstance(each, Grid)]
    return csv_text(grids[0], headers=page.headers) if grids else ""


def _names(page: Page) -> str:
    from kubectl_dra.report.terminal import plain

    return _joined(map(plain, page.view.names(page.document)))


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _template(text: str, *, as_json: bool = False) -> Format:
    from kubectl_dra.report.jsonpath import Template

    template = Template(text)
    return lambda page: template.render(msgspec.json.decode(msgspec.json.encode(page.document)), as_json=as_json)


def _template_file(path: str) -> Format:
    try:
        return _template(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"cannot read the template {path}: {reason}") from error


PLAIN: Mapping[str, Format] = {
    "": lambda page: _table(page, wide=False),
    "table": lambda page: _table(page, wide=False),
    "wide": lambda page: _table(page, wide=True),
    "json": lambda page: pieces(page.document),
    "yaml": lambda page: serialized(page.document, "yaml"),
    "name": _names,
    "markdown": _markdown,
    "csv": _csv,
}
"""Formats without an argument."""

TEMPLATES: Mapping[str, Callable[[str], Format]] = {
    "jsonpath": _template,
    "jsonpath-as-json": lambda text: _template(text, as_json=True),
    "jsonpath-file": _template_file,
}
"""Formats with one, after `=`."""
