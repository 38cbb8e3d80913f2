"""Frames of evaluations: the same numbers as the records, the same dtypes however few rows there are."""

from __future__ import annotations

import pytest

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.evaluation.answers import Answer
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.frames.evaluation import COLUMNS, WHATS, evaluation_df
from lango_nb.routing.route import Signal
from tests.unit.evaluation.making import judged, sent, unsure

AGENTS = ("vault", "operator")
FOUND = (
    judged("vault", sent("vault", 0.9), 1, "en"),
    judged("vault", sent("operator", 0.8), 2, "en"),
    judged("root", sent("root", 0.7), 3, "de"),
    judged("operator", unsure("operator", 0.4), 4),
)
MODEL = (judged("vault", Answer("invalid", "vualt", "no such agent", calls=1, input_tokens=9, time_ms=2.0)),)
EVALUATION = Evaluation("router", "mine.csv", 9, (Result("octet", AGENTS, FOUND, 0.6), Result("sextet", AGENTS, FOUND)))
OF_MODEL = Evaluation("mind", "mine.csv", 1, (Result("octet", AGENTS, MODEL),), is_model=True)
EMPTY = Evaluation("router", "mine.csv", 0, ())


def test_the_summary_has_a_row_per_topology_with_intervals() -> None:
    frame = evaluation_df(EVALUATION)
    assert frame["topology"].tolist() == ["octet", "sextet"]
    first = frame.iloc[0]
    assert (first["requests"], first["accuracy"], first["wrong_agent"], first["abstained"]) == (4, 0.5, 0.25, 0.25)
    share = EVALUATION["octet"].accuracy
    assert (first["accuracy_low"], first["accuracy_high"]) == (share.low, share.high)
    assert frame["threshold"].isna().tolist() == [False, True]
    assert frame["input_tokens"].isna().all()


def test_several_evaluations_stand_below_each_other() -> None:
    frame = evaluation_df([EVALUATION, OF_MODEL])
    assert frame["subject"].tolist() == ["router", "router", "mind"]
    assert frame["invalid"].tolist() == [0.0, 0.0, 1.0]
    assert frame["calls"].tolist() == [0, 0, 1]


@pytest.mark.parametrize("what", WHATS)
def test_dtypes_do_not_depend_on_how_many_rows_there_are(what: str) -> None:
    full, empty = evaluation_df([EVALUATION, OF_MODEL], what), evaluation_df(EMPTY, what)
    assert list(full.columns) == [column.name for column in COLUMNS[what]]  # type: ignore[index]  # one of them
    assert full.dtypes.to_dict() == empty.dtypes.to_dict()
    assert len(empty) == 0


def test_rows_are_what_was_measured() -> None:
    result = EVALUATION["octet"]
    confusion = evaluation_df(EVALUATION, "confusion").query("topology == 'octet'")
    assert confusion["requests"].sum() == 4
    assert confusion.query("is_right")["requests"].sum() == 2
    agents = evaluation_df(EVALUATION, "agents", columns=["agent", "precision", "recall", "support"])
    assert agents.iloc[1].to_dict() == {"agent": "vault", "precision": 1.0, "recall": 0.5, "support": 2}
    assert len(evaluation_df(EVALUATION, "curve")) == 2 * len(result.curve)
    assert evaluation_df(EVALUATION, "languages")["name"].tolist() == ["en", "de", "en", "de"]
    assert evaluation_df(EVALUATION, "answers")["verdict"].tolist()[:4] == [one.verdict for one in FOUND]
    assert evaluation_df(EVALUATION, "mistakes")["row"].tolist() == [2, 4, 2, 4]


def test_a_mistake_tells_what_spoke_for_whom() -> None:
    from dataclasses import replace

    one = replace(FOUND[1], chosen_terms=(Signal("keyword", "run", 1.5), Signal("prior", "how common fs is", -0.2)))
    frame = evaluation_df(Evaluation("router", "x", 1, (Result("octet", AGENTS, (one,)),)), "mistakes")
    assert frame["for_got"].tolist() == ["keyword 'run' +1.5; how common fs is -0.2"]
    assert frame["for_right"].tolist() == [""]


def test_columns_are_chosen_and_unknown_names_are_refused() -> None:
    assert list(evaluation_df(EVALUATION, columns=["topology", "accuracy"]).columns) == ["topology", "accuracy"]
    with pytest.raises(UnknownNameError, match="did you mean 'mistakes'"):
        evaluation_df(EVALUATION, "mistake")
    with pytest.raises(UnknownNameError, match="column 'acuracy' not found in evaluation_df"):
        evaluation_df(EVALUATION, columns=["acuracy"])
    with pytest.raises(DefinitionError, match="expected Evaluation, got str"):
        evaluation_df(["x"])  # type: ignore[list-item]  # that is the point
    frame, errors = evaluation_df([EVALUATION, "x"], strict=False)  # type: ignore[call-overload]  # the same
    assert (len(frame), len(errors)) == (2, 1)
