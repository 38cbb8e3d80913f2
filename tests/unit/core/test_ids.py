"""Random names: nobody takes them for a secret."""

from __future__ import annotations

import os

import pytest

from lango_nb.core.ids import RandomIds
from lango_nb.core.masking import mask

CARD = bytes.fromhex("5581639994287929")
"""A random name once was the number of a card, and stood masked in a trace."""
LONG = bytes.fromhex("ab123456789cdef0")
FINE = bytes.fromhex("a1b2c3d4e5f60718")


def test_a_name_that_looks_like_a_number_of_somebodys_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([CARD, LONG, FINE])
    monkeypatch.setattr(os, "urandom", lambda _size: next(drawn))
    assert mask(f"call-{CARD.hex()}") != f"call-{CARD.hex()}"
    assert RandomIds().new("call") == f"call-{FINE.hex()}"


def test_many_names_are_different_and_stay_as_they_are() -> None:
    names = {RandomIds().new("turn") for _ in range(2_000)}
    assert len(names) == 2_000
    assert [name for name in names if mask(name) != name] == []
