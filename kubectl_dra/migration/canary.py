"""The canary: an unchanged pod, as users write them, that proves on the still closed node that devices are served. And the probe, which a
kubelet must reject.

The canary is bound by node affinity: `spec.nodeName` would go past the scheduler, and no claim would be made.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import yaml

from kubectl_dra.errors import InputError
from kubectl_dra.migration.marks import CANARY, ID_LABEL, NODE_LABEL, PROBE, node_hash, pod_name
from kubectl_dra.migration.reach import ContainerImage
from kubectl_dra.objects.node import Taint

Manifest = dict[str, Any]
"""An object as it is sent: a person's own canary may have fields that no Struct of ours names."""

UNSCHEDULABLE: Mapping[str, str] = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}

RESTRICTED: Mapping[str, object] = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 65532,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Fit for the restricted pod security standard (policy/v1.36)."""


def namespace_name(node: str) -> str:
    """The namespace that is made for a node's canary."""
    return f"kubectl-dra-{node_hash(node)}"


def namespace(node: str, journal: str) -> Manifest:
    """It; pods in it are held to the restricted standard, as is ours."""
    labels = {**_labels(node, journal), "pod-security.kubernetes.io/enforce": "restricted"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace_name(node), "labels": labels}}


def image_on(images: Iterable[ContainerImage]) -> str:
    """An image that the node has, so that nothing is pulled: the pause image if it is told, else the smallest; empty for none.

    A kubelet tells its 50 largest first (kubernetes pkg/kubelet/nodestatus/setters.go), so the last is the smallest.
    """
    named = [name for name in (_name(each) for each in images) if name]
    return next((name for name in named if "pause" in name), named[-1] if named else "")


def _name(image: ContainerImage) -> str:
    """By tag if it has one: some runtimes do not find an image of theirs by its digest."""
    names = image.names or ()
    return next((name for name in names if "@" not in name and "<none>" not in name), next(iter(names), ""))


def canary(node: str, journal: str, where: str, image: str, resources: Iterable[str], taints: Iterable[Taint]) -> Manifest:
    """The pod in namespace `where`: one device of each name; it tolerates the cordon and exactly these taints."""
    body = _pod(CANARY, node, journal, where, image, resources)
    body["spec"] |= _placement(node, taints)
    return body


def own_canary(text: str, node: str, journal: str, where: str, taints: Iterable[Taint]) -> Manifest:
    """A person's canary (`--canary FILE`), its name, place and tolerations set; everything else is as written. Raises InputError."""
    try:
        body = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"the canary's manifest is no YAML: {error}") from None
    if not isinstance(body, dict) or body.get("kind") != "Pod" or not isinstance(body.get("spec"), dict):
        raise InputError("the canary's manifest is no Pod", hint="it is one document with apiVersion v1 and kind Pod")
    if body["spec"].get("nodeName"):
        raise InputError("the canary's manifest names its node, which goes past the scheduler", hint="leave spec.nodeName out")
    meta: Manifest = body["metadata"] if isinstance(body.get("metadata"), dict) else {}
    labels = {**(meta.get("labels") or {}), **_labels(node, journal)}
    placement = _placement(node, taints)
    tolerations = [*(body["spec"].get("tolerations") or []), *placement["tolerations"]]
    affinity = {**(body["spec"].get("affinity") or {}), **placement["affinity"]}
    return {
        **body,
        "metadata": {**meta, "name": pod_name(CANARY, node), "namespace": where, "labels": labels},
        "spec": {**body["spec"], "tolerations": tolerations, "affinity": affinity},
    }


def probe(node: str, journal: str, where: str, image: str, resources: Iterable[str]) -> Manifest:
    """A pod that goes past the scheduler and asks for devices that nobody offers any more: the kubelet has to reject it."""
    body = _pod(PROBE, node, journal, where, image, resources)
    body["spec"] |= {"nodeName": node, "tolerations": [{"operator": "Exists"}]}
    return body


def _labels(node: str, journal: str) -> dict[str, str]:
    return {NODE_LABEL: node_hash(node), ID_LABEL: journal}


def _pod(what: str, node: str, journal: str, where: str, image: str, resources: Iterable[str]) -> Manifest:
    container = {
        "name": what,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "resources": {"limits": dict.fromkeys(resources, "1")},
        "securityContext": {name: value for name, value in RESTRICTED.items() if name != "seccompProfile"},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": pod_name(what, node), "namespace": where, "labels": _labels(node, journal)},
        "spec": {
            "containers": [container],
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 1,
            "securityContext": {"seccompProfile": RESTRICTED["seccompProfile"]},
        },
    }


def _placement(node: str, taints: Iterable[Taint]) -> Manifest:
    here = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [here]}]}
    tolerations = [dict(UNSCHEDULABLE), *(_toleration(each) for each in taints if each.effect != "PreferNoSchedule")]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}, "tolerations": tolerations}


def _toleration(taint: Taint) -> dict[str, str]:
    fields = {"key": taint.key, "operator": "Equal", "value": taint.value or "", "effect": taint.effect}
    return {name: value for name, value in fields.items() if value}


def taint_of(text: str) -> Taint:
    """`KEY=VALUE:EFFECT` as a taint (the journal's form)."""
    rest, _, effect = text.rpartition(":")
    key, _, value = rest.partition("=")
    return Taint(key, value or None, effect)


def text_of(taint: Taint) -> str:
    """A taint as `KEY=VALUE:EFFECT`."""
    return f"{taint.key}={taint.value or ''}:{taint.effect}"


class CanaryResult(msgspec.Struct, frozen=True):
    """What became of a canary: `red` says why it proves nothing, empty when it is green; `told` is the proof in words."""

    told: str = ""
    red: str = ""
