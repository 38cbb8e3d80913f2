"""What a genome may learn: each proposal with its reason and what it would change, then what came of those accepted."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.text import counted
from lango_nb.evaluation.learner import Learning
from lango_nb.evaluation.proposals import Proposal
from lango_nb.records.stumbles import Signal
from lango_nb.specs.genome.history import SHORT
from lango_nb.specs.genome.trials import ENOUGH
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

_TITLE = "learning"
_HOW = "%lango genome accept N or %lango genome refuse N; what is accepted is one change, and a rollback undoes it"
_NOTHING = "no proposal is open; %lango genome learn looks at what went wrong since"
_RATES = f"before and since: stumbles for each action of the agent; judged after {ENOUGH} actions"
_COLOURS = {"helpful": GOOD, "harmful": BAD, "pending": WARN, "neutral": ROOT, "undone": ROOT}
_LONGEST = 160


def line(learning: Learning) -> str:
    """Write in one line what is open and what was accepted."""
    return f"{_TITLE}: {', '.join(_facts(learning))}"


def document(learning: Learning) -> doc.Document:
    """Write what is open, why the rest is left alone, and what came of what was accepted."""
    boxes = tuple(block for one in learning.proposals if one.state == "open" for block in (doc.GAP, proposal_box(one)))
    settled = [one for one in learning.proposals if one.state == "refused"]
    left = tuple(
        (f"{one_line(one.agent_name, 64)}, {one.kind}", f"{counted(one.times, 'time')}: {one_line(one.why, 300)}")
        for one in learning.skipped
    )
    return (
        doc.Title(_TITLE, _facts(learning)),
        *boxes,
        *((doc.GAP, doc.Note(_HOW)) if boxes else (doc.GAP, doc.Paragraph(doc.Muted(_NOTHING)))),
        *((doc.GAP, doc.Heading("left alone", "left alone"), doc.Fields(left, "stacked")) if left else ()),
        *(doc.Note(f"refused: {one.number}, {one_line(one.told, _LONGEST)}") for one in settled),
        *_trials(learning),
    )


def proposal_box(proposal: Proposal) -> doc.Block:
    """Write one proposal with everything that whoever decides has to see."""
    signal = proposal.signal
    stumbled = f"{one_line(signal.agent_name, 64)} stumbled ({signal.kind}), {counted(proposal.times, 'time')}"
    return doc.Box(
        doc.Chip(f"proposal {proposal.number}"),
        (
            doc.Paragraph(doc.Strong(one_line(proposal.told, 300))),
            doc.Fields(
                (
                    ("why", one_line(proposal.reason, 300)),
                    ("because", stumbled),
                    ("last goal", one_line(signal.goal, _LONGEST)),
                    ("went wrong", one_line(signal.detail, 300)),
                )
            ),
            doc.Difference(proposal.diff.text.rstrip("\n")),
            doc.Buttons(
                str(proposal.number),
                (doc.Button("accept", "Accept", "good"), doc.Button("refuse", "Refuse", "bad")),
            ),
        ),
    )


def stumbles_table(signals: Sequence[Signal]) -> Table:
    """List what went wrong, the oldest first."""
    rows = tuple((one.turn, one.agent_name, one.kind, one_line(one.goal, 120), one.detail) for one in signals)
    note = "%lango genome learn proposes what may be learned of them"
    return Table("stumbles", ("turn", "agent", "kind", "goal", "what went wrong"), rows, note, "nobody stumbled")


def _facts(learning: Learning) -> list[str]:
    number = sum(one.state == "open" for one in learning.proposals)
    said = [counted(number, "open proposal") if number else "no open proposals"]
    return [*said, f"{len(learning.trials)} accepted"] if learning.trials else said


def _trials(learning: Learning) -> doc.Document:
    if not learning.trials:
        return ()
    rows = [
        (
            one.commit[:SHORT],
            one_line(one.subject, 120),
            one_line(one.agent_name, 64),
            doc.Badge(one.verdict, _COLOURS[one.verdict]),
            _rate(one.before),
            _rate(one.after),
            one_line(one.problem, _LONGEST),
        )
        for one in learning.trials
    ]
    heads = ("commit", "what was learned", "for", "verdict", "before", "since", "")
    return (doc.GAP, doc.Heading("accepted", "accepted"), doc.Rows(heads, rows, "<<<<>><"), doc.GAP, doc.Note(_RATES))


def _rate(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.0%}"


LEARNING = Renderer(line, document)
