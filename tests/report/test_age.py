"""Ages as kubectl writes them (cases of apimachinery's duration tests)."""

import pytest

from kubectl_dra.report.age import age


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, None), (-5, "0s"), (0, "0s"), (119, "119s"), (120, "2m"), (200, "3m20s"), (600, "10m"), (7200, "120m"), (10800, "3h"),
        (11100, "3h5m"), (28800, "8h"), (172799, "47h"), (172800, "2d"), (180000, "2d2h"), (691200, "8d"), (63072000, "2y"),
        (63158400, "2y1d"), (252288000, "8y"),
    ],
)  # fmt: skip
def test_ages(seconds: int | None, text: str | None) -> None:
    assert age(seconds) == text
