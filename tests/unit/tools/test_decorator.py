from __future__ import annotations

import asyncio
import contextvars
import enum
import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter

from lango_nb.core.errors import DefinitionError, ToolError
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import as_result, tool
from lango_nb.tools.tool import Tool, ToolResult
from tests.calls import calls_of


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Shape:
    points: list[Point]
    inner: Shape | None = None


def call(made: Tool, workspace: Path = Path("/tmp"), **arguments: Any) -> ToolResult:
    return asyncio.run(made.call(arguments, ToolContext(workspace, agent="operator")))


def test_a_function_gives_name_description_family_safety_and_schema() -> None:
    @tool(safety="safe")
    def note_add(text: str, mode: Literal["top", "end"] = "end", tags: list[str] | None = None) -> str:
        """Add a note
        to the pad.

        More that a model need not read.

        Parameters
        ----------
        text : str
            What it says,
            in full.
        mode : {"top", "end"}, optional
            Where it goes.

        Returns
        -------
        str
            Nothing of interest.
        """
        return text + mode + str(tags)

    assert (note_add.name, note_add.family, note_add.safety) == ("note_add", "note", "safe")
    assert note_add.description == "Add a note to the pad."
    assert note_add.source == "test_decorator.py"
    assert note_add.required == ("text",)
    assert note_add.parameters == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What it says, in full."},
            "mode": {"type": "string", "enum": ["top", "end"], "description": "Where it goes.", "default": "end"},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_a_google_docstring_describes_parameters_too() -> None:
    @tool
    def look(path: str, depth: int = 1) -> str:
        """Look at a place.

        Args:
            path (str): Where to look,
                from the top.
            depth: How far: deeper costs more.

        Returns:
            Something.
        """
        return path * depth

    properties: Any = look.parameters["properties"]
    assert properties["path"]["description"] == "Where to look, from the top."
    assert properties["depth"]["description"] == "How far: deeper costs more."


def test_unset_safety_counts_as_dangerous_and_options_win_over_what_is_read() -> None:
    def wipe(path: str) -> None:
        """Wipe it."""

    assert tool(wipe).safety == "dangerous"
    made = tool(wipe, name="fs_wipe", description="Wipe.", safety="moderate", family="disk", source="cell")
    assert (made.name, made.description, made.safety, made.family, made.source) == (
        "fs_wipe",
        "Wipe.",
        "moderate",
        "disk",
        "cell",
    )


def test_the_context_is_injected_and_no_parameter(tmp_path: Path) -> None:
    @tool
    def where(name: str, context: ToolContext) -> str:
        return f"{context.agent} {context.workspace / name}"

    @tool
    def where_perhaps(*, surroundings: ToolContext | None = None) -> str:
        return surroundings.agent if surroundings else "nobody"

    assert list(where.parameters["properties"]) == ["name"]  # type: ignore[arg-type]
    assert call(where, tmp_path, name="x").content == f"operator {tmp_path / 'x'}"
    assert call(where_perhaps).content == "operator"


def test_the_schema_is_made_when_it_is_needed_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    from lango_nb.tools import signatures

    original = signatures.Signature.schema

    def counted(self: signatures.Signature, notes: dict[str, str]) -> dict[str, Any]:
        made.append("schema")
        return original(self, notes)

    monkeypatch.setattr(signatures.Signature, "schema", counted)

    @tool
    def plain(text: str) -> str:
        return text

    assert made == []
    assert plain.schema is plain.schema
    assert made == ["schema"]


def test_arguments_arrive_as_the_annotations_promise() -> None:
    seen: dict[str, Any] = {}

    @tool
    def take(  # noqa: PLR0913, PLR0917 - one parameter per kind of type
        ratio: float,
        colour: Colour,
        colours: list[Colour],
        ratios: dict[str, float],
        day: date,
        point: Point,
        points: list[Point],
        maybe: Colour | None = None,
        either: int | str = 1,
        default: Colour = Colour.RED,
    ) -> None:
        seen.update(locals())

    result = call(
        take,
        ratio=2,
        colour="red",
        colours=["blue", "red"],
        ratios={"a": 1},
        day="2026-01-02",
        point={"x": 1, "y": 2},
        points=[{"x": 3, "y": 4}],
        maybe="blue",
        either="x",
    )
    assert result == ToolResult("done")
    assert isinstance(seen["ratio"], float)
    assert seen["colours"] == [Colour.BLUE, Colour.RED]
    assert seen["ratios"] == {"a": 1.0}
    assert isinstance(seen["ratios"]["a"], float)
    assert (seen["day"], seen["point"], seen["points"]) == (date(2026, 1, 2), Point(1, 2), [Point(3, 4)])
    assert (seen["maybe"], seen["either"], seen["default"]) == (Colour.BLUE, "x", Colour.RED)
    properties: Any = take.parameters["properties"]
    assert properties["colour"] == {"type": "string", "enum": ["red", "blue"]}
    assert properties["default"]["default"] == "red"
    assert properties["either"] == {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 1}
    assert properties["point"]["required"] == ["x", "y"]


def test_definitions_of_nested_types_stand_at_the_top_where_their_references_point() -> None:
    @tool
    def draw(shapes: list[Shape], frame: Shape | None = None) -> str:
        return f"{shapes}{frame}"

    properties: Any = draw.parameters["properties"]
    definitions: Any = draw.parameters["$defs"]
    assert properties["shapes"]["items"] == {"$ref": "#/$defs/Shape"}
    assert set(definitions) == {"Shape", "Point"}
    assert "$defs" not in str(properties["frame"]).replace("#/$defs", "")
    shape = {"points": [{"x": 1, "y": 2}], "inner": None}
    assert call(draw, shapes=[shape], frame=shape).content == f"{[Shape([Point(1, 2)])]}{Shape([Point(1, 2)])}"


def test_a_value_the_type_cannot_hold_is_an_error_result_that_names_it() -> None:
    @tool
    def on(day: date, point: Point) -> str:
        return f"{day}{point}"

    wrong_day = call(on, day="soon", point={"x": 1, "y": 2})
    assert (wrong_day.is_error, wrong_day.code) == (True, "bad_argument")
    assert wrong_day.content.startswith("day cannot be used: ")
    assert call(on, day="2026-01-02", point={"x": 1}).content == "point cannot be used: y: Field required"


def star(*names: str) -> None: ...
def stars(**names: str) -> None: ...
def positional(name: str, /) -> None: ...
def untyped(name: str, size) -> None: ...  # type: ignore[no-untyped-def]
def callback(then: Callable[[], None]) -> None: ...
def unreadable(then: NoSuchType) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def raw(then: object = None, *, lock: threading.Lock) -> None: ...
def parts(name: str) -> Iterator[str]:
    yield name


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (star, "tool 'star': '*names' cannot be described to a model; name every parameter"),
        (stars, "tool 'stars': '**names' cannot be described to a model; name every parameter"),
        (positional, "tool 'positional': parameter 'name' is positional only; models fill parameters by name"),
        (untyped, "tool 'untyped': parameter 'size' has no type; write size: str, for instance"),
        (callback, "tool 'callback': parameter 'then' is a "),
        (raw, "tool 'raw': parameter 'lock' is a "),
        (unreadable, "tool 'unreadable': its annotations cannot be read: name 'NoSuchType' is not defined"),
        (parts, "tool 'parts' is a generator; return one answer instead of yielding parts"),
        (lambda: None, "a lambda has no name; write a def, or give tool(name=…)"),
        (len, "@tool makes a tool of a function; this is a builtin_function_or_method"),
        (Point, "@tool makes a tool of a function; this is a class"),
        (functools.partial(star, "x"), "@tool makes a tool of a function; this is a partial"),
        ("fs_read", "@tool makes a tool of a function; this is a str"),
    ],
)
def test_what_a_model_could_not_call_is_refused_when_it_is_made(function: Any, message: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        tool(function)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_bad_name_or_safety_is_refused() -> None:
    def fine(text: str) -> None: ...

    with pytest.raises(DefinitionError, match="'no spaces' is not a tool name"):
        tool(fine, name="no spaces")
    with pytest.raises(DefinitionError, match="none of safe, moderate, dangerous"):
        tool(fine, safety="harmless")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("answer", "content", "data"),
    [
        ("text", "text", None),
        (None, "done", None),
        (b"caf\xc3\xa9", "café", None),
        (b"\xff\xfe\x00", "3 bytes that are not text", None),
        ({"a": [1, 2.5, None, True]}, '{"a":[1,2.5,null,true]}', {"a": [1, 2.5, None, True]}),
        ((1, 2), "[1,2]", [1, 2]),
        (7, "7", 7),
        (False, "false", False),
        (float("nan"), "null", None),
        ({"b", "a"}, '["a","b"]', ["a", "b"]),
        (Point(1, 2), '{"x":1,"y":2}', {"x": 1, "y": 2}),
        (Colour.RED, '"red"', "red"),
        (2**80, str(2**80), 2**80),
        ("half \ud800", "half \\ud800", None),
        (ToolResult("own", is_error=True, code="x"), "own", None),
    ],
)
def test_every_answer_becomes_text_and_data_where_there_is_data(answer: Any, content: str, data: Any) -> None:
    result = as_result("t", answer)
    assert (result.content, result.data) == (content, data)


def test_an_answer_json_cannot_say_is_told_to_the_person() -> None:
    with pytest.raises(DefinitionError, match="tool 't' returned a object, which JSON cannot say"):
        as_result("t", object())


def test_a_tool_error_is_for_the_model_and_everything_else_for_the_turn() -> None:
    @tool
    def fail(kind: str) -> str:
        if kind == "tool":
            raise ToolError("no such note")
        if kind == "stop":
            raise StopIteration
        raise {"bug": ZeroDivisionError("bug"), "exit": SystemExit(3)}[kind]

    @tool
    async def fail_async(kind: str) -> str:
        raise {"tool": ToolError("no such note"), "exit": SystemExit(3)}[kind]

    for made in (fail, fail_async):
        assert call(made, kind="tool") == ToolResult("no such note", is_error=True, code="tool_error")
        with pytest.raises(RuntimeError, match="the tool raised SystemExit"):
            call(made, kind="exit")
    with pytest.raises(ZeroDivisionError, match="bug"):
        call(fail, kind="bug")
    with pytest.raises(RuntimeError, match="StopIteration"):
        call(fail, kind="stop")


def test_a_blocking_tool_does_not_block_the_loop_and_sees_the_callers_context() -> None:
    mark: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="none")
    gate = threading.Event()

    @tool
    def wait_for_gate() -> str:
        gate.wait(5)
        return f"{mark.get()} {threading.current_thread() is threading.main_thread()}"

    async def main() -> ToolResult:
        mark.set("caller")
        waiting = asyncio.create_task(wait_for_gate.call({}, ToolContext(Path("/tmp"))))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        gate.set()
        return await waiting

    assert asyncio.run(main()).content == "caller False"


def test_async_functions_methods_and_wrapped_functions_work() -> None:
    class Pad:
        text = "pad"

        def note_read(self, times: int) -> str:
            """Read it."""
            return self.text * times

    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return inner

    @tool
    @logged
    async def later(text: str) -> str:
        """Say it later."""
        await asyncio.sleep(0)
        return text

    method = tool(Pad().note_read)
    assert method.required == ("times",)
    assert call(method, times=2).content == "padpad"
    assert (later.description, later.required) == ("Say it later.", ("text",))
    assert call(later, text="hm").content == "hm"


def test_forty_tools_are_made_with_few_calls() -> None:
    def make() -> Callable[..., str]:
        def fs_read(path: str, offset: int | None = None, *, context: ToolContext) -> str:
            """Read."""
            return path

        return fs_read

    functions = [make() for _ in range(40)]
    tool(make(), safety="safe")
    assert calls_of(lambda: [tool(one, safety="safe") for one in functions]) < 40 * 150


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ({"at": {"x": 1, "y": "2"}}, 'place.at.y must be an integer, got "2"'),
        ({"at": {"x": 1}}, "place.at misses 'y'"),
        ({"at": {"x": 1, "y": 2}, "colour": "pink"}, 'place.colour must be one of "red", "blue" or null, got "pink"'),
    ],
)
def test_what_is_wrong_deep_inside_is_told_before_the_tool_runs(place: dict[str, Any], told: str) -> None:
    @dataclass
    class Place:
        at: Point
        colour: Colour | None = None

    def put(place: Any) -> str:
        return repr(place)

    put.__annotations__["place"] = Place
    made = tool(put, safety="safe")
    assert "$" not in str(made.parameters), "a model reads what is meant where it is meant"
    with pytest.raises(ToolError) as raised:
        check_arguments(made, {"place": place})
    assert str(raised.value) == told
    checked = check_arguments(made, {"place": {"at": {"x": 1, "y": 2.0}, "colour": "red"}})
    assert call(made, **checked).content.endswith("Place(at=Point(x=1, y=2), colour=<Colour.RED: 'red'>)")


def test_examples_are_kept_as_they_are_written() -> None:
    def show(card: Any) -> str:
        return repr(card)

    show.__annotations__["card"] = Annotated[Point, Field(examples=[{"title": "Tea"}])]
    properties: Any = tool(show, safety="safe").parameters["properties"]
    assert properties["card"]["examples"] == [{"title": "Tea"}]
    assert "title" not in properties["card"]


@pytest.mark.parametrize(
    "annotation",
    [Literal["a", "b"], Literal["a"], Literal["a", "b"] | None, Literal["a"] | None, Literal["a", 1], float],
    ids=str,
)
def test_the_schema_of_a_choice_is_the_one_that_pydantic_makes(annotation: Any) -> None:
    def choose(one: Any) -> str:
        return str(one)

    choose.__annotations__["one"] = annotation
    assert tool(choose, name="x").schema.parameters["properties"] == {"one": TypeAdapter(annotation).json_schema()}


def shout(said: str, times: int = 1) -> str:
    """Say it louder."""
    return said.upper() * times


async def whisper(said: str) -> str:
    """Say it softly."""
    return said.lower()


class TestTheFunctionItself:
    def test_a_tool_is_still_called_as_its_function(self) -> None:
        made = tool(shout, safety="safe")
        assert made("a", times=2) == "AA"
        assert inspect.signature(made) == inspect.signature(shout)
        assert asyncio.run(tool(whisper)("A")) == "a"

    def test_another_handler_leaves_the_function_as_it_is(self) -> None:
        assert replace(tool(shout), handler=None)("a") == "A"

    def test_a_tool_is_no_function_to_make_another_tool_of(self) -> None:
        with pytest.raises(DefinitionError, match="this is a FunctionTool"):
            tool(tool(shout))
