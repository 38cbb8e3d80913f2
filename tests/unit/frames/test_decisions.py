"""decisions_df: every candidate of every hand-over, the chosen one included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lango_nb.frames import decisions_df
from tests.unit.viz import samples


def test_every_candidate_has_a_row_and_one_is_chosen() -> None:
    df: Any = decisions_df(samples.decision())
    assert df["agent"].tolist() == [c.agent for c in samples.route().candidates]
    assert df[df["is_chosen"]]["agent"].tolist() == ["operator"]
    assert df["agrees"].all()


def test_signals_are_readable_and_vetoes_not_repeated() -> None:
    df: Any = decisions_df(samples.decision()).set_index("agent")
    assert df.loc["librarian", "signals"] == "family read +1.2; keyword notes +0.8"
    assert df.loc["navigator", "signals"].endswith("cannot file operations -0.8")
    assert df.loc["vault", "vetoes"] == "cannot do file operations; already declined this request"
    assert df.loc["chronicler", "signals"] == ""


def test_an_agent_the_router_does_not_know_gets_a_row() -> None:
    df: Any = decisions_df(samples.disagreement())
    row = df[df["agent"] == "painter"].iloc[0]
    assert row["is_chosen"]
    assert not row["agrees"]
    assert row[["rank", "score", "signals", "router_choice"]].isna().all()
    assert df["is_router_choice"].tolist() == [False, False, False]


def test_the_run_a_hand_over_made_can_be_joined() -> None:
    df: Any = decisions_df(samples.teammates())
    assert set(df["run_id"]) == {"run-1"}
    assert set(df["call_id"]) == {"call-3"}
    assert set(decisions_df(samples.decision())["run_id"]) == {""}


def test_an_agent_that_is_left_alone_for_a_while_says_why() -> None:
    broken = replace(samples.decision(), excluded=(("chronicler", "its breaker is open: 3 failures"),))
    df: Any = decisions_df(broken).set_index("agent")
    assert df.loc["chronicler", "vetoes"] == "its breaker is open: 3 failures"


def test_traces_give_the_session_and_decisions_alone_do_not() -> None:
    assert set(decisions_df(samples.trace())["session_id"]) == {"main"}
    assert decisions_df(samples.trace().decisions)["session_id"].isna().all()
