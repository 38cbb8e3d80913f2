"""The doctor looks through an engine and its records, and says what is wrong, where, and what to do about it.

    examine(engine) ─→ Report
                       └── Finding   check, status, one sentence, the turn it is about, the next step, the evidence

    finding.py      what a finding and a report are
    examine.py      every check, one after the other; one that fails itself is a finding like any other
    agents.py       one agent or many, model, tree
    definitions.py  settings that are held back, AGENT.md files
    parts.py        hooks, remote agents, open circuits, questions nobody answers
    storage.py      the store, its disk, a copy of damaged records
    turns.py        failed, interrupted and slow turns, loops, commands that were blocked or noted
    leaks.py        what isolation should have kept apart

It changes nothing and asks no model. Counting reads the summaries of turns only; messages are read for the sessions of
the last day.
"""

from __future__ import annotations

from lango_nb.doctor.examine import examine
from lango_nb.doctor.finding import Finding, Report, Status
from lango_nb.doctor.storage import rescued

__all__ = ["Finding", "Report", "Status", "examine", "rescued"]
