"""Objects that people keep in files before they exist anywhere: manifests, with the place of each."""

from collections.abc import Mapping

import msgspec

from kubectl_dra.objects.snapshot import Snapshot


class ManifestKey(msgspec.Struct, frozen=True, order=True):
    """Whose manifest it is. `group` is the API group without a version, `namespace` empty where the manifest names none."""

    group: str
    kind: str
    namespace: str
    name: str


class ManifestPlace(msgspec.Struct, frozen=True):
    """The line, counted from 1, on which a manifest begins."""

    file: str
    line: int


class ManifestLayer(msgspec.Struct, frozen=True):
    """Manifests of which no two are of one object. Kinds that no manifest is of are `absent` in the snapshot."""

    snapshot: Snapshot
    places: Mapping[ManifestKey, ManifestPlace]


class Manifests(msgspec.Struct, frozen=True):
    """All that was found under `path` (several with commas).

    A folder of overlays has several manifests of one object: the first of each make the first layer, the second ones the second, and so
    on. `files` and `objects` count what was read, `unread` are sentences about what was not.
    """

    path: str
    layers: tuple[ManifestLayer, ...] = ()
    files: int = 0
    unread: tuple[str, ...] = ()

    @property
    def objects(self) -> int:
        """How many manifests of kinds that this tool looks at there are."""
        return sum(len(layer.places) for layer in self.layers)
