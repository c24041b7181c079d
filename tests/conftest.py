"""What all tests share: hypothesis' profiles, the order (what needs no cluster first), and the fixtures that need none."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import run
from tests.bed import build
from tests.bed.cluster import Cluster
from tests.bed.process import RUNNING
from tests.bed.proxy import FaultProxy

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100)
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "20000"))
"""Of each property, in `make fuzz`."""
settings.register_profile("fuzz", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

building: pytest.StashKey["subprocess.Popen[bytes]"] = pytest.StashKey()
waited: pytest.StashKey[bool] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--no-skips`: where everything can run, a test that did not run has failed."""
    parser.addoption("--no-skips", action="store_true", help="a skipped test is a failed one")


def pytest_configure(config: pytest.Config) -> None:
    """The mark of live tests; the fixture `bed` makes a test one."""
    config.addinivalue_line("markers", "live: needs the bed, a real cluster")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need no cluster come first, while the bed's binary is built for the others."""
    for item in items:
        if isinstance(item, pytest.Function) and "bed" in item.fixturenames:
            item.add_marker(pytest.mark.live)
    items.sort(key=lambda item: item.get_closest_marker("live") is not None)
    if items and items[-1].get_closest_marker("live") and not config.option.collectonly:
        _begin_to_build(config)


def _begin_to_build(config: pytest.Config) -> None:
    """In a process aside, of which one worker is enough."""
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0" or _built():
        return
    command = [sys.executable, "-m", "tests.bed.build"]
    config.stash[building] = subprocess.Popen(
        command, cwd=config.rootpath, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def _built() -> bool:
    """Whether there is nothing to build, or no way to (each live test is then skipped, with the reason)."""
    try:
        return not sys.platform.startswith("linux") or build.ready() is not None
    except build.CannotBuildError:
        return True


def pytest_unconfigure(config: pytest.Config) -> None:
    """A run that ends early takes the build along: the builder and its compilers are a session of their own."""
    process = config.stash.get(building, None)
    if process:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """The first live test waits for the build outside of its own time limit: cold, a build takes many minutes."""
    if item.get_closest_marker("live") and not item.config.stash.get(waited, False):
        item.config.stash[waited] = True
        if not _built():
            with suppress(build.CannotBuildError):  # the fixture `bed` tells it
                build.binaries()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file that is skipped as a whole."""
    report = yield
    _refuse_skip(collector.config, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test shows what the components it ran with have to say."""
    report = yield
    _refuse_skip(item.config, report)
    if report.failed:
        for process in RUNNING:
            report.sections.append((f"logs of {process.name}", process.tail()))
            if isinstance(process, Cluster):
                report.sections.append((f"events of {process.name}", _events(process)))
    return report


def _refuse_skip(config: pytest.Config, report: pytest.CollectReport | pytest.TestReport) -> None:
    if report.outcome == "skipped" and config.option.no_skips and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"--no-skips: {why}"


def _events(cluster: Cluster) -> str:
    try:
        return "\n".join(cluster.events().splitlines()[-30:])
    except Exception as error:  # noqa: BLE001 - the report of one failure must not become another
        return f"no events: {error}"


@pytest.fixture(scope="session")
def bed() -> Path:
    """The bed's binary, built if need be. A test that needs it, through whatever fixture, is a live one."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the bed runs on Linux only")
    try:
        build.go()
    except build.CannotBuildError as error:
        pytest.skip(str(error))
    return build.binaries().bed


@pytest.fixture(scope="session")
def oracle(bed: Path) -> Path:
    """The binary that answers for the upstream allocator; it is built with the bed."""
    return bed.with_name("oracle")


@pytest.fixture
def proxy() -> Iterator[Callable[..., FaultProxy]]:
    """A factory of fault proxies: `proxy(cell)` poses as that cell's API server (TLS), `proxy("http://127.0.0.1:123")` stands before
    anything else. For a cell, `cell.write_kubeconfig(path, server=proxy.url)` makes a kubeconfig that goes through it.
    """
    with ExitStack() as stack:

        def start(upstream: str | Cluster) -> FaultProxy:
            if not isinstance(upstream, Cluster):
                return stack.enter_context(FaultProxy(upstream))
            authority, certificate = upstream.certificate_authority, upstream.serving_certificate
            return stack.enter_context(FaultProxy(upstream.server, certificate_authority=authority, certificate=certificate))

        yield start


@pytest.fixture
def kubectl_dra() -> Callable[..., run.Result]:
    """Runs the tool in this process: `kubectl_dra("audit", "-o", "json", variables=..., stdin=...)` gives code, stdout and stderr."""
    return run.kubectl_dra
