"""The chain: order, what each answer of a hook does, and that broken or hostile hooks let nothing unapproved run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import JsonValue

from lango_nb.config.settings import Settings
from lango_nb.core.errors import DefinitionError
from lango_nb.hooks.approval_gate import ApprovalService
from lango_nb.hooks.chain import HookChain, HookRow
from lango_nb.hooks.decorator import UserHook, after_call, before_call
from lango_nb.hooks.hook import Block, Blocked, Continue, HookCall, HookNote, Modify, Observe
from lango_nb.hooks.wiring import build_chain
from lango_nb.tools.tool import Tool, ToolResult
from tests.unit.hooks.calls import Person, a_call, a_tool, after, before

DONE = ToolResult("done")


def chain_of(*hooks: UserHook) -> HookChain:
    return build_chain(Settings.model_validate({"security": {"interceptor": {"enabled": False}}}), {}, hooks)


def guarded(*hooks: UserHook) -> HookChain:
    return build_chain(Settings(), {}, hooks)


def saying(answer: object, **options: Any) -> UserHook:
    @before_call(name="own", **options)
    async def own(call: HookCall) -> object:
        return answer

    return own


def test_hooks_are_asked_by_number_and_those_of_one_number_as_they_came() -> None:
    order: list[str] = []

    def named(name: str, priority: int) -> UserHook:
        @before_call(name=name, priority=priority)
        async def hook(call: HookCall) -> None:
            order.append(name)

        return hook

    before(chain_of(named("c", 60), named("a", 5), named("b1", 60), named("b2", 55)), a_call())
    assert order == ["a", "b2", "c", "b1"]


def test_the_rows_hold_hooks_that_are_not_wired_too() -> None:
    off = HookRow("off", "before", 1, "builtin", False, "some setting is off")
    chain = HookChain([off])
    assert chain.rows() == tuple(chain) == (off,)
    assert (chain.before, chain.after) == ((), ())
    assert before(chain, call := a_call())[0] is call


def test_two_hooks_of_one_phase_cannot_share_a_name() -> None:
    with pytest.raises(DefinitionError, match=r"hook 'security_filter' is there already \(before a call\); rename one"):
        chain_of(saying(None), before_call(name="security_filter")(lambda call: None))
    both = chain_of(saying(None), after_call(name="own")(lambda call, result: None))
    assert [row.phase for row in both.rows() if row.name == "own"] == ["before", "after"]


def test_nothing_and_continue_leave_a_call_as_it_is() -> None:
    for answer in (None, Continue()):
        call = a_call(path="a")
        assert before(chain_of(saying(answer)), call) == (call, [])


def test_the_first_block_wins_and_later_hooks_are_not_asked() -> None:
    asked: list[str] = []

    @before_call(priority=60)
    async def later(call: HookCall) -> None:
        asked.append("later")

    blocked, notes = before(chain_of(later, saying(Block("not on Fridays"))), a_call())
    assert isinstance(blocked, Blocked)
    assert blocked.result == ToolResult("tool 'fs_read' blocked by hook: not on Fridays", True, "blocked_by_hook")
    assert notes == [HookNote("own", "before", "block", "not on Fridays")]
    assert asked == []


def test_a_block_with_a_code_of_its_own_says_the_whole_sentence() -> None:
    blocked, _ = before(chain_of(saying(Block("fs_read waits for Monday", "too_early"))), a_call())
    assert isinstance(blocked, Blocked)
    assert blocked.result == ToolResult("fs_read waits for Monday", True, "too_early")


def test_changes_of_arguments_add_up_and_each_leaves_a_note() -> None:
    @before_call(priority=1)
    async def first(call: HookCall) -> Modify:
        return Modify({**call.arguments, "a": "1"}, "because")

    @before_call(priority=2)
    def second(call: HookCall) -> Modify:
        return Modify({**call.arguments, "b": call.arguments["a"] + "2"})

    final, notes = before(chain_of(first, second), a_call(path="x"))
    assert isinstance(final, HookCall)
    assert final.arguments == {"path": "x", "a": "1", "b": "12"}
    assert [(note.hook, note.action, note.detail) for note in notes] == [
        ("first", "modify", "because"),
        ("second", "modify", "changed the arguments"),
    ]


def test_an_observation_is_noted_and_changes_nothing() -> None:
    call = a_call()
    assert before(chain_of(saying(Observe("third\n  time today"))), call) == (
        call,
        [HookNote("own", "before", "observe", "third time today")],
    )


def test_modify_to_the_same_arguments_is_no_change() -> None:
    call = a_call(path="x")
    assert before(chain_of(saying(Modify({"path": "x"}))), call) == (call, [])


class UntellableError(Exception):
    def __str__(self) -> str:
        raise ValueError("not even a text")


@pytest.mark.parametrize(
    "error",
    [ValueError("no\nsuch  day"), UntellableError(), SystemExit(3), asyncio.CancelledError(), DefinitionError("x")],
)
def test_a_hook_that_raises_before_a_call_blocks_it(error: BaseException) -> None:
    @before_call
    async def broken(call: HookCall) -> None:
        raise error

    blocked, notes = before(chain_of(broken), a_call())
    assert isinstance(blocked, Blocked)
    assert (blocked.result.is_error, blocked.code) == (True, "hook_failed")
    assert blocked.result.content.startswith(
        f"hook 'broken' failed, so 'fs_read' was not called: {type(error).__name__}"
    )
    assert "\n" not in blocked.result.content
    assert [(note.hook, note.action) for note in notes] == [("broken", "failed")]


class Strange:
    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


@pytest.mark.parametrize(
    "answer",
    [
        True, False, "continue", 0, {}, DONE, Continue, Block, Modify, object(), Strange(), [Block("x")],
        Modify({"path": float("nan")}), Modify({"path": None}), Modify("path"), Modify(None),  # type: ignore[arg-type]
        Modify({"path": b"x"}),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_nonsense_before_a_call_blocks_it(answer: object) -> None:
    blocked, notes = before(chain_of(saying(answer)), a_call())
    assert isinstance(blocked, Blocked), blocked
    assert blocked.code == "hook_failed"
    assert [note.action for note in notes] == ["failed"]


def test_what_a_hook_gives_is_held_against_the_schema() -> None:
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tool = Tool("fs_read", schema_source=lambda: schema)
    blocked, _ = before(chain_of(saying(Modify({"file": "x"}))), a_call(tool, path="a"))
    assert isinstance(blocked, Blocked)
    assert "it gave arguments that do not fit: missing path parameter" in blocked.reason


def test_arguments_that_hold_themselves_do_not_take_the_turn_down() -> None:
    ring: list[Any] = []
    ring.append(ring)
    blocked, _ = before(chain_of(saying(Modify({"items": ring}))), a_call())
    assert isinstance(blocked, Blocked)
    assert "RecursionError" in blocked.reason


@pytest.mark.parametrize("reason", [None, 7, "", "   ", b"x"])
def test_a_block_without_a_usable_reason_still_blocks(reason: Any) -> None:
    blocked, _ = before(chain_of(saying(Block(reason, code=None))), a_call())  # type: ignore[arg-type]
    assert isinstance(blocked, Blocked)
    assert (blocked.reason, blocked.code) == ("no reason given", "blocked_by_hook")


def test_an_endless_reason_is_cut_to_a_line() -> None:
    blocked, notes = before(chain_of(saying(Block("long\n" * 1_000_000))), a_call())
    assert isinstance(blocked, Blocked)
    assert len(blocked.reason) <= 300 >= len(notes[0].detail)


def test_a_cancelled_turn_is_not_taken_for_a_broken_hook() -> None:
    @before_call
    async def waits(call: HookCall) -> None:
        await asyncio.sleep(30)

    async def work() -> list[HookNote]:
        notes: list[HookNote] = []
        task = asyncio.ensure_future(chain_of(waits).run_before(a_call(), notes.append))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return notes

    assert asyncio.run(work()) == []


# what was approved is what runs


DANGEROUS = a_tool("exec", safety="dangerous")


def test_whoever_answers_sees_the_arguments_as_all_hooks_left_them() -> None:
    person = Person()
    final, _ = before(
        guarded(saying(Modify({"command": "ls b"}))), a_call(DANGEROUS, {ApprovalService: person}, command="ls a")
    )
    assert isinstance(final, HookCall)
    assert person.asked == [{"command": "ls b"}] == [final.arguments]


def test_arguments_changed_after_the_answer_need_another_answer() -> None:
    person = Person()
    late = saying(Modify({"command": "ls b"}), priority=95)
    final, _ = before(guarded(late), a_call(DANGEROUS, {ApprovalService: person}, command="ls a"))
    assert isinstance(final, HookCall)
    assert person.asked == [{"command": "ls a"}, {"command": "ls b"}]
    assert final.arguments == person.asked[-1]


def test_several_late_changes_are_asked_about_once_together() -> None:
    person = Person()
    late = [
        before_call(name=f"late{n}", priority=95)(
            lambda call, n=n: Modify({"command": f"{call.arguments['command']}{n}"})
        )
        for n in range(3)
    ]
    before(guarded(*late), a_call(DANGEROUS, {ApprovalService: person}, command="ls "))
    assert person.asked == [{"command": "ls "}, {"command": "ls 012"}]


@pytest.mark.parametrize("priority", [0, 50, 89, 90, 91, 1000])
def test_no_hook_smuggles_a_blocked_command_past_the_security_filter(priority: int) -> None:
    person = Person()
    smuggler = saying(Modify({"command": "rm -rf /"}), priority=priority)
    blocked, _ = before(guarded(smuggler), a_call(DANGEROUS, {ApprovalService: person}, command="ls"))
    assert isinstance(blocked, Blocked)
    assert blocked.hook == "security_filter"
    assert {"command": "rm -rf /"} not in person.asked


def test_personal_data_that_a_hook_brings_in_is_masked_before_anybody_is_asked() -> None:
    settings = Settings.model_validate({"security": {"interceptor": {"redactPii": True}}})
    person = Person()
    for priority in (50, 95):
        person.asked.clear()
        chain = build_chain(settings, {}, [saying(Modify({"command": "mail ada@example.org"}), priority=priority)])
        final, _ = before(chain, a_call(DANGEROUS, {ApprovalService: person}, command="ls"))
        assert isinstance(final, HookCall)
        assert final.arguments == {"command": "mail [email]"} == person.asked[-1]


def test_a_no_to_the_changed_arguments_is_a_no() -> None:
    class OnlyOnce(Person):
        async def decide(self, call: HookCall) -> Continue | Block:
            await super().decide(call)
            return Continue() if len(self.asked) == 1 else Block("exec was not run: no", "approval_denied")

    late = saying(Modify({"command": "ls b"}), priority=95)
    blocked, _ = before(guarded(late), a_call(DANGEROUS, {ApprovalService: OnlyOnce()}, command="ls a"))
    assert isinstance(blocked, Blocked)
    assert blocked.result == ToolResult("exec was not run: no", True, "approval_denied")


@pytest.mark.parametrize("is_async", [True, False])
def test_arguments_changed_in_place_change_nothing_and_say_so(is_async: bool) -> None:
    def spoil(call: HookCall) -> None:
        call.arguments["paths"].append("/etc/shadow")

    async def spoil_later(call: HookCall) -> None:
        spoil(call)

    hook: Callable[..., Any] = spoil_later if is_async else spoil
    call = a_call(paths=["a"])
    blocked, _ = before(chain_of(before_call(hook)), call)
    assert isinstance(blocked, Blocked)
    assert "changed call.arguments in place, which changes nothing; return Modify(…)" in blocked.reason
    assert call.arguments == {"paths": ["a"]}


def test_a_changed_copy_may_be_what_modify_gives() -> None:
    @before_call
    def absolute(call: HookCall) -> Modify:
        arguments = dict(call.arguments)
        call.arguments["paths"].append("b")
        return Modify(arguments)

    final, _ = before(chain_of(absolute), a_call(paths=["a"]))
    assert isinstance(final, HookCall)
    assert final.arguments == {"paths": ["a", "b"]}


def test_a_hook_keeps_no_hold_of_the_arguments_it_gave() -> None:
    mine: dict[str, Any] = {"paths": ["a"], "more": {"x": {"y": "1"}}}
    final, _ = before(chain_of(saying(Modify(mine))), a_call())
    mine["paths"].append("b")
    mine["more"]["x"]["y"] = "2"
    assert isinstance(final, HookCall)
    assert final.arguments == {"paths": ["a"], "more": {"x": {"y": "1"}}}
    odd = bytearray(b"a")  # nothing JSON knows, where a schema lets anything pass
    final, _ = before(chain_of(saying(Modify({"odd": odd}))), a_call(Tool("open_to_all", schema_source=dict)))
    odd.extend(b"b")
    assert isinstance(final, HookCall)
    assert final.arguments == {"odd": b"a"}


# after the call


def test_replacements_of_a_result_add_up() -> None:
    @after_call(priority=60)
    async def second(call: HookCall, result: ToolResult) -> ToolResult:
        return ToolResult(result.content + "2")

    @after_call(priority=55)
    def first(call: HookCall, result: ToolResult) -> ToolResult:
        return ToolResult(result.content + "1")

    result, notes = after(chain_of(second, first), a_call(), DONE)
    assert result == ToolResult("done12")
    assert [(note.hook, note.phase, note.action, note.detail) for note in notes] == [
        ("first", "after", "modify", "replaced the result: 4 characters became 5"),
        ("second", "after", "modify", "replaced the result: 5 characters became 6"),
    ]


def test_hooks_see_failures_too_and_turning_one_into_a_result_is_noted() -> None:
    @after_call
    async def mend(call: HookCall, result: ToolResult) -> ToolResult | Observe:
        return ToolResult("mended") if result.is_error else Observe("nothing to mend")

    result, notes = after(chain_of(mend), a_call(), ToolResult("boom", True, "tool_failed"))
    assert (result, notes[0].detail) == (ToolResult("mended"), "turned a failure into a result")
    assert after(chain_of(mend), a_call(), DONE)[1] == [HookNote("mend", "after", "observe", "nothing to mend")]


@pytest.mark.parametrize(
    "answer",
    [True, "text", {}, Block("x"), Modify({}), Continue(), ToolResult(None), ToolResult(b"x"), ToolResult, Strange()],  # type: ignore[arg-type]
    ids=lambda value: type(value).__name__,
)
def test_nonsense_after_a_call_is_noted_and_leaves_the_result(answer: object) -> None:
    seen: list[str] = []

    @after_call
    async def broken(call: HookCall, result: ToolResult) -> object:
        return answer

    @after_call(priority=60)
    async def next_one(call: HookCall, result: ToolResult) -> None:
        seen.append(result.content)

    result, notes = after(chain_of(broken, next_one), a_call(), DONE)
    assert (result, seen) == (DONE, ["done"])
    assert [(note.hook, note.action) for note in notes] == [("broken", "failed")]
    assert notes[0].detail.endswith("the result is as it was")


@pytest.mark.parametrize("error", [ValueError("no"), UntellableError(), SystemExit(), asyncio.CancelledError()])
def test_a_hook_that_raises_after_a_call_is_noted_and_the_others_still_run(error: BaseException) -> None:
    @after_call
    async def broken(call: HookCall, result: ToolResult) -> None:
        raise error

    @after_call(priority=60)
    async def next_one(call: HookCall, result: ToolResult) -> ToolResult:
        return ToolResult(result.content.upper())

    result, notes = after(chain_of(broken, next_one), a_call(), DONE)
    assert result == ToolResult("DONE")
    assert [(note.hook, note.action) for note in notes] == [("broken", "failed"), ("next_one", "modify")]


def test_a_turn_cancelled_in_an_after_hook_is_cancelled() -> None:
    @after_call
    async def waits(call: HookCall, result: ToolResult) -> None:
        await asyncio.sleep(30)

    async def work() -> None:
        task = asyncio.ensure_future(chain_of(waits).run_after(a_call(), DONE, lambda note: None))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())


def test_a_plain_hook_that_does_not_come_back_holds_nobody_else_up() -> None:
    import threading

    release = threading.Event()

    @before_call(tools="slow_*")
    def hangs(call: HookCall) -> None:
        release.wait(10)

    async def work() -> bool:
        chain = chain_of(hangs)
        stuck = asyncio.ensure_future(chain.run_before(a_call("slow_one"), lambda note: None))
        await asyncio.sleep(0.02)
        other = await asyncio.wait_for(chain.run_before(a_call("fs_read"), lambda note: None), 1)
        is_stuck = not stuck.done()
        stuck.cancel()
        await asyncio.gather(stuck, return_exceptions=True)
        return is_stuck and isinstance(other, HookCall)

    try:
        assert asyncio.run(work())
    finally:
        release.set()


@dataclass
class Plain:
    """A hook that is a class of somebody's own, and not hashable."""

    name: str = "plain"
    priority: int = 1

    async def before(self, call: HookCall) -> Modify:
        return Modify({"path": "b"})


def test_any_object_with_the_methods_is_a_hook() -> None:
    row = HookRow("plain", "before", 1, "user", True, "a test", Plain())
    final, _ = before(
        HookChain([row, *build_chain(Settings(), {}).rows()]), a_call("fs_read", {ApprovalService: Person()})
    )
    assert isinstance(final, HookCall)
    assert final.arguments == {"path": "b"}
