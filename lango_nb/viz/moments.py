"""A turn as it was at one of its steps: who is at work, what that agent saw, what was used, what was open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lango_nb.core.messages import Message
from lango_nb.core.text import counted
from lango_nb.records.moments import Moment, state_at
from lango_nb.records.steps import Step, position
from lango_nb.records.turns import Trace
from lango_nb.viz import document as doc
from lango_nb.viz.colours import ROOT
from lango_nb.viz.escape import one_line
from lango_nb.viz.trace import Layout, head

_MESSAGES = 40
"""Messages that are listed, the last ones."""
_OTHERS = 12
"""Other agents that are named."""
_WIDTHS = ("40px", "minmax(70px,130px)", "minmax(0,1fr)")


def document(trace: Trace, step: int) -> doc.Document:
    """Write a turn as it stood at a step: its lanes up to there, and what was seen, used and open.

    Parameters
    ----------
    trace : Trace
    step : int
        Number of a model call; 0 is before the first.
    """
    moment, layout = state_at(trace, step), Layout.of(trace)
    lanes = layout.drawn(min(moment.events, len(trace.events)))
    return (*head(trace, layout), lanes, doc.GAP, *moment_blocks(trace, moment, layout.colours, lambda _agent: ""))


def moment_blocks(
    trace: Trace, moment: Moment, colours: Mapping[str, str], prompt: Callable[[str], str]
) -> doc.Document:
    """Write how a turn stood at a step.

    Parameters
    ----------
    trace : Trace
    moment : Moment
        One of its steps.
    colours : mapping of str to str
        Of agents.
    prompt : callable
        Returns the prompt of an agent, empty where it is not known.
    """
    now = next((one for one in moment.seen if one.step == moment.step), None)
    return (
        doc.Heading(f"Step {moment.step:,}", f"step {moment.step:,}"),
        *(_at_work(trace, now, colours, prompt(now.agent)) if now else (doc.Note(_idle(moment)),)),
        *_others(moment, colours),
        doc.Heading("Used so far", "used so far"),
        _budgets(moment),
        doc.Heading("Open calls", "open calls"),
        *_open_calls(moment, colours),
        *_breakers(moment),
    )


def _idle(moment: Moment) -> str:
    return "No model call of this step is recorded." if moment.step else "Nobody is at work yet: no model was called."


def _at_work(trace: Trace, step: Step, colours: Mapping[str, str], prompt: str) -> doc.Document:
    """Say who is at work, and what the model was given."""
    given = trace.given(step.step)
    earlier = f", {step.earlier:,} of earlier turns" if step.earlier else ""
    messages = doc.Fold(f"{counted(step.messages, 'message')} given{earlier}", _messages(given), True, "titled")
    size = f"prompt of {counted(len(prompt), 'character')}"
    return (
        doc.Fields((("at work", _name(step.agent, step.run_id, colours)),)),
        doc.Fold(size, (doc.Code(prompt),)) if prompt else doc.Note("its prompt is not recorded with the turn"),
        messages,
    )


def _messages(given: tuple[Message, ...]) -> doc.Document:
    shown = given[-_MESSAGES:]
    hidden = len(given) - len(shown)
    rows = tuple(
        (str(position(one) or ""), one_line(one.author or one.role, 40), doc.Cut(_said(one), 200, 80)) for one in shown
    )
    return (
        doc.Note(f"{counted(hidden, 'earlier message')} not shown" if hidden else ""),
        doc.Rows(("seq", "author", "text"), rows, ">", _WIDTHS, tuple((doc.Code(_said(one)),) for one in shown)),
    )


def _said(message: Message) -> str:
    calls = ", ".join(call.name for call in message.tool_calls)
    return "\n".join(filter(None, (message.content, f"calls {calls}" if calls else "")))


def _others(moment: Moment, colours: Mapping[str, str]) -> doc.Document:
    """Name the other agents with their latest model call."""
    others = [one for one in reversed(moment.seen) if one.step != moment.step]
    if not others:
        return ()
    named: list[doc.Inline] = [
        doc.Words((_name(one.agent, one.run_id, colours), doc.Muted(f"at step {one.step:,}")))
        for one in others[:_OTHERS]
    ]
    named += [doc.Muted(f"and {len(others) - _OTHERS:,} more")] if len(others) > _OTHERS else []
    return (doc.Line((doc.Muted("before"), *named)),)


def _budgets(moment: Moment) -> doc.Block:
    rows = tuple(
        (one.name, _number(one.used), _number(one.limit), _number(one.left))
        for one in moment.budgets
        if one.used or one.limit is not None
    )
    return doc.Rows(("what", "used", "limit", "left"), rows, "<>>>") if rows else doc.Note("nothing")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"


def _open_calls(moment: Moment, colours: Mapping[str, str]) -> doc.Document:
    rows = tuple(
        (
            one_line(one.tool, 60),
            _name(one.agent, one.run_id, colours),
            "waits for an answer" if one.is_waiting else "runs",
        )
        for one in moment.open_calls
    )
    return (doc.Rows(("tool", "agent", "state"), rows) if rows else doc.Note("none"),)


def _breakers(moment: Moment) -> doc.Document:
    if not moment.breakers:
        return ()
    rows = tuple((one_line(name, 60), state) for name, state in moment.breakers.items())
    return (doc.Heading("Circuit breakers", "circuit breakers"), doc.Rows(("circuit", "state"), rows))


def _name(agent: str, run_id: str, colours: Mapping[str, str]) -> doc.Name:
    return doc.Name(agent, colours.get(agent, ROOT), run_id, plain=24)
