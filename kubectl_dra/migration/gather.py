"""What a preflight wants to know beside a reading: permissions, the canary as a dry run, the kubelet's configuration."""

from collections.abc import Iterator
from http import HTTPStatus

import msgspec

from kubectl_dra.cluster.access import Access, missing
from kubectl_dra.cluster.discovery import discover
from kubectl_dra.cluster.transport import Transport
from kubectl_dra.cluster.writes import Writes, Written
from kubectl_dra.environment import Environment
from kubectl_dra.errors import ApiError, DraError, InputError
from kubectl_dra.eviction.polling import unheard
from kubectl_dra.knowledge.permissions import rules_of
from kubectl_dra.migration import canary
from kubectl_dra.migration.facts import Facts
from kubectl_dra.migration.marks import LOCK_NAMESPACE
from kubectl_dra.migration.options import Options
from kubectl_dra.migration.reach import Reach, node_path
from kubectl_dra.migration.target import Target
from kubectl_dra.migration.timing import REAL
from kubectl_dra.objects.policy import Namespace

COMMAND = "migrate-node"
NOBODY = "00000000"
"""The journal's id in a dry run."""


class _KubeletConfig(msgspec.Struct, frozen=True, rename="camel"):
    topology_manager_policy: str = ""


class _Configz(msgspec.Struct, frozen=True):
    kubeletconfig: _KubeletConfig = _KubeletConfig()


def facts(target: Target, options: Options, transport: Transport, writes: Writes, environment: Environment) -> Facts:
    """The same for a plan alone, where no run has a Reach."""
    reach = Reach(transport, writes, discover(transport), REAL, environment.clock, tells=unheard, before_each=lambda: None)
    return gather(target, options, reach)


def gather(target: Target, options: Options, reach: Reach) -> Facts:
    """Ask. Nothing is changed. Raises what the server's absence raises."""
    image = options.canary.image or canary.image_on(reach.images(target.name))
    return Facts(
        missing=tuple(
            _shown(denied.access) for denied in reach.insist(lambda: missing(reach.writes, _wanted(serves_rules=reach.serves_rules)))
        ),
        refused=None if options.canary.skip or not (image or options.canary.manifest) else tuple(_refused(target, options, reach, image)),
        canary_image=image,
        topology_manager=_topology_manager(target.name, reach),
    )


def _wanted(*, serves_rules: bool) -> Iterator[Access]:
    """Every right of the command's role; a Lease is wanted in one namespace only."""
    for rule in rules_of((COMMAND,)):
        yield from (Access(verb=verb, path=path) for path in rule.non_resource_urls for verb in rule.verbs)
        for group in rule.api_groups:
            for resource in rule.resources:
                if resource == "devicetaintrules" and not serves_rules:
                    continue
                name, _, part = resource.partition("/")
                namespace = LOCK_NAMESPACE if name == "leases" else ""
                for verb in rule.verbs:
                    yield Access(verb=verb, resource=name, group=group, subresource=part, namespace=namespace)


def _shown(access: Access) -> str:
    if access.path:
        return f"{access.verb} {access.path}"
    resource = f"{access.resource}/{access.subresource}" if access.subresource else access.resource
    return f"{access.verb} {resource}" + (f" in {access.namespace}" if access.namespace else "")


def _refused(target: Target, options: Options, reach: Reach, image: str) -> Iterator[str]:
    """What the server has against the canary, and against the namespace that is made for it."""
    own = options.canary.namespace
    where = own or "default"
    resources = sorted(each.name for each in target.moving) or sorted(target.names)
    try:
        if options.canary.manifest:
            pod = canary.own_canary(options.canary.manifest, target.name, NOBODY, where, target.node.spec.taints or ())
        else:
            pod = canary.canary(target.name, NOBODY, where, image, resources, target.node.spec.taints or ())
    except InputError as error:
        yield error.message
        return
    if not own:
        yield from _tried(reach, "/api/v1/namespaces", canary.namespace(target.name, NOBODY))
    for words in _tried(reach, f"/api/v1/namespaces/{where}/pods", pod):
        # what another namespace's quota, limits or standard say of it does not count for one that is made for it
        if own or "admission webhook" in words:
            yield words


def _tried(reach: Reach, path: str, manifest: canary.Manifest) -> Iterator[str]:
    kind = Namespace if manifest["kind"] == "Namespace" else Written
    try:
        reach.insist(lambda: reach.writes.create(path, manifest, kind, dry_run=True, harmless=True))
    except ApiError as error:
        if error.code not in (HTTPStatus.CONFLICT, HTTPStatus.FORBIDDEN) or (error.reason == "Forbidden" and _is_admission(error)):
            yield error.message


def _is_admission(error: ApiError) -> bool:
    """A 403 of admission, not of a missing right: that is told with the permissions."""
    return 'User "' not in error.message


def _topology_manager(node: str, reach: Reach) -> str | None:
    """The kubelet's own word; None where this user may not ask it (nodes/proxy is no must)."""
    try:
        body = reach.transport.get(f"{node_path(node)}/proxy/configz")
        return msgspec.json.decode(body, type=_Configz).kubeletconfig.topology_manager_policy or None
    except (DraError, msgspec.DecodeError):
        return None
