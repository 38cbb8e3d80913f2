"""Open questions: who wants to call what, with which arguments exactly, what a yes covers and how to answer.

Whoever decides has to see what would run: arguments stand here whole and unmasked, what could disguise them is spelled
out, and what is long is folded. Answered questions, like everything that is kept, show no secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lango_nb.core.masking import mask, mask_arguments
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, PendingApproval
from lango_nb.runtime.ask import argument, argument_lines, plain, preview_lines
from lango_nb.runtime.held import LeftQuestion
from lango_nb.viz import html, text
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.table import Table

LONGEST = 160
"""Characters of names, and of an argument that was decided about."""
_WIDTH = text.WIDTH - 2
_TITLE = "open questions"
_EMPTY = "nothing waits for an answer"
_HOW = "%lango allow ID or %lango deny ID, or lab.approvals.allow(ID) and .deny(ID)"


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions that wait for an answer, oldest first."""

    pending: Sequence[PendingApproval | LeftQuestion]


def line(questions: Questions) -> str:
    """Count them."""
    return f"{_TITLE}: {count(len(questions.pending), 'question')}"


def to_text(questions: Questions) -> str:
    """Write every question with all of its arguments."""
    pending = questions.pending
    if not pending:
        return f"{_TITLE}\n\n{_EMPTY}"
    parts = [f"{_TITLE} · {count(len(pending), 'question')}"]
    for question in pending:
        request = question.request
        arguments = argument_lines(request.arguments, 0, 0)  # never wrapped: a line end would not be theirs
        said = [
            *text.wrap(_head(request), _WIDTH),
            *(f"  {written}" for written in (*preview_lines(_seen(question)), *arguments)),
            *text.wrap(_covered(question), _WIDTH),
        ]
        parts.append("\n".join([_named(question.id), *(f"  {written}" for written in said)]))
    return "\n\n".join((*parts, _HOW))


def to_html(questions: Questions) -> str:
    """Show every question with all of its arguments, the long ones folded."""
    pending = questions.pending
    if not pending:
        return html.view(html.header(_TITLE), html.div(html.muted(_EMPTY)))
    facts = [count(len(pending), "question")]
    return html.view(html.header(_TITLE, facts), *map(_question, pending), html.note(_HOW))


RENDERER = Renderer(line, to_text, to_html)


def _question(question: PendingApproval | LeftQuestion) -> str:
    request = question.request
    arguments = [(plain(name), html.pre(argument(value), 0)) for name, value in request.arguments.items()]
    return html.div(
        html.line(html.chip(_named(question.id)), esc(_head(request))),
        _preview(_seen(question)),
        html.fields(arguments) if arguments else html.muted("(no arguments)"),
        html.small(_covered(question)),
        margin="8px 0",
        padding="0 0 0 10px",
        border_left=f"3px solid {html.EDGE}",
    )


def _seen(question: PendingApproval | LeftQuestion) -> ApprovalRequest:
    return question.seen if isinstance(question, LeftQuestion) else question.request


def _preview(request: ApprovalRequest) -> str:
    """Say what the call would do, with what would change folded under it."""
    summary, *difference = preview_lines(request) or [""]
    return html.details(esc(summary), html.pre("\n".join(difference), 0)) if difference else html.div(esc(summary))


def _head(request: ApprovalRequest) -> str:
    why = f"its arguments are wrong: {request.problem}" if request.problem else request.reason
    return f"{_named(request.agent)} wants to call {_named(request.tool)}: {one_line(why)}"


def _covered(question: PendingApproval | LeftQuestion) -> str:
    request = question.request
    if isinstance(question, LeftQuestion) and (question.resumption is None or question.obstacle):
        return _left(question)
    if isinstance(question, LeftQuestion):
        return f"{request.run_id} waits for it, though its process ended, and goes on with the answer. {_yes(request)}"
    if request.problem:
        return "It will not run like this; a yes only tells the agent so."
    return _yes(request)


def _yes(request: ApprovalRequest) -> str:
    """Say what a yes covers."""
    if request.is_once:
        return "A yes covers exactly this call, this once."
    if request.is_grant:
        given = f"--turn and --session give {request.run_id or 'the run'} {_named(request.tool)}, for any arguments"
        return f"A yes covers exactly this call, once; {given}."
    return "A yes covers exactly this call: once, or with --turn and --session every time it comes there."


def _left(question: LeftQuestion) -> str:
    """Say what became of a question whose process is gone, where nobody can go on."""
    request = question.request
    if question.resumption is not None:
        return f"{request.run_id} cannot go on here: {question.obstacle}. A no ends it."
    gone = f"{request.run_id or 'The turn that asked'} ended with its process and cannot go on"
    if question.obstacle:
        return f"{gone}. It cannot be allowed any more: {question.obstacle}. Ask again, or deny it."
    order = f": “{one_line(request.order, LONGEST)}”" if request.order else ""
    session = _named(request.session_id)
    return f"{gone}. A yes lets exactly this call run once when it comes again in session {session}; ask again{order}."


def _named(name: str) -> str:
    return one_line(name, LONGEST)


def answered_table(question: PendingApproval | LeftQuestion, answer: ApprovalAnswer) -> Table:
    """Say what an answer was given to, and how long it holds."""
    request = question.request
    said = f"allowed, {_HOLDS[answer.scope]}" if answer.allowed else f"refused: {mask(answer.detail)}"
    if answer.allowed and request.problem:
        said = "seen: the call does not run, and the agent is told why"
    elif isinstance(question, LeftQuestion):
        said = _left_said(question, answer)
    arguments = "; ".join(argument_lines(mask_arguments(request.arguments), LONGEST))
    rows = (
        ("answer", said),
        ("tool", _named(request.tool)),
        ("arguments", arguments),
        ("agent", _named(request.agent)),
    )
    return Table(f"approval {_named(question.id)}", ("what", "value"), rows)


_HOLDS = {"once": "this once", "turn": "for this turn", "session": "for this session"}


def _left_said(question: LeftQuestion, answer: ApprovalAnswer) -> str:
    request, refused = question.request, f"refused: {mask(answer.detail)}"
    if question.resumption is not None and not answer.allowed:
        return f"{refused}; %lango run {request.run_id} shows what becomes of it"
    if question.resumption is not None:
        return f"allowed, {_HOLDS[answer.scope]}: it goes on, and %lango run {request.run_id} shows what becomes of it"
    if not answer.allowed:
        return "dropped: whoever asked is gone"
    how = "once" if answer.scope == "once" else "each time"
    order = request.order
    again = f"; ask again: {one_line(order, LONGEST)}" if order else "; ask again"
    return f"{_HOLDS[answer.scope]}: it runs {how} without a question when it comes again{again}"
