"""Pieces of HTML: everything escaped, long values folded, books cut."""

from __future__ import annotations

from lango_nb.viz import html


def test_texts_are_escaped_by_every_piece() -> None:
    bad = "<b>\"'&\x1b"
    made = [
        html.title(bad), html.header(bad, [bad]), html.heading(bad), html.badge(bad), html.chip(bad, bad, hint=bad),
        html.named(bad, "#000000"), html.muted(bad), html.small(bad), html.note(bad), html.block(bad), html.pre(bad),
        html.inline(bad), html.inline(bad * 100), html.fields([(bad, "x")]), html.legend([(bad, "#000000")]),
        html.listing([bad], []), html.picture("<svg/>", bad, 1), html.code_lines([(bad, "#000000")]),
        html.segments([(1, "#000000", bad)]), html.at(0, 1, title=bad), html.named(bad, "#000000", bad),
    ]  # fmt: skip
    for piece in made:
        assert "<b>" not in piece
        assert "\x1b" not in piece
        assert "&lt;b&gt;" in piece


def test_rules_without_a_value_are_left_out() -> None:
    assert html.css(color="#ffffff", width="") == "color:#ffffff"


def test_short_values_are_shown_and_long_ones_folded_in_full() -> None:
    assert "<details" not in html.pre("short\ntext")
    long = "\n".join(f"line {number}" for number in range(1000))
    made = html.pre(long)
    assert "line 999" in made
    assert made.index("<details") < made.index("line 999")
    assert "all 8,889 characters" in made


def test_books_are_cut_and_say_so() -> None:
    made = html.pre("x" * 200_000)
    assert "150,000 more characters are not shown here" in made
    assert len(made) < 60_000


def test_rows_without_a_value_are_left_out() -> None:
    assert html.fields([("a", ""), ("b", "")]) == ""
    assert "a" not in html.fields([("a", ""), ("b", "x")]).replace("max", "").split("</div>")[0].split(">")[-1]


def test_a_picture_is_data_and_has_words() -> None:
    made = html.picture("<svg>ü</svg>", "what it shows", 12.4)
    assert 'alt="what it shows"' in made
    assert 'width="12"' in made
    assert "data:image/svg+xml;base64,PHN2Zz7DvDwvc3ZnPg==" in made
