"""The panels of a lab: their names in the order of the tabs, what each is for, and the lesson about it."""

from __future__ import annotations

from collections.abc import Mapping

ABOUT: Mapping[str, str] = {
    "tree": "Who is there? Choose an agent to see its definition and to edit it: what a change would do stands below "
    "the form before you apply it. Code is the cell that makes the same changes. Lesson: 01_partitions.ipynb.",
    "partition": "Which agent owns which tool? Filter and sort the tools; click one to see the rule that gave it to "
    "its owner, and which other agents would match. Lesson: 01_partitions.ipynb.",
    "route": "Who would get this request, and why? Type, and the scores follow every letter; words are tinted by what "
    "they say for the winner. No model is asked and nothing runs. Lesson: 02_routing.ipynb.",
    "run": "Ask, and watch the turn: the answer as it comes, the trace as it grows, a card for every call that needs "
    "your consent, and Stop. Turns run beside the cells. Lesson: 03_turns_and_traces.ipynb.",
    "trace": "What happened in a turn, step by step? Move the slider to see what the agent at work was given, what was "
    "left of the budgets, and which calls were open. Click a lane's name to zoom in on it, an event or its bar to see "
    "all of it. Keys, after a click into the viewer: / searches, j and k choose the next and the previous event, ← and "
    "→ step, Esc shows all events again. "
    "Lesson: 10_reading_a_trace.ipynb.",
    "why": "Why did the request go to this agent? Each word has the colour of the agent it speaks for; every candidate "
    "shows what its score is made of, and the model's own reason stands beside the router's. "
    "Lesson: 02_routing.ipynb.",
    "runs": "Which teammates are at work, and what came of the others? Choose a run to see everything in it; one that "
    "is at work can be waited for, and stopped. Lesson: 04_teammates.ipynb.",
    "approvals": "Which calls wait for your consent? A card shows exactly what would run. Once covers this call, This "
    "turn and This session the same call again; a call that nobody answers does not run. Lesson: 04_teammates.ipynb.",
    "evaluate": "How often is the router, or a model, right? Pick a set and press Measure; click a number of the "
    "matrix to list its requests, and a request to see why it went where it went. Lesson: 06_evaluate_routing.ipynb.",
    "genome": "Which agents are there, who may call whom, and how did they come to be so? Look for stumbles, read what "
    "may be learned of them, accept or refuse it; click a change to see what it changed, compare it with another, or "
    "roll it back. Lesson: 11_genome.ipynb.",
    "history": "What was asked so far? Filter the turns and choose one to see its trace. "
    "Lesson: 05_history_as_dataframes.ipynb.",
    "doctor": "Is anything wrong? Every check says what it found and what to do next; click one to see what it was "
    "concluded from. Lesson: 05_history_as_dataframes.ipynb.",
}
"""A paragraph about each panel, by name."""
PANELS = tuple(ABOUT)
"""Tabs of the dashboard, in their order; ``lab.<name>_panel()`` is each alone."""
