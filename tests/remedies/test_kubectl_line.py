"""What is printed to mend something can be pasted into a shell."""

import json
import shlex

from kubectl_dra.remedies.kubectl_line import apply, delete_pods, json_patch, kubectl, merge_patch, pointer


def test_words_are_quoted_for_the_shell() -> None:
    assert kubectl("delete", "deviceclass", "it's; rm -rf") == """kubectl delete deviceclass 'it'"'"'s; rm -rf'"""
    assert kubectl("run", "--overrides={}", "--image=busybox", "--a b=c") == "kubectl run --overrides='{}' --image=busybox '--a b=c'"


def test_slashes_and_tildes_in_keys_are_escaped_as_json_pointers_need() -> None:
    assert pointer("spec", "hard", "example.com/gpu~1") == "/spec/hard/example.com~1gpu~01"


def test_a_patch_survives_the_shell() -> None:
    words = shlex.split(json_patch("resourcequota", "q", {"op": "remove", "path": "/spec/hard/a~1b"}, namespace="team"))
    assert words[:7] == ["kubectl", "-n", "team", "patch", "resourcequota", "q", "--type=json"]
    assert json.loads(words[8]) == [{"op": "remove", "path": "/spec/hard/a~1b"}]
    words = shlex.split(merge_patch("deviceclass", "c", {"spec": {"extendedResourceName": None}}))
    assert words == ["kubectl", "patch", "deviceclass", "c", "--type=merge", "-p", '{"spec":{"extendedResourceName":null}}']


def test_pods_are_deleted_a_namespace_at_a_time() -> None:
    pods = (("b", "two"), ("a", "one"), ("b", "one"))
    assert delete_pods(pods) == ("kubectl -n a delete pod one", "kubectl -n b delete pod one two")


def test_manifests_go_to_standard_input_as_they_are() -> None:
    lines = apply({"kind": "DeviceClass", "spec": {"expression": 'device.driver == "x" && $HOME == `a`'}}).split("\n")
    assert (lines[0], lines[-1]) == ("kubectl apply -f - <<'EOF'", "EOF")
    assert json.loads("\n".join(lines[1:-1]))["spec"]["expression"] == 'device.driver == "x" && $HOME == `a`'
