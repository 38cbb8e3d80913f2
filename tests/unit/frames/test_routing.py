"""routing_df: candidates and signals; weights add up to scores."""

from __future__ import annotations

import pytest

from lango_nb.frames import routing_df
from tests.unit.viz import samples


def test_weights_add_up_to_scores() -> None:
    df = routing_df(samples.route())
    sums = df.groupby("agent")["weight"].sum()
    scores = df.groupby("agent")["score"].first()
    for agent in sums.index:
        assert sums[agent] == pytest.approx(scores[agent])


def test_a_candidate_without_signals_has_one_row() -> None:
    df = routing_df(samples.route())
    row = df[df["agent"] == "automator"]
    assert len(row) == 1
    assert row[["kind", "term", "weight"]].isna().all(axis=None)
    assert set(df["agent"]) == {c.agent for c in samples.route().candidates}


def test_chosen_vetoes_and_rank_are_told() -> None:
    df = routing_df(samples.route())
    assert set(df[df["is_chosen"]]["agent"]) == {"operator"}
    assert df[df["agent"] == "vault"]["vetoes"].iloc[0] == "cannot do file operations; already declined this request"
    assert df.groupby("agent")["rank"].first()["operator"] == 1


def test_several_routes_are_numbered() -> None:
    df = routing_df([samples.route(), samples.abstention(), samples.small_talk()])
    first = df.groupby("request").first()
    assert first["is_abstention"].tolist() == [False, True, False]
    assert first["is_conversation"].tolist() == [False, False, True]
    assert first["chosen"].isna().tolist() == [False, True, True]
