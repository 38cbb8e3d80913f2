"""What a lab puts on its shelf: from turns, comparisons, evaluations and definitions to documents without secrets.

Each document has a ``text`` that tells a reader of the file what it is, and ``at``, when it was put there. Texts are
masked, the source of an agent or a tool that holds a secret is refused: a masked note is still the note, a masked
program would be another program, and would run.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from lango_nb.core.errors import RefusedError, UsageError
from lango_nb.core.masking import mask, mask_value
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
AGENTS, TOOLS = "agents", "tools"
KINDS = (NOTES, TAGS, EXAMPLES, REQUESTS, COMPARISONS, EVALUATIONS, AGENTS, TOOLS)
"""The kinds that a lab makes; others may stand beside them."""
SOURCE = "source"
"""The field with the lines of a definition."""


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


# -- secrets -----------------------------------------------------------------------------------------------------------


def without_secrets(kind: str, item: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as it may be kept.

    Parameters
    ----------
    kind : str
    item : str
        What errors call it.
    document : mapping

    Returns
    -------
    dict
        Without secrets.

    Raises
    ------
    RefusedError
        The source of an agent or a tool holds one.

    Examples
    --------
    >>> without_secrets("notes", "notes/1", {"text": "use sk-abcdefghijklmnop1234"})
    {'text': 'use [masked]'}
    """
    masked = cast("dict[str, Any]", mask_value(dict(document)))
    if kind not in {AGENTS, TOOLS} or SOURCE not in document:
        return masked
    source = document[SOURCE]
    text = "\n".join(map(str, source)) if isinstance(source, list | tuple) else str(source)
    line = next(_secret_lines(kind, text), None)
    if line is not None:
        raise RefusedError(
            f"{document.get('name') or item} does not go on the shelf: line {line} of its source holds what looks like "
            "a secret; take it out and try again"
        )
    return {**masked, SOURCE: source}


def _secret_lines(kind: str, text: str) -> Iterator[int]:
    """Give the lines with secrets; in Python only texts and comments hold any, ``token = next_token()`` does not."""
    if kind == TOOLS:
        try:
            yield from _in_code(text)
        except (SyntaxError, ValueError, tokenize.TokenError):
            pass
        else:
            return
    masked = mask(text)
    if masked != text:
        pairs = zip(text.split("\n"), masked.split("\n"), strict=False)
        yield next((number for number, (before, after) in enumerate(pairs, 1) if before != after), 1)


def _in_code(text: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(text)):
        for name, value in _named(node):
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and _is_secret(name, value.value):
                yield value.lineno
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and mask(token.string) != token.string:
            yield token.start[0]


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Give values with the names they go by; a text by itself has none."""
    match node:
        case ast.Constant():
            yield "", node
        case ast.Assign(targets=targets, value=value):
            yield from ((ast.unparse(target), value) for target in targets)
        case ast.AnnAssign(target=target, value=value):
            yield ast.unparse(target), value
        case ast.keyword(arg=str(name), value=value):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            yield from (
                (key.value, value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )
        case ast.arguments(args=args, defaults=defaults, kwonlyargs=more, kw_defaults=their):
            yield from ((arg.arg, value) for arg, value in zip(args[-len(defaults) :], defaults, strict=False))
            yield from ((arg.arg, value) for arg, value in zip(more, their, strict=True))


def _is_secret(name: str, value: str) -> bool:
    return bool(value) and (mask(value) != value or bool(name and mask_value({name: value}) != {name: value}))
