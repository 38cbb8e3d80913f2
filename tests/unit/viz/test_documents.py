"""Documents: whatever stands in them, back ends escape it; a text leaves out what it cannot show."""

from __future__ import annotations

import dataclasses
import re

import pytest

from lango_nb import viz
from lango_nb.viz.document import GAP, Bar, Either, Fold, Lanes, Note, Rows, Strong, plain, rich
from tests.unit.viz import test_evaluation
from tests.unit.viz.test_views import RECORDS, read

SHOWN: dict[str, object] = {**RECORDS, **{f"evaluation of {name}": one for name, one in test_evaluation.SHOWN.items()}}
BAD = "<script>alert(1)</script>\x1b]52;c;x\x07"
OURS = {"colour", "edge", "width", "widths", "align", "form", "sign"}
"""Members of blocks and pieces that are never somebody else's words."""


def spoiled(part: object) -> object:
    """Return a part of a document in which every text is hostile."""
    match part:
        case str():
            is_ours = not part or re.fullmatch(r"#[0-9a-f]{6}|rgba\(.*\)|open|titled", part)
            return part if is_ours else BAD
        case Lanes():  # drawn from spans, not from texts
            return part
        case tuple() | list():
            return tuple(map(spoiled, part))
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return part
    members = ((field.name, getattr(part, field.name)) for field in dataclasses.fields(part))
    return dataclasses.replace(part, **{name: spoiled(value) for name, value in members if name not in OURS})


@pytest.mark.parametrize("name", SHOWN)
def test_every_text_of_every_document_is_escaped_by_both_back_ends(name: str) -> None:
    record = SHOWN[name]
    renderer = viz.RENDERERS.get(type(record))
    document = spoiled(record if renderer is None else renderer.document(record))
    page, text = viz.to_html(document), viz.to_text(document)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= page.count("alert(1)") > 0
    read(page)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", page + text)
    assert "alert" in text


def test_gaps_are_empty_lines_between_what_is_there() -> None:
    document = (GAP, Note("one"), GAP, Note(""), GAP, Note("two"), GAP)
    assert viz.to_text(document) == "one\n\ntwo"


def test_each_back_end_shows_what_it_can() -> None:
    document = (plain(Note("a line")), rich(Note("a picture")), Note("both"))
    assert viz.to_text(document) == "a line\nboth"
    page = viz.to_html(document)
    assert "a line" not in page
    assert "a picture" in page
    assert "both" in page


def test_columns_that_only_a_page_can_draw_are_left_out_of_a_text() -> None:
    bar = Bar(((0.5, "#2f7d46", "half"),))
    rows = Rows(("name", "", ""), (("a", bar, Either("", Strong("x"))), ("b", bar, "")), "<<>")
    assert viz.to_text((rows,)) == "name\n────\na\nb"
    assert viz.to_html((rows,)).count("50.000%") == 2


@pytest.mark.parametrize(("form", "text"), [("", ""), ("open", "inside"), ("titled", "outside\n  inside")])
def test_a_text_shows_of_a_fold_what_it_is_told_to(form: str, text: str) -> None:
    fold = Fold("outside", (Note("inside"),), plain=form)  # type: ignore[arg-type]  # one of the three
    assert viz.to_text((Note("-"), fold)) == f"-\n{text}".rstrip()
    assert "<details" in viz.to_html((fold,))
