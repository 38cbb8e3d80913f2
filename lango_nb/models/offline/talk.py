"""Sentences of the offline model that need no tool."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from lango_nb.core.messages import FinishReason
from lango_nb.models.offline.conversation import REJECT
from lango_nb.routing.route import Route
from lango_nb.routing.table import RoutingTable

_TALK = "talk.tsv"
_OPINION = re.compile(
    r"\bdo you think\b|\bdo you (like|prefer|enjoy)\b|\bopinion\b|\bfavou?rite\b|\bwhich is better\b|\bhow are you\b|\bfeel\b",
    re.IGNORECASE,
)
_OUT_OF_SCOPE = re.compile(r"\s*This is about [^\n]{1,100}?, which is not mine\b")

_NO_RESULT = re.compile(
    r"\s*(?:Which of these do you mean|To use \S+ I need|Please say |I could not |I would (?:call|answer) |I did not |I cannot |I am not sure |"
    r"I look at one |I have no |I write text |This needs |What came back is too long|I came to no |Nobody here |Not done:)"
)
_ASKED_BACK = re.compile(
    r"\s*(?:To use \S+ I need: [^\n]+\. Please say (?:it|them)\.|Please say [^\n]+\.|Which of these do you mean: [^\n]+\?|"
    r"I look at one file at a time\. Which one: [^\n]+\?|I am not sure that you want this done[^\n]+)\s*"
)
_NOT_UNDERSTOOD = re.compile(r"\s*I (?:cannot tell (?:who should do|which of my tools)|did not understand) [^\n]+\s*")
_LONGEST_PLAIN = 80

FILES_AND_COMMANDS = (
    "I did not understand what to do. With files I can list, read, count lines, find by name, write, append, replace a "
    "text, change or delete a line, make folders and delete; commands I run as you write them, in backticks for instance."
)


class Saying(NamedTuple):
    """What people say by way of small talk, and what is said to it."""

    kind: str
    language: str
    whole: re.Pattern[str]
    """Fits a text that says nothing else."""
    inside: re.Pattern[str]
    answer: str


@lru_cache(maxsize=1)
def _sayings() -> tuple[Saying, ...]:
    lines = files("lango_nb.models.offline").joinpath(_TALK).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return tuple(
        Saying(
            kind,
            language,
            re.compile(
                rf"\W*(?:{said})(?:[\W_]+(?:there|you|all|everyone|lango|again|today|so much|a lot|very much|zusammen))*\W*",
                re.IGNORECASE,
            ),
            re.compile(rf"^\W*(?:{said})\b" if kind in {"greeting", "bye"} else rf"\b(?:{said})(?!\w)", re.IGNORECASE),
            answer,
        )
        for kind, language, said, answer in rows
    )


def plain(text: str, table: RoutingTable) -> str:
    """Answer what is nothing but a greeting, thanks, a goodbye or a question who this is; empty for anything else.

    Examples
    --------
    >>> plain("Danke!", RoutingTable()), plain("thanks, now delete a.txt", RoutingTable())
    ('Gern geschehen.', '')
    """
    if len(text) > _LONGEST_PLAIN:
        return ""
    found = next((saying for saying in _sayings() if saying.whole.fullmatch(text)), None)
    return _answered(found, table) if found else ""


def small_talk(text: str, table: RoutingTable) -> str:
    """Answer a greeting, thanks, an opinion or a question about the world.

    Examples
    --------
    >>> small_talk("thank you!", RoutingTable()), small_talk("merci beaucoup pour tout", RoutingTable())
    ('You are welcome.', 'De rien.')
    """
    for kind in ("about", "greeting", "thanks", "bye", "joke"):
        for saying in _sayings():
            if saying.kind == kind and saying.inside.search(text):
                return _answered(saying, table)
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
    near = [c.agent for c in route.candidates if c.score > 0 and c.leading and not c.vetoes][:2]
    if not near:
        return "I cannot tell who should do this. Please say what it is about: a file, a command, a web page …"
    return f"I cannot tell who should do this; the nearest is {' or '.join(near)}. Please say a little more."


def out_of_reach(route: Route) -> str:
    """Say that whoever would get a request cannot be given it from here.

    Examples
    --------
    >>> out_of_reach(Route("", "vault", ""))
    'This would be for vault, which cannot be given it now, and no other agent comes near.'
    """
    return f"This would be for {route.chosen}, which cannot be given it now, and no other agent comes near."


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


def finish_reason_of(text: str) -> FinishReason:
    """Say why the model stopped, where a whole answer is one of its own sentences that ask something of the person.

    Examples
    --------
    >>> finish_reason_of(missing_sentence("cron_add", ["schedule"])), finish_reason_of(FILES_AND_COMMANDS)
    ('asked_back', 'not_understood')
    >>> finish_reason_of("notes.md: Please say hello.")
    'stop'
    """
    if _ASKED_BACK.fullmatch(text):
        return "asked_back"
    return "not_understood" if _NOT_UNDERSTOOD.fullmatch(text) else "stop"


def is_no_result(text: str) -> bool:
    """Tell whether an answer asks back or says what went wrong: nothing that a further step could use.

    Examples
    --------
    >>> is_no_result("Which of these do you mean: a, b?"), is_no_result("notes.md has 3 lines.")
    (True, False)
    """
    return is_out_of_scope(text) or _NO_RESULT.match(text) is not None


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


_OFFERS = {
    "en": ("I hand requests to {} agents: {}. Ask me to list or read the files here.", "Ask me to list, read or write files here, or to run a command."),
    "de": ("Ich gebe Anfragen an {} Agenten weiter: {}.", "Ich kann hier Dateien auflisten, lesen und schreiben oder Befehle ausführen."),
    "fr": ("Je transmets les demandes à {} agents : {}.", "Je peux lister, lire et écrire des fichiers ici, ou lancer une commande."),
    "es": ("Paso las peticiones a {} agentes: {}.", "Puedo listar, leer y escribir archivos aquí, o ejecutar un comando."),
    "it": ("Passo le richieste a {} agenti: {}.", "Posso elencare, leggere e scrivere file qui, o eseguire un comando."),
    "pt": ("Passo os pedidos a {} agentes: {}.", "Posso listar, ler e escrever ficheiros aqui, ou executar um comando."),
}  # fmt: skip
"""What can be done, by language: with agents, and without."""


def _answered(saying: Saying, table: RoutingTable) -> str:
    with_agents, alone = _OFFERS[saying.language]
    offer = with_agents.format(len(table), ", ".join(table.names)) if table.rows else alone
    return saying.answer.replace("{offer}", offer)
