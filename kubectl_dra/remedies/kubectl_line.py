"""Commands that a person can paste: kubectl's words, quoted for a POSIX shell."""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence


def kubectl(*words: str) -> str:
    """One kubectl command: `kubectl('delete', 'deviceclass', 'a b')` is `kubectl delete deviceclass 'a b'`."""
    return " ".join(("kubectl", *map(_quoted, words)))


def json_patch(resource: str, name: str, *operations: Mapping[str, object], namespace: str = "") -> str:
    """`kubectl patch --type=json` with these operations."""
    return kubectl(*_in(namespace), "patch", resource, name, "--type=json", "-p", json.dumps(operations, separators=(",", ":")))


def merge_patch(resource: str, name: str, patch: Mapping[str, object], namespace: str = "") -> str:
    """`kubectl patch --type=merge` with this patch."""
    return kubectl(*_in(namespace), "patch", resource, name, "--type=merge", "-p", json.dumps(patch, separators=(",", ":")))


def apply(*manifests: Mapping[str, object]) -> str:
    """`kubectl apply` of these manifests, as JSON on its standard input."""
    documents = "\n---\n".join(json.dumps(manifest, indent=2, ensure_ascii=True) for manifest in manifests)
    return f"kubectl apply -f - <<'EOF'\n{documents}\nEOF"


def delete_pods(pods: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One `kubectl delete pod` a namespace, of pods by namespace and name."""
    by_namespace: dict[str, list[str]] = {}
    for namespace, name in pods:
        by_namespace.setdefault(namespace, []).append(name)
    return tuple(kubectl(*_in(namespace), "delete", "pod", *sorted(names)) for namespace, names in sorted(by_namespace.items()))


def pointer(*keys: str) -> str:
    """A JSON pointer (RFC 6901): `/` in a key becomes `~1`, `~` becomes `~0`."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def _quoted(word: str) -> str:
    """Of `--flag=value` only the value is quoted, as people write it."""
    flag, equals, value = word.partition("=")
    if word.startswith("--") and equals and shlex.quote(flag) == flag:
        return f"{flag}={shlex.quote(value)}"
    return shlex.quote(word)


def _in(namespace: str) -> Sequence[str]:
    return ("-n", namespace) if namespace else ()
