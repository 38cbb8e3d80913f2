"""Requests become words, concepts, features and readings; authors' requests can be read and fitted to."""

from __future__ import annotations

import pytest

from lango_nb.core.errors import SettingsError, UsageError
from lango_nb.core.packed import hash_of
from lango_nb.evaluation.fitting_reader import fit, is_held_out, put_together, related_to
from lango_nb.evaluation.readings import Marked, marked_requests, read_marked
from lango_nb.models.offline.features import VERSION, may_begin, of_act, of_doubt, see
from lango_nb.models.offline.lexicon import lexicon, words
from lango_nb.models.offline.plan import Context, acts
from lango_nb.models.offline.reader import FOLLOWS, Reader, arguments_of, parameters, reader, spans_of
from lango_nb.models.offline.understanding import resolved
from lango_nb.models.offline.weights import LEAST_STEP, Heads, Linear, Tagger
from tests.expected import same_as_expected

FEW = 120


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("cat notes.md", "word file"),
        ("ls -la src/", "word option folder"),
        ("*.txt and .csv", "glob word ending"),
        ("p12 at 9:30, 17%", "id word number sign number"),
        ("買い物.txt", "character character character ending"),
        ("ファイルを", "kana character"),
        ("замки.txt", "file"),
        ("at 8am in B2.07", "word measure word id"),
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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Guten Morgen! Na, alles klar bei dir?", "de"),
        ("guarda in housemates.json e dimmi a cosa è allergico Wen", "it"),
        ("che camera ha?", "it"),
        ("y a quels dossiers ici", "fr"),
        ("es-tu là ?", "fr"),
        ("ile ma linii?", "pl"),
        ("python3 average.py", "en"),
    ],
)
def test_small_words_tell_the_language_of_a_short_request(text: str, language: str) -> None:
    assert reader().read(text).language == language


@pytest.mark.parametrize(
    ("text", "language"),
    [("Lucia?", "de"), ("notes.md", "de"), ("ok", "de"), ("show me the file", "en"), ("e poi?", "it")],
)
def test_a_short_request_is_in_the_language_spoken_before_unless_its_words_are_of_another(
    text: str, language: str
) -> None:
    assert resolved(text, Context(), "de").language == language


def test_names_of_files_say_no_more_than_that_they_are_names() -> None:
    assert of_act(see("read notes.md"), None) == of_act(see("read other.md"), None)


def test_a_step_begins_behind_a_connective_only() -> None:
    seen = see("make one folder and move it")
    places = [place for place in range(len(seen.words)) if may_begin(seen, place)]
    assert {"and", "move"} <= {seen.words[place].text for place in places}
    assert not {0, 1} & set(places)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("show week3.txt and kick out line 8", ["read", "line.delete"]),
        ("verwijder oud.txt en zet 'bel Jan' op mijn takenlijst", ["delete", "task.add"]),
        ("aggiungi pane a spesa.txt e poi fammela vedere", ["append", "read"]),
        ("crie a pasta fotos e mova a.png para lá", ["folder.make", "move"]),
        ("notes.mdを読んで、それから行数を数えて", ["read", "count.lines"]),
        ("打开notes.md，然后删除old.txt", ["read", "delete"]),  # noqa: RUF001 - signs that people type
        ("delete a.txt and b.txt", ["delete"]),
        ("what is the difference between a.txt and b.txt?", ["compare"]),
        ("make a folder called salt and pepper", ["folder.make"]),
    ],
)
def test_a_request_is_divided_where_its_halves_mean_something(text: str, meant: list[str]) -> None:
    assert [step.act for step in reader().read(text).steps] == meant


def test_requests_of_two_steps_are_put_together_as_people_join_them() -> None:
    said = """0\tde\tdelete\tlösch a.txt
0\tde\tread\tzeig b.txt
0\tde\ttalk\tna du
0\tde\tcopy // read\tkopiere c.txt, // und dann zeig es
0\ten\tread\tshow d.txt
0\ten\tdelete\tdelete e.txt"""
    made = set(put_together(list(read_marked(said, "x")), 20))
    assert made == {("lösch a.txt, und dann zeig b.txt", (13,)), ("zeig b.txt, und dann lösch a.txt", (12,))}


@pytest.mark.parametrize(
    ("language", "joined", "expected"),
    [
        ("en", "open c.txt // delete it", {"show d.txt; delete e.txt", "delete e.txt; show d.txt"}),
        ("en", "open c.txt. // delete it", {"show d.txt. delete e.txt", "delete e.txt. show d.txt"}),
        ("en", "open c.txt, // then delete it", {"show d.txt, then delete e.txt", "delete e.txt, then show d.txt"}),
        ("en", "open c.txt // and delete it", {"show d.txt and delete e.txt", "delete e.txt and show d.txt"}),
        (
            "zh",
            "打开 c.txt\uff0c // 然后删除",
            {"show d.txt\uff0c然后delete e.txt", "delete e.txt\uff0c然后show d.txt"},
        ),
    ],
)
def test_two_requests_are_joined_with_the_signs_and_words_of_their_language(
    language: str, joined: str, expected: set[str]
) -> None:
    said = f"""0\t{language}\tread // delete\t{joined}
0\t{language}\tread\tshow d.txt!
0\t{language}\tdelete\tdelete e.txt."""
    made = put_together(list(read_marked(said, "x")), 20)
    assert {text.rstrip(".!") for text, _ in made} == expected
    assert all(text[begins:].startswith(("show", "delete", "then", "and", "然后")) for text, (begins,) in made)


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
    for turn in marked_requests():
        for step in turn.steps:
            known = acts().get(step.act)
            roles = (*known.roles, "to", "agent") if known else (*parameters().get(step.act, ()), "to")
            is_known = known is not None or step.act in parameters() or step.act in FOLLOWS
            if not is_known or (step.act not in FOLLOWS and {span.role for span in step.spans} - set(roles)):
                wrong.append(f"{turn.author}: {step.act}: {turn.text}")
    assert not wrong


def test_a_third_of_the_authors_is_held_out() -> None:
    authors = sorted({turn.author for turn in marked_requests()})
    assert sum(is_held_out(author, authors) for author in authors) == len(authors) // 3


@pytest.fixture(scope="module")
def some() -> list[Marked]:
    wanted = {"count.words", "read", "delete", "talk", "append", "same", "search", "folder.make", "move"}
    return [turn for turn in marked_requests() if {step.act for step in turn.steps} <= wanted][:FEW]


@pytest.fixture(scope="module")
def weights(some: list[Marked]) -> bytes:
    return fit(some)


def test_a_reader_reads_what_nobody_wrote(weights: bytes) -> None:
    reading = Reader(weights).read("how many words are in garden.md?")
    assert reading.steps[0].act == "count.words"
    assert reading.steps[0].arguments["file"] == ("garden.md",)
    assert 0 < reading.confidence <= 1


def test_what_few_requests_teach_is_as_expected(some: list[Marked], weights: bytes) -> None:
    reader = Reader(weights)
    texts = [turn.text for turn in marked_requests() if turn not in some][::300]
    lines = []
    for text in dict.fromkeys([*(turn.text for turn in some[::12]), *texts]):
        said = [f"{step.act} {dict(step.arguments)}" for step in reader.read(text).steps]
        lines.append(f"{text}\n  {'; '.join(said)}")
    same_as_expected("reading/few_requests.txt", "\n".join(lines))


def test_acts_of_a_kind_have_something_in_common() -> None:
    assert {"part ending", "kind change"} <= set(related_to("delete.ending")) & set(related_to("copy.ending"))
    assert not {"part ending"} & set(related_to("delete"))


def test_a_word_that_nothing_explains_is_told_from_those_within_an_argument() -> None:
    seen = see("append zzyzx to notes.md")
    assert of_doubt(seen, [(7, 12)], (0.9, 0.9), lambda _: False)[2:] == [0.0, 0.0]
    assert of_doubt(seen, [], (0.9, 0.9), lambda _: False)[2] > 0


def test_a_linear_model_adds_up_what_features_count() -> None:
    model = Linear.of(("x", "y"), (1.0, 0.0), {hash_of("a"): (0, (2, -2)), hash_of("b"): (2, (-1, 3))})
    step = 2.0**LEAST_STEP
    assert model.scores(["a", "b", "b", "unknown"], 2.0) == [1.0 + (2 - 8) * step / 2, (-2 + 24) * step / 2]
    assert model.knows("a")
    assert not model.knows("unknown")


def test_models_together_score_as_each_does_alone() -> None:
    names = [f"feature {number}" for number in range(300)]
    one = Linear.of("xyz", (1.0, 0.0, -1.0), {hash_of(n): (len(n) % 3, (7, -7, at % 7)) for at, n in enumerate(names)})
    other = Linear.of("uv", (0.5, 0.25), {hash_of(n): (1, (-(at % 8), 5)) for at, n in enumerate(names[::2])})
    said = [*names[:7], "unknown", names[0]]
    assert Heads((one, other)).scores(said, 3.0) == [one.scores(said, 3.0), other.scores(said, 3.0)]


def test_weights_are_the_same_when_they_were_packed() -> None:
    names = [f"feature {number}" for number in range(3000)]
    linear = Linear.of("xyz", (1.0, 0.0, -1.0), {hash_of(n): (at % 9, (at % 8, -7, 0)) for at, n in enumerate(names)})
    again = Linear.unpack(linear.pack()[0], memoryview(linear.pack()[1]))
    assert all(again.scores([name], 1.0) == linear.scores([name], 1.0) for name in names)
    assert not any(again.knows(f"other {number}") for number in range(100))
    labels = ("O", *(f"{edge}-{role}" for role in ("file", "find") for edge in "BI"))
    weights = {hash_of(n): dict.fromkeys(range(at % 5 + 1), at % 9 - 4) for at, n in enumerate(names)}
    tagger = Tagger.of(labels, {("O", "B-file"): 0.5}, weights, 0.25)
    same = Tagger.unpack(tagger.pack()[0], memoryview(tagger.pack()[1]))
    assert all(same.add_up([name]) == tagger.add_up([name]) for name in names)
    assert list(tagger.add_up([names[8]])) == [2**31 + 4, 2**31 + 4, 2**31 + 4, 2**31 + 4, 2**31]
    assert same.pack() == tagger.pack()


def test_features_of_a_group_are_added_up_as_if_each_were_alone() -> None:
    tagger = _tagger()
    assert tagger.add_up([(lambda *names: names, ("x", "more", "unknown")), "f"]) == tagger.add_up(["x", "more", "f"])


def _tagger(moves: dict[tuple[str, str], float] | None = None) -> Tagger:
    said = {"x": {0: 5, 1: 10}, "strong x": {1: 20}, "more": {2: 10}, "nothing": {0: 10}, "f": {3: 20}}
    labels = ("O", "B-find", "I-find", "B-file", "I-file")
    return Tagger.of(labels, moves or {}, {hash_of(name): weights for name, weights in said.items()}, 1.0)


def _tagged(*features: str, quoted: tuple[bool, ...] = ()) -> str:
    tagger = _tagger()
    said = [tagger.add_up([])] * len(features)
    return " ".join(tagger.tag(said, [[one] for one in features], ("find", "file"), quoted))


def test_a_role_that_is_said_once_has_words_in_one_place() -> None:
    assert _tagged("x", "nothing", "strong x") == "O O B-find"
    assert _tagged("f", "nothing", "f") == "B-file O B-file"


def test_an_argument_does_not_go_on_beyond_a_quotation() -> None:
    assert _tagged("x", "more", "more") == "B-find I-find I-find"
    weak = Tagger.of(("O", "B-find", "I-find"), {}, {hash_of("start"): {1: 10}, hash_of("on"): {2: 2}}, 1.0)
    said = [weak.add_up([])] * 3
    rows = [["start"], ["on"], ["on"]]
    assert weak.tag(said, rows, ("find",)) == ["B-find", "I-find", "I-find"]
    assert weak.tag(said, rows, ("find",), (True, False, False)) == ["B-find", "O", "O"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("add to it: call Ann and Bob.", "call Ann and Bob"),
        ("add to it call Ann and Bob", "call"),
        ('add to it: "call Ann" and Bob', "call Ann"),
    ],
)
def test_a_text_behind_a_colon_runs_to_the_end(text: str, said: str) -> None:
    seen = see(text)
    labels = ["B-text" if word.text == "call" else "O" for word in seen.words]
    assert arguments_of(seen, spans_of(seen, labels)) == {"text": (said,)}


def test_a_conversation_cannot_begin_with_a_follow_up(weights: bytes) -> None:
    reader = Reader(weights)
    assert not FOLLOWS & {step.act for step in reader.read("and todo.txt?").steps}


@pytest.mark.slow
def test_the_same_requests_give_the_same_bytes(some: list[Marked], weights: bytes) -> None:
    assert fit(some) == weights


def test_weights_of_other_features_are_refused(weights: bytes) -> None:
    with pytest.raises(SettingsError, match="not the weights"):
        Reader(b"x" + weights)
    with pytest.raises(SettingsError, match="are for features 7"):
        Reader(weights.replace(f'"version": {VERSION}'.encode(), b'"version": 7', 1))
