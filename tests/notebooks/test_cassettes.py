"""The cassettes that come with the package: what recording gives today, and turns that replay anywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lango_nb import Lab, SteppedClock
from lango_nb.config.settings import Settings
from lango_nb.core.errors import StoreError
from lango_nb.core.ids import Ids, RandomIds
from lango_nb.models.shipped import cassette_path, shipped, shipped_names
from lango_nb.records.turns import Trace
from tests.notebooks.record_cassettes import COUNT, PLAYS, REQUESTS, SHIPPED, WATER, Recorded, main, record

LARGEST = 60_000
"""Bytes of one file: the package stays small."""
WORKER = {"octet": "operator", "quartet": "executor"}


@pytest.fixture(scope="module", params=PLAYS)
def topology(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def recorded(topology: str, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return record(topology, tmp_path_factory.mktemp("tapes") / f"{topology}-garden.json")


def file_of(topology: str) -> Path:
    return SHIPPED / f"{topology}-garden.json"


def replaying(topology: str, folder: Path, *, ids: Ids | None = None) -> Lab:
    return Lab(
        topology,
        model=f"cassette:{topology}-garden",
        workspace=folder,
        settings=Settings.defaults(),
        approver="allow",
        clock=SteppedClock(),
        ids=ids,
        allow_network=False,
    )


def told(trace: Trace) -> list[tuple[object, ...]]:
    """What happened, without ids; in which order those who work at the same time do so, nobody can say."""
    events = [(event.kind, event.author, str(getattr(event, "text", ""))) for event in trace.events]
    turn = trace.turn
    return [*sorted(events), (turn.text, turn.answer, turn.outcome, turn.path, turn.input_tokens, turn.output_tokens)]


def test_recording_again_gives_the_files_that_are_shipped(recorded: Recorded, topology: str) -> None:
    assert recorded.problems == ()
    assert [trace.turn.outcome for trace in recorded.traces] == ["success"] * len(REQUESTS)
    shipped_text = file_of(topology).read_text(encoding="utf-8")
    how = "prompts, tools or the stand-in's lines have changed: run python -m tests.notebooks.record_cassettes"
    assert recorded.path.read_text(encoding="utf-8") == shipped_text, how


def test_a_cassette_replays_anywhere_in_any_order_and_touches_nothing(
    recorded: Recorded, topology: str, tmp_path: Path
) -> None:
    lab = replaying(topology, tmp_path, ids=RandomIds())
    again: dict[str, Trace] = {}
    for text in reversed(REQUESTS):
        lab.new()
        again[text] = lab.ask(text).record
    assert [told(again[trace.turn.text]) for trace in recorded.traces] == [told(trace) for trace in recorded.traces]
    assert list(tmp_path.iterdir()) == []
    cassette = lab.engine.cassette
    assert cassette is not None
    cassette.check_finished()


def test_the_weak_moments_are_on_the_tape(topology: str, tmp_path: Path) -> None:
    lab = replaying(topology, tmp_path)
    water = lab.ask(WATER).record
    refused = [event for event in water.events if getattr(event, "code", "") == "unknown_agent"]
    assert [getattr(event, "target", "") for event in refused] == ["gardener"]
    lab.new()
    count = lab.ask(COUNT).record
    worker = WORKER[topology]
    assert [(item.chosen, item.agrees) for item in water.decisions] == [(worker, True)]
    assert (count.decisions[0].chosen, count.decisions[0].router_choice) == ("planner", worker)
    assert [(item.chosen, item.agrees) for item in count.decisions[1:]] == [("operator", True)] * (worker == "operator")
    assert ("3 plants" in count.turn.answer) == (worker == "operator")


def test_tokens_are_counted_and_times_are_not_kept(topology: str) -> None:
    calls = json.loads(file_of(topology).read_text(encoding="utf-8"))["calls"]
    used = [call["reply"]["usage"] for call in calls if call["kind"] == "model"]
    assert {frozenset(usage) for usage in used} == {frozenset({"model", "input_tokens", "output_tokens"})}
    assert len({usage["input_tokens"] for usage in used}) > len(used) / 2


def test_a_shipped_cassette_says_who_answered_and_nothing_of_where(topology: str) -> None:
    file = file_of(topology)
    text = file.read_text(encoding="utf-8")
    calls = json.loads(text)["calls"]
    assert {call["model"] for call in calls if call["kind"] == "model"} == {"openai_compatible:stand-in"}
    assert "No provider's model speaks on them" in (SHIPPED / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"/(?:home|root|tmp|work|usr|Users)/|127\.0\.0\.1|localhost|lango-garden-", text) == []
    assert len(text.encode()) < LARGEST
    assert file.stat().st_mode & 0o444 == 0o444


def test_what_is_not_on_the_tape_is_said_in_the_answer(topology: str, tmp_path: Path) -> None:
    turn = replaying(topology, tmp_path).ask(f"{WATER}.").record.turn
    assert (turn.outcome, turn.error_code) == ("model_error", "cassette_miss")
    assert f"is not on {topology}-garden.json" in turn.answer


def test_every_shipped_cassette_is_recorded_by_the_script() -> None:
    assert shipped_names() == tuple(f"{topology}-garden" for topology in PLAYS)


def test_the_script_writes_all_of_them_and_says_how_they_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"{name}.json" for name in shipped_names()]
    assert capsys.readouterr().out.count("success, success, success") == len(PLAYS)


def test_a_file_of_ones_own_goes_before_a_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cassette_path("octet-garden") == shipped("octet-garden") == shipped("octet-garden.json")
    own = Path("octet-garden.json")
    own.write_text("{}", encoding="utf-8")
    assert cassette_path("octet-garden.json") == own
    with pytest.raises(StoreError, match=r"octet-garden\.json is not a cassette"):
        Lab(model="cassette:octet-garden.json")


@pytest.mark.parametrize("name", ["", ".", "..", "nobody-recorded-this", "./octet-garden", "../cassettes/octet-garden"])
def test_only_a_plain_name_is_looked_up(name: str) -> None:
    assert shipped(name) is None
    assert cassette_path(name) == Path(name)
