"""Which names Kubernetes accepts as label keys, label values and extended resources, with the API server's words when it does not.

Rules: apimachinery pkg/api/validate/content (kube.go, dns.go) and pkg/api/validate/strfmt.go (ExtendedResourceName).
"""

import re

_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_NAME_RULE = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
_NAME_EXAMPLES = "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an"
    " alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
    " alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is"
    " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

NATIVE_DOMAIN = "kubernetes.io/"
"""A resource whose name has this anywhere is Kubernetes' own."""
QUOTA_PREFIX = "requests."
"""What a quota puts before the name of an extended resource."""


def subdomain_faults(value: str) -> tuple[str, ...]:
    """What is wrong with `value` as a DNS subdomain (the form of most object names)."""
    faults = []
    if _size(value) > 253:
        faults.append("must be no more than 253 bytes")
    if not _SUBDOMAIN.fullmatch(value):
        faults.append(_SUBDOMAIN_RULE)
    return tuple(faults)


def qualified_name_faults(value: str) -> tuple[str, ...]:
    """What is wrong with `value` as a qualified name, which is what label keys and resource names are: `[PREFIX/]NAME`."""
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        return (
            f"a valid label key {_NAME_RULE} {_NAME_EXAMPLES} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        )
    faults = []
    if slash and not prefix:
        faults.append("prefix part must be non-empty")
    elif slash:
        faults += [f"prefix part {fault}" for fault in subdomain_faults(prefix)]
    if not name:
        faults.append("name part must be non-empty")
    elif _size(name) > 63:
        faults.append("name part must be no more than 63 bytes")
    if not _NAME.fullmatch(name):
        faults.append(f"name part {_NAME_RULE} {_NAME_EXAMPLES}")
    return tuple(faults)


def label_value_faults(value: str) -> tuple[str, ...]:
    """What is wrong with `value` as the value of a label."""
    faults = []
    if _size(value) > 63:
        faults.append("must be no more than 63 bytes")
    if value and not _NAME.fullmatch(value):
        faults.append(_VALUE_RULE)
    return tuple(faults)


def extended_resource_name_faults(value: str) -> tuple[str, ...]:
    """What the API server says against `value` as a DeviceClass' extendedResourceName; empty when it takes it."""
    faults = []
    if "/" not in value:
        faults.append("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif NATIVE_DOMAIN in value:
        faults.append(f'must not have "{NATIVE_DOMAIN}" domain')
    if value.startswith(QUOTA_PREFIX):
        faults.append(f'must not have "{QUOTA_PREFIX}" prefix')
    return (*faults, *qualified_name_faults(QUOTA_PREFIX + value))


def _size(value: str) -> int:
    """In bytes, as Go counts."""
    return len(value.encode(errors="surrogatepass"))
