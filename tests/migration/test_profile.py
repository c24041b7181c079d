"""Profiles: those that come with the tool, people's own, and what is refused."""

from pathlib import Path

import msgspec
import pytest

from kubectl_dra.errors import InputError, UsageError
from kubectl_dra.migration.profile import PodMarks, RemoveLabel, Run, Say, SetLabel, shown
from kubectl_dra.migration.profile_files import FOLDER, builtin, find, read, with_commands, with_labels
from kubectl_dra.objects.pod import Container, Pod, PodSpec
from tests.factories import pod

OWN = """
name: mine
title: my installer
unplug:
  do: [{action: set-label, key: example.com/plugin, value: "off"}]
  undo: [{action: remove-label, key: example.com/plugin}]
plug:
  do: [{action: run, command: [./plug.sh, --now], timeout: 90}]
  undo: [{action: say, text: "stop it on {node}"}]
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(OWN)
    return path


def test_the_profiles_there_are() -> None:
    assert [profile.name for profile in builtin()] == [
        "commands",
        "example",
        "manual",
        "node-labels",
        "nvidia-gpu-operator",
        "nvidia-standalone",
    ]


@pytest.mark.parametrize("profile", builtin(), ids=lambda profile: profile.name)
def test_each_is_told_and_can_be_undone(profile: object) -> None:
    of = find(next(each.name for each in builtin() if each is profile))
    assert of.title
    assert bool(of.unplug.do) == bool(of.unplug.undo) == bool(of.plug.do) == bool(of.plug.undo)


def test_their_files_are_named_as_they_are() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == [profile.name for profile in builtin()]


def test_the_operators_label_is_never_removed() -> None:
    """Where it is missing or empty the operator puts `true` (NVIDIA/gpu-operator controllers/state_manager.go)."""
    operator = find("nvidia-gpu-operator")
    actions = [*operator.unplug.do, *operator.unplug.undo]
    assert [(each.key, each.value, each.wait_while) for each in actions if isinstance(each, SetLabel)] == [
        ("nvidia.com/gpu.deploy.device-plugin", "false", "paused-*"),
        ("nvidia.com/gpu.deploy.device-plugin", "true", "paused-*"),
    ]
    assert not any(isinstance(each, RemoveLabel) for each in actions)


def test_keys_that_the_operator_sweeps_off_are_not_used() -> None:
    swept = {"nvidia.com/gpu.deploy.dra-driver", "nvidia.com/gpu.deploy.dra-validator", "nvidia.com/gpu.deploy.operands"}
    assert not swept & {key for profile in builtin() for key in profile.labels}


def test_a_profile_of_ones_own(written: Path) -> None:
    mine = find(str(written))
    assert mine.unplug.do == (SetLabel("example.com/plugin", "off"),)
    assert mine.plug.do == (Run(("./plug.sh", "--now"), 90.0),)
    assert mine.labels == ("example.com/plugin",)
    assert mine.serves("anything.example/x")


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (SetLabel("k", "v"), "set label k=v on node a"),
        (RemoveLabel("k"), "remove label k from node a"),
        (Run(("./plug.sh", "--now")), "run ./plug.sh --now"),
        (Say("stop it on {node}\n"), "stop it on a"),
    ],
)
def test_actions_in_words(action: SetLabel | RemoveLabel | Run | Say, words: str) -> None:
    assert shown(action, "a") == words


def test_labels_stay_texts(written: Path) -> None:
    """`off`, `true` and `1` are labels' values, not switches."""
    written.write_text(OWN.replace('"off"', "off"))
    assert read(written).unplug.do == (SetLabel("example.com/plugin", "off"),)
    assert find("example").unplug.do == (SetLabel("example.com/device-plugin", "false"),)


# what is refused


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: my installer", "tittle: my installer", "Object contains unknown field `tittle`"),
        ("name: mine\n", "", "Object missing required field `name`"),
        ("action: run", "action: shell", "Invalid value 'shell' - at `$.plug.do[0].action`"),
        ("command: [./plug.sh, --now]", "command: []", "command is empty - at `$.plug.do[0]`"),
        ("  undo: [{action: remove-label, key: example.com/plugin}]", "  undo: []", "unplug needs both do and undo"),
        ("timeout: 90", "timeout: 0", "timeout must be more than 0 seconds - at `$.plug.do[0]`"),
        ("timeout: 90", "timeout: soon", "Expected `float`, got `str` - at `$.plug.do[0].timeout`"),
        ("title: my installer", "title: my installer\nkind: Profile", "Invalid enum value 'Profile' - at `$.kind`"),
        (
            "title: my installer",
            "title: my installer\nignore: [{pods: {}, why: x}]",
            "marks of a pod need labels, a name, an image or a hostPath - at `$.ignore[0].pods`",
        ),
    ],
)
def test_files_that_are_no_profile(written: Path, old: str, new: str, message: str) -> None:
    assert old in OWN
    written.write_text(OWN.replace(old, new))
    with pytest.raises(InputError) as caught:
        find(str(written))
    assert caught.value.message == f"{written} is no profile: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is no YAML"),
        ("", "holds 0 documents; a profile is one"),
        (f"{OWN}\n---\n{OWN}", "holds 2 documents; a profile is one"),
        ("- a", "is no profile: Expected `object`, got `array`"),
    ],
)
def test_files_that_are_not_even_that(written: Path, text: str, message: str) -> None:
    written.write_text(text)
    with pytest.raises(InputError) as caught:
        read(written)
    assert message in caught.value.message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the profile .*: Is a directory"):
        find(str(tmp_path))
    (tmp_path / "large.yaml").write_text("#" * (2 << 20))
    with pytest.raises(InputError, match="larger than a profile can be"):
        find(str(tmp_path / "large.yaml"))


def test_a_profile_that_does_not_exist() -> None:
    with pytest.raises(UsageError) as caught:
        find("nvidia")
    assert caught.value.message == 'there is no profile "nvidia", and no file of that name'
    assert "nvidia-gpu-operator" in caught.value.hint


# those that the command line fills


def test_labels_of_the_command_line() -> None:
    made = with_labels(find("node-labels"), "example.com/plugin=off/on", "example.com/driver=on")
    assert made.unplug.do == (SetLabel("example.com/plugin", "off"),)
    assert made.unplug.undo == (SetLabel("example.com/plugin", "on"),)
    assert made.plug.do == (SetLabel("example.com/driver", "on"),)
    assert made.plug.undo == (RemoveLabel("example.com/driver"),)
    removed = with_labels(find("node-labels"), "example.com/plugin=/on", "example.com/driver=on/off")
    assert removed.unplug.do == (RemoveLabel("example.com/plugin"),)


@pytest.mark.parametrize("wrong", ["", "example.com/plugin", "=off", "example.com/plugin=off/off", "example.com/plugin="])
def test_labels_that_say_nothing(wrong: str) -> None:
    with pytest.raises(UsageError):
        with_labels(find("node-labels"), wrong, "example.com/driver=on")


def test_programs_of_the_command_line() -> None:
    runs = {name: Run((name,)) for name in ("unplug", "plug", "remove", "replug")}
    made = with_commands(find("commands"), **runs)
    assert (made.unplug.do, made.unplug.undo) == ((runs["unplug"],), (runs["replug"],))
    assert (made.plug.do, made.plug.undo) == ((runs["plug"],), (runs["remove"],))


# marks


def with_image(image: str) -> Pod:
    return Pod(pod("x").metadata, PodSpec((Container("main", image=image),)))


@pytest.mark.parametrize(
    ("marks", "of", "fits"),
    [
        ({"labels": {"app": "plugin"}}, pod("x", labels={"app": "plugin", "more": "1"}), True),
        ({"labels": {"app": "plugin"}}, pod("x", labels={"app": "other"}), False),
        ({"labels": {"app": "plugin"}}, pod("x"), False),
        ({"name": "plugin-*"}, pod("plugin-abc"), True),
        ({"name": "plugin-*", "namespaces": ("kube-*",)}, pod("plugin-abc", namespace="kube-system"), True),
        ({"name": "plugin-*", "namespaces": ("kube-*",)}, pod("plugin-abc", namespace="team"), False),
        ({"hostPath": "/var/lib/kubelet/device-plugins*"}, pod("x", mounts=("/var/lib/kubelet/device-plugins",)), True),
        ({"hostPath": "/var/lib/kubelet/device-plugins*"}, pod("x", mounts=("/dev",)), False),
        ({"image": "*/k8s-device-plugin:*"}, with_image("nvcr.io/nvidia/k8s-device-plugin:v1"), True),
        ({"image": "*/k8s-device-plugin:*"}, pod("x"), False),
    ],
)
def test_marks(marks: dict[str, object], of: Pod, fits: bool) -> None:
    assert msgspec.convert(marks, PodMarks).fits(of) is fits
