"""The third back end: what can be acted on is a widget, everything between is the same HTML, no word is markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ipywidgets
import pytest

from lango_nb import viz
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.as_text import as_text
from lango_nb.widgets.as_live import as_live, can_be_acted_on
from tests.unit.viz import samples
from tests.unit.viz.test_views import read

DOCUMENTS = {
    name: record
    for name, record in samples.records().items()
    if isinstance(record, tuple) and all(type(block).__module__ == doc.__name__ for block in record)
}


def inside(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    """Return a widget and all that are in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from inside(child)


def own_buttons(widget: ipywidgets.Widget) -> list[ipywidgets.Button]:
    """Return the buttons of a panel but for those that every panel ends with."""
    return [one for one in of_kind(widget, ipywidgets.Button) if one.description not in {"Code", "DataFrame", "Help"}]


def of_kind(widget: ipywidgets.Widget, kind: type) -> list[Any]:
    """Return the widgets of a kind, in order."""
    return [one for one in inside(widget) if isinstance(one, kind)]


def test_what_is_done_is_told_with_what_it_is_about() -> None:
    acts: list[tuple[str, str]] = []
    live = as_live(
        (
            doc.Note("above"),
            doc.Box(
                "head", (doc.Note("in"), doc.Buttons("call-1", (doc.Button("once", "Once"), doc.Button("no", "No"))))
            ),
            doc.Entry("text", "request", "hello"),
            doc.Choice("agent", "agent", ("vault", "operator"), "vault"),
            doc.Choice("tool", "tool", ("a", "b"), "", rows=5),
            doc.Note("below"),
        ),
        lambda key, value: acts.append((key, value)),
    )
    for button in of_kind(live, ipywidgets.Button):
        button.click()
    (entry,) = of_kind(live, ipywidgets.Text)
    entry.value = "hello you"
    entry.value = ""
    (dropdown,) = of_kind(live, ipywidgets.Dropdown)
    dropdown.value = "operator"
    (select,) = of_kind(live, ipywidgets.Select)
    assert select.value is None
    select.value = "b"
    assert acts == [
        ("call-1", "once"),
        ("call-1", "no"),
        ("text", "hello you"),
        ("text", ""),
        ("agent", "operator"),
        ("tool", "b"),
    ]
    words = [page.value for page in of_kind(live, ipywidgets.HTML)]
    assert ["above" in words[0], "head" in words[1], "in" in words[2], "below" in words[-1]] == [True] * 4


def test_elsewhere_what_can_be_acted_on_says_what_it_holds_and_buttons_are_not_there() -> None:
    document = (
        doc.Buttons("x", (doc.Button("once", "Once"),)),
        doc.Entry("text", "request", "hello"),
        doc.Choice("agent", "agent", ("vault", "operator"), "vault"),
    )
    assert viz.to_text(document) == "request  hello\nagent  vault"
    page = viz.to_html(document)
    assert "Once" not in page
    assert page.count("hello") == page.count("vault") == 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_is_live_as_it_is_still_and_hostile_words_stay_words(name: str) -> None:
    document = DOCUMENTS[name]
    pages = [page.value for page in of_kind(as_live(document, lambda key, value: None), ipywidgets.HTML)]
    for page in pages:
        read(page)
        assert "<script" not in page
    if not any(map(can_be_acted_on, document)):
        assert pages == [as_html(document)]


def test_words_of_buttons_and_fields_are_never_markup() -> None:
    bad = samples.HOSTILE
    live = as_live(
        (
            doc.Buttons(bad, (doc.Button(bad, bad, hint=bad),)),
            doc.Entry(bad, bad, bad, bad),
            doc.Choice(bad, bad, (bad, "b"), bad),
        ),
        lambda key, value: None,
    )
    for widget in inside(live):
        assert not getattr(widget, "description_allow_html", False)
        assert not getattr(widget, "tooltip_allow_html", False)
    assert of_kind(live, ipywidgets.HTML) == []


def test_a_list_is_there_to_read_where_nothing_can_be_chosen() -> None:
    many = tuple(f"line {number}" for number in range(45))
    block = doc.Choice("line", "lines", many, "line 3", rows=8)
    said = as_text((block,))
    assert [line.strip() for line in said.splitlines()][:6] == [
        "lines",
        "────────",
        "line 0",
        "line 1",
        "line 2",
        "▶ line 3",
    ]
    assert "and 5 more" in said
    assert "line 40" not in said
    shown = as_html((block, doc.Choice("agent", "agent", ("<b>", "vault"), "<b>")))
    assert "▶ line 3" in shown
    assert "and 5 more" in shown
    assert "<b>" not in shown
    assert "vault" not in shown
