"""Manifests: files, folders and standard input with objects that may exist nowhere yet."""

from collections.abc import Mapping
from pathlib import Path

from kubectl_dra.environment import Environment
from kubectl_dra.errors import InputError
from kubectl_dra.objects.manifests import ManifestKey, ManifestLayer, ManifestPlace, Manifests
from kubectl_dra.objects.snapshot import ClusterInfo
from kubectl_dra.reading.collecting import Collector
from kubectl_dra.reading.custom import custom_reader
from kubectl_dra.reading.decoding import MistypedError
from kubectl_dra.reading.files import files_in
from kubectl_dra.reading.kinds import BY_GROUP_KIND, split_api_version
from kubectl_dra.reading.manifest_text import Document, documents, templated
from kubectl_dra.reading.yaml_text import LARGEST

SUFFIXES = (".yaml", ".yml", ".json")
"""The files of a folder that are read."""

_SIGN = "apiVersion"


def read_manifests(*paths: str, environment: Environment, namespace: str = "", pod_templates: tuple[str, ...] = ()) -> Manifests:
    """All manifests under `paths`: files, folders with all folders in them, `-` for standard input.

    Those that name no namespace get `namespace`, as with `kubectl apply -n`. In a folder, what cannot be read is told beside what can;
    a file that was named must be whole. Raises InputError, and UsageError for bad `pod_templates`.
    """
    reading = _Reading(namespace, pod_templates)
    for path in paths:
        before = reading.seen + len(reading.unread)
        _read(path, reading, environment)
        if reading.seen + len(reading.unread) == before:
            raise InputError(
                f"{_shown(path)} has no Kubernetes manifest", hint="Give a file, a folder or - with objects as kubectl apply takes them."
            )
    return Manifests(", ".join(paths), reading.layers(), len(reading.files), tuple(reading.unread))


def _read(path: str, reading: "_Reading", environment: Environment) -> None:
    folder = path != "-" and Path(path).is_dir()
    for name in _files(path) if folder else [path]:
        for document in _documents(name, environment):
            trouble = document.trouble or reading.take(document, name)
            if not trouble:
                continue
            told = f"{_shown(name)}:{document.line} {trouble}"
            if not folder:
                raise InputError(told)
            reading.unread.append(told)


def _shown(path: str) -> str:
    return "standard input" if path == "-" else path


def _files(folder: str) -> list[str]:
    try:
        found = files_in(Path(folder), SUFFIXES)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}") from None
    if not found:
        raise InputError(f"{folder} has no file that ends in {', '.join(SUFFIXES)}")
    return [str(file) for file in found]


def _documents(name: str, environment: Environment) -> list[Document]:
    try:
        data = environment.binary_stdin.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{_shown(name)} cannot be read: {error.strerror or error}") from None
    if len(data) > LARGEST:
        return [Document(1, trouble=f"has more than {LARGEST >> 20} MB: no manifest")]
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return [Document(1, trouble=f"is not UTF-8 (byte {error.start})")]
    found = list(documents(text))
    # what is broken and speaks of no object (charts' values, other programs' templates) is no manifest
    return found if _SIGN in text else [each for each in found if not each.trouble]


class _Layer:
    """One layer on its way."""

    def __init__(self, pod_templates: tuple[str, ...]) -> None:
        self.collector = Collector(custom_reader(pod_templates))
        self.places: dict[ManifestKey, ManifestPlace] = {}


class _Reading:
    """All layers on their way."""

    def __init__(self, namespace: str, pod_templates: tuple[str, ...]) -> None:
        self._namespace = namespace
        self._pod_templates = pod_templates
        self._layers = [_Layer(pod_templates)]
        self.files: set[str] = set()
        self.unread: list[str] = []
        self.seen = 0

    def take(self, document: Document, file: str) -> str:
        """Put an object where it belongs; a sentence if it cannot be read. What is no Kubernetes object is passed over."""
        value = document.value
        if not isinstance(value, Mapping) or not isinstance(value.get("kind"), str) or not isinstance(value.get("apiVersion"), str):
            return ""
        self.seen += 1
        self.files.add(file)
        group, _ = split_api_version(value["apiVersion"])
        item = _named(value, self._namespace if _namespaced(group, value["kind"]) else "")
        metadata = item.get("metadata")
        names = metadata if isinstance(metadata, Mapping) else {}
        key = ManifestKey(group, value["kind"], str(names.get("namespace") or ""), str(names.get("name") or ""))
        layer = next((layer for layer in self._layers if key not in layer.places), None)
        if layer is None:
            layer = _Layer(self._pod_templates)
            self._layers.append(layer)
        layer.collector.begin(file)
        before = layer.collector.count
        try:
            layer.collector.value(item)
        except (MistypedError, RecursionError) as error:
            return templated(value) or f"is no {value['kind']} as Kubernetes has it: {error}"
        if layer.collector.count > before:
            layer.places[key] = ManifestPlace(file, document.line)
        return ""

    def layers(self) -> tuple[ManifestLayer, ...]:
        """Those that have something."""
        return tuple(ManifestLayer(layer.collector.snapshot(ClusterInfo()), layer.places) for layer in self._layers if layer.places)


def _namespaced(group: str, kind: str) -> bool:
    """Custom kinds that make pods live in namespaces."""
    known = BY_GROUP_KIND.get((group, kind))
    return known.namespaced if known is not None else True


def _named(value: Mapping[str, object], namespace: str) -> Mapping[str, object]:
    """With `namespace` where it names none, and what begins its name for its name where the server is to make one."""
    metadata = value.get("metadata")
    if not isinstance(metadata, Mapping):
        metadata = {}
    name = metadata.get("name") or metadata.get("generateName")
    more = {"name": name} if name else {}
    if namespace and not metadata.get("namespace"):
        more["namespace"] = namespace
    return {**value, "metadata": {**metadata, **more}}
