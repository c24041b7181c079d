"""Whether the API server is new enough, and serves what DRA needs."""

from collections.abc import Iterator

from kubectl_dra.audit.candidate import Candidate, Doubt
from kubectl_dra.audit.case import Case
from kubectl_dra.audit.finding import Severity
from kubectl_dra.audit.registry import check
from kubectl_dra.audit.words import listed
from kubectl_dra.objects.snapshot import ReadState, Version
from kubectl_dra.remedies.kubectl_line import kubectl

_GROUP = "resource.k8s.io"
_FIRST, _ON_BY_DEFAULT = Version(1, 34), Version(1, 36)
"""The first minor with extended resources through DRA (alpha), and the first with them on by default."""


@check(
    "DRA701",
    title="an API server that is too old, or does not serve what DRA needs",
    severity=Severity.ERROR,
    why=(
        "Device classes have extendedResourceName from Kubernetes 1.34 on; 1.34 and 1.35 drop it unless the alpha gate DRAExtendedResource"
        " is on, and from 1.36 on it works by default. kube-scheduler, kubelets and drivers of these versions use resource.k8s.io/v1: a"
        " server that does not serve it has no DRA, even if it serves v1beta1 or v1beta2."
    ),
    fix=(
        "# upgrade the control plane to 1.36 or later, and serve resource.k8s.io/v1 (kube-apiserver: --runtime-config)",
        "kubectl version",
        "kubectl api-versions",
    ),
    source=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
        "kubernetes: pkg/features/kube_features.go (DRAExtendedResource)",
        "kubernetes: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go",
        "kubernetes/enhancements#5004",
    ),
    also=("device_classes", "nodes"),
    blocks=True,
)
def server_too_old(case: Case) -> Iterator[Candidate | Doubt]:
    """By the version that the server's APIs go by (the emulated one), and by the versions of resource.k8s.io that it serves."""
    cluster = case.snapshot.cluster
    names = tuple(name for name in case.names if case.scope.has_resource(name) and not case.left_alone(name))
    emulated = cluster.emulated
    oldest = case.oldest_possible_server
    if emulated is None:
        if oldest is None or oldest < _ON_BY_DEFAULT:
            yield Doubt("the API server's version is not known")
    elif emulated < _FIRST:
        yield Candidate(
            cause="version",
            objects=(),
            evidence=_version(case, emulated),
            resources=names,
            title=f"Kubernetes {emulated.major}.{emulated.minor} has no extended resources through DRA",
            fix=("# upgrade the control plane to 1.36 or later (and the kubelets: DRA204)", kubectl("version")),
        )
    elif emulated < _ON_BY_DEFAULT:
        yield Candidate(
            cause="version",
            objects=(),
            evidence=_version(case, emulated),
            severity=Severity.WARNING,
            title=f"in Kubernetes {emulated.major}.{emulated.minor} extended resources through DRA are alpha, and off by default",
            why=(
                "Classes lose the name that they map unless the gate DRAExtendedResource is on in every component, and several faults of"
                " the alpha (DRA703) are mended in later minors only. From 1.36 on it is on by default, from 1.37 on always."
            ),
            fix=("# upgrade the control plane to 1.36 or later before the move", kubectl("version")),
        )
    yield from _served(case, names, emulated)


def _version(case: Case, emulated: Version) -> str:
    version = case.snapshot.cluster.version
    by = f" (it is {version}, and emulates that)" if version is not None and version >= _FIRST and version != emulated else ""
    return f"the API server's APIs and gates are those of {emulated.major}.{emulated.minor}{by}"


def _served(case: Case, names: tuple[str, ...], emulated: Version | None) -> Iterator[Candidate]:
    """The versions of resource.k8s.io, where the server told them."""
    classes = case.snapshot.device_classes
    served = classes.served
    if classes.state is ReadState.UNSERVED and not served:
        told, title = f"{_GROUP} is not served", "the API server does not serve device classes"
    elif served and "v1" not in served and (emulated is None or emulated >= _FIRST):
        told = f"{_GROUP} is served at {listed(served)}"
        title = f"the API server does not serve {_GROUP}/v1, which kube-scheduler, kubelets and drivers use"
    elif classes.state is ReadState.UNSERVED:
        told, title = f"of {_GROUP} only {listed(served)} is served", "the API server does not serve device classes"
    else:
        return
    old = emulated is not None and emulated < _FIRST
    yield Candidate(
        cause="served",
        objects=(),
        evidence=told,
        resources=names,
        title=title,
        fix=(
            "# which versions the server has",
            kubectl("api-versions"),
            "# upgrade the control plane to 1.36 or later"
            if old
            else f"# serve {_GROUP}/v1: take {_GROUP}/v1=false (or api/ga=false) out of kube-apiserver's --runtime-config",
        ),
    )
