"""What the user and the server allow: found out by requests of their own, told here."""

from collections.abc import Iterator

from kubectl_dra.migration.preflight.registry import Verdict, blocker, check, fine, unknown, warning
from kubectl_dra.migration.subject import Subject


@check("permissions", ok="every permission of the later steps is there")
def permissions(subject: Subject) -> Iterator[Verdict]:
    """A right that is missing must stop a run here, not in the middle."""
    missing = subject.facts.missing
    if missing is None:
        yield unknown("permissions were not asked for: no cluster is asked here")
    for each in missing or ():
        yield blocker(f'not allowed: {each} ("kubectl dra rbac migrate-node" prints the role)')


@check("canary", ok="the server takes the canary")
def canary(subject: Subject) -> Iterator[Verdict]:
    """Quota, LimitRange, pod security or a webhook may refuse it."""
    options, facts = subject.options.canary, subject.facts
    if options.skip:
        yield warning("--no-canary: nothing proves that a pod gets its device before users' pods return")
        return
    if facts.refused is None:
        yield unknown("whether the server takes the canary was not tried: no cluster is asked here")
    for each in facts.refused or ():
        yield blocker(f"the server refuses the canary: {each}")
    if options.manifest:
        if facts.refused is not None and not facts.refused:
            yield fine("the server takes the canary of --canary")
    elif facts.canary_image is None:
        return
    elif not facts.canary_image:
        yield blocker("the node says of no image that it has it: name one for the canary with --canary-image")
    elif not facts.refused:
        yield fine(f"the canary's image is {facts.canary_image}")
