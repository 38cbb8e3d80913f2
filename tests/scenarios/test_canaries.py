"""Issue "Nothing is lost", "Masking before writing and showing": zero leaks, looked for with canaries.

    STORIES   turns that carry canaries through every door: requests, work orders, arguments, files, commands, errors, …
    PLACES    everything that is kept or shown: views, frames, logs, files of a store, exports, the terminal, …

A canary is a made-up secret. Every story is played once on every kind of store, and every place is searched for every
canary. A new door is a line in a story; a new place is a function with ``@place``.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lango_nb import frames
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError, ModelError, ToolError
from lango_nb.core.ids import CountedIds
from lango_nb.core.masking import MASK, add_rules, mask, reset_rules
from lango_nb.hooks.decorator import after_call, before_call
from lango_nb.hooks.hook import Block, HookCall, Modify, Observe
from lango_nb.lab import Lab
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool, ToolResult
from lango_nb.viz.view import View
from tests.cast import Call, Cast, Line, delegate, spawn, stop, transfer, wait
from tests.scenarios.faults import STAGES

ROOT_FOLDER = Path(__file__).parents[2]

# -- canaries ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Canary:
    """A made-up secret."""

    kind: str
    text: str
    """How it comes along."""


CANARIES = (
    Canary("anthropic", "sk-ant-api03-CanaryAnthropic0123456789"),
    Canary("openai", "sk-proj-CanaryOpenai0123456789abcdef"),
    Canary("github", "ghp_CanaryGithub0123456789abcdefghij"),
    Canary("gitlab", "glpat-CanaryGitlab0123456789"),
    Canary("hugging face", "hf_CanaryHuggingface0123456789"),
    Canary("stripe", "sk_live_CanaryStripe0123456789"),
    Canary("stripe restricted", "rk_live_CanaryRestricted0123456789"),
    Canary("slack", "xoxb-0123456789-CanarySlack"),
    Canary("google", "AIzaCanaryGoogle0123456789abcdefghijklm"),
    Canary("aws", "AKIACANARYAWS0123456"),
    Canary("sendgrid", "SG.CanarySendgrid01234567.CanarySendgrid0123456789abcdefghijkl"),
    Canary("twilio", "SK0ca9a5f0ca9a5f0ca9a5f0ca9a5f0ca9"),
    Canary("npm", "npm_CanaryNpm0123456789abcdefghij012345"),
    Canary("pypi", "pypi-CanaryPypi0123456789abcdefghij"),
    Canary("json web token", "eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.CanaryJwtSignature"),
    Canary(
        "openssh", "-----BEGIN OPENSSH PRIVATE KEY-----\nCanaryOpenssh0123\n-----END OPENSSH PRIVATE KEY-----"),
    Canary("pgp", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nCanaryPgp0123\n-----END PGP PRIVATE KEY BLOCK-----"),
    Canary("card", "4111 1111 1111 1111"),
    Canary("card in one piece", "378282246310005"),
    Canary("mail", "canary.ada@example.org"),
    Canary("address", "postgres://ada:CanaryAddress@db.internal/x"),
    Canary("parameter", "https://api.internal/v1?access_token=CanaryParameter&page=1"),
    Canary("bearer", "Authorization: Bearer CanaryBearer0123"),
    Canary("cookie", "Set-Cookie: sid=CanaryCookie; Path=/"),
    Canary("password", "DB_PASSWORD=CanaryPassword"),
    Canary("in quotes", "client_secret: 'Canary in quotes'"),
    Canary("in json", '{"aws_secret_access_key": "Canary/in+json"}'),
    Canary("json in json", json.dumps({"body": json.dumps({"token": 'Canary "twice" quoted'})})),
    Canary("azure", "AccountName=a;AccountKey=CanaryAzure==;EndpointSuffix=b"),
    Canary("mnemonic", "mnemonic: canarius absurd abuse access"),
    Canary("own pattern", "EMP-424242"),
    Canary("own name", "badge number: CanaryBadge"),
)  # fmt: skip
BY_NAME = "CanaryArgument"
"""Looks like nothing; stands under ``api_key`` only."""
EVERYTHING = "\n".join(canary.text for canary in CANARIES) + "\n"
_STEMS = re.compile(r"Canar[yi]|CANARY|canary\.|canarius|0ca9a5f0|4111 ?1111|378282|EMP-\d")
"""What every canary has and nothing else: a piece of one, cut somewhere, is found as well."""


def leaks(text: str) -> list[str]:
    """Return what is left of canaries in a text, with what stands around it."""
    return [text[max(found.start() - 60, 0) : found.end() + 30] for found in _STEMS.finditer(text)]


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


@contextlib.contextmanager
def own_rules() -> Iterator[None]:
    """Name two more secrets for a while."""
    add_rules(["EMP-[0-9]{6}"], ["badge number"])
    try:
        yield
    finally:
        reset_rules()


# -- stories -----------------------------------------------------------------------------------------------------------


@dataclass
class Played:
    """A story that was told."""

    story: str
    lab: Lab
    cast: Cast
    home: Path
    records: list[logging.LogRecord] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    """What was on the screen meanwhile."""


def carry() -> str:
    """Bring everything."""
    return EVERYTHING


def structured() -> dict[str, Any]:
    """Bring everything, in a value."""
    return {"api_key": BY_NAME, "all": [{"deep": EVERYTHING}], "card": 378282246310005, EVERYTHING: 1}


def stumble(how: str) -> str:
    """Fail, and tell everything."""
    raise {"tool": ToolError, "value": ValueError, "os": OSError}[how](EVERYTHING)


def keep(text: str, api_key: str, options: dict[str, Any]) -> str:
    """Take everything, and say it again.

    Parameters
    ----------
    text : str
    api_key : str
    options : dict
    """
    return f"{text} {options} api_key={api_key}"


TOOLS: tuple[Tool, ...] = (
    *builtin_tools(),
    tool(carry, name="fs_carry", safety="safe"),
    tool(structured, name="fs_structured", safety="safe"),
    tool(stumble, name="fs_stumble", safety="safe"),
    tool(stumble, name="fs_fall", safety="safe"),
    tool(keep, name="fs_keep", safety="dangerous"),
    tool(carry, name="review_carry", safety="safe"),
)
REVIEWER = AgentSpec(name="reviewer", description="Looks again.", prefixes=("review_*",), source=Source.USER)
KEEP: Call = (
    "fs_keep",
    {"text": EVERYTHING, "api_key": BY_NAME, "options": {"badge_number": "CanaryBadge", "list": [EVERYTHING]}},
)


@before_call(tools=("fs_carry", "fs_list"))
def note_before(call: HookCall) -> Observe | Modify | Block:
    """Tell everything before a call."""
    if call.tool.name == "fs_list":
        return Block(f"no: {EVERYTHING}")
    return Observe(EVERYTHING)


@after_call(tools=("fs_carry", "fs_structured"))
def note_after(call: HookCall, result: ToolResult) -> Observe | ToolResult:
    """Tell everything after a call."""
    if call.tool.name == "fs_structured":
        return ToolResult(result.content + EVERYTHING)
    return Observe(EVERYTHING)


@before_call(tools=("fs_fall",))
def fall(call: HookCall) -> None:
    """Fail with everything."""
    raise RuntimeError(EVERYTHING)


class Chatty:
    """An approver who tells everything: a yes, a no, or a failure in turn."""

    name = f"chatty {EVERYTHING}"

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked += 1
        if self.asked % 3 == 0:
            raise RuntimeError(EVERYTHING)
        is_yes = self.asked % 3 == 1
        return ApprovalAnswer(is_yes, self.name, EVERYTHING, "session" if is_yes else "once")


@dataclass(frozen=True)
class Story:
    """What a cast plays, and what has to happen in it."""

    topology: str
    lines: dict[str, list[Line]]
    doors: frozenset[str]
    """Kinds of events, or names of tools, of which one at least carries something that was masked."""
    turns: int = 1


STORIES = {
    "spawn": Story(
        "octet",
        {
            "root": [
                [
                    ("task_create", {"title": EVERYTHING, "description": EVERYTHING, "parent_id": EVERYTHING}),
                    ("task_update", {"task_id": "task-1", "status": "done", "description": EVERYTHING}),
                    ("task_get", {"task_id": EVERYTHING}),
                ],
                [spawn("operator", f"carry {EVERYTHING}", spawn_reason=EVERYTHING), spawn("planner", EVERYTHING)],
                [wait("arun-1"), wait("arun-2"), stop(EVERYTHING), ("no_such_tool", {"secret": EVERYTHING})],
                spawn("chronicler", EVERYTHING),
                wait("arun-3"),
                spawn(EVERYTHING, "who is that?"),
                f"That was {EVERYTHING}",
                f"And again: {EVERYTHING}",
            ],
            "operator": [
                [
                    ("fs_read", {"path": "everything.txt"}),
                    ("exec", {"command": f"cat everything.txt # {CANARIES[0].text}"}),
                ],
                [("fs_carry", {}), ("fs_structured", {}), ("fs_list", {"path": "."})],
                [("fs_read", {"path": EVERYTHING}), ("fs_keep", {"text": EVERYTHING})],
                [KEEP, ("fs_write", {"path": "copy.txt", "content": EVERYTHING})],
                [("fs_stumble", {"how": how}) for how in ("tool", "value", "os")],
                ("fs_fall", {"how": "tool"}),
                f"It is all there: {EVERYTHING}",
            ],
            "planner": [ValueError(EVERYTHING)],
            "chronicler": [
                [("memory_agent_save", {"key": EVERYTHING, "content": EVERYTHING, "tags": [EVERYTHING]})],
                [("memory_agent_recall", {"query": EVERYTHING}), ("memory_agent_forget", {"key": EVERYTHING + "x"})],
                "Kept.",
            ],
        },
        frozenset(
            "turn.started handover handover.refused run.started run.finished run.blocked child.merged approval.asked "
            "approval.decided hook.decided text error task_create task_update task_get agent_wait agent_stop fs_read exec "
            "fs_carry fs_structured fs_list fs_keep fs_write fs_stumble fs_fall memory_agent_save memory_agent_recall "
            "memory_agent_forget".split()
        ),
        turns=2,
    ),
    "transfer": Story(
        "sextet",
        {
            "root": [
                transfer("operator", reason=EVERYTHING),
                transfer("reviewer", reason=EVERYTHING),
                transfer(EVERYTHING, reason="nobody"),
                f"I give up: {EVERYTHING}",
            ],
            "operator": [[("fs_carry", {}), KEEP], f"[REJECT] {EVERYTHING}"],
            "reviewer": [("review_carry", {}), f"[REJECT] {EVERYTHING}"],
        },
        frozenset("turn.started handover handover.refused declined fs_carry fs_keep review_carry text".split()),
    ),
    "return": Story(
        "octet",
        {
            "root": [transfer("reviewer", reason=EVERYTHING), f"Then I say {EVERYTHING}"],
            "reviewer": [transfer("lango-orchestrator", reason=EVERYTHING)],
        },
        frozenset("turn.started handover returned text".split()),
    ),
    "delegate": Story(
        "made-up",
        {
            "root": [[delegate("operator", EVERYTHING), delegate("reviewer", EVERYTHING)], f"Both said {EVERYTHING}"],
            "operator": [("fs_carry", {}), f"Here: {EVERYTHING}"],
            "reviewer": [ModelError(EVERYTHING)],
        },
        frozenset("turn.started run.started run.finished child.merged error fs_carry text".split()),
    ),
    "failure": Story("octet", {"root": [ModelError(EVERYTHING)] * 2}, frozenset({"error", "text"}), turns=2),
    "defect": Story(
        "sextet",
        {"root": [transfer("operator", reason=EVERYTHING)], "operator": [KeyError(EVERYTHING)]},
        frozenset({"handover", "error"}),
    ),
}


def told(story: str, workspace: Path, home: Path, store: str | None) -> Played:
    """Tell a story, with everything in it that somebody could write down."""
    plot = STORIES[story]
    (workspace / "everything.txt").write_text(EVERYTHING, encoding="utf-8")
    cast = Cast(plot.lines)
    lab = Lab(
        STAGES["made-up"].topology() if plot.topology == "made-up" else plot.topology,
        tools=TOOLS,
        model=cast,
        workspace=workspace,
        settings={"agentMemory": {"enabled": True}},
        approver=Chatty(),
        clock=SteppedClock(),
        ids=CountedIds(),
        home=home if store is None else None,
        store=store,
    )
    played = Played(story, lab, cast, home)
    lab.add_agent(REVIEWER)
    lab.engine.add_hook(note_before, note_after, fall)
    lab.engine.listeners.append(_deaf)
    for _ in range(plot.turns):
        try:
            played.shown.append(lab.ask(f"Please carry {EVERYTHING}").text)
        except LangoError as error:
            played.raised.append(f"{error!r} {error}")
    return played


def _deaf(event: object) -> None:
    raise RuntimeError(EVERYTHING)


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
    yield from (lab.doctor(), lab.metrics(), lab.graph(), lab.status(), lab.tree, lab.agents(), lab.hooks())
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
    for kind in ("run", "task", "memory", "approval", "session", "runs", "tasks", "memories", "approvals", "sessions"):
        yield json.dumps(store.documents(kind).find())


@place
def files_of_the_home(played: Played) -> Iterator[str]:
    for path in played.home.rglob("*"):
        if path.is_file():
            yield f"{path.name}: {path.read_bytes().decode('utf-8', 'backslashreplace')}"


@place
def exports(played: Played) -> Iterator[str]:
    folder = played.home.parent / "exports"
    folder.mkdir(exist_ok=True)
    for name in ("turns.jsonl", "turns.html", "turns.otlp.json"):
        path = played.lab.export(folder / name, session=played.lab.session, overwrite=True)
        yield path.read_text(encoding="utf-8")
    again = Lab("solo", workspace=folder).open(folder / "turns.jsonl")
    yield from (again.text, again.html, again.df.to_csv())


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

STORES = ("memory", "folder", "sqlite")


@pytest.fixture(scope="module", params=[(story, store) for story in STORIES for store in STORES], ids="-".join)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Tell a story on a kind of store, and write down what is logged and warned of meanwhile."""
    story, kind = request.param
    workspace, home = tmp_path_factory.mktemp("workspace"), tmp_path_factory.mktemp("home")
    address = {"memory": "", "folder": str(home / "records"), "sqlite": f"sqlite:///{home}/records.db"}[kind]
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
    found = [text for text in look(played) if leaks(text)]
    assert [leaks(text)[:3] for text in found] == []
