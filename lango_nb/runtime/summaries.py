"""Summing up what a model is not given any more: one step of the agent whose model would have got it.

It happens before the agent's own step, when the conversation no longer fits: half of the budget is dropped at once, so
that many turns pass until the next time. The same model makes it, because it has read all of that anyway: nothing goes
to anybody else. What it takes is counted like any other call. When it fails, the turn goes on without it.
"""

from __future__ import annotations

from lango_nb.core.errors import LangoError, shorten
from lango_nb.core.events import HistorySummarized
from lango_nb.core.masking import mask
from lango_nb.models.model import Model
from lango_nb.models.summaries import summary_request
from lango_nb.records.sessions import is_request, tokens_of
from lango_nb.records.summaries import Summary
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.loop_state import LoopState
from lango_nb.runtime.step import LONGEST_ERROR, call_model

LEAST_TOKENS = 200
"""A budget below this has no place for a summary."""
LONGEST = 8_000
"""Characters of a summary; less where that would be more than a quarter of the budget."""


async def sum_up(loop: LoopState, node: AgentNode, model: Model) -> None:
    """Let a summary stand for what the agent is not given any more, where there is something new.

    Parameters
    ----------
    loop : LoopState
        Its step becomes that of the summary, and another one begins.
    node : AgentNode
    model : Model

    Notes
    -----
    Raises :class:`~lango_nb.runtime.loop_state.LoopStopped` when a limit of the turn is used up with it.
    """
    turn, session = loop.turn, loop.turn.session
    most = turn.history_tokens(model)
    if most < LEAST_TOKENS:
        turn.unsummarized = f"{most} tokens of history leave no place for one"
        return
    new = session.left_out(most)
    through = next((message.id for message in reversed(new) if is_request(message)), "")
    if not through or session.tried.get(most) == through:
        return
    session.tried[most] = through
    before, longest = session.summary(most), min(LONGEST, most)
    request = summary_request(new, most, longest, before, node.name)
    if turn.budget.is_beyond(sum(map(tokens_of, request))):
        turn.unsummarized = "it would take more tokens than this turn may still use"
        return
    turn.given[loop.step] = (loop.step, node.name, loop.run_id, loop.conversation, 1, 0, ())
    began_s = loop.context.clock.monotonic_s()
    try:
        reply = await call_model(model, request, ())
        loop.add_usage(model, reply, began_s)
        if text := reply.text.strip():
            dropped = len(new) + (before.dropped if before is not None else 0)
            summary = Summary(shorten(mask(text), longest), dropped, through, most)
            session.sum_up(summary)
            summarized = HistorySummarized(usage=loop.take_usage(), **summary._asdict())
            loop.emit(summarized, node.name)
        else:
            turn.unsummarized = f"{model.name} said nothing"
        loop.limit(turn.budget.model_call(reply.usage, reply.usage.cost_usd or 0.0), node)
    except LangoError as error:
        turn.unsummarized = shorten(mask(str(error)), LONGEST_ERROR)
    finally:
        loop.next_step()
