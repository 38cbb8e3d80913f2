"""What an isolated agent says stays in its own session: the parent gets one line, and the root's name is on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import Declined
from lango_nb.core.ids import CountedIds
from lango_nb.lab import Lab
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.by_name import tools_by_name
from lango_nb.tools.decorator import tool
from tests.cast import ROOT, Cast, Line, delegate, spawn, transfer, wait

PAINTER = AgentSpec(
    name="painter",
    description="Paints.",
    instruction="Paint.",
    prefixes=("paint_*",),
    session_isolation=True,
    source=Source.USER,
)


@tool(name="paint_wall", safety="safe")
def paint_wall() -> str:
    """Paint."""
    raise ValueError("no paint is left")


def played(folder: Path, lines: dict[str, Sequence[Line]], topology: str | Topology = "octet", mode: str = "") -> Lab:
    settings = {"agent": {"orchestration": {"mode": mode}}} if mode else None
    lab = Lab(
        topology,
        tools=[paint_wall, *tools_by_name(["fs_read"])],
        model=Cast(lines),
        workspace=folder,
        settings=settings,
        clock=SteppedClock(),
        ids=CountedIds(),
    )
    lab.add_agent(PAINTER)
    lab.ask("paint the wall")
    return lab


def is_clean(lab: Lab) -> bool:
    """Tell whether only the person and the root have a word in the session, and whether the doctor agrees."""
    authors = {message.author for message in lab.engine.session(lab.session).messages}
    (found,) = lab.doctor().record.by_check()["isolation"]
    return authors <= {"user", ROOT} and found.status == "ok"


@pytest.mark.parametrize("mode", ["classic", "structured"])
@pytest.mark.parametrize(
    "said",
    [
        [("paint_wall", {}), "I could not."],
        [("paint_wall", {}), "", ""],
        [RuntimeError("broken")],
        ["", ""],
        [("paint_wall", {})] * 5,
    ],
    ids=["a failed tool", "nothing after it", "a broken model", "nothing", "a loop"],
)
def test_an_isolated_agent_that_fails_by_transfer_says_nothing_there(
    tmp_path: Path, said: list[Line], mode: str
) -> None:
    lab = played(tmp_path, {"root": [transfer("painter"), "I answer.", "I answer."], "painter": said}, mode=mode)
    assert is_clean(lab), [str(message) for message in lab.engine.session(lab.session).messages]


@pytest.mark.parametrize("control", ["spawn", "delegate"])
def test_a_run_that_declines_ends_and_the_root_decides_again(tmp_path: Path, control: str) -> None:
    made_up = load_topology("octet").model_copy(update={"name": "made-up", "decline": "reject", "control": control})
    first = [spawn("operator", "Read."), wait("arun-1")] if control == "spawn" else [delegate("operator", "Read.")]
    cast: dict[str, Sequence[Line]] = {
        "root": [*first, "Then I answer."],
        "operator": ["**[REJECT]** This is about paint."],
    }
    lab = played(tmp_path, cast, made_up)
    trace = lab.trace().record
    (run,) = lab.engine.runs
    assert (run.status, run.result, run.steps) == ("completed", "**[REJECT]** This is about paint.", 1)
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "Then I answer.")
    (declined,) = [event for event in trace.events if isinstance(event, Declined)]
    assert (declined.author, declined.run_id) == ("operator", run.id)
    assert is_clean(lab)
