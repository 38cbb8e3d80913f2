"""JSON as text, and columns that only some records have."""

from __future__ import annotations

import json

from lango_nb.frames.column import json_text, some


def test_equal_values_give_equal_text_whatever_their_order() -> None:
    assert json_text({"b": [1, {"y": 2, "x": None}], "a": "ü"}) == json_text({"a": "ü", "b": [1, {"x": None, "y": 2}]})


def test_text_is_read_back_the_same() -> None:
    value = {"big": 2**70, "half": "\ud800", "text": 'quote " and \n line', "number": 1.5, "none": None, "yes": True}
    assert json.loads(json_text(value)) == value


def test_some_columns_are_not_required() -> None:
    assert not some("x", "it.x", "string", "", "Maybe.").required
