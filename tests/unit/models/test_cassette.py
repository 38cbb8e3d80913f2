"""Recordings: turns replayed in another engine, with other ids and without files; secrets, misses, broken files."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ModelError, StoreError, TurnError
from lango_nb.core.ids import CountedIds, Ids, RandomIds
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.engine import Engine
from lango_nb.models.cassette import Cassette
from lango_nb.models.cassette_form import Names
from lango_nb.models.model import Model, StreamingModel, is_live
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import AllowAll
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Play, spawn

SCHEMAS = Path(__file__).parents[2] / "data" / "cassettes"
ROOT = "lango-orchestrator"
CANARY = "sk-canary0123456789abcdefghij"


def user(text: str) -> list[Message]:
    return [
        Message(role="system", content="You are vault. You keep keys.", author="vault"),
        Message(role="user", content=text, author="user"),
    ]


def ask(model: Model, text: str = "hash a", tools: Sequence[ToolSchema] = ()) -> Reply:
    return asyncio.run(model.complete(user(text), tools))


class Forbidden:
    """A model nobody may call."""

    name = "forbidden"
    is_live = True

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Fail."""
        raise AssertionError("a model was called")


MakeEngine = Callable[..., Engine]


@pytest.fixture
def engine(tmp_path: Path) -> MakeEngine:
    """Make an engine in a workspace of that name, with teammates."""

    def make(
        model: Model,
        tools: Sequence[Tool],
        *,
        topology: str = "octet",
        workspace: str = "shed",
        ids: Ids | None = None,
        **agent: Any,
    ) -> Engine:
        folder = tmp_path / workspace
        folder.mkdir(exist_ok=True)
        settings = {"agent": {"multiAgent": True, **agent}, "background": {"enabled": True}}
        return Engine(
            Settings.model_validate(settings),
            topology=topology,
            tools=tools,
            model=model,
            workspace=folder,
            clock=SteppedClock(),
            ids=ids or RandomIds(),
            approver=AllowAll(),
        )

    return make


@pytest.fixture
def shed(tmp_path: Path) -> Path:
    """Put a file into the workspace where turns are recorded."""
    folder = tmp_path / "shed"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\nfirst\nsecond\n", encoding="utf-8")
    return folder


def run(engine: Engine, *texts: str) -> list[Trace]:
    try:
        return [engine.run_sync(text) for text in texts]
    finally:
        engine.close()


def told(traces: Sequence[Trace]) -> list[tuple[str, str, tuple[str, ...], int]]:
    return [(trace.turn.outcome, trace.turn.answer, trace.turn.path, trace.turn.tool_calls) for trace in traces]


# -- whole turns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topology", "texts"),
    [
        ("octet", ("how many lines does notes.md have?", "write 'done' to log.txt", "delete notes.md")),
        ("quartet", ("read notes.md", "write 'done' to log.txt", "delete notes.md")),
        ("solo", ("read notes.md", "delete notes.md")),
    ],
)
def test_turns_replay_elsewhere_with_other_ids_and_without_their_files(
    engine: MakeEngine, shed: Path, tmp_path: Path, topology: str, texts: tuple[str, ...]
) -> None:
    path = tmp_path / "tape" / "shed.json"
    tape = Cassette(path)
    recorded = run(
        engine(tape.model(OfflineModel()), tape.tools(builtin_tools(), live=True), topology=topology), *texts
    )
    assert {trace.turn.outcome for trace in recorded} == {"success"}
    assert not (shed / "notes.md").exists()

    again = Cassette(path)
    other = engine(again.model(), again.tools(builtin_tools()), topology=topology, workspace="empty")
    assert told(run(other, *texts)) == told(recorded)
    assert list((tmp_path / "empty").iterdir()) == []
    assert again.unused == ()
    again.check_finished()


def test_ids_in_a_recorded_reply_are_those_of_the_present_run(engine: MakeEngine, shed: Path, tmp_path: Path) -> None:
    path = tmp_path / "shed.json"
    tape = Cassette(path)
    run(engine(tape.model(OfflineModel()), tape.tools(builtin_tools(), live=True)), "how many lines has notes.md?")
    assert "arun-#1" in path.read_text()
    again = Cassette(path)
    (trace,) = run(engine(again.model(), again.tools(builtin_tools())), "how many lines has notes.md?")
    waits = [
        call.arguments["agent_id"]
        for message in trace.messages
        for call in message.tool_calls
        if call.name == "agent_wait"
    ]
    started = [event.run_id for event in trace.events if event.kind == "run.started"]
    assert waits == started
    assert trace.turn.answer == "notes.md has 3 lines."


@pytest.mark.parametrize(("before", "after"), [(CountedIds, RandomIds), (RandomIds, CountedIds)])
def test_counted_ids_and_random_ones_find_each_other(
    engine: MakeEngine, tmp_path: Path, before: Callable[[], Ids], after: Callable[[], Ids]
) -> None:
    path, line = tmp_path / "tasks.json", "read notes.md"

    def last(name: str) -> Play:
        async def play(messages: Sequence[Message]) -> Any:
            given = json.loads(messages[-1].content)
            return name, {"task_id": given["task_id"], **({"status": "done"} if name == "task_update" else {})}

        return play

    async def say(messages: Sequence[Message]) -> str:
        given = json.loads(messages[-1].content)
        return f"{given['task_id']} was made {given['created_at']}; task-99 is another"

    cast = Cast({"root": [("task_create", {"title": "dig"}), last("task_update"), last("task_get"), say]})
    (recorded,) = run(engine(Cassette(path).record(cast), (), ids=before()), line)
    (trace,) = run(engine(Cassette(path).replay(), (), ids=after()), line)
    assert (recorded.turn.outcome, trace.turn.outcome) == ("success", "success")
    (made,) = [json.loads(m.content) for m in trace.messages if m.tool_name == "task_get"]
    assert trace.turn.answer == f"{made['task_id']} was made {made['created_at']}; task-99 is another"


def test_teammates_at_work_at_once_are_replayed_whoever_is_faster(engine: MakeEngine, tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    agents = ("operator", "vault", "librarian")

    async def wait_for_all(messages: Sequence[Message]) -> Any:
        told = [json.loads(m.content) for m in messages if m.tool_name == "agent_spawn"]
        return [("agent_wait", {"agent_id": one["agent_id"], "timeout": 5}) for one in told]

    def after(steps: int, line: str) -> Play:
        async def play(_messages: Sequence[Message]) -> str:
            for _ in range(steps):
                await asyncio.sleep(0)
            return line

        return play

    cast = Cast(
        {
            "root": [[spawn(agent, f"do {agent}") for agent in agents], wait_for_all, "all done", "and again"],
            **{agent: [after(20 * (3 - place), f"{agent} did")] for place, agent in enumerate(agents)},
        }
    )
    tape = Cassette(path)
    recorded = run(engine(tape.record(cast), ()), "go", "again")
    assert recorded[0].turn.answer == "all done"
    again = Cassette(path)
    assert told(run(engine(again.replay(), ()), "go", "again")) == told(recorded)
    assert again.unused == ()


def test_waits_that_come_to_nothing_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "wait.json"

    def messages(run_id: str, *statuses: str) -> list[Message]:
        said = user("go")
        for number, status in enumerate(statuses):
            call = ToolCall(id=f"c{run_id}{number}", name="agent_wait", arguments={"agent_id": run_id})
            result = json.dumps({"agent_id": run_id, "status": status})
            said += [
                Message(role="assistant", author="vault", tool_calls=(call,)),
                Message(role="tool", author="vault", content=result, tool_call_id=call.id, tool_name="agent_wait"),
            ]
        return said

    def wait(run_id: str) -> Reply:
        return Reply(tool_calls=(ToolCall(id="w", name="agent_wait", arguments={"agent_id": run_id}),))

    slow = ("running", "running", "completed")
    script = ScriptedModel([wait("arun-1"), wait("arun-1"), wait("arun-1"), "done"])
    recorder = Cassette(path).record(script)
    for number in range(4):
        asyncio.run(recorder.complete(messages("arun-1", *slow[:number]), []))
    script.check_finished()
    assert len(Cassette(path)) == 2

    tape = Cassette(path)
    model = tape.replay()
    asyncio.run(model.complete(messages("arun-8"), []))
    assert asyncio.run(model.complete(messages("arun-8", "completed"), [])).text == "done"
    assert tape.unused == ()

    slower = Cassette(path).replay()
    asyncio.run(slower.complete(messages("arun-0000000000000001"), []))
    for number in range(1, 6):
        asked = messages("arun-0000000000000001", *(["running"] * number))
        reply = asyncio.run(slower.complete(asked, []))
        assert reply.tool_calls[0].name == "agent_wait"
    with pytest.raises(ModelError, match="asked for already"):
        asyncio.run(slower.complete(messages("arun-0000000000000001"), []))


def test_a_turn_that_was_never_recorded_ends_with_the_call_that_is_new(
    engine: MakeEngine, shed: Path, tmp_path: Path
) -> None:
    path = tmp_path / "shed.json"
    tape = Cassette(path)
    run(engine(tape.model(OfflineModel()), tape.tools(builtin_tools(), live=True)), "read notes.md")
    again = Cassette(path)
    (trace,) = run(engine(again.model(), again.tools(builtin_tools())), "read plan.md")
    assert trace.turn.outcome == "model_error"
    assert trace.turn.error_code == "cassette_miss"
    assert "message 2 differs: recorded 'read notes.md', now 'read plan.md'" in again.misses[0]
    assert again.misses[0].endswith("; record it with lab.record('shed.json') or %lango model NAME --record shed.json")
    assert "\n" not in again.misses[0]
    with pytest.raises(ModelError, match=r"call 1 is not on shed\.json"):
        again.check_finished()


# -- what is written ---------------------------------------------------------------------------------------------------


def test_two_recordings_are_the_same_to_the_letter_whatever_the_ids(
    engine: MakeEngine, shed: Path, tmp_path: Path
) -> None:
    written = []
    for number, ids in enumerate((CountedIds(), CountedIds(), RandomIds())):
        path = tmp_path / f"{number}.json"
        tape = Cassette(path)
        tools = tape.tools(builtin_tools(), live=True)
        run(engine(tape.model(OfflineModel()), tools, ids=ids), "how many lines has notes.md?", "list the files")
        written.append(path.read_bytes())
    assert written[0] == written[1] == written[2]
    changed = Cassette(path)
    ask(changed.record(ScriptedModel(["one"])))
    changed.rewind()
    run(engine(changed.model(), changed.tools(builtin_tools())), "how many lines has notes.md?", "list the files")
    assert changed.drop_unused() == 1
    assert path.read_bytes() == written[0]  # read and written again, it is the same


def test_no_secret_of_a_request_a_reply_or_a_result_is_in_the_file(engine: MakeEngine, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"

    @tool(safety="safe")
    async def secrets_get(name: str, password: str) -> str:
        """Get a secret.

        Parameters
        ----------
        name : str
            Which.
        password : str
            Opens the store.
        """
        return f"{name} is {CANARY}, password = swordfish7"

    lines: dict[str, Any] = {
        "root": [("transfer_to_agent", {"agent_name": "executor", "reason": f"needs {CANARY}"})],
        "executor": [("secrets_get", {"name": "main", "password": "hunter22"}), f"It is {CANARY}."],
    }
    text = f"my key is {CANARY} and password = swordfish7"
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "SAFETY.md").write_text("# Safety\n\nNever say password = magpie99.\n")
    prompts = str(tmp_path / "prompts")
    tape = Cassette(path)
    made = engine(
        tape.record(Cast(lines)), tape.tools([secrets_get], live=True), topology="quartet", promptsDir=prompts
    )
    (recorded,) = run(made, text)
    assert recorded.turn.outcome == "success"
    assert "Never say password" in path.read_text()
    for secret in (CANARY, "hunter22", "swordfish7", "magpie99"):
        assert secret not in path.read_text()
    again = Cassette(path)
    (trace,) = run(engine(again.replay(), again.tools([secrets_get]), topology="quartet", promptsDir=prompts), text)
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "It is [masked].")
    assert again.unused == ()
    with pytest.raises(ModelError) as miss:
        ask(Cassette(path).replay(), f"other {CANARY}")
    assert CANARY not in str(miss.value)


def test_no_secret_of_a_schema_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    tools = [ToolSchema(name="a", description=f"Try {CANARY}.", parameters={"default": {"api_key": "hunter22"}})]
    ask(Cassette(path).record(ScriptedModel(["one"])), tools=tools)
    assert CANARY not in path.read_text()
    assert "hunter22" not in path.read_text()
    assert ask(Cassette(path).replay(), tools=tools).text == "one"


def test_usage_cost_and_the_models_name_are_kept_and_the_name_is_no_part_of_the_key(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    usage = Usage(input_tokens=12, output_tokens=3, latency_ms=41.5, cost_usd=0.002)
    ask(Cassette(path).record(ScriptedModel([Reply(text="2cf2", usage=usage)], name="openai:gpt-x")))
    model = Cassette(path).replay()
    assert model.name == "cassette:a.json"
    assert not is_live(model)
    assert ask(model).usage == usage.model_copy(update={"model": "openai:gpt-x"})


def test_an_interrupted_write_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    model = Cassette(path).record(ScriptedModel(["one", "two", "three"]))
    ask(model, "a")
    before = path.read_bytes()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            ask(model, "b")
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["a.json"]
    ask(model, "c")
    assert len(Cassette(path)) == 3  # the reply that was paid for is still there


def test_what_another_process_recorded_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    ask(Cassette(path).record(ScriptedModel(["zero"])), "zero")
    one, other = Cassette(path), Cassette(path)
    ask(one.record(ScriptedModel(["first"])), "first")
    ask(other.record(ScriptedModel(["second"])), "second")
    model = Cassette(path).replay()
    assert [ask(model, text).text for text in ("zero", "first", "second")] == ["zero", "first", "second"]
    with pytest.raises(StoreError, match=r"a\.json was changed by somebody else; open it again"):
        one.drop_unused()


# -- finding -----------------------------------------------------------------------------------------------------------


def test_the_same_request_gets_its_replies_in_order_and_then_none(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    ask(Cassette(path).record(ScriptedModel(["one"])))
    tape = Cassette(path)
    model = tape.record(ScriptedModel(["two"]))
    assert [ask(model).text, ask(model).text] == ["one", "two"]
    replay = Cassette(path)
    model = replay.replay()
    assert [ask(model).text, ask(model).text] == ["one", "two"]
    with pytest.raises(ModelError, match=r"call 3 is not on a\.json: vault .*recorded as call 2, .*asked for already"):
        ask(model)
    replay.rewind()
    assert replay.misses == ()
    assert ask(model).text == "one"


def test_summaries_of_teammates_are_found_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    def history(*said: str) -> list[Message]:
        return [*user("go"), *(Message(role="assistant", content=text, author=ROOT) for text in said)]

    one, other = "vault reports: 2cf2 by arun-1.", "operator reports: 3 lines."
    asyncio.run(Cassette(path).record(ScriptedModel(["both"])).complete(history(one, other), []))
    swapped = history(other, one.replace("arun-1", "arun-0123456789abcdef"))
    assert asyncio.run(Cassette(path).replay().complete(swapped, [])).text == "both"
    with pytest.raises(ModelError, match="message 3 differs"):  # what agents say themselves has an order
        asyncio.run(Cassette(path).replay().complete(history("first", "second"), []))


def test_ids_of_calls_are_new_each_time_and_ids_nobody_knows_keep_their_shape(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    strange = Reply(text="see issue-#7", tool_calls=(ToolCall(id="", name="t", arguments={"id": "arun-77"}),))
    recorder = Cassette(path).record(ScriptedModel([strange, strange]))
    ask(recorder)
    ask(recorder)
    model = Cassette(path).replay()
    one, other = ask(model), ask(model)
    assert one.text == "see issue-#7"
    assert one.tool_calls[0].id != other.tool_calls[0].id
    made = str(one.tool_calls[0].arguments["id"])
    assert Names().hide(made) == "arun-#1"
    assert made != "arun-#1"


def test_calls_stand_in_the_file_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    async def play(messages: Sequence[Message]) -> str:
        for _ in range(10 if messages[-1].content == "first" else 1):
            await asyncio.sleep(0)
        return messages[-1].content.upper()

    async def both() -> None:
        model = Cassette(path).record(ScriptedModel([play, play]))
        await asyncio.gather(*(model.complete(user(text), []) for text in ("first", "second")))

    asyncio.run(both())
    assert [call["reply"]["text"] for call in json.loads(path.read_text())["calls"]] == ["FIRST", "SECOND"]


def test_a_known_call_is_not_made_again_and_a_failed_one_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    model = Cassette(path).record(ScriptedModel([ValueError("busy"), "one"]))
    with pytest.raises(ValueError, match="busy"):
        ask(model)
    assert not path.exists()
    ask(model)
    model = Cassette(path).record(Forbidden())
    assert is_live(model)
    assert ask(model).text == "one"
    with pytest.raises(AssertionError, match="a model was called"):
        ask(model)


@pytest.mark.parametrize("given", [None, "text", Reply.model_construct(text=cast("str", 7)), {"text": "no Reply"}])
def test_what_is_no_reply_is_passed_on_and_not_kept(tmp_path: Path, given: Any) -> None:
    class Odd:
        name = "odd"

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            """Answer oddly."""
            return given  # type: ignore[no-any-return]

    assert ask(Cassette(tmp_path / "a.json").record(Odd())) is given
    assert not (tmp_path / "a.json").exists()


def schema(name: str, description: str = "") -> ToolSchema:
    return ToolSchema(name=name, description=description)


def test_the_order_of_tools_and_the_ids_of_calls_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    def asked(first: str, second: str) -> list[Message]:
        calls = tuple(ToolCall(id=one, name="t", arguments={}) for one in (first, second))
        answers = [Message(role="tool", content="x", tool_call_id=one, tool_name="t") for one in (second, first)]
        return [*user("go"), Message(role="assistant", tool_calls=calls), *answers]

    recorder = Cassette(path).record(ScriptedModel(["one"]))
    asyncio.run(recorder.complete(asked("toolu_1", "toolu_2"), [schema("a"), schema("b")]))
    model = Cassette(path).replay()
    with pytest.raises(ModelError, match="differs"):  # the answers the other way round are another request
        asyncio.run(model.complete([*asked("x", "y")[:3], *reversed(asked("x", "y")[3:])], [schema("a"), schema("b")]))
    assert asyncio.run(model.complete(asked("9", "same"), [schema("b"), schema("a")])).text == "one"


def test_two_calls_of_one_id_are_two(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    def asked(*ids: str) -> list[Message]:
        said = user("go")
        for one in ids:
            said += [
                Message(role="assistant", tool_calls=(ToolCall(id=one, name="t"),)),
                Message(role="tool", content="x", tool_call_id=one, tool_name="t"),
            ]
        return said

    asyncio.run(Cassette(path).record(ScriptedModel(["one"])).complete(asked("call-1", "call-1"), []))
    assert asyncio.run(Cassette(path).replay().complete(asked("call-1", "call-2"), [])).text == "one"


@pytest.mark.parametrize(
    ("messages", "tools", "said"),
    [
        (user("hash b"), ["a", "b"], "message 2 differs: recorded 'hash a', now 'hash b'"),
        ([*user("hash a"), *user("x")[1:]], ["a", "b"], "only the present one has a message 3, user 'x'"),
        (user("hash a"), ["a", "c"], "the tools differ: new c; gone b"),
        (user("hash a")[1:], ["a", "b"], "it is vault's"),
        ([Message(role="system", content="You are vault. You lie.", author="vault"), *user("hash a")[1:]], ["a", "b"],
         "its system prompt differs: recorded 'You are vault. You keep keys.', now 'You are vault. You lie.'"),
    ],
)  # fmt: skip
def test_a_miss_says_what_is_new(tmp_path: Path, messages: list[Message], tools: list[str], said: str) -> None:
    path = tmp_path / "a.json"
    recorder = Cassette(path).record(ScriptedModel(["one", "far"]))
    ask(recorder, "hash a", [schema("a"), schema("b")])
    asyncio.run(recorder.complete([Message(role="system", content="", author="planner"), *user("hash b")[1:]], []))
    tape = Cassette(path)
    with pytest.raises(ModelError) as miss:
        asyncio.run(tape.replay().complete(messages, [schema(name) for name in tools]))
    assert miss.value.code == "cassette_miss"
    assert f"nearest is its call 1, but {said}; record it with" in str(miss.value)


def test_what_to_do_is_not_cut_where_a_turn_says_what_it_missed(engine: MakeEngine, tmp_path: Path) -> None:
    path = tmp_path / "a-garden-with-a-name.json"
    long = "how many plants of the bed behind the shed have had no water since"
    made = engine(ScriptedModel(["Nine."]), (), topology="solo")
    try:
        made.record(path)
        made.run_sync(f"{long} Friday?")
        tape = made.play(path)
        answer = made.run_sync(f"{long} Monday?", session="another").turn.answer
    finally:
        made.close()
    advice = f"record it with lab.record({path.name!r}) or %lango model NAME --record {path.name}"
    assert advice in answer
    assert advice in tape.misses[0]
    assert "now '…" in tape.misses[0]  # here it is told in full
    assert len(tape.misses[0]) > 300


@pytest.mark.parametrize(
    ("asked", "is_new_needed"),
    [
        (["hash a", "hash a"], True),  # recorded, and played in the same conversation
        (["hash a", "hash b", "hash b"], True),
        (["x", "hash b"], True),
        (["hash b"], False),  # nothing was said before it
        (["hash a", "x"], False),  # nobody recorded it
        (["hash a", "hash b"], False),  # said after the same: the tools are what differs
    ],
)
def test_a_miss_says_when_a_new_conversation_helps(tmp_path: Path, asked: list[str], is_new_needed: bool) -> None:
    path = tmp_path / "a.json"

    def talk(texts: Sequence[str]) -> list[Message]:
        said = user(texts[0])
        for text in texts[1:]:
            said += [Message(role="assistant", content="done", author="vault"), *user(text)[1:]]
        return said

    recorder = Cassette(path).record(ScriptedModel(["done", "done"]))
    for texts in (["hash a"], ["hash a", "hash b"]):
        asyncio.run(recorder.complete(talk(texts), [schema("a")]))
    tape = Cassette(path)
    with pytest.raises(ModelError) as miss:
        asyncio.run(tape.replay().complete(talk(asked), [schema("b" if asked == ["hash a", "hash b"] else "a")]))
    advice = "record it with lab.record('a.json') or %lango model NAME --record a.json"
    new = "begin a new conversation: lab.new(), or "
    assert str(miss.value).endswith(f"; {new if is_new_needed else ''}{advice}")
    other = [Message(role="system", content="You are another.", author="vault"), *talk(["x", "hash a"])[1:]]
    with pytest.raises(ModelError) as miss:
        asyncio.run(tape.replay().complete(other, []))
    assert "lab.new()" not in str(miss.value)  # another prompt misses in a new conversation as well


def test_recorded_and_played_in_one_conversation_and_then_in_a_new_one(engine: MakeEngine, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    lab = engine(ScriptedModel(["Hi there."]), (), topology="solo")
    try:
        lab.record(path)
        assert lab.run_sync("hello").turn.answer == "Hi there."
        tape = lab.play(path)
        assert lab.run_sync("hello").turn.error_code == "cassette_miss"
        assert "begin a new conversation: lab.new(), or record it with" in tape.misses[0]
        assert lab.run_sync("hello", session="another").turn.answer == "Hi there."
    finally:
        lab.close()


def test_a_changed_schema_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    ask(Cassette(path).record(ScriptedModel(["one"])), tools=[schema("a"), schema("b", "old")])
    with pytest.raises(ModelError, match="the description or schema of b differs"):
        ask(Cassette(path).replay(), tools=[schema("a"), schema("b", "new")])


def test_what_was_not_used_is_reported_and_can_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    ask(Cassette(path).record(ScriptedModel(["one"])), "old words")
    tape = Cassette(path)
    assert tape.unused == ("call 1: vault after 'old words'",)
    assert repr(tape) == "<Cassette 'a.json': 1 model call, 0 tool calls>"
    with pytest.raises(ModelError, match=r"call 1: vault after 'old words' of a\.json was never asked for"), tape:
        ask(tape.record(ScriptedModel(["two"])), "new words")
    assert tape.drop_unused() == 1
    assert [entry["reply"]["text"] for entry in json.loads(path.read_text())["calls"]] == ["two"]
    with Cassette(path) as finished:
        ask(finished.replay(), "new words")


# -- streams -----------------------------------------------------------------------------------------------------------


class Slow:
    """A live model that says its answer in pieces, and may stop before the end."""

    name = "slow"
    is_live = True

    def __init__(self, *, is_cut: bool = False) -> None:
        self.is_cut, self.is_closed = is_cut, False

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer at once."""
        return Reply(text="It is done.")

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Answer in pieces."""
        try:
            yield "It i"
            if self.is_cut:
                raise ConnectionResetError
            yield "s done."
            yield Reply(text="It is done.")
        finally:
            self.is_closed = True


async def heard(model: Model, most: int = 99) -> list[str | Reply]:
    assert isinstance(model, StreamingModel)
    found: list[str | Reply] = []
    stream = model.stream(user("go"), [])
    async for piece in stream:
        found.append(piece)
        if len(found) == most:
            break
    await stream.aclose()  # type: ignore[attr-defined]
    return found


def test_a_stream_is_recorded_as_it_comes_and_replayed_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    recorded = asyncio.run(heard(Cassette(path).record(Slow())))
    assert recorded[:2] == ["It i", "s done."]
    for model in (Cassette(path).replay(), Cassette(path).record(Forbidden())):
        *said, reply = asyncio.run(heard(model))
        assert said == ["It ", "is ", "done."]
        assert isinstance(reply, Reply)
        assert reply.text == "It is done."
    other = tmp_path / "b.json"
    *said, _ = asyncio.run(heard(Cassette(other).record(ScriptedModel(["a b"]))))
    assert said == ["a ", "b"]
    assert ask(Cassette(other).replay(), "go").text == "a b"


def test_a_stream_that_is_cut_or_left_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with pytest.raises(ConnectionResetError):
        asyncio.run(heard(Cassette(path).record(Slow(is_cut=True))))
    slow = Slow()

    async def leave() -> None:
        assert await heard(Cassette(path).record(slow), most=1) == ["It i"]
        assert slow.is_closed  # at once, not when the loop ends

    asyncio.run(leave())
    assert not path.exists()


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said", "code"),
    [
        (b'{"lango_cassette": 1, "calls": [', "cassette a.json is damaged: Expecting value", "damaged"),
        (b"\xff\xfe\x00", "cassette a.json is damaged", "damaged"),
        (b'{"lango_cassette": 1, "calls": [{"kind": "model"}]}', "cassette a.json is damaged: calls.0", "damaged"),
        (b'{"lango_cassette": 1, "calls": [{"kind": "model", "prompt": "x 1", "reply": {}}]}', "'x 1'", "damaged"),
        (b'{"lango_cassette": 2, "reels": []}', "has schema 2, and this version", "newer_schema"),
        (b'{"interactions": []}', "a.json is not a cassette", "damaged"),
        (b"[]", "a.json is not a cassette", "damaged"),
        (b"[" * 100_000, "cassette a.json is damaged", "damaged"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str, code: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(StoreError) as error:
        Cassette(path)
    assert said in str(error.value)
    assert error.value.code == code
    assert "\n" not in str(error.value)
    assert path.read_bytes() == content


def test_a_cassette_that_is_not_there_can_be_recorded_and_not_replayed(tmp_path: Path) -> None:
    tape = Cassette(tmp_path / "new" / "a.json")
    with pytest.raises(StoreError, match=r"a\.json is not there; record it with") as error:
        tape.replay()
    assert error.value.code == "missing"
    ask(tape.record(ScriptedModel(["one"])))
    assert ask(Cassette(tape.path).replay()).text == "one"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "octet-gardn",
            (
                "cassette octet-gardn is not there; with the package come octet-garden and quartet-garden; "
                "record it with lab.record('octet-gardn') or %lango model NAME --record octet-gardn"
            ),
        ),
        (
            "tapes/a.json",
            (
                "cassette a.json is not there; record it with lab.record('tapes/a.json') or "
                "%lango model NAME --record tapes/a.json"
            ),
        ),
        ("tapes/my talk.json", "cassette my talk.json is not there; record it with lab.record('tapes/my talk.json')"),
    ],
)
def test_a_cassette_that_is_not_there_says_what_is_and_how_to_record(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError) as error:
        Cassette(name).replay()
    assert str(error.value) == said


def test_every_schema_is_read() -> None:
    found = sorted(SCHEMAS.glob("schema-*.json"))
    assert [path.name for path in found] == ["schema-1.json"]
    for path in found:
        tape = Cassette(path)
        model = tape.replay()
        reply = asyncio.run(model.complete(user("hash a"), [schema("crypto_hash", "Hash a text.")]))
        assert reply.tool_calls[0].arguments == {"text": "a", "token": "[masked]"}
        (call,) = reply.tool_calls
        said = [
            *user("hash a"),
            Message(role="assistant", author="vault", tool_calls=(call,)),
            Message(role="tool", author="vault", content="2cf2", tool_call_id=call.id, tool_name="crypto_hash"),
        ]
        reply = asyncio.run(model.complete(said, [schema("crypto_hash", "Hash a text.")]))
        assert (reply.text, reply.usage.cost_usd) == ("It is 2cf2.", 0.002)
        assert len(tape.unused) == 1
        assert "crypto_hash(text='a'" in tape.unused[0]


def test_the_file_is_for_people(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    model = Cassette(path).record(ScriptedModel(["Grüße", "two"]))
    ask(model, "one\ntwo", [schema("b"), schema("a")])
    ask(model, "three", [schema("b"), schema("a")])
    written = json.loads(path.read_text(encoding="utf-8"))
    assert list(written) == ["lango_cassette", "prompts", "tools", "calls"]
    assert [name.split()[0] for name in written["tools"]] == ["a", "b"]
    (name,) = written["prompts"]
    assert name.startswith("vault ")
    assert [call["prompt"] for call in written["calls"]] == [name, name]  # what calls share stands there once
    assert "Grüße" in path.read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8").endswith("}\n")


# -- turns that were stopped -------------------------------------------------------------------------------------------


class Waiting:
    """A model that thinks for ever about some requests."""

    name = "waiting"
    is_live = True

    def __init__(self) -> None:
        self.is_asked = asyncio.Event()
        self.patience = False

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Repeat the request, but not where it says to wait."""
        said = next(message.content for message in reversed(messages) if message.role == "user")
        if said == "wait" and not self.patience:
            self.is_asked.set()
            await asyncio.Event().wait()
        return Reply(text=f"re: {said}")


class WaitingStream(Waiting):
    """The same in pieces."""

    async def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:
        """Say one piece, then the rest."""
        yield "re"
        yield await self.complete(messages, tools)


async def _stopped_in_the_middle(engine: Engine, model: Waiting) -> list[str]:
    await engine.run("one")
    waiting = asyncio.create_task(engine.run("wait"))
    await model.is_asked.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await engine.run("two")
    return [message.content for message in engine.session().messages]


@pytest.mark.parametrize("kind", [Waiting, WaitingStream])
def test_a_recording_with_a_stopped_turn_replays_beyond_it(
    engine: MakeEngine, tmp_path: Path, kind: type[Waiting]
) -> None:
    async def record() -> list[str]:
        model = kind()
        made = engine(Cassette(tmp_path / "t.json").record(model), [], topology="solo")
        return await _stopped_in_the_middle(made, model)

    said = asyncio.run(record())
    assert said == ["one", "re: one", "wait", "two", "re: two"]
    tape = Cassette(tmp_path / "t.json")
    again = engine(tape.replay(), [], topology="solo")
    assert again.run_sync("one").turn.answer == "re: one"
    with pytest.raises(TurnError, match="stopped here when it was recorded"):
        again.run_sync("wait")
    assert again.run_sync("two").turn.answer == "re: two"
    assert [message.content for message in again.session().messages] == said
    tape.check_finished()


def test_a_call_that_was_stopped_is_asked_again_when_it_is_recorded_again(engine: MakeEngine, tmp_path: Path) -> None:
    async def record() -> str:
        model = Waiting()
        await _stopped_in_the_middle(engine(Cassette(tmp_path / "t.json").record(model), [], topology="solo"), model)
        model.patience = True
        patient = engine(Cassette(tmp_path / "t.json").record(model), [], topology="solo")
        await patient.run("one")
        return (await patient.run("wait")).turn.answer

    assert asyncio.run(record()) == "re: wait"


def test_a_call_that_runs_out_of_time_is_not_kept_as_stopped(engine: MakeEngine, tmp_path: Path) -> None:
    async def record() -> str:
        made = engine(Cassette(tmp_path / "t.json").record(Waiting()), [], topology="solo", requestTimeout=0.05)
        return (await made.run("wait")).turn.outcome

    assert asyncio.run(record()) == "timeout"
    assert len(Cassette(tmp_path / "t.json")) == 0
