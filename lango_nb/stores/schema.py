"""The database on one page: every noun with its columns, and what each column says.

::

    turns ─┬< events                                    what happened, in order
           ├─ transcripts ─< messages                   what was said, and what later turns see of it
           ├─ details ─┬< decisions ─< candidates       every hand-over, and what the router says of it
           │           └< steps                         one per model call: who made it, and what it was given
           ├< runs                                      teammates
           └< ledger                                    what runs waited for, where runLedger is on
    tasks, memories, approvals, questions, late_messages, forgotten, meta

A table is made from its definition here, and so are the columns of the frames, the page of the reference and the check
on reading. What is rarely asked for lies as JSON in the column ``data``; ``checksum`` is the CRC-32 of a row. The lists
of a turn are written once and read as a whole, so they lie as JSON in one row each; views show their items as rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

SCHEMA = 3
"""Version of everything that is written; a higher one than this is refused."""

Type = Literal["name", "text", "integer", "real", "boolean", "time", "json"]
"""What a column holds. A ``name`` is short and searched for; a ``boolean`` is 0 or 1; a ``time`` is UTC, as text."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    type: Type
    sentence: str
    """What it says, for whoever reads the table."""
    unit: str = ""
    member: str | None = None
    """Name in a record, where that differs; ``usage.model`` lies one level deeper. Empty: the store's own."""

    @property
    def path(self) -> str:
        """Where the value is found in a record."""
        return self.name if self.member is None else self.member


class Table(NamedTuple):
    """One noun."""

    name: str
    sentence: str
    key: tuple[str, ...]
    """What names a row: ``("id",)`` for rows that change, ``("turn", …)`` for those of a turn."""
    columns: tuple[Column, ...]
    indexes: tuple[str, ...] = ()
    """Columns that are searched for, joined by commas; a condition after ``WHERE`` is allowed."""


class View(NamedTuple):
    """A noun whose rows lie as a list in a column of another one."""

    name: str
    sentence: str
    table: Table | View
    column: str
    columns: tuple[Column, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """What names a row: what names the row it lies in, and its place in the list."""
        return *self.table.key, "place" if "position" in self.table.key else "position"


def _own(name: str, sentence: str, kind: Type = "integer") -> Column:
    return Column(name, kind, sentence, member="")


_TURN = _own("turn", "Number of the turn: turns.number.")
_POSITION = _own("position", "Position among the rows of the turn, from 0.")
_OF_KEYS = {"turn": _TURN, "position": _POSITION, "place": _own("place", "Place in the list, from 0.")}

META = Table(
    "meta",
    "What the store knows of itself: the schema, and the highest numbers of turns that are gone and of writers.",
    ("name",),
    (_own("name", "What is counted.", "name"), _own("value", "How far.")),
)
TURNS = Table(
    "turns",
    "One user message to its outcome.",
    ("number",),
    (
        _own("number", "Number among all turns, from 1: what %lango trace 7 takes."),
        Column("id", "name", "Id of the turn."),
        Column("session_id", "name", "Session the turn belongs to."),
        Column("text", "text", "What the user wrote, without secrets."),
        Column("answer", "text", "What the user got; empty when the turn ended without."),
        Column("outcome", "name", "How it ended; running until it has."),
        Column("error_code", "text", "Short word for what went wrong; empty when nothing did."),
        Column("topology", "text", "Topology of the tree that answered."),
        Column("model", "text", "Model that answered."),
        Column("path", "json", "Agents in the order in which they worked."),
        Column("agents", "json", "Everybody who worked in it."),
        Column("tools", "json", "Tools that were called in it."),
        Column("rounds", "integer", "Replies that handed the request over."),
        Column("steps", "integer", "Model calls."),
        Column("tool_calls", "integer", "Calls of tools that ended, refused ones too; control tools are none."),
        Column("input_tokens", "integer", "Tokens read; missing when the model does not say.", "tokens"),
        Column("output_tokens", "integer", "Tokens written; missing when it does not say.", "tokens"),
        Column("started_at", "time", "When the message came in."),
        Column("ended_at", "time", "When the turn was over."),
        Column("duration_ms", "real", "How long it took.", "ms"),
        _own("writer", "Opening of the store that runs it or ran it."),
        _own("events", "How many events it has."),
        _own("parts", "How many messages, decisions … it has, and what else belongs to it.", "json"),
    ),
    ("session_id, number", "writer WHERE outcome = 'running'"),
)
EVENTS = Table(
    "events",
    "What happened in turns, in order.",
    ("turn", "position"),
    (
        _TURN,
        _POSITION,
        Column("turn_id", "name", "Turn the event belongs to."),
        Column("seq", "integer", "Position in the turn, from 1."),
        Column("kind", "name", "What happened: turn.started, handover, text and so on."),
        Column("at", "time", "When it happened."),
        Column("author", "name", "user, or the agent it comes from."),
        Column(
            "step",
            "integer",
            "Number of the model call it belongs to, from 1; what comes before the first belongs to none.",
        ),
        Column("run_id", "name", "Teammate run it belongs to; empty for the turn's own work."),
        Column("agent", "name", "Teammate whose run begins."),
        Column("target", "name", "Agent that takes over, or gets control back."),
        Column("decision_id", "name", "Decision behind a hand-over."),
        Column("message_id", "name", "Message that says what it tells of; empty without one."),
        Column("call_id", "name", "Joins a call with its result and its approval."),
        Column("tool", "name", "Tool that was called."),
        Column("text", "text", "What was said, asked or reported."),
        Column("result", "text", "What a tool answered, or what a run came to."),
        Column("is_error", "boolean", "Whether the answer reports a failure."),
        Column("latency_ms", "real", "How long the tool took.", "ms"),
        Column("outcome", "text", "How the turn ended."),
        Column("error_code", "text", "Short word for why a turn or run did not end well, or what is mended."),
        Column("model", "text", "Model behind the event.", member="usage.model"),
        Column("input_tokens", "integer", "Tokens read; missing when not said.", "tokens", member="usage.input_tokens"),
        Column("output_tokens", "integer", "Tokens written; missing likewise.", "tokens", member="usage.output_tokens"),
        Column("model_latency_ms", "real", "How long the model took.", "ms", member="usage.latency_ms"),
        Column(
            "cost_usd", "real", "What it cost; missing when nobody knows the price.", "USD", member="usage.cost_usd"
        ),
    ),
)
TRANSCRIPTS = Table(
    "transcripts",
    "What was said in turns, and what later turns of their sessions see of it.",
    ("turn",),
    (
        _TURN,
        Column(
            "messages", "json", "What was said in all its conversations, in order: role, author, content and so on."
        ),
        Column("history", "json", "Messages that later turns see, in order; missing where these are the same."),
    ),
)
MESSAGES = View(
    "messages",
    "What was said in turns.",
    TRANSCRIPTS,
    "messages",
    (
        Column("id", "name", "Id of the message, as events name it; empty in turns without ids."),
        Column(
            "conversation",
            "name",
            "Child session or run it belongs to; empty for the turn's own, session for what a run left to later turns.",
        ),
        Column("role", "name", "system, user, assistant or tool."),
        Column("author", "name", "user or an agent; missing in messages older than authors."),
        Column("content", "text", "What it says."),
        Column("tool_calls", "json", "Tool calls that an assistant message asks for."),
        Column("call_id", "name", "Call that a tool message answers.", member="tool_call_id"),
        Column("tool", "name", "Tool that a tool message comes from.", member="tool_name"),
        Column("is_error", "boolean", "Whether a tool message reports a failure."),
    ),
)
DETAILS = Table(
    "details",
    "How turns were worked on.",
    ("turn",),
    (
        _TURN,
        Column("decisions", "json", "Every hand-over, in order; missing without any."),
        Column("steps", "json", "Every model call, in order; missing without any."),
    ),
)
DECISIONS = View(
    "decisions",
    "Hand-overs as they were decided, with the router's view.",
    DETAILS,
    "decisions",
    (
        Column("id", "name", "Id of the decision."),
        Column("turn_id", "name", "Turn the decision belongs to."),
        Column("seq", "integer", "Position of the hand-over in the turn, from 1."),
        Column("author", "name", "Agent that handed over."),
        Column("text", "text", "The request it was about."),
        Column("chosen", "name", "Agent that got it."),
        Column("reason", "text", "The model's own words for why."),
        Column("call_id", "name", "Call that handed over."),
        Column("run_id", "name", "Teammate run it made; empty when no run was made."),
        Column("router_choice", "name", "Whom the router would have taken.", member="route.chosen"),
        Column("margin", "real", "The router's best score minus its second.", "score", member="route.margin"),
        Column("candidates", "json", "What the router says of every agent, best first.", member="route.candidates"),
    ),
)
CANDIDATES = View(
    "candidates",
    "What the router says of every agent, best first; read out of decisions.candidates.",
    DECISIONS,
    "candidates",
    (
        Column("agent", "name", "Candidate."),
        Column("score", "real", "Sum of the weights of its terms."),
        Column("confidence", "real", "The score as a probability."),
        Column("signals", "json", "Terms of the score: kind, term, weight."),
        Column("vetoes", "json", "Why it was out of the question."),
    ),
)
STEPS = View(
    "steps",
    "Model calls: who made them, and what they were given.",
    DETAILS,
    "steps",
    (
        Column("step", "integer", "Number of the model call in the turn, from 1."),
        Column("agent", "name", "Agent whose call it was."),
        Column("run_id", "name", "Teammate run it belongs to; empty for the turn's own work."),
        Column("conversation", "name", "Conversation the agent worked in; empty for the turn's own."),
        Column("messages", "integer", "How many it was given beside the system prompt.", "messages"),
        Column("earlier", "integer", "How many of them are of earlier turns, the last of the session.", "messages"),
        Column("given", "json", "The others: conversation, first and last place, of each it was given a part of."),
        Column("model", "text", "Model that answered; empty when none did.", member="usage.model"),
        Column("input_tokens", "integer", "Tokens read; missing when not said.", "tokens", "usage.input_tokens"),
        Column("output_tokens", "integer", "Tokens written; missing likewise.", "tokens", "usage.output_tokens"),
        Column("latency_ms", "real", "How long the model took.", "ms", "usage.latency_ms"),
        Column("cost_usd", "real", "What it cost; missing when nobody knows the price.", "USD", "usage.cost_usd"),
    ),
)
RUNS = Table(
    "runs",
    "Teammate runs.",
    ("id",),
    (
        Column("id", "name", "Id of the run."),
        Column("turn_id", "name", "Turn that asked for it."),
        Column("session_id", "name", "Session that asked for it.", member="parent_id"),
        Column("agent", "name", "The teammate.", member="requested_agent"),
        Column("spawned_by", "name", "Agent that asked for it."),
        Column("parent_run_id", "name", "Run that asked for it; empty when the turn itself did."),
        Column("status", "name", "spawned, running, completed, failed or cancelled."),
        Column("instruction", "text", "What it is asked to do."),
        Column("result", "text", "What it came to."),
        Column("error", "text", "Why it did not end well."),
        Column("error_code", "text", "Short word for what went wrong; empty when nothing did."),
        Column("child_session", "name", "Its own session; empty when it works in its parent's."),
        Column("runtime_condition", "text", "What it waits for; empty when it works."),
        Column("steps", "integer", "Model calls."),
        Column("tool_calls", "integer", "Calls of tools that ended, refused ones too; control tools are none."),
        Column("created_at", "time", "When it was asked for."),
        Column("completed_at", "time", "When it ended; missing while it lives."),
        Column("writer", "integer", "Opening of the store that made it, or ended it."),
    ),
    ("turn_id", "writer WHERE completed_at IS NULL"),
)
TASKS = Table(
    "tasks",
    "The working list of root and agents.",
    ("id",),
    (
        Column("id", "name", "Id of the task."),
        Column("title", "text", "What is to be done."),
        Column("description", "text", "More about it."),
        Column("parent_id", "name", "Task it belongs to; empty when to none."),
        Column("status", "name", "todo, in_progress, done or blocked."),
        Column("created_at", "time", "When it was noted."),
        Column("updated_at", "time", "When it was last changed."),
    ),
)
MEMORIES = Table(
    "memories",
    "What agents remember.",
    ("id",),
    (
        Column("id", "name", "Agent and key."),
        Column("agent", "name", "Who saved it."),
        Column("key", "name", "What it is called, unique for its agent."),
        Column("content", "text", "What is remembered."),
        Column("scope", "name", "Who reads it: instance, type or global."),
        Column("kind", "name", "pattern, preference, fact or skill; missing when not said."),
        Column("confidence", "real", "How sure the agent was, from 0 to 1."),
        Column("use_count", "integer", "How often it was recalled."),
        Column("created_at", "time", "When it was first saved."),
        Column("updated_at", "time", "When it was last changed or recalled."),
    ),
    ("agent",),
)
APPROVALS = Table(
    "approvals",
    "Answers that hold for a session.",
    ("id",),
    (
        Column("id", "name", "Session, and the hash of tool and arguments."),
        Column("session_id", "name", "Session it holds for."),
        Column("turn_id", "name", "Turn it was asked in."),
        Column("run_id", "name", "Run that waits for it."),
        Column("agent", "name", "Agent that wants to call."),
        Column("tool", "name", "Tool."),
        Column("arguments_hash", "name", "Hash of tool and arguments it is bound to."),
        Column("by", "name", "Who answered."),
    ),
    ("session_id",),
)
QUESTIONS = Table(
    "questions",
    "Questions that are open on purpose.",
    ("id",),
    (
        Column("id", "name", "Session, and the hash of tool and arguments."),
        Column("name", "name", "What whoever answers calls it."),
        Column("session_id", "name", "Session it was asked in."),
        Column("turn_id", "name", "Turn it was asked in."),
        Column("run_id", "name", "Run that waits for it."),
        Column("agent", "name", "Agent that wants to call."),
        Column("tool", "name", "Tool."),
        Column("arguments_hash", "name", "Hash of tool and arguments it is bound to."),
        Column("writer", "integer", "Opening of the store that asked."),
    ),
    ("session_id",),
)
LATE_MESSAGES = Table(
    "late_messages",
    "What runs left for later turns after the end of their own.",
    ("id",),
    (
        Column("id", "name", "Run that left it."),
        Column("session_id", "name", "Session it was left to."),
        Column("messages", "json", "Messages."),
    ),
    ("session_id",),
)
LEDGER = Table(
    "ledger",
    "What runs waited for and when they went on, noted as it happened.",
    ("id",),
    (
        Column("id", "name", "Run, and the number of the entry among its own."),
        Column("kind", "name", "teammate_approval_blocked or teammate_approval_unblocked."),
        Column("run_id", "name", "Run that waits, or goes on."),
        Column("turn_id", "name", "Turn that made the run."),
        Column("session_id", "name", "Session that asked for the run."),
        Column("agent", "name", "Teammate."),
        Column("at", "time", "When it was noted."),
        Column("runtime_condition", "name", "What it waits for; empty when it goes on."),
        Column("blocked_reason", "text", "Why it is blocked."),
        Column("grant_request_id", "name", "Grant that it asks for."),
        Column("grant_attempt", "integer", "How often it asked, from 1."),
        Column("grant_state", "name", "pending, granted or denied."),
    ),
    ("run_id", "turn_id"),
)
FORGOTTEN = Table(
    "forgotten",
    "How many turns a setting has made the store forget.",
    ("id",),
    (
        Column("id", "name", "Setting that limits how long turns are kept, or how many."),
        Column("turns", "integer", "Turns that are gone."),
        Column("latest", "time", "When the latest of them had started."),
        Column("at", "time", "When the last of them were forgotten."),
    ),
)

LISTS = {column.name: table for table in (TRANSCRIPTS, DETAILS) for column in table.columns if column.path}
"""Tables that have the lists of a turn's body in one row, by the names of these."""
DOCUMENTS = {
    "run": RUNS,
    "task": TASKS,
    "memory": MEMORIES,
    "approval": APPROVALS,
    "question": QUESTIONS,
    "message": LATE_MESSAGES,
    "ledger": LEDGER,
    "forgotten": FORGOTTEN,
}
"""Tables of rows that change, by kind."""
OF_TURNS = (EVENTS, TRANSCRIPTS, DETAILS)
"""Tables whose rows go with their turn."""
TABLES = (META, TURNS, *OF_TURNS, *DOCUMENTS.values())
VIEWS = (MESSAGES, DECISIONS, CANDIDATES, STEPS)


def described_columns() -> Iterator[tuple[str, str, str, str, str]]:
    """Go through all columns of all tables and views.

    Yields
    ------
    tuple
        Table, column, type, unit, sentence.
    """
    for table in TABLES:
        for column in table.columns:
            yield table.name, column.name, column.type, column.unit, column.sentence
    for view in VIEWS:
        for column in (*map(_OF_KEYS.__getitem__, view.key), *view.columns):
            yield view.name, column.name, column.type, column.unit, column.sentence
