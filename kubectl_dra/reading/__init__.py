"""A cluster, or the files that stand for it, becomes a Snapshot here.

Imports objects, knowledge and cluster; the analyses import the Snapshot, never this room.
"""

from kubectl_dra.reading.files import read_path
from kubectl_dra.reading.live import read_live
from kubectl_dra.reading.snapshot_file import write_snapshot
from kubectl_dra.reading.wanted import Wanted

__all__ = ["Wanted", "read_live", "read_path", "write_snapshot"]
