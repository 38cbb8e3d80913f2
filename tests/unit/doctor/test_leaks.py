"""Raw words of an isolated specialist in a parent's conversation are told one by one, and only those."""

from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.records.packing import pack_trace
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.stores.memory import MemoryStore
from lango_nb.stores.store import Row, StoredTurn, stamp
from tests.unit.doctor.cases import NOW, ROOT, DiskStore, engine_on, keep, looked, report_of

ASKED: Row = {"role": "user", "content": "hash it", "author": "user"}
MERGED: Row = {"role": "assistant", "content": "vault reports: 2cf2", "author": ROOT}


def said(author: str, content: str = "raw words") -> Row:
    return {"role": "assistant", "content": content, "author": author}


def test_a_leak_is_told_with_session_turn_position_author_and_masked_text() -> None:
    store = MemoryStore()
    keep(store.log, messages=(ASKED, MERGED))
    long = "the key is sk-abcdefghijklmnop1234 " + "and so on " * 20
    keep(store.log, session="s2", messages=(ASKED, said("vault", long), MERGED))
    (found,) = looked(engine_on(store), "isolation")
    assert (found.status, found.session, found.turn, found.turn_number) == ("fail", "s2", "turn-2", 2)
    assert found.text == "session s2, turn 2, message 2: raw words of vault, which is isolated"
    (line,) = found.evidence
    assert line.startswith("vault: the key is [masked] and so on")
    assert len(line) <= len("vault: ") + 80
    assert "%lango trace 2" in found.next_step


def test_every_leak_is_told_and_the_report_is_not_healthy() -> None:
    store = MemoryStore()
    call = {"role": "assistant", "author": "operator", "tool_calls": [{"id": "c", "name": "exec"}]}
    keep(store.log, messages=(ASKED, said("vault"), call, said("librarian")))
    found = looked(engine_on(store), "isolation")
    assert [finding.evidence[0] for finding in found] == [
        "vault: raw words",
        "operator: (calls exec)",
        "librarian: raw words",
    ]
    assert not report_of(engine_on(store)).is_healthy


def test_what_the_session_keeps_counts_not_what_the_trace_shows() -> None:
    store = MemoryStore()
    row = keep(store.log, "running")
    body = {"messages": [said("vault")], "history": [ASKED, MERGED], "decisions": [], "runs": []}
    store.log.finish("turn-1", [], {**row, "outcome": "success"}, body)  # type: ignore[arg-type]
    assert looked(engine_on(store), "isolation")[0].status == "ok"


def test_agents_that_work_in_the_parents_session_may_speak_there() -> None:
    store = MemoryStore()
    keep(store.log, messages=(ASKED, said("planner"), said("chronicler"), said(ROOT)))
    assert looked(engine_on(store), "isolation")[0].status == "ok"


def test_a_turn_is_judged_by_its_own_topology() -> None:
    store = MemoryStore()
    keep(store.log, topology="sextet", messages=(said("vault"),))  # there nobody is isolated
    keep(store.log, topology="solo", messages=(said("vault"),))
    assert looked(engine_on(store), "isolation")[0].status == "ok"
    keep(store.log, topology="long gone", messages=(said("vault"),))
    assert looked(engine_on(store), "isolation")[0].turn_number == 3
    keep(store.log, topology="octet", messages=(said("vault"),))
    assert [finding.turn_number for finding in looked(engine_on(store, topology="sextet"), "isolation")] == [4]


def test_an_isolated_agent_of_ones_own_counts_too() -> None:
    store = MemoryStore()
    keep(store.log, messages=(said("tailor"),))
    keep(store.log, topology="sextet", messages=(said("tailor"),))
    for is_isolated, turns in ((True, [1, 2]), (False, [None])):
        tailor = AgentSpec(name="tailor", source=Source.USER, always_include=True, session_isolation=is_isolated)
        keep(store.log, topology="solo", messages=(said("tailor"),))  # nobody is isolated there
        found = looked(engine_on(store, agents=(tailor,)), "isolation")
        assert [finding.turn_number for finding in found] == turns


def test_only_sessions_at_work_lately_are_read_but_those_from_their_beginning() -> None:
    store = MemoryStore()
    keep(store.log, session="old", hours_ago=30, messages=(said("vault"),))
    keep(store.log, session="long", hours_ago=29, messages=(said("vault"),))
    keep(store.log, session="long", hours_ago=2)
    assert [finding.turn_number for finding in looked(engine_on(store), "isolation")] == [2]


def test_what_runs_left_after_their_turn_is_looked_at() -> None:
    store = DiskStore()
    keep(store.log)
    store.documents("message").put({"id": "arun-1", "session_id": "main", "messages": [MERGED, said("vault")]})
    (found,) = looked(engine_on(store), "isolation")
    assert (found.status, found.turn, found.session) == ("fail", "", "main")


def test_words_that_no_turn_accounts_for_are_found_in_memory() -> None:
    engine = Engine(topology="octet")
    engine.run_sync("hello")
    assert looked(engine, "isolation")[0].status == "ok"
    engine.session("main").messages.append(Message(role="assistant", content="my key", author="vault"))
    (found,) = looked(engine, "isolation")
    assert found.text == "session main, message 3: raw words of vault, which is isolated"
    assert found.evidence == ("vault: my key",)


def test_words_that_a_turn_accounts_for_are_known_again_though_they_hold_a_secret() -> None:
    store = MemoryStore()
    keep(store.log, topology="sextet", messages=(said("vault", "the key is [masked]"),))
    engine = engine_on(store)
    unmasked = Message(role="assistant", content="the key is sk-abcdefghijklmnop1234", author="vault")
    engine.session("main").messages[:] = [unmasked]
    assert looked(engine, "isolation")[0].status == "ok"


def test_real_turns_of_isolated_specialists_leave_no_leak() -> None:
    lab = Lab("octet", approver="allow")
    lab.ask("list the files, then search the web for cats and plan a trip")
    lab.ask("what is in the folder?")
    engine = lab.engine
    assert any(event.kind == "child.merged" for trace in engine.traces for event in trace.events)
    (found,) = looked(engine, "isolation")
    assert found.status == "ok"
    engine.close()


def test_switched_off_isolation_is_skipped() -> None:
    store = MemoryStore()
    keep(store.log, messages=(said("vault"),))
    engine = engine_on(store)
    off = engine.settings.agent.isolation.model_copy(update={"enabled": False})
    engine.settings = engine.settings.model_copy(
        update={"agent": engine.settings.agent.model_copy(update={"isolation": off})}
    )
    assert [finding.status for finding in looked(engine, "isolation")] == ["skip"]


def test_a_flood_of_leaks_is_counted() -> None:
    store = MemoryStore()
    keep(store.log, messages=tuple(said("vault", f"word {number}") for number in range(60)))
    found = looked(engine_on(store), "isolation")
    assert len(found) == 51
    assert found[-1].text == "10 more messages of isolated specialists in parents' sessions"


def test_damaged_bodies_are_no_crash() -> None:
    store = DiskStore()
    row = keep(store.log, "running")
    body = {"messages": ["no message", None, {"author": None}, {"author": 7, "content": []}]}
    store.log.finish("turn-1", [], {**row, "outcome": "success"}, body)  # type: ignore[arg-type]
    assert looked(engine_on(store), "isolation")[0].status == "ok"


def test_words_of_a_session_of_its_own_are_a_leak_whoever_is_said_to_be_their_author() -> None:
    lab = Lab("octet")
    lab.ask("hash milk with sha256")
    trace = lab.engine.traces.get()
    theirs = next(message for message in trace.messages if message.author == "vault" and message.content)
    leaked = theirs.model_copy(update={"author": ROOT})
    for history, status in (((), "ok"), ((leaked,), "fail")):
        store = MemoryStore()
        row, body = pack_trace(trace, (*trace.conversation(), *history))
        store.log.keep(StoredTurn({**row, "started_at": stamp(NOW)}, [], body))
        (found,) = looked(engine_on(store), "isolation")
        assert found.status == status
    assert found.text.startswith(
        f"session main, turn 1, message {trace.messages.index(theirs) + 1}: raw words of vault"
    )
