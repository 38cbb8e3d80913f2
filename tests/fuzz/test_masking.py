"""A text that is masked while it grows ends as one that is masked as a whole, and nothing shown is taken back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.masking import MASK, Masker, add_rules, mask, mask_value, reset_rules
from lango_nb.core.personal import redact
from tests.expected import same_as_expected

PIECES = (
    *"password token api_key secret cookie authorization mnemonic tokens jwt login is value null true : = ( )".split(),
    *"[ ] { } ' ` , ; & ? # :// @ < > </ | ** -- … ... 1 %40 %20 é İ a@b.io ada hunter2 Bearer 2x.png 1111 - .".split(),
    *"key= 4111111111111111 4111 sk-abcdefghijklmnop123 sk- sig=aaaaaaaaaaaaaaa git@github.com -----BEGIN".split(),
    *"密码 是 passwort ist GB82 WEST 1234 5698 7654 32 EMP- 123456 badge number curl -u ada:pw --password".split(),
    "中文\uff0c",
    *(
        '"',
        "\\",
        '\\"',
        " ",
        "\n",
        "\\n",
        "\r\n",
        "  ",
        MASK,
        "https://ada:pw@h/x?token=abc&b=1",
        "MIIEabcdefghijklmnop",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "abcdefghijklmnop", "eyJhbGciOiJIUzI1NiJ9."),
    *('{"credentials": {"user": "ada", "pin": [1, 2]}}', "secret: |\n  two\n  lines\n", "Set-Cookie: sid=abc; Path=/"),
    *("<password>", "</password>", "<token>", "password == 'x'", "login ada password ", "is h4x0r1 ", 'Digest a="b"'),
    *("the quick brown fox ", "x" * 200, " word" * 60),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


@pytest.fixture(autouse=True, scope="module")
def rules() -> Iterator[None]:
    """Add rules of every kind."""
    reset_rules()
    add_rules([r"\bEMP-\d{6}\b", r"badge \w{1,9}-x"], ["badge number"], ["own value: 17"], phone_numbers=True)
    yield
    reset_rules()


def shown(text: str, cuts: list[int]) -> Iterator[str]:
    """Yield what is shown after each piece of a text, and last what it ends as."""
    masker, so_far, place = Masker(), "", 0
    for cut in cuts:
        so_far += masker.add(text[place:cut])
        place = cut
        yield so_far
    yield so_far + masker.finish(text[place:])


@given(TEXTS, st.data())
def test_a_growing_text_ends_as_the_whole_and_nothing_shown_is_taken_back(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    whole = mask(text)
    seen = list(shown(text, cuts))
    assert seen[-1] == whole
    for one in seen:
        assert whole.startswith(one)


@given(TEXTS)
def test_a_text_that_comes_letter_by_letter_ends_as_the_whole(text: str) -> None:
    whole = mask(text)
    for one in shown(text, list(range(len(text)))):
        assert whole.startswith(one)
    assert one == whole


@given(TEXTS)
def test_masking_twice_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


def test_a_long_text_is_masked_alike_whatever_its_pieces() -> None:
    """Longer than a window, and with secrets across the ends of windows."""
    choose = random.Random(17)
    text = "".join(choose.choice(PIECES) + choose.choice(("", " ", " and ", "\n")) for _ in range(4_000))
    text = text.replace("credentials", "credit").replace("{", "(")  # nothing that hides all the rest
    whole = mask(text)
    for size in (100, 1_000, 7_000, len(text)):
        assert list(shown(text, list(range(size, len(text), size))))[-1] == whole


def test_two_hundred_texts_are_masked_as_expected() -> None:
    """What is hidden, what is shown while the text still grows, and what of it is personal, to the letter."""
    choose = random.Random(5)
    rows = []
    for _ in range(200):
        size = choose.randint(3, 14)
        text = "".join(choose.choice(PIECES) + choose.choice(("", " ", " ", "\n", ", ")) for _ in range(size))
        grown = list(shown(text, list(range(7, len(text), 7))))
        steps = " ".join(str(len(one)) for one in grown)
        found = redact(text)
        rows += [f"━━━ {text!r}", f"{mask(text)!r}", f"shown {steps}", f"personal {found!r}"]
    same_as_expected("masking/texts.txt", "\n".join(rows))


def test_values_of_two_hundred_names_are_masked_as_expected() -> None:
    choose = random.Random(7)
    words = "api access private db user my the key token password pass secret count max is has id name auth".split()
    values: list[Any] = ["x", "", 7, 0, 1.5, True, None, ["a"], [], {"a": 1}, {}, {"type": "string"}, "hunter2 a@b.io"]
    rows = []
    for _ in range(200):
        parts = choose.sample(words, choose.randint(1, 3))
        camel = parts[0] + "".join(part.title() for part in parts[1:])
        name = choose.choice(("_".join(parts), "-".join(parts), camel, " ".join(parts), "_".join(parts).upper()))
        value = choose.choice(values)
        found = mask_value({name: value, "list": [{"name": name, "value": value}, f"--{name}", value]})
        rows.append(f"{name} = {value!r}   {found}")
    same_as_expected("masking/names.txt", "\n".join(rows))
