"""Functions on URLs (apiserver: pkg/cel/library/urls.go). Whether a text is a URL agrees with upstream; the error's words may differ."""

from kubectl_dra.allocation.cel.errors import EvaluationError
from kubectl_dra.allocation.cel.library.binding import Implementation
from kubectl_dra.allocation.cel.library.link import Url, UrlError, request
from kubectl_dra.allocation.cel.values import ListValue, MapValue
from kubectl_dra.objects.quoted import quoted


def _url(text: str) -> Url:
    try:
        return Url.parse(text)
    except UrlError as error:
        raise EvaluationError(f"URL parse error during conversion from string: parse {quoted(text)}: {error}") from None


def _is_url(text: str) -> bool:
    try:
        request(text)
    except UrlError:
        return False
    return True


IMPLEMENTATIONS: dict[str, Implementation] = {
    "string_to_url": _url,
    "is_url_string": _is_url,
    "url_get_scheme": lambda url: url.scheme,
    "url_get_host": lambda url: url.host,
    "url_get_hostname": lambda url: url.hostname,
    "url_get_port": lambda url: url.port,
    "url_get_escaped_path": lambda url: url.escaped_path,
    "url_get_query": lambda url: MapValue({key: ListValue(list(found)) for key, found in url.queries.items()}),
}
