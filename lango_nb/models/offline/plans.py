"""Plans: a request as numbered steps, with the agent of each where the prompt names the agents; and read back.

[PLAN: what it is about]
Step 1: count the lines of notes.md → agent: operator
Step 2: hash it → agent: vault | depends_on: Step 1
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lango_nb.core.errors import shorten
from lango_nb.models.offline.aims import aim_of
from lango_nb.models.offline.parts import without_destination
from lango_nb.models.offline.plan import show
from lango_nb.models.offline.reader import reader

ASKED = "Plan this: "
"""Begins the work order that asks for a plan."""
MOST_STEPS = 12
_NAMES = re.compile(r"^A step's agent is one of these names[^:\n]*: ([^\n]+?)\.?$", re.MULTILINE)
_STEP = re.compile(r"^Step (\d+): (.+?)(?:\s+→ agent: (\S+))?(?:\s*\| depends_on: Step (\d+))?\s*$", re.MULTILINE)
_CUT = re.compile(r",|;|\n|\. +(?=[A-Z])|\band then\b|\bthen\b|\band\b")
_LEAD = re.compile(r"^(?:and|then|also|finally|please)\s+", re.IGNORECASE)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_LIKELY = 0.3
"""Probability from which a step is said to be some family's."""
_USUAL = {
    "operator": ("exec", "fs", "skill"),
    "executor": ("exec", "fs", "skill", "browser", "crypto", "secrets", "payment"),
    "navigator": ("browser",),
    "vault": ("crypto", "secrets", "payment"),
    "librarian": (
        "knowledge",
        "knowledge_save",
        "rag",
        "graph",
        "learning",
        "learning_data",
        "inquiry",
        "skills",
        "web",
    ),
    "researcher": ("knowledge", "knowledge_save", "rag", "graph", "web"),
    "automator": ("cron", "bg", "workflow"),
    "chronicler": ("memory",),
    "ontologist": ("ontology",),
}
"""What agents of these names usually do: a prompt that lists names for a plan says no more."""


class Step(NamedTuple):
    """One step of a plan."""

    text: str
    agent: str = ""
    """Whom the plan names; empty when it names nobody."""
    needs: int | None = None
    """Place of the step, from 0, whose result it uses."""


def plan(prompt: str, text: str) -> str:
    """Break a request into numbered steps.

    Parameters
    ----------
    prompt : str
        The planner's: names the agents, where it names any.
    text : str
        The request.

    Returns
    -------
    str

    Examples
    --------
    >>> print(plan("", "plan a release: write notes, tag the commit and tell the team"))
    [PLAN: plan a release]
    Step 1: write notes
    Step 2: tag the commit
    Step 3: tell the team
    """
    body = text.strip().removeprefix(ASKED)
    head, colon, tail = body.partition(": ")
    is_headed = bool(colon and tail.strip()) and "http" not in head
    steps = _steps(tail if is_headed else body)
    if len(steps) < 2:  # noqa: PLR2004 - one part is no plan
        goal = steps[0].text if steps else "the goal"
        steps = [
            Step(f"say what a good result looks like: {shorten(goal, 100)}"),
            Step("do the smallest part first"),
            Step("check it"),
        ]
    names = _names(prompt)
    lines = [_line(number, step, names) for number, step in enumerate(steps[:MOST_STEPS], 1)]
    return "\n".join([f"[PLAN: {shorten((head if is_headed else body).strip(), 80)}]", *lines])


def read_plan(text: str) -> tuple[Step, ...]:
    r"""Read the steps of a plan.

    Examples
    --------
    >>> read_plan("[PLAN: x]\nStep 1: hash a → agent: vault\nStep 2: keep it → agent: filer | depends_on: Step 1")
    (Step(text='hash a', agent='vault', needs=None), Step(text='keep it', agent='filer', needs=0))
    """
    steps: list[Step] = []
    for match in _STEP.finditer(text):
        needs = int(match[4]) - 1 if match[4] else None
        is_before = needs is not None and 0 <= needs < len(steps)
        steps.append(Step(match[2].strip(), match[3] or "", needs if is_before else None))
    return tuple(steps[:MOST_STEPS])


def _steps(body: str) -> list[Step]:
    found: list[Step] = []
    for piece in _pieces(body):
        (first, *more) = reader().read(piece).steps or (None,)
        if first is None or more or not first.destination:
            found.append(Step(piece))
            continue
        bare, last = without_destination(first)
        found += [Step(show(bare)), Step(show(last), needs=len(found))]
    return found


def _pieces(body: str) -> list[str]:
    covered = _QUOTED.sub(lambda match: "\x01" * len(match[0]), body)
    begins, ends = [0], []
    for cut in _CUT.finditer(covered):
        ends.append(cut.start())
        begins.append(cut.end())
    ends.append(len(body))
    pieces = [_LEAD.sub("", body[a:b].strip(" .!?\n,;")).strip() for a, b in zip(begins, ends, strict=True)]
    return [piece for piece in pieces if piece]


def _line(number: int, step: Step, names: tuple[str, ...]) -> str:
    agent = _agent_of(step.text, names)
    named = f" → agent: {agent}" if agent else ""
    return f"Step {number}: {step.text}{named}" + (
        "" if step.needs is None else f" | depends_on: Step {step.needs + 1}"
    )


def _agent_of(text: str, names: tuple[str, ...]) -> str:
    """Return the agent whose name stands for what a step is about; empty when none clearly does."""
    if not names:
        return ""
    likely = aim_of(text, frozenset()).likely
    chances = {name: sum(likely.get(family, 0.0) for family in _USUAL.get(name, ())) for name in names}
    best = max(chances, key=lambda name: chances[name])
    return best if chances[best] >= _LIKELY else ""


def _names(prompt: str) -> tuple[str, ...]:
    match = _NAMES.search(prompt)
    return tuple(name.strip() for name in match[1].split(",")) if match else ()
