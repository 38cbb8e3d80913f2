"""Sentences of the offline model that need no tool."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lango_nb.core.errors import shorten
from lango_nb.models.offline.conversation import REJECT
from lango_nb.routing.route import Route
from lango_nb.routing.table import RoutingTable

_GREETING = re.compile(
    r"^\W*(hello|hi|hey|hallo|hola|bonjour|ciao|moin|servus|namaste|salut|howdy|greetings|good (?:morning|evening|afternoon))\b",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\b(thanks?|thank you|cheers|danke|merci|gracias)\b", re.IGNORECASE)
_BYE = re.compile(r"\b(bye|goodbye|good night|see you|tschüss|adieu)\b", re.IGNORECASE)
_ABOUT = re.compile(r"\b(who|what) are you\b|\bwhat can you do\b|\bhelp\b|\byour (name|job)\b", re.IGNORECASE)
_JOKE = re.compile(r"\bjoke|make me laugh\b", re.IGNORECASE)
_OPINION = re.compile(
    r"\bdo you think\b|\bdo you (like|prefer|enjoy)\b|\bopinion\b|\bfavou?rite\b|\bwhich is better\b|\bhow are you\b|\bfeel\b",
    re.IGNORECASE,
)
_OUT_OF_SCOPE = re.compile(r"\s*This is about [^\n]{1,100}?, which is not mine\b")

FILES_AND_COMMANDS = (
    "I did not understand what to do. With files I can list, read, count lines, find by name, write, append, replace a "
    "text, change or delete a line, make folders and delete; commands I run as you write them, in backticks for instance."
)


def small_talk(text: str, table: RoutingTable) -> str:
    """Answer a greeting, thanks, an opinion or a question about the world.

    Examples
    --------
    >>> small_talk("thank you!", RoutingTable())
    'You are welcome.'
    """
    if _GREETING.search(text) and not _ABOUT.search(text):
        return f"Hello! {_offer(table)}"
    if _ABOUT.search(text):
        return f"I am the offline demo model of this lab. {_offer(table)}"
    if _THANKS.search(text):
        return "You are welcome."
    if _BYE.search(text):
        return "Goodbye."
    if _JOKE.search(text):
        return "A router walks into a bar and asks: who would get this order, and why not the other waiter?"
    if _OPINION.search(text):
        return "I have no opinions: I route requests and use tools, the same way every time."
    return (
        "I would answer this myself instead of handing it over, but I am the offline demo model and know nothing of the "
        "world. A real model would know."
    )


def ask_back(route: Route) -> str:
    """Ask what is meant, naming the nearest agents.

    Examples
    --------
    >>> ask_back(Route("", None, "no agent matches"))
    'I cannot tell who should do this. Please say what it is about: a file, a command, a web page …'
    """
    if route.reason.startswith("it is about"):
        return f"Nobody here can do this: {route.reason}."
    near = [c.agent for c in route.candidates if c.score > 0 and not c.vetoes][:2]
    if not near:
        return "I cannot tell who should do this. Please say what it is about: a file, a command, a web page …"
    return f"I cannot tell who should do this; the nearest is {' or '.join(near)}. Please say a little more."


def missing_sentence(tool: str, missing: Sequence[str]) -> str:
    """Ask for what a request does not say.

    Examples
    --------
    >>> missing_sentence("cron_add", ["schedule"])
    'To use cron_add I need: schedule. Please say it.'
    """
    return f"To use {tool} I need: {', '.join(missing)}. Please say {'it' if len(missing) == 1 else 'them'}."


def out_of_scope(domain: str, handles: str) -> str:
    """Say in one visible sentence that a request is somebody else's.

    Examples
    --------
    >>> out_of_scope("crypto", "file operations")
    'This is about crypto, which is not mine. I handle file operations.'
    """
    return f"This is about {domain}, which is not mine. I handle {handles}."


def is_out_of_scope(text: str) -> bool:
    """Tell whether an agent's answer is such a sentence, or the marker of an older one.

    Examples
    --------
    >>> is_out_of_scope(out_of_scope("crypto", "files")), is_out_of_scope("[REJECT] no"), is_out_of_scope("notes.md: …")
    (True, True, False)
    """
    return text.startswith(REJECT) or _OUT_OF_SCOPE.match(text) is not None


def nobody(names: Sequence[str], failed: Mapping[str, str] | None = None) -> str:
    """Say that everybody who could have done it declined or failed.

    Examples
    --------
    >>> nobody(["operator", "vault"], {"vault": "no key"})
    'Nobody here can do this: operator declined, vault failed (no key), and no other agent comes near.'
    """
    causes = failed or {}
    declined = ", ".join(name for name in names if name not in causes)
    said = [f"{declined} declined"] if declined else []
    said += [f"{name} failed ({causes[name]})" for name in names if name in causes]
    return f"Nobody here can do this: {', '.join(said)}, and no other agent comes near."


def plan(text: str) -> str:
    """Break a request into numbered steps.

    Examples
    --------
    >>> print(plan("plan a release: write notes, tag the commit and tell the team"))
    [PLAN: plan a release]
    Step 1: write notes
    Step 2: tag the commit
    Step 3: tell the team
    """
    head, _, tail = text.strip().partition(":")
    body = tail if tail.strip() else text
    parts = [part.strip(" .!?\n") for part in re.split(r",| and then | then | and |;|\n", body)]
    steps = [part for part in parts if part]
    if len(steps) < 2:  # noqa: PLR2004 - one part is no plan
        goal = steps[0] if steps else "the goal"
        steps = [f"say what a good result looks like: {shorten(goal, 100)}", "do the smallest part first", "check it"]
    lines = [f"Step {number}: {step}" for number, step in enumerate(steps, 1)]
    return "\n".join([f"[PLAN: {shorten((head if tail.strip() else text).strip(), 80)}]", *lines])


def _offer(table: RoutingTable) -> str:
    if not table.rows:
        return "Ask me to list, read or write files here, or to run a command."
    return f"I hand requests to {len(table)} agents: {', '.join(table.names)}. Ask me to list or read the files here."
