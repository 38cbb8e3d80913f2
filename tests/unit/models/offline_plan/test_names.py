"""Words become names of what is there, or a question that says which ones fit."""

from __future__ import annotations

import pytest

from lango_nb.models.offline.names import endings, is_pointer, pick, points_back, rank

FILES = [
    "todo.txt",
    "Einkauf Mai.txt",
    "expenses.csv",
    "report_final.md",
    "notes.md",
    "notes.txt",
    "letters/letter_04.txt",
    "letters/letter_05.txt",
    "Résumé.pdf",
    "日記.txt",
]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("todo.txt", "todo.txt"),
        ("TODO.TXT", "todo.txt"),
        ("todo", "todo.txt"),
        ("resume.pdf", "Résumé.pdf"),
        ("the report", "report_final.md"),
        ("letter number 5", "letters/letter_05.txt"),
        ("die Einkaufsliste", "Einkauf Mai.txt"),
        ("the shopping list", "Einkauf Mai.txt"),
        ("meine Ausgaben", "expenses.csv"),
        ("les dépenses", "expenses.csv"),
        ("letter_05.txt", "letters/letter_05.txt"),
        ("日記", "日記.txt"),
        ("the diary", "日記.txt"),
        ("espenses.csv", "expenses.csv"),
        ("reportfinal.md", "report_final.md"),
    ],
)
def test_a_name_is_found(words: str, name: str) -> None:
    assert pick(words, FILES, is_file=True).name == name


@pytest.mark.parametrize("words", ["notes", "letter", "the letters of"])
def test_two_that_fit_equally_are_both_named(words: str) -> None:
    assert len(pick(words, FILES, is_file=True).rivals) == 2


@pytest.mark.parametrize("words", ["invoice.pdf", "letter number 7", "x", "budget", "todo.csv", ""])
def test_nothing_is_found_where_nothing_fits(words: str) -> None:
    assert not pick(words, FILES, is_file=True).name


def test_a_misspelt_name_is_a_guess_and_an_exact_one_is_none() -> None:
    assert pick("tdo.txt", FILES, is_file=True) == ("todo.txt", True, ())
    assert not pick("Todo", FILES, is_file=True).is_guess


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("3", 3),
        ("third", 3),
        ("der dritte", 3),
        ("troisième", 3),
        ("la última", -1),
        ("最後", -1),
        ("zwanzig", 20),
        ("soon", None),
    ],
)
def test_numbers_and_ordinals_are_read(word: str, number: int | None) -> None:
    assert rank(word) == number


def test_pointers_and_kinds_of_files() -> None:
    assert is_pointer("それ", "it")
    assert is_pointer("The other one", "other")
    assert not is_pointer("notes.md", "it")
    assert endings("Logs") == (".log",)
    assert endings("tables") == (".csv", ".tsv")
    assert points_back("and in those?")


def test_a_word_with_a_number_is_no_folder_without_it() -> None:
    names = ["letters", "letters/letter4.txt", "letters/letter5.txt"]
    assert pick("letter4", names, is_file=True).name == "letters/letter4.txt"
    assert pick("letter4", ["letters"], is_file=True).is_guess
