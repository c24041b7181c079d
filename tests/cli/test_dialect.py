"""Command lines that reach commands: shared options, a command's own, and what is said about those that are wrong."""

import pytest

from kubectl_dra.cli.options import CONNECTION, GROUPS
from tests.cli.probe import CALLS, By, call, said


@pytest.mark.parametrize(
    "argv",
    [
        ("probe", "-n", "a"),
        ("probe", "-n=a"),
        ("-n", "a", "probe"),
        ("-n=a", "probe"),
        ("-na", "probe"),
        ("--namespace", "a", "probe"),
        ("--namespace=a", "probe"),
        ("-A", "-n", "a", "probe"),
        ("inner", "probe", "-n", "a"),
        ("inner", "-n", "a", "probe"),
        ("-n", "a", "inner", "probe"),
        ("-n", "b", "inner", "-n=c", "probe", "-n", "a"),
        ("-n", "b", "probe", "-na"),
        ("--", "probe", "-n", "a"),
    ],
)
def test_shared_flags_stand_before_or_after_the_command_and_the_last_counts(argv: tuple[str, ...]) -> None:
    assert said(*argv).namespace == "a"


def test_the_value_of_a_flag_before_the_command_is_not_the_command() -> None:
    assert said("--context", "needy", "probe").context == "needy"


def test_two_dashes_may_be_a_value_before_the_command() -> None:
    assert said("-n", "--", "probe").namespace == "--"


def test_every_connection_option_reaches_the_run() -> None:
    argv = []
    for option in CONNECTION.options:
        argv += [f"--{option.flag}"] if option.takes is bool else [f"--{option.flag}", f"<{option.flag}>"]
    run = said("probe", *argv)
    for option in CONNECTION.options:
        value = getattr(run, option.name)
        assert value == (True if option.takes is bool else (f"<{option.flag}>",) if option.takes == list[str] else f"<{option.flag}>")


def test_without_options_a_run_has_the_defaults() -> None:
    run = said("probe")
    assert (run.kubeconfig, run.as_groups, run.insecure_skip_tls_verify, run.request_timeout) == ("", (), False, "0")
    assert (run.all_namespaces, run.selector, run.from_, run.demo, run.strict) == (False, "", None, False, False)
    assert (run.output, run.no_headers, run.verbosity, run.only_namespace) == ("", False, 0, None)


def test_all_namespaces_wins_over_a_namespace_as_in_kubectl() -> None:
    assert said("probe", "-n", "a").only_namespace == "a"
    assert said("probe", "-n", "a", "-A").only_namespace is None
    assert said("probe", "-n", "a", "-A=false").only_namespace == "a"


def test_groups_and_extras_may_be_repeated() -> None:
    run = said("--as-group", "a", "probe", "--as-group=b", "--as-user-extra=k=v")
    assert (run.as_groups, run.as_user_extra) == (("a", "b"), ("k=v",))


def test_secrets_are_not_in_the_representation_of_a_run() -> None:
    assert "s3cret" not in repr(said("probe", "--token", "s3cret"))


def test_no_shared_flag_is_declared_twice() -> None:
    options = [option for group in GROUPS for option in group.options]
    flags = [option.flag for option in options] + [option.short for option in options if option.short]
    assert len(flags) == len(set(flags) | {"v"}) + flags.count("v") - 1


@pytest.mark.parametrize(
    ("argv", "name", "value"),
    [
        (("--by", "node"), "by", By.NODE),
        (("--by=pod",), "by", By.POD),
        ((), "by", By.NAME),
        (("-c", "3"), "count", 3),
        (("-c=3",), "count", 3),
        (("-c3",), "count", 3),
        (("--count=-1",), "count", -1),
        ((), "wait", True),
        (("--wait=false",), "wait", False),
        (("--wait=false", "--wait"), "wait", True),
        (("--dry-run",), "dry_run", "client"),
        (("--dry-run=server",), "dry_run", "server"),
        (("--resource=a", "--resource", "b"), "resource", ["a", "b"]),
        (("a", "b"), "things", ["a", "b"]),
        (("--", "-x"), "things", ["-x"]),
        ((), "things", None),
        ((), "resource", None),
    ],
)
def test_a_commands_own_values(argv: tuple[str, ...], name: str, value: object) -> None:
    said("probe", *argv)
    assert CALLS.values[name] == value


def test_a_bare_dry_run_leaves_the_next_word_alone() -> None:
    said("probe", "--dry-run", "server")
    assert (CALLS.values["dry_run"], CALLS.values["things"]) == ("client", ["server"])


PROBE_HELP = "See 'kubectl dra probe --help' for usage."


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (("probe", "--foo"), "unknown flag: --foo", PROBE_HELP),
        (("probe", "--name", "x"), "unknown flag: --name", PROBE_HELP),
        (("probe", "-x"), "unknown shorthand flag: 'x' in -x", PROBE_HELP),
        (("--foo", "probe"), "unknown flag: --foo", "See 'kubectl dra --help' for usage."),
        (("--by=node", "probe"), "unknown flag: --by", "See 'kubectl dra --help' for usage."),
        (("inner", "--foo"), "unknown flag: --foo", "See 'kubectl dra inner --help' for usage."),
        (("inner", "probe", "--foo"), "unknown flag: --foo", "See 'kubectl dra inner probe --help' for usage."),
        (("needy", "-A", "x"), "unknown shorthand flag: 'A' in -A", "See 'kubectl dra needy --help' for usage."),
        (("-A", "needy", "x"), "unknown shorthand flag: 'A' in -A", "See 'kubectl dra needy --help' for usage."),
        (("probe", "--by"), "flag needs an argument: --by", PROBE_HELP),
        (("probe", "--by=zone"), 'invalid argument "zone" for "--by" flag: must be name, node or pod', PROBE_HELP),
        (("probe", "--by="), 'invalid argument "" for "--by" flag: must be name, node or pod', PROBE_HELP),
        (("probe", "-c=x"), 'invalid argument "x" for "-c, --count" flag: must be a whole number', PROBE_HELP),
        (("probe", "-v=x"), 'invalid argument "x" for "-v, --v" flag: must be a whole number', PROBE_HELP),
        (("probe", "--demo=maybe"), 'invalid argument "maybe" for "--demo" flag: must be true or false', PROBE_HELP),
        (("needy",), "argument NODE is required", "See 'kubectl dra needy --help' for usage."),
        (("needy", "a", "b"), 'unexpected argument "b"', "See 'kubectl dra needy --help' for usage."),
        (("prob",), 'unknown command "prob" for "kubectl dra"', 'Did you mean "probe"?'),
        (("zzz",), 'unknown command "zzz" for "kubectl dra"', "See 'kubectl dra --help' for the commands."),
        (("inner", "zzz"), 'unknown command "zzz" for "kubectl dra inner"', "See 'kubectl dra inner --help' for the commands."),
        (
            ("probe", "-o=foo"),
            'unable to match a printer suitable for the output format "foo", allowed formats are: '
            "table,wide,json,yaml,name,markdown,csv,jsonpath,jsonpath-as-json,jsonpath-file",
            "",
        ),
        (("probe", "-o", "jsonpath"), "template format specified but no template given", "Use -o jsonpath=TEMPLATE."),
        (("probe", "-o", "jsonpath={.a"), "error parsing jsonpath {.a, unclosed action", ""),
        (("probe", "-o", "jsonpath-file=/nowhere"), "cannot read the template /nowhere: No such file or directory", ""),
    ],
)
def test_what_is_wrong_is_said_in_a_line_with_where_to_look(argv: tuple[str, ...], message: str, hint: str) -> None:
    result = call(*argv)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == f"error: {message}\n" + (f"{hint}\n" if hint else "")
    assert CALLS.run is None
