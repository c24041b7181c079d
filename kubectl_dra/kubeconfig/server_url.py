"""The server's URL in its full form (client-go: rest/url_utils.go)."""

from urllib.parse import urlsplit, urlunsplit

from kubectl_dra.errors import KubeconfigError


def normal(server: str, cluster_name: str = "") -> str:
    """`server` with scheme and without a slash at the end; a bare `host:port` is plain http, as in kubectl."""
    try:
        url = urlsplit(server)
        if not url.scheme or not url.netloc:
            url = urlsplit(f"http://{server}")
            if url.path not in ("", "/"):
                raise ValueError
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError
        _ = url.port  # raises when it is no number
    except ValueError:
        whose = f' of cluster "{cluster_name}"' if cluster_name else ""
        raise KubeconfigError(f'the server "{server}"{whose} is not a URL', hint="it looks like https://HOST:PORT") from None
    return urlunsplit((url.scheme, url.netloc, url.path.rstrip("/"), "", ""))
