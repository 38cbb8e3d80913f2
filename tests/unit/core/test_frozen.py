"""Values that meet files: what is plainly right is taken, the rest is what pydantic says of it."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lango_nb.core.events import ToolFinished, TurnStarted
from lango_nb.core.frozen import After, Before, Bounds, Checked, Frozen
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolCall


def shout(word: str) -> str:
    if not word:
        raise ValueError("there is no word")
    return word.upper()


class Part(Checked):
    """Something inside."""

    size: int = 1


class Whole(Checked):
    """A field of every kind."""

    name: Annotated[str, After(shout)]
    kind: Literal["a", "b"] = "a"
    weight: float = 0.0
    is_new: bool = False
    note: str | None = None
    words: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    part: Part = Part()
    data: dict[str, JsonValue] = field(default_factory=dict)
    count: Annotated[int, Bounds(ge=0, le=9)] = 0
    length: Annotated[float, Before(lambda value: 1.0 if value == "one" else value)] = 0.0


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.floats(),
    st.sampled_from(("a", "b", "", "12", "true")),
    st.lists(st.sampled_from(("x", 1, None)), max_size=2),
    st.lists(st.sampled_from(("x", "y")), max_size=2).map(tuple),
    st.dictionaries(st.sampled_from(("size", "other", 3)), st.sampled_from((1, "2", None, [1], {"a": 2})), max_size=2),
    st.lists(st.sampled_from((Part(), Part(size=3), {"size": 2})), max_size=2),
    st.lists(st.just(Part(size=5)), max_size=2).map(tuple),
    st.just(Part(size=4)),
    st.just(object()),
)
fields_of_whole = st.sampled_from((*Whole.__annotations__, "unknown"))


def told(make: Any, values: dict[str, Any]) -> object:
    """Return the values of what is made, or what is said against it."""
    try:
        return repr(make(**values))
    except ValidationError as error:
        return [(one["type"], one["loc"]) for one in error.errors()]


@given(st.dictionaries(fields_of_whole, anything, max_size=4), st.booleans())
def test_it_takes_and_refuses_what_pydantic_does(values: dict[str, Any], is_named: bool) -> None:
    if is_named:
        values["name"] = "hall"
    assert told(Whole, values) == told(lambda **given: Whole.model_validate(given), values)


def test_what_is_plainly_right_is_not_asked_of_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Frozen, "_adapter", classmethod(lambda _cls: pytest.fail("pydantic was asked")))
    data: dict[str, JsonValue] = {"n": 1, "deep": [{"x": None}]}
    whole = Whole(name="hall", kind="b", weight=1.5, words=("x",), parts=(Part(),), data=data, note=None)
    assert (whole.name, whole.kind, whole.data) == ("HALL", "b", {"n": 1, "deep": [{"x": None}]})


def test_arguments_are_a_copy_all_the_way_down() -> None:
    given: dict[str, Any] = {"paths": ["a"]}
    call = ToolCall(id="1", name="fs_read", arguments=given)
    given["paths"].append("b")
    given["more"] = 1
    assert call.arguments == {"paths": ["a"]}


@pytest.mark.parametrize("odd", [{"a": object()}, {1: "a"}, {"a": {"b": {1, 2}}}], ids=["value", "key", "set"])
def test_arguments_are_json(odd: Any) -> None:
    with pytest.raises(ValidationError):
        ToolCall(id="1", name="fs_read", arguments=odd)


def test_arguments_in_themselves_are_refused() -> None:
    odd: dict[str, Any] = {}
    odd["odd"] = odd
    with pytest.raises(ValidationError):
        ToolCall(id="1", name="fs_read", arguments=odd)


def test_a_message_that_is_none_is_refused_and_a_list_of_calls_becomes_a_tuple() -> None:
    with pytest.raises(ValidationError, match="role"):
        Message(role="nobody")  # type: ignore[arg-type]  # which is what is tested
    with pytest.raises(ValidationError, match="role"):
        Message(content="hi")  # type: ignore[call-arg]  # which is what is tested
    with pytest.raises(ValidationError, match="colour"):
        Message(role="user", colour="red")  # type: ignore[call-arg]  # which is what is tested
    call = ToolCall(id="1", name="x")
    assert Reply(tool_calls=[call]).tool_calls == (call,)  # type: ignore[arg-type]  # which is what is tested


def test_events_need_their_fields_and_know_no_others() -> None:
    with pytest.raises(TypeError, match="TurnStarted needs text"):
        TurnStarted()  # type: ignore[call-arg]  # which is what is tested
    with pytest.raises(TypeError, match="TurnStarted has no 'colour'"):
        TurnStarted(text="hi", colour="red")  # type: ignore[call-arg]  # which is what is tested


def test_they_do_not_change_and_are_compared_by_their_values() -> None:
    one, two = Part(size=2), Part(size=2)
    assert (one == two, hash(one) == hash(two), one == Part(), one == 2) == (True, True, False, False)
    assert repr(one) == "Part(size=2)"
    with pytest.raises(FrozenInstanceError, match="'size'"):
        one.size = 3  # type: ignore[misc]  # which is what is tested
    with pytest.raises(FrozenInstanceError, match="'size'"):
        del one.size
    with pytest.raises(TypeError):
        hash(ToolCall(id="1", name="x"))  # arguments have no hash
    assert copy.deepcopy(one) == one
    finished = ToolFinished(call_id="1", tool="x", result="done")
    assert pickle.loads(pickle.dumps(finished)) == finished


def test_they_are_written_as_json_and_read_back() -> None:
    finished = ToolFinished(call_id="1", tool="x", result="done", latency_ms=math.pi)
    assert ToolFinished.model_validate_json(finished.model_dump_json()) == finished
    assert ToolFinished.model_validate(finished.model_dump()) == finished
    assert finished.model_copy(update={"tool": "y"}).tool == "y"


def test_defaults_of_one_are_not_those_of_another() -> None:
    one, two = ToolCall(id="1", name="x"), ToolCall(id="2", name="x")
    one.arguments["path"] = "a"
    assert two.arguments == {}


def test_the_first_answers_of_a_process_need_no_pydantic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGO_MODELS_ALLOW_NETWORK")  # a setting has to be checked
    code = (
        "import sys\n"
        "from lango_nb import Lab\n"
        "lab = Lab(approver='allow')\n"
        "for text in ('how many lines does notes.md have?', 'remember that I like tea', 'write hi to a.txt'):\n"
        "    print(lab.ask(text).turn.outcome)\n"
        "print({'pydantic', 'pydantic_core'} & {*sys.modules})\n"
    )
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said == "success\n" * 3 + "set()\n"
