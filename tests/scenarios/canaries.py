"""Canaries, which are made-up secrets, and the stories that carry them through every door of a lab.

    CANARIES   one secret of every kind; EVERYTHING is all of them
    STORIES    turns in which requests, work orders, arguments, files, commands, errors and answers hold EVERYTHING

A new door is a line in a story, and its name among the story's doors.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError, ModelError, ToolError
from lango_nb.core.ids import CountedIds
from lango_nb.core.masking import add_rules, reset_rules
from lango_nb.hooks.decorator import after_call, before_call
from lango_nb.hooks.hook import Block, HookCall, Modify, Observe
from lango_nb.lab import Lab
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool, ToolResult
from tests.cast import Cast, Line, delegate, spawn, stop, transfer, wait
from tests.scenarios.faults import STAGES

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
    tool(carry, name="audit_carry", safety="safe"),
)
AUDITOR = AgentSpec(name="auditor", description="Looks again.", prefixes=("audit_*",), source=Source.USER)
KEEP: tuple[str, dict[str, Any]] = (
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
            "approval.decided hook.decided text error task_create task_update task_get agent_wait agent_stop fs_read "
            "exec fs_carry fs_structured fs_list fs_keep fs_write fs_stumble fs_fall "
            "memory_agent_save memory_agent_recall memory_agent_forget".split()
        ),
        turns=2,
    ),
    "transfer": Story(
        "sextet",
        {
            "root": [
                transfer("operator", reason=EVERYTHING),
                transfer("auditor", reason=EVERYTHING),
                transfer(EVERYTHING, reason="nobody"),
                f"I give up: {EVERYTHING}",
            ],
            "operator": [[("fs_carry", {}), KEEP], f"[REJECT] {EVERYTHING}"],
            "auditor": [("audit_carry", {}), f"[REJECT] {EVERYTHING}"],
        },
        frozenset("turn.started handover handover.refused declined fs_carry fs_keep audit_carry text".split()),
    ),
    "return": Story(
        "octet",
        {
            "root": [transfer("auditor", reason=EVERYTHING), f"Then I say {EVERYTHING}"],
            "auditor": [transfer("lango-orchestrator", reason=EVERYTHING)],
        },
        frozenset("turn.started handover returned text".split()),
    ),
    "delegate": Story(
        "made-up",
        {
            "root": [[delegate("operator", EVERYTHING), delegate("auditor", EVERYTHING)], f"Both said {EVERYTHING}"],
            "operator": [("fs_carry", {}), f"Here: {EVERYTHING}"],
            "auditor": [ModelError(EVERYTHING)],
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
    lab.add_agent(AUDITOR)
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
