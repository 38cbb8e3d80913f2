"""Whatever is done to runs, in whatever order: an end is final, waiters see it, and none of them is left over."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.errors import TurnError
from lango_nb.records.runs import AgentRun, RunEnd, RunPatch, Runs

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDS = ("arun-1", "arun-2")
ENDS: tuple[RunEnd, ...] = ("completed", "failed", "cancelled")
steps = st.tuples(
    st.sampled_from(("start", "finish", "cancel", "project", "wait", "give up", "pass")),
    st.sampled_from(IDS),
    st.integers(0, 3),
)


class Scene:
    """Two runs, those who wait for them, and how each run ended."""

    def __init__(self) -> None:
        self.runs = Runs()
        self.stopped: list[str] = []
        self.ended: dict[str, AgentRun] = {}
        self.waiting: list[tuple[str, asyncio.Task[AgentRun]]] = []
        for run_id in IDS:
            run = AgentRun(id=run_id, parent_id="main", requested_agent="vault", instruction="x", created_at=NOW)
            self.runs.create(run, partial(self.stopped.append, run_id))

    async def play(self, what: str, run_id: str, number: int) -> None:
        if what == "wait":
            self.waiting.append((run_id, asyncio.create_task(self.runs.wait(run_id, 60))))
        elif what == "give up":
            for _, task in self.waiting[number : number + 1]:
                task.cancel()
            del self.waiting[number : number + 1]
        elif what == "pass":
            await asyncio.sleep(0)
        else:
            self.change(what, run_id, number)
        assert all(self.runs.get(one) is last for one, last in self.ended.items())

    def change(self, what: str, run_id: str, number: int) -> None:
        try:
            if what == "start":
                self.runs.start(run_id)
            elif what == "project":
                self.runs.project(run_id, RunPatch(grant_attempt=number))
            elif what == "finish":
                self.runs.finish(run_id, ENDS[number % 3], at=NOW)
            else:
                self.runs.cancel(run_id, NOW)
        except TurnError:
            assert run_id in self.ended
        else:
            assert run_id not in self.ended, "a run that has ended took a change"
        if self.runs.get(run_id).is_terminal:
            self.ended.setdefault(run_id, self.runs.get(run_id))

    async def close(self) -> None:
        for run_id in IDS:
            if run_id not in self.ended:
                self.ended[run_id] = self.runs.finish(run_id, "completed", at=NOW)
        for _ in range(3):
            await asyncio.sleep(0)


@given(st.lists(steps, max_size=25))
def test_an_end_is_final_and_everybody_who_waits_sees_it(script: list[tuple[str, str, int]]) -> None:
    async def play() -> Scene:
        scene = Scene()
        for step in script:
            await scene.play(*step)
        await scene.close()
        return scene

    scene = asyncio.run(play())
    assert all(task.done() and task.result() is scene.ended[run_id] for run_id, task in scene.waiting)
    assert {run_id: scene.runs.get(run_id) for run_id in IDS} == scene.ended
    assert not any(entry.waiters for entry in scene.runs._entries.values())
    assert len(scene.stopped) == len(set(scene.stopped)), "a run is stopped once"
