"""What the offline model says: chains of two steps, results in words, small talk, and nothing from anywhere else."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.offline.answers import said_of
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.offline.parts import plan, read_plan
from lango_nb.models.offline.talk import is_no_result
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.taught import Row, Taught
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.calls import calls_of

PAGE = "# News\nIt rains.\n\nMore of it tomorrow."


@tool(safety="safe")
def web_fetch(url: str) -> str:
    """Fetch a page."""
    return f"{PAGE}\nFrom {url}."


@tool(safety="safe")
def web_search(query: str) -> str:
    """Search the web."""
    return f"1. found {query}"


@tool(safety="safe")
def crypto_hash(data: str) -> str:
    """Compute the digest of a text."""
    return f"digest-of-{data}"


@tool(safety="safe")
def browser_navigate(url: str) -> str:
    """Open a web address."""
    return json.dumps({"title": "Example", "url": url})


@tool(safety="safe")
def secrets_store(name: str, value: str) -> str:
    """Keep a secret."""
    return f"stored {name} ({len(value)} characters)"


FILES = {"notes.md": "# Notes\nOne.\nTwo.\n\nThree.\nFour.\n"}
REAL = (web_fetch, web_search, crypto_hash, browser_navigate, secrets_store)


def tools() -> tuple[Tool, ...]:
    names = {one.name for one in REAL}
    return (*builtin_tools(), *(one for one in spec_families() if one.name not in names), *REAL)


def ask(text: str, folder: Path, topology: str = "solo") -> str:
    chosen = Settings.model_validate({"background": {"enabled": True}})
    engine = Engine(topology=topology, tools=tools(), workspace=folder, approver="allow", settings=chosen)
    return engine.run_sync(text).turn.answer


class TestTwoSteps:
    def test_a_summary_is_saved(self, folder: Path) -> None:
        assert "short.md" in ask("read notes.md and save a summary to short.md", folder)
        assert (folder / "short.md").read_text() == "# Notes\nOne.\n"

    def test_a_page_is_saved(self, folder: Path) -> None:
        ask("fetch https://example.org/a and save it as a.md", folder)
        assert (folder / "a.md").read_text() == f"{PAGE}\nFrom https://example.org/a.\n"

    def test_a_hash_is_kept(self) -> None:
        offered = [crypto_hash.schema, secrets_store.schema]
        messages = [
            Message(role="system", content="You are vault."),
            Message(role="user", content="hash 'abc' and store it as fingerprint", author="user"),
            Message(role="user", content="crypto_hash: data abc\nsecrets_store: name fingerprint", author="root"),
        ]
        said = []
        for result in ("digest-of-abc", "stored fingerprint", ""):
            step = asyncio.run(OfflineModel().complete(messages, offered))
            said.append([(call.name, call.arguments) for call in step.tool_calls] or step.text)
            messages.append(Message(role="assistant", content=step.text, tool_calls=step.tool_calls))
            messages += [Message(role="tool", tool_call_id=call.id, content=result) for call in step.tool_calls]
        assert said == [
            [("crypto_hash", {"data": "abc"})],
            [("secrets_store", {"name": "fingerprint", "value": "digest-of-abc"})],
            "digest-of-abc\nstored fingerprint",
        ]

    def test_a_listing_is_written(self, folder: Path) -> None:
        ask("list the files and save the list to index.txt", folder)
        assert (folder / "index.txt").read_text().startswith("notes.md")

    def test_an_answer_is_written_rather_than_what_it_was_read_from(self, folder: Path) -> None:
        ask("count the lines of notes.md and save the result to count.txt", folder)
        assert (folder / "count.txt").read_text() == "6\n"

    def test_what_was_written_is_what_a_change_passes_on(self, folder: Path) -> None:
        ask("write 'x' to a.txt and save it to b.txt", folder)
        assert (folder / "a.txt").read_text() == "x\n"
        assert (folder / "b.txt").read_text() == "x\n"

    def test_what_the_second_step_lacks_is_asked_for_or_left(self, folder: Path) -> None:
        ask("read notes.md and save it", folder)
        assert sorted(path.name for path in folder.iterdir()) == ["notes.md"]

    def test_a_first_step_that_fails_ends_it(self, folder: Path) -> None:
        assert "no missing.md here" in ask("read missing.md and save a summary to short.md", folder)
        assert not (folder / "short.md").exists()

    def test_two_agents_do_it_one_after_the_other(self, folder: Path) -> None:
        text = "search the web for python 3.14 and save the result to the file news.md"
        ask(text, folder, "octet")
        assert (folder / "news.md").read_text() == "1. found python 3.14\n"

    def test_a_question_of_the_first_agent_is_no_result_for_the_second(self) -> None:
        assert is_no_result("Which one do you mean: a.txt or b.txt?")
        assert is_no_result("I could not do that: there is no file")
        assert not is_no_result("1. found it")


class TestPlanFirst:
    TEXT = "count the lines of notes.md and then encrypt 'hello' and then open https://example.org"

    def test_the_planner_comes_first_and_its_steps_are_carried_out(self, folder: Path) -> None:
        chosen = Settings.model_validate({"background": {"enabled": True}})
        engine = Engine(topology="octet", tools=tools(), workspace=folder, approver="allow", settings=chosen)
        turn = engine.run_sync(self.TEXT).turn
        agents = [name for name in turn.path if name != "lango-orchestrator"]
        assert agents[0] == "planner"
        assert {"operator", "vault", "navigator"} == set(agents[1:])
        assert "notes.md has 6 lines." in turn.answer
        assert "title: Example" in turn.answer

    def test_a_plan_names_agents_and_is_read_back(self) -> None:
        prompt = "A step's agent is one of these names, letter for letter, and never your own: operator, vault."
        text = plan(prompt, "Plan this: count the lines of notes.md, encrypt the word hello")
        steps = read_plan(text)
        assert [(step.text, step.agent) for step in steps] == [
            ("count the lines of notes.md", "operator"),
            ("encrypt the word hello", "vault"),
        ]

    def test_a_plan_that_is_none_is_not_followed(self) -> None:
        assert read_plan("I will not plan this.\nStep one: x") == ()


class TestWords:
    def test_lists_and_objects_become_lines(self) -> None:
        said = said_of({"transactions": [{"id": f"t-{number}", "amount": number} for number in range(12)], "total": 12})
        assert said.splitlines()[0] == "12 transactions:"
        assert said.splitlines()[1] == "- t-0 (amount: 0)"
        assert said.splitlines()[-1] == "… and 2 more"

    @pytest.mark.parametrize("value", [None, True, 1.5, "", [], {}, [[1], {"a": {"b": 1}}], {"a": "x" * 5000}])
    def test_any_value_has_words_of_some_length(self, value: Any) -> None:
        assert len(said_of(value)) < 600

    def test_secrets_in_arguments_are_not_said(self, tmp_path: Path) -> None:
        engine = Engine(topology="solo", tools=(*builtin_tools(), *spec_families()), workspace=tmp_path)
        answer = engine.run_sync("store the secret mail with value hunter2").turn.answer
        assert "secrets_store" in answer
        assert "hunter2" not in answer


ROOT = RoutingTable(
    (RoutingRow("operator", "works", capabilities=("file operations",)), RoutingRow("florist", "sells roses"))
)
HAND_OVER = (ToolSchema(name="transfer_to_agent"),)


def reply(text: str, model: OfflineModel | None = None) -> Reply:
    messages = [
        Message(role="system", content=f"You are root.\n\n{ROOT.to_markdown()}"),
        Message(role="user", content=text),
    ]
    return asyncio.run((model or OfflineModel()).complete(messages, HAND_OVER))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Hello!", "Hello! Ask me"),
        ("Guten Morgen", "Hallo!"),
        ("bonjour", "Bonjour"),
        ("¡Hola!", "¡Hola!"),
        ("buongiorno", "Ciao!"),
        ("bom dia", "Olá!"),
        ("danke", "Gern geschehen."),
        ("merci beaucoup", "De rien."),
        ("muchas gracias", "De nada."),
        ("grazie mille", "Prego."),
        ("obrigada", "De nada."),
        ("bist du ein Mensch?", "Ich bin das Offline-Demomodell"),
        ("what can you do?", "I am the offline demo model of this lab: "),
        ("tell me a joke", "A router walks"),
        ("17 * 3", "17 * 3 = 51"),
    ],
)
def test_small_talk_in_the_language_of_the_user(text: str, start: str) -> None:
    said = reply(text)
    assert not said.tool_calls
    assert said.text.startswith(start)


def test_a_greeting_before_a_request_is_no_small_talk() -> None:
    assert reply("hello, count the lines of the file notes.md").tool_calls


def test_lessons_are_followed() -> None:
    tree = build_agent_tree(tools(), load_topology("octet"))
    messages = [
        Message(role="system", content=tree.root.prompt),
        Message(role="user", content="send roses to my mother"),
    ]
    taught = Taught((Row("send roses to my mother", "chronicler"),))

    def targets(model: OfflineModel) -> list[object]:
        made = asyncio.run(model.complete(messages, HAND_OVER)).tool_calls
        return [call.arguments["agent_name"] for call in made]

    assert targets(OfflineModel()) != ["chronicler"]
    assert targets(OfflineModel(taught=taught)) == ["chronicler"]


def test_what_was_asked_for_completes_the_request() -> None:
    schema = ToolSchema.model_validate(
        {"name": "cron_pause", "parameters": {"properties": {"id": {"type": "string"}}, "required": ["id"]}}
    )
    messages = [Message(role="system", content="You work."), Message(role="user", content="pause the scheduled job")]
    asked = asyncio.run(OfflineModel().complete(messages, [schema])).text
    assert asked == "To do that (cron job scheduling) I still need id."
    messages += [Message(role="assistant", content=asked), Message(role="user", content="cron-3")]
    (call,) = asyncio.run(OfflineModel().complete(messages, [schema])).tool_calls
    assert (call.name, call.arguments) == ("cron_pause", {"id": "cron-3"})


GUARDED = """
import asyncio, builtins, io, os, pathlib, random, socket, sys, time

from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models.offline.model import OfflineModel
import lango_nb.models.offline.model

Reply(tool_calls=(ToolCall.model_validate({"id": "1", "name": "x", "arguments": {}}),))  # pydantic looks for plugins
Message(role="user"), ToolSchema(name="x")

package = pathlib.Path(lango_nb.models.offline.model.__file__).parents[2]
loop = asyncio.new_event_loop()

class Refused(BaseException):
    pass

def refuse(what):
    def refused(*args, **kwargs):
        raise Refused(f"{what}: {args[:1]}")
    return refused

def audit(event, args):
    if event == "open":
        path, mode = str(args[0]), str(args[1] or "r")
        if not path.startswith((str(package), sys.prefix, sys.base_prefix)):
            raise Refused(f"open {path}")
        if "r" not in mode or "+" in mode:
            raise Refused(f"write {path}")
    elif event == "os.listdir" and not str(args[0]).startswith((str(package.parent), sys.prefix, sys.base_prefix)):
        raise Refused(f"list {args[0]}")
    elif event.startswith(("socket.", "subprocess.", "os.system", "os.scandir", "shutil.", "os.putenv")):
        raise Refused(event)

sys.addaudithook(audit)
for name in ("time", "time_ns", "localtime", "gmtime", "strftime"):
    setattr(time, name, refuse(f"time.{name}"))
for name in ("random", "randint", "choice", "shuffle"):
    setattr(random, name, refuse(f"random.{name}"))
os.urandom = refuse("os.urandom")
os.getenv = refuse("os.getenv")
class Environment(dict):
    __getitem__ = get = __contains__ = __iter__ = refuse("os.environ")
os.environ = Environment()
old = builtins.__import__
FORBIDDEN = ("engine", "lab", "runtime", "stores", "hooks", "topologies", "config", "specs", "records", "cli", "magics")
def guarded(name, *args, **kwargs):
    parts = name.split(".")
    if parts[0] == "lango_nb" and len(parts) > 1 and parts[1] in FORBIDDEN:
        raise Refused(f"import {name}")
    return old(name, *args, **kwargs)
builtins.__import__ = guarded

TABLE = '''You are root.

### operator
- **Role**: works
- **Capabilities**: file operations; command execution

### planner
- **Role**: plans things
'''
def schema(name, required=()):
    shapes = {one: {"type": "string"} for one in required}
    return ToolSchema(name=name, parameters={"properties": shapes, "required": list(required)})

OWN = [
    schema("fs_read", ["path"]),
    schema("fs_write", ["path", "content"]),
    schema("cron_add", ["schedule", "prompt"]),
    schema("zebra_feed", ["food"]),
]

async def main():
    model = OfflineModel()
    for text in TEXTS:
        for system, tools in (
            (TABLE, [schema("transfer_to_agent")]),
            (TABLE, [schema("agent_spawn"), schema("agent_wait")]),
            ("You work.", OWN),
            ("You plan things.", []),
        ):
            messages = [Message(role="system", content=system), Message(role="user", content=text)]
            for _ in range(3):
                reply = await model.complete(messages, tools)
                messages.append(Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls))
                messages += [Message(role="tool", tool_call_id=c.id, content="a\\nb") for c in reply.tool_calls]
                if not reply.tool_calls:
                    break
    print("calls", len(TEXTS))

TEXTS = %r
loop.run_until_complete(main())
"""


def test_the_model_knows_only_messages_and_tools() -> None:
    texts = [
        "count the lines of the file notes.md",
        "hello",
        "what time is it?",
        "read notes.md and save a summary to b.md",
        "every weekday at 9 check mail",
        "in 20 minutes feed the zebra",
        "what is $HOME?",
        "12 * 12",
    ]
    ran = subprocess.run(
        [sys.executable, "-c", GUARDED % texts], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.stdout.strip() == f"calls {len(texts)}", ran.stderr[-2000:]


def test_the_guards_of_that_test_hold() -> None:
    for body in (
        "open('/etc/hostname')",
        "import lango_nb.engine",
        "time.time()",
        "os.environ.get('HOME')",
        "socket.socket()",
    ):
        script = (GUARDED % []).replace('print("calls"', f'{body}\n    print("calls"')
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode, body
        assert "Refused" in ran.stderr, ran.stderr


def test_it_is_quick_when_it_is_warm() -> None:
    every = [
        ToolSchema(name=one.name, description=one.description, parameters=one.schema.parameters) for one in tools()
    ]
    model = OfflineModel()

    def answer(text: str) -> Reply:
        messages = [Message(role="system", content="You work."), Message(role="user", content=text)]
        return asyncio.run(model.complete(messages, every))

    answer("list the scheduled jobs please")
    assert calls_of(lambda: answer("list the scheduled jobs number 7 please")) < 20_000, (
        "it reads, and makes nothing anew"
    )


def test_a_reply_is_the_same_every_time() -> None:
    first, *others = [reply("count the lines of the file notes.md") for _ in range(3)]
    assert first.tool_calls[0].arguments["agent_name"] == "operator"
    assert all(other == first for other in others)


WORDS = st.lists(
    st.sampled_from(
        [
            *(
                "read",
                "write",
                "delete",
                "save it to b.md",
                "and",
                "then",
                "encrypt",
                "the word x",
                "send 5 USDC",
                "to 0x1234abcd",
            ),
            *(
                "every day at 9",
                "https://x.org",
                "a.md",
                "`ls`",
                "'q'",
                "{",
                "plan:",
                "forget",
                "who",
                "are you",
                "?",
                "arun-1",
            ),
            *(
                "task-1",
                "step 1: x",
                "\n\nUse this text:\n",
                "schema",
                "type T",
                "in the background",
                "p1",
                "2 + 2",
                "\x00",
            ),
        ]
    ),
    max_size=12,
).map(" ".join)


WORKER = 2
ABLE = {one.name: one for one in tools()}


@hypothesis.given(st.one_of(WORDS, st.text(max_size=120)), st.integers(0, 3), st.booleans())
def test_whatever_is_said_only_what_is_offered_is_called_and_arguments_fit(
    text: str, role: int, is_error: bool
) -> None:
    offered = [one.schema for one in tools()]
    runs = (ToolSchema(name="agent_spawn"), ToolSchema(name="agent_wait"), ToolSchema(name="task_list"))
    system, able = (
        (f"You are root.\n\n{ROOT.to_markdown()}", HAND_OVER),
        (f"You are root.\n\n{ROOT.to_markdown()}", runs),
        ("You work.", offered),
        ("You plan things.", ()),
    )[role]
    messages = [Message(role="system", content=system), Message(role="user", content=text)]
    by_name = {one.name for one in able}
    for _ in range(4):
        step = asyncio.run(OfflineModel().complete(messages, able))
        assert step.text.strip() or step.tool_calls
        for call in step.tool_calls:
            if role == WORKER:
                check_arguments(ABLE[call.name], call.arguments)
            assert call.name in by_name
        messages.append(Message(role="assistant", content=step.text, tool_calls=step.tool_calls))
        messages += [
            Message(role="tool", tool_call_id=one.id, content="a\nb", is_error=is_error) for one in step.tool_calls
        ]
