"""What is done in short words, or asked about well: folders, lists and tables as people speak of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lango_nb.engine import Engine
from lango_nb.records.turns import Turn
from lango_nb.tools.builtin import builtin_tools

FILES: Mapping[str, str] = {
    "guests.csv": "name,city,phone,paid,fee\nAnn Lee,Leeds,555-0101,yes,20\nBob Kraft,York,555-0102,no,35\n"
    "Cora Diaz,Leeds,555-0103,no,20\n",
    "guests_old.csv": "name,city,phone,paid,fee\nAnn Lee,Leeds,555-0101,yes,15\n",
    "shopping list.txt": "- flour\n- sugar\n",
    "todo.txt": "[ ] call the bank\n[x] buy stamps\n[ ] water the plants\n",
    "programme.md": "# Programme\n- 12:30 lunch\n",
    "letters/ann.txt": "Dear Ann,\nthe tour is moved to 16:00.\n",
    "letters/landlord.txt": "Dear landlord,\nthe heating is broken since May.\n",
    "recipes/pancakes.md": "# Pancakes\n2 eggs\n",
    "recipes/soup.md": "# Soup\n1 kg carrots\n",
    "server.log": "2024-05-01 INFO start\n2024-05-02 ERROR disk full\n2024-05-04 ERROR net down\n",
}
Ask = Callable[..., Turn]


def _files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "text", ["delete the letter", 'append "kind regards" to the letter', "lösch den Brief", "supprime la lettre"]
)
def test_a_letter_is_one_of_those_in_the_folder_and_asked_about(ask: Ask, folder: Path, text: str) -> None:
    turn = ask(text)
    assert turn.error_code == "asked_back"
    assert "letters/" in str(turn.answer)
    assert _files(folder) == FILES


def test_a_letter_is_known_by_what_it_says(ask: Ask) -> None:
    assert "broken since May" in str(ask("show me the letter about the heating").answer)


@pytest.mark.parametrize(
    ("texts", "said", "unsaid"),
    [
        (("who has not paid?", "and from York?"), "Bob", "Cora"),
        (("wie heeft nog niet betaald?", "en uit York?"), "Bob", "Cora"),
        (("show the rows of guests.csv where city is Leeds", "sort them by fee"), "Ann", "Bob"),
        (("what is the sum of fee in guests.csv?", "and in guests_old.csv?"), "15", "75"),
        (("how many guests are from Leeds?", "list them"), "Cora", "entries"),
        (("heeft Bob al betaald?",), "no (", "yes"),
        (("quante righe ha guests.csv?", "chi è di Leeds?", "quante righe ha?"), "4", "2 "),
    ],
)
def test_a_table_goes_on_being_asked(ask: Ask, texts: tuple[str, ...], said: str, unsaid: str) -> None:
    answer = str(ask(*texts).answer)
    assert said in answer
    assert unsaid not in answer


@pytest.mark.parametrize("text", ["what's the difference?", "wat scheelt dat?", "ça fait quelle différence ?"])
def test_two_results_are_told_apart(ask: Ask, text: str) -> None:
    assert "= 60" in str(ask("what is the sum of fee in guests.csv?", "and in guests_old.csv?", text).answer)


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (("put butter on the shopping list", "and milk"), "- flour\n- sugar\n- butter\n- milk\n"),
        (("setz Butter auf die Einkaufsliste", "und Milch"), "- flour\n- sugar\n- Butter\n- Milch\n"),
        (("laat shopping list.txt zien", "zet daar ook boter op"), "- flour\n- sugar\n- boter\n"),
        (("zet er ook boter bij in shopping list.txt", "ja"), "- flour\n- sugar\n- boter\n"),
        (("streich das Mehl von der Einkaufsliste", "ja"), "- sugar\n"),
        (("togli lo zucchero dalla lista della spesa", "sì"), "- flour\n"),
    ],
)
def test_a_list_takes_short_words(ask: Ask, folder: Path, texts: tuple[str, ...], left: str) -> None:
    ask(*texts)
    assert (folder / "shopping list.txt").read_text() == left


@pytest.mark.parametrize("text", ["hak in todo.txt bitte 'call the bank' ab", "tick off call the bank in todo.txt"])
def test_a_box_is_ticked_off(ask: Ask, folder: Path, text: str) -> None:
    ask(text)
    assert (folder / "todo.txt").read_text().startswith("[x] call the bank\n")
    answer = str(ask("wat staat er nog open in todo.txt?").answer)
    assert "plants" in answer
    assert "stamps" not in answer


def test_a_change_that_is_said_is_asked_about_where_a_look_was_likelier(ask: Ask, folder: Path) -> None:
    turn = ask("verwijder de brief aan de landlord")
    assert turn.error_code == "asked_back"
    assert "letters/landlord.txt" in str(turn.answer)
    assert _files(folder) == FILES


def test_what_is_to_be_written_is_not_made_up(ask: Ask, folder: Path) -> None:
    assert ask("save this conversation to chat.txt").outcome == "input_required"
    assert _files(folder) == FILES


def test_a_name_is_taken_back(ask: Ask, folder: Path) -> None:
    ask("rename programme.md to plan.md", "no, schedule.md")
    assert (folder / "schedule.md").exists()


def test_both_files_of_a_folder_are_meant(ask: Ask) -> None:
    assert "carrots" in str(ask("compare the two recipes").answer)


def test_lines_that_are_asked_for_in_number_are_counted(ask: Ask) -> None:
    answer = str(ask("Wie viele Zeilen mit ERROR hat server.log?").answer)
    assert "2" in answer.partition("2024")[0]


@pytest.mark.parametrize("text", ["wer bekäme: git status ausführen", "qui ferait : lire le fichier notes.md"])
def test_who_would_get_it_is_told(folder: Path, text: str) -> None:
    engine = Engine(topology="octet", tools=builtin_tools(), workspace=folder)
    assert "operator" in str(engine.run_sync(text).turn.answer)


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (("en letters/ann.txt cambia tour por paseo porfa",), "Dear Ann,\nthe paseo is moved to 16:00.\n"),
        (
            ("vervang in letters/ann.txt tour door wandeling, alsjeblieft",),
            "Dear Ann,\nthe wandeling is moved to 16:00.\n",
        ),
        (("mostra letters/ann.txt", "troca tour por passeio nele"), "Dear Ann,\nthe passeio is moved to 16:00.\n"),
        (("zeig letters/ann.txt", "ersetz tour durch Ausflug darin"), "Dear Ann,\nthe Ausflug is moved to 16:00.\n"),
        (
            ("apúntame al final de letters/ann.txt pegar carteles en la iglesia, porfa",),
            f"{FILES['letters/ann.txt']}pegar carteles en la iglesia\n",
        ),
    ],
)
def test_politeness_is_no_part_of_what_is_written(ask: Ask, folder: Path, texts: tuple[str, ...], left: str) -> None:
    ask(*texts)
    assert (folder / "letters/ann.txt").read_text() == left


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grep ERROR server.log | wc -l", "2"),
        ("cut -d, -f2 guests.csv | sort | tail -1", "city"),
        ("cat server.log | grep -c INFO", "1"),
    ],
)
def test_programs_with_pipes_between_them_are_run(ask: Ask, text: str, said: str) -> None:
    assert str(ask(text).answer).strip() == said


@pytest.mark.parametrize(
    "texts",
    [
        ("show props.md", "which ones are not ticked yet?", "I found the oil lamp, tick it", "how many are left now?"),
        (
            "mostra props.md",
            "quali non sono ancora spuntati?",
            "ho trovato la oil lamp, spuntala",
            "quanti ne mancano?",
        ),
        ("zeig props.md", "was ist noch nicht abgehakt?", "hak oil lamp ab", "wie viele fehlen noch?"),
        ("pokaż props.md", "które nie są odhaczone?", "odhacz oil lamp", "ile zostało?"),
        ("打开props.md", "哪些还没打勾", "找到了oil lamp\uff0c打勾", "还剩几个"),
    ],
)
def test_boxes_that_were_shown_are_spoken_of(ask: Ask, folder: Path, texts: tuple[str, ...]) -> None:
    (folder / "props.md").write_text("# Props\n- [x] mail bag\n- [ ] oil lamp\n- [ ] walking stick\n")
    show, which, tick, many = texts
    ask(show)
    open_ = str(ask(which).answer)
    assert "oil lamp" in open_
    assert "mail bag" not in open_
    ask(tick)
    assert (folder / "props.md").read_text() == "# Props\n- [x] mail bag\n- [x] oil lamp\n- [ ] walking stick\n"
    assert "1" in str(ask(many).answer)


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        ("what is the total income in club.json?", "4000", "1200"),
        ("ile wynosi razem income w club.json?", "4000", "1200"),
        ("dans club.json, quel est le total des dépenses pas encore payées ?", "1200", "650"),
        ("qual è il totale delle spese non pagate in club.json?", "1200", "650"),
        ("qual é o interval_minutes no club.json?", "30", "hall"),
        ("which animals in frogs.csv weigh more than 8 grams?", "A2", "A1"),
        ("quali animali in frogs.csv pesano meno di 8 grammi?", "A1", "A2"),
        ("welke dieren in frogs.csv zijn langer dan 60 millimeter?", "A2", "A1"),
        ("quem tem mais calls no frogs.csv?", "A1", "A2"),
        ("who has the most calls in frogs.csv?", "A1", "A2"),
        ("wer in frogs.csv hat am meisten calls?", "A1", "A2"),
    ],
)
def test_amounts_are_found_where_they_are(ask: Ask, folder: Path, text: str, said: str, unsaid: str) -> None:
    (folder / "frogs.csv").write_text("id,svl_mm,mass_g,calls\nA1,41.5,7.2,12\nA2,71.0,9.8,3\n")
    (folder / "club.json").write_text(
        '{"interval_minutes": 30, "income": {"tickets": 3200, "bakery": 800}, "expenses": ['
        '{"item": "hall", "amount": 650, "paid": true}, {"item": "light", "amount": 1200, "paid": false}]}'
    )
    answer = str(ask(text).answer)
    assert said in answer
    assert unsaid not in answer


@pytest.mark.parametrize(
    "text",
    [
        "what is in pack_2024.txt that isn't in pack_2023.txt?",
        "what is on the 2024 packing list that wasnt on the 2023 one",
        "was steht in pack_2024.txt, aber nicht in pack_2023.txt?",
        "che cosa manca in pack_2023.txt che c'è in pack_2024.txt?",
        "co jest w pack_2024.txt, a czego nie ma w pack_2023.txt?",
        "pack_2024.txtにあってpack_2023.txtにないものを教えて",
        "pack_2024.txt里有而pack_2023.txt里没有的是什么",
    ],
)
def test_what_one_list_has_and_another_lacks_is_told(ask: Ask, folder: Path, text: str) -> None:
    (folder / "pack_2023.txt").write_text("- rope\n- lamp\n")
    (folder / "pack_2024.txt").write_text("rope\nswabs\nlamp\n")
    answer = str(ask(text).answer)
    assert "swabs" in answer
    assert "rope" not in answer
    assert "lamp" not in answer


@pytest.mark.parametrize(
    ("texts", "there"),
    [
        (("crea una carpeta figuras dentro de letters",), "letters/figuras/"),
        (("crée un dossier figures dans letters",), "letters/figures/"),
        (("make a folder figures inside letters",), "letters/figures/"),
        (("stwórz folder wykresy w letters",), "letters/wykresy/"),
        (("maak in de map letters een bestand hi.txt met de tekst: tot gauw",), "letters/hi.txt"),
        (("create a file hi.txt in the folder letters with the text hi there",), "letters/hi.txt"),
        (("zet programme.md even in een nieuwe map oud",), "oud/programme.md"),
        (("crea una cartella archivio", "copiaci dentro todo.txt"), "archivio/todo.txt"),
        (("make a folder old", "copy into it todo.txt", "and programme.md too"), "old/programme.md"),
        (("leg einen Ordner alt an", "kopier todo.txt rein", "und auch programme.md"), "alt/programme.md"),
    ],
)
def test_things_go_into_the_folder_that_is_named(ask: Ask, folder: Path, texts: tuple[str, ...], there: str) -> None:
    ask(*texts)
    assert (folder / there).exists()
    assert (folder / there).is_dir() == there.endswith("/")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("put the marquee rental below that", "marquee"),
        ("put the gazebo deposit below that", "gazebo"),
    ],
)
def test_a_question_back_names_what_nothing_explains(ask: Ask, folder: Path, text: str, named: str) -> None:
    turn = ask(text)
    assert turn.error_code == "asked_back"
    assert named in str(turn.answer)
    assert _files(folder) == FILES


@pytest.mark.parametrize(
    "text",
    ["what do the magazines say about the heating contract of 1998?", "what does todo.txt say about the heating?"],
)
def test_what_has_hardly_a_word_of_a_question_is_not_quoted(ask: Ask, text: str) -> None:
    assert "broken since May" not in str(ask(text).answer)


@pytest.mark.parametrize("text", ["can you also send an e-mail?", "kun jij ook mailtjes versturen?", "你能发邮件吗"])
def test_what_no_tool_here_does_is_said(ask: Ask, text: str) -> None:
    assert any(word in str(ask(text).answer) for word in ("No, I cannot", "Nee, dat kan ik niet", "不能"))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("can you see my whole computer?", "this folder and what is below"),
        ("kannst du meinen ganzen Computer sehen?", "diesen Ordner und was darunter"),
        ("would you ask before deleting something?", "wait for your approval"),
        ("czy możesz coś usunąć bez pytania?", "czekają na twoją zgodę"),
        ("do you send my files anywhere?", "I send your files nowhere"),
        ("est-ce que tu envoies mes fichiers quelque part ?", "nulle part"),
        ("what happens if I say no?", "nothing is changed"),
        ("wat gebeurt er als ik nee zeg?", "er verandert niets"),
        ("会不会把我的文件发到网上\uff1f", "不会"),
    ],
)
def test_it_tells_what_it_sees_sends_and_asks(ask: Ask, question: str, said: str) -> None:
    assert said in str(ask(question).answer)


@pytest.mark.parametrize("question", ["what's left to do?", "qué falta por hacer?", "co jeszcze zostało do zrobienia?"])
def test_what_is_left_to_do_stands_in_the_only_list_with_boxes(ask: Ask, question: str) -> None:
    answer = str(ask(question).answer)
    assert "call the bank" in answer
    assert "buy stamps" not in answer


def test_what_is_left_to_do_is_what_was_noted_where_anything_was(ask: Ask) -> None:
    answer = str(ask("note a task: buy nails", "what's left to do?").answer)
    assert "buy nails" in answer
    assert "call the bank" not in answer


@pytest.mark.parametrize("said", ["ik moet eerst koffie", "ich brauche erst einen Kaffee", "I am tired"])
def test_no_task_is_made_of_how_somebody_is(ask: Ask, said: str) -> None:
    answer = str(ask(said, "show my tasks").answer)
    assert not re.search("koffie|Kaffee|tired", answer)


@pytest.mark.parametrize("text", ["delete old todo.txt", "lösch bitte old todo.txt", "把 old todo.txt 删掉"])
def test_a_name_with_a_blank_is_the_longest_one_there_is(ask: Ask, folder: Path, text: str) -> None:
    (folder / "old todo.txt").write_text("[ ] nothing\n")
    ask(text)
    assert _files(folder) == FILES
