"""What the README shows of taints on a cluster, run in its order."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.bed.cluster import Cluster
from tests.bed.devices_in_use import settle, start_devices_in_use
from tests.readme import examples, printed, steady

SHOWN = [example for example in examples() if example.of_devices_in_use]


def test_what_the_readme_shows_of_taints(own_cell: Callable[..., Cluster], short_path: Path) -> None:
    with ExitStack() as stack:
        cluster = own_cell()
        start_devices_in_use(cluster, short_path, stack)
        live = {"KUBECONFIG": str(cluster.kubeconfig)}
        assert [example.words[1] for example in SHOWN][-3:] == ["promote", "list", "delete"]
        for example in SHOWN:
            settle(cluster)
            assert steady(printed(example, live)) == example.output, example.command
