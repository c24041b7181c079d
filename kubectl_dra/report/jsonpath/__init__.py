"""kubectl's JSONPath templates (`-o jsonpath=`): scanned and evaluated exactly as kubectl does.

Not on a JSONPath library: kubectl's dialect differs from all of them in what people rely on, such as escaped dots also inside
brackets (`nvidia\\.com/gpu`), `{range}`, missing keys that print nothing, indexes out of bounds that are errors, and filters that
compare only values of one type. Source of the rules: client-go, util/jsonpath.
"""

from kubectl_dra.report.jsonpath.template import Template

__all__ = ["Template"]
