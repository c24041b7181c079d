"""The last step: the result as a bool (cel-go: the ConvertToNative of each type)."""

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.kinds import type_name
from kubectl_dra.allocation.cel.values import Optional, Value

_WHY = {
    "int": "unsupported type conversion from 'int' to bool",
    "uint": "unsupported type conversion from 'uint' to bool",
    "double": "type conversion error from Double to 'bool'",
    "string": "unsupported native conversion from string to 'bool'",
    "bytes": "type conversion error from Bytes to 'bool'",
    "list": "type conversion error from list to 'bool'",
    "map": "type conversion error from map to 'bool'",
    "null_type": "type conversion error from 'null_type' to 'bool'",
    "type": "type conversion not supported for 'type'",
    "google.protobuf.Duration": "type conversion error from 'Duration' to 'bool'",
    "google.protobuf.Timestamp": "type conversion error from 'Timestamp' to 'bool'",
    "kubernetes.Quantity": "type conversion error from 'Quantity' to 'bool'",
    "kubernetes.Semver": "type conversion error from 'Semver' to 'bool'",
    "kubernetes.URL": "type conversion error from 'URL' to 'bool'",
    "kubernetes.NamedFormat": "type conversion error from 'Format' to 'bool'",
    "net.IP": "type conversion error from 'IP' to 'bool'",
    "net.CIDR": "type conversion error from 'CIDR' to 'bool'",
    "optional_type": "optional.none() dereference",
}


def boolean(value: Value) -> bool:
    """The value, which may hide in an optional. Raises EvaluationError when it is no bool."""
    inner = value
    while type(inner) is Optional and inner.present:
        inner = inner.value
    if type(inner) is bool:
        return inner
    raise EvaluationError(f"CEL result of type {type_name(value)} could not be converted to bool: {_WHY[type_name(inner)]}")
