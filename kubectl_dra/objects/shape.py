"""The common form of every Struct that mirrors a Kubernetes object."""

from collections.abc import Mapping

import msgspec

QuantityText = str | int | float
"""A quantity as it stands in an object: people's manifests have numbers without quotes."""

ResourceList = Mapping[str, QuantityText]


class Object(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, rename="camel"):
    """Base of all. Unknown fields are ignored, missing ones take the default; every field may be null."""
