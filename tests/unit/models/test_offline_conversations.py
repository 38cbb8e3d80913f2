"""Second and third requests of a conversation: what they correct, choose, take back and count."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lango_nb.records.turns import Turn

FILES: Mapping[str, str] = {
    "fees_2023.txt": "Fees 2023\nadults: 20\nchildren: 8\n",
    "fees_2024.txt": "Fees 2024\nadults: 24\nchildren: 9\nfamilies: 40\n",
    "diary.md": "# Diary\n2024-05-01 tent mended, shed B\n2024-05-03 boat painted, shed C\n"
    "2024-05-09 boat sold, shed C\n",
    "letters/ann.txt": "Dear Ann,\nthe tour begins at 16:00.\n",
    "letters/okoro.txt": "Dear Mr Okoro,\nthe tour begins at 18:30.\n",
    "old/empty.md": "# Nothing\n",
    "pets.csv": "name,kind,age,weight_kg\nBella,dog,9,31.5\nMimi,cat,14,4.2\nRex,dog,3,40.0\nTom,cat,5,5.1\n",
}
Ask = Callable[..., Turn]


def _files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("wc -l fees_2023.txt", "no sorry, the 2024 one"),
        ("wie viele Zeilen hat fees_2023.txt?", "nein, die von 2024"),
        ("¿cuántas líneas tiene fees_2023.txt?", "no, perdona, la de 2024"),
        ("quante righe ha fees_2023.txt?", "no scusa, quella del 2024"),
        ("fees_2023.txtは何行ある\uff1f", "いや、2024のほう"),
    ],
)
def test_a_correction_looks_at_what_it_names(ask: Ask, folder: Path, first: str, second: str) -> None:
    answer = str(ask(first, second).answer)
    assert "fees_2024.txt" in answer
    assert "4" in answer.replace("2024", "")
    assert _files(folder) == FILES


def test_what_follows_a_correction_is_about_the_corrected_file(ask: Ask, folder: Path) -> None:
    ask("wc -l fees_2023.txt", "no sorry, the 2024 one", "copy it to fees_2025.txt")
    assert _files(folder) == {**FILES, "fees_2025.txt": FILES["fees_2024.txt"]}


@pytest.mark.parametrize(
    ("first", "second", "gone"),
    [
        ("delete the fees", "the old one", "fees_2023.txt"),
        ("lösch die Datei fees", "die neue", "fees_2024.txt"),
        ("delete the letter", "the one that says 18:30", "letters/okoro.txt"),
        ("lösch den Brief", "den um 16:00", "letters/ann.txt"),
        ("verwijder de brief maar", "die aan Okoro", "letters/okoro.txt"),
        ("borra la carta", "la de las 18:30", "letters/okoro.txt"),
        ("delete the letter", "the one to Okoro", "letters/okoro.txt"),
    ],
)
def test_one_of_several_is_chosen_by_its_age_or_its_words(
    ask: Ask, folder: Path, first: str, second: str, gone: str
) -> None:
    assert ask(first).error_code == "asked_back"
    ask(second)
    assert _files(folder) == {name: text for name, text in FILES.items() if name != gone}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("delete the letter", "average weight per kind", "per kind|by kind"),
        ("lösch den Brief", "vergiss es, zeig mir diary.md", "tent mended"),
        ("supprime la lettre", "laisse tomber, lis fees_2023.txt", "children: 8"),
        ("borra la carta", "olvídalo, lee fees_2023.txt", "children: 8"),
        ("verwijder de brief", "gemiddelde leeftijd", "7.75"),
        ("delete the letter", "and who is the oldest pet?", "Mimi"),
        ("append to diary.md", "how many lines does fees_2024.txt have?", "4"),
        ("move diary.md", "count the words in old/empty.md", "2"),
        ("rename nothing.txt to x.txt", "rename diary.md", "diary.md"),
    ],
)
def test_a_new_request_is_no_answer_to_the_question_before(
    ask: Ask, folder: Path, first: str, second: str, said: str
) -> None:
    assert ask(first).error_code == "asked_back"
    assert re.search(said, str(ask(second).answer))
    assert _files(folder) == FILES


@pytest.mark.parametrize("second", ["never mind", "bah déjalo, da igual", "ach, vergiss es", "the one about trains"])
def test_none_of_several_is_chosen_by_what_describes_none(ask: Ask, folder: Path, second: str) -> None:
    ask("delete the letter", second)
    assert _files(folder) == FILES


@pytest.mark.parametrize(
    "texts",
    [
        ("show me diary.md", "delete it", "oh no, bring it back!"),
        ("zeig mir diary.md", "lösch sie", "nein, hol sie zurück"),
        ("diary.mdを見せて", "削除して", "元に戻して"),
        ("montre ann.txt", "supprime ann.txt", "annule ça"),
    ],
)
def test_a_file_that_was_shown_whole_comes_back(ask: Ask, folder: Path, texts: tuple[str, ...]) -> None:
    *before, last = texts
    ask(*before)
    assert _files(folder) != FILES
    ask(last)
    assert _files(folder) == FILES


@pytest.mark.parametrize(
    "before", [("hello",), ("head -n 2 diary.md",), ("show me diary.md", 'add "rain" to diary.md')]
)
def test_a_short_file_comes_back_that_was_told_when_it_went(ask: Ask, folder: Path, before: tuple[str, ...]) -> None:
    ask(*before)
    held = (folder / "diary.md").read_bytes()
    assert held.decode().strip() in str(ask("rm diary.md").answer)
    ask("undo that")
    assert (folder / "diary.md").read_bytes() == held


@pytest.mark.parametrize("held", ["line\n" * 21, "no end of line", "bell \a\n", f"{'long ' * 1000}\n", "tab\there\r\n"])
def test_what_was_not_told_as_it_was_does_not_come_back(ask: Ask, folder: Path, held: str) -> None:
    (folder / "diary.md").write_bytes(held.encode())
    turn = ask("rm diary.md", "undo that")
    assert not (folder / "diary.md").exists()
    assert "cannot" in str(turn.answer)


@pytest.mark.parametrize(
    "texts",
    [
        ("show me diary.md", "how many lines in it mention shed C?"),
        ("zeig diary.md", "wie viele Zeilen darin enthalten shed C?"),
        ("muestra diary.md", "¿cuántas líneas contienen shed C?"),
    ],
)
def test_lines_that_contain_something_are_counted(ask: Ask, texts: tuple[str, ...]) -> None:
    assert "2" in str(ask(*texts).answer)


def test_what_was_moved_into_a_folder_is_looked_at_there(ask: Ask) -> None:
    answer = str(ask("show me diary.md", "move it into old", "how many lines does it have?").answer)
    assert answer == "old/diary.md has 4 lines."


def test_the_longer_of_two_that_were_named_without_their_folder(ask: Ask) -> None:
    texts = ("how many words has letters/ann.txt?", "and okoro.txt?", "which of the two is longer?")
    answer = str(ask(*texts).answer)
    assert "letters/ann.txt" in answer
    assert "letters/okoro.txt" in answer


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("show the lines of diary.md with shed C", "save to shed.txt"),
        ("montre les lignes avec shed C dans diary.md", "mets-les dans un fichier shed.txt"),
        ("mostra as linhas com shed C em diary.md", "guarda-as em shed.txt"),
        ("zeig die Zeilen mit shed C in diary.md", "pack die in shed.txt"),
        ("mostrami le righe con shed C in diary.md", "mettile in shed.txt"),
        ("pokaż wiersze z shed C w diary.md", "zapisz do shed.txt"),
        ("diary.mdでshed Cを検索して", "shed.txtに保存して"),
        ("搜索diary.md里的boat", "存到 shed.txt 里"),
    ],
)
def test_what_was_shown_goes_into_the_file_that_is_named_alone(ask: Ask, folder: Path, first: str, second: str) -> None:
    ask(first, second)
    lines = [line for line in FILES["diary.md"].splitlines() if "shed C" in line]
    assert _files(folder) == {**FILES, "shed.txt": "\n".join(lines) + "\n"}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("show pets.csv", "which is the heaviest?"), "40.0 (pets.csv: max weight_kg)\n"),
        (("show pets.csv", "which is the heaviest?", "and the lightest cat?"), "4.2 (pets.csv: min weight_kg where"),
        (
            ("how many cats are in pets.csv?", "which of them is the oldest?"),
            "14 (pets.csv: max age where kind has cat)",
        ),
        (("zeig pets.csv", "wer ist am ältesten?", "und am jüngsten?"), "3 (pets.csv: min age)\n"),
        (("muestra pets.csv", "¿cuántos años tiene Bella?"), "9 (pets.csv: age where name is Bella)"),
        (("montre pets.csv", "lequel est le plus âgé ?"), "14 (pets.csv: max age)\n"),
        (("mostra pets.csv", "chi è il più vecchio?"), "14 (pets.csv: max age)\n"),
        (("mostra pets.csv", "quem é o mais velho?"), "14 (pets.csv: max age)\n"),
        (("pokaż pets.csv", "który jest najcięższy?"), "40.0 (pets.csv: max weight_kg)\n"),
        (("pets.csvを見せて", "一番若いのは\uff1f"), "3\uff08pets.csv\uff1amin age\uff09\n"),
    ],
)
def test_the_most_of_a_table_that_was_shown_is_found_by_what_is_said_of_it(
    ask: Ask, texts: tuple[str, ...], said: str
) -> None:
    assert str(ask(*texts).answer).startswith(said)


def test_by_age_the_youngest_come_first(ask: Ask) -> None:
    answer = str(ask("toon pets.csv", "sorteer ze op leeftijd, jongste eerst").answer)
    assert [line.partition(",")[0] for line in answer.splitlines()[2:]] == ["Rex", "Tom", "Bella", "Mimi"]


def test_how_far_two_results_are_apart_is_asked_in_a_language_without_blanks(ask: Ask) -> None:
    texts = ("pets.csvでweight_kgが一番大きいのは\uff1f", "一番小さいのは\uff1f", "その二つの差は何キロ\uff1f")
    assert str(ask(*texts).answer) == "40.0 - 4.2 = 35.8"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("make a copy of diary.md and call it diary_old.md", "diary_old.md"),
        ("mach eine Kopie von diary.md und nenn sie diary_alt.md", "diary_alt.md"),
        ("fammi una copia di diary.md e chiamala diario.md, nella cartella old", "old/diario.md"),
    ],
)
def test_a_copy_that_is_given_its_name_leaves_no_other(ask: Ask, folder: Path, text: str, made: str) -> None:
    ask(text)
    assert _files(folder) == {**FILES, made: FILES["diary.md"]}


@pytest.mark.parametrize(
    "texts",
    [
        ("ls letters", "show me the first one", "and the last one?"),
        ("was ist im Ordner letters?", "zeig mir die erste", "und die zweite?"),
        ("ls letters", "montre le deuxième"),
        ("lettersの中身を見せて", "一番目を見せて", "最後のは\uff1f"),
    ],
)
def test_the_next_of_what_was_listed_is_a_file_and_no_line(ask: Ask, texts: tuple[str, ...]) -> None:
    assert "Dear Mr Okoro" in str(ask(*texts).answer)


def test_the_first_again_is_one_of_those_that_were_listed(ask: Ask, folder: Path) -> None:
    ask("ls letters", "and the first?", "in the second one change 18:30 to 19:00")
    assert _files(folder)["letters/okoro.txt"] == FILES["letters/okoro.txt"].replace("18:30", "19:00")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('quanto costa "children" in fees_2024.txt?', "e in quello del 2023?"),
        ("how much is children in fees_2024.txt?", "and in the 2023 one?"),
        ("was kostet children laut fees_2024.txt?", "und in dem von 2023?"),
    ],
)
def test_what_something_costs_is_the_line_with_it(ask: Ask, first: str, second: str) -> None:
    answers = [str(ask(text).answer) for text in (first, second)]
    assert [("fees_2024.txt" in answers[0], answers[0][-1]), ("fees_2023.txt" in answers[1], answers[1][-1])] == [
        (True, "9"),
        (True, "8"),
    ]


def test_a_folder_is_listed_though_a_row_has_its_name(ask: Ask, folder: Path) -> None:
    (folder / "budget.csv").write_text("item,amount\nletters,12\nold,5\n")
    assert "letters/ann.txt" in str(ask("hoi, wat zit er in de map letters?").answer)


@pytest.mark.parametrize(
    ("text", "yes"),
    [("delete the last line of diary.md", "yes"), ("lösch die letzte Zeile von diary.md", "ja")],
)
def test_a_line_that_is_to_be_deleted_is_asked_about(ask: Ask, folder: Path, text: str, yes: str) -> None:
    assert ask(text).error_code == "asked_back"
    assert _files(folder) == FILES
    ask(yes)
    assert _files(folder)["diary.md"] == FILES["diary.md"].replace("2024-05-09 boat sold, shed C\n", "")


def test_a_list_that_is_to_be_deleted_is_asked_about(ask: Ask, folder: Path) -> None:
    (folder / "todo.txt").write_text("- call Ann\n")
    turn = ask("delete the todo list")
    assert turn.error_code == "asked_back"
    assert "todo.txt" in str(turn.answer)
    assert (folder / "todo.txt").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grep -c shed diary.md", "3"),
        ('lance "wc -l diary.md"', "4 diary.md"),
        ('führ mal "wc -l diary.md" aus', "4 diary.md"),
        ('voer even "wc -l diary.md" uit', "4 diary.md"),
    ],
)
def test_a_shell_line_that_is_to_be_run_is_run(ask: Ask, text: str, said: str) -> None:
    assert str(ask(text).answer).strip() == said


@pytest.mark.parametrize(
    "text",
    ["wie viel haben wir am 4. März verdient?", "combien a-t-on gagné le 4 mars ?", "¿cuánto ganamos el 4 de marzo?"],
)
def test_what_was_earned_on_a_day_is_a_sum(ask: Ask, folder: Path, text: str) -> None:
    rows = "2025-03-03,tea,4.5\n2025-03-04,cake,3.0\n2025-03-04,tea,4.5\n2025-03-05,tea,9.0\n"
    (folder / "sales.csv").write_text(f"date,item,price\n{rows}")
    assert str(ask("show sales.csv", text).answer).startswith("7.5 (sales.csv: sum price where date")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("show diary.md", "copy this as days.md into the folder old"),
        ("zeig diary.md", "kopier das als days.md in den Ordner old"),
        ("montre diary.md", "copie-le sous le nom days.md dans le dossier old"),
        ("diary.mdを見せて", "これをdays.mdという名前でoldフォルダにコピーして"),
    ],
)
def test_a_copy_has_the_name_and_the_folder_that_it_is_given(ask: Ask, folder: Path, first: str, second: str) -> None:
    ask(first, second)
    assert _files(folder) == {**FILES, "old/days.md": FILES["diary.md"]}


@pytest.mark.parametrize("text", ["写真っていうフォルダ作って", "写真という名前のフォルダを作って"])
def test_a_folder_is_called_what_stands_before_called(ask: Ask, folder: Path, text: str) -> None:
    ask(text)
    assert (folder / "写真").is_dir()


def test_the_name_of_a_file_does_not_describe_the_line_to_be_deleted(ask: Ask, folder: Path) -> None:
    assert ask("usuń linię o plakatach z diary.md").error_code == "asked_back"
    assert _files(folder) == FILES


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("quita la última línea de NEXT STEPS.txt", "- ring Ann\n"),
        ("supprime la première ligne de NEXT STEPS.txt", "- buy tea\n"),
    ],
)
def test_a_name_with_blanks_is_taken_whole(ask: Ask, folder: Path, text: str, kept: str) -> None:
    (folder / "NEXT STEPS.txt").write_text("- ring Ann\n- buy tea\n")
    ask(text)
    assert (folder / "NEXT STEPS.txt").read_text() == kept


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (("add 6 bottles of milk to fees_2023.txt", "oops, 8 bottles"), "8 bottles of milk"),
        (("metti pile AA in fondo a fees_2023.txt", "anzi no, AAA"), "pile AAA"),
        (("hänge an fees_2023.txt an: Treffen am 2. Januar", "nee, 3. januar"), "Treffen am 3. Januar"),
        (("append 'Monday: Vogt mows' to fees_2023.txt", "no, Tuesday"), "Tuesday: Vogt mows"),
        (("fees_2023.txtに「緑茶」を追加して", "間違えた、緑茶じゃなくて麦茶"), "麦茶"),
    ],
)
def test_what_was_just_added_is_corrected_where_it_stands(
    ask: Ask, folder: Path, said: tuple[str, ...], line: str
) -> None:
    ask(*said)
    assert _files(folder)["fees_2023.txt"] == f"{FILES['fees_2023.txt']}{line}\n"


def test_a_correction_that_agrees_with_nothing_is_asked_about(ask: Ask, folder: Path) -> None:
    turn = ask("add milk to fees_2023.txt", "oops, bread")
    assert "milk" in str(turn.answer)
    assert "bread" in str(turn.answer)
    assert _files(folder)["fees_2023.txt"].endswith("\nmilk\n")


@pytest.mark.parametrize("first", ["delete line 3 of fees_2023.txt", "delete the last line of fees_2023.txt"])
@pytest.mark.parametrize("second", ["no, put it back", "no wait, that line has to stay"])
def test_what_was_to_stay_comes_back_or_is_left(ask: Ask, folder: Path, first: str, second: str) -> None:
    turn = ask(first, second)
    assert _files(folder) == FILES
    assert turn.error_code != "asked_back"


def test_a_line_that_is_named_beside_a_file_goes_and_not_the_file(ask: Ask, folder: Path) -> None:
    ask("borra de fees_2023.txt lo de children")
    assert _files(folder).get("fees_2023.txt") in {FILES["fees_2023.txt"], "Fees 2023\nadults: 20\n"}


def test_a_place_strikes_a_line_of_the_list_that_was_shown(ask: Ask, folder: Path) -> None:
    ask("read fees_2024.txt", "strike the second one")
    assert _files(folder)["fees_2024.txt"] == "Fees 2024\nchildren: 9\nfamilies: 40\n"


def test_a_question_is_answered_from_the_letter_that_was_read(ask: Ask) -> None:
    assert "18:30" in str(ask("read letters/okoro.txt", "when does he have to be there?").answer)


def test_a_name_that_was_just_given_is_corrected(ask: Ask, folder: Path) -> None:
    ask("rename diary.md to log.md", "no, tent diary.md")
    assert "tent diary.md" in _files(folder)
    assert "log.md" not in _files(folder)


def test_lines_that_were_shown_and_kept_in_a_file_can_be_taken_back(ask: Ask, folder: Path) -> None:
    said = ("show me the lines with shed C in diary.md", "put them into shed.txt")
    ask(*said)
    assert _files(folder)["shed.txt"].splitlines() == FILES["diary.md"].splitlines()[-2:]
    assert "shed.txt" in str(ask("undo that").answer)
    assert _files(folder) == FILES


def test_what_was_kept_and_then_changed_is_left_when_it_is_to_be_taken_back(ask: Ask, folder: Path) -> None:
    ask("show me the lines with shed C in diary.md", "put them into shed.txt")
    (folder / "shed.txt").write_text("mine\n")
    ask("undo that")
    assert _files(folder)["shed.txt"] == "mine\n"


def test_a_line_that_was_shown_says_itself_when_it_was(ask: Ask) -> None:
    answer = str(ask("show me the lines with shed C in diary.md", "when was the last one?").answer)
    assert "2024-05-09" in answer
    assert "UTC" not in answer
