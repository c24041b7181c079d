"""The words of `kubectl dra taint`, made into rules."""

from typing import TYPE_CHECKING

import msgspec

from kubectl_dra.cli.options import Run
from kubectl_dra.errors import UsageError
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintSelector
from kubectl_dra.taint_rules.choice import of_node, refuse_class
from kubectl_dra.taint_rules.manifest import PlannedRule, planned
from kubectl_dra.taint_rules.rule import GRAMMAR, read_taint, rule, selects_everything
from kubectl_dra.taint_rules.rule_file import read_rules
from kubectl_dra.taint_rules.validation import refuse_invalid

if TYPE_CHECKING:
    from kubectl_dra.objects.snapshot import Snapshot


class Asked(msgspec.Struct, frozen=True):
    """What the command line says of the rule."""

    taint: str | None = None
    driver: str | None = None
    pool: str | None = None
    device: str | None = None
    node: str | None = None
    device_class: str | None = None
    all_devices: bool = False
    name: str | None = None
    time_added: str | None = None
    filename: str | None = None

    @property
    def selects(self) -> bool:
        """Whether the words narrow the devices."""
        return any(each is not None for each in (self.driver, self.pool, self.device, self.node, self.device_class))


class Plan(msgspec.Struct, frozen=True):
    """The rules, and what people should know of how they were chosen."""

    rules: tuple[PlannedRule, ...]
    notes: tuple[str, ...] = ()


def fixed(run: Run, asked: Asked) -> Plan | None:
    """The rules that the words alone make, or a file; None where the cluster has to be looked at first (`--node`, `--class`).

    Raises UsageError for words that do not go together, and for what the API server would refuse.
    """
    if asked.filename is not None:
        return Plan(_of_file(run, asked, asked.filename))
    taint = _taint(asked)
    if asked.selects and asked.all_devices:
        raise UsageError("--all-devices and a narrower selection exclude each other")
    if not asked.selects and not asked.all_devices:
        raise UsageError(
            "no device is selected", hint="Give --driver, --pool, --device or --node; --all-devices means every device of the cluster."
        )
    if asked.node is not None and (asked.device is not None or asked.device_class is not None):
        raise UsageError(f"--node and {'--device' if asked.device is not None else '--class'} exclude each other")
    if asked.node is not None or asked.device_class is not None:
        _check_taint(taint, asked)
        return None
    made = rule(taint, DeviceTaintSelector(asked.driver, asked.pool, asked.device), asked.name)
    refuse_invalid(made)
    return Plan((planned(made),))


def chosen(asked: Asked, snapshot: "Snapshot") -> Plan:
    """The rules for the devices of a node. Raises UsageError for `--class` with what is behind the class."""
    if asked.device_class is not None:
        raise refuse_class(snapshot, asked.device_class)
    choice = of_node(snapshot, asked.node or "", asked.driver, asked.pool)
    if asked.name is not None and len(choice.selectors) > 1:
        raise UsageError(
            f"node {asked.node} takes {len(choice.selectors)} rules, and --name names one",
            hint="Without --name each gets its own; or narrow it with --driver and --pool.",
        )
    made = [rule(_taint(asked), selector, asked.name) for selector in choice.selectors]
    for each in made:
        refuse_invalid(each)
    return Plan(tuple(map(planned, made)), choice.notes)


def refuse_everything(plan: Plan, *, all_devices: bool) -> None:
    """Raise UsageError for a rule (of a file) that nothing narrows, unless that is what was asked for."""
    for each in plan.rules:
        selector = each.rule.spec.device_selector
        if selects_everything(selector) and not all_devices:
            what = "has no selector: older schedulers take that for every device" if selector is None else "selects every device"
            raise UsageError(f"{each.source or each.name}: the rule {what}", hint="Give it a selector, or say --all-devices.")


def _of_file(run: Run, asked: Asked, path: str) -> tuple[PlannedRule, ...]:
    both = {
        GRAMMAR: asked.taint,
        "--driver": asked.driver,
        "--pool": asked.pool,
        "--device": asked.device,
        "--node": asked.node,
        "--class": asked.device_class,
        "--name": asked.name,
        "--time-added": asked.time_added,
    }
    said = next((option for option, value in both.items() if value is not None), None)
    if said is not None:
        raise UsageError(f"{said} and --filename exclude each other", hint="The file says all of it.")
    if path == "-" and run.from_ == "-":
        raise UsageError("--from and --filename cannot both be standard input")
    return read_rules(path, run.environment)


def _taint(asked: Asked) -> DeviceTaint:
    if asked.taint is None:
        raise UsageError(f"a taint is required: {GRAMMAR}", hint="For example example.com/maintenance=drain:NoSchedule; or -f FILE.")
    return read_taint(asked.taint, asked.time_added)


def _check_taint(taint: DeviceTaint, asked: Asked) -> None:
    """What is wrong with the taint is told before the cluster is read."""
    refuse_invalid(rule(taint, None, asked.name))
