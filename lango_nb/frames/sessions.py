"""Sessions, one row each: what their turns came to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import Wanted, frame
from lango_nb.frames.stored import session_rows
from lango_nb.records.fields import value
from lango_nb.records.history import History
from lango_nb.records.turns import Trace, Turn
from lango_nb.stores.store import Row


@dataclass(slots=True)
class _Listed:
    """What a store's list of sessions says of one."""

    id: str
    title: str
    created_at: datetime
    last_at: datetime
    turns: int = 0


@dataclass(slots=True)
class _Sum:
    """What its turns come to."""

    agents: dict[str, None] = field(default_factory=dict)
    topologies: dict[str, None] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    last_outcome: str | None = None
    rounds: int = 0
    steps: int = 0
    tool_calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    duration_ms: float = 0.0

    def add(self, turn: Turn | Row) -> None:
        """Add a turn; one that has not ended lacks what belongs to its end."""
        self.agents.update(dict.fromkeys(value(turn, "path", ())))
        self.topologies[value(turn, "topology", "")] = None
        self.last_outcome = value(turn, "outcome")
        self.outcomes[value(turn, "outcome")] += 1
        self.rounds += value(turn, "rounds", 0)
        self.steps += value(turn, "steps", 0)
        self.tool_calls += value(turn, "tool_calls", 0)
        self.duration_ms += value(turn, "duration_ms", 0.0)
        self.input_tokens = _plus(self.input_tokens, value(turn, "input_tokens"))
        self.output_tokens = _plus(self.output_tokens, value(turn, "output_tokens"))


def _plus(known: int | None, more: int | None) -> int | None:
    return known if more is None else (known or 0) + more


def _outcomes(outcomes: Counter[str]) -> str:
    return ", ".join(f"{outcome} {number}" for outcome, number in outcomes.most_common())


def _ok(outcomes: Counter[str]) -> int:
    return outcomes["success"]


LISTED = (
    Column("session_id", "session.id", "string", "", "Name of the session."),
    Column("title", "session.title", "string", "", "What the user wrote first."),
    Column("turns", "session.turns", "Int64", "", "How many turns it has."),
    Column("created_at", "session.created_at", "datetime64[ns, UTC]", "", "When its first turn began."),
    Column("last_at", "session.last_at", "datetime64[ns, UTC]", "", "When its latest turn began."),
)
SUMMED = (
    Column("outcomes", "sum.outcomes", "string", "", "How turns ended, most often first.", convert=_outcomes),
    Column("ok", "sum.outcomes", "Int64", "", "Turns that ended with success.", convert=_ok),
    Column("last_outcome", "sum.last_outcome", "string", "", "How the latest turn ended."),
    Column("agents", "sum.agents", "string", "", "Who worked, in order of appearance.", convert=", ".join),
    Column("topologies", "sum.topologies", "string", "", "Topologies, in order of appearance.", convert=", ".join),
    Column("rounds", "sum.rounds", "Int64", "", "Replies that handed over."),
    Column("steps", "sum.steps", "Int64", "", "Model calls."),
    Column("tool_calls", "sum.tool_calls", "Int64", "", "Tool calls."),
    Column("input_tokens", "sum.input_tokens", "Int64", "tokens", "Tokens read; missing when no turn says."),
    Column("output_tokens", "sum.output_tokens", "Int64", "tokens", "Tokens written; missing when no turn says."),
    Column("duration_ms", "sum.duration_ms", "float64", "ms", "How long its turns took together."),
)
COLUMNS = LISTED + SUMMED


def _sums(turns: Iterable[Turn | Row]) -> dict[str, _Sum]:
    found: defaultdict[str, _Sum] = defaultdict(_Sum)
    for turn in turns:
        found[value(turn, "session_id")].add(turn)
    return found


def _stored(history: History, wanted: Wanted) -> Sources:
    rows = history.sessions()
    listed = session_rows(wanted.get("session", ()))
    listed.extend(rows)
    sums = _sums(history.rows()) if "sum" in wanted else {}
    return {"session": listed, "sum": [sums.get(str(row["id"])) or _Sum() for row in rows]}


@frame("sessions", COLUMNS, Turn, Trace, stored=_stored)
def sessions_df(turns: Sequence[Turn | Trace]) -> Sources:
    """List sessions with what their turns came to.

    Parameters
    ----------
    turns : Turn, Trace, or iterable of them; or History
        Of a history, no event is read; title and times are the whole session's, everything else is about the turns of
        the history. Turns alone are taken for the whole session.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per session, in order of creation; join by ``session_id``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    found = [item.turn if isinstance(item, Trace) else item for item in turns]
    listed: dict[str, _Listed] = {}
    for turn in found:
        session = listed.setdefault(
            turn.session_id, _Listed(turn.session_id, turn.text, turn.started_at, turn.started_at)
        )
        session.last_at = turn.started_at
        session.turns += 1
    return {"session": list(listed.values()), "sum": list(_sums(found).values())}
