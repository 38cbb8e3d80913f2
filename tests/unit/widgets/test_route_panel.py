"""The route panel: who would get it changes with what is typed, the words that say so are marked, nothing runs."""

from __future__ import annotations

import re
from pathlib import Path

import ipywidgets
import pytest

from lango_nb import Lab
from lango_nb.viz import document as doc
from lango_nb.viz import to_text
from lango_nb.viz.routing import marked_text
from tests.unit.viz import samples
from tests.unit.widgets.test_as_live import of_kind

TINT = re.compile(r'<span style="background:#[0-9a-f]{8}[^>]*>([^<]*)</span>')


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab("octet", workspace=tmp_path)


def test_what_is_shown_changes_with_what_is_typed_and_the_field_stays(lab: Lab) -> None:
    panel = lab.route_panel()
    (entry,) = of_kind(panel.widget, ipywidgets.Text)
    (page,) = of_kind(panel.widget, ipywidgets.HTML)
    assert "Type a request" in page.value
    entry.value = "how many lines does notes.md have?"
    assert "→ operator" in page.value
    assert panel.route is not None
    assert panel.route.chosen == "operator"
    assert "lines" in TINT.findall(page.value)
    entry.value = "encrypt this text with aes"
    assert "→ vault" in page.value
    assert of_kind(panel.widget, ipywidgets.Text) == [entry]
    entry.value = ""
    assert "Type a request" in page.value
    assert len(lab.turns) == 0


def test_each_letter_is_routed_once(lab: Lab) -> None:
    typed: list[str] = []
    from lango_nb.widgets.route import RoutePanel

    def route(text: str) -> object:
        typed.append(text)
        return lab.route(text).record

    panel = RoutePanel(route)  # type: ignore[arg-type]  # it is a route
    (entry,) = of_kind(panel.widget, ipywidgets.Text)
    for text in ("r", "re", "rea", "read"):
        entry.value = text
    assert typed == ["r", "re", "rea", "read"]


def test_the_marked_text_is_the_text_and_its_strongest_word_is_marked_most(lab: Lab) -> None:
    text = "How many lines does “notes.md” have?\n\tLINES, please"
    route = lab.route(text).record
    marked = marked_text(route)
    assert isinstance(marked, tuple)
    assert to_text((doc.Paragraph(tuple(_plain(piece) for piece in marked)),)) == to_text((doc.Paragraph(text),))
    tints = {piece.text: piece.strength for piece in marked if isinstance(piece, doc.Tinted)}
    assert tints["lines"] == tints["LINES"]
    assert max(tints.values()) == 1
    assert all("for operator" in piece.hint for piece in marked if isinstance(piece, doc.Tinted))


def _plain(piece: doc.Inline) -> str:
    return piece.text if isinstance(piece, doc.Tinted) else str(piece)


@pytest.mark.parametrize(
    "text", [samples.HOSTILE, "<img src=x onerror=alert(1)>", "a" * 5000, "\u202e\u200b 漢字 🙂", "' \""]
)
def test_whatever_is_typed_stays_words(lab: Lab, text: str) -> None:
    panel = lab.route_panel(text)
    (page,) = of_kind(panel.widget, ipywidgets.HTML)
    for shown in (page.value, str(panel._repr_mimebundle_()["text/html"])):
        assert "<script" not in shown
        assert "<img" not in shown
        assert "\u202e" not in shown


def test_elsewhere_it_is_the_route_of_what_is_in_the_field(lab: Lab) -> None:
    bundle = lab.route_panel("how many lines does notes.md have?")._repr_mimebundle_(["text/plain"])
    assert set(bundle) == {"text/plain"}
    assert "operator" in str(bundle["text/plain"])
