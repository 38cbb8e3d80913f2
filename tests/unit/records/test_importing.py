"""What the original's command line prints becomes traces like ours: all it says, nothing it does not say."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.errors import LangoError, StoreError, UsageError
from lango_nb.records.exporting import read_jsonl, write_jsonl
from lango_nb.records.importing import read_any, read_document
from lango_nb.records.packing import pack_event, pack_trace, unpack_trace
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn
from tests.expected import same_as_expected
from tests.unit.records import strategies as made
from tests.unit.runtime.test_whole_turns import told
from tests.unit.viz import samples

FIXTURES = Path(__file__).parents[2] / "data" / "records"
SHOWN: list[dict[str, Any]] = json.loads((FIXTURES / "original-show.json").read_text(encoding="utf-8"))
LISTED: list[dict[str, Any]] = json.loads((FIXTURES / "original-list.json").read_text(encoding="utf-8"))
TRACE, AT = {"trace_id": "t-1", "outcome": "success", "started_at": "2026-01-02T03:04:05Z"}, "2026-01-02T03:04:06Z"


def event(kind: str, payload: object = None, **more: object) -> dict[str, Any]:
    said = payload if isinstance(payload, str) else json.dumps(payload)
    return {"event_type": kind, "payload_json": said, "agent_name": "vault", "created_at": AT, **more}


def happened(*events: dict[str, Any], **trace: object) -> Trace:
    (read,) = read_document({**TRACE, **trace, "events": list(events)})
    return read


def only(*events: dict[str, Any], **trace: object) -> Any:
    """The one event between the beginning and the end."""
    (one,) = happened(*events, **trace).events[1:-1]
    return one


def snake(name: str) -> str:
    return {"TraceID": "trace_id", "PayloadJSON": "payload_json"}.get(
        name, "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
    )


# -- what may be given -------------------------------------------------------------------------------------------------


def test_a_list_of_traces_is_read_oldest_first() -> None:
    traces = read_any(FIXTURES / "original-list.json")
    assert [trace.turn.id[-1] for trace in traces] == ["1", "2", "3"]
    assert [trace.turn.number for trace in traces] == [1, 2, 3]
    assert [trace.turn.outcome for trace in traces] == ["success", "timeout", "running"]
    late = traces[1].turn
    assert (late.session_id, late.error_code, late.duration_ms) == ("telegram:5", "timeout_idle", 120_500.0)
    assert (late.started_at, late.ended_at.microsecond) == (datetime(2026, 2, 3, 5, tzinfo=UTC), 500_000)


def test_the_events_of_one_trace_are_read_alone() -> None:
    (trace,) = read_any(FIXTURES / "original-show.json")
    kinds = "turn.started tool.started handover tool.finished tool.started tool.finished recovery returned text".split()
    assert [event.kind for event in trace.events] == kinds
    assert [event.seq for event in trace.events] == list(range(1, 10))
    assert trace.turn.path == ("lango-orchestrator", "vault", "lango-orchestrator")
    assert (trace.turn.rounds, trace.turn.tool_calls, trace.turn.outcome) == (1, 2, "running")
    assert str(trace.events[1].at) == "2026-02-02 19:05:06.001456+00:00"


@pytest.mark.parametrize(
    "wrapped",
    [
        {"trace": LISTED[1], "events": SHOWN},
        {**LISTED[1], "events": SHOWN},
        [{**LISTED[1], "Events": SHOWN}],
        {"traces": [LISTED[1]], "events": SHOWN},
        [LISTED[1], *SHOWN],
        [{"trace": LISTED[1]}, SHOWN],
        {"events": SHOWN, "trace": LISTED[1]},
        {**LISTED[1], "events": [{k: v for k, v in one.items() if k != "TraceID"} for one in reversed(SHOWN)]},
        {
            "trace": {snake(k): v for k, v in LISTED[1].items()},
            "events": [{snake(k): v for k, v in one.items() if k != "TraceID"} for one in SHOWN],
        },
    ],
    ids=["both", "inside", "list", "traces", "flat", "nested", "events first", "without ids", "snake"],
)
def test_a_trace_with_its_events_is_read_however_they_are_wrapped(wrapped: object) -> None:
    (trace,) = read_document(wrapped)
    (first, *_, last) = trace.events
    assert len(trace.events) == 10
    assert (first.kind, first.author, last.kind, last.author) == (
        "turn.started", "user", "turn.finished", "lango-orchestrator",
    )  # fmt: skip
    assert (trace.turn.session_id, trace.turn.outcome) == ("telegram:5", "success")
    assert trace.turn.answer == "The key is written."
    assert trace.turn.duration_ms == 1000.0


def test_what_the_original_does_not_say_stays_empty() -> None:
    (trace,) = read_document({"trace": LISTED[1], "events": SHOWN})
    turn = trace.turn
    assert (turn.text, turn.topology, turn.model, turn.steps, turn.input_tokens) == ("", "", "", 0, None)
    assert (trace.decisions, trace.messages, trace.runs) == ((), (), ())


def test_traces_that_were_imported_can_be_exported(tmp_path: Path) -> None:
    traces = read_document([LISTED[0], {"trace": LISTED[1], "events": SHOWN}])
    write_jsonl(tmp_path / "turns.jsonl", traces)
    assert read_any(tmp_path / "turns.jsonl") == read_jsonl(tmp_path / "turns.jsonl") == traces


def test_our_own_exports_are_recognised(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "turns.json", [samples.trace()])
    assert read_any(tmp_path / "turns.json") == [samples.trace()]
    whole = (tmp_path / "turns.json").read_bytes()
    (tmp_path / "turns.json").write_bytes(whole[:-30])
    with pytest.raises(StoreError, match="is damaged at byte"):
        read_any(tmp_path / "turns.json")


# -- events ------------------------------------------------------------------------------------------------------------


def test_a_payload_that_was_cut_keeps_what_can_be_known() -> None:
    (trace,) = read_any(FIXTURES / "original-show.json")
    call, result = trace.events[4], trace.events[5]
    assert call.kind == "tool.started"
    assert call.arguments == {"path": "notes.txt", "content": "x" * 1100}
    assert result.kind == "tool.finished"
    assert (call.call_id, result.call_id) == ("call-b", "call-b")
    assert result.result.startswith('{"result":"yyy')
    assert result.result.endswith("y...")
    assert not result.is_error


@pytest.mark.parametrize(
    ("response", "text", "is_error"),
    [
        ({"result": "2cf2"}, "2cf2", False),
        ({"error": "no such file"}, "no such file", True),
        ({"error": "no", "code": 5}, '{"error": "no", "code": 5}', True),
        ({"balance": "0.00"}, '{"balance": "0.00"}', False),
        ("Error: no", "Error: no", True),
        ("fine", "fine", False),
        (None, "", False),
        ([1], "[1]", False),
    ],
)
def test_a_result_is_read_like_the_original_reads_it(response: object, text: str, is_error: bool) -> None:
    result = only(event("tool_result", {"id": "c", "response": response}, tool_name="fs_read"))
    assert (result.result, result.is_error, result.tool) == (text, is_error, "fs_read")


def test_a_result_that_was_cut_may_be_an_error() -> None:
    result = only(event("tool_result", '{"id":"c","response":{"error":"no such...', tool_name="fs_read"))
    assert (result.call_id, result.is_error) == ("c", True)


def test_calls_without_ids_meet_their_results() -> None:
    calls = [event("tool_call", {"args": {}, "id": ""}, tool_name=tool, seq=seq) for seq, tool in ((1, "a"), (2, "b"))]
    results = [event("tool_result", {"response": tool, "id": ""}, tool_name=tool, seq=3) for tool in ("b", "a")]
    _, first, second, third, fourth, _ = happened(*calls, *results).events
    ids = [getattr(one, "call_id", "") for one in (first, second, third, fourth)]
    assert ids == ["t-1#1", "t-1#2", "t-1#2", "t-1#1"]


def test_a_call_takes_as_long_as_there_is_time_between_its_records() -> None:
    begun = event("tool_call", {"args": {}, "id": "c"}, tool_name="a", seq=1, created_at="2026-01-02T03:04:06.250Z")
    ended = event("tool_result", {"id": "c"}, tool_name="a", seq=2, created_at="2026-01-02T03:04:06.500Z")
    assert happened(begun, ended).events[2].latency_ms == 250.0  # type: ignore[union-attr]


def test_a_recovery_says_what_failed_and_how_long_it_waits() -> None:
    (trace,) = read_any(FIXTURES / "original-show.json")
    recovery = trace.events[6]
    assert recovery.kind == "recovery"
    assert (recovery.action, recovery.error_code, recovery.failed_agent) == (
        "retry_with_hint", "provider_rate_limit", "vault",
    )  # fmt: skip
    assert (recovery.attempt, recovery.wait_s, recovery.detail) == (1, 1.25, "429")


@pytest.mark.parametrize(
    ("verdict", "decision"), [("allow", "allow"), ("block", "block"), ("observe", "observe"), ("DENY", "deny")]
)
def test_a_policy_decision_is_one_here_too(verdict: str, decision: str) -> None:
    policy = only(event("policy_decision", {"verdict": verdict, "reason": "rm"}, tool_name="exec"))
    assert (policy.kind, policy.decision, policy.tool, policy.reason) == ("policy.decided", decision, "exec", "rm")


def test_a_warning_of_the_budget_is_one_here_too() -> None:
    warning = only(event("budget_warning", {"used": 12, "max": 15}))
    assert (warning.kind, warning.limit, warning.used, warning.of) == ("budget.warning", "delegations", 12.0, 15.0)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("policy_decision", {"verdict": "perhaps"}),
        ("budget_warning", {}),
        ("recovery_attempt", {"action": "none"}),
        ("delegation", {}),
        ("dreamt", {"of": "sheep"}),
    ],
)
def test_what_has_no_word_here_is_kept_as_a_note(kind: str, payload: object) -> None:
    note = only(event(kind, payload))
    assert (note.kind, note.hook, note.action, note.detail) == (
        "hook.decided", f"lango.{kind}", "observe", json.dumps(payload),
    )  # fmt: skip


def test_an_error_at_the_end_is_told_once() -> None:
    said = {"error_code": "E002", "cause_class": "provider_auth", "cause_detail": "401", "elapsed_ms": 5}
    failed: dict[str, Any] = {"outcome": "model_error", "error_code": "E002", "cause_class": "provider_auth"}
    trace = happened(event("terminal_error", said, agent_name=""), **failed, cause_detail="401")
    assert [one.kind for one in trace.events] == ["turn.started", "error", "turn.finished"]
    assert trace.events[1].author == "lango-orchestrator"
    assert (trace.events[1].code, trace.events[1].text) == ("provider_auth", "401")  # type: ignore[union-attr]
    assert trace.turn.error_code == "provider_auth"


def test_why_a_turn_failed_is_kept_also_without_its_events() -> None:
    (trace,) = read_document(LISTED[0])
    assert [one.kind for one in trace.events] == ["turn.started", "error", "turn.finished"]
    assert trace.events[1].text == "no activity for 2m"  # type: ignore[union-attr]


def test_events_alone_say_how_a_turn_failed() -> None:
    error = {
        **event("terminal_error", {"error_code": "E007", "cause_class": "repeated_call_signature"}),
        "trace_id": "t",
    }
    (trace,) = read_document([error])
    assert (trace.turn.outcome, trace.turn.error_code) == ("loop_detected", "repeated_call_signature")


def test_the_answer_is_the_text_that_the_summary_was_cut_from() -> None:
    whole = "word " * 60
    trace = happened(event("text", {"text": "Wait."}), event("text", {"text": whole}), summary=whole[:237] + "...")
    assert trace.turn.answer == whole
    assert happened(event("text", {"text": "Wait."}), summary="Done.").turn.answer == "Done."
    assert happened(summary="I could not.", outcome="tool_error").turn.answer == ""


def test_secrets_are_masked() -> None:
    key = "sk-abcdefghijklmnop1234"
    call = event("tool_call", {"args": {"api_key": "abc", "text": key}, "id": "c"}, tool_name="a", seq=1)
    said = [event("tool_result", {"id": "c", "response": {"token": "abc", "x": key}}, tool_name="a", seq=2)]
    said += [
        event(kind, {"text": key, "cause_detail": key, "x": key}, seq=3) for kind in ("text", "terminal_error", "z")
    ]
    cut = event("tool_result", f'{{"id":"d","response":"{key} and...', seq=4)
    trace = happened(call, *said, cut, summary=key, cause_detail=key)
    row, body = pack_trace(trace)
    rows = json.dumps([row, body, [pack_event(one) for one in trace.events]])
    assert key not in rows
    assert '"abc"' not in rows


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["", "hello", "{}", '"x"', "5", '[{"colour": "red"}]', "[" * 5000, '[["x"]]'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content)
    with pytest.raises(StoreError, match=r"other\.json holds no traces; give what lango exported") as raised:
        read_any(file)
    assert "\n" not in str(raised.value)


def test_a_list_of_nothing_holds_no_traces_and_is_no_error() -> None:
    assert read_document([]) == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file .*gone\.json"):
        read_any(tmp_path / "gone.json")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"outcome": "success", "started_at": AT}, "its field 'trace_id' is missing"),
        ({"trace_id": "t", "outcome": "success"}, "its field 'started_at' is missing"),
        ({**TRACE, "outcome": "bored"}, r"its field 'outcome' is one this lango_nb does not know \('bored'\)"),
        ({**TRACE, "started_at": "noon"}, r"its field 'started_at' is not a time \('noon'\)"),
        ({**TRACE, "started_at": "2026-01-02T03:04:05"}, "is a time without a zone"),
        ({**TRACE, "session_key": 5}, "its field 'session_key' is not text"),
        ({**TRACE, "events": [{"event_type": "text", "created_at": []}]}, "its field 'created_at' is not text"),
    ],
)
def test_what_cannot_be_understood_is_named(document: object, says: str) -> None:
    with pytest.raises(StoreError, match=says) as raised:
        read_document(document, "traces.json")
    assert "traces.json" in str(raised.value)


def test_a_time_that_go_left_empty_is_none() -> None:
    (trace,) = read_document({**TRACE, "ended_at": "0001-01-01T00:00:00Z"})
    assert trace.turn.ended_at == trace.turn.started_at


NAMES = """trace_id SessionKey outcome started_at ended_at events trace event_type agent_name tool_name seq payload_json
call_signature created_at error_code cause_class summary""".split()
words = st.sampled_from((AT, "success", "tool_call", "text", '{"id":"c","response":{"error":', "E001"))
documents = st.recursive(
    made.values | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=20,
)
some_fields = st.dictionaries(st.sampled_from(["payload_json", "seq", "tool_name"]), made.values | words)


@given(documents, st.lists(some_fields, max_size=2))
def test_whatever_is_in_a_file_becomes_whole_traces_or_an_error_of_ours(document: Any, events: list[Any]) -> None:
    kinds = ["tool_call", "tool_result", "terminal_error", "recovery_attempt"]
    full = [{"event_type": kind, "created_at": AT, **one} for kind in kinds for one in events]
    for given_document in (document, {**TRACE, "events": full}):
        traces: list[Trace] = []
        with suppress(LangoError):
            traces = read_document(given_document)
        for trace in traces:
            row, body = pack_trace(trace)
            assert unpack_trace(StoredTurn(row, [pack_event(one) for one in trace.events], body)) == trace


# -- whole documents ---------------------------------------------------------------------------------------------------


def rare() -> list[dict[str, Any]]:
    """Return events of every kind the original writes, with payloads of every shape."""
    payloads: list[object] = [
        {},
        None,
        [],
        "no json",
        {"id": "c1", "args": {"a": 1}},
        {"id": "c1", "response": {"result": "done"}},
        {"id": "c1", "response": {"error": "it failed"}},
        {"to": "vault", "reason": "keys"},
        {"text": "Hello."},
        {"error_code": "E1", "cause_detail": "gone", "cause_class": "lost"},
        {"limit": 10, "used": 8, "percent": 80},
        {"attempt": 2, "action": "retry", "error_class": "transient"},
        {"decision": "allow", "reason": "policy", "tool": "exec"},
        {"ID": "c2", "Args": '{"a": 2}'},
        {"response": "plain"},
        {"name": "x", "target": "y", "agent": "z"},
    ]
    kinds = (
        "tool_call",
        "tool_result",
        "delegation",
        "delegation_return",
        "text",
        "terminal_error",
        "budget_warning",
        "recovery_attempt",
        "policy_decision",
        "turn.finished",
        "made_up",
    )
    return [
        event(kind, payload, tool_name="fs_read" if "tool" in kind else "", seq=number)
        for number, (kind, payload) in enumerate((kind, payload) for kind in kinds for payload in payloads)
    ]


def test_whole_documents_are_read_as_expected() -> None:
    documents: dict[str, object] = {
        "shown": SHOWN,
        "listed": LISTED,
        "rare": {**TRACE, "events": rare()},
        **{
            f"ended with {word}": {**TRACE, "outcome": word, "error_code": code, "events": rare()[:3]}
            for word in ("", "failed", "timeout", "cancelled", "odd", "model_error")
            for code in ("", "E1", "timeout")
        },
        "in go's spelling": {"Traces": [{"TraceID": "t", "StartedAt": AT, "Outcome": "success", "Summary": "Hi."}]},
        "without a start": {"trace_id": "t", "events": rare()[:2]},
    }
    rows = []
    for name, document in documents.items():
        try:
            rows += [f"━━━ {name}", *(told(trace) for trace in read_document(document))]
        except LangoError as error:
            rows.append(f"{type(error).__name__}: {error}")
    same_as_expected("imported/documents.txt", "\n".join(rows))


def test_documents_that_are_none_are_refused_as_expected() -> None:
    odd: list[object] = [
        None,
        1,
        "text",
        [],
        {},
        [1],
        [[]],
        {"trace_id": ""},
        {"trace_id": 7},
        {"trace_id": "t"},
        {**TRACE, "events": 1},
        {**TRACE, "events": [1]},
        {**TRACE, "events": [{}]},
        {**TRACE, "started_at": "soon"},
        {**TRACE, "started_at": 7},
        {**TRACE, "outcome": 7},
        {**TRACE, "events": [event("text", {}, created_at="never")]},
        {"traces": {}},
        {**TRACE, "events": [event("text", "{" * 10)]},
        {**TRACE, "duration_ms": "long"},
        [TRACE, TRACE],
        {"events": []},
    ]
    rows = []
    for document in odd:
        try:
            found = f"→ {len(read_document(document, 'odd.json'))} traces"
        except LangoError as error:
            found = f"{type(error).__name__}: {error}"
        rows.append(f"{json.dumps(document)[:160]}\n    {found}")
    same_as_expected("imported/refused.txt", "\n".join(rows))
