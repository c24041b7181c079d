"""`kubectl dra`: from device plugins to Dynamic Resource Allocation, one node at a time."""

__version__: str
"""The version of the installed package. Found on first use: looking it up costs more than all of `--help`."""


def __getattr__(name: str) -> str:
    """Look up `__version__` when somebody asks for it."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("kubectl-dra")
    except PackageNotFoundError:  # a source tree that nobody installed
        return "0.0.0"
