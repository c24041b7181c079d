"""Feature gates in the text of /metrics."""

from kubectl_dra.cluster.feature_gates import parse

METRICS = b"""\
# HELP kubernetes_feature_enabled [BETA] This metric records the data about the stage and enablement of a k8s feature.
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name="DRAExtendedResource",stage="BETA"} 1
kubernetes_feature_enabled{name="DRADeviceTaints",stage="ALPHA"} 0
kubernetes_feature_enabled{stage="",name="DynamicResourceAllocation"} 1
kubernetes_feature_enabled{stage=""} 1
kubernetes_feature_enabled_total{name="Other"} 1
apiserver_storage_objects{resource="pods"} 7
"""


def test_gates_are_on_or_off() -> None:
    assert parse(METRICS) == {"DRAExtendedResource": True, "DRADeviceTaints": False, "DynamicResourceAllocation": True}


def test_no_gates() -> None:
    assert parse(b"") == {}
