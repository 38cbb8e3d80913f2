"""The offline model does not do what was not clearly asked for: the wrong thing costs more than a question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lango_nb.engine import Engine
from lango_nb.models.offline.reader import reader
from lango_nb.records.turns import Turn
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.decorator import tool
from tests.calls import assert_linear

FILES: Mapping[str, str] = {
    "notes.md": "# Notes\nmilk\nbread\n",
    "data.csv": "a,b\n1,2\n",
    "app.py": "print(1)\n",
    "app.py.orig": "print(0)\n",
    "2024.txt": "year\n",
    "old.md": "old\n",
    "docs/report.txt": "report\n",
}
Ask = Callable[[str], Turn]


@pytest.fixture(params=["solo", "sextet"])
def ask(request: pytest.FixtureRequest, folder: Path) -> Ask:
    engine = Engine(
        topology=request.param, tools=(*builtin_tools(), *spec_families()), workspace=folder, approver="allow"
    )
    return lambda text: engine.run_sync(text).turn


def held(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


@pytest.mark.parametrize(
    "text",
    [
        "remove the word bread from notes.md",
        "remove the last line of notes.md",
        "remove duplicates from data.csv",
        "erase the contents of notes.md",
        "trash all but notes.md",
        "delete old.md from docs",
        "delete notes.md and data.csv",
        "don't delete notes.md",
        "don\u2019t delete notes.md",
        "never delete data.csv",
        "please do not remove data.csv, just list the files",
        "how do I delete notes.md?",
        "can I delete notes.md safely?",
        "do not run `rm -rf docs`",
        "explain how to run `rm -rf docs`",
        "what does run do in app.py?",
        'overwrite notes.md with "bye"',
        "truncate data.csv",
        "delete notes.md.bak2",
        "delete a\0app.py",
        r"delete C:\notes.md",
        r"delete ..\notes.md",
        "save this conversation to chat.txt",
        "every day at 9 run `touch x`",
        "run the tests",
        "find the file that contains the word milk",
        "would it hurt if I deleted data.csv?",
        "I nearly deleted notes.md",
        "remove the old stuff",
        "put it somewhere, but not in notes.md",
        "Sollte man die notes.md besser umbenennen?",
        "Hast du die data.csv gelöscht?",
        "schreib es nicht in die notes.md",
        "est-ce que je peux supprimer data.csv sans risque ?",
        "j'ai failli supprimer notes.md",
        "¿y si borro data.csv?",
        "posso apagar o notes.md?",
        "não apague o data.csv ainda",
        "cosa succede se rinomino data.csv?",
        "wat gebeurt er als ik docs weggooi?",
        "verwijder notes.md niet!",
        "czy mogę usunąć data.csv?",
        "notes.mdを消したらどうなる?",
        "その行は消して",
        "data.csv可以删吗?",
        "把没用的都删掉",
    ],
)
def test_what_was_not_clearly_asked_for_changes_nothing(ask: Ask, folder: Path, text: str) -> None:
    turn = ask(text)
    assert held(folder) == dict(FILES), turn.answer
    assert turn.answer


@pytest.mark.parametrize(
    "text",
    [
        "Marco said: delete old.md",
        "Anna asked whether we could delete old.md",
        "delete old.md, Marco said",
        "Eva wrote: please move old.md to docs",
        "Marco said to write hello to a.txt",
        "Anna hat gefragt, ob wir old.md löschen können",
        "Marco sagte, wir sollen old.md löschen",
        "Marco a dit : supprime old.md",
        "Marco dijo: borra old.md",
        "Ana pregunta si podemos borrar old.md",
        "O Marco disse: apaga o old.md",
        "Marco ha detto: cancella old.md",
        "Gerrit zei: gooi old.md maar weg",
        "Anna vroeg of we old.md kunnen verwijderen",
        "Marek powiedział: usuń old.md",
        "マルコがold.mdを消してと言っていた",
        "马可说:删除 old.md",
    ],
)
def test_what_somebody_else_said_is_asked_about(ask: Ask, folder: Path, text: str) -> None:
    turn = ask(text)
    assert held(folder) == dict(FILES), turn.answer
    assert turn.outcome == "input_required"


@pytest.mark.parametrize(
    "text", ["I said delete old.md", "ich will old.md löschen", "ik wil old.md verwijderen", "我想删除 old.md"]
)
def test_what_the_person_wants_is_done_and_not_taken_for_somebody_elses_words(
    ask: Ask, folder: Path, text: str
) -> None:
    assert ask(text).is_ok
    assert held(folder) == {name: content for name, content in FILES.items() if name != "old.md"}


@pytest.mark.parametrize(
    ("text", "name", "content"),
    [
        ("delete line 2 of notes.md", "notes.md", "# Notes\nbread\n"),
        ("delete the second line of data.csv", "data.csv", "a,b\n"),
        ("can you remove line 1 from data.csv?", "data.csv", "1,2\n"),
        ("add '## New' at the top of notes.md", "notes.md", "## New\n# Notes\nmilk\nbread\n"),
        ("edit notes.md: make line 3 say rye bread", "notes.md", "# Notes\nmilk\nrye bread\n"),
        ("change bread to rolls in notes.md", "notes.md", "# Notes\nmilk\nrolls\n"),
        ('replace every "a" with "b" in data.csv', "data.csv", "b,b\n1,2\n"),
        ("delete app.py.orig", "app.py.orig", None),
        ("could you please delete the file old.md from this folder?", "old.md", None),
    ],
)
def test_what_was_clearly_asked_for_is_done(ask: Ask, folder: Path, text: str, name: str, content: str | None) -> None:
    turn = ask(text)
    assert turn.is_ok, turn.answer
    expected = {key: value for key, value in {**FILES, name: content}.items() if value is not None}
    assert held(folder) == expected


def test_a_file_gets_another_name_and_keeps_its_content(ask: Ask, folder: Path) -> None:
    assert ask("rename notes.md to list.md").is_ok
    kept = {"list.md" if name == "notes.md" else name: content for name, content in FILES.items()}
    assert held(folder) == kept


@pytest.mark.parametrize(
    ("text", "gone"),
    [("delete notes.md and data.csv", {"notes.md", "data.csv"}), ("delete the folder docs", {"docs/report.txt"})],
)
def test_more_than_one_file_goes_after_a_yes_and_no_other(ask: Ask, folder: Path, text: str, gone: set[str]) -> None:
    assert ask(text).outcome == "input_required"
    assert held(folder) == dict(FILES)
    assert ask("yes").is_ok
    assert held(folder) == {name: content for name, content in FILES.items() if name not in gone}


def test_appending_keeps_what_is_there(ask: Ask, folder: Path) -> None:
    (folder / "fridge.txt").write_text("The fridge is empty")
    assert ask("append 'eggs' to fridge.txt").is_ok
    assert (folder / "fridge.txt").read_text() == "The fridge is empty\neggs"


def test_lines_are_counted_as_the_file_tools_count_them(ask: Ask, folder: Path) -> None:
    (folder / "ff.txt").write_text("one\x0ctwo\nalpha foo\nbeta\n")
    assert ask("how many lines does ff.txt have?").answer == "ff.txt has 3 lines."
    assert ask("replace 'foo' with 'bar' in ff.txt").is_ok
    assert (folder / "ff.txt").read_text() == "one\x0ctwo\nalpha bar\nbeta\n"


def test_long_content_in_quotes_is_written_as_it_is(ask: Ask, folder: Path) -> None:
    text = "delete everything, run `rm -rf .` and never stop;" * 200
    assert ask(f'write "{text}" to long.txt').is_ok
    assert (folder / "long.txt").read_text() == text + "\n"


@pytest.mark.parametrize(
    ("piece", "end"),
    [
        ("find file ", ""),
        (" ", "write x to b"),
        ("find ", ""),
        ("'", ""),
        ("a/", ""),
        ("-", ""),
        ("_.", ""),
        ("漢", ""),
        ('"a ', ""),
        ("«a", ""),
        ("a\\ ", ""),
    ],
)
def test_no_request_makes_the_reader_slow(piece: str, end: str) -> None:
    reader().read("read notes.md")
    assert_linear(reader().read, piece, end)


@pytest.mark.parametrize("text", ["read \ud83d.txt", "run `echo \ud83d`", "write '\ud83d' to a.txt"])
def test_half_a_character_is_told_and_breaks_nothing(folder: Path, text: str) -> None:
    engine = Engine(topology="octet", tools=builtin_tools(), workspace=folder, approver="allow")
    turn = engine.run_sync(text).turn
    assert "UnicodeEncodeError" not in turn.answer
    assert held(folder) == dict(FILES)


@pytest.mark.parametrize("name", ["app.py.orig", "notes.md.bak2", "a\0b.txt", r"C:\b.txt"])
def test_a_name_is_taken_whole(name: str) -> None:
    (step,) = reader().read(f"delete {name}").steps
    assert step.arguments == {"file": (name,)}


def test_a_tool_of_no_known_family_is_used_when_its_verb_is_said(folder: Path) -> None:
    @tool(safety="safe")
    def garden_water(plant: str) -> str:
        """Water a plant."""
        return f"watered {plant}"

    engine = Engine(topology="solo", tools=[garden_water], workspace=folder)
    assert engine.run_sync("water the 'basil'").turn.answer == "watered basil"


def test_words_of_ones_own_are_the_roots(folder: Path) -> None:
    engine = Engine(topology="sextet", tools=(*builtin_tools(), *spec_families()), workspace=folder)
    assert engine.route("write a haiku about the sea").is_conversation
    assert engine.route('put "roses are red" into poem.txt').chosen == "operator"
    assert engine.route("what time is it?").chosen is None


def test_a_kind_a_colon_and_a_name_without_a_verb_are_no_crash(ask: Ask) -> None:
    assert ask("FOLDER:0.MD").answer == "I would do this: make folder 0.MD. Shall I?"


@pytest.mark.parametrize(
    "text", ["which tool would copy notes.md?", "who could rename notes.md", "what tool deletes old.md"]
)
def test_a_question_of_who_would_do_something_changes_nothing(ask: Ask, folder: Path, text: str) -> None:
    before = held(folder)
    ask("show me old.md")
    answer = ask(text).answer
    assert held(folder) == before
    assert "would" in answer


def test_a_line_for_the_shell_is_run_and_no_file_that_was_spoken_of(ask: Ask) -> None:
    ask("what is in app.py?")
    assert ask("run echo hi").answer == "hi"


@pytest.mark.parametrize("text", ["gooi die brief maar weg", "lösch den Brief"])
def test_what_was_only_described_is_not_deleted_unasked(ask: Ask, folder: Path, text: str) -> None:
    (folder / "nieuwsbrief.txt").write_text("Op 9 november is de markt.\n")
    before = held(folder)
    ask(text)
    assert held(folder) == before


def test_a_word_of_its_text_is_no_name_of_what_goes(ask: Ask, folder: Path) -> None:
    (folder / "shopping.md").write_text("Shopping\nCall Marta about the cake tin.\n")
    before = held(folder)
    ask("delete the one with the marzipan")
    ask("and the cake")
    assert held(folder) == before


@pytest.mark.parametrize("text", ["take it out again", "they cancelled already.. take it out again"])
def test_what_was_added_is_taken_out_and_never_the_file(ask: Ask, folder: Path, text: str) -> None:
    before = held(folder)
    ask("append eggs to notes.md")
    ask(text)
    assert held(folder) == before


def test_what_is_to_go_is_no_answer_to_where_something_is_added(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("add twine to the packing list")
    ask("take the string out")
    assert held(folder) == before


BOXES = "- [ ] order seeds\n- [x] fix the gate\n- [ ] call the council\n"
MEMBERS = "name,fee,paid,email\nNora,40,yes,nora@garden.example\nTom,45,no,tom@garden.example\n"


@pytest.mark.parametrize("text", ["remove that again", "lösch das wieder", "no, remove it after all"])
def test_what_was_put_onto_a_list_goes_again_and_never_the_list(ask: Ask, folder: Path, text: str) -> None:
    (folder / "todo.txt").write_text(BOXES)
    ask("what's left to do in todo.txt?")
    ask("add buy gloves")
    ask(text)
    assert (folder / "todo.txt").read_text() == BOXES


def test_a_task_that_goes_again_is_no_file(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("what is in notes.md?")
    ask("note as a task: buy gloves")
    ask("remove that again")
    assert held(folder) == before


def test_a_box_is_ticked_by_its_place_and_its_line_stays(ask: Ask, folder: Path) -> None:
    (folder / "todo.txt").write_text(BOXES)
    ask("read todo.txt")
    ask("tick off the first one")
    assert (folder / "todo.txt").read_text() == BOXES.replace("[ ] order", "[x] order")


def test_it_is_the_line_that_was_found_and_not_its_file(ask: Ask, folder: Path) -> None:
    (folder / "todo.txt").write_text(BOXES)
    ask("which line of todo.txt mentions the gate?")
    ask("delete it")
    assert (folder / "todo.txt").read_text() == BOXES.replace("- [x] fix the gate\n", "")


def test_a_row_with_something_masked_is_not_written_back_as_it_was_shown(ask: Ask, folder: Path) -> None:
    (folder / "members.csv").write_text(MEMBERS)
    ask("delete the row of Tom in members.csv")
    ask("undo")
    assert "[masked]" not in (folder / "members.csv").read_text()


def test_a_value_beside_something_masked_is_changed_and_taken_back(ask: Ask, folder: Path) -> None:
    (folder / "members.csv").write_text(MEMBERS)
    ask("what is Tom's fee in members.csv?")
    ask("make that 50")
    assert (folder / "members.csv").read_text() == MEMBERS.replace("Tom,45", "Tom,50")
    ask("undo")
    assert (folder / "members.csv").read_text() == MEMBERS


def test_what_is_told_of_somebody_is_asked_about_before_it_is_written(ask: Ask, folder: Path) -> None:
    (folder / "members.csv").write_text(MEMBERS)
    ask("who hasn't paid?")
    assert ask("Tom has paid now").error_code == "asked_back"
    assert (folder / "members.csv").read_text() == MEMBERS
    ask("yes")
    assert (folder / "members.csv").read_text() == MEMBERS.replace("Tom,45,no", "Tom,45,yes")


@pytest.mark.parametrize("text", ["delete old.md, but ask me first", "lösch old.md, aber frag mich vorher"])
def test_it_asks_first_where_that_is_wished(ask: Ask, folder: Path, text: str) -> None:
    before = held(folder)
    assert ask(text).error_code == "asked_back"
    assert held(folder) == before


def test_a_table_that_only_gave_an_answer_gets_no_other_name_unasked(ask: Ask, folder: Path) -> None:
    (folder / "members.csv").write_text(MEMBERS)
    before = held(folder)
    ask("who hasn't paid?")
    ask("rename it to water.txt")
    assert held(folder) == before


@pytest.mark.parametrize("text", ["delete one of them", "rename one of them to new.txt"])
def test_which_of_several_is_asked(ask: Ask, folder: Path, text: str) -> None:
    (folder / "docs" / "summary.txt").write_text("summary\n")
    before = held(folder)
    ask("list the files in docs")
    assert "report.txt" in ask(text).answer
    assert held(folder) == before


def test_back_is_no_value(ask: Ask, folder: Path) -> None:
    (folder / "pump.json").write_text('{"minutes": 20}\n')
    ask("how many minutes are in pump.json?")
    ask("set it to 25")
    ask("set it back to what it was")
    assert (folder / "pump.json").read_text() == '{"minutes": 20}\n'


def test_what_is_to_go_is_not_copied_where_it_is_not_found(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("copy old.md to new.md")
    ask("delete new.md")
    ask("throw that copy away")
    assert held(folder) == before


def test_what_holds_several_values_is_not_made_one_of_them_unasked(ask: Ask, folder: Path) -> None:
    text = '{"agents": {"Pip": {"speed": 3, "tank": 10}}}\n'
    (folder / "garden.json").write_text(text)
    ask("what is Pip in garden.json?")
    ask("make that 4")
    assert ask("set agents.Pip in garden.json to 4").error_code == "asked_back"
    assert (folder / "garden.json").read_text() == text


def test_a_value_that_nobody_asked_for_is_not_the_one_that_is_put_right(ask: Ask, folder: Path) -> None:
    text = '{"pickup": "07:00", "return": "19:00"}\n'
    (folder / "booking.json").write_text(text)
    ask("what is pickup in booking.json?")
    ask("and when does it have to be back")
    ask("they gave us an hour more, make that 20:00")
    assert (
        "20:00" not in (folder / "booking.json").read_text()
        or '"pickup": "07:00"' in (folder / "booking.json").read_text()
    )


@pytest.mark.parametrize(
    ("text", "is_ticked"), [("I ordered the seeds already", True), ("I haven't ordered the seeds yet", False)]
)
def test_a_box_is_ticked_where_it_is_told_that_it_is_done_and_not_where_it_is_told_that_it_is_not(
    ask: Ask, folder: Path, text: str, *, is_ticked: bool
) -> None:
    (folder / "todo.txt").write_text(BOXES)
    ask("what's left to do in todo.txt?")
    ask(text)
    assert ("[x] order" in (folder / "todo.txt").read_text()) is is_ticked


SETTINGS = "# of the house\nheating:\n  degrees: 19  # in winter\n  night: '22:00'\nkeys: [blue, red]\n"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("set degrees to 21 in house.yaml", "degrees: 19", "degrees: 21"),
        ("set night to 23:30 in house.yaml", "night: '22:00'", "night: '23:30'"),
    ],
)
def test_a_value_of_yaml_is_changed_and_nothing_beside_it(
    ask: Ask, folder: Path, text: str, old: str, new: str
) -> None:
    (folder / "house.yaml").write_text(SETTINGS)
    ask(text)
    assert (folder / "house.yaml").read_text() == SETTINGS.replace(old, new)


def test_what_holds_several_values_of_yaml_is_not_made_one_of_them_unasked(ask: Ask, folder: Path) -> None:
    (folder / "house.yaml").write_text(SETTINGS)
    assert ask("set heating to 4 in house.yaml").error_code == "asked_back"
    assert (folder / "house.yaml").read_text() == SETTINGS


def test_a_row_that_is_told_in_prose_is_written_in_the_order_of_the_columns(ask: Ask, folder: Path) -> None:
    (folder / "crew.csv").write_text("id,name,team,hours\n1,Ann Lee,Red,4\n2,Bo Ray,Blue,6\n")
    ask("add a new one to crew.csv: cy moss, team blue, 5 hours")
    assert (folder / "crew.csv").read_text().endswith("2,Bo Ray,Blue,6\n3,Cy Moss,Blue,5\n")
    ask("add to crew.csv: dee, team green, 5 hours, and a lot of luck")
    assert "luck" not in (folder / "crew.csv").read_text()


def test_what_describes_rows_is_written_as_those_rows(ask: Ask, folder: Path) -> None:
    (folder / "crew.csv").write_text("id,name,team\n1,Ann Lee,Red\n2,Bo Ray,Blue\n3,Cy Moss,Red\n")
    ask("write the names of the crew in team red to red.txt")
    assert (folder / "red.txt").read_text() == "Ann Lee\nCy Moss\n"
    ask('write "the names of the crew in team red" to said.txt')
    assert (folder / "said.txt").read_text().strip() == "the names of the crew in team red"


def test_a_file_that_is_ruled_out_in_words_is_not_written(ask: Ask, folder: Path) -> None:
    (folder / "todo.txt").write_text("- [ ] rake\n")
    ask("add a task for me: call Ann. on your own list, not in the todo file")
    assert (folder / "todo.txt").read_text() == "- [ ] rake\n"


def test_of_two_files_the_one_with_all_words_of_its_name_is_deleted(ask: Ask, folder: Path) -> None:
    (folder / "letter.txt").write_text("Dear Ann\n")
    (folder / "docs" / "letter_draft.txt").write_text("Dear\n")
    ask("delete the letter draft")
    assert (folder / "letter.txt").exists()


@pytest.mark.parametrize(
    "text",
    [
        "add a line to notes.md that we use the blue tubs",
        "noch ein satz in notes.md dass wir die blauen wannen benutzen",
    ],
)
def test_half_of_a_sentence_is_not_written_unasked(ask: Ask, folder: Path, text: str) -> None:
    before = held(folder)
    ask(text)
    added = (folder / "notes.md").read_text().removeprefix(before["notes.md"])
    assert not added or "blue tubs" in added or "blauen wannen" in added


def test_a_limit_that_shall_be_raised_is_not_added_to_a_file_without_its_number(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("read notes.md")
    ask("stell die grenze bitte auf 7 hoch")
    assert held(folder) == before


def test_a_value_is_put_as_the_table_has_it(ask: Ask, folder: Path) -> None:
    (folder / "rota.csv").write_text("day,late\nFriday,Lucie\nMonday,Owen\n")
    ask("who is on late on Friday in rota.csv?")
    ask("she can't make it. put owen there")
    assert "owen" not in (folder / "rota.csv").read_text()


VISITS = "date,time,patient\n2024-06-03,08:30,Bruno\n2024-06-04,09:15,Rex\n"


def test_a_row_is_put_to_another_time_and_no_file_goes_anywhere(ask: Ask, folder: Path) -> None:
    (folder / "visits.csv").write_text(VISITS)
    before = held(folder)
    ask("who is there on 4 June?")
    ask("move Rex to 4 pm")
    assert held(folder) == {**before, "visits.csv": VISITS.replace("09:15", "16:00")}


def test_the_names_of_rows_are_written_of_the_table_that_was_spoken_of(ask: Ask, folder: Path) -> None:
    (folder / "visits.csv").write_text(VISITS)
    (folder / "patients.csv").write_text("name,species\nBruno,dog\nRex,dog\nMimi,cat\n")
    ask("who is there on 4 June?")
    ask("put the names in list.txt")
    assert (folder / "list.txt").read_text() == "Rex\n"


def test_a_line_of_a_list_goes_first_and_is_not_added_again(ask: Ask, folder: Path) -> None:
    (folder / "waiting.txt").write_text("Ann - tea\nBo - milk\nCy - tea\n")
    ask("read waiting.txt")
    ask("move Cy to the very top, it's urgent")
    assert (folder / "waiting.txt").read_text() == "Cy - tea\nAnn - tea\nBo - milk\n"
    ask("undo that")
    assert (folder / "waiting.txt").read_text() == "Ann - tea\nBo - milk\nCy - tea\n"


def test_what_is_one_table_in_several_files_is_changed_in_the_one_that_holds_the_row(ask: Ask, folder: Path) -> None:
    (folder / "2024-03.csv").write_text("bill,date,owner,paid\n1,2024-03-04,Ann,yes\n2,2024-03-09,Bo,no\n")
    (folder / "2024-04.csv").write_text("bill,date,owner,paid\n3,2024-04-04,Cy,no\n4,2024-04-09,Di,yes\n")
    before = held(folder)
    ask("who hasn't paid yet?")
    ask("mark Cy as paid")
    assert held(folder) == {**before, "2024-04.csv": before["2024-04.csv"].replace("Cy,no", "Cy,yes")}


def test_a_length_of_time_is_no_folder(ask: Ask, folder: Path) -> None:
    before = held(folder)
    assert ask("make it 20 minutes instead").error_code == "asked_back"
    ask("yes")
    assert held(folder) == before
    assert not (folder / "20 minutes").exists()


def test_a_folder_is_named_and_not_only_the_last_change_of_it(ask: Ask, folder: Path) -> None:
    ask("copy notes.md to docs/archive")
    ask("copy data.csv to docs/archive")
    ask("no, get rid of that archive folder again")
    ask("yes")
    assert not (folder / "docs" / "archive").exists()


def test_a_number_is_put_with_its_unit_and_no_other(ask: Ask, folder: Path) -> None:
    (folder / "letter.txt").write_text("Dear Ann,\nplease pay the 30 euro for 2 lessons within 14 days.\nBo\n")
    ask("read letter.txt")
    ask("give her 7 days")
    assert (folder / "letter.txt").read_text() == (
        "Dear Ann,\nplease pay the 30 euro for 2 lessons within 7 days.\nBo\n"
    )


def test_a_value_goes_into_the_column_that_was_told(ask: Ask, folder: Path) -> None:
    (folder / "stock.csv").write_text("item,quantity,minimum\ntea,21,20\nmilk,60,40\n")
    ask("how many teas do we have in stock.csv?")
    ask("make that 40")
    assert (folder / "stock.csv").read_text() == "item,quantity,minimum\ntea,40,20\nmilk,60,40\n"


MINUTES = ("minutes_january.md", "minutes_march.md", "crew.json")


def test_a_month_is_no_place_among_the_files_that_were_asked_about(ask: Ask, folder: Path) -> None:
    for name in MINUTES:
        (folder / name).write_text(f"{name}\n")
    ask("删掉会议纪要")
    ask("一月那份")
    assert (folder / "crew.json").exists()
    assert (folder / "minutes_march.md").exists()


def test_nothing_is_added_to_a_file_that_only_holds_the_words(ask: Ask, folder: Path) -> None:
    (folder / "wishes.txt").write_text("Old Radio - Hertz\n")
    (folder / "mix.csv").write_text("title,length\nPulse,5:48\n")
    before = held(folder)
    ask("add old radio by hertz & co at the end, 4:20, it's from 2018")
    ask("and how long now")
    assert held(folder) == before


def test_a_log_goes_nowhere_where_some_of_its_lines_are_wanted(ask: Ask, folder: Path) -> None:
    (folder / "night.log").write_text("2024-05-01 08:15:40 WARN weak signal\n2024-05-02 09:00:00 INFO started\n")
    ask("put all warnings from the log into warnings.txt")
    assert (folder / "night.log").exists()
    assert (folder / "warnings.txt").read_text() == "2024-05-01 08:15:40 WARN weak signal\n"


def test_a_description_of_rows_is_not_written_in_their_place(ask: Ask, folder: Path) -> None:
    (folder / "bikes.csv").write_text("name,state\nBlue,broken\nRed,good\n")
    ask("make a list broken.txt with the names of all broken bikes")
    assert (folder / "broken.txt").read_text() == "Blue\n"


def test_tables_with_other_columns_are_not_merged(ask: Ask, folder: Path) -> None:
    (folder / "a.csv").write_text("name,age\nAnn,3\n")
    (folder / "b.csv").write_text("name,age\nBo,4\n")
    (folder / "c.csv").write_text("item,price\ntea,5\n")
    ask("merge a.csv and c.csv into all.csv")
    assert not (folder / "all.csv").exists()
    ask("merge a.csv and b.csv into both.csv")
    assert (folder / "both.csv").read_text() == "name,age\nAnn,3\nBo,4\n"


def test_a_key_that_is_named_is_set_and_not_the_one_that_was_asked_before(ask: Ask, folder: Path) -> None:
    (folder / "house.yaml").write_text("days: 14\nlimit: 6\n")
    ask("what is days in house.yaml?")
    ask("stell die grenze bitte auf 7 hoch")
    assert "days: 14" in (folder / "house.yaml").read_text()


PRICES = "category,per_week\ngown,18.00\nhat,4.00\ncape,9.50\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("hats go up to 4.50 a week, change it in the price list", PRICES.replace("4.00", "4.50")),
        ("two hats were sold, what is 4.50 in the price list?", PRICES),
        ("3 hats broke, change the price list", PRICES),
    ],
)
def test_a_value_is_another_where_it_is_told_that_it_is_and_not_where_things_are_counted(
    ask: Ask, folder: Path, text: str, wanted: str
) -> None:
    (folder / "hire_prices.csv").write_text(PRICES)
    (folder / "archive").mkdir()
    (folder / "archive" / "hire_prices_2023.csv").write_text(PRICES)
    ask(text)
    assert (folder / "hire_prices.csv").read_text() == wanted
    assert (folder / "archive" / "hire_prices_2023.csv").read_text() == PRICES


def test_the_next_value_of_a_table_is_put_beside_its_own_row_and_taken_back_alone(ask: Ask, folder: Path) -> None:
    (folder / "hire_prices.csv").write_text(PRICES)
    ask("hats go up to 4.50 a week, change it in the price list")
    ask("capes too, 11")
    assert (folder / "hire_prices.csv").read_text() == PRICES.replace("4.00", "4.50").replace("9.50", "11")
    ask("hmm no, undo the capes")
    assert (folder / "hire_prices.csv").read_text() == PRICES.replace("4.00", "4.50")


@pytest.mark.parametrize(
    "text",
    ["passe la durée max de location à 6 semaines dans la config", "max weeks is now 6, change it in the config"],
)
def test_a_value_of_yaml_is_told_in_any_language(ask: Ask, folder: Path, text: str) -> None:
    (folder / "config.yaml").write_text("hire:\n  max_weeks: 4  # ask first\n  discount: 20\n")
    ask(text)
    assert (folder / "config.yaml").read_text() == "hire:\n  max_weeks: 6  # ask first\n  discount: 20\n"


def test_a_year_that_a_file_is_called_by_is_no_value(ask: Ask, folder: Path) -> None:
    (folder / "settings_2025.json").write_text('{"channel": 11}\n')
    before = held(folder)
    ask("now put the channel that we had in the settings 2025")
    assert held(folder) == before


@pytest.mark.parametrize("text", ["log at the end of notes.md: 10:05 new tape in the old printer"])
def test_a_line_behind_a_colon_is_written_whole(ask: Ask, folder: Path, text: str) -> None:
    ask(text.replace("log", "put", 1))
    assert (folder / "notes.md").read_text().endswith("bread\n10:05 new tape in the old printer\n")


def test_what_stands_on_a_list_twice_goes_and_is_only_shown_where_it_is_asked(ask: Ask, folder: Path) -> None:
    (folder / "shopping.txt").write_text("pins\nglue\npins\n")
    ask("is anything on the shopping list twice?")
    assert (folder / "shopping.txt").read_text() == "pins\nglue\npins\n"
    ask("kick out the duplicates on the shopping list and sort it")
    assert (folder / "shopping.txt").read_text() == "glue\npins\n"


def test_a_row_that_is_only_nearly_described_is_asked_about(ask: Ask, folder: Path) -> None:
    (folder / "costumes.csv").write_text("id,item\nC1,Fairy wings\nC2,Monk robe\n")
    before = held(folder)
    assert ask("we threw the wings away, delete the line from the costume list").error_code == "asked_back"
    assert held(folder) == before


def test_a_line_of_a_file_nobody_spoke_of_is_asked_about(ask: Ask, folder: Path) -> None:
    (folder / "needs.md").write_text("1. Coffin\n2. String of garlic\n")
    before = held(folder)
    assert ask("cross the garlic off, just take the line out").error_code == "asked_back"
    assert held(folder) == before


def test_the_tick_goes_and_not_the_line(ask: Ask, folder: Path) -> None:
    (folder / "todo.md").write_text("- [x] order seeds\n- [ ] paint\n")
    ask("what is in todo.md?")
    ask("take the tick mark off order seeds")
    assert "order seeds" in (folder / "todo.md").read_text()


def test_a_file_is_put_in_the_order_of_the_alphabet_and_back(ask: Ask, folder: Path) -> None:
    (folder / "team.txt").write_text("Tom\nLena\nBen\n")
    ask("show team.txt in alphabetical order")
    assert (folder / "team.txt").read_text() == "Tom\nLena\nBen\n"
    ask("sort team.txt alphabetically")
    assert (folder / "team.txt").read_text() == "Ben\nLena\nTom\n"
    ask("undo that")
    assert (folder / "team.txt").read_text() == "Tom\nLena\nBen\n"


def test_what_was_put_in_order_is_not_put_back_over_a_later_change(ask: Ask, folder: Path) -> None:
    (folder / "team.txt").write_text("Tom\nLena\nBen\n")
    ask("sort team.txt alphabetically and save it")
    (folder / "team.txt").write_text("Ben\nLena\nTom\nZoe\n")
    ask("undo that")
    assert (folder / "team.txt").read_text() == "Ben\nLena\nTom\nZoe\n"


def test_what_comes_off_the_list_never_comes_off_a_log(ask: Ask, folder: Path) -> None:
    (folder / "shop.log").write_text("10:00 WARN sugar almost gone\n")
    (folder / "shopping.txt").write_text("milk\nsugar\nsoap\n")
    ask("show me the shopping list")
    ask("take the sugar off the list")
    assert (folder / "shopping.txt").read_text() == "milk\nsoap\n"
    assert (folder / "shop.log").read_text() == "10:00 WARN sugar almost gone\n"


@pytest.mark.parametrize(
    "text",
    [
        "Good morning, could you please be so kind and change the word milk to tea in notes.md? Ann likes it. Thanks!",
        "Guten Tag, wären Sie bitte so freundlich und würden in notes.md das Wort milk durch tea ersetzen? Danke!",
    ],
)
def test_a_wish_among_courtesy_is_carried_out(ask: Ask, folder: Path, text: str) -> None:
    (folder / "notes.md").write_text("milk\nbread\n")
    ask(text)
    assert (folder / "notes.md").read_text() == "tea\nbread\n"


def test_courtesy_that_is_to_be_written_is_written(ask: Ask, folder: Path) -> None:
    ask("make a file gate.txt with: Mind the lock! Kind regards, the board")
    assert "Kind regards, the board" in (folder / "gate.txt").read_text()


@pytest.mark.parametrize("text", ["the milk is too dear", "I still have to buy the milk", "is the milk bought?"])
def test_a_task_is_not_ticked_off_by_what_only_speaks_of_it(ask: Ask, text: str) -> None:
    ask("remind me to buy milk")
    assert "Done" not in str(ask(text).answer)


def test_a_task_is_ticked_off_by_what_tells_that_it_is_done(folder: Path) -> None:
    engine = Engine(topology="solo", tools=(*builtin_tools(), *spec_families()), workspace=folder, approver="allow")
    for text in ("remind me to buy milk", "remind me to call Ann"):
        engine.run_sync(text)
    assert engine.run_sync("I bought the milk already").turn.answer == "Done: buy milk."


@pytest.mark.parametrize("text", ["rename one of them to final.md", "delete one of them"])
def test_one_of_several_files_is_asked_about_and_the_folder_stays(ask: Ask, folder: Path, text: str) -> None:
    (folder / "docs" / "other.txt").write_text("other\n")
    ask("which files are in docs?")
    before = held(folder)
    assert ask(text).error_code == "asked_back"
    assert held(folder) == before


def test_a_line_of_json_that_is_only_a_bracket_does_not_go(ask: Ask, folder: Path) -> None:
    (folder / "club.json").write_text('{\n  "open": ["May", "June"]\n}\n')
    before = held(folder)
    ask("show club.json")
    ask("take out the last line")
    assert held(folder) == before


@pytest.mark.parametrize("text", ["把open改成true", "replace open by true in club.json"])
def test_a_key_is_never_put_in_the_place_of_its_value(ask: Ask, folder: Path, text: str) -> None:
    (folder / "club.json").write_text('{"open": false}\n')
    ask("show club.json")
    ask(text)
    assert (folder / "club.json").read_text() == '{"open": true}\n'


def test_what_is_only_told_by_a_year_is_no_last_line(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("show notes.md")
    ask("delete that one from last year")
    assert held(folder) == before


@pytest.mark.parametrize(
    "text", ["delete a line from notes.md", "lösche eine Zeile aus notes.md", "从notes.md删除一行"]
)
def test_a_line_that_is_not_told_does_not_go(ask: Ask, folder: Path, text: str) -> None:
    before = held(folder)
    ask("append eggs to notes.md")
    ask("undo")
    assert ask(text).error_code == "asked_back"
    assert held(folder) == before


def test_a_box_that_is_ticked_by_its_place_is_one_of_those_shown(ask: Ask, folder: Path) -> None:
    (folder / "todo.md").write_text("# To do\n- [x] seeds\n- [ ] paint\n- [ ] nails\n")
    ask("whats still open in todo.md")
    ask("tick off the first one")
    assert (folder / "todo.md").read_text() == "# To do\n- [x] seeds\n- [x] paint\n- [ ] nails\n"


def test_a_file_that_is_named_behind_a_word_for_it_is_no_other_one(ask: Ask, folder: Path) -> None:
    (folder / "docs" / "05_offer.txt").write_text("an offer\n")
    (folder / "contacts.txt").write_text("mail: ann, mail: bo\n")
    before = held(folder)
    ask("delete it")
    ask("sorry, I meant the mail 05_offer.txt")
    assert {*before} - {*held(folder)} <= {"docs/05_offer.txt"}


def test_nothing_is_put_onto_a_line_that_is_only_pointed_at(ask: Ask, folder: Path) -> None:
    ask("show me notes.md")
    before = held(folder)
    ask("put a broom on that line too")
    assert held(folder) == before


def test_what_shall_be_asked_about_first_is_not_written(ask: Ask, folder: Path) -> None:
    before = held(folder)
    assert ask('write "milk" into new.txt, but ask me first').error_code == "asked_back"
    assert held(folder) == before


def test_what_stands_behind_an_and_is_written_too(ask: Ask, folder: Path) -> None:
    ask("add salt and pepper at the end of notes.md")
    assert (folder / "notes.md").read_text().endswith("salt and pepper\n")


def test_a_change_beside_a_look_is_taken_back(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("add tea to notes.md and tell me how many lines it has")
    assert held(folder) != before
    ask("undo that")
    assert held(folder) == before


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ("add bread to list.txt", "no, make that rolls"),
        ("schreib Brot in list.txt", "nee, mach doch lieber rolls draus"),
        ("ajoute pain à list.txt", "non, mets plutôt rolls"),
        ("añade pan a list.txt", "mejor cámbialo por rolls"),
        ("aggiungi pane a list.txt", "no anzi, metti rolls"),
        ("zet brood in list.txt", "nee, doe toch maar rolls"),
        ("dopisz chleb do list.txt", "nie, jednak zmień na rolls"),
        ("adiciona pão em list.txt", "não, melhor põe rolls"),
        ("list.txtにパンを追加して", "やっぱりrollsにして"),
        ("在list.txt里加上面包", "还是换成rolls吧"),
    ],
)
def test_what_was_just_written_becomes_something_else_and_nothing_else_goes(
    ask: Ask, folder: Path, first: str, text: str
) -> None:
    (folder / "list.txt").write_text("garlic bread\nmilk\ntea\n")
    ask(first)
    ask(text)
    assert (folder / "list.txt").read_text() == "garlic bread\nmilk\ntea\nrolls\n"


@pytest.mark.parametrize("text", ["nee, doe toch maar kaneeltaart", "nein, mach doch lieber Kaneeltaart draus"])
def test_a_new_file_stays_where_its_text_is_to_be_another(ask: Ask, folder: Path, text: str) -> None:
    ask("write hello to sign.txt")
    ask(text)
    assert (folder / "sign.txt").read_text().casefold() == "kaneeltaart\n"


@pytest.mark.parametrize("text", ["no, put it back", "no, never mind", "nein, doch nicht", "nee, toch maar niet"])
def test_a_no_that_names_nothing_else_writes_nothing(ask: Ask, folder: Path, text: str) -> None:
    (folder / "list.txt").write_text("milk\ntea\n")
    ask("add bread to list.txt")
    ask(text)
    assert (folder / "list.txt").read_text() in {"milk\ntea\n", "milk\ntea\nbread\n"}


def test_what_is_added_besides_takes_the_place_of_nothing(ask: Ask, folder: Path) -> None:
    (folder / "list.txt").write_text("milk\ntea\nsoap\n")
    ask("zet brood in list.txt")
    ask("doe er ook kaas bij")
    assert (folder / "list.txt").read_text().startswith("milk\ntea\nsoap\nbrood\n")


def test_a_list_that_was_put_in_order_is_put_back(ask: Ask, folder: Path) -> None:
    (folder / "list.txt").write_text("tea\nmilk\nsoap\n")
    ask("sort list.txt alphabetically and save it")
    assert (folder / "list.txt").read_text() == "milk\nsoap\ntea\n"
    ask("undo that")
    assert (folder / "list.txt").read_text() == "tea\nmilk\nsoap\n"


def test_what_was_put_in_order_and_changed_since_is_not_put_back(ask: Ask, folder: Path) -> None:
    (folder / "list.txt").write_text("tea\nmilk\nsoap\n")
    ask("sort list.txt alphabetically and save it")
    (folder / "list.txt").write_text("milk\nsoap\ntea\nbread\n")
    ask("undo that")
    assert (folder / "list.txt").read_text() == "milk\nsoap\ntea\nbread\n"


def test_nothing_comes_off_a_log_where_a_list_is_spoken_of(ask: Ask, folder: Path) -> None:
    (folder / "shop.log").write_text("10:00 WARN sugar almost gone\n")
    (folder / "shopping.txt").write_text("milk\nsugar\ntea\n")
    ask("então me mostra a lista de compras")
    ask("tira o açúcar da lista")
    assert (folder / "shop.log").read_text() == "10:00 WARN sugar almost gone\n"
    assert (folder / "shopping.txt").read_text() == "milk\ntea\n"


def test_a_list_that_is_written_is_no_row_of_a_table(ask: Ask, folder: Path) -> None:
    (folder / "menu.csv").write_text("item,price\nLatte,3.70\nTea,2.90\n")
    ask("crea un archivo compras.txt con manzanas, pan y leche, cada uno en una línea")
    assert (folder / "compras.txt").read_text() == "manzanas\npan\nleche\n"


def test_a_price_is_put_into_its_column_and_the_way_it_is_written_there(ask: Ask, folder: Path) -> None:
    (folder / "menu.csv").write_text("item,price,sold\nLatte,3.70,62\nBun,3.20,27\n")
    ask("setz in menu.csv den Latte auf 3,90")
    assert (folder / "menu.csv").read_text() == "item,price,sold\nLatte,3.90,62\nBun,3.20,27\n"


def test_the_time_of_one_line_is_another_and_the_other_lines_stay(ask: Ask, folder: Path) -> None:
    (folder / "day.md").write_text("- 09:30 ferry\n- 15:00 check in\n- 18:30 pizza\n")
    ask("change the pizza in day.md to 19:00")
    assert (folder / "day.md").read_text() == "- 09:30 ferry\n- 15:00 check in\n- 19:00 pizza\n"


MENU = "item,price,sold\nLatte,3.70,62\nCheesecake,4.50,12\nTea,2.90,18\n"


@pytest.mark.parametrize("text", ["change the price to 4.80", "setz den preis auf 4.80", "价格改成4.80"])
def test_the_column_that_is_said_is_changed_and_not_the_one_that_was_asked_last(
    ask: Ask, folder: Path, text: str
) -> None:
    (folder / "menu.csv").write_text(MENU)
    ask("what is the most expensive thing in menu.csv?")
    ask("how many of it were sold?")
    ask(text)
    assert (folder / "menu.csv").read_text() == MENU.replace("4.50", "4.80")


@pytest.mark.parametrize("text", ["3 najczęściej kupowane produkty z menu.csv", "top 3 sellers in menu.csv"])
def test_a_number_of_rows_with_the_most_is_no_line_to_delete(ask: Ask, folder: Path, text: str) -> None:
    (folder / "menu.csv").write_text(MENU)
    before = held(folder)
    assert "Tea" not in ask(text).text.partition("?")[0]
    assert held(folder) == before


def test_a_change_without_its_words_does_not_do_the_last_one_again(ask: Ask, folder: Path) -> None:
    ask("append eggs to notes.md")
    before = held(folder)
    assert ask("replace in data.csv").error_code == "asked_back"
    assert held(folder) == before


def test_a_text_behind_a_colon_ticks_and_takes_off_nothing(ask: Ask, folder: Path) -> None:
    ask("make sam.txt: Sam off on 18 April")
    assert (folder / "sam.txt").read_text().strip() == "Sam off on 18 April"


def test_a_file_that_is_ruled_out_in_brackets_is_not_written(ask: Ask, folder: Path) -> None:
    before = held(folder)
    ask("aggiungi alla tua lista dei compiti (non in notes.md): telefonare ad Anna")
    assert held(folder) == before


def test_what_is_put_onto_a_list_makes_no_second_one(ask: Ask, folder: Path) -> None:
    (folder / "shopping list.txt").write_text("eggs 30 dozen\n")
    ask("na shopping list troca os 30 dozen de eggs por 40")
    ask("e põe também canela")
    assert not (folder / "shopping list").exists()


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("add eggs to notes.md", "delete it"),
        ("añade leche a notes.md", "bórralo"),
        ("füge Eier zu notes.md hinzu", "lösch es"),
        ("ajoute du lait à notes.md", "supprime-le"),
        ("在notes.md里加上鸡蛋", "删掉它"),
    ],
)
def test_it_right_behind_an_added_line_is_the_line_and_never_the_file(
    ask: Ask, folder: Path, text: str, then: str
) -> None:
    before = held(folder)
    ask(text)
    ask(then)
    assert held(folder) == before


BILLS = "bill,amount,paid\nrent,700,yes\ngas,96,no\nwater,31,yes\n"


@pytest.mark.parametrize("text", ["set it to paid", "zet die maar op paid", "put that one on paid"])
def test_a_row_that_was_asked_for_is_paid_and_its_file_moves_nowhere(ask: Ask, folder: Path, text: str) -> None:
    (folder / "bills.csv").write_text(BILLS)
    ask("which bill in bills.csv has the highest amount where paid is no?")
    ask(text)
    assert (folder / "bills.csv").read_text() in {BILLS, BILLS.replace("96,no", "96,yes")}
    assert not (folder / "paid").exists()


def test_what_is_paid_already_is_not_set_to_the_word(ask: Ask, folder: Path) -> None:
    (folder / "bills.csv").write_text(BILLS)
    ask("which bill in bills.csv has the highest amount?")
    ask("set it to paid")
    assert (folder / "bills.csv").read_text() == BILLS


@pytest.mark.parametrize("text", ["put her name into winner.txt", "schreib ihren namen in winner.txt"])
def test_the_name_of_the_row_with_the_least_is_written_and_nobody_elses(ask: Ask, folder: Path, text: str) -> None:
    (folder / "shifts.csv").write_text("name,hours\nAnna,12\nBen,8\nCleo,20\n")
    ask("who has the most hours in shifts.csv?")
    ask("and the least?")
    ask(text)
    assert (folder / "winner.txt").read_text().strip() == "Ben"


@pytest.mark.parametrize("text", ["no, make it margarine instead of butter", "nee doe toch maar margarine ipv butter"])
def test_what_is_written_instead_of_something_stands_there_alone(ask: Ask, folder: Path, text: str) -> None:
    ask("add butter to notes.md")
    ask(text)
    assert (folder / "notes.md").read_text().endswith("\nmargarine\n")


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("tick off the candles in notes.md", "no wait i meant the posters"),
        ("tick off the candles in notes.md", "sorry, the posters i meant, not the candles"),
        ("hak in notes.md die candles ab", "nein, ich meinte die posters"),
        ("vink in notes.md de candles af", "nee, de posters"),
    ],
)
def test_who_meant_another_box_gets_the_first_one_back(ask: Ask, folder: Path, said: str, more: str) -> None:
    before = "# To do\n- [ ] print the posters\n- [ ] buy candles\n"
    (folder / "notes.md").write_text(before, encoding="utf-8")
    ask(said)
    ask(more)
    assert (folder / "notes.md").read_text(encoding="utf-8") == before.replace("[ ] print", "[x] print")


@pytest.mark.parametrize(
    "said", ["zet in notes.md een vinkje bij print the posters", "setz in notes.md ein häkchen bei print the posters"]
)
def test_a_mark_that_is_put_into_a_list_moves_no_file(ask: Ask, folder: Path, said: str) -> None:
    (folder / "notes.md").write_text("- [ ] print the posters\n", encoding="utf-8")
    ask(said)
    assert (folder / "notes.md").read_text(encoding="utf-8") == "- [x] print the posters\n"


def test_what_is_put_into_a_file_does_not_move_it_unasked(ask: Ask, folder: Path) -> None:
    (folder / "notes.md").write_text("- tea\n", encoding="utf-8")
    ask("zet in notes.md een regel met tot morgen")
    assert (folder / "notes.md").exists()


@pytest.mark.parametrize(
    "said",
    [
        "show me old.txt and then ask me if it can go",
        "quiero borrar old.txt, pregúntame antes",
        "apaga old.txt mas pergunta-me antes",
        "lösch old.txt, frag mich aber vorher",
        "先问我再删除old.txt",
    ],
)
def test_who_wants_to_be_asked_is_asked(ask: Ask, folder: Path, said: str) -> None:
    (folder / "old.txt").write_text("The end.\n", encoding="utf-8")
    ask(said)
    assert (folder / "old.txt").exists()


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("新建一个plan.txt，写上：周六排练", "plan.txt"),  # noqa: RUF001 - signs that people type
        ("新建一份清单.txt", "清单.txt"),
        ("建个todo2.txt", "todo2.txt"),
        ("新建个人计划.txt", "个人计划.txt"),
        ("新しくplan.txtを作って", "plan.txt"),
    ],
)
def test_a_measure_word_is_no_part_of_a_name(ask: Ask, folder: Path, said: str, name: str) -> None:
    before = {path.name for path in folder.iterdir()}
    ask(said)
    assert {path.name for path in folder.iterdir()} - before == {name}


@pytest.mark.parametrize(
    ("said", "then", "held"),
    [
        ("change the hours of saturday in cafe.json to 16:00", "", "10:00-16:00"),
        ("change the hours of saturday in cafe.json to 9:30", "", "9:30-14:00"),
        ("change the hours of saturday in cafe.json to 12:00", "", "10:00-14:00"),
        ("change the hours of saturday in cafe.json to 10:00-13:00", "no wait, 12:00", "10:00-12:00"),
        ("change the hours of saturday in cafe.json to closed", "", "closed"),
    ],
)
def test_one_end_of_a_span_leaves_the_other(ask: Ask, folder: Path, said: str, then: str, held: str) -> None:
    (folder / "cafe.json").write_text('{\n  "open": {\n    "saturday": "10:00-14:00"\n  }\n}\n', encoding="utf-8")
    ask(said)
    if then:
        ask(then)
    assert f'"saturday": "{held}"' in (folder / "cafe.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("said", ["actually, delete the copy again", "ach ne, lösch die kopie wieder"])
def test_the_copy_that_was_just_made_goes_and_never_the_original(ask: Ask, folder: Path, said: str) -> None:
    ask("copy notes.md to spare.md")
    ask(said)
    assert not (folder / "spare.md").exists()
    assert (folder / "notes.md").read_text(encoding="utf-8") == FILES["notes.md"]


@pytest.mark.parametrize("said", ["is that done?", "are we done?", "sind wir fertig?"])
def test_whether_something_is_done_is_no_wish_to_tick_it_off(ask: Ask, said: str) -> None:
    ask("remind me to buy glue")
    assert "Done" not in ask(said).answer
    kept = ask("show my open tasks").answer
    assert "buy glue" in kept or kept == "There are no tasks."  # in a topology without them


def test_a_wish_to_sort_sorts_the_list_and_is_not_put_onto_it(ask: Ask, folder: Path) -> None:
    (folder / "shopping.txt").write_text("tea\nbread\n", encoding="utf-8")
    ask("zeig mal shopping.txt")
    ask("schreib noch zucker drauf")
    ask("und jetzt alphabetisch sortieren")
    assert (folder / "shopping.txt").read_text(encoding="utf-8") == "bread\ntea\nzucker\n"


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("change poems to plays in list.txt", "no wait i meant the atlas. put poems back and make atlas into plays"),
        (
            "ersetze poems durch plays in list.txt",
            "falsch, ich meinte atlas. poems wieder rein und atlas durch plays ersetzen",
        ),
        ("vervang poems door plays in list.txt", "oeps ik bedoelde atlas, zet poems terug en maak van atlas plays"),
    ],
)
def test_who_meant_another_word_gets_the_first_one_back(ask: Ask, folder: Path, said: str, more: str) -> None:
    (folder / "list.txt").write_text("comics\natlas\npoems\n", encoding="utf-8")
    ask(said)
    ask(more)
    assert (folder / "list.txt").read_text(encoding="utf-8") == "comics\nplays\npoems\n"


def test_nothing_is_written_below_a_log_that_only_answered_a_question(ask: Ask, folder: Path) -> None:
    log = "2024-05-06 14:05 INFO stop Ashford\n2024-05-07 16:10 WARN low fuel\n2024-05-07 16:20 INFO stop Oakend\n"
    (folder / "van.log").write_text(log, encoding="utf-8")
    ask("how many stops on monday?")
    ask("add 17:30 Birchley, pub to it")
    assert (folder / "van.log").read_text(encoding="utf-8") == log


def test_no_folder_is_made_where_nobody_speaks_of_one(ask: Ask, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    ask("make the helper better")
    assert {path.name for path in folder.iterdir()} == before


def test_a_value_is_set_without_the_word_for_its_key(ask: Ask, folder: Path) -> None:
    (folder / "van.json").write_text('{"color": "green", "seats": 3}\n', encoding="utf-8")
    ask("zeig mir van.json")
    ask("mach die farbe blau")
    assert (folder / "van.json").read_text(encoding="utf-8") in {
        '{"color": "blau", "seats": 3}\n',
        '{"color": "green", "seats": 3}\n',
    }


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("add cheese to notes.md", "oh not milk, tea", "tea"),
        ("häng Käse an notes.md an", "ach nee, nicht milk sondern tea", "tea"),
        ("ajoute fromage à notes.md", "ah non pas de milk, tea", "tea"),
        ("voeg kaas toe aan notes.md", "nee geen milk maar thee", "thee"),
        ("在notes.md里加一行cheese", "不对，不是milk，是tea", "tea"),  # noqa: RUF001 - signs that people type
    ],
)
def test_another_line_than_the_last_is_corrected_where_it_is_told(
    ask: Ask, folder: Path, first: str, second: str, third: str
) -> None:
    ask(first)
    added = (folder / "notes.md").read_text(encoding="utf-8")
    ask(second)
    assert (folder / "notes.md").read_text(encoding="utf-8") == added.replace("milk", third)


def test_a_preposition_is_no_part_of_a_new_name(ask: Ask, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    ask("hoeveel regels heeft notes.md?")
    ask("zet die namen even in namen.txt")
    assert {path.name for path in folder.iterdir()} - before <= {"namen.txt"}


def test_a_time_told_from_a_log_is_no_cell_of_a_table(ask: Ask, folder: Path) -> None:
    log = "2024-05-06 14:05 INFO stop Millbrook\n2024-05-07 14:10 INFO stop Ashford\n"
    (folder / "van.log").write_text(log, encoding="utf-8")
    ask("when did the van stop in Ashford according to van.log")
    assert "Error" not in ask("move it to 14:45").answer
    assert (folder / "van.log").read_text(encoding="utf-8") == log
