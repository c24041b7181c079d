"""Whether rules may be written to a cluster at all: which versions have them in that form, and which crash over them (pure)."""

from kubectl_dra.errors import ClusterError
from kubectl_dra.knowledge.faults import fault
from kubectl_dra.knowledge.gates import enabled
from kubectl_dra.objects.snapshot import ClusterInfo, Version
from kubectl_dra.taint_rules.cautions import GATES
from kubectl_dra.taint_rules.rule import GROUP

WRITTEN = ("v1", "v1beta2")
"""The versions of the API at which rules are written."""
_SINCE = Version(1, 36)
_ON_1_36 = f"1.36 has them at {GROUP}/v1beta2, which is off: --runtime-config={GROUP}/v1beta2=true and the feature gate DRADeviceTaintRules"


class RulesNotWrittenError(ClusterError):
    """No rule is written to this cluster; the preview is all there is."""


def refusal(cluster: ClusterInfo, served: str | None) -> str:
    """Why no rule is written there; empty when rules can be. `served` is the API's version at which rules are served, if they are."""
    version, emulated = cluster.version, cluster.emulated
    if emulated is not None and emulated < _SINCE:
        return f"{emulated.major}.{emulated.minor} has taint rules as an alpha of another form ({GROUP}/v1alpha3)"
    if fault("rule-tracker-panic").affects(version):
        return f"any rule can crash the scheduler of {version} (kubernetes/kubernetes#139681); 1.36.3 mends it"
    if served is None:
        old = emulated is not None and (emulated.major, emulated.minor) == (_SINCE.major, _SINCE.minor)
        return f"the server does not serve DeviceTaintRules{f': {_ON_1_36}' if old else ''}"
    if served not in WRITTEN:
        return f"the server has DeviceTaintRules at {GROUP}/{served} only"
    off = [gate for gate in GATES if enabled(gate, emulated, cluster.feature_gates) is False]
    return f"the feature gate {off[0]} is off: the rule would be stored, and nobody would look at it" if off else ""


def refuse_unwritable(cluster: ClusterInfo, served: str | None) -> None:
    """Raise RulesNotWrittenError where no rule is written."""
    why = refusal(cluster, served)
    if why:
        raise RulesNotWrittenError(f"no rule is written: {why}", hint="The preview above is what a rule would do (--dry-run=client).")
