"""``%lango check``: right, or what it is instead; nothing an answer does wrong ends in a traceback."""

from __future__ import annotations

import pytest

from lango_nb.commands.exercises import evaluated
from lango_nb.core.errors import UsageError

NAMES = {"word": "basil", "numbers": [1, 2], "key": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}


@pytest.mark.parametrize(
    "text",
    ["len(word) == 5", "1 < len(numbers) <= 2", "word", "word and numbers", "any(n > 1 for n in numbers)", "not ''"],
)
def test_what_holds_is_right(text: str) -> None:
    assert evaluated(text, NAMES).is_met


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('word == "mint"', "word is 'basil'"),
        ("len(word) == len(numbers)", "len(word) is 5; len(numbers) is 2"),
        ("1 < len(numbers) < 2", "len(numbers) is 2"),
        ("len(word) == 5 and numbers == []", "numbers is [1, 2]"),
        ("not word", "not word is False"),
        ("1 == 2", "1 == 2 is not so"),
        ("wrod == word", "wrod == word fails: NameError: name 'wrod' is not defined"),
        ("numbers[7] == 1 and word", "numbers[7] == 1 fails: IndexError: list index out of range"),
    ],
)
def test_what_does_not_hold_says_what_it_is(text: str, told: str) -> None:
    checked = evaluated(text, NAMES)
    assert not checked.is_met
    assert checked.detail == told


def test_what_is_told_is_short_and_has_no_secret() -> None:
    assert "abcdefghij" not in evaluated("key == ''", NAMES).detail
    assert len(evaluated("word * 1000 == ''", NAMES).detail) <= 200


@pytest.mark.parametrize("text", ["x = 1", "", "import os", "(", "lambda"])
def test_what_is_no_expression_is_refused_in_a_line(text: str) -> None:
    with pytest.raises(UsageError, match="Python expression") as caught:
        evaluated(text, NAMES)
    assert "\n" not in str(caught.value)


def test_names_of_an_answer_stay_as_they_are() -> None:
    names = {"n": 1}
    evaluated("[n for n in range(3)] == [m := 5]", names)
    assert names == {"n": 1}
