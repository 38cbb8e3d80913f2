"""Issue "Nothing is lost", "Masking before writing and showing": zero leaks, looked for with canaries.

    STORIES   turns that carry canaries through every door (tests/scenarios/canaries.py)
    PLACES    everything that is kept or shown: views, frames, logs, files of a store, exports, the terminal, …

Every story is played on stores of several kinds, and every place is searched for pieces of canaries. A new place is a
function with ``@place``.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lango_nb import frames
from lango_nb.commands.terminal.main import main
from lango_nb.core.errors import LangoError
from lango_nb.core.masking import MASK, mask, mask_value
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.stores.schema import DOCUMENTS
from lango_nb.viz.view import View
from tests.scenarios.canaries import (
    BY_NAME,
    CANARIES,
    EVERYTHING,
    KEEP,
    STORIES,
    TOOLS,
    Canary,
    Played,
    leaks,
    own_rules,
    told,
)

ROOT_FOLDER = Path(__file__).parents[2]


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.kind)
def test_a_canary_is_seen_where_it_is_and_masked_with_nothing_around_it(canary: Canary) -> None:
    with own_rules():
        assert leaks(canary.text), "the search is blind to it"
        assert leaks(json.dumps([f"before\n{canary.text}\n"])), "the search is blind to it in JSON"
        for text in (
            canary.text,
            f"{canary.text}\nafter",
            f"before\n{canary.text}\n",
            f"before\r\n{canary.text}",
            EVERYTHING,
        ):
            once = json.dumps({"text": text, "n": 1})
            for written in (text, once, json.dumps([once]), repr([text]), repr({"text": [text]})):
                assert leaks(mask(written)) == []
                assert mask(mask(written)) == mask(written)
        masked = mask(f"before\n{canary.text}\nafter")
        assert masked.startswith("before\n")
        assert masked.endswith("\nafter")
        assert MASK in masked


# -- places ------------------------------------------------------------------------------------------------------------

Place = Callable[[Played], Iterator[str]]
PLACES: dict[str, Place] = {}


def place(look: Place) -> Place:
    """Have every story looked for in one more place."""
    PLACES[look.__name__] = look
    return look


def views_of(lab: Lab) -> Iterator[View[Any]]:
    """Make every view a lab has of what happened."""
    turns = range(1, len(lab.engine.traces) + 1)
    for turn in turns:
        yield from (lab.trace(turn), lab.events(turn), lab.messages(turn), lab.why(turn))
    yield from (lab.turns, lab.runs, lab.tasks, lab.memories(), lab.history, lab.search(), lab.sessions, lab.approvals)
    yield from (lab.doctor(), lab.metrics(), lab.graph(), lab.status, lab.tree, lab.agents, lab.hooks)
    yield from (lab.route(EVERYTHING), lab.search("carry"))
    for run in lab.engine.runs.list():
        yield from (lab.run(run.id), lab.run(run.id).events)


@place
def views(played: Played) -> Iterator[str]:
    for view in views_of(played.lab):
        yield from (view.text, view.html, repr(view))
        with contextlib.suppress(LangoError):
            yield view.mermaid
        yield str(view._repr_mimebundle_())


@place
def frames_of_views(played: Played) -> Iterator[str]:
    for view in views_of(played.lab):
        with contextlib.suppress(LangoError):
            yield view.df.to_json(orient="records", date_format="iso") + repr(view.df)


@place
def frames_of_history(played: Played) -> Iterator[str]:
    history = played.lab.history.record
    for noun in (
        "sessions",
        "turns",
        "events",
        "messages",
        "decisions",
        "delegations",
        "runs",
        "approvals",
        "visibility",
    ):
        frame = getattr(frames, f"{noun}_df")(history)
        yield noun + frame.to_json(orient="records", date_format="iso")
        assert len(frame) or noun not in {"sessions", "turns", "events", "messages"}, noun


@place
def records(played: Played) -> Iterator[str]:
    engine = played.lab.engine
    for trace in engine.traces:
        yield from (repr(trace), repr(trace.turn), *(event.model_dump_json() for event in trace.events))
    yield from (repr(engine.runs.list()), repr(engine.tasks.list()), repr(engine.memories), repr(engine.store))


@place
def rows_of_the_store(played: Played) -> Iterator[str]:
    store = played.lab.engine.store
    for stored in store.log.scan():
        yield json.dumps([stored.row, stored.events, stored.body])
    for kind in DOCUMENTS:
        yield json.dumps(store.documents(kind).find())


@place
def files_of_the_home(played: Played) -> Iterator[str]:
    for path in played.home.rglob("*"):
        yield path.name
        if path.is_file():
            yield path.read_bytes().decode("utf-8", "backslashreplace")


@place
def exports(played: Played) -> Iterator[str]:
    folder = played.home.parent / "exports"
    folder.mkdir(exist_ok=True)
    for name in ("turns.jsonl", "turns.html", "turns.otlp.json"):
        path = played.lab.export(folder / name, session=played.lab.session, overwrite=True)
        yield path.read_text(encoding="utf-8")
    again = Lab("solo", workspace=folder).open(folder / "turns.jsonl")
    yield from (again.text, again.html, again.df.to_csv())


COMMANDS = (
    "trace list",
    "trace list --output json",
    "trace show 1",
    "trace show 1 --output json",
    "graph main",
    "metrics",
    "doctor",
)


@place
def the_terminal(played: Played) -> Iterator[str]:
    if not (played.home / "records.db").is_file():
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LANGO_HOME", str(played.home))
        for words in COMMANDS:
            printed, complained = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
                code = main(words.split())
            assert code < 2, complained.getvalue()
            yield printed.getvalue() + complained.getvalue()


@place
def the_screen_meanwhile(played: Played) -> Iterator[str]:
    yield from played.shown


@place
def logs(played: Played) -> Iterator[str]:
    formatter = logging.Formatter("%(levelname)s %(name)s %(message)s")
    for record in played.records:
        yield formatter.format(record)
        yield repr((record.msg, record.args, record.exc_info))


@place
def warnings_and_errors(played: Played) -> Iterator[str]:
    yield from (*played.warned, *played.raised)


# -- looking -----------------------------------------------------------------------------------------------------------

PLAYED = (*((story, store) for story in STORIES for store in ("memory", "folder")), ("spawn", "sqlite"))


@pytest.fixture(scope="module", params=PLAYED, ids="-".join)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Tell a story on a kind of store, and write down what is logged and warned of meanwhile."""
    story, kind = request.param
    workspace, home = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("home")
    address = {"memory": "", "folder": str(home), "sqlite": f"sqlite:///{home}/records.db"}[kind]
    handler = _Remembering()
    logger = logging.getLogger("lango_nb")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    with own_rules(), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            one = told(story, workspace, home, address)
            gc.collect()
            one.warned = [str(warning.message) for warning in warned]
            one.records = handler.records
            yield one
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
    one.lab.close()


class _Remembering(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.mark.parametrize("look", PLACES.values(), ids=PLACES)
def test_no_canary_is_in(look: Place, played: Played) -> None:
    found = {leak for text in look(played) for leak in leaks(text)}
    assert sorted(found)[:5] == []


def test_every_door_was_open_and_models_and_tools_got_what_was_there(played: Played) -> None:
    """Otherwise the search above finds nothing because there is nothing, or because everything is masked."""
    carried: set[str] = set()
    for trace in played.lab.engine.traces:
        assert trace.turn.text.startswith(f"Please carry {MASK}\n")
        for event in trace.events:
            if MASK in event.model_dump_json():
                carried |= {event.kind, getattr(event, "tool", "")}
    assert STORIES[played.story].doors - carried == frozenset()
    assert played.cast.unexpected == []
    asked = [message for asked in played.cast.asked for message in asked.messages]
    assert any(EVERYTHING in message.content for message in asked if message.role == "user")
    answers = {message.tool_name for message in asked if message.role == "tool" and EVERYTHING in message.content}
    assert ("fs_carry" in answers) == ("fs_carry" in STORIES[played.story].doors)


# -- what is not a turn ------------------------------------------------------------------------------------------------


@pytest.fixture
def question(tmp_path: Path) -> Iterator[list[str]]:
    """Return what is kept and shown of an open question and its answer, but for the question itself.

    Whoever decides sees exactly what would run.
    """
    seen: list[str] = []
    again = KEEP[0], {**KEEP[1], "text": "something else"}
    lab = Lab("solo", tools=TOOLS, model=ScriptedModel([KEEP, again, "Done."]), workspace=tmp_path, approver="hold")

    def look(event: Any) -> None:
        if event.kind == "approval.asked":
            view = lab.approvals
            assert all(leaks(shown) for shown in (view.text, view.html))
            seen.extend((view.df.to_csv(), repr(view.record)))
            answer = view.deny(detail="not today")
            seen.extend((answer.text, answer.html, answer.df.to_csv()))

    with own_rules():
        seen.append(lab.ask(EVERYTHING, on_event=look).text)
        yield seen


def test_no_canary_is_in_open_questions(question: list[str]) -> None:
    assert len(question) == 11, "both were asked"
    assert [leaks(text) for text in question if leaks(text)] == []


def test_no_canary_is_in_a_trace_of_the_original_that_is_opened(tmp_path: Path) -> None:
    at = "2026-02-03T04:05:06Z"
    said = {"summary": EVERYTHING, "cause_detail": EVERYTHING}
    trace = {"trace_id": "t-1", "session_key": "main", "outcome": "success", "started_at": at, "ended_at": at, **said}
    kinds = {
        "tool_call": {"args": {"text": EVERYTHING, "api_key": BY_NAME}, "id": "call-a"},
        "tool_result": {"id": "call-a", "response": {"all": EVERYTHING}},
        "delegation": {"to": "vault", "reason": EVERYTHING},
        "text": {"text": EVERYTHING},
        "terminal_error": {"error": EVERYTHING},
        "anything_else": {"detail": EVERYTHING, "api_key": BY_NAME},
    }
    who = {"trace_id": "t-1", "agent_name": "vault", "tool_name": "fs_keep", "created_at": at}
    events = [
        {**who, "seq": seq, "event_type": kind, "payload_json": json.dumps(payload)}
        for seq, (kind, payload) in enumerate(kinds.items(), 1)
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"trace": trace, "events": events}), encoding="utf-8")
    with own_rules():
        view = Lab("solo", workspace=tmp_path).open(path)
        (opened,) = view.record
        shown = (
            view.text,
            view.html,
            view.df.to_csv(),
            repr(opened),
            *(event.model_dump_json() for event in opened.events),
        )
    assert {"tool.started", "tool.finished", "text", "error"} <= {event.kind for event in opened.events}
    assert [leaks(text)[:2] for text in shown if leaks(text)] == []


@pytest.mark.parametrize(
    "address", ["postgresql://ada:CanaryAddress@db.internal/x", "mysql://ada:CanaryAddress@db.internal/x"]
)
def test_no_password_of_a_store_is_in_the_error_about_it(address: str) -> None:
    with pytest.raises(LangoError) as caught:
        Lab(store=address)
    assert leaks(f"{caught.value!r} {caught.value}") == []


NOTEBOOKS = sorted((ROOT_FOLDER / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_like_a_secret_is_in_the_saved_outputs_of_a_notebook(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert outputs
    assert [output for output in outputs if mask_value(output) != output] == []


TEXTS = sorted(
    path
    for pattern in ("*.md", "lango_nb/**/*.md", "lango_nb/**/*.yaml", "lango_nb/data/**/*.json", "notebooks/*.ipynb")
    for path in ROOT_FOLDER.glob(pattern)
    if not {"tasks", "systems"} & set(path.parts)  # other people's texts, with addresses and words like "secret: which"
)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT_FOLDER)))
def test_nothing_is_masked_in_texts_without_secrets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert mask(text) == text
    assert [line for line in text.splitlines() if mask(line) != line] == []


# -- doors that were open once -----------------------------------------------------------------------------------------


def test_no_canary_is_in_the_answer_to_a_question(tmp_path: Path) -> None:
    seen: list[str] = []
    lab = Lab("solo", tools=TOOLS, model=ScriptedModel([KEEP, "Done."]), workspace=tmp_path, approver="hold")

    def look(event: Any) -> None:
        if event.kind == "approval.asked":
            answer = lab.approvals.deny(detail=EVERYTHING)
            seen.extend((answer.text, answer.html, answer.df.to_csv()))

    with own_rules():
        lab.ask("keep it", on_event=look)
        assert len(seen) == 3
        assert [leaks(text) for text in seen if leaks(text)] == []


def test_no_canary_is_in_the_settings_that_are_shown(tmp_path: Path) -> None:
    remote = {"name": "far", "agentCardUrl": "https://ada:CanaryAddress@host.internal/card"}
    view = Lab("solo", workspace=tmp_path, settings={"a2a": {"remoteAgents": [remote]}}).config
    assert [leaks(text) for text in (view.text, view.html, view.df.to_csv()) if leaks(text)] == []


@pytest.mark.parametrize("secret", [CANARIES[0].text, "canary.ada@example.org"])
def test_no_canary_is_in_an_error_about_a_name(tmp_path: Path, secret: str) -> None:
    lab = Lab("solo", workspace=tmp_path)
    with pytest.raises(LangoError) as caught:
        lab.run(secret)
    assert leaks(str(caught.value)) == []
