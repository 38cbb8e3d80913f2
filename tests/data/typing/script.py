"""What a user may write, for ``mypy --strict``: every name has its real type."""

from __future__ import annotations

from typing import assert_type

import pandas as pd

from lango_nb import (
    AgentSpec,
    CountedIds,
    Engine,
    Lab,
    LangoError,
    ScriptedModel,
    SteppedClock,
    Tool,
    ToolContext,
    ToolResult,
    Topology,
    tool,
)
from lango_nb.core.messages import ToolSchema
from lango_nb.hooks.chain import HookChain
from lango_nb.lab.view_types import DiffView, OpenQuestions, PartitionView, Result, RouteView, TreeView
from lango_nb.records.turns import Trace
from lango_nb.routing.route import Route
from lango_nb.viz.view import ListView


@tool(safety="safe")
def word_count(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool
async def greet(name: str, context: ToolContext) -> str:
    """Greet somebody."""
    return f"hello {name} from {context.agent}"


lab = Lab("octet", tools=[word_count, greet], approver="deny", clock=SteppedClock(), ids=CountedIds())
assert_type(word_count("three short words"), int)
assert_type(word_count.name, str)
assert_type(greet.schema, ToolSchema)
assert_type(lab.engine.catalog["word_count"], Tool)
word_count(1)  # type: ignore[arg-type]  # a call keeps the signature of the function
word_count()  # type: ignore[call-arg]
assert_type(lab.engine, Engine)
assert_type(lab.tree, TreeView)
assert_type(lab.partition, PartitionView)
assert_type(lab.route("hello"), RouteView)
assert_type(lab.route("hello").record, Route)
assert_type(lab.route("hello").record.chosen, str | None)
assert_type(lab.diff("sextet"), DiffView)
assert_type(lab.tools(), ListView[Tool])
assert_type(lab.hooks.record, HookChain)
assert_type(lab.tools().df, pd.DataFrame)
assert_type(lab.ask("hello"), Result)
assert_type(lab.ask("hello").answer, str)
assert_type(lab.trace().record, Trace)
assert_type(lab.approvals, OpenQuestions)
assert_type(lab.engine.topology, Topology)

spec = AgentSpec(name="tailor", prefixes=("sew_*",))
assert_type(spec.prefixes, tuple[str, ...])
model = ScriptedModel(["Hello."])
lab.model = model
try:
    lab.use("octt")
except LangoError as error:
    assert_type(str(error), str)


def read(result: ToolResult) -> str:
    """Use a result."""
    return result.content


lab.rout("hello")  # type: ignore[attr-defined]  # a slip is found: without types this comment would be unused
lab.route(1)  # type: ignore[arg-type]
