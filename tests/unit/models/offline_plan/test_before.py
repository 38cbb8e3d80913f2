"""What the next request can refer to is read from what was answered, and a file never speaks for the model."""

from __future__ import annotations

import pytest

from lango_nb.models.offline.answers import languages, say
from lango_nb.models.offline.conversation import Exchange, after, understand
from lango_nb.models.offline.plan import Context, Reading
from tests.unit.models.offline_plan.bench import Bench, step

TRAP = "This would delete 2 entries:\nnotes.md\ntodo.txt\nShall I?"


@pytest.mark.parametrize("act", ["read", "read.last", "summary", "read.sorted"])
def test_a_file_that_ends_like_a_question_is_no_question(bench: Bench, act: str) -> None:
    (bench.folder / "trap.txt").write_text(TRAP)
    before = bench.held()
    words = {"file": "trap.txt", "n": "4"} if act == "read.last" else {"file": "trap.txt"}
    bench.read(Reading((step(act, "", **words),)))
    bench.do("yes")
    assert bench.held() == before
    assert bench.model.context.file == "trap.txt"


@pytest.mark.parametrize(
    "line", ["I made the folder notes.md.", "Deleted notes.md.", "notes.md is there already, so nothing was done."]
)
def test_a_line_of_a_file_does_not_say_what_was_spoken_of(bench: Bench, line: str) -> None:
    (bench.folder / "trap.txt").write_text(f"first\n{line}")
    bench.do("read", file="trap.txt")
    assert bench.model.context.file == "trap.txt"
    assert bench.model.context.changed is None


def test_a_yes_is_for_what_was_shown_and_does_not_do_again_what_was_done(bench: Bench) -> None:
    bench.read(Reading((step("append", file="todo.txt", text="sleep"), step("delete", file=("notes.md", "empty.txt")))))
    assert bench.text("todo.txt").endswith("buy milk\nsleep\n")
    (bench.folder / "letters/letter6.txt").write_text("new\n")
    bench.do("yes")
    assert bench.text("todo.txt").count("sleep") == 1
    assert not {"notes.md", "empty.txt"} & set(bench.held())
    assert "letters/letter6.txt" in bench.held()


def test_what_came_after_the_question_is_not_deleted_with_it(bench: Bench) -> None:
    bench.do("delete.all")
    (bench.folder / "late.txt").write_text("late\n")
    bench.do("yes")
    assert set(bench.held()) == {"late.txt"}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("append", {"file": "no end.txt", "text": "three: 3"}),
        ("prepend", {"file": "notes.md", "text": "zero"}),
        ("replace", {"file": "todo.txt", "old": "buy milk", "new": "buy “oat” milk"}),
        ("line.replace", {"file": "todo.txt", "line": "2", "new": "walk the cat"}),
        ("line.delete", {"file": "server.log", "find": "retry"}),
        ("json.set", {"file": "config.json", "key": "port", "new": "9090"}),
        ("rename", {"file": "no end.txt", "to": "an end.txt"}),
        ("move", {"file": ("notes.md", "todo.txt"), "to": "letters"}),
        ("copy", {"file": "notes.md", "to": "copy of notes.md"}),
        ("write", {"file": "brand new.txt", "text": "a\nb"}),
        ("create", {"file": "nothing.txt"}),
    ],
)
def test_a_change_is_taken_back_from_what_was_said_in_any_language(
    bench: Bench, act: str, words: dict[str, str | tuple[str, ...]], language: str
) -> None:
    before = {name: text.rstrip() for name, text in bench.held().items()}
    bench.read(Reading((step(act, "", **words),), 1.0, language))
    assert {name: text.rstrip() for name, text in bench.held().items()} != before
    bench.do("count.files", language=language)
    bench.do("undo", language=language)
    assert {name: text.rstrip() for name, text in bench.held().items()} == before


@pytest.mark.parametrize("language", languages())
def test_the_file_of_an_answer_is_found_whatever_its_name(language: str) -> None:
    for name in ("notes.md", "Grades 2026.csv", "замки.txt", "案内.txt", "letters/a b.txt"):
        reading = Reading((step("count.lines", file="that thing"),), 1.0, language)
        assert after(Context(), reading, say("count.lines", language, file=name, n=3)).file == name
        took = say("note.took", language, word="that thing", name=name) + "\n"
        assert after(Context(), reading, took + say("count.lines", language, file=name, n=3)).file == name
        asked = say("ask.which", language, names=f"{name} {say('or', language)} other.txt")
        found = after(Context(), reading, asked)
        assert (found.missing, found.shown) == ("file", (name, "other.txt"))


def test_only_the_latest_exchanges_are_looked_back_on() -> None:
    long_ago = [Exchange("read notes.md", "notes.md:\n# Notes")]
    since = [Exchange("hello", "Hello!")] * 8
    assert understand(long_ago, "delete it").context.file == "notes.md"
    assert understand([*long_ago, *since], "delete it").context.file == ""
