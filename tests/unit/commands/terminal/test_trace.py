"""``lango trace``, ``graph`` and ``metrics``: what is stored, as a table and as the original's JSON."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.original import KINDS, event_data, events_data
from lango_nb.commands.terminal import records
from lango_nb.lab import Lab
from lango_nb.stores.sql import SqlStore, memory_store
from lango_nb.stores.store import Row
from tests.unit.doctor.cases import ROOT, keep

Lango = Callable[..., Any]


@pytest.fixture
def store(here: Path, monkeypatch: pytest.MonkeyPatch) -> SqlStore:
    """Records in memory, opened in place of those the settings name."""
    store = memory_store()
    monkeypatch.setattr(records, "open_store", lambda *_, **__: store)
    return store


def handed(target: str) -> dict[str, Any]:
    return {"kind": "handover", "author": ROOT, "target": target, "reason": "it is theirs"}


def data(lango: Lango, *words: str) -> Any:
    done = lango(*words, "--output", "json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_the_newest_turns_are_listed_oldest_first(lango: Lango, store: SqlStore) -> None:
    for _ in range(25):
        keep(store.log)
    assert [trace["number"] for trace in data(lango, "trace", "list")] == list(range(6, 26))
    assert [trace["number"] for trace in data(lango, "trace", "list", "--limit", "2")] == [24, 25]
    table = lango("trace", "list", "--limit", "2").out
    assert "Turns · 2 rows" in table
    assert "2 of 25 stored" in table


def test_a_line_names_who_got_work(lango: Lango, store: SqlStore) -> None:
    keep(store.log, path=[ROOT, "vault", ROOT, "planner", "vault"])
    keep(store.log)
    lines = lango("trace", "list").out.splitlines()
    assert re.match(r"1 +success +main +vault, planner +5\.0 ms +2026-03-01 11:00:00 +request 1$", lines[4])
    assert re.match(r"2 +success +main +lango-orchestrator +5\.0 ms", lines[5])


def test_turns_are_found_by_session_outcome_agent_tool_text_and_time(lango: Lango, store: SqlStore) -> None:
    keep(store.log, session="s1", text="Hash it")
    keep(store.log, "timeout", session="s1", agents=[ROOT, "vault"], tools=["crypto_hash"])
    keep(store.log, "loop_detected", session="s2", answer="a hash")

    def found(*words: str) -> list[int]:
        return [trace["number"] for trace in data(lango, "trace", "list", *words)]

    assert found("--session", "s1") == [1, 2]
    assert found("--outcome", "timeout") == [2]
    assert found("--outcome", "timeout", "--outcome", "loop_detected") == [2, 3]
    assert found("--agent", "vault") == [2]
    assert found("--tool", "crypto_hash") == [2]
    assert found("--text", "HASH") == [1, 3]
    assert found("--since", "2026-02-01") == [1, 2, 3]
    assert found("--since", "2026-04-01") == []
    assert found("--session", "s1", "--outcome", "loop_detected") == []


def test_json_has_the_originals_fields(lango: Lango, store: SqlStore) -> None:
    keep(store.log, "running")
    keep(
        store.log,
        "model_error",
        error_code="E1",
        answer="Sorry.",
        events=({"kind": "error", "author": ROOT, "code": "E1", "text": "gone"},),
    )
    running, failed = data(lango, "trace", "list")
    assert {
        "trace_id", "session_key", "entrypoint", "outcome", "error_code", "cause_class", "cause_detail", "summary",
        "started_at", "ended_at",
    } <= set(failed)  # fmt: skip
    assert (running["outcome"], running["ended_at"]) == ("running", None)
    assert (failed["outcome"], failed["error_code"], failed["summary"]) == ("model_error", "E1", "Sorry.")
    shown = data(lango, "trace", "show", "2")
    assert (shown["cause_class"], shown["cause_detail"]) == ("E1", "gone")
    (event,) = shown["events"]
    assert set(event) >= {
        "trace_id", "seq", "event_type", "agent_name", "tool_name", "call_signature", "payload_json",
        "payload_truncated", "created_at",
    }  # fmt: skip
    assert event["event_type"] == "terminal_error"
    assert json.loads(event["payload_json"]) == {"error_code": "E1", "cause_detail": "gone"}


def test_events_have_the_originals_kinds() -> None:
    call: Row = {"kind": "tool.started", "author": "vault", "tool": "t", "call_id": "c", "arguments": {"b": 1, "a": 2}}
    found = event_data(call)
    assert (found["event_type"], found["tool_name"]) == ("tool_call", "t")
    assert found["call_signature"] == 'vault|t|{"a": 2, "b": 1}'
    assert json.loads(found["payload_json"]) == {"id": "c", "args": {"b": 1, "a": 2}}
    error: Row = {"kind": "error", "author": ROOT, "code": "E1"}
    for outcome, kind in (("timeout", "terminal_error"), ("success", "turn.finished")):
        end: Row = {"kind": "turn.finished", "outcome": outcome}
        assert [one["event_type"] for one in events_data([end])] == [kind]
        assert events_data([error, end])[-1]["event_type"] == "turn.finished"
    assert event_data({"kind": "child.merged", "author": ROOT})["event_type"] == "child.merged"
    assert set(KINDS.values()) == {
        "tool_call", "tool_result", "delegation", "delegation_return", "text", "terminal_error", "budget_warning",
        "recovery_attempt", "policy_decision",
    }  # fmt: skip


@pytest.mark.parametrize("ref", ["2", "-1", "turn-2"])
def test_a_turn_is_shown_by_number_place_or_id(ref: str, lango: Lango, store: SqlStore) -> None:
    keep(store.log)
    keep(store.log, "timeout", text="second\nrequest", error_code="idle", events=(handed("vault"),))
    done = lango("trace", "show", ref)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("turn 2 · timeout (idle) · session main · 2026-03-01 11:00:00")
    assert "request: second request" in lines
    assert re.search(r"1 +\+0\.000 s +handover +lango-orchestrator +→ vault it is theirs", done.out)


def test_the_number_of_a_forgotten_turn_is_not_that_of_the_next(lango: Lango, store: SqlStore) -> None:
    for _ in range(3):
        keep(store.log)
    store.log.remove(["turn-2"])
    done = lango("trace", "show", "2")
    assert (done.code, "there is: 1, 3" in done.err) == (2, True)
    assert data(lango, "trace", "show", "-2")["number"] == 1


@pytest.mark.parametrize(
    ("words", "url"), [((), "home"), (("--settings", "store.url=sqlite:///a.db"), "sqlite:///a.db")]
)
def test_records_are_those_of_the_settings_or_of_the_home_folder(
    words: tuple[str, ...], url: str, lango: Lango, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Path]] = []

    def opened(address: str, *, home: Path, **_: Any) -> SqlStore:
        asked.append((address, home))
        return memory_store()

    monkeypatch.setattr(records, "open_store", opened)
    assert lango("trace", "list", *words).code == 0
    assert asked == [(url, here.parent / "home")]


@pytest.mark.parametrize("ref", ["7", "-3", "0", "trun-1"])
def test_a_turn_that_is_not_there_is_one_line(ref: str, lango: Lango, store: SqlStore) -> None:
    keep(store.log)
    keep(store.log)
    done = lango("trace", "show", ref)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"lango: turn '{ref}' not found in memory records; ")
    assert done.err.count("\n") == 1


def test_a_turn_that_was_forgotten_says_so(lango: Lango, store: SqlStore) -> None:
    for _ in range(3):
        keep(store.log)
    store.log.remove(["turn-1", "turn-2"], setting="observability.traceStore.maxTraces", at="2026-06-01T00:00:00Z")
    done = lango("trace", "show", "2")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("lango: turn 2 was forgotten: 2 turns up to 2026-03-01 were forgotten: observability.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trace", "list", "--limit", "0"), "--limit takes a whole number from 1 on, not '0'"),
        (("trace", "list", "--since", "yesterday"), "'yesterday'"),
        (("trace", "list", "--outcome", "timout"), "outcome 'timout' not found; did you mean 'timeout'?"),
        (("trace", "list", "--session", "mian"), "session 'mian' not found; did you mean 'main'?"),
        (("graph", "mian"), "session 'mian' not found; did you mean 'main'?"),
        (("metrics", "--session", "mian"), "session 'mian' not found; did you mean 'main'?"),
        (
            ("metrics", "--agent", "vualt"),
            "agent 'vualt' not found in the turns that are stored; did you mean 'vault'?",
        ),
        (("trace", "export", "--to", "x.html"), "name one turn, or one session with --session"),
        (("trace", "export", "1", "--session", "main", "--to", "x.html"), "name one turn, or one session"),
    ],
)
def test_what_is_wrong_is_one_line_and_ends_with_2(
    words: tuple[str, ...], said: str, lango: Lango, store: SqlStore
) -> None:
    keep(store.log, events=(handed("vault"),))
    done = lango(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_nothing_stored_is_no_error(lango: Lango, store: SqlStore) -> None:
    assert data(lango, "trace", "list") == []
    assert data(lango, "metrics") == []
    assert "nothing here yet" in lango("trace", "list").out


def test_a_session_is_a_graph(lango: Lango, store: SqlStore) -> None:
    keep(store.log, events=(handed("vault"), {"kind": "declined", "author": "vault", "target": ROOT, "text": "no"}))
    keep(store.log, session="other", events=(handed("operator"),))
    graph = data(lango, "graph", "main")
    assert [(edge["from"], edge["to"], edge["kind"]) for edge in graph["edges"]] == [
        (ROOT, "vault", "delegation"),
        ("vault", ROOT, "return"),
    ]
    assert {node["name"] for node in graph["nodes"]} == {ROOT, "vault"}
    assert lango("graph", "main", "--output", "mermaid").out.startswith("flowchart LR\n")
    table = lango("graph", "main").out
    assert re.search(r"lango-orchestrator +vault +2026-03-01 11:00:00 +delegation +it is theirs", table)


def test_metrics_of_agents_and_tools(lango: Lango, store: SqlStore) -> None:
    call = {"kind": "tool.started", "author": "vault", "tool": "crypto_hash", "call_id": "c"}
    ended = {**call, "kind": "tool.finished", "latency_ms": 4.0}
    keep(store.log, duration_ms=1500.0, events=(handed("vault"), call, ended))
    keep(store.log, "timeout", session="s2", events=({"kind": "text", "author": ROOT},))
    vault, root = sorted(data(lango, "metrics"), key=lambda found: str(found["agent"]), reverse=True)
    assert (vault["agent"], vault["turns"], vault["success_rate"], vault["p95_ms"]) == ("vault", 1, 1.0, 1500.0)
    assert (root["turns"], root["failure"], root["delegations_out"]) == (1, 1, 1)
    assert [found["agent"] for found in data(lango, "metrics", "--agent", "vault")] == ["vault"]
    assert [found["agent"] for found in data(lango, "metrics", "--session", "s2")] == [ROOT]
    (tool,) = data(lango, "metrics", "--tools")
    assert (tool["tool"], tool["calls"], tool["mean_ms"], tool["agents"]) == ("crypto_hash", 1, 4.0, ["vault"])
    assert re.search(r"vault +1 +1 +0 +0 +0 +100% +1 +1 +0 +1\.5 s", lango("metrics").out)
    assert re.search(r"crypto_hash +1 +0 +0 +4\.0 ms", lango("metrics", "--tools").out)


def test_a_real_turn_is_shown_whole(lango: Lango, store: SqlStore) -> None:
    lab = Lab("octet", approver="allow")
    lab.ask("list the files, then search the web for cats and plan a trip")
    for turn in lab.engine.store.log.scan():
        store.log.keep([turn])
    events = lab.trace().record.events
    lab.engine.close()
    assert len(data(lango, "trace", "show", "1")["events"]) == len(events)
    shown = lango("trace", "show", "-1").out
    assert all(event.kind in shown for event in events)


def test_what_reads_the_originals_json_reads_ours(lango: Lango, store: SqlStore) -> None:
    from lango_nb.records.importing import read_document

    lab = Lab("octet", approver="allow")
    lab.ask("list the files, then search the web for cats and plan a trip")
    lab.ask("hash the word hello with sha256")
    for turn in lab.engine.store.log.scan():
        store.log.keep([turn])
    for number in (1, 2):
        original = lab.trace(number).record
        (read,) = read_document(data(lango, "trace", "show", str(number)))
        assert (read.turn.id, read.turn.session_id, read.turn.outcome) == (
            original.turn.id,
            original.turn.session_id,
            original.turn.outcome,
        )
        for kind in ("handover", "tool.started", "tool.finished", "text"):
            assert [_essence(event) for event in read.events if event.kind == kind] == [
                _essence(event) for event in original.events if event.kind == kind
            ]
    assert [trace.turn.number for trace in read_document(data(lango, "trace", "list"))] == [1, 2]
    lab.engine.close()


def _essence(event: Any) -> dict[str, Any]:
    names = ("author", "target", "reason", "tool", "arguments", "result", "is_error", "text")
    return {name: getattr(event, name, None) for name in names}


def test_a_turn_or_a_session_becomes_a_file(lango: Lango, store: SqlStore, here: Path) -> None:
    from lango_nb.records.exporting import read_jsonl

    lab = Lab("octet", approver="allow")
    lab.ask("hello")
    lab.ask("list the files")
    for turn in lab.engine.store.log.scan():
        store.log.keep([turn])
    lab.engine.close()
    done = lango("trace", "export", "2", "--to", "two.jsonl")
    assert (done.code, done.out) == (0, "1 turn written to two.jsonl\n")
    assert [trace.turn.number for trace in read_jsonl(here / "two.jsonl")] == [2]
    assert data(lango, "trace", "export", "--session", "main", "--to", "all", "--format", "jsonl")["turns"] == [1, 2]
    assert lango("trace", "export", "--session", "main", "--to", "page.html").code == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    assert "list the files" in page
    assert "<script" not in page
    assert lango("trace", "export", "-1", "--to", "spans.json").code == 0
    assert "resourceSpans" in json.loads((here / "spans.json").read_text(encoding="utf-8"))
    again = lango("trace", "export", "2", "--to", "two.jsonl")
    assert (again.code, "is there already" in again.err) == (2, True)
    assert lango("trace", "export", "2", "--to", "two.jsonl", "--overwrite").code == 0
    assert "end it with .html or .jsonl" in lango("trace", "export", "2", "--to", "two").err
