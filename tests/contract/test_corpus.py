"""The labelled requests keep their promises: enough of each, no copies, other languages, a third kept back."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path

import pytest

from lango_nb.evaluation.corpus import is_held_out, labelled
from lango_nb.routing.families import CONVERSATION, FAMILIES
from lango_nb.routing.features import fold
from lango_nb.routing.learned import load
from lango_nb.routing.words import stems
from lango_nb.specs.topologies import load_topology, topology_names

DATA = Path(__file__).parents[2] / "lango_nb" / "data"
SPEC_FAMILIES = {  # the families as the specification counts them: some are two for us
    "skill": ("skill", "skills"),
    "knowledge": ("knowledge", "knowledge_save"),
    "learning": ("learning", "learning_data"),
}
RUN = 6
_MASKED = re.compile(
    r"https?://\S+|\b[\w.-]+\.(?:com|org|net|io|dev)\S*|(?:[\w.-]*/)+[\w.-]*|\b[\w-]+\.[a-z]{1,5}\b|0x[0-9a-fA-F]+"
    r"|\"[^\"]*\"|“[^”]*”|`[^`]*`|\b\w*\d\w*\b"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|§")


def masked(text: str) -> list[str]:
    """Words of a request with names, numbers, paths and quotes taken out."""
    words = _WORD.findall(_MASKED.sub(" § ", text))
    return [
        "§"
        if word == "§" or (place and word[0].isupper() and len(word) > 1 and not word.isupper())
        else word.casefold()
        for place, word in enumerate(words)
    ]


def test_every_family_has_its_requests() -> None:
    counts = Counter(one.family for one in labelled("corpus"))
    assert set(counts) == {*(family.name for family in FAMILIES), CONVERSATION}
    together = {name for parts in SPEC_FAMILIES.values() for name in parts}
    assert all(counts[family.name] >= 200 for family in FAMILIES if family.name not in together)
    assert all(sum(counts[name] for name in parts) >= 200 for parts in SPEC_FAMILIES.values())
    assert counts[CONVERSATION] >= 600


def test_no_request_is_there_twice_and_no_two_share_a_run_of_words() -> None:
    texts = [one.text.casefold().strip() for one in labelled("corpus")]
    assert [text for text, count in Counter(texts).items() if count > 1] == []
    owners: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
    for number, one in enumerate(labelled("corpus")):
        words = masked(one.text)
        for place in range(len(words) - RUN + 1):
            owners[tuple(words[place : place + RUN])].add(number)
    assert {" ".join(run) for run, numbers in owners.items() if len(numbers) > 1} == set()


def test_a_fifth_is_in_other_languages_in_every_family() -> None:
    corpus = labelled("corpus")
    others = [one for one in corpus if one.language != "en"]
    assert len(others) >= len(corpus) / 5
    common = [language for language, count in Counter(one.language for one in others).items() if count >= 100]
    assert len(common) >= 4
    shares = dict.fromkeys((one.family for one in corpus), 0)
    for one in others:
        shares[one.family] += 1
    assert min(shares.values()) >= 40


def test_a_third_holds_no_keyword_of_any_agent() -> None:
    phrases = {
        tuple(stems(keyword))
        for topology in topology_names()
        for spec in load_topology(topology).agents
        for keyword in spec.keywords
    }
    longest = max(map(len, phrases))

    def has_keyword(text: str) -> bool:
        found = stems(text)
        return any(
            tuple(found[place : place + size]) in phrases
            for size in range(1, longest + 1)
            for place in range(len(found) - size + 1)
        )

    corpus = labelled("corpus")
    assert sum(not has_keyword(one.text) for one in corpus) >= len(corpus) / 3


def test_requests_can_be_read_in_one_line() -> None:
    for one in (*labelled("corpus"), *labelled("judge")):
        assert one.text == one.text.strip()
        assert not any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} for char in one.text)
        assert re.fullmatch("[a-z]{2}", one.language)


def test_the_held_out_third_is_a_third_and_was_not_trained_on() -> None:
    corpus, held, train = labelled("corpus"), labelled("held-out"), labelled("train")
    assert {one.text for one in held}.isdisjoint(one.text for one in train)
    assert len(held) + len(train) == len(corpus)
    assert len(held) == pytest.approx(len(corpus) / 3, rel=0.05)
    assert all(is_held_out(one.text) for one in held)
    card = load().card
    assert card["requests"] == len(train)
    assert card["corpus"] == hashlib.sha256("\n".join(one.text for one in train).encode()).hexdigest()


def test_no_held_out_request_is_one_of_training_but_for_case_and_punctuation() -> None:
    def words_of(text: str) -> tuple[str, ...]:
        return tuple(re.findall(r"\w+", text.casefold()))

    known = {words_of(one.text) for one in labelled("train")}
    assert [one.text for one in labelled("held-out") if words_of(one.text) in known] == []


def test_the_exams_were_never_edited() -> None:
    sums = dict(line.split()[::-1] for line in (DATA / "judge" / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    assert sums == {
        "a.tsv": "a0f75f39793bfd20f6be677d9e3a04f4c86d89ec0d63405cc2545490da990df7",
        "b.tsv": "aa8aef816c87af641a90f6565282b6364f92b652f0a15a58d8dde1c21be3b1a9",
    }
    for name, value in sums.items():
        assert hashlib.sha256((DATA / "judge" / name).read_bytes()).hexdigest() == value
    assert len(labelled("judge")) >= 200


def test_no_exam_question_is_in_the_corpus() -> None:
    known = {" ".join(masked(one.text)) for one in labelled("train")}
    shared = [
        one.text for one in labelled("judge") if len(masked(one.text)) > 4 and " ".join(masked(one.text)) in known
    ]
    assert shared == []


def test_no_request_of_the_corpus_shares_half_its_words_with_an_exam_question() -> None:
    def words_of(text: str) -> frozenset[str]:
        return frozenset(map(fold, re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)))

    exams = [words_of(one.text) for one in labelled("judge")]
    by_word: defaultdict[str, set[int]] = defaultdict(set)
    for number, exam in enumerate(exams):
        for word in exam:
            by_word[word].add(number)
    sizes = [len(exam) for exam in exams]
    near = []
    for one in labelled("corpus"):
        own = words_of(one.text)
        shared = Counter(chain.from_iterable(by_word[word] for word in own & by_word.keys()))
        if any(2 * count >= len(own) + sizes[number] - count for number, count in shared.items()):
            near.append(one.text)
    assert near == []


def test_weights_are_small() -> None:
    assert (DATA / "router" / "weights.bin").stat().st_size < 2_000_000
