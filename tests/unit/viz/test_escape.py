"""What cannot be seen appears; markup stays text; long texts are cut quickly."""

from __future__ import annotations

import tracemalloc

import pytest

from lango_nb.core.visible import visible
from lango_nb.viz.escape import esc, one_line


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("\x00\x07\x1b\x7f", "␀␇␛␡"),
        ("\x85", "⟨U+0085⟩"),
        ("a\u202eb\u2066c", "a⟨U+202E⟩b⟨U+2066⟩c"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\r\n", "␍\n"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("ünïcödé 日本 👩\u200d💻", "ünïcödé 日本 👩\u200d💻"),
        ("\U000e0041", "⟨U+E0041⟩"),
    ],
)
def test_unseen_characters_appear_and_others_stay(said: str, shown: str) -> None:
    assert visible(said) == shown


def test_markup_is_text_in_elements_and_in_attributes() -> None:
    assert esc("<a href='x' title=\"y\">&amp;") == "&lt;a href=&#x27;x&#x27; title=&quot;y&quot;&gt;&amp;amp;"


def test_one_line_folds_and_cuts() -> None:
    assert one_line("  a \n\n b\tc  ") == "a ⏎ ⏎ b c"
    assert one_line("abcdefgh", 5) == "abcd…"
    assert one_line("ab   " + " " * 50, 3) == "ab"
    assert one_line("", 5) == ""
    assert len(one_line("word " * 1000, 50)) <= 50


def test_a_cut_text_says_that_it_was_cut() -> None:
    assert one_line("x" * 5000, 100).endswith("…")
    assert one_line("a" + " " * 500 + "b", 100).endswith("…")


def test_a_book_is_cut_without_being_read() -> None:
    book = "word " * 2_000_000
    tracemalloc.start()
    try:
        one_line(book, 100)
        assert tracemalloc.get_traced_memory()[1] < 100_000, "a part of the book at most"
    finally:
        tracemalloc.stop()
