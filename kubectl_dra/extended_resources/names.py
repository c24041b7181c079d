"""Which resource names are extended resources, and the implicit name that every DeviceClass has.

Rules: kubernetes pkg/apis/core/v1/helper/helpers.go and pkg/scheduler/util/utils.go.
"""

from functools import lru_cache

from kubectl_dra.objects.qualified_name import NATIVE_DOMAIN, QUOTA_PREFIX, qualified_name_faults

IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"
"""Before a class' name: the extended resource that every class has, whether or not it has another (API: ResourceDeviceClassPrefix)."""


@lru_cache(maxsize=4096)
def is_extended_resource_name(name: str) -> bool:
    """True for names that a device plugin may advertise and a DeviceClass may map (`IsExtendedResourceName`)."""
    if "/" not in name or NATIVE_DOMAIN in name or name.startswith(QUOTA_PREFIX):
        return False
    return not qualified_name_faults(QUOTA_PREFIX + name)


def is_dra_extended_resource_name(name: str) -> bool:
    """True for extended resources and for the implicit names of classes (`IsDRAExtendedResourceName`)."""
    return is_implicit_name(name) or is_extended_resource_name(name)


def is_scalar_resource_name(name: str) -> bool:
    """True for what the scheduler counts as a scalar: extended, huge pages, native with a domain, attachable volumes."""
    return name.startswith(("hugepages-", "attachable-volumes-")) or NATIVE_DOMAIN in name or is_extended_resource_name(name)


def is_implicit_name(name: str) -> bool:
    """True for names of the form that every class has without asking for it."""
    return name.startswith(IMPLICIT_PREFIX)


def implicit_name(class_name: str) -> str:
    """The implicit name of the class."""
    return IMPLICIT_PREFIX + class_name


def class_of_implicit_name(name: str) -> str | None:
    """The class whose implicit name this is; None for other names."""
    return name.removeprefix(IMPLICIT_PREFIX) if is_implicit_name(name) else None


def implicit_name_usable(class_name: str) -> bool:
    """True when a pod can write the class' implicit name: the class' name must be a legal name part, of 63 bytes at most."""
    return not qualified_name_faults(implicit_name(class_name))
