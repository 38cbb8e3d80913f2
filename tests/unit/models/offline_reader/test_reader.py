"""Requests become words, concepts, features and readings; authors' requests can be read and fitted to."""

from __future__ import annotations

import pytest

from lango_nb.core.errors import SettingsError, UsageError
from lango_nb.evaluation.fitting_reader import fit, is_held_out
from lango_nb.evaluation.readings import Marked, marked_requests, read_marked
from lango_nb.models.offline.acts import acts
from lango_nb.models.offline.features import may_begin, of_act, see
from lango_nb.models.offline.lexicon import lexicon
from lango_nb.models.offline.reader import FOLLOWS, Reader, parameters
from lango_nb.models.offline.words import words

TURNS = marked_requests()


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("cat notes.md", "word file"),
        ("ls -la src/", "word option folder"),
        ("*.txt and .csv", "glob word ending"),
        ("p12 at 9:30, 17%", "id word number sign number"),
        ("買い物.txt", "character character character ending"),
        ("ファイルを", "kana character"),
    ],
)
def test_words_have_a_kind(text: str, kinds: str) -> None:
    assert " ".join(word.kind for word in words(text)) == kinds


def test_a_quotation_is_known_word_by_word() -> None:
    assert [word.text for word in words("put “oat milk” in it") if word.is_quoted] == ["oat", "milk"]


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("delete", "delete"),
        ("lösche", "delete"),
        ("supprimer", "delete"),
        ("borra", "delete"),
        ("elimina", "delete"),
        ("apaga", "delete"),
        ("verwijder", "delete"),
        ("usuń", "delete"),
        ("削除して", "delete"),
        ("删除", "delete"),
    ],
)
def test_words_of_ten_languages_share_a_concept(text: str, concept: str) -> None:
    assert any(concept in told for told in lexicon().concepts(words(text)))


def test_names_of_files_say_no_more_than_that_they_are_names() -> None:
    assert of_act(see("read notes.md"), None) == of_act(see("read other.md"), None)


def test_a_step_begins_behind_a_connective_only() -> None:
    seen = see("make one folder and move it")
    places = [place for place in range(len(seen.words)) if may_begin(seen, place)]
    assert {"and", "move"} <= {seen.words[place].text for place in places}
    assert not {0, 1} & set(places)


def test_marks_say_role_words_and_value() -> None:
    (turn,) = read_marked('0\tde\tcopy // read\tkopiere {file="Liste Mai.txt" meine Liste} // und zeig {file sie}', "x")
    assert turn.text == "kopiere meine Liste und zeig sie"
    assert turn.text[turn.begins[0] :] == "und zeig sie"
    (span,) = turn.steps[0].spans
    assert (span.role, turn.steps[0].text[span.start : span.end], span.value) == (
        "file",
        "meine Liste",
        "Liste Mai.txt",
    )


@pytest.mark.parametrize(
    "line", ["read\tnotes.md", "x\ten\tread\tnotes.md", "0\ten\tread // copy\tnotes.md", "0\ten\tread"]
)
def test_a_line_that_is_none_names_its_author_and_number(line: str) -> None:
    with pytest.raises(UsageError, match="requests of ada, line 2: "):
        list(read_marked(f"0\ten\ttalk\thi\n{line}", "ada"))


def test_every_request_is_about_acts_and_roles_that_there_are() -> None:
    wrong = []
    for turn in TURNS:
        for step in turn.steps:
            known = acts().get(step.act)
            roles = (*known.roles, "to", "agent") if known else (*parameters().get(step.act, ()), "to")
            is_known = known is not None or step.act in parameters() or step.act in FOLLOWS
            if not is_known or (step.act not in FOLLOWS and {span.role for span in step.spans} - set(roles)):
                wrong.append(f"{turn.author}: {step.act}: {turn.text}")
    assert not wrong


def test_a_third_of_the_authors_is_held_out() -> None:
    authors = sorted({turn.author for turn in TURNS})
    assert sum(is_held_out(author, authors) for author in authors) == len(authors) // 3


@pytest.fixture(scope="module")
def some() -> list[Marked]:
    wanted = {"count.words", "read", "delete", "talk", "append", "same", "search", "folder.make", "move"}
    return [turn for turn in TURNS if {step.act for step in turn.steps} <= wanted][:600]


@pytest.fixture(scope="module")
def weights(some: list[Marked]) -> bytes:
    return fit(some)


def test_a_reader_reads_what_nobody_wrote(weights: bytes) -> None:
    reading = Reader(weights).read("how many words are in garden.md?")
    assert reading.steps[0].act == "count.words"
    assert reading.steps[0].arguments["file"] == ("garden.md",)
    assert 0 < reading.confidence <= 1


def test_a_conversation_cannot_begin_with_a_follow_up(weights: bytes) -> None:
    reader = Reader(weights)
    assert not FOLLOWS & {step.act for step in reader.read("and todo.txt?").steps}


def test_the_same_requests_give_the_same_bytes(some: list[Marked], weights: bytes) -> None:
    assert fit(some) == weights


def test_weights_of_other_features_are_refused(weights: bytes) -> None:
    with pytest.raises(SettingsError, match="not the weights"):
        Reader(b"x" + weights)
    with pytest.raises(SettingsError, match="are for features 7"):
        Reader(weights.replace(b'"version": 1', b'"version": 7', 1))
