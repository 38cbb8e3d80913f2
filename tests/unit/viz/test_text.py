"""Aligned text: widths of a terminal, tables that fit, bars of eighths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.viz import text


@pytest.mark.parametrize(("said", "columns"), [("", 0), ("abc", 3), ("日本", 4), ("e\u0301", 1), ("👩\u200d💻", 4)])
def test_width_is_that_of_a_terminal(said: str, columns: int) -> None:
    assert text.width(said) == columns


@given(st.text(max_size=300), st.integers(min_value=2, max_value=60))
def test_wrapped_lines_fit_and_lose_nothing_but_spaces(said: str, columns: int) -> None:
    lines = text.wrap(said, columns)
    assert lines
    assert all(text.width(line) <= columns for line in lines)
    from lango_nb.core.visible import visible

    kept = "".join("".join(lines).split())
    assert kept == "".join(visible(said).split())


@given(st.text(max_size=80), st.integers(min_value=2, max_value=40))
def test_cut_fits_and_is_a_beginning(said: str, columns: int) -> None:
    short = text.cut(said, columns)
    assert text.width(short) <= columns
    assert said.startswith(short.removesuffix("…"))


@given(
    st.lists(st.lists(st.text(max_size=60), min_size=3, max_size=3), max_size=6),
    st.integers(min_value=50, max_value=100),
)
def test_tables_fit_and_have_no_trailing_spaces(rows: list[list[str]], total: int) -> None:
    lines = text.table(["one", "two", "three"], rows, "<><", total).split("\n")
    assert all(text.width(line) <= total for line in lines)
    assert all(line == line.rstrip(" ") for line in lines)
    assert len(lines) >= 2 + len(rows)


def test_columns_start_where_their_heads_start() -> None:
    made = text.table(["name", "n", "what"], [["日本", "7", "x"], ["abcdef", "1,000", "y z"]], "<><")
    assert made.split("\n") == [
        "name        n  what",
        "──────  ─────  ────",
        "日本        7  x",
        "abcdef  1,000  y z",
    ]


def test_the_widest_column_gives_way() -> None:
    made = text.table(["a", "b"], [["x", "word " * 40]], total=40).split("\n")
    assert max(map(len, made)) <= 40
    assert made[2].startswith("x  word word")
    assert made[3].startswith("   word")


@pytest.mark.parametrize(
    ("value", "most", "drawn"), [(0, 1, ""), (-1, 1, ""), (1, 0, ""), (1, 1, "████"), (9, 1, "████"), (0.001, 1, "▏")]
)
def test_bars_show_even_the_smallest_value_and_never_overflow(value: float, most: float, drawn: str) -> None:
    assert text.bar(value, most, 4) == drawn


def test_empty_lines_are_not_indented() -> None:
    assert text.indent("a\n\nb", "  ") == "  a\n\n  b"


def test_heads_are_broken_after_underscores_where_the_table_would_be_too_wide() -> None:
    heads, rows = ["agent", "tokens_estimate", "own_tools", "text"], [["vault", "12", "3", "words " * 20]]
    wide = text.table(heads, [["vault", "12", "3", "words"]], "<>><").split("\n")
    assert wide[0].split() == heads
    narrow = text.table(heads, rows, "<>><", 60).split("\n")
    assert [line.split() for line in narrow[:2]] == [["agent", "tokens_", "own_tools", "text"], ["estimate"]]
    narrowest = text.table(heads, [["vault", "12", "3", "x"]], "<>><", 28).split("\n")
    assert [line.split() for line in narrowest[:2]] == [["agent", "tokens_", "own_", "text"], ["estimate", "tools"]]
    assert all(text.width(line) <= size for lines, size in ((narrow, 60), (narrowest, 28)) for line in lines)
