"""kubectl's flag grammar. `tests/live` holds the same spellings against kubectl itself."""

import pytest

from kubectl_dra.cli.pflag import Flag, Flags, Parsed, bool_flag
from kubectl_dra.errors import UsageError

FLAGS = Flags(
    [
        Flag("namespace", "n"),
        Flag("output", "o"),
        Flag("as-group"),
        Flag("v", "v"),
        Flag("dry-run", bare="client"),
        bool_flag("all-namespaces", "A"),
        bool_flag("watch", "w"),
        bool_flag("wait"),
    ]
)


def values(*arguments: str) -> dict[str, list[str]]:
    return FLAGS.parse(arguments).values


@pytest.mark.parametrize(
    "arguments",
    [
        ("-n", "foo"),
        ("-n=foo",),
        ("-nfoo",),
        ("--namespace", "foo"),
        ("--namespace=foo",),
        ("-An", "foo"),
        ("-Anfoo",),
        ("-An=foo",),
        ("-n", "bar", "-nfoo"),
        ("before", "-n", "foo", "after"),
    ],
)
def test_a_value_in_each_of_its_spellings(arguments: tuple[str, ...]) -> None:
    assert values(*arguments)["namespace"][-1] == "foo"


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("--namespace=",), ""),
        (("--namespace", ""), ""),
        (("-n", ""), ""),
        (("-n=",), "="),  # pflag's own corner: a value only follows `=` if there is one
        (("-n==x",), "=x"),
        (("--namespace==x",), "=x"),
        (("--namespace", "--watch"), "--watch"),
        (("-n", "-w"), "-w"),
        (("-n", "--"), "--"),
        (("--namespace=a=b",), "a=b"),
    ],
)
def test_a_value_is_taken_as_it_stands(arguments: tuple[str, ...], value: str) -> None:
    assert values(*arguments) == {"namespace": [value]}


@pytest.mark.parametrize("word", ["true", "1", "t", "T", "TRUE", "True"])
def test_a_bool_that_is_true(word: str) -> None:
    assert FLAGS.parse([f"--watch={word}"]).is_true("watch")


@pytest.mark.parametrize("word", ["false", "0", "f", "F", "FALSE", "False"])
def test_a_bool_that_is_false(word: str) -> None:
    assert not FLAGS.parse(["-w", f"-w={word}"]).is_true("watch")


def test_a_bool_never_takes_the_next_word() -> None:
    parsed = FLAGS.parse(["--watch", "false", "-w", "false"])
    assert parsed == Parsed(values={"watch": ["true", "true"]}, words=["false", "false"])


def test_short_bools_combine_and_the_last_may_have_a_value() -> None:
    assert values("-Awn", "x") == {"all-namespaces": ["true"], "watch": ["true"], "namespace": ["x"]}
    assert values("-Aw=false") == {"all-namespaces": ["true"], "watch": ["false"]}


def test_a_bare_flag_means_its_bare_value_and_never_takes_the_next_word() -> None:
    assert FLAGS.parse(["--dry-run", "server"]) == Parsed(values={"dry-run": ["client"]}, words=["server"])
    assert values("--dry-run=server") == {"dry-run": ["server"]}
    assert values("--dry-run=") == {"dry-run": [""]}


def test_repeated_flags_keep_their_order() -> None:
    assert values("--as-group=a", "--as-group", "b") == {"as-group": ["a", "b"]}


def test_an_underscore_counts_as_a_dash() -> None:
    assert values("--as_group=a", "--dry_run") == {"as-group": ["a"], "dry-run": ["client"]}


def test_two_dashes_end_the_flags() -> None:
    assert FLAGS.parse(["a", "-w", "--", "-n", "--", "x"]) == Parsed(values={"watch": ["true"]}, words=["a", "-n", "--", "x"], ended=True)


def test_one_dash_and_nothing_are_words() -> None:
    assert FLAGS.parse(["-", "", "-w"]) == Parsed(values={"watch": ["true"]}, words=["-", ""])


def test_reading_up_to_the_first_word() -> None:
    parsed = FLAGS.parse(["-n", "x", "-w", "get", "-n", "y"], mixed=False)
    assert parsed == Parsed(values={"namespace": ["x"], "watch": ["true"]}, rest=["get", "-n", "y"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--foo",), "unknown flag: --foo"),
        (("--foo=bar",), "unknown flag: --foo"),
        (("--name", "x"), "unknown flag: --name"),  # never an abbreviation of --namespace
        (("--wat",), "unknown flag: --wat"),
        (("--no-wait",), "unknown flag: --no-wait"),
        (("-x",), "unknown shorthand flag: 'x' in -x"),
        (("-Ax",), "unknown shorthand flag: 'x' in -x"),
        (("-A=",), "unknown shorthand flag: '=' in -="),
        (("-w5",), "unknown shorthand flag: '5' in -5"),
        (("--namespace",), "flag needs an argument: --namespace"),
        (("-n",), "flag needs an argument: 'n' in -n"),
        (("-An",), "flag needs an argument: 'n' in -n"),
        (("---x",), "bad flag syntax: ---x"),
        (("--=x",), "bad flag syntax: --=x"),
        (("--watch=maybe",), 'invalid argument "maybe" for "-w, --watch" flag: must be true or false'),
        (("--wait=",), 'invalid argument "" for "--wait" flag: must be true or false'),
    ],
)
def test_what_cannot_be_read_is_said_as_kubectl_says_it(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as failure:
        FLAGS.parse(arguments)
    assert failure.value.message == message
