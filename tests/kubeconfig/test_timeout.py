"""`--request-timeout`, as kubectl reads it."""

import pytest

from kubectl_dra.errors import UsageError
from kubectl_dra.kubeconfig import timeout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("0", None),
        ("0s", None),
        ("-5s", None),
        ("30", 30.0),
        ("+30", 30.0),
        ("1m30s", 90.0),
        ("1.5s", 1.5),
        (".5h", 1800.0),
        ("2h45m", 9900.0),
        ("2562047h", 9223369200.0),
        ("250ms", 0.25),
        ("5us", 5e-6),
    ],
)
def test_durations(text: str, expected: float | None) -> None:
    found = timeout.seconds(text)
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("text", ["x", "-5", "10 s", "1e3s", "s", "1d", "5m3", "٣", ".", "2562048h", "-2562048h", "9" * 400 + "s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        timeout.seconds(text)
    assert caught.value.message == f'"{text}" is not a timeout for --request-timeout'
    assert caught.value.status == 2
