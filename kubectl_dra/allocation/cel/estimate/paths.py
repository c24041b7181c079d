"""Paths through the device, as upstream's estimate of costs keeps them: slices of Go, which may share what lies behind their end."""


class Path:
    """Names from a variable downwards. A name that is added may overwrite that of another path which was made from the same one."""

    __slots__ = ("_cells", "_length")

    def __init__(self, cells: list[str] | None = None, length: int = 0) -> None:
        """Take the memory, and how much of it is the path."""
        self._cells = [] if cells is None else cells
        self._length = length

    @classmethod
    def of(cls, name: str) -> "Path":
        """The path of a variable."""
        return cls([name], 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The names as they are now."""
        return tuple(self._cells[: self._length])

    def then(self, name: str) -> "Path":
        """One name more. Go doubles the memory when it is full (runtime/slice.go)."""
        cells = self._cells
        if self._length == len(cells):
            cells = [*cells, *[""] * max(len(cells), 1)]
        cells[self._length] = name
        return Path(cells, self._length + 1)
