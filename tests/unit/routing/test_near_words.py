"""Words near those of an author, and words of other languages that mean them."""

from __future__ import annotations

import pytest

from lango_nb.core.errors import SettingsError
from lango_nb.routing.abroad import Abroad
from lango_nb.routing.abroad import load as load_abroad
from lango_nb.routing.content import content
from lango_nb.routing.nearness import Direction, Nearness
from lango_nb.routing.nearness import load as load_words
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingRow, RoutingTable

CLINIC = RoutingTable(
    (
        RoutingRow("visits", "Books and cancels appointments."),
        RoutingRow("money", "Invoices, payments and reminders."),
        RoutingRow("drugs", "Medicines in stock and on order."),
    )
)


def likeness(one: str, other: str) -> float:
    words = load_words()
    first, second = words.word(one), words.word(other)
    assert first is not None
    assert second is not None
    return Direction(words.sum([(first, 1.0)]), words.steps).likeness(second)


def test_near_words_lie_nearer_than_others() -> None:
    assert likeness("cow", "milk") > likeness("cow", "invoic")
    assert likeness("invoic", "pay") > likeness("invoic", "cow")
    assert load_words().word("qwrtzqwrtz") is None


def test_common_words_tell_less() -> None:
    words = load_words()
    found = {key: word.telling for key in ("tim", "invoic") if (word := words.word(key))}
    assert found["tim"] < found["invoic"] == 1.0


def test_a_word_that_nobody_wrote_leads_to_the_words_near_it() -> None:
    best = Router(CLINIC).route("when does the pharmacy deliver").candidates[0]
    assert best.agent == "drugs"
    assert "pharmacy" in {signal.term for signal in best.signals if signal.kind == "related"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bitte die Rechnung schicken", "de"),
        ("je voudrais payer la facture", "fr"),
        ("¿dónde está la factura?", "es"),
        ("dov'è la fattura?", "it"),
        ("waar is de factuur?", "nl"),
        ("onde está a fatura?", "pt"),
        ("gdzie jest faktura?", "pl"),
        ("发票在哪里", "zh"),
        ("請求書はどこですか", "ja"),
    ],
)
def test_requests_in_other_languages_find_agents_described_in_english(text: str, language: str) -> None:
    assert language in load_abroad().languages
    assert Router(CLINIC).route(text).candidates[0].agent == "money"


def test_english_names_are_not_taken_for_words_of_other_languages() -> None:
    assert not any(word.english for word in content("book the Passat in for a service"))
    assert [word.english[0] for word in content("Buch bitte einen Termin") if word.english] == ["book", "appoint"]
    # names say nothing of the language, nor does a word that English has too
    gift = content("Bitte überweise 80 Euro an Lisa Brandt für das Geschenk")[-1]
    assert (gift.shown, gift.english) == ("Geschenk", ("gift", "present"))


def test_letters_without_blanks_are_read_word_by_word() -> None:
    found = {word.shown: word.english for word in content("想给孩子报名幼儿园")}
    assert "child" in found["孩子"]
    assert "kindergarten" in found["幼儿园"]


@pytest.mark.parametrize("kind", [Nearness, Abroad])
def test_other_bytes_are_refused(kind: type) -> None:
    with pytest.raises(SettingsError, match="make"):
        kind(b"something else")
