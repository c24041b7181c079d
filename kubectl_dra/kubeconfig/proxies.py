"""Which proxy the environment wants for a server: HTTP_PROXY, HTTPS_PROXY and NO_PROXY as Go reads them (x/net/http/httpproxy)."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from kubectl_dra.errors import KubeconfigError

_PORTS = {"http": 80, "https": 443}


def from_variables(server: str, variables: Mapping[str, str]) -> str:
    """The URL of the proxy for `server`, empty for none. Loopback servers never get one."""
    url = urlsplit(server)
    names = ("HTTPS_PROXY", "https_proxy") if url.scheme == "https" else ("HTTP_PROXY", "http_proxy")
    proxy = next((variables[name] for name in names if variables.get(name)), "")
    if not proxy:
        return ""
    if url.scheme == "http" and variables.get("REQUEST_METHOD"):
        raise KubeconfigError("HTTP_PROXY is not trusted in a CGI environment (REQUEST_METHOD is set)")
    exceptions = next((variables[name] for name in ("NO_PROXY", "no_proxy") if variables.get(name)), "")
    if _is_excepted((url.hostname or "").lower(), url.port or _PORTS.get(url.scheme, 0), exceptions):
        return ""
    split = urlsplit(proxy)
    return proxy if split.scheme and split.netloc else f"http://{proxy}"


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_excepted(host: str, port: int, exceptions: str) -> bool:
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    return any(_matches(host, port, address, item.strip().lower()) for item in exceptions.split(","))


def _matches(host: str, port: int, address: ipaddress.IPv4Address | ipaddress.IPv6Address | None, item: str) -> bool:
    """Whether one word of NO_PROXY means this host: `*`, a network, an address or a domain, these two with or without a port."""
    if item == "*":
        return True
    if "/" in item:
        try:
            return address is not None and address in ipaddress.ip_network(item, strict=False)
        except ValueError:
            return False
    name, wanted_port = item, ""
    if _address(item) is None and ":" in item:
        name, _, wanted_port = item.rpartition(":")
        name = name.removeprefix("[").removesuffix("]")
    if not name or (wanted_port and wanted_port != str(port)):
        return False
    wanted = _address(name)
    if wanted is not None or address is not None:
        return wanted == address
    name = name.removeprefix("*")
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")
