"""The offline model as a root whose agents work in runs, driven by conversations made by hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models.offline.carry_out import carry_out
from lango_nb.models.offline.conversation import Conversation
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.offline.parts import parts_of
from lango_nb.models.offline.plan import Context, Got, Reading, Step
from lango_nb.models.offline.root import next_best
from lango_nb.models.offline.talk import is_out_of_scope, out_of_scope
from lango_nb.models.offline.worker import ESCALATION, _foreign, _own_reading
from lango_nb.routing.table import RoutingRow, RoutingTable

TABLE = RoutingTable(
    (
        RoutingRow("operator", "works on the local system", capabilities=("command execution", "file operations")),
        RoutingRow("vault", "keeps what must stay safe", capabilities=("cryptography", "secret management")),
        RoutingRow("librarian", "keeps knowledge", capabilities=("information search", "web search")),
        RoutingRow("reader", "reads things aloud", keywords=("aloud", "lines")),
    )
)
ROOT = "root"
TEAMMATES = ("operator", "vault", "librarian", "reader")
NOT_MINE = out_of_scope("fs", "cryptography")


def schema(name: str, parameter: str = "", names: Sequence[str] = ()) -> ToolSchema:
    properties: dict[str, Any] = {parameter: {"type": "string", "enum": list(names)}} if parameter else {}
    return ToolSchema(name=name, parameters={"type": "object", "properties": properties})


RUNS = (
    schema("agent_spawn", "agent", TEAMMATES),
    *(schema(f"agent_{name}") for name in ("wait", "stop")),
    *(schema(f"task_{name}") for name in ("create", "get", "list", "update")),
)


class Talk:
    """A conversation of a root, with whatever the test says came back."""

    def __init__(self, tools: Sequence[ToolSchema] = RUNS, table: RoutingTable = TABLE) -> None:
        self.tools = tools
        prompt = f"You are {ROOT}.\n\n## Routing Table\n{table.to_markdown()}\n\n## Names\nNever invent names."
        self.messages = [Message(role="system", content=prompt)]
        self.steps = 0

    def ask(self, text: str) -> Reply:
        self.messages.append(Message(role="user", content=text, author="user"))
        return self.step()

    def step(self) -> Reply:
        reply = asyncio.run(OfflineModel().complete(self.messages, self.tools))
        self.steps += 1
        self.messages.append(
            Message(role="assistant", content=reply.text, author=ROOT, tool_calls=reply.tool_calls),
        )
        return reply

    def answer(self, reply: Reply, *results: object, is_error: bool = False) -> Reply:
        """Answer the calls of a reply and take the next step."""
        assert len(reply.tool_calls) == len(results)
        for call, result in zip(reply.tool_calls, results, strict=True):
            text = result if isinstance(result, str) else json.dumps(result)
            self.messages.append(
                Message(
                    role="tool",
                    content=text,
                    author=ROOT,
                    tool_call_id=call.id,
                    tool_name=call.name,
                    is_error=is_error,
                )
            )
        return self.step()


def called(reply: Reply) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, dict(call.arguments)) for call in reply.tool_calls]


def agents(reply: Reply) -> list[object]:
    return [call.arguments["agent"] for call in reply.tool_calls]


def spawned(number: int, agent: str = "operator") -> dict[str, object]:
    return {"agent_id": f"arun-{number}", "status": "spawned", "requested_agent": agent, "spawn_reason": ""}


def completed(number: int, result: str) -> dict[str, object]:
    return {"agent_id": f"arun-{number}", "status": "completed", "result": result}


def failed(number: int, error: str) -> dict[str, object]:
    return {"agent_id": f"arun-{number}", "status": "failed", "error": error}


def running(number: int, **more: object) -> dict[str, object]:
    return {"agent_id": f"arun-{number}", "status": "running", "timeout": True, **more}


def blocked(number: int, tool: str) -> dict[str, object]:
    return running(
        number,
        condition="blocked_waiting_approval",
        blocked_reason="dangerous tool requires approval",
        grant_request_id=f"grant-arun-{number}-{tool}",
        grant_attempt=1,
        grant_state="pending",
    )


class TestOneRun:
    def test_spawned_waited_for_and_answered(self) -> None:
        talk = Talk()
        reply = talk.ask("run the command `make all`")
        ((name, given),) = called(reply)
        assert (name, given["agent"], given["instruction"]) == ("agent_spawn", "operator", "run the command `make all`")
        assert given["spawn_reason"] == 'run "make all"'
        assert set(given) == {"agent", "instruction", "spawn_reason"}
        reply = talk.answer(reply, spawned(1))
        assert called(reply) == [("agent_wait", {"agent_id": "arun-1", "timeout": 1})]
        reply = talk.answer(reply, completed(1, "a.txt\nb.txt"))
        assert (reply.text, reply.tool_calls) == ("a.txt\nb.txt", ())

    def test_waiting_doubles(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("run the command `make`"), spawned(1))
        timeouts = []
        for _ in range(4):
            timeouts.append(reply.tool_calls[0].arguments["timeout"])
            reply = talk.answer(reply, running(1))
        assert timeouts == [1, 2, 4, 8]
        assert all(isinstance(timeout, int) for timeout in timeouts)
        assert talk.answer(reply, completed(1, "built")).text == "built"

    def test_waiting_comes_to_an_end(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("run the command `make`"), spawned(1))
        while reply.tool_calls:
            reply = talk.answer(reply, running(1))
        assert talk.steps < 15
        assert "arun-1 (operator) is still at work" in reply.text

    def test_call_ids_do_not_repeat(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("run the command `make`"), spawned(1))
        reply = talk.answer(reply, running(1))
        ids = [call.id for message in talk.messages for call in message.tool_calls]
        assert len(ids) == len(set(ids)) == 3

    def test_results_of_a_teammate_with_the_same_call_ids_are_not_taken_for_the_own(self) -> None:
        talk = Talk()
        reply = talk.ask("run the command `ls`")
        first = reply.tool_calls[0].id
        reply = talk.answer(reply, spawned(1))
        talk.messages += [
            Message(role="assistant", author="operator", tool_calls=(ToolCall(id=first, name="exec", arguments={}),)),
            Message(role="tool", author="operator", tool_call_id=first, tool_name="exec", content="a.txt"),
        ]
        assert talk.answer(reply, completed(1, "exit code 0")).text == "exit code 0"

    def test_a_run_that_said_nothing_is_still_answered(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("run the command `true`"), spawned(1))
        reply = talk.answer(reply, {"agent_id": "arun-1", "status": "completed"})
        assert reply.text == "arun-1 (operator) finished without saying anything."

    def test_a_result_that_was_cut_in_the_middle_is_still_a_result(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("run the command `seq 9999`"), spawned(1))
        reply = talk.answer(reply, '{"agent_id": "arun-1", "result": "1 2 3 … 9999", "status": "completed"')
        assert "1 2 3" in reply.text
        assert not reply.tool_calls

    @pytest.mark.parametrize("text", ["hello", "thanks!", "how are you?", "what is the capital of France?"])
    def test_talk_is_one_step_without_a_call(self, text: str) -> None:
        reply = Talk().ask(text)
        assert reply.text
        assert not reply.tool_calls

    def test_what_nobody_is_clearly_for_is_asked_back(self) -> None:
        talk = Talk()
        reply = talk.ask("frobnicate the quux")
        assert "I would" not in reply.text
        assert agents(reply) in ([], ["operator"])  # who looks whether there is a file called so, and changes nothing

    def test_it_is_the_file_of_the_request_before(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("show the contents of the file data.csv"), spawned(1))
        talk.answer(reply, completed(1, "data.csv:\na,b"))
        reply = talk.ask("how many lines are in it?")
        assert agents(reply) == ["operator"]
        assert reply.tool_calls[0].arguments["spawn_reason"] == "read it → count lines"


class TestBlocked:
    def test_a_blocked_run_ends_the_turn_with_what_it_waits_for(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("delete the file old.txt"), spawned(1))
        reply = talk.answer(reply, blocked(1, "fs_delete"))
        assert not reply.tool_calls
        for word in ("arun-1", "operator", "fs_delete", "grant-arun-1-fs_delete", "waiting for an answer"):
            assert word in reply.text

    def test_other_runs_are_waited_for_first_and_the_blocked_one_is_looked_at_again(self) -> None:
        talk = Talk()
        reply = talk.answer(
            talk.ask("delete the file old.txt and encrypt the word hello"), spawned(1), spawned(2, "vault")
        )
        reply = talk.answer(reply, blocked(1, "fs_delete"), running(2))
        assert called(reply) == [("agent_wait", {"agent_id": "arun-2", "timeout": 2})]
        reply = talk.answer(reply, completed(2, "xyz"))
        assert called(reply) == [("agent_wait", {"agent_id": "arun-1", "timeout": 2})]
        reply = talk.answer(reply, blocked(1, "fs_delete"))
        assert not reply.tool_calls
        assert reply.text.index("grant-arun-1-fs_delete") < reply.text.index("xyz")

    def test_a_run_that_was_answered_meanwhile_is_collected(self) -> None:
        talk = Talk()
        reply = talk.answer(
            talk.ask("delete the file old.txt and encrypt the word hello"), spawned(1), spawned(2, "vault")
        )
        reply = talk.answer(reply, blocked(1, "fs_delete"), completed(2, "xyz"))
        reply = talk.answer(reply, completed(1, "Done: deleted old.txt."))
        assert reply.text == "Done: deleted old.txt.\n\nxyz"


class TestSomebodyElse:
    def test_a_declined_run_goes_to_the_next_best_agent(self) -> None:
        talk = Talk()
        reply = talk.ask("count the lines of notes.md")
        (first,) = agents(reply)
        reply = talk.answer(talk.answer(reply, spawned(1, str(first))), completed(1, NOT_MINE))
        (second,) = agents(reply)
        assert {first, second} == {"operator", "reader"}
        assert reply.tool_calls[0].arguments["instruction"] == "count the lines of notes.md"
        reply = talk.answer(talk.answer(reply, spawned(2, str(second))), completed(2, "notes.md is empty."))
        assert reply.text == "notes.md is empty."

    def test_two_failures_end_it_and_say_what_is_missing(self) -> None:
        talk = Talk()
        reply = talk.ask("count the lines of notes.md")
        reply = talk.answer(talk.answer(reply, spawned(1)), failed(1, "no such file: notes.md"))
        reply = talk.answer(talk.answer(reply, spawned(2)), completed(2, NOT_MINE))
        assert not reply.tool_calls
        assert reply.text.startswith("Not done: count the lines of notes.md.")
        assert "no such file: notes.md" in reply.text
        assert "declined" in reply.text

    def test_nobody_else_near_ends_it(self) -> None:
        talk = Talk()
        reply = talk.ask("sign the message 'hi'")
        assert agents(reply) == ["vault"]
        reply = talk.answer(talk.answer(reply, spawned(1, "vault")), completed(1, out_of_scope("crypto", "secrets")))
        assert not reply.tool_calls
        assert reply.text.startswith("Nobody here can do this: vault declined, and no other agent comes near.")

    def test_no_agent_is_asked_twice_in_a_turn(self) -> None:
        talk = Talk()
        reply = talk.answer(
            talk.ask("count the lines of notes.md and encrypt the word hello"), spawned(1), spawned(2, "vault")
        )
        asked = {"operator", "vault"}
        reply = talk.answer(reply, failed(1, "it broke"), failed(2, "it broke"))
        while reply.tool_calls:
            new = [call for call in reply.tool_calls if call.name == "agent_spawn"]
            assert not asked & {call.arguments["agent"] for call in new}
            asked |= {str(call.arguments["agent"]) for call in new}
            results = [spawned(9) if call.name == "agent_spawn" else failed(9, "it broke") for call in reply.tool_calls]
            reply = talk.answer(reply, *results)
        assert reply.text.count("Not done") == 2

    def test_two_parts_that_failed_at_once_do_not_go_to_the_same_agent(self) -> None:
        table = RoutingTable((*TABLE.rows[:3], replace(TABLE.rows[3], keywords=("lines", "encrypt", "word", "hello"))))
        talk = Talk(table=table)
        reply = talk.answer(
            talk.ask("count the lines of notes.md and encrypt the word hello"), spawned(1), spawned(2, "vault")
        )
        reply = talk.answer(reply, failed(1, "it broke"), failed(2, "it broke"))
        assert agents(reply) == ["reader"]
        reply = talk.answer(talk.answer(reply, spawned(3, "reader")), completed(3, "There are 3."))
        assert reply.text == "There are 3.\n\nNot done: crypto_encrypt: data hello. vault failed (it broke)."

    @pytest.mark.parametrize(
        "error",
        ["approval_denied: fs_delete was not run: the person said no; approval denied", "run: approval timeout"],
    )
    def test_a_no_settles_it(self, error: str) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("count the lines of notes.md"), spawned(1))
        reply = talk.answer(reply, failed(1, error))
        assert not reply.tool_calls
        assert error in reply.text

    def test_a_cancelled_run_is_not_tried_again(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("count the lines of notes.md"), spawned(1))
        reply = talk.answer(reply, {"agent_id": "arun-1", "status": "cancelled", "error": "stopped"})
        assert (len(reply.tool_calls), "was cancelled" in reply.text) == (0, True)

    def test_a_refused_spawn_names_the_setting(self) -> None:
        talk = Talk()
        sentence = "the teammate runtime is not available: set background.enabled to true to switch it on"
        reply = talk.answer(talk.ask("count the lines of notes.md"), sentence, is_error=True)
        assert not reply.tool_calls
        assert "background.enabled" in reply.text

    def test_an_agent_left_alone_for_a_while_is_not_asked_again(self) -> None:
        talk = Talk()
        reply = talk.ask("count the lines of notes.md")
        (first,) = agents(reply)
        reply = talk.answer(reply, f"{first} is left alone for a while: it failed; choose another", is_error=True)
        assert agents(reply)
        assert agents(reply) != [first]

    def test_the_sentence_is_recognised_only_where_it_begins(self) -> None:
        assert is_out_of_scope(NOT_MINE)
        assert not is_out_of_scope(f"notes.md says: {NOT_MINE}")


class TestParts:
    def test_two_domains_are_spawned_in_one_reply_and_answered_in_order(self) -> None:
        talk = Talk()
        reply = talk.ask("count the lines of notes.md and encrypt the word hello")
        assert [(c.arguments["agent"], c.arguments["instruction"]) for c in reply.tool_calls] == [
            ("operator", "read notes.md → count lines"),
            ("vault", "crypto_encrypt: data hello"),
        ]
        reply = talk.answer(reply, spawned(1), spawned(2, "vault"))
        assert called(reply) == [
            ("agent_wait", {"agent_id": "arun-1", "timeout": 1}),
            ("agent_wait", {"agent_id": "arun-2", "timeout": 1}),
        ]
        reply = talk.answer(reply, running(1), completed(2, "xyz"))
        assert called(reply) == [("agent_wait", {"agent_id": "arun-1", "timeout": 2})]
        assert talk.answer(reply, completed(1, "notes.md has 3 lines.")).text == "notes.md has 3 lines.\n\nxyz"

    def test_a_part_that_fails_says_so_beside_the_result_of_the_other(self) -> None:
        talk = Talk()
        reply = talk.ask("count the lines of notes.md and encrypt the word hello")
        reply = talk.answer(reply, spawned(1), spawned(2, "vault"))
        reply = talk.answer(reply, completed(1, "notes.md has 3 lines."), failed(2, "no key"))
        assert reply.text == "notes.md has 3 lines.\n\nNot done: crypto_encrypt: data hello. vault failed (no key)."


class TestAllowedTools:
    def test_they_leave_the_instruction(self) -> None:
        reply = Talk().ask("count the lines of notes.md using only fs_read, fs_list")
        ((_, given),) = called(reply)
        assert given["instruction"] == "count the lines of notes.md"
        assert given["allowed_tools"] == ["fs_read", "fs_list"]

    def test_a_tool_outside_the_scope_settles_it(self) -> None:
        talk = Talk()
        reply = talk.ask("show the file notes.md with only crypto_sign")
        reply = talk.answer(reply, "tool 'crypto_sign' is outside the scope of operator; it has: exec", is_error=True)
        assert not reply.tool_calls
        assert "crypto_sign" in reply.text


class TestAttached:
    TOOLS = (
        schema("agent_spawn", "agent", ("operator", "vault", "reader")),
        schema("agent_wait"),
        schema("transfer_to_agent", "agent_name", ("librarian",)),
    )

    def test_they_are_handed_over_and_teammates_are_spawned(self) -> None:
        ((name, given),) = called(Talk(self.TOOLS).ask("search the web for the latest python version"))
        assert (name, given["agent_name"]) == ("transfer_to_agent", "librarian")
        assert [c.name for c in Talk(self.TOOLS).ask("run the command `ls`").tool_calls] == ["agent_spawn"]

    def test_a_request_is_not_split_where_one_part_takes_the_turn_over(self) -> None:
        reply = Talk(self.TOOLS).ask("run the command `ls` and search the web for the latest python version")
        assert len(reply.tool_calls) == 1

    def test_an_agent_that_gave_it_back_is_not_asked_again(self) -> None:
        tools = (
            schema("agent_spawn", "agent", ("reader", "vault", "librarian")),
            schema("agent_wait"),
            schema("transfer_to_agent", "agent_name", ("operator",)),
        )
        talk = Talk(tools)
        reply = talk.ask("count the lines of notes.md")
        assert called(reply)[0][1]["agent_name"] == "operator"
        talk.messages += [
            Message(role="tool", author=ROOT, tool_call_id=reply.tool_calls[0].id, content="operator takes over"),
            Message(
                role="assistant",
                author="operator",
                content=NOT_MINE,
                tool_calls=(ToolCall(id="call-2", name="transfer_to_agent", arguments={"agent_name": ROOT}),),
            ),
            Message(role="tool", author="operator", tool_call_id="call-2", content="control goes back to root"),
        ]
        assert agents(talk.step()) == ["reader"]

    def test_whoever_cannot_be_reached_is_never_named_in_a_call(self) -> None:
        tools = (schema("agent_spawn", "agent", ("vault",)), schema("agent_wait"))
        reply = Talk(tools).ask("run the command `ls`")
        assert not reply.tool_calls
        assert reply.text


class TestDelegate:
    TOOLS = (schema("delegate", "agent_name", TEAMMATES),)

    def test_one_goal(self) -> None:
        talk = Talk(self.TOOLS)
        reply = talk.ask("run the command `ls`")
        assert called(reply) == [("delegate", {"agent_name": "operator", "goal": "run the command `ls`"})]
        assert talk.answer(reply, "a.txt").text == "a.txt"

    def test_several_goals_in_one_reply(self) -> None:
        talk = Talk(self.TOOLS)
        reply = talk.ask("count the lines of notes.md and encrypt the word hello")
        assert [name for name, _ in called(reply)] == ["delegate", "delegate"]
        assert talk.answer(reply, "3 lines", "xyz").text == "3 lines\n\nxyz"

    def test_a_failure_goes_to_the_next_best(self) -> None:
        talk = Talk(self.TOOLS)
        reply = talk.ask("count the lines of notes.md")
        first = reply.tool_calls[0].arguments["agent_name"]
        reply = talk.answer(reply, f"{first} failed: it broke", is_error=True)
        assert reply.tool_calls[0].arguments["agent_name"] in {"operator", "reader"} - {first}

    def test_declining_goes_to_the_next_best(self) -> None:
        talk = Talk(self.TOOLS)
        reply = talk.answer(talk.ask("count the lines of notes.md"), NOT_MINE)
        assert len(reply.tool_calls) == 1


class TestRecovery:
    def test_a_hint_is_no_request_and_names_who_is_out(self) -> None:
        tools = (schema("transfer_to_agent", "agent_name", TEAMMATES),)
        talk = Talk(tools)
        first = talk.ask("count the lines of notes.md").tool_calls[0].arguments["agent_name"]
        hint = (
            f"{first} failed at this: fs_read failed. Do not give it to {first} again: choose another agent,"
            " or answer from what you already have. The request was: count the lines of notes.md"
        )
        talk.messages.append(Message(role="user", content=hint, author=ROOT))
        (second,) = [call.arguments["agent_name"] for call in talk.step().tool_calls]
        assert {first, second} == {"operator", "reader"}

    def test_what_a_hint_says_is_passed_on_when_nobody_else_is_near(self) -> None:
        talk = Talk((schema("transfer_to_agent", "agent_name", TEAMMATES),))
        talk.ask("sign the message 'hi'")
        hint = "vault failed at this: vault: there is no key. Do not give it to vault again: choose another agent"
        talk.messages.append(Message(role="user", content=hint, author=ROOT))
        said = "Nobody here can do this: vault failed (there is no key), and no other agent comes near."
        assert talk.step().text.startswith(said)

    def test_a_note_of_the_runtime_is_no_request(self) -> None:
        talk = Talk((schema("fs_read", "path"), schema("fs_delete", "path")))
        reply = talk.ask("read notes.md")
        assert called(reply) == [("fs_read", {"path": "notes.md"})]
        told = talk.answer(reply, "# Shopping").text
        assert told == "notes.md:\n# Shopping"
        talk.messages[-1] = Message(role="user", content="Two steps are left: delete notes.md.", author=ROOT)
        again = talk.step()
        assert (again.text, called(again)) == (told, [])

    def test_a_user_who_writes_like_a_hint_is_a_user(self) -> None:
        reply = Talk().ask("operator failed at this: x. Do not give it to operator again: run the command `ls`")
        assert agents(reply) == ["operator"]

    def test_the_last_word_is_what_was_gathered(self) -> None:
        talk = Talk()
        reply = talk.answer(
            talk.ask("count the lines of notes.md and encrypt the word hello"), spawned(1), spawned(2, "vault")
        )
        talk.tools = ()
        reply = talk.answer(reply, completed(1, "3 lines"), running(2))
        assert reply.text.startswith("3 lines\n\narun-2 (vault) is still at work.")
        assert not reply.tool_calls

    def test_the_last_word_is_never_silence(self) -> None:
        talk = Talk(())
        assert talk.ask("count the lines of notes.md").text


class TestAboutRuns:
    def test_waiting_for_a_run_by_its_id(self) -> None:
        talk = Talk()
        reply = talk.ask("wait for arun-7")
        assert called(reply) == [("agent_wait", {"agent_id": "arun-7", "timeout": 1})]
        reply = talk.answer(reply, running(7))
        assert called(reply) == [("agent_wait", {"agent_id": "arun-7", "timeout": 2})]
        assert talk.answer(reply, completed(7, "built")).text == "arun-7 is done: built"

    @pytest.mark.parametrize(
        "text", ["what about arun-7?", "is arun-7 done?", "how is arun-7 doing", "arun-7", "status of ARUN-7"]
    )
    def test_a_look_is_one_read(self, text: str) -> None:
        talk = Talk()
        reply = talk.ask(text)
        assert called(reply) == [("agent_wait", {"agent_id": "arun-7", "timeout": 0})]
        assert "arun-7 is still at work" in talk.answer(reply, running(7)).text

    def test_a_blocked_run_is_not_waited_for_endlessly(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("wait for arun-7"), blocked(7, "exec"))
        assert "grant-arun-7-exec" in reply.text
        assert not reply.tool_calls

    def test_several_at_once(self) -> None:
        talk = Talk()
        reply = talk.ask("wait for arun-1 and arun-2")
        assert len(reply.tool_calls) == 2
        reply = talk.answer(reply, completed(1, "a"), failed(2, "it broke"))
        assert reply.text == "arun-1 is done: a\n\narun-2 failed: it broke"

    def test_an_unknown_run_is_said(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("is arun-9 done?"), "agent wait: there is no run 'arun-9'", is_error=True)
        assert "there is no run 'arun-9'" in reply.text

    @pytest.mark.parametrize("text", ["stop arun-3", "please cancel arun-3", "kill arun-3 now"])
    def test_stopping(self, text: str) -> None:
        talk = Talk()
        reply = talk.ask(text)
        assert called(reply) == [("agent_stop", {"agent_id": "arun-3"})]
        assert talk.answer(reply, {"agent_id": "arun-3", "status": "cancelled"}).text == "arun-3 was stopped."

    def test_stopping_what_has_ended_is_said(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("stop arun-3"), "agent stop: run arun-3 is already completed", is_error=True)
        assert "already completed" in reply.text

    @pytest.mark.parametrize("text", ["don't stop arun-3", "should I stop arun-3?"])
    def test_nothing_is_stopped_that_was_not_asked_for(self, text: str) -> None:
        reply = Talk().ask(text)
        assert (reply.tool_calls, "stopped nothing" in reply.text) == ((), True)


class TestTasks:
    @pytest.mark.parametrize(
        ("text", "name", "given"),
        [
            ("create a task: buy milk", "task_create", {"title": "buy milk"}),
            ("add a task: call Ada", "task_create", {"title": "call Ada"}),
            ("please add a new task called 'call Ada'", "task_create", {"title": "call Ada"}),
            ("list the tasks", "task_list", {}),
        ],
    )
    def test_calls(self, text: str, name: str, given: dict[str, Any]) -> None:
        assert called(Talk().ask(text)) == [(name, given)]

    def test_a_task_is_found_by_its_name_and_ticked_off(self) -> None:
        talk = Talk()
        tasks = [
            {"task_id": f"task-{place}", "title": title, "status": "todo"}
            for place, title in enumerate(("a", "buy milk"))
        ]
        reply = talk.ask("mark 'buy milk' as done")
        assert called(reply) == [("task_list", {})]
        reply = talk.answer(reply, {"tasks": tasks, "count": 2})
        assert called(reply) == [("task_update", {"task_id": "task-1", "status": "done"})]
        assert talk.answer(reply, {**tasks[1], "status": "done"}).text == "Done: buy milk."

    def test_a_task_that_is_not_there_is_asked_about_and_nothing_is_changed(self) -> None:
        talk = Talk()
        reply = talk.answer(talk.ask("mark 'buy milk' as done"), {"tasks": [], "count": 0})
        assert (reply.tool_calls, reply.finish_reason) == ((), "asked_back")

    def test_answers_are_worded(self) -> None:
        talk = Talk()
        task = {"task_id": "task-1", "title": "buy milk", "status": "in_progress", "description": "two litres"}
        reply = talk.answer(talk.ask("create a task: buy milk"), {"task_id": "task-1", "status": "todo"})
        assert reply.text == "Noted as to do: buy milk."
        reply = talk.answer(talk.ask("list the tasks"), {"tasks": [task], "count": 1})
        assert "buy milk" in reply.text
        assert "task-1" not in reply.text
        reply = talk.answer(talk.ask("list the tasks"), {"tasks": [], "count": 0})
        assert reply.text

    def test_only_where_the_tools_are_offered(self) -> None:
        tools = (schema("transfer_to_agent", "agent_name", TEAMMATES),)
        assert not any(call.name.startswith("task_") for call in Talk(tools).ask("list the tasks").tool_calls)

    @pytest.mark.parametrize(
        "text",
        ["list the background tasks", "list the scheduled tasks", "create a task that runs every day", "run the task"],
    )
    def test_other_tasks_are_not_these(self, text: str) -> None:
        assert not any(call.name.startswith("task_") for call in Talk().ask(text).tool_calls)


class TestWhoHasTheTools:
    FILES = Step("count.rows", {"file": ("list.csv",)})

    def test_what_a_plan_needs_comes_before_who_is_near(self) -> None:
        talk = Talk()
        (part,) = parts_of(replace(Conversation.read(talk.messages), text="how many rows has list.csv?"))
        assert next_best(part.route, part.owners) == "operator"
        assert next_best(part.route) == next_best(part.route, ())

    def test_a_doubtful_reading_gives_way_to_one_that_the_agent_has_tools_for(self) -> None:
        kept = Reading((Step("recall", {"find": ("list",)}),), 0.3)
        change = Reading((Step("remember", {"text": ("list",)}),), 0.3)
        tools = {"memory_agent_recall", "memory_agent_save"}
        assert _own_reading(Reading((self.FILES,), 0.4, others=(change, kept)), tools) is kept
        sure = Reading((self.FILES,), 0.9, others=(kept,))
        assert _own_reading(sure, tools) is sure

    def test_what_an_agent_has_no_tool_for_it_declines_however_doubtful(self) -> None:
        tools = (schema("save_knowledge"), schema("search_knowledge"))
        system = f"You know things.\n\n## {ESCALATION}\nSay so."
        conversation = replace(Conversation.read([Message(role="system", content=system)]), text="list.csv rows?")
        assert _foreign(conversation, Reading((self.FILES,), 0.2), tools) == "fs"

    def test_no_reading_is_tried_that_there_is_no_tool_for(self) -> None:
        other = Reading((self.FILES,), 0.4)
        first = Reading((Step("task.done", {"text": ("list",)}),), 0.6, others=(other,))
        tool = ToolSchema(name="task_list"), ToolSchema(name="task_update")
        work = carry_out(first, Context(), {one.name: one for one in tool})
        (call,) = next(work)
        assert call.tool == "task_list"
        with pytest.raises(StopIteration) as end:
            work.send((Got("[]"),))
        assert "fs_read" not in end.value.value.text


class Watched(Sequence[Message]):
    """Messages that count how often somebody looks at one."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages, self.looks = messages, 0

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, place: Any) -> Any:
        self.looks += len(self.messages[place]) if isinstance(place, slice) else 1
        return self.messages[place]


def test_a_long_conversation_takes_no_longer_to_read_than_a_short_one() -> None:
    looks = []
    for turns in (40, 4000):
        said = Watched(
            [
                one
                for turn in range(turns)
                for one in (
                    Message(role="user", content=f"user {turn}", author="user"),
                    Message(role="assistant", content=f"assistant {turn}", author="root"),
                )
            ]
            + [Message(role="user", content="and now?", author="user")]
        )
        read = Conversation.read(said)
        assert (read.text, read.before[-1].request) == ("and now?", f"user {turns - 1}")
        looks.append(said.looks)
    assert looks[0] == looks[1]
