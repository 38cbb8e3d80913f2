"""Masking again changes nothing, and no text makes masking slow."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.masking import MASK, mask, mask_value
from tests.calls import assert_linear

PIECES = (
    *"password token api_key secret cookie authorization mnemonic tokens jwt login is value null true : = ( )".split(),
    *"[ ] { } ' ` , ; & ? # :// @ < > </ | ** -- … ... 1 %40 %20 é İ a@b.io ada hunter2 Bearer 2x.png 1111".split(),
    *"key= 4111111111111111 4111 sk-abcdefghijklmnop123 sig=aaaaaaaaaaaaaaa git@github.com -----BEGIN -----END".split(),
    *('"', "\\", '\\"', " ", "\n", "\\n", "\r\n", "  ", MASK, "https://ada:pw@h/x?token=abc&b=1"),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_masking_twice_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once
    value: Any = {text: [text, {"n": text}], "x": text}
    assert mask_value(mask_value(value)) == mask_value(value)


@given(st.text(max_size=200))
def test_any_text_can_be_masked(text: str) -> None:
    assert mask(mask(text)) == mask(text)


HOSTILE = (
    *"1 4 @ a. a@ a@a. a' - sk- eyJaaaaaaaaa- eyJaaaaaaaaa. :// ://a:b ://a:b@ token=( token={ token= <token>".split(),
    *(
        "4444 ",
        "411 ",
        "token: ",
        'password: "',
        "'token': \\\"",
        "\\",
        '"',
        "--token ",
        "bearer ",
        "basic YWRh",
        "?key=",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "MIIEaaaaaaaaaaaaaaaaaaaaaa\n", "token value="),
    *("mnemonic: ab ", "SG.aaaaaaaaaaaaaaaaaaaa", "\u0130", "...", "password is ", "cookie: a=", "…", "a@a…", "api "),
)


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("end", ["", *(pytest.param(end, marks=pytest.mark.slow) for end in ('@"', " password=("))])
def test_hostile_texts_take_time_that_grows_with_their_length_only(piece: str, end: str) -> None:
    assert_linear(mask, piece, end)
