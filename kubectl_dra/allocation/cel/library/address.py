"""IP addresses and networks as values (Go: net/netip)."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

from kubectl_dra.objects.quoted import quoted

_V4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}", re.ASCII)
_PREFIX = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)


class AddressError(ValueError):
    """The text is no address or network. For Go's own complaints the words are ours."""


class RefusedAddressError(AddressError):
    """An address for Go, but not for Kubernetes; the text is Kubernetes'."""


class Ip:
    """An address without zone, and not an IPv4 address in IPv6 clothes."""

    __slots__ = ("address",)

    def __init__(self, address: IPv4Address | IPv6Address) -> None:
        """Take the address."""
        self.address = address

    @classmethod
    def parse(cls, text: str) -> "Ip":
        """Read an address (apiserver: pkg/cel/library/ip.go). Raises AddressError."""
        name, zone, inside = text.partition("%")
        address = _address(name)
        if zone:
            if not inside or isinstance(address, IPv4Address):
                raise AddressError("no zone can be here")
            raise RefusedAddressError(f"IP address {quoted(text)} with zone value is not allowed")
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            raise RefusedAddressError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
        return cls(address)

    def __str__(self) -> str:
        """The canonical form, which is RFC 5952's as in Go."""
        return str(self.address)


class Cidr:
    """A network: an address and how many of its bits count. Bits beyond those may be set."""

    __slots__ = ("address", "bits")

    def __init__(self, address: IPv4Address | IPv6Address, bits: int) -> None:
        """Take both."""
        self.address = address
        self.bits = bits

    @classmethod
    def parse(cls, text: str) -> "Cidr":
        """Read `address/bits` (apiserver: pkg/cel/library/cidr.go). Raises AddressError."""
        before, slash, bits = text.rpartition("/")
        if not slash or not _PREFIX.fullmatch(bits):
            raise AddressError("not address/bits")
        if "%" in before:
            raise AddressError("zones are for addresses")
        address = _address(before)
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None and int(bits) <= 128:
            raise RefusedAddressError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
        if int(bits) > address.max_prefixlen:
            raise AddressError("too many bits")
        return cls(address, int(bits))

    @property
    def masked(self) -> "Cidr":
        """Without the bits that do not count."""
        return Cidr(type(self.address)(self._network(self.address)), self.bits)

    def contains(self, address: IPv4Address | IPv6Address) -> bool:
        """True when the address lies in the network."""
        return type(address) is type(self.address) and self._network(address) == self._network(self.address)

    def _network(self, address: IPv4Address | IPv6Address) -> int:
        hidden = self.address.max_prefixlen - self.bits
        return int(address) >> hidden << hidden

    def __str__(self) -> str:
        """As it is written."""
        return f"{self.address}/{self.bits}"


def _address(text: str) -> IPv4Address | IPv6Address:
    if ":" not in text and not _V4.fullmatch(text):
        raise AddressError("no address")
    try:
        return ip_address(text)
    except ValueError as error:
        raise AddressError(str(error)) from None
