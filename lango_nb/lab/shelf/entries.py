"""What a lab puts on its shelf: from turns, comparisons, evaluations and definitions to documents.

Each document has a ``text`` that tells a reader of the file what it is, and ``at``, when it was put there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UsageError
from lango_nb.lab.shelf.masking import AGENTS, SOURCE, TOOLS
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.diff import TreeDiff
from lango_nb.routing.route import Route

if TYPE_CHECKING:
    from lango_nb.evaluation.results import Evaluation
    from lango_nb.records.shelf_items import ShelfItem
    from lango_nb.specs.agent import AgentSpec
    from lango_nb.tools.tool import Tool

Entry = dict[str, Any]
NOTES, TAGS, EXAMPLES, REQUESTS = "notes", "tags", "examples", "requests"
COMPARISONS, EVALUATIONS = "comparisons", "evaluations"
KINDS = (NOTES, TAGS, EXAMPLES, REQUESTS, COMPARISONS, EVALUATIONS, AGENTS, TOOLS)
"""The kinds that a lab makes; others may stand beside them."""


def note(turn: Turn, text: str, at: datetime) -> Entry:
    """Make a note on a turn."""
    return {"kind": NOTES, "text": text, "request": turn.text, **_about(turn), **_now(at)}


def tag(turn: Turn, name: str, at: datetime) -> Entry:
    """Make a tag of a turn."""
    return {"kind": TAGS, "name": name, "text": turn.text, **_about(turn), **_now(at)}


def example(text: str, label: str, at: datetime, *, is_family: bool) -> Entry:
    """Make a labelled request, as a router learns from them and an evaluation reads them."""
    return {"kind": EXAMPLES, "text": text, "family" if is_family else "agent": label, **_now(at)}


def saved(name: str, what: object, topology: str, at: datetime) -> Entry:
    """Make an entry of what was asked, routed, compared or evaluated.

    Parameters
    ----------
    name : str
    what : Trace, Route, TreeDiff, Evaluation or str
        A text is a request.
    topology : str
        The one in use.
    at : datetime

    Returns
    -------
    dict

    Raises
    ------
    UsageError
        It is something else.
    """
    from lango_nb.evaluation.results import Evaluation

    entry: Entry = {"name": name, **_now(at)}
    match what:
        case str(text):
            return {**entry, "kind": REQUESTS, "text": text, "topology": topology}
        case Trace(turn=turn):
            asked = {"outcome": turn.outcome, "answer": turn.answer, "topology": turn.topology}
            return {**entry, "kind": REQUESTS, "text": turn.text, **asked, **_about(turn)}
        case Route(text=text, chosen=chosen):
            return {**entry, "kind": REQUESTS, "text": text, "agent": chosen or "", "topology": topology}
        case TreeDiff():
            return {**entry, **_comparison(what)}
        case Evaluation():
            return {**entry, **_evaluation(what)}
    raise UsageError(
        f"what was asked, routed, compared or evaluated can be saved, and a text; not a {type(what).__name__}"
    )


def agent_source(spec: AgentSpec, source: str, at: datetime) -> Entry:
    """Make an entry of an agent's definition."""
    text = spec.description or ", ".join(spec.prefixes)
    return {"kind": AGENTS, "name": spec.name, "text": text, SOURCE: source.split("\n"), **_now(at)}


def tools_source(tools: Sequence[Tool], source: str, at: datetime) -> Entry:
    """Make an entry of the source of tools."""
    names = ", ".join(tool.name for tool in tools)
    text = "; ".join(tool.description for tool in tools if tool.description)
    return {"kind": TOOLS, "name": names, "text": text, SOURCE: source.split("\n"), **_now(at)}


def source_of(item: ShelfItem) -> str:
    """Return the source of a definition."""
    lines = item.more.get(SOURCE, "")
    return "\n".join(map(str, lines)) if isinstance(lines, list | tuple) else str(lines)


def remarks(items: Sequence[ShelfItem], turns: Sequence[Turn]) -> Mapping[str, str]:
    """Return what notes and tags say about turns.

    Parameters
    ----------
    items : sequence of ShelfItem
    turns : sequence of Turn

    Returns
    -------
    mapping of str to str
        By id of the turn; tags begin with ``#``. Records in memory count their turns from 1 each time, so that an id
        alone does not tell a turn: when it began must fit as well, where the item says it.
    """
    began = {turn.id: turn.started_at.isoformat() for turn in turns}
    found: dict[str, list[str]] = {}
    for item in items:
        if item.turn_id in began and item.more.get("turn_at", began[item.turn_id]) == began[item.turn_id]:
            found.setdefault(item.turn_id, []).append(f"#{item.name}" if item.kind == TAGS else item.text)
    return {turn_id: " · ".join(said) for turn_id, said in found.items()}


def _about(turn: Turn) -> Entry:
    """Say which turn is meant; of its agents the last that is not the root."""
    root = turn.path[:1]
    agent = next((name for name in reversed(turn.path) if name not in root), turn.agent)
    return {
        "turn": turn.number,
        "turn_id": turn.id,
        "turn_at": turn.started_at.isoformat(),
        "session": turn.session_id,
        "agent": agent,
    }


def _now(at: datetime) -> Entry:
    return {"at": at.isoformat(timespec="seconds")}


def _comparison(diff: TreeDiff) -> Entry:
    moves: dict[tuple[str, str], list[str]] = {}
    for change in diff.tools:
        moves.setdefault((change.before or "", change.after or ""), []).append(change.tool)
    moved = sum(change.change == "moved" for change in diff.tools)
    said = [f"{diff.first} → {diff.second}", f"{moved} tools move"]
    said += [f"new: {', '.join(diff.appeared)}"] if diff.appeared else []
    said += [f"gone: {', '.join(diff.vanished)}"] if diff.vanished else []
    return {
        "kind": COMPARISONS,
        "text": "; ".join(said),
        "first": diff.first,
        "second": diff.second,
        "moves": [{"before": before, "after": after, "tools": tools} for (before, after), tools in moves.items()],
        "appeared": list(diff.appeared),
        "vanished": list(diff.vanished),
        "prompts": [change.agent for change in diff.prompts],
    }


def _evaluation(evaluation: Evaluation) -> Entry:
    results = {
        result.topology: {
            "requests": result.n,
            "right": result.accuracy.count,
            "accuracy": _rounded(result.accuracy.value),
            "accuracy_low": _rounded(result.accuracy.low),
            "accuracy_high": _rounded(result.accuracy.high),
            "wrong_agent": result.wrong_agent.count,
            "abstained": result.abstained.count,
        }
        for result in evaluation
    }
    shares = "; ".join(f"{r.topology} {(r.accuracy.value or 0) * 100:.1f} % of {r.n} right" for r in evaluation)
    return {
        "kind": EVALUATIONS,
        "text": f"{evaluation.subject} on {evaluation.data}: {shares}",
        "subject": evaluation.subject,
        "data": evaluation.data,
        "seed": evaluation.seed,
        "results": results,
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
