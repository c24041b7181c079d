"""Documents as YAML that every reader takes for the same values: Go's YAML reads `1e3` as a number where PyYAML would not quote it."""

import re

import yaml

NUMBER = re.compile(
    r"""[-+]?(?:
        0[xX][0-9a-fA-F_]+ | 0[oO]?[0-7_]+ | 0[bB][01_]+
      | (?:\.[0-9_]+ | [0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?
      | [0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
      | \.(?:inf|Inf|INF|nan|NaN|NAN)
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\ ][0-9:.]+(?:Z|\ ?[-+][0-9:]+)?)?
    )""",
    re.VERBOSE,
)
"""What some version of YAML reads as a number or a time: 1.1 (PyYAML, kubectl) and 1.2."""

WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "="})


_DUMPER: type[yaml.SafeDumper] = type("_Dumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {})
"""PyYAML's, in C where it was built so, with more strings in quotes."""


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    if "\n" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    quoted = NUMBER.fullmatch(text) is not None or text.lower() in WORDS
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else "")


_DUMPER.add_representer(str, _string)


def dump(value: object) -> str:
    """`value` (plain dicts, lists, strings, numbers) as YAML, keys in their order, lines not folded."""
    text: str = yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=1 << 30, default_flow_style=False)
    return text
