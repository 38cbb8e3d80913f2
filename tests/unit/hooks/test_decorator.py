"""A user's hook: a function with a decorator, refused at once when it could not be called as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial, wraps
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.errors import DefinitionError
from lango_nb.hooks.decorator import AfterCall, BeforeCall, after_call, before_call
from lango_nb.hooks.hook import Block, Blocked, HookCall, Observe
from lango_nb.hooks.wiring import build_chain
from lango_nb.tools.tool import ToolResult
from tests.unit.hooks.calls import Person, a_call, after, before

OFF = Settings.model_validate({"security": {"interceptor": {"enabled": False}}})


def test_bare_and_with_options_it_makes_a_hook_that_can_still_be_called() -> None:
    @before_call
    def one(call: Any) -> str:
        return f"one {call}"

    @after_call(name="two", priority=7, tools=["fs_*", "exec"])
    async def other(call: Any, result: Any) -> None: ...

    assert isinstance(one, BeforeCall)
    assert isinstance(other, AfterCall)
    assert (one.name, one.priority, one.tools) == ("one", 50, ())
    assert (other.name, other.priority, other.tools) == ("two", 7, ("fs_*", "exec"))
    assert one("x") == "one x"


def test_patterns_say_which_tools_it_looks_at() -> None:
    @before_call(tools="fs_*")
    async def no_files(call: HookCall) -> Block:
        return Block("no files")

    chain = build_chain(OFF, {}, [no_files])
    found = {name: isinstance(before(chain, a_call(name))[0], Blocked) for name in ("fs_read", "FS_READ", "exec", "fs")}
    assert found == {"fs_read": True, "FS_READ": False, "exec": False, "fs": False}


class Hooks:
    def takes_self(self, call: HookCall) -> Block:
        return Block("bound")


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def inner(*args: Any) -> Any:
        return function(*args)

    return inner


def test_methods_defaults_wrapped_functions_and_coroutines_given_back_work() -> None:
    @before_call
    def with_default(call: HookCall, more: int = 1) -> None: ...

    @before_call(name="wrapped")
    @decorated
    def wrapped(call: HookCall) -> Block:
        return Block("wrapped")

    async def later(call: HookCall) -> Block:
        return Block("later")

    @before_call(name="gives_coroutine")
    def gives_coroutine(call: HookCall) -> Awaitable[Block]:
        return later(call)

    for hook, reason in (
        (with_default, None),
        (wrapped, "wrapped"),
        (gives_coroutine, "later"),
        (before_call(Hooks().takes_self), "bound"),
    ):
        said, _ = before(build_chain(OFF, {}, [hook]), a_call())
        assert (said.reason if isinstance(said, Blocked) else None) == reason


def no_parameters() -> None: ...
def two(call: Any, result: Any) -> None: ...
def swapped(result: Any, call: Any) -> None: ...
def other_name(request: Any) -> None: ...
def needs_more(call: Any, result: Any, extra: Any) -> None: ...
def needs_keyword(call: Any, *, key: Any) -> None: ...
def stars(*args: Any) -> None: ...
def keyword_only(*, call: Any) -> None: ...
def generator(call: Any) -> Iterator[int]:
    yield 1


async def async_generator(call: Any) -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("decorate", "function", "sentence"),
    [
        (before_call, no_parameters, "hook 'no_parameters' takes (call), not ()"),
        (before_call, two, "hook 'two' takes (call), not (call, result)"),
        (before_call, other_name, "hook 'other_name' takes (call), not (request)"),
        (before_call, needs_keyword, "hook 'needs_keyword' takes (call), not (call, key)"),
        (before_call, stars, "hook 'stars' takes (call), not (*args)"),
        (before_call, keyword_only, "hook 'keyword_only' takes (call), not (call)"),
        (after_call, swapped, "hook 'swapped' takes (call, result), not (result, call)"),
        (after_call, other_name, "hook 'other_name' takes (call, result), not (request)"),
        (after_call, needs_more, "hook 'needs_more' takes (call, result), not (call, result, extra)"),
        (before_call, generator, "hook 'generator' is a generator; return one answer instead of yielding parts"),
        (before_call, async_generator, "hook 'async_generator' is a generator; return one answer instead of yielding"),
        (before_call, lambda call: None, "a hook needs a name; write a def, or give name=…"),
        (before_call, 7, "a hook is a function that takes (call), not 7"),
        (before_call, "x" * 500, "a hook is a function that takes (call), not 'xxx"),
        (before_call, Hooks, "a hook is a function that takes (call), not <class"),
        (before_call, partial(two, 1), "a hook is a function that takes (call), not functools.partial("),
        (before_call, print, "a hook is a function that takes (call), not <built-in"),
    ],
)
def test_a_wrong_signature_is_refused_when_registered(decorate: Any, function: Any, sentence: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        decorate(function)
    assert str(refused.value).startswith(sentence)
    assert len(str(refused.value)) < 160
    with pytest.raises(DefinitionError):
        decorate(priority=3)(function)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"priority": "high"}, "hook 'f': priority is a whole number, not 'high'"),
        ({"priority": True}, "hook 'f': priority is a whole number, not True"),
        ({"tools": [7]}, "hook 'f': 7 is not a pattern of tool names"),
        ({"tools": ["fs_*", ""]}, "hook 'f': '' is not a pattern of tool names"),
        ({"name": " "}, "a hook needs a name; write a def, or give name=…"),
    ],
)
def test_a_wrong_option_is_refused_when_registered(options: dict[str, Any], sentence: str) -> None:
    def f(call: Any) -> None: ...

    with pytest.raises(DefinitionError) as refused:
        before_call(**options)(f)
    assert str(refused.value) == sentence


def test_what_is_no_hook_does_not_join_the_chain() -> None:
    with pytest.raises(DefinitionError, match=r"two is not a hook; put @before_call or @after_call on the function"):
        build_chain(OFF, {}, [two])  # type: ignore[list-item]


def test_a_later_hook_of_the_same_name_takes_the_earlier_ones_place() -> None:
    def version(reason: str) -> BeforeCall:
        @before_call(name="mine")
        async def mine(call: HookCall) -> Observe:
            return Observe(reason)

        return mine

    chain = build_chain(OFF, {}, [version("first"), version("second")])
    assert [note.detail for note in before(chain, a_call())[1]] == ["second"]


def test_hooks_show_as_the_users_own_with_their_patterns() -> None:
    chain = build_chain(OFF, {}, [before_call(tools=("a_*", "b_*"), name="mine")(lambda call: None)])
    row = next(row for row in chain if row.name == "mine")
    assert (row.source, row.is_wired, row.why) == ("user", True, "yours, for a_*, b_*")


def test_many_calls_share_one_hook_without_mixing() -> None:
    @before_call
    async def stamp(call: HookCall) -> Observe:
        await asyncio.sleep(0)
        return Observe(call.arguments["path"])

    async def work() -> list[str]:
        chain = build_chain(OFF, {}, [stamp])
        seen: list[list[Any]] = [[] for _ in range(64)]
        await asyncio.gather(*(chain.run_before(a_call(path=str(n)), seen[n].append) for n in range(64)))
        return [note.detail for notes in seen for note in notes]

    assert asyncio.run(work()) == [str(n) for n in range(64)]


def test_an_after_hook_cannot_change_what_the_call_is_said_to_have_been() -> None:
    @after_call
    def spoil(call: HookCall, result: ToolResult) -> None:
        call.arguments["path"] = "other"  # type: ignore[index]

    call = a_call(path="a")
    result, notes = after(build_chain(OFF, {}, [spoil]), call, ToolResult("done"))
    assert (result.content, call.arguments) == ("done", {"path": "a"})
    assert notes[0].action == "failed"


def test_a_users_hook_may_use_what_is_bound() -> None:
    @before_call
    async def asks(call: HookCall) -> Observe:
        assert call.service(dict) is None
        person = call.service(Person)
        return Observe("there" if person is not None else "nobody")

    _, notes = before(build_chain(OFF, {}, [asks]), a_call("fs_read", {Person: Person()}))
    assert notes[0].detail == "there"
