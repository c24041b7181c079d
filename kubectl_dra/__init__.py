"""`kubectl dra`: from device plugins to Dynamic Resource Allocation, one node at a time."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("kubectl-dra")
except PackageNotFoundError:  # a source tree that nobody installed
    __version__ = "0.0.0"
