from __future__ import annotations

import math
from typing import Any

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.tool import Tool
from tests.calls import calls_of
from tests.expected import same_as_expected


def a_tool(properties: dict[str, Any], required: list[str] | None = None, **more: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": required or [], **more}
    return Tool("t", schema_source=lambda: schema)


EVERY = a_tool(
    {
        "path": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "is_on": {"type": "boolean"},
        "nothing": {"type": "null"},
        "mode": {"type": "string", "enum": ["full", "range", "grep"]},
        "kind": {"type": "integer", "enum": [1, 2]},
        "only": {"const": "x"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "maybe": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "either": {"type": ["string", "integer"]},
        "filter": {
            "type": "object",
            "properties": {"field": {"type": "string"}, "value": {}},
            "required": ["field"],
            "additionalProperties": False,
        },
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "free": {},
        "off": False,
    }
)


@pytest.mark.parametrize(
    ("given", "ready"),
    [
        ({"path": ""}, {"path": ""}),
        ({"count": 5}, {"count": 5}),
        ({"count": 5.0}, {"count": 5}),
        ({"ratio": 5}, {"ratio": 5}),
        ({"is_on": False, "nothing": None}, {"is_on": False, "nothing": None}),
        ({"mode": "grep", "kind": 2.0, "only": "x"}, {"mode": "grep", "kind": 2, "only": "x"}),
        ({"tags": []}, {"tags": []}),
        ({"maybe": None}, {"maybe": None}),
        ({"maybe": ["a"]}, {"maybe": ["a"]}),
        ({"either": 3.0}, {"either": 3}),
        ({"filter": {"field": "a", "value": [1]}}, {"filter": {"field": "a", "value": [1]}}),
        ({"headers": {"Accept": "x"}}, {"headers": {"Accept": "x"}}),
        ({"free": {"a": [1, None]}}, {"free": {"a": [1, None]}}),
    ],
)
def test_what_the_schema_allows_passes(given: dict[str, Any], ready: dict[str, Any]) -> None:
    checked = check_arguments(EVERY, given)
    assert checked == ready
    assert [type(value) for value in checked.values()] == [type(value) for value in ready.values()]
    assert checked is not given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"path": 5}, "path must be a string, got 5"),
        ({"path": None}, "path must be a string, got null"),
        ({"count": "5"}, 'count must be an integer, got "5"'),
        ({"count": 5.5}, "count must be an integer, got 5.5"),
        ({"count": True}, "count must be an integer, got true"),
        ({"count": math.inf}, "count must be an integer, got Infinity"),
        ({"ratio": math.nan}, "ratio must be a number, got NaN"),
        ({"ratio": False}, "ratio must be a number, got false"),
        ({"is_on": 1}, "is_on must be true or false, got 1"),
        ({"nothing": 0}, "nothing must be null, got 0"),
        ({"mode": "all"}, 'mode must be one of "full", "range", "grep", got "all"'),
        ({"kind": True}, "kind must be one of 1, 2, got true"),
        ({"only": "y"}, 'only must be "x", got "y"'),
        ({"tags": "a,b"}, 'tags must be a list, got "a,b"'),
        ({"tags": ["a", 5]}, "tags[1] must be a string, got 5"),
        ({"maybe": "a"}, 'maybe must be a list or null, got "a"'),
        ({"maybe": ["a", 5]}, "maybe[1] must be a string, got 5"),
        ({"either": []}, "either must be a string or an integer, got []"),
        ({"filter": []}, "filter must be an object, got []"),
        ({"filter": {}}, "filter misses 'field'"),
        ({"filter": {"field": 1}}, "filter.field must be a string, got 1"),
        ({"filter": {"field": "a", "valeu": 1}}, "filter has an unknown key 'valeu'; did you mean 'value'?"),
        ({"headers": {"Accept": 1}}, "headers.Accept must be a string, got 1"),
        ({"free": [1, math.nan]}, "free[1] must be a number, got NaN"),
        ({"off": 1}, "off must be left out, got 1"),
        ({"pth": "x"}, "unknown parameter 'pth'; did you mean 'path'?"),
        ({"path": b"x"}, "path must be a string, got b'x'"),
    ],
)
def test_what_the_schema_does_not_allow_is_named_with_expectation_and_value(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(ToolError) as refused:
        check_arguments(EVERY, given)
    assert str(refused.value) == message
    assert refused.value.code == "bad_argument"


def test_a_missing_argument_is_told_before_anything_else() -> None:
    tool = a_tool({"path": {"type": "string"}, "content": {"type": "string"}, "size": {}}, ["path", "content"])
    with pytest.raises(ToolError) as one:
        check_arguments(tool, {"content": 5, "nonsense": 1})
    assert (str(one.value), one.value.code) == ("missing path parameter", "missing_argument")
    with pytest.raises(ToolError, match=r"^missing path parameter, missing content parameter$"):
        check_arguments(tool, {})


def test_names_are_closed_where_properties_are_listed_unless_the_schema_says_otherwise() -> None:
    with pytest.raises(ToolError, match="unknown parameter 'x'; the tool takes none"):
        check_arguments(a_tool({}), {"x": 1})
    assert check_arguments(Tool("free", schema_source=lambda: {"type": "object"}), {"x": 1}) == {"x": 1}
    assert check_arguments(a_tool({}, additionalProperties=True), {"x": 1}) == {"x": 1}
    with pytest.raises(ToolError, match='x must be an integer, got "a"'):
        check_arguments(a_tool({}, additionalProperties={"type": "integer"}), {"x": "a"})


def test_arguments_that_are_no_object_are_refused() -> None:
    with pytest.raises(ToolError, match=r"arguments are an object, got \[1\]"):
        check_arguments(EVERY, [1])  # type: ignore[arg-type]


def test_long_values_are_shortened_in_the_message() -> None:
    with pytest.raises(ToolError) as refused:
        check_arguments(EVERY, {"count": "x" * 10_000})
    assert len(str(refused.value)) < 120


def test_two_tools_of_one_schema_shape_are_not_mixed_up() -> None:
    first, second = a_tool({"a": {}}, ["a"]), a_tool({"b": {}}, ["b"])
    assert check_arguments(first, {"a": 1}) == {"a": 1}
    assert check_arguments(second, {"b": 1}) == {"b": 1}
    with pytest.raises(ToolError, match="missing b"):
        check_arguments(second, {"a": 1})


def test_a_coded_error_keeps_its_code_and_leaves_the_class_alone() -> None:
    assert ToolError("x", "outside_workspace").code == "outside_workspace"
    assert ToolError("x").code == "tool_error"


def test_one_argument_is_checked_with_few_calls() -> None:
    tool = a_tool({"path": {"type": "string"}}, ["path"])
    check_arguments(tool, {"path": "x"})
    assert calls_of(lambda: check_arguments(tool, {"path": "x"})) < 30


ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, 3, -1, 2.0, 2.5, math.nan, math.inf, 10**30, 1e300, "", "x", "1", "full", "Full",
    "a" * 300, [], ["a"], [1], ["a", None], [[]], {}, {"field": "a"}, {"field": 1}, {"fields": "a"},
    {"field": "a", "value": math.nan}, {"field": "a", "valu": 1}, {1: "x"}, {"a": "b"}, {"a": 1}, b"x", object, (1, 2),
)  # fmt: skip
"""Values of every kind that a model or a caller may give."""
MORE = a_tool(
    {
        "short": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-z1]*$"},
        "few": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2, "uniqueItems": True},
        "small": {"type": "integer", "minimum": 1, "maximum": 2},
        "above": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 2.5},
        "one": {"enum": ["only"]},
        "union": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"field": {"type": "string"}}}]},
        "choice": {"oneOf": [{"enum": ["x", 2]}, {"type": "boolean"}, {"type": "boolean"}]},
        "named": {"$ref": "#/$defs/Point"},
        "both": {"allOf": [{"type": "integer"}, {"minimum": 2}]},
        "type_list": {"type": ["array", "null"]},
    },
    None,
    **{"$defs": {"Point": {"type": "object", "properties": {"field": {"type": "integer"}}, "required": ["field"]}}},
)


def outcome(made: Tool, arguments: dict[str, Any]) -> str:
    """Return what arguments become, or what is said against them."""
    try:
        return f"→ {check_arguments(made, arguments)!r}"
    except ToolError as error:
        return f"{error.code}: {error}"


@pytest.mark.parametrize("name", ["every", "more"])
def test_every_value_against_every_schema(name: str) -> None:
    made = EVERY if name == "every" else MORE
    properties: Any = made.schema.parameters["properties"]
    rows = [f"{key} = {value!r:.40}   {outcome(made, {key: value})}" for key in properties for value in ODD]
    needing = a_tool({"path": {"type": "string"}, "count": {"type": "integer"}}, ["path", "count"])
    wrong: list[dict[str, Any]] = [{}, {"path": "a"}, {"pth": "a"}, {"path": "a", "count": 1, "more": 2}]
    rows += [f"{arguments}   {outcome(needing, arguments)}" for arguments in wrong]
    rows += [f"{arguments}   {outcome(a_tool({}), arguments)}" for arguments in wrong]
    same_as_expected(f"arguments/{name}.txt", "\n".join(rows))
