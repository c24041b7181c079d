"""Functions on addresses and networks (apiserver: pkg/cel/library/ip.go, cidr.go).

Whether a text is an address agrees with upstream; the words of the error, which quote Go's parser, do not in full.
"""

from ipaddress import IPv4Address, IPv6Address

from kubectl_dra.allocation.cel.errors import EvaluationError, NoSuchOverload
from kubectl_dra.allocation.cel.library.address import AddressError, Cidr, Ip, RefusedAddressError
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.objects.quoted import quoted


def _ip(text: str) -> Ip:
    try:
        return Ip.parse(text)
    except RefusedAddressError as error:
        raise EvaluationError(str(error)) from None
    except AddressError as error:
        raise EvaluationError(f"IP Address {quoted(text)} parse error during conversion from string: {error}") from None


def _cidr(text: str) -> Cidr:
    try:
        return Cidr.parse(text)
    except RefusedAddressError as error:
        raise EvaluationError(f"network address parse error during conversion from string: {error}") from None
    except AddressError as error:
        twice = "network address parse error during conversion from string: " * 2
        raise EvaluationError(f"{twice}{error}") from None


def _is_ip(text: str) -> bool:
    try:
        Ip.parse(text)
    except AddressError:
        return False
    return True


def _is_cidr(text: str) -> bool:
    try:
        Cidr.parse(text)
    except AddressError:
        return False
    return True


def _is_link_local_multicast(ip: Ip) -> bool:
    address = ip.address
    if isinstance(address, IPv4Address):
        return int(address) >> 8 == 0xE00000
    packed = address.packed
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02


def _is_link_local(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return int(address) >> 16 == 0xA9FE
    return int(address) >> 118 == 0xFE80 >> 6


def _is_global_unicast(ip: Ip) -> bool:
    address = ip.address
    if isinstance(address, IPv4Address) and int(address) in (0, 0xFFFFFFFF):
        return False
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or _is_link_local(address))


def _contains_ip(network: Cidr, ip: Ip | str) -> bool:
    try:
        address = (_ip(ip) if isinstance(ip, str) else ip).address
    except EvaluationError:
        # The error of the text is lost on the way (cidr.go, cidrContainsIP).
        raise NoSuchOverload from None
    return network.contains(address)


def _contains_cidr(network: Cidr, other: Cidr | str) -> bool:
    inner = _cidr(other) if isinstance(other, str) else other
    return network.bits <= inner.bits and network.contains(inner.address)


IMPLEMENTATIONS: dict[str, Implementation] = {
    "string_to_ip": _ip,
    "cidr_ip": lambda network: Ip(network.address),
    "ip_family": lambda ip: ip.address.version,
    "ip_is_canonical": lambda text: str(_ip(text)) == text,
    "ip_is_unspecified": lambda ip: ip.address.is_unspecified,
    "ip_is_loopback": lambda ip: ip.address.is_loopback,
    "ip_is_link_local_multicast": _is_link_local_multicast,
    "ip_is_link_local_unicast": lambda ip: _is_link_local(ip.address),
    "ip_is_global_unicast": _is_global_unicast,
    "is_ip": _is_ip,
    "string_to_cidr": _cidr,
    "cidr_contains_ip_string": _contains_ip,
    "cidr_contains_ip_ip": _contains_ip,
    "cidr_contains_cidr_string": _contains_cidr,
    "cidr_contains_cidr": _contains_cidr,
    "cidr_prefix_length": lambda network: network.bits,
    "cidr_masked": lambda network: network.masked,
    "is_cidr": _is_cidr,
}
