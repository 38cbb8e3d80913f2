"""What ``%lango`` can do, as data: the parser, the help and the completion all read this one table.

A command is a row here and a ``do_<name>`` method in :mod:`lango_nb.magics.magics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "topology",
    "agent",
    "tool",
    "turn",
    "command",
    "model",
    "setting",
    "approval",
    "run",
    "session",
    "file",
    "outcome",
    "set",
    "kind",
    "item",
]
"""What a word names; completion offers the names there are."""


@dataclass(frozen=True, slots=True)
class Option:
    """One ``--option``."""

    name: str
    """With its dashes."""
    help: str
    metavar: str = ""
    """What its value stands for; empty for a switch."""
    choices: tuple[str, ...] = ()
    """The values it takes; any when empty."""
    group: str = ""
    """Options of one group exclude each other."""
    kind: Kind | None = None
    """What its value names, for completion."""


@dataclass(frozen=True, slots=True)
class Word:
    """One argument that is a single word."""

    metavar: str
    kind: Kind
    is_required: bool = False
    is_many: bool = False
    """Whether all further words belong to it."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of ``%lango``."""

    name: str
    help: str
    """One sentence, no full stop."""
    example: str
    word: Word | None = None
    """Its argument; ``None`` when it takes none, or a text."""
    has_text: bool = False
    """Whether everything after the options is a text, taken byte for byte."""
    cell: Literal["no", "text", "only"] = "no"
    """``text``: a cell may hold the text; ``only``: it is always a cell."""
    options: tuple[Option, ...] = ()

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its own options and those every command has."""
        return (*self.options, OUT, HELP)

    @property
    def usage(self) -> str:
        """How it is written.

        Examples
        --------
        >>> COMMANDS["prompt"].usage, COMMANDS["agent"].usage
        ('%lango prompt [options] [AGENT]', '%%lango agent [options] [NAME]')
        """
        parts = [f"{'%%' if self.cell == 'only' else '%'}lango {self.name}", "[options]"]
        if self.word is not None:
            metavar = f"{self.word.metavar}…" if self.word.is_many else self.word.metavar
            parts.append(metavar if self.word.is_required else f"[{metavar}]")
        if self.has_text:
            parts.append("TEXT")
        return " ".join(parts)


OUT = Option("--out", "put the result into this variable instead of showing it", metavar="NAME")
HELP = Option("--help", "show this")
DF = Option("--df", "give a DataFrame", group="format")
JSON = Option("--json", "give the rows as JSON text", group="format")
TEXT = Option("--text", "give plain text", group="format")
MERMAID = Option("--mermaid", "give mermaid text, to paste into documents", group="format")
TIMING = Option("--timing", "with durations; left out otherwise, so that notebooks repeat to the letter")
APPROVE = Option(
    "--approve",
    "who answers, for this turn, when a call needs an answer",
    metavar="WHO",
    choices=("ask", "allow", "deny", "hold"),
)
FOR_TURN = Option("--turn", "the same call may run again in this turn", group="scope")
FOR_SESSION = Option("--session", "the same call may run again in this session", group="scope")
OF_SESSION = Option("--session", "only of this session", metavar="NAME", kind="session")
OF_AGENT = Option("--agent", "only where this agent worked", metavar="NAME", kind="agent")
NARROWING = (
    OF_SESSION,
    OF_AGENT,
    Option("--tool", "only where this tool was called", metavar="NAME", kind="tool"),
    Option("--outcome", "only with this outcome", metavar="NAME", kind="outcome"),
    Option("--since", "only from then on: 2026-01-31, or 24h for that long ago", metavar="WHEN"),
    Option("--until", "only before then", metavar="WHEN"),
    Option("--limit", "at most so many, the latest", metavar="NUMBER"),
)
TABLE = (DF, JSON, TEXT)
DRAWING = (DF, JSON, MERMAID, TEXT)

_TURN = Word("TURN", "turn")
_OPEN = Word("ID", "approval")

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "use",
            "go on with another topology, or with the Lab a variable holds; without a name, list the topologies",
            "%lango use octet",
            Word("TOPOLOGY", "topology"),
        ),
        Command("status", "show what is loaded: topology, agents, tools, model, workspace, turns", "%lango status"),
        Command("tree", "show the agent tree", "%lango tree", options=DRAWING),
        Command("agents", "list the agents and what each is for", "%lango agents", options=TABLE),
        Command(
            "tools",
            "list the tools with their owners; with words, those that fit",
            "%lango tools file",
            Word("WORD", "tool", is_many=True),
            options=TABLE,
        ),
        Command(
            "hooks",
            "list the hooks around every tool call, and why each is wired or not",
            "%lango hooks",
            options=TABLE,
        ),
        Command("partition", "show which agent owns which tool, and why", "p = %lango partition", options=DRAWING),
        Command(
            "diff",
            "compare with another topology, or with the Lab or tree a variable holds",
            "%lango diff quartet",
            Word("OTHER", "topology", is_required=True),
            options=TABLE,
        ),
        Command(
            "prompt",
            "show an agent's prompt by section; without a name, the root's",
            "%lango prompt librarian",
            Word("AGENT", "agent"),
            options=TABLE,
        ),
        Command(
            "route",
            "who would get this request, and why nobody else; no model is asked",
            "%lango route who reads the files in {folder}?",
            has_text=True,
            cell="text",
            options=DRAWING,
        ),
        Command(
            "eval",
            "measure how often the router, or a model, is right: on a file, a variable, or a set such as held-out",
            "%lango eval held-out --topologies octet,quartet --sample 300",
            Word("SET", "set", is_required=True),
            options=(
                Option("--topologies", "side by side, with commas; the present one when absent", metavar="A,B"),
                Option("--model", "a model, or keywords; the router when absent", metavar="NAME", kind="model"),
                Option("--sample", "so many requests, taken at random", metavar="NUMBER"),
                Option("--seed", "of the sample; 0 when absent", metavar="NUMBER"),
                Option("--at-once", "calls of a model under way; 4 when absent", metavar="NUMBER"),
                Option("--resume", "keep a model's answers there, and go on where it stopped", metavar="FILE"),
                Option("--mistakes", "every mistake with its explanation"),
                TIMING,
                *DRAWING,
            ),
        ),
        Command(
            "ask",
            "run one turn",
            "%lango ask list the files here",
            has_text=True,
            cell="text",
            options=(APPROVE,),
        ),
        Command(
            "why", "explain the hand-overs of a turn; without one, of the last", "%lango why -1", _TURN, options=TABLE
        ),
        Command(
            "trace",
            "show everything that happened in a turn; without one, in the last",
            "%lango trace --timing",
            _TURN,
            options=(TIMING, *DRAWING),
        ),
        Command("events", "list the events of a turn; without one, of the last", "%lango events", _TURN, options=TABLE),
        Command(
            "turns",
            "list the turns so far, or those of a session, an agent, a tool, an outcome, a time",
            "%lango turns --outcome timeout --since 24h",
            options=(*NARROWING, *TABLE),
        ),
        Command(
            "search",
            "find turns by what was asked or answered",
            "%lango search --agent vault encrypt",
            has_text=True,
            options=(*NARROWING, *TABLE),
        ),
        Command(
            "sessions",
            "list the conversations that are kept",
            "%lango sessions",
            options=TABLE,
        ),
        Command(
            "sql",
            "ask the tables of the store themselves, with one SELECT",
            "%lango sql SELECT tool, count(*) AS calls FROM events WHERE kind = 'tool.started' GROUP BY tool",
            has_text=True,
            cell="text",
            options=TABLE,
        ),
        Command("tables", "list the tables of the store with their columns, for sql", "%lango tables", options=TABLE),
        Command(
            "runs",
            "list the teammate runs: who works on what, and what came of it",
            "%lango runs --agent operator",
            options=(
                OF_SESSION,
                OF_AGENT,
                Option("--ledger", "what they waited for and when they went on, where runLedger.* had it noted"),
                *TABLE,
            ),
        ),
        Command(
            "run",
            "show a teammate run and what happened in it, also after its turn",
            "%lango run arun-1",
            Word("ID", "run", is_required=True),
            options=TABLE,
        ),
        Command("tasks", "list what root and agents noted as to be done", "%lango tasks", options=TABLE),
        Command(
            "memory",
            "list what agents remember; with a name, what that agent does",
            "%lango memory librarian",
            Word("AGENT", "agent"),
            options=TABLE,
        ),
        Command(
            "doctor",
            "look for what is wrong: settings, definitions, the store, failed turns, leaks; each with what to do next",
            "%lango doctor",
            options=(
                Option("--hours", "how far back turns are looked at; 24 when absent", metavar="NUMBER"),
                Option("--rescue", "first copy what can be read of the records to a new file", "FILE", kind="file"),
                *TABLE,
            ),
        ),
        Command(
            "metrics",
            "measure agents over what is kept: success, calls, p50, p95, p99; with a name, over that session",
            "%lango metrics main",
            Word("SESSION", "session"),
            options=TABLE,
        ),
        Command(
            "graph",
            "show who handed work to whom in a session; without a name, in the present one",
            "%lango graph main",
            Word("SESSION", "session"),
            options=DRAWING,
        ),
        Command(
            "export",
            "write a turn, or a session, to one file: a page (.html), JSON lines (.jsonl) or OpenTelemetry (.json)",
            "%lango export turn.html --turn -1",
            Word("FILE", "file", is_required=True),
            options=(
                Option("--turn", "which turn; the last when absent", metavar="TURN", group="what", kind="turn"),
                Option("--session", "a whole session", metavar="NAME", group="what", kind="session"),
                Option("--format", "in place of what the file's name says", "FORMAT", ("html", "jsonl", "otel")),
                Option("--overwrite", "replace a file of that name"),
            ),
        ),
        Command(
            "open",
            "go on with a session, read a file of traces, or keep everything in a folder from now on",
            "%lango open ~/.lango/records",
            Word("WHAT", "session", is_required=True),
        ),
        Command(
            "shelf",
            "list what is kept of your own: notes, tags, labelled requests, results, agents and tools from cells; with "
            "the name of a file, keep it there",
            "%lango shelf notes --search twice",
            Word("KIND|FILE", "kind"),
            options=(
                Option("--search", "only what holds this somewhere", metavar="TEXT"),
                Option("--restore", "let the agents on it join again; with the kind tools, run the source of those"),
                *TABLE,
            ),
        ),
        Command(
            "note",
            "put a note on a turn",
            "%lango note -1 asked twice before it answered",
            Word("TURN", "turn", is_required=True),
            has_text=True,
        ),
        Command(
            "tag", "put tags on a turn", "%lango tag -1 slow", Word("TURN TAG", "turn", is_required=True, is_many=True)
        ),
        Command(
            "label",
            "keep a request with the agent, or the tool family, that should get it, for the router to learn from",
            "%lango label vault lock my diary away",
            Word("AGENT", "agent", is_required=True),
            has_text=True,
        ),
        Command(
            "save",
            "keep what was last asked, routed, compared or evaluated, under a name",
            "%lango save before-the-change",
            Word("NAME", "file", is_required=True),
        ),
        Command(
            "forget",
            "remove items from the shelf",
            "%lango forget notes/1",
            Word("ITEM", "item", is_required=True, is_many=True),
        ),
        Command("approvals", "list the calls that wait for an answer", "%lango approvals", options=TABLE),
        Command(
            "allow",
            "let a call run that waits for an answer; without an id, the only one",
            "%lango allow ask-1 --turn",
            _OPEN,
            options=(FOR_TURN, FOR_SESSION),
        ),
        Command("deny", "refuse a call that waits for an answer; without an id, the only one", "%lango deny", _OPEN),
        Command(
            "model",
            "list the models that can be used here and what is missing for the rest, or take one",
            "%lango model openai:gpt-5",
            Word("NAME", "model"),
            options=(
                Option("--record", "keep every call on a cassette; play it with cassette:FILE", "FILE", group="make"),
                *TABLE,
            ),
        ),
        Command(
            "config",
            "list the settings, their values and where each came from; with a word, those that fit",
            "%lango config agent",
            Word("KEY", "setting"),
            options=TABLE,
        ),
        Command(
            "trust",
            "see what the settings of a folder would change, and trust them; without a name, those of the workspace",
            "%lango trust .",
            Word("FOLDER", "file"),
            options=(
                Option("--list", "list the folders that are trusted", group="what"),
                Option("--remove", "trust the folder no longer", group="what"),
            ),
        ),
        Command("new", "begin a new session: the agents forget what was said, the turns are kept", "%lango new"),
        Command("help", "show how a command is written", "%lango help ask", Word("COMMAND", "command")),
        Command(
            "agent",
            "add the agent the cell describes, written as an AGENT.md, and show what changes",
            "%%lango agent pharmacist\n---\ndescription: knows medicines\nprefixes: [pill_]\n---\nYou know medicines.",
            Word("NAME", "agent"),
            cell="only",
        ),
        Command(
            "tool",
            "add the Python functions of the cell as tools and show where each lands; they count as dangerous "
            'unless @tool(safety="safe") says otherwise',
            "%%lango tool\ndef pill_count(text: str) -> int:\n    'Count pills.'\n    return text.count('pill')",
            cell="only",
            options=TABLE,
        ),
    )
}
"""Every command by name, in the order in which help lists them."""
