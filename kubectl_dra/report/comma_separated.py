"""A table as comma-separated values (RFC 4180), for spreadsheets: all columns, what is not there as an empty cell."""

import csv
import io

from kubectl_dra.report.view import NONE, Grid


def csv_text(grid: Grid, *, headers: bool = True) -> str:
    """The rows of `grid`, the headers first. Lines end as on Unix, because everything else here does."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if headers:
        writer.writerow(grid.headers)
    writer.writerows(["" if cell.text == NONE else cell.text for cell in row] for row in grid.rows)
    return text.getvalue()
