"""Whether a node can be moved now, or go back: small checks by subject, each with a reason. Pure: a reading in, checks out."""

from kubectl_dra.migration.preflight.registry import preflight

__all__ = ["preflight"]
