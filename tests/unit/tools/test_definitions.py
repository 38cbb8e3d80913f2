from __future__ import annotations

from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError
from lango_nb.tools.definitions import check_name, check_safety, check_schema, family_of


@pytest.mark.parametrize("name", ["exec", "fs_read", "Server.tool-2", "x" * 128])
def test_usable_names_pass(name: str) -> None:
    assert check_name(name, "row 1") == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "row 1: the tool has no name; give it one"),
        (None, "row 1: the tool has no name; give it one"),
        (5, "row 1: a tool's name is text, not 5"),
        ("a b", "row 1: 'a b' is not a tool name; use letters, digits, '_', '.' and '-', 128 at most"),
        ("größe", "row 1: 'größe' is not a tool name"),
        ("a\n", "row 1: 'a\\n' is not a tool name"),
        ("x" * 129, "row 1: 'xxx"),
    ],
)
def test_unusable_names_are_refused(name: object, message: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        check_name(name, "row 1")
    assert str(refused.value).startswith(message)


def test_family_is_what_stands_before_the_first_underscore() -> None:
    assert [family_of(name) for name in ("save_knowledge", "exec", "_x", "mcp.look")] == [
        "save",
        "exec",
        "_x",
        "mcp.look",
    ]


def test_safety_is_read_in_any_case_and_unset_is_dangerous() -> None:
    assert [check_safety(word, "r") for word in ("SAFE", " moderate", "", None)] == [
        "safe",
        "moderate",
        "dangerous",
        "dangerous",
    ]
    for wrong in ("harmless", 1, ["safe"]):
        with pytest.raises(DefinitionError, match="is none of safe, moderate, dangerous"):
            check_safety(wrong, "r")


def nested(levels: int) -> dict[str, Any]:
    return {"type": "array", "items": nested(levels - 1)} if levels else {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ([], "the schema is []; give a JSON schema of an object"),
        ("string", "the schema is 'string'; give a JSON schema of an object"),
        ({"type": "string"}, "the schema is of type 'string'; arguments are an object"),
        ({"properties": ["a"]}, "properties of schema are ['a']; they map names to schemas"),
        ({"properties": {"a": "str"}}, "parameter 'a' is 'str', which is no JSON schema"),
        ({"properties": {"a": {"type": "str"}}}, "parameter 'a' has type 'str', which is none of string, integer"),
        ({"properties": {"a": {"type": ["string", 5]}}}, "parameter 'a' has type 5, which is none of"),
        ({"properties": {"a": {"enum": "x"}}}, "enum of parameter 'a' is 'x'; it lists what is allowed"),
        ({"properties": {"a": {"enum": []}}}, "enum of parameter 'a' is []; it lists what is allowed"),
        ({"properties": {"a": {"anyOf": {}}}}, "anyOf of parameter 'a' is {}; it lists what is allowed"),
        ({"properties": {"a": {"anyOf": [5]}}}, "anyOf of parameter 'a' is 5, which is no JSON schema"),
        ({"properties": {"a": {"items": {"type": "x"}}}}, "items of parameter 'a' has type 'x'"),
        ({"properties": {"a": {"properties": {"b": 1}}}}, "'b' of parameter 'a' is 1, which is no JSON schema"),
        ({"properties": {}, "required": "a"}, "required of schema is 'a'; it lists names"),
        ({"properties": {"a": {}}, "required": ["b"]}, "schema requires 'b', which is not among its properties"),
        ({"type": "object", "additionalProperties": 5}, "additionalProperties of schema is 5"),
        ({"properties": {"a": nested(40)}}, "the schema has more than 32 levels"),
    ],
)
def test_a_schema_that_is_none_is_refused_with_its_place(schema: object, message: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        check_schema(schema, "row 1")
    assert str(refused.value).startswith(f"row 1: {message}")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"a": True, "b": {}}, "required": ["a"], "additionalProperties": False},
        {"type": "object", "required": ["anything"]},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        {"type": "object", "properties": {"a": nested(20)}, "$defs": {"x": {}}, "description": "…"},
    ],
)
def test_a_schema_of_an_object_stays_as_it_is(schema: dict[str, Any]) -> None:
    assert check_schema(schema, "row 1") == schema


def test_no_schema_means_no_parameters_and_properties_alone_mean_an_object() -> None:
    nothing = {"type": "object", "properties": {}}
    assert check_schema(None, "r") == check_schema({}, "r") == nothing
    assert check_schema({"properties": {"a": {}}}, "r") == {"type": "object", "properties": {"a": {}}}
