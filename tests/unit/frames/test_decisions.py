"""decisions_df: every candidate of every hand-over, the chosen one included."""

from __future__ import annotations

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


def test_traces_give_the_session_and_decisions_alone_do_not() -> None:
    assert set(decisions_df(samples.trace())["session_id"]) == {"main"}
    assert decisions_df(samples.trace().decisions)["session_id"].isna().all()
