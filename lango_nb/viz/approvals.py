"""Open questions: who wants to call what, with which arguments exactly, what a yes covers and how to answer.

Whoever decides has to see what would run: arguments stand here whole and unmasked, what could disguise them is spelled
out, and what is long is folded. Answered questions, like everything that is kept, show no secrets.
"""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.masking import mask, mask_arguments
from lango_nb.core.text import counted, printable
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, LeftQuestion, PendingApproval
from lango_nb.runtime.ask import argument, argument_lines, preview_lines
from lango_nb.viz import document as doc
from lango_nb.viz.escape import one_line
from lango_nb.viz.table import Table

_OPEN = 24
"""Lines of a difference that are shown before it is folded."""
LONGEST = 160
"""Characters of names, and of an argument that was decided about."""
_TITLE = "open questions"
_EMPTY = "nothing waits for an answer"
_HOW = "%lango allow ID [--turn | --session] or %lango deny ID, or lab.approvals.allow(ID) and .deny(ID)"


def questions_document(pending: Sequence[PendingApproval | LeftQuestion]) -> doc.Document:
    """Write every question with all of its arguments, oldest first; a page folds the long ones."""
    if not pending:
        return (doc.Title(_TITLE), doc.GAP, doc.Paragraph(doc.Muted(_EMPTY)))
    asked = tuple(block for question in pending for block in (doc.GAP, question_box(question)))
    return (doc.Title(_TITLE, [counted(len(pending), "question")]), *asked, doc.GAP, doc.Note(_HOW))


def question_box(question: PendingApproval | LeftQuestion) -> doc.Block:
    """Write one question with all that whoever answers it has to see."""
    request, seen = question.request, _seen(question)
    said = [*preview_lines(seen), *argument_lines(request.arguments, 0, 0)]  # never wrapped: a line end is not theirs
    blocks = (
        doc.Paragraph(_head(request)),
        doc.plain(doc.Box("", (doc.Code("\n".join(said)),))),
        doc.rich(*_preview(seen), *_arguments(request), doc.Note(_asked_for(question))),
        *_allowed_before(question),
        doc.Facts([_covered(question)]),
        *_buttons(question),
    )
    return doc.Box(doc.Chip(_named(question.id)), blocks)


def _asked_for(question: PendingApproval | LeftQuestion) -> str:
    """Say which request the call is made for."""
    order = "" if isinstance(question, LeftQuestion) else question.request.order
    return f"For the request: “{one_line(order, LONGEST)}”" if order else ""


def _buttons(question: PendingApproval | LeftQuestion) -> doc.Document:
    """Offer the answers that would be taken."""
    request, is_left = question.request, isinstance(question, LeftQuestion)
    scopes = ["once"]
    if not (request.is_once or request.problem):
        is_turn_over = is_left and not request.run_id
        scopes += ["session"] if is_turn_over else ["turn", "session"]
    if isinstance(question, LeftQuestion) and question.obstacle:
        scopes = []
    can_be_denied = not isinstance(question, LeftQuestion) or question.can_be_denied
    answers = [doc.Button(scope, _YES[scope], "good" if scope == "once" else "") for scope in scopes]
    answers += [doc.Button("no", "No", "bad")] if can_be_denied else []
    return (doc.Buttons(question.id, tuple(answers)),) if answers else ()


_YES = {"once": "Once", "turn": "This turn", "session": "This session"}


def _allowed_before(question: PendingApproval | LeftQuestion) -> doc.Document:
    """Show the calls that go with the answer, as whole as the one that is asked about."""
    calls = question.allowed_before if isinstance(question, LeftQuestion) else ()
    shown = ["\n".join([_named(call.name), *argument_lines(call.arguments, 0, 0)]) for call in calls]
    said = "Allowed before, and run whatever the answer is:"
    return (doc.Box(said, tuple(doc.Code(lines, is_whole=True) for lines in shown)),) if shown else ()


def _preview(request: ApprovalRequest) -> doc.Document:
    """Say what the call would do, with what would change folded under it."""
    summary, *difference = preview_lines(request) or [""]
    if not difference:
        return (doc.Paragraph(summary),) if summary else ()
    shown = doc.Difference("\n".join(difference))
    return (doc.Fold(summary, (shown,), is_open=len(difference) <= _OPEN),)


def _arguments(request: ApprovalRequest) -> doc.Document:
    if not request.arguments:
        return (doc.Paragraph(doc.Muted("(no arguments)")),)
    return (
        doc.Fields(
            tuple(
                (printable(name), doc.Code(argument(value), is_whole=True)) for name, value in request.arguments.items()
            )
        ),
    )


def _seen(question: PendingApproval | LeftQuestion) -> ApprovalRequest:
    return question.seen if isinstance(question, LeftQuestion) else question.request


def _head(request: ApprovalRequest) -> str:
    why = f"its arguments are wrong: {request.problem}" if request.problem else request.reason
    return f"{_named(request.agent)} wants to call {_named(request.tool)}: {one_line(why)}"


def _covered(question: PendingApproval | LeftQuestion) -> str:
    request = question.request
    if isinstance(question, LeftQuestion) and (question.resumption is None or question.obstacle):
        return _left(question)
    if isinstance(question, LeftQuestion) and not request.run_id:
        yes = "A yes covers exactly this call, this once." if request.is_once else _YES_LATER
        return f"Its turn has ended; with the answer it goes on as a new one. {yes}"
    if isinstance(question, LeftQuestion):
        waits = f"{request.run_id} waits for it, though its process ended, and goes on with the answer"
        return f"{waits}; its turn does not, and the session is told what it comes to. {_yes(request)}"
    if request.problem:
        return "It will not run like this; a yes only tells the agent so."
    return _yes(request)


def _yes(request: ApprovalRequest) -> str:
    """Say what a yes covers."""
    if request.is_once:
        return "A yes covers exactly this call, this once."
    if request.is_grant:
        given = f"give {request.run_id or 'the run'} {_named(request.tool)}, for any arguments"
        return f"A yes covers exactly this call, once; one for this turn or session would {given}."
    return "A yes covers exactly this call: once, or every time it comes in this turn or session."


_YES_LATER = "A yes covers exactly this call: once, or every time it comes in this session."


def _left(question: LeftQuestion) -> str:
    """Say what became of a question whose process is gone, where nobody can go on."""
    request = question.request
    if question.resumption is not None and not request.run_id:
        then = " A no drops the question." if question.can_be_denied else ""
        return f"Its turn has ended and cannot go on here: {question.obstacle}.{then}"
    if question.resumption is not None:
        then = " A no ends it." if question.can_be_denied else ""
        return f"{request.run_id} cannot go on here: {question.obstacle}.{then}"
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
    request, said = question.request, answered_text(question, answer)
    arguments = "; ".join(argument_lines(mask_arguments(request.arguments), LONGEST))
    rows = (
        ("answer", said),
        ("tool", _named(request.tool)),
        ("arguments", arguments),
        ("agent", _named(request.agent)),
    )
    return Table(f"approval {_named(question.id)}", ("what", "value"), rows)


def answered_text(question: PendingApproval | LeftQuestion, answer: ApprovalAnswer) -> str:
    """Say in a sentence what an answer came to."""
    if answer.allowed and question.request.problem:
        return "seen: the call does not run, and the agent is told why"
    if isinstance(question, LeftQuestion):
        return _left_said(question, answer)
    return f"allowed, {_HOLDS[answer.scope]}" if answer.allowed else f"refused: {mask(answer.detail)}"


_HOLDS = {"once": "this once", "turn": "for this turn", "session": "for this session"}


def _left_said(question: LeftQuestion, answer: ApprovalAnswer) -> str:
    request, refused = question.request, f"refused: {mask(answer.detail)}"
    if question.resumption is not None and not request.run_id:
        if question.obstacle:
            return "dropped: whoever asked is gone"
        said = f"allowed, {_HOLDS[answer.scope]}" if answer.allowed else refused
        return f"{said}; its turn goes on as a new one, which %lango history shows"
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
