"""What the next request can refer to is read from what was answered, and a file never speaks for the model."""

from __future__ import annotations

from typing import Any

import pytest

from lango_nb.models.offline import understanding
from lango_nb.models.offline.answered import after
from lango_nb.models.offline.answers import languages, say
from lango_nb.models.offline.hints import Exchange
from lango_nb.models.offline.names import not_meant
from lango_nb.models.offline.plan import Context, Reading, Step
from lango_nb.models.offline.understanding import settled, understand
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


def test_what_takes_a_question_back_is_no_missing_word(bench: Bench) -> None:
    before = bench.held()
    bench.do("move", file="notes.md")
    assert bench.model.context.missing == "to"
    for text in ("never mind, just show it to me", "how many lines does it have now?", "just show me the file please"):
        reading = Reading((Step("read", {}, text=text),), 0.7)
        assert settled(reading, text, bench.model.context).steps[0].act == "read"
    bench.read(Reading((Step("unclear", {}, text="letters"),)))
    assert set(bench.held()) == {*before, "letters/notes.md"} - {"notes.md"}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("act", ["line.delete", "unclear", "ask.change"])
def test_undo_is_a_no_to_an_open_question(bench: Bench, act: str, language: str) -> None:
    bench.do("append", file="todo.txt", text="sleep", language=language)
    after_it = bench.held()
    words = {} if act == "unclear" else {"file": "todo.txt"}
    assert bench.read(Reading((step(act, "", **words),), 1.0, language)).is_question
    bench.do("undo", language=language)
    assert bench.held() == after_it
    bench.do("undo", language=language)  # asked for once more, with nothing open: it is meant
    assert bench.held() != after_it


@pytest.mark.parametrize(
    ("text", "language", "out"),
    [
        ("aggiungi alla lista (non al todo.txt): telefonare", "it", {"todo.txt"}),
        ("add it to notes.md, not to the todo.txt", "en", {"todo.txt"}),
        ("schreib milch in notes.md (nicht in die todo.txt)", "de", {"todo.txt"}),
        ("mets lait dans notes.md et pas dans todo.txt", "fr", {"todo.txt"}),
        ("pon leche en notes.md, no en todo.txt", "es", {"todo.txt"}),
        ("ponha leite no notes.md e não no todo.txt", "pt", {"todo.txt"}),
        ("zet melk in notes.md, niet in todo.txt", "nl", {"todo.txt"}),
        ("dopisz mleko do notes.md, a nie do todo.txt", "pl", {"todo.txt"}),
        ("todo.txtではなくnotes.mdに書いて", "ja", {"todo.txt"}),
        ("把牛奶加到notes.md,不要加到todo.txt", "zh", {"todo.txt"}),
        ("don't forget to add milk to todo.txt", "en", set()),
        ("acrescenta leite no todo.txt", "pt", set()),
        ("todo.txtに「なくなった」と書いて", "ja", set()),
    ],
)
def test_a_file_behind_a_negation_is_not_the_one_that_is_changed(text: str, language: str, out: set[str]) -> None:
    assert not_meant(text, language) == out
    both = Step("append", {"file": ("todo.txt", "notes.md"), "text": ("x",)}, text=text)
    (found,) = settled(Reading((both,), 1.0, language), text, Context()).steps
    assert found.arguments["file"] == tuple(name for name in ("todo.txt", "notes.md") if name not in out)
    only = Step("append", {"file": ("the todo.txt",), "text": ("x",)}, text=text)
    (found,) = settled(Reading((only,), 1.0, language), text, Context()).steps
    assert found.act == ("refrain" if out else "append")


def test_the_same_with_another_file_moves_that_file_and_nothing_there(bench: Bench) -> None:
    bench.do("move", file="notes.md", to="letters")
    bench.read(Reading((Step("move", {"to": ("todo",)}, text="do the same with todo"),), 0.7))
    bench.do("yes")
    assert {"letters/notes.md", "letters/todo.txt"} <= set(bench.held())
    assert "letters/letter4.txt" in bench.held()


@pytest.mark.parametrize(
    "text", ["delete that line", "その行は消して", "lösch die zweite Zeile", "删掉那行", "borra esa línea"]
)
@pytest.mark.parametrize("is_argument", [True, False])
def test_deleting_a_line_never_deletes_a_file(bench: Bench, text: str, *, is_argument: bool) -> None:
    bench.do("read", file="todo.txt")
    before = set(bench.held())
    words = {"file": (text,)} if is_argument else {}
    bench.read(Reading((Step("delete", words, text=text),)))
    bench.do("yes")
    assert set(bench.held()) == before


@pytest.mark.parametrize("act", ["delete", "move", "rename"])
def test_a_name_that_may_be_the_end_of_another_is_asked_about(bench: Bench, act: str) -> None:
    before = bench.held()
    words = {"file": ("notes.md",), "to": ("letters",) if act == "move" else ("b.md",)}
    text = f"{act} my quarterly notes.md"
    answer = bench.read(Reading((Step(act, words if act != "delete" else {"file": words["file"]}, text=text),)))
    assert answer.is_question
    assert bench.held() == before
    bench.do("yes")
    assert "notes.md" not in bench.held()


@pytest.mark.parametrize(
    ("text", "to", "found"),
    [
        ("copy it, called second.txt", "second.txt", "letters/second.txt"),
        ("copy it to the main folder as second.txt", "second.txt", "second.txt"),
        ("copy it into the same folder, named second.txt", "second.txt", "letters/second.txt"),
    ],
)
def test_a_copy_that_is_called_something_stays_beside_its_original(
    bench: Bench, text: str, to: str, found: str
) -> None:
    bench.read(Reading((Step("copy", {"file": ("letters/letter4.txt",), "to": (to,)}, text=text),)))
    assert bench.text(found) == "Dear Ann\n"


def test_a_folder_that_is_named_is_listed_whatever_was_made_of_the_word(bench: Bench) -> None:
    assert "letters/letter4.txt" in bench.read(Reading((Step("list", {}, text="lettersフォルダの中身は?"),))).text


def test_a_plan_that_is_not_sure_is_shown_with_what_is_there(bench: Bench) -> None:
    before = bench.held()
    answer = bench.do("delete", confidence=0.4, file="the summer notes")
    assert answer.text.endswith(say("ask.delete", "en", n=1, names="notes.md"))
    bench.do("read", file="notes.md")
    answer = bench.do("copy", confidence=0.3, language="de", file="die", to="letters")
    assert answer.text == say("shall", "de", plan="copy notes.md to letters")
    answer = bench.do("delete.except", confidence=0.4, file="letters", except_="letter4.txt")
    assert answer.text == say("ask.delete", "en", n=1, names="letters/letter5.txt")
    answer = bench.do("delete", confidence=0.4, file="text file")
    assert answer.text == say("ask.which", "en", names="empty.txt, no end.txt or todo.txt")
    assert "notes.md" in bench.do("delete", confidence=0.4, file="the invoice").text
    assert bench.held() == before


def test_a_yes_is_for_the_paths_that_were_shown(bench: Bench) -> None:
    plan = (step("folder.make", to="done"), step("move", file="letter4"))
    assert bench.read(Reading(plan, 0.3)).text == say(
        "shall", "en", plan="make folder done; move letters/letter4.txt to done"
    )
    bench.do("yes")
    assert bench.text("done/letter4.txt") == "Dear Ann\n"


def test_a_word_that_was_asked_for_makes_a_doubtful_plan_no_surer(bench: Bench) -> None:
    before = bench.held()
    bench.do("move", confidence=0.3, file="notes.md")
    assert bench.model.context.missing == "to"
    reading = Reading((Step("unclear", {}, text="letters"),), 0.9)
    assert bench.read(reading).text == say("shall", "en", plan="move notes.md to letters")
    assert bench.held() == before


def test_all_of_a_folder_is_shown_before_a_doubtful_deletion(bench: Bench) -> None:
    answer = bench.do("delete", confidence=0.4, file="letters")
    assert "letters/letter4.txt\nletters/letter5.txt" in answer.text
    bench.do("yes")
    assert not any(name.startswith("letters") for name in bench.held())


@pytest.mark.parametrize(
    ("act", "text"),
    [
        ("delete", "I nearly deleted notes.md"),
        ("delete", "Marco hat notes.md gelöscht"),
        ("delete", "j'ai failli supprimer notes.md"),
        ("delete", "borré notes.md"),
        ("delete", "quase apaguei notes.md"),
        ("delete", "ho quasi cancellato notes.md"),
        ("delete", "ik had notes.md bijna verwijderd"),
        ("delete", "prawie usunąłem notes.md"),
        ("delete", "notes.mdを消すところだった"),
        ("delete", "我差点删了notes.md"),
        ("rename", "I renamed notes.md to list.md"),
        ("move", "j'ai déplacé notes.md dans letters"),
    ],
)
def test_what_is_told_is_no_order(bench: Bench, act: str, text: str) -> None:
    before = bench.held()
    goal = {"rename": {"to": ("list.md",)}, "move": {"to": ("letters",)}}.get(act, {})
    assert bench.read(Reading((Step(act, {"file": ("notes.md",), **goal}, text=text),))).is_question
    assert bench.held() == before


@pytest.mark.parametrize("text", ["supprime notes.md", "把notes.md删了", "notes.mdを消したい", "delete notes.md"])
def test_what_is_wished_is_done(bench: Bench, text: str) -> None:
    bench.read(Reading((Step("delete", {"file": ("notes.md",)}, text=text),)))
    assert "notes.md" not in bench.held()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("lettersフォルダに list.txt を作って", "letters/list.txt"),
        ("write it to list.txt in letters", "letters/list.txt"),
        ("write it to list.txt, not in letters but here", "list.txt"),
        ("write it to list.txt: letters are late", "list.txt"),
    ],
)
def test_a_new_file_goes_into_the_folder_that_is_named(bench: Bench, text: str, path: str) -> None:
    words = {"file": ("list.txt",), "text": ("letters are late" if "late" in text else "x",)}
    bench.read(Reading((Step("write", words, text=text),)))
    assert path in bench.held()


def test_a_new_file_goes_inside_the_folder_made_before_it(bench: Bench) -> None:
    made = Step("folder.make", {"to": ("presse",)}, text="Crée un dossier presse")
    new = Step("write", {"file": ("contact.txt",), "text": ("Radio",)}, text="et dedans un fichier contact.txt")
    bench.read(Reading((made, new), 1.0, "fr"))
    assert bench.text("presse/contact.txt") == "Radio\n"


def test_another_file_is_no_goal_once_a_folder_was_made_for_it(bench: Bench) -> None:
    bench.read(Reading((step("folder.make", to="backup"), step("copy", file="notes.md", to="todo.txt"))))
    assert {"backup/notes.md", "backup/todo.txt", "notes.md", "todo.txt"} <= set(bench.held())


def test_a_name_with_blanks_that_was_asked_for_is_named_whole(bench: Bench) -> None:
    bench.do("delete")
    assert bench.model.context.missing == "file"
    reading = Reading((Step("fix", {"file": ("end.txt",)}, text="no end.txt I mean"),), 0.9)
    bench.read(reading)
    assert "no end.txt" not in bench.held()


def test_a_turn_that_follows_reads_its_last_exchange_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    resolved = understanding.resolved

    def counted(request: str, *before: Any) -> Reading:
        read.append(request)
        return resolved(request, *before)

    monkeypatch.setattr(understanding, "resolved", counted)
    before = [Exchange(f"how many lines does part{number}.txt have?", "It has 3 lines.") for number in range(3)]
    understanding.understand(before[:2], "show it")
    read.clear()
    understanding.understand(before, "and delete it")
    assert read == [before[2].request, "and delete it"]


def test_steps_that_lose_nothing_are_carried_out_where_each_is_sure_by_itself(bench: Bench) -> None:
    plan = (step("folder.make", to="done"), step("move", file="letter4.txt", to="it"), step("list", file="letters"))
    answer = bench.read(Reading(plan, 0.3, each=(0.6, 0.6, 0.4)))
    assert not answer.is_question
    assert bench.text("done/letter4.txt") == "Dear Ann\n"
    before = bench.held()
    doubtful = (
        ((step("folder.make", to="old"), step("move", file="the second letter", to="it")), (0.6, 0.6)),  # described
        ((step("folder.make", to="old"), step("move", file="notes.md", to="it")), (0.6, 0.4)),  # not sure by itself
        ((step("folder.make", to="old"), step("delete", file="notes.md")), (0.9, 0.9)),
        ((step("folder.make", to="old"), step("append", file="notes.md", text="x")), (0.9, 0.9)),
    )
    for steps, each in doubtful:
        assert bench.read(Reading(steps, 0.3, each=each)).is_question
    assert bench.held() == before
    assert not (bench.folder / "old").exists()


def test_what_was_spoken_of_goes_into_the_folder_that_is_made_for_it(bench: Bench) -> None:
    bench.do("read", file="notes.md")
    bench.read(Reading((step("folder.make", to="done"), step("move", file="it", to="it"))))
    assert "done/notes.md" in bench.held()
