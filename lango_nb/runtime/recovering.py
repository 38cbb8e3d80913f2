"""What a piece of work does about a failure: the policy decides, here it is done and recorded."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from lango_nb.core.errors import ModelError, TurnError, shorten
from lango_nb.core.events import ErrorRaised, RecoveryAttempted
from lango_nb.records.runs import RunPatch
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.ending import Ending
from lango_nb.runtime.failures import Failure, classify
from lango_nb.runtime.recovery import Action

if TYPE_CHECKING:
    from lango_nb.runtime.work import Work

SENTENCES = {
    "empty_after_tool_use": "I used my tools but have nothing to report; please look at the trace.",
    "empty_reply": "I have no answer to that; please put it differently.",
}
"""What is said in place of nothing."""
SMALLER = "Please make the request smaller or clearer."


class Recovering:
    """The failures of one piece of work.

    Parameters
    ----------
    work : Work
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._judged: Action | None = None
        self.last_word: Failure | None = None
        """Why the next reply has to be the answer; ``None`` while there may be more."""

    async def model_failed(self, circuit: str, error: ModelError, node: AgentNode) -> None:
        """Wait and return when the call may be tried again; raise otherwise."""
        state = self._work.state
        found = classify(error)
        action = None
        if found.is_retryable:
            action = state.recovery.next_action(
                found,
                failed_agent=node.name,
                after_handover=self._work.is_specialist(node),
                has_partial=self._work.has_partial(),
            )
        if action is None or action.action != "retry":
            if found.is_outage:  # one failure for the circuit, however often the call was tried
                change = state.context.breakers.record_failure(circuit, found.detail)
                state.breaker_changed(node.name, change, self._work.run_id)
            else:
                state.context.breakers.release(circuit)  # somebody answered, if only to refuse
            self._judged = action
            raise error
        self._work.emit(
            RecoveryAttempted,
            node.name,
            action="retry",
            error_class=found.error_class,
            error_code=found.code,
            attempt=action.attempt,
            failed_agent=node.name,
            after_handover=self._work.is_specialist(node),
            wait_s=action.wait_s,
            detail=found.detail,
        )
        self._show(RunPatch(runtime_condition="recovering", recovery_state=f"retry {action.attempt}: {found.code}"))
        await state.context.clock.sleep(action.wait_s)
        self._show(RunPatch(runtime_condition="", recovery_state=""))

    def _show(self, patch: RunPatch) -> None:
        """Let whoever waits for this run see what it is doing."""
        if self._work.run_id:
            with suppress(TurnError):  # it was stopped meanwhile
                self._work.state.context.runs.project(self._work.run_id, patch)

    async def decide(self, found: Failure, error: Exception | None = None) -> Ending | None:
        """Do what the policy says about a failure; an ending when nothing more is to be done."""
        state, node = self._work.state, self._work.node
        root = state.context.tree.root
        is_specialist = self._work.is_specialist(node)
        self._work.close_calls()
        if is_specialist and not found.is_provider:
            state.breaker_changed(
                node.name, state.context.breakers.record_failure(node.name, found.detail), self._work.run_id
            )
        if self._work.run_id:
            if error is not None:
                self._work.emit(ErrorRaised, node.name, code=found.code, text=found.detail)
            return Ending(found.outcome, found.code, found.detail)
        action, self._judged = self._judged, None
        if action is None:
            action = state.recovery.next_action(
                found,
                failed_agent=node.name if is_specialist else "",
                after_handover=is_specialist or state.has_handed_over(),
                has_partial=self._work.has_partial(),
                request=state.text,
            )
        if self.last_word is not None or action.action == "escalate":
            return self._give_up(node, found, error)
        self.tell(action, found, node.name if is_specialist else "")
        if action.wait_s:
            await state.context.clock.sleep(action.wait_s)
        if is_specialist:
            self._work.failed[node.name] = f"failed in this turn: {shorten(found.detail, 120)}"
            self._work.handing.end_child(found.detail)
            self._work.node = root
        if action.action == "direct_answer":
            self.last_word = found
        if action.hint:
            self._work.notes.append(action.hint)
        elif self.last_word is not None:
            self._work.notes.append(f"{found.detail}. Answer now from what was gathered, without any further call.")
        return None

    def tell(self, action: Action, found: Failure, failed_agent: str) -> None:
        """Record what is done about a failure."""
        self._work.emit(
            RecoveryAttempted,
            self._work.state.context.tree.root.name,
            action=action.action,
            error_class=found.error_class,
            error_code=found.code,
            attempt=action.attempt,
            failed_agent=failed_agent,
            after_handover=bool(failed_agent) or self._work.state.has_handed_over(),
            wait_s=action.wait_s,
            detail=found.detail,
        )

    def _give_up(self, node: AgentNode, found: Failure, error: Exception | None) -> Ending:
        """End with a sentence the user sees."""
        root = self._work.state.context.tree.root
        speaker = root if self._work.child is not None and not self._work.run_id else node  # its session ends here
        self._work.handing.end_child(found.detail)
        if error is not None:
            self._work.emit(ErrorRaised, node.name, code=found.code, text=found.detail)
        match found.code:
            case "empty_after_tool_use" | "empty_reply":
                self._work.say(speaker, SENTENCES[found.code])
            case _ if error is None:
                self._work.say(root, f"I stopped: {found.detail}. {found.advice or SMALLER}")
            case _:
                sentences = (f"I could not finish this: {found.detail}", found.advice)
                self._work.say(speaker, ". ".join(sentence for sentence in sentences if sentence))
        return Ending(found.outcome, found.code, self._work.answer)
