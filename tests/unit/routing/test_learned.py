"""The learned part of the router: what it reads, that parts add up, that fitting and routing see the same."""

from __future__ import annotations

import math
import struct
import unicodedata
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.errors import SettingsError
from lango_nb.evaluation import fitting
from lango_nb.evaluation.corpus import labelled
from lango_nb.routing.families import CONVERSATION, FAMILIES
from lango_nb.routing.features import fold, of_word, tokens
from lango_nb.routing.learned import MAGIC, Learned, load, pack


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("open https://a.org/b?c=1 now", ["open", "§url", "now"]),
        ("read ~/notes/a.md and data.csv", ["read", "§path", "and", "§path"]),
        ("run `git status -s`", ["run", "§command", "git", "status"]),
        ('save "the door is red" as rule', ["save", "§quote", "as", "rule"]),
        ("don't stop p12 at 9:30", ["don't", "stop", "§id", "at", "§clock"]),
        ("send 5 USDC to 0xabc12345", ["send", "§amount", "to", "§address"]),
        ("mail bob@a.org on 2026-11-22", ["mail", "§mail", "on", "§date"]),
        ("in 20 minutes", ["in", "§span"]),
        ("stop job-77!", ["stop", "§id", "job", "!"]),
        ("Größe ändern?", ["grosse", "andern", "?"]),
        ("", []),
    ],
)
def test_what_is_no_word_is_its_shape(text: str, found: list[str]) -> None:
    assert [token.text for token in tokens(text)] == found


def test_scripts_without_blanks_are_read_by_pieces() -> None:
    assert {"天", "天气", "今天天"} <= set(of_word("今天天气"))
    assert "a" not in of_word("abc")


@given(st.text(max_size=300))
def test_any_text_has_scores_whose_parts_add_up(text: str) -> None:
    model = load()
    scored = model.score(text)
    assert len(scored.scores) == len(FAMILIES) + 1
    for place, score in enumerate(scored.scores):
        parts = sum(scored.columns[place]) * scored.scales[place]
        assert score == pytest.approx(model.bias[place] + parts, abs=1e-6)
        assert math.isfinite(score)


@given(st.text(max_size=100))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert not any(unicodedata.combining(char) for char in unicodedata.normalize("NFKD", fold(text)))


def test_a_megabyte_is_read_at_its_beginning_and_end() -> None:
    model = load()
    long = model.score("delete old.txt " + "x " * 500_000 + "please encrypt it").parts
    shown = {part.shown for part in long}
    assert {"delete", "encrypt"} <= shown
    assert len(long) < 3000


def test_the_same_text_in_other_letters_scores_alike() -> None:
    model = load()
    assert model.score("LIST THE FILES").scores == model.score("list the files").scores


def test_fitting_and_routing_see_the_same() -> None:
    requests = [one for one in labelled("train") if one.author in {"w1", "w2"}][:600]
    listed = [fitting.features_of(one.text) for one in requests]
    labels = np.array([fitting.LABELS.index(one.family) for one in requests])
    fitted = fitting.prune(fitting.fit(listed, labels), 5000)
    card: dict[str, object] = {"calibration": {}}
    made = Learned(fitting.to_bytes(fitted, card))
    assert made.families == (*(family.name for family in FAMILIES), CONVERSATION)
    expected = fitting.scores(fitted, listed[:100])
    found = np.array([made.score(one.text).scores for one in requests[:100]])
    assert np.quantile(np.abs(found - expected), 0.99) < 0.15  # a byte per weight
    assert (found.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.97
    assert (found.argmax(axis=1) == labels[:100]).mean() > 0.9


def test_calibration_keeps_wrong_agents_below_the_limit() -> None:
    rng = np.random.default_rng(7)
    labels = rng.integers(0, len(fitting.LABELS), 4000)
    found = rng.normal(size=(4000, len(fitting.LABELS)))
    found[np.arange(4000), labels] += 2.5
    fit = fitting.calibrate(found, labels)
    assert 0.5 <= fit["temperature"] <= 3
    raised = np.exp(found / fit["temperature"])
    likely = raised / raised.sum(axis=1, keepdims=True)
    owner_of = fitting.owners_in_octet()
    owners = sorted(set(owner_of.values()))
    joined = np.stack(
        [likely[:, [owner_of[name] == owner for name in fitting.LABELS]].sum(axis=1) for owner in owners], axis=1
    )
    right = np.array([owners.index(owner_of[fitting.LABELS[label]]) for label in labels])
    best, sure = joined.argmax(axis=1), joined.max(axis=1)
    is_wrong = (best != right) & (best != owners.index("root")) & (sure >= fit["threshold"])
    assert is_wrong.mean() <= fitting.MOST_WRONG
    assert is_wrong.mean() > fitting.MOST_WRONG / 2  # no stricter than it has to be


def test_what_are_no_weights_is_refused() -> None:
    with pytest.raises(SettingsError, match="not weights of a router"):
        Learned(b"something else")
    card: dict[str, object] = {"features": 0, "families": ["a"], "bias": [0.0], "scales": [1.0]}
    with pytest.raises(SettingsError, match="are for features 0"):
        Learned(pack(card, {}))


def test_a_row_is_a_byte_per_family() -> None:
    card: dict[str, object] = {
        "features": load().card["features"], "families": ["a", "b"], "bias": [0.5, -0.5], "scales": [0.1, 0.2],
    }  # fmt: skip
    model = Learned(pack(card, {"w:red": bytes((138, 123, 16))}))
    assert model.score("red").scores == pytest.approx((0.5 + 10 * 0.1, -0.5 - 5 * 0.2))
    assert model.score("blue").scores == (0.5, -0.5)
    assert len(model) == 1


def test_the_weights_of_the_package_are_as_they_say() -> None:
    data = files("lango_nb.data").joinpath("router", "weights.bin").read_bytes()
    assert data.startswith(MAGIC)
    (size,) = struct.unpack_from("<I", data, len(MAGIC))
    assert size < 20_000
    assert set(load().card["calibration"]) == {"temperature", "threshold", "root_threshold"}


def test_weights_of_other_families_are_refused_when_they_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    card: dict[str, object] = {
        "features": load().card["features"],
        "families": [*(family.name for family in FAMILIES[1:]), CONVERSATION],
    }
    card.update(bias=[0.0] * len(FAMILIES), scales=[1.0] * len(FAMILIES))
    data = pack(card, {})
    monkeypatch.setattr("lango_nb.routing.learned.Learned", lambda _: Learned(data))
    with pytest.raises(SettingsError, match=f"differ in: {FAMILIES[0].name}; fit them again"):
        load.__wrapped__()
