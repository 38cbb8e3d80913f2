"""What every frame promises: the same columns and dtypes however few rows, one record or several, strict or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pandas as pd
import pytest

from lango_nb import frames
from lango_nb.core.errors import DefinitionError, UnknownNameError, UsageError
from lango_nb.doctor.finding import Finding
from lango_nb.engine import Engine
from lango_nb.evaluation.evaluate import evaluate
from lango_nb.evaluation.learning import LearningCurve, Lessons
from lango_nb.evaluation.measures import Share
from lango_nb.evaluation.task_results import TaskEvaluation, TasksResult
from lango_nb.frames.column import Column, FrameError, Sources
from lango_nb.frames.frame import frame
from lango_nb.hooks.chain import HookRow
from lango_nb.models.usable import ModelRow
from lango_nb.records.ledger import LedgerEntry
from lango_nb.records.metrics import AgentMetrics
from tests.expected import same_as_expected
from tests.unit.viz import samples

ENTRY = LedgerEntry(
    id="arun-1/1",
    kind="teammate_approval_blocked",
    run_id="arun-1",
    turn_id="turn-1",
    session_id="main",
    agent="vault",
    at=datetime(2026, 1, 1, tzinfo=UTC),
    runtime_condition="blocked_waiting_approval",
    blocked_reason="dangerous",
)
MAKERS: dict[str, tuple[Any, Any]] = {
    "agents": (frames.agents_df, samples.tree()),
    "tools": (frames.tools_df, samples.tree()),
    "partition": (frames.partition_df, samples.tree().partition),
    "routing": (frames.routing_df, samples.route()),
    "prompt": (frames.prompt_df, samples.tree()),
    "turns": (frames.turns_df, samples.trace()),
    "events": (frames.events_df, samples.trace()),
    "messages": (frames.messages_df, samples.trace()),
    "steps": (frames.steps_df, samples.teammates()),
    "decisions": (frames.decisions_df, samples.trace()),
    "runs": (frames.runs_df, samples.teammates()),
    "ledger": (frames.ledger_df, ENTRY),
    "tasks": (frames.tasks_df, samples.tasks()[0]),
    "memories": (frames.memories_df, samples.memories()[0]),
    "approvals": (frames.approvals_df, samples.pending()),
    "sessions": (frames.sessions_df, samples.trace()),
    "delegations": (frames.delegations_df, samples.teammates()),
    "visibility": (frames.visibility_df, samples.teammates()),
    "metrics": (frames.metrics_df, AgentMetrics("vault", 2, 1, 1, 3, 2, 0, 12.0, 20.0, 21.5)),
    "findings": (
        frames.findings_df,
        Finding("loops", "warn", "a ring", "turn-1", 1, "main", "stop", ("a", "b")),
    ),
    "shelf": (frames.shelf_df, samples.shelf_items()[0]),
    "models": (frames.models_df, ModelRow("openai", "openai:gpt-5", "key missing", "set OPENAI_API_KEY")),
    "hooks": (frames.hooks_df, HookRow("mine", "before", 150, "user", is_wired=True, why="you added it")),
    "task_evaluation": (frames.task_evaluation_df, TaskEvaluation("mine", 0, (TasksResult("offline", "solo", ()),))),
    "learning": (
        frames.learning_df,
        LearningCurve("octet", "mine", (Lessons(0, Share(1, 3)), Lessons(6, Share(2, 3)))),
    ),
    "genome": (frames.genome_df, samples.member()),
    "genome_history": (frames.genome_history_df, samples.commit()),
    "stumbles": (frames.stumbles_df, samples.stumble()),
    "genome_learning": (frames.genome_learning_df, samples.learning().proposals[1]),
    "evaluation": (frames.evaluation_df, evaluate([("hello", "root")], "keywords", engine=Engine(topology="octet"))),
}
SUMMED = {"sessions"}
"""Nouns of which equal records make one row."""
NO_TEXT = {"learning", "messages", "decisions", "partition", "approvals", "delegations", "evaluation"}
"""Nouns whose samples hold no text of others."""
nouns = pytest.mark.parametrize("noun", MAKERS)


TRACES = [
    samples.greeting(),
    samples.teammates(),
    *samples.all_outcomes(),
    samples.trimmed(),
    samples.hostile_trace(),
]
MORE: dict[str, Sequence[Any]] = {
    "agents": [samples.other_tree(), samples.single_tree(), samples.hostile_tree()],
    "tools": [samples.other_tree(), samples.hostile_tree()],
    "partition": [samples.other_tree().partition, samples.single_tree().partition],
    "routing": [samples.abstention(), samples.small_talk(), samples.hostile_route()],
    "prompt": [samples.other_tree()],
    **dict.fromkeys(
        ("turns", "events", "messages", "steps", "decisions", "sessions", "delegations", "visibility"), TRACES
    ),
    "runs": [*samples.runs(), samples.hostile_run()],
    "tasks": samples.tasks()[1:],
    "memories": samples.memories()[1:],
    "approvals": [samples.hostile_question()],
    "metrics": samples.metrics(),
    "findings": [*samples.report().findings, *samples.hostile_report().findings],
    "genome": [samples.member(samples.HOSTILE)],
    "genome_history": [samples.commit(samples.HOSTILE)],
    "stumbles": [samples.stumble(samples.HOSTILE)],
    "genome_learning": [*samples.learning().trials, *samples.hostile_learning().proposals],
    "shelf": [*samples.shelf_items()[1:], *samples.hostile_shelf_items()],
}
"""Further records of a noun, so that its frame has rows of every kind."""


@pytest.mark.parametrize("noun", [noun for noun in MAKERS if "evaluation" not in noun])
def test_a_frame_holds_what_is_expected(noun: str) -> None:
    make, record = MAKERS[noun]
    rows = make([record, *MORE.get(noun, ())]).dropna(axis=1, how="all").to_dict("records")
    lines = (" · ".join(f"{name}={value}" for name, value in row.items() if not _is_missing(value)) for row in rows)
    found = (line if len(line) < 2000 else f"{line[:1000]}… {len(line)} characters" for line in lines)
    same_as_expected(f"frames/{noun}.txt", "\n".join(line.replace("\n", "⏎") for line in found))


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value == "" or value != value  # noqa: PLR0124


def dtypes(df: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(dtype) for name, dtype in df.dtypes.items()}


def test_every_noun_has_its_maker() -> None:
    assert set(MAKERS) == set(frames.COLUMNS)


@nouns
def test_columns_and_dtypes_are_those_declared(noun: str) -> None:
    make, record = MAKERS[noun]
    declared = {column.name: column.dtype for column in frames.COLUMNS[noun]}
    assert dtypes(make(record)) == declared
    assert len(declared) == len(frames.COLUMNS[noun]), "two columns have the same name"


@nouns
def test_empty_input_keeps_columns_and_dtypes(noun: str) -> None:
    make, record = MAKERS[noun]
    empty = make([])
    assert len(empty) == 0
    assert dtypes(empty) == dtypes(make(record))


@nouns
def test_several_records_are_several_times_the_rows(noun: str) -> None:
    make, record = MAKERS[noun]
    one, two = make(record), make([record, record])
    assert len(one) > 0
    assert len(two) == (1 if noun in SUMMED else 2 * len(one))
    assert dtypes(one) == dtypes(two)


@nouns
def test_lenient_gives_the_same_frame_and_no_errors(noun: str) -> None:
    make, record = MAKERS[noun]
    df, errors = make(record, strict=False)
    assert errors == []
    pd.testing.assert_frame_equal(df, make(record))


@nouns
def test_strict_refuses_a_record_of_another_kind_and_lenient_skips_it(noun: str) -> None:
    make, record = MAKERS[noun]
    with pytest.raises(DefinitionError, match=rf"{noun}_df: record 1: expected .*, got int"):
        make([record, 42])
    df, errors = make([record, 42], strict=False)
    assert [(error.row, error.column) for error in errors] == [(1, "")]
    assert len(df) == len(make(record))


@nouns
def test_some_columns_are_the_same_as_in_the_whole_in_the_order_that_was_asked_for(noun: str) -> None:
    make, record = MAKERS[noun]
    whole = make(record)
    names = list(whole.columns)[::-2]
    pd.testing.assert_frame_equal(make(record, columns=names), whole[names])
    assert dtypes(make([], columns=names)) == dtypes(whole[names])
    assert len(make(record, columns=[])) == len(whole)


@nouns
def test_a_column_that_is_not_there_is_named_with_those_that_are(noun: str) -> None:
    make, record = MAKERS[noun]
    last = list(make(record).columns)[-1]
    with pytest.raises(UnknownNameError, match=rf"column '{last}x' not found in {noun}_df; did you mean '{last}'"):
        make(record, columns=[last, f"{last}x"])
    with pytest.raises(UsageError, match="columns is a list of names"):
        make(record, columns=last)


def test_only_the_columns_that_are_asked_for_are_read() -> None:
    columns = (Column("good", "it.value", "Int64", "", "A value."), Column("bad", _broken, "Int64", "", "Never."))
    make = frame("thing", columns, Slotted)(_sources)
    assert make([Slotted(1)], columns=["good"])["good"].tolist() == [1]
    with pytest.raises(DefinitionError, match="column 'bad'"):
        make([Slotted(1)])


@nouns
def test_every_column_is_explained(noun: str) -> None:
    for column in frames.COLUMNS[noun]:
        assert column.sentence.endswith("."), column.name
        assert len(column.sentence) > 5, column.name
        assert column.unit in {
            "",
            "ms",
            "s",
            "chars",
            "tokens",
            "tools",
            "messages",
            "score",
            "JSON",
            "USD",
            "0 to 1",
        }, column.name


def test_an_estimate_says_so() -> None:
    estimates = [
        column
        for columns in frames.COLUMNS.values()
        for column in columns
        if column.unit == "tokens" and column.name.endswith("estimate")
    ]
    assert estimates
    assert [column.name for column in estimates if "Estimate" not in column.sentence] == []


@nouns
def test_hostile_text_is_kept_as_it_is(noun: str) -> None:
    make, _ = MAKERS[noun]
    records: dict[str, Any] = {
        "routing": samples.hostile_route(),
        "agents": samples.hostile_tree(),
        "tools": samples.hostile_tree(),
        "partition": samples.hostile_tree(),
        "prompt": samples.hostile_tree(),
        "runs": samples.hostile_run(),
        "ledger": replace(ENTRY, blocked_reason=samples.HOSTILE),
        "tasks": samples.tasks()[2],
        "memories": samples.memories()[1],
        "shelf": samples.hostile_shelf_items()[0],
        "approvals": samples.pending(),
        "visibility": samples.hostile_run_trace(),
        "steps": samples.hostile_run_trace(),
        "metrics": AgentMetrics(samples.HOSTILE),
        "findings": Finding("loops", "warn", samples.HOSTILE),
        "models": ModelRow("openai", samples.HOSTILE, "usable"),
        "hooks": HookRow(samples.HOSTILE, "before", 150, "user", is_wired=True, why=""),
        "evaluation": evaluate([("hello", "root")], "keywords", engine=Engine(topology="octet")),
        "learning": LearningCurve("octet", samples.HOSTILE, (Lessons(0, Share(1, 3)),)),
        "genome": samples.member(samples.HOSTILE),
        "genome_history": samples.commit(samples.HOSTILE),
        "stumbles": samples.stumble(samples.HOSTILE),
        "genome_learning": samples.hostile_learning().proposals[0],
        "task_evaluation": TaskEvaluation("mine", 0, (TasksResult(samples.HOSTILE, "solo", ()),)),
    }
    df = make(records.get(noun, samples.hostile_trace()))
    text = " ".join(str(value) for name in df.columns for value in df[name])
    assert samples.HOSTILE in text or noun in NO_TEXT


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def _sources(records: Sequence[Any]) -> Sources:
    return {"it": list(records)}


def _broken(it: dict[str, Any]) -> object:
    return it["value"]


@pytest.mark.parametrize(
    ("dtype", "good", "bad", "why"),
    [
        ("string", "x", 3, "expected string, got int 3"),
        ("Int64", 3, 3.5, "expected Int64, got float 3.5"),
        ("Int64", 3, True, "expected Int64, got bool True"),
        ("Int64", 2**63 - 1, 2**63, "does not fit Int64"),
        ("float64", 1.5, "1.5", "expected float64, got str '1.5'"),
        ("float64", 1, 10**400, "does not fit float64"),
        ("boolean", False, 0, "expected boolean, got int 0"),
        ("datetime64[ns, UTC]", datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1), "has no time zone"),  # noqa: DTZ001
        ("datetime64[ns, UTC]", datetime(2026, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC), "does not fit"),
        ("datetime64[ns, UTC]", datetime(2026, 1, 1, tzinfo=UTC), "2026", "got str '2026'"),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_row_and_column(dtype: Any, good: object, bad: object, why: str) -> None:
    columns = (Column("first", _broken, dtype, "", "A value."), Column("second", _broken, dtype, "", "The same."))
    make = frame("thing", columns, dict)(_sources)
    rows = [{"value": good}, {"value": None}, {"value": bad}, {"value": good}]
    with pytest.raises(DefinitionError, match=r"thing_df: row 2, column 'first': "):
        make(rows)
    df, errors = make(rows, strict=False)
    assert [(error.row, error.column) for error in errors] == [(2, "first"), (2, "second")]
    assert why in errors[0].message
    assert str(df["first"].dtype) == dtype
    assert df["first"].isna().tolist() == [False, True, True, False]


def test_a_record_that_raises_is_an_error_of_its_row_only() -> None:
    columns = (Column("value", _broken, "Int64", "", "A value."),)
    df, errors = frame("thing", columns, dict)(_sources)([{"value": 1}, {}, {"value": 3}], strict=False)
    assert errors == [FrameError(1, "value", "KeyError: 'value'")]
    assert df["value"].tolist()[::2] == [1, 3]
    assert df["value"].isna().tolist() == [False, True, False]


def test_times_are_exact_to_the_microsecond_in_any_zone() -> None:
    columns = (Column("at", _broken, "datetime64[ns, UTC]", "", "When."),)
    make = frame("thing", columns, dict)(_sources)
    start = datetime(2026, 3, 29, 1, 59, 59, 999_999, tzinfo=timezone(timedelta(hours=-7)))
    times = [start + timedelta(microseconds=step * 1_234_567) for step in range(500)]
    old = [datetime(1931, 5, 4, 3, 2, 1, 7, tzinfo=UTC)]
    for chosen in (times, times + old):
        found = make([{"value": time} for time in chosen])["at"]
        assert [value.to_pydatetime() for value in found] == chosen
        assert str(found.dtype) == "datetime64[ns, UTC]"


def test_a_subclass_of_str_becomes_plain_text() -> None:
    class Word(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "something else"

    columns = (Column("value", _broken, "string", "", "A value."),)
    df = frame("thing", columns, dict)(_sources)([{"value": Word("as it is")}])
    assert df["value"].tolist() == ["as it is"]
    assert type(df["value"].tolist()[0]) is str


def test_signature_and_docs_are_those_of_the_noun() -> None:
    import inspect

    signature = inspect.signature(frames.events_df)
    assert list(signature.parameters) == ["traces", "strict", "columns"]
    assert "strict : bool" in (inspect.getdoc(frames.events_df) or "")


def test_describe_lists_the_columns() -> None:
    everything = frames.describe()
    assert list(everything.columns) == ["noun", "name", "dtype", "unit", "sentence"]
    assert len(everything) == sum(map(len, frames.COLUMNS.values()))
    assert frames.describe("turns")["name"].tolist()[:3] == ["session_id", "turn_id", "number"]


def test_describe_knows_its_nouns() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'events'"):
        frames.describe("event")


def test_pandas_loads_with_the_first_frame_only() -> None:
    import subprocess
    import sys

    code = (
        "import sys, lango_nb.frames\n"
        "assert 'pandas' not in sys.modules and 'numpy' not in sys.modules\n"
        "lango_nb.frames.events_df([])\n"
        "assert 'pandas' in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_columns_that_nothing_has_share_no_memory() -> None:
    df: Any = frames.events_df(samples.greeting())
    df.loc[0, "tool"] = "fs_read"
    df.loc[0, "depth"] = 7
    others = df.drop(columns=["tool", "depth"])
    assert "fs_read" not in others.to_string()
    assert others.select_dtypes("Int64").isin([7]).sum().sum() == 0
    assert df["call_id"].isna().all()
