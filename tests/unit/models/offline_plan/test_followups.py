"""A later request is what it changes in the plan before: a word goes where it has a place, and none is dropped."""

from __future__ import annotations

import pytest

from lango_nb.models.offline.names import is_here
from lango_nb.models.offline.plan import Context, Reading, Step
from lango_nb.models.offline.understanding import resolved, settled
from tests.unit.models.offline_plan.bench import Bench, step

COUNTED = Step("count.lines", {"file": ("notes.md",)})


def follow(text: str, *, confidence: float = 0.9, **words: str) -> Reading:
    """Make the reading of a follow-up."""
    return Reading((Step("same", {role: (word,) for role, word in words.items()}, text=text),), confidence)


@pytest.mark.parametrize(
    ("last", "words", "slot"),
    [
        (COUNTED, {"value": "the list"}, "file"),
        (Step("group.count", {"by": ("shop",), "file": ("prices.csv",)}), {"value": "item"}, "by"),
        (Step("search", {"find": ("milk",), "file": ("todo.txt",)}), {"value": "bread"}, "find"),
        (Step("read.line", {"line": ("first",), "file": ("todo.txt",)}), {"file": "the second"}, "line"),
        (Step("append", {"text": ("milk",), "file": ("todo.txt",)}), {"find": "bread"}, "text"),
    ],
)
def test_a_word_goes_where_it_has_a_place(last: Step, words: dict[str, str], slot: str) -> None:
    (word,) = words.values()
    found = settled(follow(f"and {word}?", confidence=0.9, **words), f"and {word}?", Context(last, "notes.md"))
    assert found.steps[0].act == last.act
    assert found.steps[0].arguments[slot] == (word,)


def test_a_word_without_a_place_changes_nothing_and_repeats_nothing() -> None:
    gone = Context(Step("delete", {"file": ("a.md",)}), "a.md")
    instead = Reading((Step("rename", {"file": ("it",), "to": ("b.md",)}),), 0.3)
    text = "rather call it b.md"
    said = follow(text, to="b.md")._replace(others=(instead,))
    assert [one.act for one in settled(said, text, gone).steps] == ["rename"]
    assert [one.act for one in settled(said._replace(others=()), text, gone).steps] == ["unclear"]
    strange = follow("who plays piano?")
    assert [one.act for one in settled(strange, "who plays piano?", Context(COUNTED)).steps] == ["unclear"]


def test_what_lacks_something_gives_way_to_what_is_likely_and_loses_nothing() -> None:
    text, last = "and put oil on it", Context(Step("read.line", {"file": ("notes.md",), "line": ("2",)}), "notes.md")
    lacking = Reading((Step("replace", {"new": ("oil",)}, text=text),), 0.5)
    for confidence, act in ((0.6, "append"), (0.2, "replace")):
        more = Reading((Step("append", {"text": ("oil",)}, text=text),), confidence)
        assert settled(lacking._replace(others=(more,)), text, last).steps[0].act == act
    gone = Reading((Step("delete", {"file": ("oil",)}, text=text),), 0.6)
    assert settled(lacking._replace(others=(gone,)), text, last).steps[0].act == "replace"


@pytest.mark.parametrize(
    "text",
    [
        "and the words?", "und die Wörter?", "et les mots ?", "¿y las palabras?", "e as palavras?", "e le parole?",
        "en de woorden?", "a słowa?", "単語は?", "单词呢?",
    ],
)  # fmt: skip
def test_the_operation_is_a_slot_too(text: str) -> None:
    found = settled(follow(text), text, Context(COUNTED, "notes.md")).steps[0]
    assert (found.act, found.word("file")) == ("count.words", "notes.md")


@pytest.mark.parametrize(
    "other",
    [
        "the other one",
        "die andere",
        "l'autre",
        "el otro",
        "o outro",
        "l'altro",
        "de andere",
        "ten drugi",
        "もう一つ",
        "另一个",
    ],
)
def test_the_other_file_is_the_one_spoken_of_before(bench: Bench, other: str) -> None:
    bench.do("count.lines", file="todo.txt")
    bench.do("count.words", file="notes.md")
    bench.read(follow(other, value=other))
    assert bench.model.context.file == "todo.txt"


def test_the_other_file_may_be_called_like_the_last_but_for_a_number(bench: Bench) -> None:
    bench.do("read", file="letters/letter4.txt")
    assert "See you" in bench.read(follow("no, the other one")).text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("no, leave it. how many lines does it have?", "en"),
        ("nein, lass es. wie viele Zeilen hat sie?", "de"),
        ("non, laisse. combien de lignes a-t-il ?", "fr"),
        ("no, déjalo. ¿cuántas líneas tiene?", "es"),
        ("não, deixa. quantas linhas tem?", "pt"),
        ("no, lascia stare. quante righe ha?", "it"),
        ("nee, laat maar. hoeveel regels heeft het?", "nl"),
        ("nie, zostaw. ile ma linii?", "pl"),
    ],
)
def test_the_look_behind_a_no_is_what_is_wished(text: str, language: str) -> None:
    refused = Context(Step("delete", {"file": ("notes.md",)}), "notes.md")
    said = Reading((Step("no", {}, text=text),), 0.9, language)
    assert settled(said, text, refused).steps[0].act == "count.lines"


def test_a_change_behind_a_no_is_not_done_with_it() -> None:
    text = "no. delete it later"
    assert settled(Reading((Step("no", {}, text=text),)), text, Context(COUNTED)).steps[0].act == "no"


def test_each_of_the_files_named_is_counted(bench: Bench) -> None:
    answer = bench.do("count.lines", file=("notes.md", "todo.txt"))
    assert answer.text == "notes.md has 4 lines.\ntodo.txt has 3 lines."


def test_one_step_that_finds_nothing_does_not_stop_another_about_its_own_file(bench: Bench) -> None:
    found = bench.read(Reading((step("search", find="lamp", file="notes.md"), step("count.lines", file="todo.txt"))))
    assert found.text.endswith("todo.txt has 3 lines.")
    assert "notes.md" in found.text


def test_what_something_was_put_into_is_listed_there(bench: Bench) -> None:
    bench.do("move", file="notes.md", to="letters")
    assert "letters/notes.md" in bench.read(Reading((Step("list", {}, text="what is in there now?"),))).text
    assert "todo.txt" in bench.read(Reading((Step("list", {"file": ("this folder",)}, text="list this folder"),))).text
    bench.do("delete", file="letters/notes.md")
    answer = bench.read(Reading((Step("list", {"file": ("that folder",)}, text="what is left in that folder?"),)))
    assert answer.text.splitlines()[1:] == ["letters/letter4.txt", "letters/letter5.txt"]


def test_a_listing_keeps_its_folder_unless_it_says_another(bench: Bench) -> None:
    bench.do("list", file="letters")
    assert "letters/letter5.txt" in bench.read(Reading((Step("list.largest", {}, text="the largest one?"),))).text
    bench.do("list", file="letters")
    assert "letters" not in bench.read(Reading((Step("list.largest", {}, text="the largest of all files?"),))).text


@pytest.mark.parametrize(
    "words",
    ["the main folder", "den Hauptordner", "le dossier principal", "la carpeta principal", "a pasta principal",
     "la cartella principale", "de hoofdmap", "folder główny", "メインフォルダ", "主文件夹"],
)  # fmt: skip
def test_the_folder_that_is_worked_in_has_names(bench: Bench, words: str) -> None:
    assert is_here(words)
    bench.read(Reading((Step("copy", {"file": ("letters/letter4.txt",)}, text=f"copy letters/letter4.txt {words}"),)))
    assert bench.text("letter4.txt") == bench.text("letters/letter4.txt")


def test_the_same_after_a_renaming_is_a_name_made_alike(bench: Bench) -> None:
    bench.do("rename", file="notes.md", to="notes_old.md")
    bench.read(follow("do the same with todo.txt", file="todo.txt"))
    assert {"notes_old.md", "todo_old.txt"} <= set(bench.held())
    bench.do("rename", file="todo_old.txt", to="else.txt")
    answer = bench.read(follow("do the same with empty.txt", file="empty.txt"))
    assert answer.is_question
    assert "empty.txt" in bench.held()


def test_what_says_by_itself_what_is_to_be_done_is_no_missing_word(bench: Bench) -> None:
    bench.do("count.words")
    assert bench.model.context.missing == "file"
    for text, act in (("copy it to the letters folder", "copy"), ("thanks", "talk")):
        assert resolved(text, bench.model.context).steps[0].act == act
    assert resolved("notes.md", bench.model.context).steps[0].arguments == {"file": ("notes.md",)}


def test_an_answer_of_a_table_is_written_with_its_row(bench: Bench) -> None:
    bench.read(Reading((Step("column.max", {"column": ("price",)}, text="what is the highest price in prices.csv?"),)))
    bench.read(Reading((Step("write", {"file": ("best.txt",), "text": ("that",)}, text="put that into best.txt"),)))
    assert "olive oil" in bench.text("best.txt")
