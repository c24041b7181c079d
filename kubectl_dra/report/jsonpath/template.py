"""A whole template: text, paths and `{range}` blocks over one document."""

from collections.abc import Iterator, Mapping

from kubectl_dra.errors import UsageError
from kubectl_dra.report.jsonpath.nodes import Keyword, Path
from kubectl_dra.report.jsonpath.scanner import ScanError, scan
from kubectl_dra.report.jsonpath.values import Value, WalkError, indented, text
from kubectl_dra.report.jsonpath.walk import walk


class Template:
    """One template, scanned.

    kubectl prints a template without braces as it stands; what was meant is a path, and `.items` is taken for `{.items}`, as
    kubectl itself does where only a path makes sense (kubectl: get/customcolumn.go, the relaxed form).
    """

    def __init__(self, template: str) -> None:
        """Scan `template`. Raises UsageError with kubectl's reason."""
        self._template = template
        if "{" not in template:
            template = f"{{.{template.strip().removeprefix('.')}}}"
        try:
            self._pieces = scan(template)
        except ScanError as error:
            raise UsageError(f"error parsing jsonpath {self._template}, {error}") from error
        self._ends = _ends(self._pieces)

    def render(self, document: Value, *, as_json: bool = False) -> str:
        """The text for `document`; `as_json` prints what each piece finds as a JSON list. Raises UsageError."""
        try:
            results = list(self._run(0, len(self._pieces), document))
        except WalkError as error:
            raise UsageError(f'error executing jsonpath "{self._template}": {error}') from error
        if as_json:
            return "".join(f"{indented(found)}\n" for found in results)
        return "".join(" ".join(map(text, found)) for found in results)

    def _run(self, position: int, stop: int, value: Value) -> Iterator[list[Value]]:
        while position < stop:
            piece = self._pieces[position]
            if isinstance(piece, str):
                yield [piece]
            elif Keyword("end") in piece:
                raise WalkError("not in range, nothing to end")
            elif Keyword("range") in piece:
                end = self._ends.get(position)
                for item in walk([value], piece):
                    yield from self._run(position + 1, len(self._pieces) if end is None else end, item)
                # Without an {end}, what follows is printed once more for the whole document, as kubectl does.
                position = position if end is None else end
            else:
                yield walk([value], piece)
            position += 1


def _ends(pieces: tuple[str | Path, ...]) -> Mapping[int, int]:
    """Where each `{range}` ends; one that is never ended is left out."""
    ends: dict[int, int] = {}
    open_: list[int] = []
    for position, piece in enumerate(pieces):
        if isinstance(piece, str):
            continue
        if Keyword("range") in piece:
            open_.append(position)
        elif Keyword("end") in piece and open_:
            ends[open_.pop()] = position
    return ends
