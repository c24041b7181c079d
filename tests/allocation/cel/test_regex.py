"""Patterns as RE2 understands them."""

import pytest

from kubectl_dra.allocation.cel import ErrorClass, Unsupported
from kubectl_dra.allocation.cel.regex import RegexError, compiled
from tests.allocation.cel.asking import ask


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^a[0-9]+$", "a100", True),
        ("^a$", "a\n", False),
        ("(?m)^b$", "a\nb\nc", True),
        ("a.c", "a\nc", False),
        ("(?s)a.c", "a\nc", True),
        (r"\d", "\u0663", False),
        (r"\w", "\u00e9", False),
        (r"\s", "\v", False),
        ("(?i)k", "\u212a", True),
        ("[[:alpha:]]+", "é", False),
        (r"\pL", "é", True),
        (r"\PL", "é", False),
        (r"\Qa.b\E", "a.b", True),
        (r"\Qa.b\E", "axb", False),
        ("a{,2}", "a{,2}", True),
        ("[^a]", "\n", True),
        (r"\bcat\b", "a cat.", True),
        ("(?U)a+", "aa", True),
        ("x*", "", True),
        (r"\x{41}\x42\103", "ABC", True),
    ],
)
def test_matches(pattern: str, text: str, found: bool) -> None:
    assert compiled(pattern).matches(text) is found


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [("a|ab", "ab", "a"), ("a+?", "aaa", "a"), ("(?U)a+", "aaa", "a"), ("a{2,3}?", "aaaa", "aa"), ("b*", "abb", ""), ("(|a)+", "aa", "")],
)
def test_the_leftmost_that_the_pattern_prefers(pattern: str, text: str, found: str) -> None:
    assert compiled(pattern).find(text) == found


def test_all_matches() -> None:
    assert compiled("a*").find_all("baaac", -1) == ["", "aaa", ""]
    assert compiled("a.").find_all("abacad", 2) == ["ab", "ac"]
    assert compiled("x").find_all("abc", -1) == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        r"(a)\1",
        "a**",
        "a++",
        "*a",
        "(",
        ")",
        "[a",
        "[z-a]",
        "a{1001}",
        "(a{100}){100}",
        r"\C",
        "(?P<n",
        r"\p{",
        r"\8",
        "\\",
    ],
)
def test_what_re2_refuses(pattern: str) -> None:
    with pytest.raises(RegexError, match=r"^error parsing regexp: "):
        compiled(pattern)


@pytest.mark.parametrize("pattern", [r"\p{Greek}", "(?i)é", "(" * 200 + ")" * 200, "((a{100}){10}b{1000}){1}" * 20])
def test_what_is_not_decided_here(pattern: str) -> None:
    with pytest.raises(Unsupported):
        compiled(pattern)


def test_a_constant_pattern_that_is_none_does_not_compile() -> None:
    assert ask('device.driver.matches("(")').error_class is ErrorClass.COMPILE
    assert ask('device.driver.matches("(" + "")').error_class is ErrorClass.RUNTIME
