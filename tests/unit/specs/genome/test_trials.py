"""Changes on trial: kept across processes, judged once, and a damaged file loses no more than what it held."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import StoreError
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.metrics import Action, Stumble
from lango_nb.specs.genome.trials import ENOUGH, Trial, Trials

AT = datetime(2026, 3, 1, tzinfo=UTC)
BEFORE, SINCE = AT - timedelta(hours=1), AT + timedelta(hours=1)


@pytest.fixture
def genome(tmp_path: Path) -> Genome:
    return Genome.init(tmp_path / "genome", SteppedClock())


def on_trial(genome: Genome) -> Trial:
    """Let something be learned, and put it on trial."""
    genome.add_memory("the ledger is kept in old", source="learn")
    trial = Trial(
        commit=genome.commit().id, agent_name="reader", kind="error", change="memory", subject="s", reason="r", at=AT
    )
    Trials(genome).add(trial)
    return trial


def act(genome: Genome, at: datetime, actions: int, stumbles: int) -> None:
    genome.record(*[Action("reader", at)] * actions, *[Stumble("reader", "error", at)] * stumbles)


def test_a_trial_is_read_back_as_it_was_written(genome: Genome) -> None:
    trial = on_trial(genome)
    assert Trials(Genome.open(genome.folder)).all() == (trial,)


def test_nothing_is_judged_before_there_were_enough_actions(genome: Genome) -> None:
    on_trial(genome)
    act(genome, SINCE, ENOUGH - 1, ENOUGH - 1)
    act(genome, BEFORE, 10, 0)
    genome.record(*[Action("editor", SINCE)] * 9)
    assert Trials(genome).judge() == ()
    act(genome, SINCE, 1, 1)
    (judged,) = Trials(genome).judge()
    assert (judged.verdict, judged.before, judged.after) == ("harmful", 0.0, 1.0)
    assert genome.memories == ()
    assert Trials(genome).judge() == (), "once is enough"


@pytest.mark.parametrize(
    ("before", "since", "verdict"),
    [(0, 2, "harmful"), (1, 1, "neutral"), (2, 1, "helpful"), (9, 10, "harmful"), (10, 10, "neutral")],
)
def test_the_rates_before_and_since_decide(genome: Genome, before: int, since: int, verdict: str) -> None:
    on_trial(genome)
    act(genome, BEFORE, 10, before)
    act(genome, AT, 10, since)
    assert [one.verdict for one in Trials(genome).judge()] == [verdict]
    assert bool(genome.memories) is (verdict != "harmful")


@pytest.mark.parametrize("text", ["", "{", "null", "[1, {}]", '[{"commit": "x"}]', "[" * 9_000])
def test_a_damaged_file_counts_as_empty_and_what_comes_next_is_kept(genome: Genome, text: str) -> None:
    (genome.folder / ".state").mkdir(exist_ok=True)
    (genome.folder / ".state" / "trials.json").write_text(text)
    assert Trials(genome).all() == ()
    trial = on_trial(genome)
    assert Trials(genome).all() == (trial,)


def test_of_several_trials_a_damaged_one_is_left_out(genome: Genome) -> None:
    trial = on_trial(genome)
    Trials(genome).add(replace(trial, subject="odd"))
    place = genome.folder / ".state" / "trials.json"
    place.write_text(place.read_text().replace('"odd"', "3"))
    assert Trials(genome).all() == (trial,)


def test_a_file_that_cannot_be_read_is_an_error_of_one_line(genome: Genome) -> None:
    (genome.folder / ".state" / "trials.json").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"^trials.json cannot be read \(.*\); see who may read it$"):
        Trials(genome).all()
