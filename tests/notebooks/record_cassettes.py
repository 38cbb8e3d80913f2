"""Record the cassettes of the notebooks anew: ``python -m tests.notebooks.record_cassettes [FOLDER]``.

Nobody's model is asked. A stand-in on this machine speaks OpenAI's protocol and answers, to exactly these requests, as
a good model would: the lines are written down in :data:`OCTET` and :data:`QUARTET`. Everything else is the real way of
a recording: ``openai_compatible`` → pydantic-ai → HTTP → runtime → tools in a temporary workspace → cassette.

    a request of a person   ──▶  octet, quartet  ──HTTP──▶  StandIn
                                      │
                                lango_nb/data/cassettes/<topology>-garden.json

Tokens are counted as a quarter of the characters that went over the line; no tokenizer saw them. How long an answer
took is left out: a stand-in's time says nothing. So recording twice gives the same bytes, and the test beside this
script holds the shipped files to that. Run it again whenever prompts or tools have changed, and then refresh
``notebooks/07_real_models.ipynb``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lango_nb import Lab, SteppedClock
from lango_nb.config.settings import Settings
from lango_nb.core.ids import CountedIds
from lango_nb.models.providers import close_clients, openai_compatible
from lango_nb.records.turns import Trace
from tests.providers_server import Act, Call, Calls, ProviderServer, Request, Say, _OpenAI, _send

SHIPPED = Path(__file__).parents[2] / "lango_nb" / "data" / "cassettes"
MODEL = "stand-in"
GARDEN = {
    "plants.csv": "plant,water\nbasil,every day\nmint,every day\nrosemary,once a week\n",
}
"""The workspace while it is recorded; a replay needs none."""
HELLO = "hello, who are you?"
WATER = "read plants.csv and write what needs water every day to today.md"
COUNT = "how many plants are in plants.csv?"
REQUESTS = (HELLO, WATER, COUNT)
"""What is asked, each in a conversation of its own."""

TODAY = "basil\nmint\n"
WRITTEN = "Basil and mint need water every day; I wrote both to today.md."
COUNTED = "plants.csv has 3 plants: basil, mint and rosemary."
PLAN = "1. {who}: read plants.csv. 2. {who}: count its lines without the first. Step 2 needs step 1."
READ_PLANTS = Call("fs_read", {"path": "plants.csv"})

Line = Act | Callable[[Request], Act]
"""What is said, or how it comes from the request."""
Play = Mapping[tuple[str, str], Sequence[Line]]
"""The lines of each agent, by the request the conversation is about."""


def spawn(agent: str, instruction: str, why: str, *tools: str) -> Call:
    """Start a teammate."""
    given: dict[str, Any] = {"agent": agent, "instruction": instruction, "spawn_reason": why}
    return Call("agent_spawn", given | ({"allowed_tools": list(tools)} if tools else {}))


def transfer(agent: str, why: str) -> Call:
    """Hand the conversation over."""
    return Call("transfer_to_agent", {"agent_name": agent, "reason": why})


def wait(request: Request) -> Act:
    """Wait for the teammate that was started last: its id stands in the last result."""
    return Call("agent_wait", {"agent_id": json.loads(request.results[-1])["agent_id"], "timeout": 60})


ROOT = "lango-orchestrator"
OCTET: Play = {
    (ROOT, HELLO): (Say("I am the orchestrator of eight teammates. Tell me what you need, and I find who can do it."),),
    (ROOT, WATER): (
        spawn("gardener", f"R{WATER[1:]}", "knows the plants"),
        spawn("operator", f"R{WATER[1:]}", "works with files", "fs_list", "fs_read", "fs_write"),
        wait,
        Say(WRITTEN),
    ),
    ("operator", WATER): (
        Calls((Call("fs_list", {"path": "."}), READ_PLANTS), text="I look at what is there first."),
        Call("fs_write", {"path": "today.md", "content": TODAY}),
        Say(WRITTEN),
    ),
    (ROOT, COUNT): (
        spawn("planner", f"H{COUNT[1:]}", "first read, then count: more than one step"),
        wait,
        spawn("operator", "Read plants.csv and count the plants in it.", "carries out the plan", "fs_read"),
        wait,
        Say(COUNTED),
    ),
    ("planner", COUNT): (Say(PLAN.format(who="operator")),),
    ("operator", COUNT): (READ_PLANTS, Say(COUNTED)),
}
QUARTET: Play = {
    (ROOT, HELLO): (Say("I am the orchestrator of four agents. Tell me what you need, and I hand it to one of them."),),
    (ROOT, WATER): (transfer("gardener", "knows the plants"), transfer("executor", "works with files")),
    ("executor", WATER): OCTET["operator", WATER],
    (ROOT, COUNT): (transfer("planner", "first read, then count: more than one step"),),
    ("planner", COUNT): (Say(PLAN.format(who="executor")),),
}
PLAYS = {"octet": OCTET, "quartet": QUARTET}


class _Counting(_OpenAI):
    """OpenAI's protocol, with tokens that depend on what was said."""

    def __init__(self, request: Request, act: Act) -> None:
        super().__init__(str(request.body["model"]))
        message = self.whole(act)["choices"][0]["message"]
        said = (message["content"] or "") + "".join(
            call["function"]["name"] + call["function"]["arguments"] for call in message.get("tool_calls", ())
        )
        read = json.dumps([request.body["messages"], request.body.get("tools", [])], ensure_ascii=False)
        read_tokens, written_tokens = len(read) // 4, len(said) // 4 + 1
        self.usage = {
            "prompt_tokens": read_tokens,
            "completion_tokens": written_tokens,
            "total_tokens": read_tokens + written_tokens,
        }


class StandIn(ProviderServer):
    """Answers like a model that knows its lines.

    Parameters
    ----------
    play : Play
        A request that is not in it, or comes once too often, is an error of status 400.
    """

    def __init__(self, play: Play) -> None:
        super().__init__(self._next)
        self._play = play
        self._said: Counter[tuple[str, str]] = Counter()

    def _next(self, request: Request) -> Act:
        agent = request.system.removeprefix("You are ").partition(".")[0].partition(",")[0]
        about = [text for role, text in request.said if role == "user" and text in REQUESTS][-1]
        line = self._play[agent, about][self._said[agent, about]]
        self._said[agent, about] += 1
        return line(request) if callable(line) else line

    async def _act(
        self, request: Request, act: Act, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        if request.problems or not isinstance(act, Say | Call | Calls):
            return await super()._act(request, act, reader, writer)
        whole = _Counting(request, act).whole(act)
        return await _send(writer, 200, json.dumps(whole).encode())


@dataclass(frozen=True)
class Recorded:
    """A cassette, and the turns it was made of."""

    path: Path
    traces: tuple[Trace, ...]
    problems: tuple[str, ...]
    """What a real provider would have refused."""


def record(topology: str, path: Path) -> Recorded:
    """Record the conversation in one topology.

    Parameters
    ----------
    topology : {"octet", "quartet"}
    path : Path
        Replaced if it is there.
    """
    path.unlink(missing_ok=True)
    with StandIn(PLAYS[topology]) as server, TemporaryDirectory(prefix="lango-garden-") as garden:
        for name, text in GARDEN.items():
            Path(garden, name).write_text(text, encoding="utf-8", newline="\n")
        lab = Lab(
            topology,
            model=openai_compatible(server.openai_url, MODEL, max_retries=0),
            workspace=garden,
            settings=Settings.defaults(),
            approver="allow",
            clock=SteppedClock(),
            ids=CountedIds(),
            allow_network=True,
        )
        lab.record(path)
        traces = []
        for text in REQUESTS:
            lab.new()
            traces.append(lab.ask(text).record)
        lab.close()
        asyncio.run(close_clients())
        problems = tuple(server.problems)
    _forget_times(path)
    return Recorded(path, tuple(traces), problems)


def _forget_times(path: Path) -> None:
    """Take out how long each answer took."""
    file = json.loads(path.read_text(encoding="utf-8"))
    for call in file["calls"]:
        call.get("reply", {}).get("usage", {}).pop("latency_ms", None)
    path.write_text(_text(file), encoding="utf-8", newline="\n")
    path.chmod(0o644)  # a cassette is its owner's; these are everybody's


def _text(file: Mapping[str, Any]) -> str:
    """Write a cassette in a smaller shape than usual: a line for each prompt, tool and call."""

    def dump(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = []
    for name, value in file.items():
        if isinstance(value, dict):
            lines = ",\n".join(f"{dump(key)}:{dump(item)}" for key, item in value.items())
            parts.append(f"{dump(name)}:{{\n{lines}}}")
        elif isinstance(value, list):
            lines = ",\n".join(map(dump, value))
            parts.append(f"{dump(name)}:[\n{lines}]")
        else:
            parts.append(f"{dump(name)}:{dump(value)}")
    joined = ",\n".join(parts)
    return f"{{{joined}}}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Record all cassettes into a folder; 1 when a turn did not end well."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED, help="the package's own when absent")
    folder = parser.parse_args(arguments).folder
    failed = 0
    for topology in PLAYS:
        made = record(topology, folder / f"{topology}-garden.json")
        ends = ", ".join(trace.turn.outcome for trace in made.traces)
        print(f"{made.path.name}: {ends}; {made.path.stat().st_size:,} bytes", *made.problems, sep="\n  ")  # noqa: T201 - a command
        failed += bool(made.problems) or {trace.turn.outcome for trace in made.traces} != {"success"}
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
