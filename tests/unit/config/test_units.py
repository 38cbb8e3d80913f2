from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.config.units import duration_text, parse_duration, parse_size, size_text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("2h", 7200),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("250ms", 0.25),
        (90, 90),
        ("1.5", 1.5),
    ],
)
def test_durations_are_read_as_seconds(text: Any, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "soon", "5 parsecs", "-1s", -1, "nan", "inf", float("inf"), True, None, [], "1h30"]
)
def test_what_is_no_duration_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "count"), [("10MiB", 10485760), ("1 kB", 1000), ("2.5KiB", 2560), (7, 7), ("7", 7), ("7B", 7)]
)
def test_sizes_are_read_as_bytes(text: Any, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("text", ["", "big", "1.5", "10 MiBs", -1, True, None, "1e999", "0.3KiB"])
def test_what_is_no_size_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="not a size"):
        parse_size(text)


@given(st.integers(0, 10**7) | st.floats(0, 1000).map(lambda s: round(s, 3)))
def test_a_written_duration_reads_the_same(seconds: float) -> None:
    assert parse_duration(duration_text(seconds)) == pytest.approx(seconds, rel=1e-5, abs=1e-6)


@given(st.integers(0, 2**50))
def test_a_written_size_reads_the_same(count: int) -> None:
    assert parse_size(size_text(count)) == count
