"""A conversation that is kept goes on in another process, with what others said meanwhile, and once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import UnknownNameError
from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.records.stored_sessions import LATE, StoredSessions
from lango_nb.stores.opening import open_store
from lango_nb.stores.store import Row, StoredTurn
from tests.cast import Gate, Line, spawn
from tests.kept import KINDS, MARK, address, filling_disk, in_child, kept_engine, race, team_of_two

AT = "2026-01-02T03:04:05.000000+00:00"


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return address(request.param, tmp_path)


@pytest.fixture
def opened() -> Iterator[Any]:
    engines: list[Engine] = []

    def open_it(store: object, *lines: Line, settings: Any = None, **more: Any) -> Engine:
        engines.append(kept_engine(store, {"root": list(lines), **more}, settings=settings or {}))
        return engines[-1]

    yield open_it
    for engine in engines:
        engine.close()


def said(engine: Engine, session: str = "main") -> list[str]:
    return [message.content for message in engine.session(session).messages]


def test_what_another_kernel_added_is_seen_in_the_next_turn(store: str, opened: Any) -> None:
    one, other = opened(store, "One.", "Three."), opened(store, "Two.")
    one.run_sync("First")
    other.run_sync("Second")
    one.run_sync("Third")
    assert said(one) == said(other) == ["First", "One.", "Second", "Two.", "Third", "Three."]
    asked = [message.content for message in one.model.asked[-1].messages[1:]]
    assert asked == ["First", "One.", "Second", "Two.", "Third"], "the model was told what the other one said"


def test_a_forked_process_sees_what_was_added_since(store: str, opened: Any) -> None:
    engine = opened(store, "One.", "Elsewhere.")
    engine.run_sync("First")
    assert said(engine) == ["First", "One."]

    def work() -> None:
        other = kept_engine(store, {"root": ["Two."]})
        other.run_sync("Second")
        engine.run_sync("Hello", "other")
        assert said(engine) == ["First", "One.", "Second", "Two."]

    assert in_child(work) == 0


def test_messages_are_the_same_in_the_next_process(store: str, opened: Any) -> None:
    first = kept_engine(store, team_of_two(MARK))
    first.run_sync("Mark it")
    messages = list(first.session().messages)
    assert {message.role for message in messages} == {"user", "assistant"}  # bookkeeping of runs is left out
    first.close()
    assert opened(store).session().messages == messages


def test_sessions_are_apart_and_listed_in_order_of_creation(store: str, opened: Any) -> None:
    engine = opened(store, "1", "2", "3")
    for name in ("b", "a", "b"):
        engine.run_sync(f"For {name}", name)
    engine.session("nothing yet")
    assert engine.sessions.names() == ["b", "a", "nothing yet"]
    assert said(engine, "b") == ["For b", "1", "For b", "3"]
    later = opened(store)
    assert later.sessions.names() == ["b", "a"]
    assert said(later, "a") == ["For a", "2"]
    with pytest.raises(UnknownNameError, match="session 'c' not found; there is: b, a"):
        later.sessions.get("c")


@pytest.mark.parametrize("name", ["../../etc", "a/b", "Ä ö", "x" * 200, "CON", "a\nb", "main-0d6e4079.jsonl"])
def test_any_name_is_a_session(store: str, opened: Any, tmp_path: Path, name: str) -> None:
    opened(store, "One.").run_sync("First", name)
    assert said(opened(store), name) == ["First", "One."]
    mine = {"records", *(f"records.db{end}" for end in ("", "-wal", "-shm", ".writers"))}
    assert {path.name for path in tmp_path.iterdir()} <= mine


def outlived(store: str) -> tuple[Engine, Gate]:
    gate = Gate()
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Do it"), "Going on.", "Next."],
        "operator": [gate.then("I did it.")],
    }
    return kept_engine(store, lines), gate


def test_what_a_run_leaves_after_its_turn_is_heard_everywhere(store: str, opened: Any) -> None:
    engine, gate = outlived(store)
    other = opened(store, "Hm.")

    async def play() -> None:
        trace = await engine.run("Start")
        assert said(other) == ["Start", "Going on."]
        gate.opened.set()
        await engine.runs.wait(trace.runs[0].id, 10)
        await asyncio.sleep(0)

    asyncio.run(play())
    left = ["Start", "Going on.", "operator reports: I did it."]
    assert said(engine) == said(other) == left
    other.run_sync("And?")
    assert said(engine) == [*left, "And?", "Hm."]
    engine.close()
    assert sorted(said(opened(store))) == sorted([*left, "And?", "Hm."]), "once each"


def leave(engine: Engine, *runs: str) -> None:
    """Let runs leave their names in the present turn."""
    turn = engine.traces.get(-1).turn
    for place, run in enumerate(runs):
        left = Message(role="assistant", content=run, author="operator", id=f"{turn.id}.{place + 9}")
        engine.session().leave([left], run)


@pytest.mark.parametrize("is_old", [False, True])
def test_what_runs_left_stands_where_it_was_heard_in_the_next_process(store: str, opened: Any, *, is_old: bool) -> None:
    engine = opened(store, "One.", "Two.", "Three.")
    engine.run_sync("First")
    leave(engine, "arun-2", "arun-1")
    engine.run_sync("Second")
    leave(engine, "arun-3")
    engine.run_sync("Third")
    heard = said(engine)
    assert heard == ["First", "One.", "arun-2", "arun-1", "Second", "Two.", "arun-3", "Third", "Three."]
    late = engine.store.documents(LATE)
    if is_old:  # written before it was noted
        late.put(*({name: value for name, value in row.items() if name != "after"} for row in late.find()))
    engine.close()
    assert said(opened(store)) == heard


def test_what_runs_left_long_ago_does_not_take_the_place_of_the_latest_turns(store: str, opened: Any) -> None:
    settings = {"agent": {"historyTokens": 300}}
    engine = opened(store, *["Yes."] * 20, settings=settings)
    for number in range(20):
        engine.run_sync(f"Request {number}")
        leave(engine, f"arun-{number} {'x' * 200}")
    engine.close()
    engine = opened(store, "No.", settings=settings)
    engine.run_sync("Now")
    given = [message.content[:10] for message in engine.model.asked[-1].messages[1:]]
    assert given[-4:] == ["Request 19", "Yes.", f"arun-19 {'x' * 2}", "Now"]


def test_what_a_run_leaves_is_heard_where_what_another_left_was_forgotten(store: str, opened: Any) -> None:
    engine, other = opened(store, "One."), opened(store)
    engine.run_sync("First")
    words = [Message(role="assistant", content=word, author="operator") for word in ("late", "later")]
    engine.session().leave(words[:1], "arun-1")
    assert said(other) == ["First", "One.", "late"]
    engine.store.documents(LATE).remove("arun-1")
    engine.session().leave(words[1:], "arun-2")
    assert said(other) == ["First", "One.", "late", "later"]


def test_what_could_not_be_written_is_kept_and_written_later(tmp_path: Path, opened: Any) -> None:
    store = address("sqlite", tmp_path)
    with filling_disk(tmp_path) as room:
        engine = opened(store, "One.")
        session = engine.session()
        room.fill()
        session.leave([Message(role="assistant", content="late words", author="operator")], "arun-1")
        assert said(engine) == ["late words"]
        room.free()
        engine.run_sync("First")
    assert sorted(said(opened(store))) == ["First", "One.", "late words"]


def test_secrets_stay_out_of_what_is_left(store: str, opened: Any) -> None:
    secret = "sk-" + "a1B2" * 10
    engine = opened(store, "One.")
    engine.run_sync("First")
    engine.session().leave([Message(role="assistant", content=f"key {secret}", author="operator")], "arun-1")
    engine.close()
    later = opened(store)
    assert not any(secret in message.content for message in later.session().messages)
    assert len(later.session().messages) == 3


def test_two_kernels_in_one_conversation_lose_nothing(store: str) -> None:
    def talk(name: str) -> list[int]:
        with closing(kept_engine(store, {"root": [f"{name} answers {n}" for n in range(10)]})) as engine:
            return [engine.run_sync(f"{name} asks {n}").turn.number for n in range(10)]

    one, other = race(lambda: talk("one"), lambda: talk("other"))
    assert sorted([*one, *other]) == list(range(1, 21))
    with closing(kept_engine(store)) as engine:
        heard = said(engine)
        assert len(heard) == len(set(heard)) == 40
        for name in ("one", "other"):
            own = [text for text in heard if text.startswith(name)]
            assert own == [f"{name} {verb} {n}" for n in range(10) for verb in ("asks", "answers")]


@pytest.mark.parametrize(("tokens", "turns"), [(100, 300), (1000, 60), (20_000, 32)])
def test_of_a_long_conversation_hardly_more_is_read_than_fits(store: str, tokens: int, turns: int) -> None:
    """The latest 30 000 tokens: everything that is read becomes messages, and takes time."""
    with closing(open_store(store)) as opened:
        for number in range(1, 401):
            said: Row = {"role": "user", "author": "user", "content": f"{number:06}{'x' * (tokens * 4 - 16 - 6)}"}
            row: Row = {"id": f"turn-{number}", "number": number, "session_id": "main", "outcome": "success"}
            opened.log.keep([StoredTurn({**row, "started_at": AT}, [], {"history": [said]})])
        session = StoredSessions(opened, most_tokens=30_000).open("main")
        assert [int(message.content[:6]) for message in session.messages] == [*range(401 - len(session.messages), 401)]
        assert session.tokens > session.most_tokens
        assert len(session.messages) <= turns + 32
        assert session.dropped == 400 - len(session.messages)


def test_what_stands_behind_a_turn_that_still_runs_is_read_once(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path}/records.db")) as store:
        log, sessions = store.log, StoredSessions(store)

        def begin(key: str) -> Row:
            row: Row = {"id": key, "session_id": "main", "text": key, "started_at": AT}
            log.begin(row)
            return row

        def finish(row: Row) -> None:
            said: list[Any] = [{"role": "user", "content": str(row["id"])}]
            log.finish(
                str(row["id"]), [], {**row, "outcome": "success", "answer": ""}, {"messages": said, "history": said}
            )

        def read() -> list[str]:
            return [message.content for message in sessions.open("main").messages]

        running = begin("first")
        finish(begin("second"))
        assert read() == ["second"]
        finish(begin("third"))
        assert read() == ["second", "third"]
        finish(running)
        finish(begin("fourth"))
        assert sorted(read()) == ["first", "fourth", "second", "third"]
        assert sorted(read()) == ["first", "fourth", "second", "third"]
