"""Turns as spans: the names and attributes of the conventions, one tree per turn, the same ids every time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from lango_nb.core.errors import StoreError, UsageError
from lango_nb.core.events import (
    Event,
    HandedOver,
    RunFinished,
    RunStarted,
    TextSaid,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.messages import Usage
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.importing import read_any
from lango_nb.records.otel import export_spans, to_otlp_json, write_otlp
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.spans import Span, spans_of
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn
from tests.unit.records import strategies as made
from tests.unit.viz import samples

ROOT = Path(__file__).parents[3]
START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
USAGE = Usage(model="small-2026", input_tokens=100, output_tokens=7, latency_ms=4.0, cost_usd=0.5)


def at(ms: float) -> datetime:
    return START + timedelta(milliseconds=ms)


def a_turn(*events: Event, outcome: Any = "success", **changes: Any) -> Trace:
    turn = replace(samples.turn(outcome), id="turn-7", session_id="main", model="small", started_at=START)
    turn = replace(turn, ended_at=at(100), path=("root", "vault"), topology="octet", **changes)
    return Trace(turn, events, (), ())


def base(ms: float, author: str, run_id: str = "") -> dict[str, Any]:
    return {"turn_id": "turn-7", "seq": int(ms) + 1, "at": at(ms), "author": author, "run_id": run_id}


def one_call(code: str = "") -> Trace:
    """The root hands over; the specialist calls a tool and answers."""
    call: dict[str, Any] = {"call_id": "call-1", "tool": "crypto_hash"}
    return a_turn(
        TurnStarted(**base(0, "user"), text="Hash hello."),
        HandedOver(**base(10, "root"), target="vault", reason="hashing", usage=USAGE),
        ToolStarted(**base(20, "vault"), **call, arguments={"data": "hello"}, safety="safe"),
        ToolFinished(**base(30, "vault"), **call, result="2cf2", is_error=bool(code), code=code, latency_ms=9.5),
        TextSaid(**base(40, "vault"), text="It is 2cf2.", usage=USAGE),
        TurnFinished(**base(50, "root"), outcome="success", rounds=1),
    )


def two_runs() -> Trace:
    """A run that makes a run, and one that goes on after the turn."""
    trace = a_turn(
        TurnStarted(**base(0, "user"), text="go"),
        HandedOver(**base(9, "root"), target="planner"),
        RunStarted(**base(10, "root", "run-1"), agent="planner", instruction="plan", allowed_tools=("fs_read",)),
        HandedOver(**base(19, "planner", "run-1"), target="vault"),
        RunStarted(**base(20, "planner", "run-2"), agent="vault", instruction="hash", depth=2),
        ToolStarted(**base(21, "vault", "run-2"), call_id="c", tool="crypto_hash", arguments={}, safety="safe"),
        ToolStarted(**base(22, "planner", "run-1"), call_id="c", tool="fs_read", arguments={}, safety="safe"),
        ToolFinished(**base(23, "vault", "run-2"), call_id="c", tool="crypto_hash", result=""),
        RunFinished(**base(30, "vault", "run-2"), status="failed", error="no", error_code="tool_error"),
        TextSaid(**base(40, "root"), text="done", usage=USAGE),
        TurnFinished(**base(50, "root"), outcome="success"),
    )
    runs = [
        AgentRun(id=f"run-{number}", parent_id="main", requested_agent="x", instruction="", created_at=START)
        for number in (1, 2)
    ]
    return replace(trace, runs=(runs[0], replace(runs[1], parent_run_id="run-1")))


def named(spans: Sequence[Span], name: str) -> Span:
    (found,) = (span for span in spans if span.name == name)
    return found


def tree(spans: Sequence[Span]) -> list[str]:
    """Names, each with dots for its depth."""
    depth = {"": -1}
    for span in spans:
        depth[span.span_id] = depth[span.parent_id] + 1
    return [f"{'.' * depth[span.span_id]}{span.name}" for span in spans]


# -- the tree ----------------------------------------------------------------------------------------------------------


def test_a_turn_is_a_tree_of_agents_model_calls_and_tools() -> None:
    assert tree(spans_of(one_call())) == [
        "invoke_workflow octet",
        ".invoke_agent root",
        "..chat small",
        ".invoke_agent vault",
        "..execute_tool crypto_hash",
        "..chat small",
    ]


def test_runs_are_below_whoever_asked_for_them() -> None:
    assert tree(spans_of(two_runs())) == [
        "invoke_workflow octet",
        ".invoke_agent root",
        "..invoke_agent planner",
        "...invoke_agent vault",
        "....execute_tool crypto_hash",
        "...execute_tool fs_read",
        "..chat small",
    ]


def test_times_are_those_of_the_events() -> None:
    spans = spans_of(one_call())
    times = {span.name: (span.start, span.end) for span in spans}
    assert times["invoke_workflow octet"] == (START, at(100))
    assert times["invoke_agent root"] == (START, at(10))
    assert times["invoke_agent vault"] == (at(10), at(100))
    assert times["execute_tool crypto_hash"] == (at(20), at(30))
    assert [(span.start, span.end) for span in spans if span.name == "chat small"] == [
        (at(6), at(10)),
        (at(36), at(40)),
    ]


def test_what_never_ended_says_so() -> None:
    spans = spans_of(two_runs())
    assert [span.name for span in spans if span.is_open] == ["invoke_agent planner", "execute_tool fs_read"]
    assert all(span.attributes.get("lango.is_open", False) is span.is_open for span in spans)
    assert named(spans, "invoke_agent planner").end == at(100)


def test_a_run_that_goes_on_ends_when_a_stored_turn_says_so() -> None:
    trace = two_runs()
    late = [ToolFinished(**base(200, "planner", "run-1"), call_id="c", tool="fs_read", result="")]
    ended = RunFinished(**base(210, "planner", "run-1"), status="completed")
    row, body = pack_trace(trace)
    stored = StoredTurn(row, [pack_event(event) for event in (*trace.events, *late, ended)], body)
    spans = spans_of(stored)
    assert (named(spans, "invoke_agent planner").end, named(spans, "execute_tool fs_read").end) == (at(210), at(200))
    assert not any(span.is_open for span in spans)
    assert spans[0].end == at(100)
    assert [span.span_id for span in spans] == [span.span_id for span in spans_of(trace)]


def test_an_end_that_only_the_record_of_a_run_knows_is_used() -> None:
    trace = two_runs()
    run = replace(trace.runs[0], status="completed", completed_at=at(300))
    assert named(spans_of(replace(trace, runs=(run, trace.runs[1]))), "invoke_agent planner").end == at(300)


def test_everything_else_is_an_event_of_the_span_it_happened_in() -> None:
    spans = spans_of(samples.trace())
    happened = [(span.name, name) for span in spans for name, _, _ in span.events]
    assert ("invoke_workflow sample-eight", "lango.turn.finished") in happened
    assert ("invoke_agent operator", "lango.approval.decided") in happened
    assert ("invoke_agent librarian", "lango.declined") in happened
    kinds = {event.kind for event in samples.trace().events} - {"tool.started", "tool.finished"}
    assert {name.removeprefix("lango.") for _, name in happened} == kinds


# -- the conventions ---------------------------------------------------------------------------------------------------


def test_spans_have_the_attributes_of_the_conventions() -> None:
    spans = spans_of(one_call())
    root, agent, chat, _, tool, _ = spans
    assert root.attributes["gen_ai.operation.name"] == "invoke_workflow"
    assert root.attributes["gen_ai.workflow.name"] == "octet"
    assert {span.attributes["gen_ai.conversation.id"] for span in spans} == {"main"}
    assert agent.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert (agent.attributes["gen_ai.agent.name"], agent.attributes["gen_ai.agent.id"]) == ("root", "root")
    assert (
        chat.attributes.items()
        >= {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "lango_nb",
            "gen_ai.request.model": "small",
            "gen_ai.response.model": "small-2026",
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 7,
        }.items()
    )
    assert (
        tool.attributes.items()
        >= {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "crypto_hash",
            "gen_ai.tool.call.id": "call-1",
            "gen_ai.tool.type": "function",
        }.items()
    )


def test_every_name_of_the_conventions_is_known_to_the_installed_package() -> None:
    from opentelemetry.semconv._incubating.attributes import error_attributes, gen_ai_attributes

    known = {
        value for one in (gen_ai_attributes, error_attributes) for value in vars(one).values() if type(value) is str
    }
    used = {name for span in spans_of(one_call("no"), content=True) for name in span.attributes}
    assert {name for name in used if name.startswith(("gen_ai.", "error."))} <= known


def test_a_failed_call_is_an_error_and_a_failed_turn_too() -> None:
    spans = spans_of(one_call("not_found"))
    tool = named(spans, "execute_tool crypto_hash")
    assert (tool.error, tool.attributes["error.type"], spans[0].error) == ("not_found", "not_found", "")
    failed = one_call()
    failed = replace(failed, turn=replace(failed.turn, outcome="timeout", error_code="idle_timeout"))
    assert spans_of(failed)[0].attributes["error.type"] == "idle_timeout"
    assert named(spans_of(two_runs()), "invoke_agent vault").error == "tool_error"


def test_what_was_said_is_exported_on_request_only() -> None:
    silent = to_otlp_json(one_call()) + to_otlp_json(two_runs())
    for said in ("Hash hello.", "It is 2cf2.", '"2cf2"', '\\"data\\"', "hashing"):
        assert said not in silent
    spans = spans_of(one_call(), content=True)
    tool = named(spans, "execute_tool crypto_hash").attributes
    assert json.loads(str(tool["gen_ai.tool.call.arguments"])) == {"data": "hello"}
    assert tool["gen_ai.tool.call.result"] == "2cf2"
    asked = json.loads(str(spans[0].attributes["gen_ai.input.messages"]))
    assert asked == [{"role": "user", "parts": [{"type": "text", "content": samples.turn().text}]}]


def test_the_same_turn_has_the_same_ids_and_another_has_others() -> None:
    def ids(trace: Trace) -> list[tuple[str, str]]:
        return [(span.trace_id, span.span_id) for span in spans_of(trace)]

    first = ids(one_call())
    assert first == ids(one_call())
    assert all(re.fullmatch("[0-9a-f]{32} [0-9a-f]{16}", " ".join(pair)) for pair in first)
    for change in ({"id": "turn-8"}, {"session_id": "other"}, {"started_at": at(1)}):
        other = replace(one_call(), turn=replace(one_call().turn, **change))
        assert not set(first) & set(ids(other))


@given(made.traces())
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_any_trace_is_one_tree_that_can_be_exported(trace: Trace) -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = spans_of(trace, content=True)
    seen = {""}
    for span in spans:
        assert span.parent_id in seen
        assert span.span_id not in seen
        assert span.start <= span.end
        seen.add(span.span_id)
    assert sum(span.parent_id == "" for span in spans) == 1
    assert export_spans([trace], InMemorySpanExporter(), content=True) == len(spans)
    assert len(json.loads(to_otlp_json(trace, content=True).encode())["resourceSpans"]) == 1


# -- to an exporter ----------------------------------------------------------------------------------------------------


def test_an_exporter_gets_the_spans_as_they_are() -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import SpanKind, StatusCode

    exporter = InMemorySpanExporter()
    assert export_spans([one_call("not_found")], exporter) == 6
    got = exporter.get_finished_spans()
    spans = spans_of(one_call("not_found"))
    assert [span.name for span in got] == [span.name for span in spans]
    assert [dict(span.attributes or {}) for span in got] == [span.attributes for span in spans]
    assert [f"{span.context.span_id:016x}" for span in got if span.context] == [span.span_id for span in spans]
    assert [f"{span.parent.span_id:016x}" if span.parent else "" for span in got] == [span.parent_id for span in spans]
    assert [span.kind for span in got] == [
        SpanKind.CLIENT if "chat" in span.name else SpanKind.INTERNAL for span in got
    ]
    assert got[0].start_time == 1767323045 * 10**9
    assert got[4].end_time == 1767323045 * 10**9 + 30_000_000
    assert (got[4].status.status_code, got[4].status.description) == (StatusCode.ERROR, "not_found")
    assert got[0].status.status_code is StatusCode.UNSET
    assert [event.name for event in got[0].events] == ["lango.turn.started", "lango.turn.finished"]
    assert got[0].resource.attributes["service.name"] == "lango_nb"


def test_many_spans_are_sent_in_pieces_and_the_exporter_stays_open() -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    sizes = []

    class Counting(InMemorySpanExporter):
        def export(self, spans: Any) -> Any:
            sizes.append(len(spans))
            return super().export(spans)

        def shutdown(self) -> None:
            raise AssertionError("it is somebody else's")

    turns = (replace(one_call(), turn=replace(one_call().turn, id=f"turn-{number}")) for number in range(200))
    assert export_spans(turns, Counting()) == 1200
    assert sizes == [512, 512, 176]


def test_an_exporter_that_refuses_or_fails_is_an_error() -> None:
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Refusing(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            return SpanExportResult.FAILURE

    class Failing(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            raise ConnectionError("nobody listens")

    with pytest.raises(StoreError, match="Refusing did not take 6 spans; check where they are to go"):
        export_spans([one_call()], Refusing())
    with pytest.raises(StoreError, match="Failing failed with ConnectionError: nobody listens; check"):
        export_spans([one_call()], Failing())


def test_spans_need_somewhere_to_go() -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    with pytest.raises(UsageError, match="name one of the two"):
        export_spans([one_call()])
    with pytest.raises(UsageError, match="name one of the two"):
        export_spans([one_call()], InMemorySpanExporter(), "http://localhost:4318/v1/traces")


def test_an_endpoint_is_sent_to_with_opentelemetrys_own_exporter(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType

    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    opened: list[Any] = []

    class Collector(InMemorySpanExporter):
        def __init__(self, endpoint: str) -> None:
            super().__init__()
            self.endpoint, self.is_closed = endpoint, False
            opened.append(self)

        def shutdown(self) -> None:
            self.is_closed = True

    package = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
    module = ModuleType(package)
    module.OTLPSpanExporter = Collector  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, package, module)
    assert export_spans([one_call()], endpoint="http://localhost:4318/v1/traces") == 6
    (collector,) = opened
    assert (collector.endpoint, collector.is_closed, len(collector.get_finished_spans())) == (
        "http://localhost:4318/v1/traces", True, 6,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match="pip install opentelemetry-exporter-otlp-proto-http"):
        export_spans([one_call()], endpoint="http://localhost:4318/v1/traces")


def _run(code: str, *arguments: str) -> list[str]:
    """Lines that a fresh interpreter prints."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


_WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from lango_nb.records.importing import read_any
from lango_nb.records.otel import export_spans, to_otlp_json
(trace,) = read_any(sys.argv[1])
print(len(to_otlp_json(trace)) > 100)
try:
    export_spans([trace], exporter=object())
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_the_extra_one_sentence_says_what_to_install() -> None:
    file = ROOT / "tests" / "data" / "records" / "schema-1.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, str(file)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "True",
        "UsageError exporting spans needs OpenTelemetry, which is not installed; pip install 'lango-nb[otel]'",
    ]


def test_opentelemetry_loads_when_spans_are_exported_only() -> None:
    code = "import sys, lango_nb.records.otel; print([name for name in sys.modules if 'opentelemetry' in name])"
    assert _run(code) == ["[]"]


# -- to a file ---------------------------------------------------------------------------------------------------------


def test_a_file_has_one_line_of_otlp_json_per_turn(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    assert write_otlp(file, [one_call("not_found"), two_runs()]) == 2
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    (resource,) = lines[0]["resourceSpans"]
    assert resource["resource"] == {"attributes": [{"key": "service.name", "value": {"stringValue": "lango_nb"}}]}
    (scope,) = resource["scopeSpans"]
    root, _, chat, _, tool, _ = scope["spans"]
    assert "parentSpanId" not in root
    assert (chat["kind"], tool["kind"], tool["parentSpanId"]) == (3, 1, scope["spans"][3]["spanId"])
    assert (tool["startTimeUnixNano"], tool["status"]) == ("1767323045020000000", {"code": 2, "message": "not_found"})
    assert {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "100"}} in chat["attributes"]
    assert {"key": "lango.usage.cost_usd", "value": {"doubleValue": 0.5}} in chat["attributes"]
    assert root["events"][1]["name"] == "lango.turn.finished"
    planner = lines[1]["resourceSpans"][0]["scopeSpans"][0]["spans"][2]
    tools = {"arrayValue": {"values": [{"stringValue": "fs_read"}]}}
    assert {"key": "lango.run.allowed_tools", "value": tools} in planner["attributes"]
    assert {"key": "lango.is_open", "value": {"boolValue": True}} in planner["attributes"]
    with pytest.raises(UsageError, match="is there already"):
        write_otlp(file, [])


def test_the_service_may_have_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "classroom")
    assert '{"key":"service.name","value":{"stringValue":"classroom"}}' in to_otlp_json(one_call())


def test_traces_of_the_original_are_spans_too() -> None:
    (trace,) = read_any(ROOT / "tests" / "data" / "records" / "original-show.json")
    names = tree(spans_of(trace))
    assert names[:2] == ["invoke_workflow", ".invoke_agent lango-orchestrator"]
    assert "..execute_tool fs_write" in names[names.index(".invoke_agent vault") :]


def test_exporting_without_opentelemetry_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(UsageError, match="needs OpenTelemetry, which is not installed"):
        export_spans([], endpoint="http://localhost:4318")
