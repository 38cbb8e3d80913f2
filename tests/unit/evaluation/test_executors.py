"""Tasks on executors: whoever does them, and whoever answers, the results are those of one after the other."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from lango_nb import tool
from lango_nb.core.errors import TurnError, UsageError
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.evaluation import progress, task_results
from lango_nb.evaluation.task_results import TaskEvaluation
from lango_nb.lab import Lab
from tests.providers_server import Call, ProviderServer, Request, Say

SUITE = """\
tasks:
  - {id: one, turns: [{say: how many lines does notes.md have?, answer: ['2']}, {say: xyzzy, answer: [never]}]}
  - {id: two, turns: [{say: "write the text 'bread' to shop.md", files: {shop.md: bread}}]}
  - {id: three, turns: [{say: read the file notes.md, answer: [tea]}]}
  - {id: four, turns: [{say: list the files, answer: [notes.md]}]}
"""
TASKS = 4


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "files").mkdir()
    (folder / "files" / "notes.md").write_text("milk\ntea\n", encoding="utf-8")
    (folder / "tasks.yaml").write_text(SUITE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def dask() -> Iterator[Client]:
    """Two workers on this machine, each a process."""
    options: dict[str, Any] = {"dashboard_address": None, "worker_dashboard_address": None}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", **options) as cluster,
        Client(cluster) as client,
    ):
        yield client


MAKERS: dict[str, Callable[[Client], Executor]] = {
    "threads": lambda _client: ThreadPoolExecutor(2),
    "processes": lambda _client: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    "dask": lambda client: client.get_executor(),
}
SOME = ["threads", *(pytest.param(name, marks=pytest.mark.slow) for name in ("processes", "dask"))]
"""Threads do the same work; that it goes to other processes and comes back is also said by the tests below."""


@pytest.fixture(scope="module", params=SOME)
def executor(request: pytest.FixtureRequest, dask: Client) -> Iterator[Executor]:
    with MAKERS[request.param](dask) as made:
        yield made


def carried_out(lab: Lab, suite: Path, **options: Any) -> TaskEvaluation:
    heard: list[tuple[int, int]] = []
    found = lab.evaluate_tasks(suite, on_progress=lambda done, of: heard.append((done, of)), **options).record
    assert heard == [(number, TASKS) for number in range(1, TASKS + 1)], "it is told how far it is"
    return found


def verdicts(found: TaskEvaluation) -> list[str]:
    return [one.verdict for one in found.results[0].tasks]


def test_results_are_those_of_one_after_the_other_and_a_bar_shows_how_far_it_is(
    suite: Path, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[int, int]] = []
    monkeypatch.setattr(progress.Bar, "__call__", lambda _bar, done, total: shown.append((done, total)))
    monkeypatch.setattr(task_results, "automatic_bar", lambda what, unit: progress.Bar(what, unit=unit))
    lab, both = Lab("octet"), ["octet", "solo"]
    alone = lab.evaluate_tasks(suite, topologies=both).record
    assert lab.evaluate_tasks(suite, topologies=both, executor=executor).record == alone
    assert shown == [(number, 2 * TASKS) for number in range(1, 2 * TASKS + 1)] * 2
    assert verdicts(alone) == ["failed", "done", "done", "done"]
    assert len(lab.turns) == 0, "the records of the lab are its own"


def assistant(request: Request) -> Call | Say:
    """Write what is to be written, and know what is there."""
    if not request.results and any("bread" in text for role, text in request.said if role == "user"):
        return Call("fs_write", {"path": "shop.md", "content": "bread"})
    return Say("2 lines: milk and tea in notes.md")


def test_a_live_model_and_its_cassette_do_the_same_everywhere(
    suite: Path, executor: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProviderServer(assistant) as server:
        monkeypatch.setenv("VLLM_BASE_URL", server.url)  # workers that are there already do not hear of it
        lab = Lab("solo", model="vllm:small", home=tmp_path / "home", allow_network=True)
        alone = carried_out(lab, suite)
        assert carried_out(lab, suite, executor=executor) == alone
        assert (alone.results[0].model, verdicts(alone)) == ("vllm:small", ["failed", "done", "done", "done"])

        lab.record(tmp_path / "tasks.json")
        assert carried_out(lab, suite, executor=executor) == alone
        calls = len(server.requests)
        assert carried_out(lab, suite) == alone
        assert len(server.requests) == calls, "nothing of what workers recorded at once is lost"
        assert server.problems == []
    lab.play(tmp_path / "tasks.json")
    replayed = carried_out(lab, suite)
    assert [one.turns for one in replayed.results[0].tasks] == [one.turns for one in alone.results[0].tasks]
    assert carried_out(lab, suite, executor=executor) == replayed
    assert carried_out(Lab("solo"), suite, model=f"cassette:{tmp_path / 'tasks.json'}") == replayed
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")], "no lock is left"


class Weather:
    """A model that asks a tool for the weather."""

    name = "asking"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        told = [message.content for message in messages if message.role == "tool"]
        if told:
            return Reply(text=f"It is {told[0]}.")
        return Reply(tool_calls=(ToolCall(id="c1", name="weather_of", arguments={"city": "Rome"}),))


def test_tools_of_ones_own_go_along_where_they_can_and_are_on_the_cassette(dask: Client, tmp_path: Path) -> None:
    asked = tmp_path / "asked"

    def weather(city: str) -> str:
        """Tell the weather of a city."""
        with asked.open("a", encoding="utf-8") as file:
            file.write(f"{city}\n")
        return "sunny"

    lab = Lab("solo", model=Weather())
    lab.add_tools([tool(weather, name="weather_of")])
    rows = [{"say": "how is the weather in Rome?", "answer": ["sunny"], "tools": ["weather_of"]}]
    alone = lab.evaluate_tasks(rows).record
    assert verdicts(alone) == ["done"]
    with dask.get_executor() as executor:
        assert lab.evaluate_tasks(rows, executor=executor).record == alone
    with ProcessPoolExecutor(1) as executor, pytest.raises(UsageError, match="cannot be sent to another process"):
        lab.evaluate_tasks(rows, executor=executor)
    lab.record(tmp_path / "weather.json")
    lab.evaluate_tasks(rows)
    assert asked.read_text(encoding="utf-8") == "Rome\n" * 3
    lab.play(tmp_path / "weather.json")
    assert verdicts(lab.evaluate_tasks(rows).record) == ["done"]
    assert asked.read_text(encoding="utf-8") == "Rome\n" * 3, "a cassette answers for it"


class Killing:
    """A model that ends the process it works in, once, in the middle of a task, and notes who went on."""

    name = "killing"

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        said = next(message.content for message in messages if message.role == "user")
        with (self._notes / "workers").open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {said}\n")
        if said.startswith("read"):
            try:
                (self._notes / "killed").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return Reply(text="2 lines: milk and tea in notes.md")


def test_another_worker_does_the_tasks_of_one_that_was_killed(suite: Path, dask: Client, tmp_path: Path) -> None:
    (tmp_path / "killed").touch()
    lab = Lab("solo", model=Killing(tmp_path))
    alone = carried_out(lab, suite)
    for path in tmp_path.iterdir():
        path.unlink()
    with dask.get_executor() as executor:
        assert carried_out(lab, suite, executor=executor) == alone
    assert verdicts(alone) == ["failed", "failed", "done", "done"]
    rows = [row.split(" ", 1) for row in (tmp_path / "workers").read_text(encoding="utf-8").splitlines()]
    killed, again = [pid for pid, said in rows if said.startswith("read")]
    assert killed != again
    assert str(os.getpid()) not in {pid for pid, _ in rows}


def test_processes_that_break_are_told_in_one_line(suite: Path, tmp_path: Path) -> None:
    lab = Lab("solo", model=Killing(tmp_path))
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(TurnError, match=r"ended before its task was done.*get_executor\(\)"),
    ):
        lab.evaluate_tasks(suite, executor=executor, on_progress=lambda *_: None)
