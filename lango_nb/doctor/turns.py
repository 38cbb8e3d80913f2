"""Turns that did not go as they should: each is named, with how to look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from lango_nb.core.errors import shorten
from lango_nb.core.events import OUTCOMES
from lango_nb.core.masking import mask
from lango_nb.core.text import counted
from lango_nb.doctor.case import MOST_NAMED, Case, about, about_turn, listed, named
from lango_nb.doctor.finding import Finding
from lango_nb.hooks.commands.verdict import BLOCKED, OBSERVED
from lango_nb.records.resume import INTERRUPTED
from lango_nb.runtime.failures import next_step_of
from lango_nb.stores.store import Row, StoredTurn, TurnQuery

ASKING = "input_required"
"""The outcome of turns that leave the next word to the person."""
FAILED = tuple(outcome for outcome in OUTCOMES if outcome not in {"running", "success", "cancelled", ASKING})
"""Outcomes that nobody wanted: a turn that was stopped is none of them."""
MOST_SHOWN = 5
"""Failed turns that are told one by one."""
MOST_LOOPS, MOST_TIMEOUTS = 3, 5
"""How many are nothing to worry about."""
FULL = 0.8
"""Share of ``maxTraces`` from which somebody should know."""
SLOW_S = 120.0
"""Mean duration of successful turns from which somebody should know."""
_LONGEST = 160


def examine_failures(case: Case) -> Iterator[Finding]:
    """Tell the latest turns that failed, one finding each.

    Yields
    ------
    Finding
        With turn, outcome, error code, and which agent or tool it failed at.
    """
    check = "failed turns"
    recent = TurnQuery(outcomes=FAILED, since=case.since)
    number = case.log.count(recent)
    if not number:
        before = case.log.count(TurnQuery(outcomes=FAILED))
        text = f"no turn failed in {case.window}"
        yield Finding(check, "ok", f"{text}; {before} did before that" if before else text)
        return
    latest = case.log.rows(TurnQuery(outcomes=FAILED, since=case.since, newest_first=True, limit=MOST_SHOWN))
    for row in sorted(latest, key=_number, reverse=True):
        stored = case.log.read(str(row["id"]))
        where, evidence = place_of_failure(stored.events if stored is not None else ())
        code = str(row.get("error_code") or "")
        ending = f"{row['outcome']} ({code})" if code and code not in where else str(row["outcome"])
        text = f"turn {row['number']} ended with {ending}{f': {where}' if where else ''}"
        asked = f"request: {shorten(mask(' '.join(str(row.get('text') or '').split())), _LONGEST)}"
        step = f"%lango trace {row['number']}: {next_step_of(str(row['outcome']), code)}"
        yield about_turn(check, "warn", text, row, next_step=step, evidence=(asked, *evidence))
    if number > len(latest):
        text = f"{counted(number - len(latest), 'more turn')} failed in {case.window}"
        yield Finding(check, "warn", text, next_step="%lango turns lists all of them")


def examine_loops(case: Case) -> Iterator[Finding]:
    """Count the turns that went round in circles."""
    step = "shows what was repeated; say in the agent's AGENT.md when to stop, or give it the tool it misses"
    yield from _too_many(case, "loops", ("loop_detected",), MOST_LOOPS, "ended in a loop", step)


def examine_timeouts(case: Case) -> Iterator[Finding]:
    """Count the turns that ran out of time."""
    step = "shows where the time went; raise agent.requestTimeout, or look at the model's provider"
    yield from _too_many(case, "time-outs", ("timeout",), MOST_TIMEOUTS, "ran out of time", step)


def examine_unanswered(case: Case) -> Iterator[Finding]:
    """Count the turns that ended with a question to the person, or with nothing understood."""
    check = "open requests"
    rows = case.log.rows(TurnQuery(outcomes=(ASKING,), since=case.since))
    if not rows:
        yield Finding(check, "ok", f"no turn of {case.window} asks anything of you")
        return
    latest = rows[-1]
    numbers = Counter(str(row.get("error_code") or ASKING) for row in rows)
    told = ", ".join(f"{code} {number}" for code, number in numbers.most_common())
    yield about_turn(
        check,
        "warn",
        f"{counted(len(rows), 'turn')} of {case.window} ended with a question to you: {told}",
        latest,
        next_step=f"%lango trace {latest['number']}: {next_step_of(ASKING, str(latest.get('error_code') or ''))}",
        evidence=listed([f"{named(row)}: {_asked(row)}" for row in reversed(rows)]),
    )


def examine_interrupted(case: Case) -> Iterator[Finding]:
    """Name the turns whose process died."""
    check = "interrupted turns"
    just_closed = [found.turn_id for found in case.engine.records.found]
    queries = [TurnQuery(outcomes=("cancelled",), since=case.since)]
    queries += [TurnQuery(ids=just_closed)] if just_closed else []
    ended = {str(row["id"]): row for query in queries for row in case.log.rows(query)}
    rows = sorted((row for row in ended.values() if row.get("error_code") == INTERRUPTED), key=_number)
    if not rows:
        yield Finding(check, "ok", f"no turn was interrupted in {case.window}")
        return
    latest = rows[-1]
    text = f"{counted(len(rows), 'turn')} ended with the process that ran {_it(rows)}"
    step = "look whether what had begun was done before you ask again: nothing is repeated by itself"
    evidence = [f"{named(row)}: {_begun(case, row)}" for row in rows[: -MOST_NAMED - 1 : -1]]
    if len(rows) > len(evidence):
        evidence.append(f"and {len(rows) - len(evidence)} more")
    step = f"%lango trace {latest['number']}: {step}"
    yield about_turn(check, "warn", text, latest, next_step=step, evidence=tuple(evidence))


def examine_unfinished(case: Case) -> Iterator[Finding]:
    """Name the turns that are open though nobody works on them, and count those at work."""
    check = "unfinished turns"
    rows = case.log.unfinished()
    running = case.log.count(TurnQuery(outcomes=("running",))) - len(rows)
    if rows:
        text = f"{counted(len(rows), 'turn')} never ended: the process that ran {_it(rows)} is gone"
        step = "open the records with a Lab or %lango open: they are closed as interrupted"
        evidence = listed([f"{named(row)}: {_asked(row)}" for row in reversed(rows)])
        yield about_turn(check, "warn", text, rows[-1], next_step=step, evidence=evidence)
    elif running > 0:
        yield Finding(check, "ok", f"{counted(running, 'turn')} at work, none left behind")
    else:
        yield Finding(check, "ok", "every turn has ended")


def examine_amount(case: Case) -> Iterator[Finding]:
    """Compare the number of turns with how many are kept, and say how many are gone."""
    check, most = "amount", case.settings.observability.trace_store.max_traces
    number = case.log.count()
    text = f"{counted(number, 'turn')} of at most {most:,} kept" if most else f"{counted(number, 'turn')} kept"
    if most and number > FULL * most:
        step = "export what you want to keep (lango trace export), or raise observability.traceStore.maxTraces"
        yield Finding(check, "warn", f"{text}: the oldest will be forgotten", next_step=step)
    else:
        yield Finding(check, "ok", text)
    if gone := case.engine.records.forgotten:
        yield Finding(check, "ok", gone)


def examine_duration(case: Case) -> Iterator[Finding]:
    """Look at how long successful turns take on average."""
    check = "duration"
    rows = case.log.rows(TurnQuery(outcomes=("success",), since=case.since))
    if not rows:
        yield Finding(check, "skip", f"no turn succeeded in {case.window}")
        return
    slowest = max(rows, key=_duration)
    mean_s = sum(map(_duration, rows)) / len(rows) / 1000
    text = f"{counted(len(rows), 'successful turn')} of {case.window} took"
    if mean_s > SLOW_S:
        text = f"{text} {mean_s:,.0f} s on average"
        step = f"%lango trace {slowest['number']} shows where the time went in the slowest"
        yield about_turn(check, "warn", text, slowest, next_step=step, evidence=(f"slowest: {named(slowest)}",))
    else:
        yield Finding(check, "ok", f"{text} less than {SLOW_S / 60:g} minutes on average")


def place_of_failure(events: Sequence[Row]) -> tuple[str, tuple[str, ...]]:
    """Say at which agent and tool a turn failed.

    Parameters
    ----------
    events : sequence of dict

    Returns
    -------
    where : str
        Empty when no event says so.
    evidence : tuple of str
        What the last failures were, the last first, and what was tried about them; three of each at most.
    """
    told: list[str] = []
    tried: list[str] = []
    for event in reversed(events):
        author, code = event.get("author"), event.get("code") or event.get("error_code") or ""
        match event.get("kind"):
            case "tool.finished" if event.get("is_error"):
                told.append(f"{author} called {event.get('tool')} and got {_why(code, event.get('result'))}")
            case "run.finished" if event.get("status") == "failed":
                told.append(f"the run of {author} failed: {_why(code, event.get('error'))}")
            case "error":
                told.append(f"{author} failed: {_why(code, event.get('text'))}")
            case "recovery":
                failed = event.get("failed_agent") or author
                tried.append(f"{event.get('action')} after {failed} failed: {_why(code, event.get('detail'))}")
            case "limit.reached":
                told.append(f"{author} reached a limit: {_why(event.get('limit'), event.get('detail'))}")
            case "handover.refused":
                target = event.get("target")
                told.append(f"{author} could not hand over to {target}: {_why(code, event.get('detail'))}")
    return (told[0] if told else ""), (*told[1:3], *tried[:3])


def _too_many(case: Case, check: str, outcomes: Collection[str], most: int, what: str, step: str) -> Iterator[Finding]:  # noqa: PLR0913, PLR0917 - the words of one check
    rows = case.log.rows(TurnQuery(outcomes=outcomes, since=case.since))
    if not rows:
        yield Finding(check, "ok", f"no turn {what} in {case.window}")
        return
    latest = rows[-1]
    yield about_turn(
        check,
        "warn" if len(rows) > most else "ok",
        f"{counted(len(rows), 'turn')} {what} in {case.window}",
        latest,
        next_step=f"%lango trace {latest['number']} {step}",
        evidence=listed([f"{named(row)}: {_asked(row)}" for row in reversed(rows)]),
    )


def _why(code: object, detail: object) -> str:
    said = shorten(mask(" ".join(str(detail or "").split())), _LONGEST)
    begins = str(code or "")
    return said if begins and said.startswith(begins) else ": ".join(filter(None, (begins, said))) or "no reason given"


def _begun(case: Case, row: Row) -> str:
    """Name the calls of an interrupted turn of which no end is known."""
    stored = case.log.read(str(row["id"]))
    events = stored.events if stored is not None else []
    lost = [
        str(event.get("tool"))
        for event in events
        if event.get("kind") == "tool.finished" and event.get("code") == INTERRUPTED
    ]
    return f"{', '.join(lost)} had begun" if lost else "no call was under way"


def _asked(row: Row) -> str:
    return shorten(mask(" ".join(str(row.get("text") or "").split())), 60)


def _number(row: Row) -> int:
    return int(str(row["number"]))


def _duration(row: Row) -> float:
    found = row.get("duration_ms")
    return float(found) if isinstance(found, int | float) else 0.0


def _it(rows: Sequence[Row]) -> str:
    return "it" if len(rows) == 1 else "them"


MOST_TURNS = 500
"""Latest turns with commands that are read."""
_TOOLS = ("exec", "exec_bg")


def examine_commands(case: Case) -> Iterator[Finding]:
    """Count the commands that were blocked or observed, by the code of the verdict.

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
