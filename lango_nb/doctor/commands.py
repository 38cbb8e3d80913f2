"""Commands that stood out: what was blocked, what ran and was worth a note, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lango_nb.core.text import counted
from lango_nb.doctor.case import Case, about, named
from lango_nb.doctor.finding import Finding
from lango_nb.hooks.commands.verdict import BLOCKED, OBSERVED
from lango_nb.stores.store import Row, StoredTurn, TurnQuery

MOST_TURNS = 500
"""Latest turns with commands that are read."""
_TOOLS = ("exec", "exec_bg")


def examine_commands(case: Case) -> Iterator[Finding]:
    """Count the commands that were blocked or observed, by the code of the verdict.

    Parameters
    ----------
    case : Case

    Yields
    ------
    Finding
        One for those that were blocked and one for those that ran, each about the latest turn.
    """
    check = "commands"
    found: dict[str, list[tuple[str, Row]]] = {"block": [], "observe": []}
    number = 0
    for row, event in _decided(case):
        number += 1
        found.get(str(event.get("decision")), []).append((str(event.get("code")), row))
    words = {"block": (BLOCKED, "blocked"), "observe": (OBSERVED, "noted, and ran if nobody refused")}
    for decision, cases in found.items():
        if not cases:
            continue
        sentences, what = words[decision]
        latest = cases[0][1]
        codes = Counter(code for code, _ in cases)
        evidence = tuple(f"{code} ({sentences.get(code, 'unknown code')}): {n}" for code, n in codes.most_common())
        step = f"%lango trace {latest['number']} shows the last one in {named(latest)}"
        status = "warn" if decision == "block" else "ok"
        text = f"{counted(len(cases), 'command')} {what} in {case.window}"
        yield Finding(check, status, text, next_step=step, evidence=evidence, **about(latest))  # type: ignore[arg-type]  # by name, from a row
    if not any(found.values()):
        yield Finding(check, "ok", f"{counted(number, 'command')} in {case.window}, none stood out")


def _decided(case: Case) -> Iterator[tuple[Row, Row]]:
    """Return the verdicts on commands with their turns, the latest turn first."""
    turns: dict[str, StoredTurn] = {}
    for tool in _TOOLS:
        query = TurnQuery(tool=tool, since=case.since, newest_first=True, limit=MOST_TURNS)
        turns.update({str(turn.row["id"]): turn for turn in case.log.scan(query)})
    for turn in sorted(turns.values(), key=lambda turn: int(str(turn.row["number"])), reverse=True):
        for event in turn.events:
            if event.get("kind") == "policy.decided" and event.get("code"):
                yield turn.row, event
