"""Static pods of the control plane, as the reader keeps them."""

from kubectl_dra.objects.meta import ObjectMeta
from kubectl_dra.objects.pod import MIRROR, Container, Pod, PodSpec, PodStatus


def static_pod(component: str, version: str = "v1.37.2", *flags: str, on: str = "cp-1", image: str | None = None) -> Pod:
    """`static_pod("kube-scheduler", "v1.36.1", "--feature-gates=DRAExtendedResource=false")`."""
    container = Container(component, image if image is not None else f"registry.k8s.io/{component}:{version}", args=flags or None)
    return Pod(
        ObjectMeta(f"{component}-{on}", "kube-system", annotations={MIRROR: "x"}),
        PodSpec(containers=(container,), node_name=on),
        PodStatus(phase="Running"),
    )
