"""Objects as the API server and kubectl write them, as plain values."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

Plain = dict[str, Any]


def pod(name: str, namespace: str = "default", **spec: Any) -> Plain:
    """A pod with what most pods have."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{name}",
            "labels": {"app": "train", "version": "1.10"},
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {
            "nodeName": "node-a",
            "containers": [{"name": "main", "image": "busybox", "resources": {"limits": {"example.com/gpu": "1"}}}],
            "volumes": [{"name": "config", "configMap": {"name": "c", "items": [{"key": "a", "path": "b"}]}}],
            **spec,
        },
        "status": {"phase": "Running"},
    }


def node(name: str) -> Plain:
    """A node."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"capacity": {"example.com/gpu": "8"}}}


def kubectl_list(items: Iterable[Plain]) -> Plain:
    """As `kubectl get KINDS -o json` puts several objects together, its keys in alphabetical order."""
    return {"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}}


def api_list(items: Iterable[Plain], kind: str = "Pod", api_version: str = "v1") -> Plain:
    """As the API server writes a list: kind and metadata first, items without kinds."""
    return {
        "kind": f"{kind}List",
        "apiVersion": api_version,
        "metadata": {"resourceVersion": "1"},
        "items": [{key: value for key, value in item.items() if key not in ("kind", "apiVersion")} for item in items],
    }


def kubectl_json(value: Mapping[str, Any]) -> str:
    """As `kubectl -o json` writes it."""
    return json.dumps(value, indent=4) + "\n"


def compact(value: Any) -> str:
    """As the API server writes it."""
    return json.dumps(value, separators=(",", ":"))
