"""From the words of the command line to a rule, and to its manifest."""

import pytest

from kubectl_dra.errors import UsageError
from kubectl_dra.objects.resource import DeviceTaint, DeviceTaintSelector
from kubectl_dra.taint_rules.manifest import manifest
from kubectl_dra.taint_rules.rule import in_words, looks_like_a_taint, read_taint, read_time, rule, selector_in_words, selects_everything

DRAIN = DeviceTaint("example.com/maintenance", "drain", "NoExecute")


@pytest.mark.parametrize(
    ("text", "taint"),
    [
        ("example.com/maintenance=drain:NoExecute", DRAIN),
        ("sick:NoSchedule", DeviceTaint("sick", None, "NoSchedule")),
        ("sick=:None", DeviceTaint("sick", None, "None")),
    ],
)
def test_a_taint(text: str, taint: DeviceTaint) -> None:
    assert looks_like_a_taint(text)
    assert read_taint(text) == taint


def test_a_taint_in_words() -> None:
    assert in_words(DRAIN) == "example.com/maintenance=drain:NoExecute"
    assert in_words(read_taint("sick=:None")) == "sick:None"


@pytest.mark.parametrize("text", ["a=b", "a=b=c:NoExecute", "a:b:NoExecute", "noschedule"])
def test_what_is_no_taint(text: str) -> None:
    with pytest.raises(UsageError, match=f'^"{text}" is no taint$'):
        read_taint(text)


def test_an_effect_in_other_letters() -> None:
    with pytest.raises(UsageError) as caught:
        read_taint("a=b:noexecute")
    assert caught.value.message == 'effect "noexecute" of the taint "a=b:noexecute" must be None, NoSchedule or NoExecute'
    assert caught.value.hint == "Did you mean a=b:NoExecute?"
    with pytest.raises(UsageError, match='effect "" of the taint'):
        read_taint("a=b:")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2026-12-01T15:04:05Z", "2026-12-01T15:04:05Z"),
        ("2026-12-01T15:04:05.7+02:00", "2026-12-01T13:04:05Z"),
    ],
)
def test_a_time_as_the_server_stores_it(text: str, stored: str) -> None:
    assert read_time(text) == stored
    assert read_taint("a:None", text).time_added == stored


@pytest.mark.parametrize("text", ["2026-12-01", "tomorrow", "2026-13-01T00:00:00Z", "2026-12-01 15:04:05Z", ""])
def test_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="is no time for --time-added"):
        read_time(text)


def test_a_name_tells_the_rule() -> None:
    one = rule(DRAIN, DeviceTaintSelector("gpu.example.com", "node-7"))
    assert one.metadata.name.startswith("maintenance-")
    assert one == rule(DRAIN, DeviceTaintSelector("gpu.example.com", "node-7"))
    others = [
        rule(DRAIN, DeviceTaintSelector("gpu.example.com", None, "node-7")),
        rule(DRAIN, DeviceTaintSelector("gpu.example.com")),
        rule(DeviceTaint("example.com/maintenance", None, "NoExecute"), DeviceTaintSelector("gpu.example.com", "node-7")),
    ]
    assert len({each.metadata.name for each in [one, *others]}) == 4
    # promoting it later does not make it another one
    assert rule(DeviceTaint(DRAIN.key, DRAIN.value, "None"), one.spec.device_selector).metadata.name == one.metadata.name
    assert rule(DeviceTaint("A_.-B", None, "None"), None).metadata.name.startswith("a-b-")
    assert rule(DRAIN, None, "own").metadata.name == "own"


def test_a_manifest() -> None:
    assert manifest(rule(DRAIN, DeviceTaintSelector("gpu.example.com", None, "gpu-0"), "x")) == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "x"},
        "spec": {
            "deviceSelector": {"driver": "gpu.example.com", "device": "gpu-0"},
            "taint": {"key": "example.com/maintenance", "value": "drain", "effect": "NoExecute"},
        },
    }


def test_every_device_is_not_no_device() -> None:
    everything, nothing = rule(DRAIN, DeviceTaintSelector(), "x"), rule(DRAIN, None, "x")
    assert manifest(everything)["spec"] == {"deviceSelector": {}, "taint": {"key": DRAIN.key, "value": "drain", "effect": "NoExecute"}}
    assert manifest(nothing)["spec"] == {"taint": {"key": DRAIN.key, "value": "drain", "effect": "NoExecute"}}
    assert selects_everything(everything.spec.device_selector)
    assert selects_everything(nothing.spec.device_selector)
    assert not selects_everything(DeviceTaintSelector(pool="p"))
    assert selector_in_words(DeviceTaintSelector()) == "all devices"
    assert selector_in_words(DeviceTaintSelector("d", "p")) == "driver=d,pool=p"
