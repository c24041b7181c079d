"""Custom kinds that make pods, by the pod templates found in them."""

from collections.abc import Callable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from kubectl_dra.errors import UsageError
from kubectl_dra.knowledge.workloads import CustomKind, Finished, Form, TemplatePath, custom_kinds
from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import PodTemplateSpec
from kubectl_dra.objects.sharing import Sharing
from kubectl_dra.objects.workload import CustomWorkload, TemplateUse
from kubectl_dra.reading import kept, template_path
from kubectl_dra.reading.decoding import MistypedError, convert, name_of, raw_items
from kubectl_dra.reading.json_cutter import Text

CustomReader = Callable[[str, object], CustomWorkload | None]
"""`Kind.group` and a custom object as plain values to what is known of its pods; None for kinds of which nothing is known."""


class CustomKinds:
    """The custom kinds of `workloads.toml`, and those of `--pod-template`."""

    def __init__(self, pod_templates: tuple[str, ...] = ()) -> None:
        """Take `KIND.GROUP=PATH`s. Raises UsageError for other texts."""
        known = {kind.name: kind for kind in custom_kinds()}
        for text in pod_templates:
            name, path = _parsed(text)
            kind, _, group = name.partition(".")
            before = known.get(name, CustomKind(kind, group, ()))
            known[name] = replace(before, templates=(*before.templates, TemplatePath(path, replicas=None)))
        self.all = tuple(known.values())
        self._known = known

    def read(self, name: str, item: object) -> CustomWorkload | None:
        """`item` of the kind `name`; None for a kind of which nothing is known. Raises MistypedError."""
        kind = self._known.get(name)
        return None if kind is None else workload(kind, item)

    def decoder(self, kind: CustomKind, api_version: str, share: Sharing) -> Callable[[Text], list[CustomWorkload]]:
        """What decodes a JSON array of objects of `kind` (which do not name it themselves)."""

        def decode(text: Text) -> list[CustomWorkload]:
            # One at a time: as plain values an object takes ten times what is kept of it.
            return [
                kept.custom_workload(replace(workload(kind, msgspec.json.decode(item)), api_version=api_version), share)
                for item in raw_items(text)
            ]

        return decode


def custom_reader(pod_templates: tuple[str, ...] = ()) -> CustomReader:
    """The reader of custom objects in files. Raises UsageError for bad `pod_templates`."""
    return CustomKinds(pod_templates).read


def _parsed(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not path or not name.partition(".")[2]:
        raise UsageError(
            f"--pod-template {text}: it takes KIND.GROUP=PATH",
            hint="as in --pod-template Job.batch.volcano.sh='spec.tasks[*].template'",
        )
    try:
        template_path.parsed(path)
    except ValueError as error:
        raise UsageError(f"--pod-template {text}: {path} is no JSON path ({error})") from None
    return name, path


def workload(kind: CustomKind, item: object) -> CustomWorkload:
    """What is known of the pods that `item`, an object of `kind` as plain values, makes. Raises MistypedError."""
    if not isinstance(item, Mapping):
        raise MistypedError(f"{kind.kind}: something that is not an object")
    meta = convert(item.get("metadata") or {}, ObjectMeta, f"{kind.kind} {name_of(item)}: metadata")
    return CustomWorkload(
        api_version=str(item.get("apiVersion") or ""),
        kind=kind.kind,
        metadata=meta,
        templates=tuple(_uses(kind, item)),
        suspended=_suspended(kind, item),
        over=_finished(kind.finished, item) or None,
    )


def _uses(kind: CustomKind, item: Mapping[str, object]) -> Iterator[TemplateUse]:
    for where in kind.templates:
        for steps, value in template_path.found(where.path, item):
            path = template_path.text_of(steps)
            plain = _FORMS[where.form](value)
            if plain is None:
                continue
            template = convert(plain, PodTemplateSpec, f"{kind.kind} {name_of(item)}: {path}")
            yield TemplateUse(path, template_path.replicas(where, steps, item), template)


def _suspended(kind: CustomKind, item: Mapping[str, object]) -> bool | None:
    if not kind.suspended and not kind.active:
        return None
    stopped = any(_is(path, item, "true") for path in kind.suspended)
    return stopped or any(_is(path, item, "false") for path in kind.active)


def _finished(finished: Finished, item: Mapping[str, object]) -> bool:
    if finished.path and any(value in finished.values for _, value in template_path.found(finished.path, item)):
        return True
    return bool(finished.conditions) and any(
        isinstance(each, Mapping) and each.get("type") in finished.conditions and each.get("status") == "True"
        for _, each in template_path.found("status.conditions[*]", item)
    )


def _is(path: str, item: object, text: str) -> bool:
    """Whether a boolean stands there with that value; in YAML it is a text."""
    return any(str(value).lower() == text for _, value in template_path.found(path, item))


Plain = Mapping[str, object]


def _template(value: object) -> object:
    return value if isinstance(value, Mapping) and value else None


def _spec(value: object) -> object:
    return {"spec": value} if isinstance(value, Mapping) and value.get("containers") else None


def _container(value: object) -> object:
    return _with_containers([value]) if isinstance(value, Mapping) else None


def _resources(value: object) -> object:
    return _with_containers([{"resources": value}]) if isinstance(value, Mapping) else None


def _gpu(value: object) -> object:
    if not isinstance(value, Mapping) or not value.get("name"):
        return None
    return _resources({"limits": {value["name"]: value.get("quantity", 1)}})


def _device(value: object) -> object:
    return _resources({"limits": {value: 1}}) if isinstance(value, str) and value else None


def _argo(value: object) -> object:
    if not isinstance(value, Mapping):
        return None
    group = value.get("containerSet")
    containers = [
        value.get("container"),
        value.get("script"),
        *_list(group.get("containers") if isinstance(group, Mapping) else None),
        *_list(value.get("sidecars")),
    ]
    containers = [container for container in containers if isinstance(container, Mapping)]
    if not containers:
        return None  # steps and DAGs make no pods of their own
    shared = ("initContainers", "nodeSelector", "tolerations", "affinity", "volumes", "schedulerName", "priorityClassName")
    spec = {"containers": containers, **{name: value[name] for name in shared if name in value}}
    return {"metadata": value.get("metadata"), "spec": spec}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _with_containers(containers: list[object]) -> Plain:
    return {"spec": {"containers": containers}}


_FORMS: Mapping[Form, Callable[[object], object]] = {
    "template": _template,
    "spec": _spec,
    "container": _container,
    "resources": _resources,
    "gpu": _gpu,
    "device": _device,
    "argo": _argo,
}
