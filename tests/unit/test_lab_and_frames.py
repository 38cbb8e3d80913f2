"""What a lab returns goes into frames, what frames write comes back as tools, and headings are names of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from lango_nb import Lab
from lango_nb.core.errors import DefinitionError
from lango_nb.frames import agents_df, evaluation, events_df, partition_df, prompt_df, routing_df, tools_df, turns_df
from lango_nb.viz import _document
from lango_nb.viz import document as doc


@pytest.fixture(scope="module")
def lab() -> Lab:
    made = Lab("octet", approver="deny")
    made.ask("hello")
    made.ask("list the files here")
    made.ask("remember that I like tea")
    made.ask("add a task: buy milk")
    return made


@pytest.mark.parametrize(
    ("make", "give", "record"),
    [
        (partition_df, lambda lab: lab.partition, lambda lab: lab.engine.tree.partition),
        (partition_df, lambda lab: lab.tree, lambda lab: lab.engine.tree),
        (agents_df, lambda lab: lab.agents, lambda lab: lab.engine.tree),
        (tools_df, lambda lab: lab.tools(), lambda lab: tuple(lab.engine.catalog)),
        (prompt_df, lambda lab: lab.prompt(), lambda lab: lab.engine.tree.root),
        (routing_df, lambda lab: lab.route("read a"), lambda lab: lab.engine.route("read a")),
        (events_df, lambda lab: lab.trace(), lambda lab: lab.engine.traces.get(-1)),
        (events_df, lambda lab: [lab.trace(1), lab.trace(2)], lambda lab: [lab.engine.traces.get(n) for n in (1, 2)]),
        (turns_df, lambda lab: [lab.trace(1)], lambda lab: [lab.engine.traces.get(1)]),
    ],
)
def test_a_frame_takes_what_the_lab_returns(
    lab: Lab, make: Callable[..., pd.DataFrame], give: Callable[[Lab], Any], record: Callable[[Lab], Any]
) -> None:
    pd.testing.assert_frame_equal(make(give(lab)), make(record(lab)))


def test_what_is_of_another_kind_is_still_named(lab: Lab) -> None:
    with pytest.raises(DefinitionError, match="partition_df: record 0: expected Partition or AgentTree, got"):
        partition_df([lab.route("x")])


@pytest.mark.parametrize("form", ["csv", "csv without index", "frame"])
def test_tools_come_back_from_their_frame(lab: Lab, tmp_path: Path, form: str) -> None:
    frame = lab.tools().df
    path = tmp_path / "tools.csv"
    frame.to_csv(path, index=form == "csv")
    given: Any = frame if form == "frame" else path
    again = Lab("octet", tools=given)
    same = ["tool", "family", "description", "safety", "role", "source", "agent", "rule", "used_by", "required"]
    pd.testing.assert_frame_equal(again.tools().df[[*same, "parameters"]], frame[[*same, "parameters"]])
    assert again.tools().df["by_name"].all(), "a table holds no code"


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"entry 1 \(a\): role 'boss' is none of work, control"):
        Lab(tools=[{"name": "a", "role": "boss"}])


@pytest.mark.parametrize(
    "text", ["fs_read\nmy_tool\n", "name\nfs_read\nmy_tool\n", "tool\nfs_read\nmy_tool", "fs_read\r\nmy_tool"]
)
def test_a_list_of_names_is_a_table_with_one_column(tmp_path: Path, text: str) -> None:
    path = tmp_path / "names.csv"
    path.write_bytes(text.encode())
    assert [tool.name for tool in Lab(tools=path).tools().record] == ["fs_read", "my_tool"]


def heads_of(view: Any) -> Iterator[set[str]]:
    """Give the headings of every table of a view."""
    waiting = [*_document(view._to_show(), {})]
    while waiting:
        block = waiting.pop()
        if isinstance(block, doc.Rows):
            yield {head for head in block.heads if head}
        waiting += getattr(block, "blocks", ())


SUMMED_UP = {"tools", "why", "times"}
"""Headings over several rows of a frame put together."""


@pytest.mark.parametrize(
    "view",
    [
        lambda lab: lab.agents,
        lambda lab: lab.tools(),
        lambda lab: lab.tools("file"),
        lambda _lab: Lab("octet", tools=["fs_read"]).add_tools(["a_b"]),
        lambda lab: lab.partition,
        lambda lab: lab.diff("quartet"),
        lambda lab: lab.hooks,
        lambda lab: lab.models,
        lambda lab: lab.tasks,
        lambda lab: lab.memories(),
        lambda lab: lab.config,
        lambda lab: lab.prompt("operator"),
        lambda lab: lab.turns,
        lambda lab: lab.search("lines"),
        lambda lab: lab.runs,
        lambda lab: lab.sessions,
        lambda lab: lab.messages(),
        lambda lab: lab.events(),
        lambda lab: lab.metrics(),
    ],
)
def test_headings_of_a_listing_are_columns_of_its_frame(lab: Lab, view: Callable[[Lab], Any]) -> None:
    made = view(lab)
    heads = list(heads_of(made)) or [set()]
    assert any(heads) or not len(made.df)
    for head in heads:
        assert head - SUMMED_UP <= set(made.df.columns)


def test_headings_of_the_graph_are_columns_of_handovers_and_of_metrics(lab: Lab) -> None:
    graph = lab.graph()
    columns = {*graph.df.columns, *lab.metrics().df.columns}
    for head in heads_of(graph):
        assert head - SUMMED_UP <= columns


def test_headings_of_an_evaluation_are_columns_of_its_frames(lab: Lab) -> None:
    requests = [("Read notes.md", "operator"), ("Hash this text", "vault"), ("Liest du notes.md?", "vault")]
    rows = [{"text": text, "agent": agent, "language": "de" if "?" in text else "en"} for text, agent in requests]
    view = lab.evaluate(pd.DataFrame(rows))
    columns = {name for frame in evaluation.COLUMNS.values() for name in (column.name for column in frame)}
    heads = list(heads_of(view))
    assert len(heads) > 3
    for head in heads:
        assert head - {"octet"} <= columns


def test_headings_of_an_evaluation_of_tasks_are_columns_of_its_groups(lab: Lab) -> None:
    view = lab.evaluate_tasks(sample=2)
    columns = {column.name for column in evaluation.TASK_COLUMNS["groups"]}
    heads = list(heads_of(view))
    assert len(heads) > 1
    for head in heads:
        assert head <= columns
