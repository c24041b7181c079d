"""JSON or YAML text to plain values. The parser is loaded when a text needs it: most runs of `--help` read none."""

from typing import Any

import msgspec

from kubectl_dra.errors import KubeconfigError


def parsed(data: bytes, *, what: str) -> object:
    """The first document of `data`; None when it holds nothing. `what` names the text in errors, which never quote it (tokens)."""
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        try:
            return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
        except msgspec.DecodeError:
            pass  # {a: b} is YAML, and only the YAML parser tells the line of a mistake
    return _yaml(data, what)


def _yaml(data: bytes, what: str) -> object:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc] # the C one is not in every build
        """Dates stay text, as in kubectl's parser: a token or a name may look like one."""

        yaml_implicit_resolvers: dict[str, Any] = {  # noqa: RUF012 # overrides what yaml declares
            first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    loader = None
    try:
        loader = Loader(data)
        value: object = loader.get_data() if loader.check_data() else None
        return value
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise KubeconfigError(f"{what} is neither YAML nor JSON: {error.problem or 'a mistake'}{line}") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        raise KubeconfigError(f"{what} is neither YAML nor JSON: it holds characters that are not text") from None
    finally:
        if loader is not None:
            loader.dispose()


def without_nulls(value: object) -> object:
    """The value without fields that are null: kubectl takes `token:` for no token. Extensions are somebody else's and stay."""
    match value:
        case dict():
            return {key: item if key == "extension" else without_nulls(item) for key, item in value.items() if item is not None}
        case list():
            return [{} if item is None else without_nulls(item) for item in value]
        case _:
            return value
