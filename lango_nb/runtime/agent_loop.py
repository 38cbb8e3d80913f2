"""One agent at work on one request until it is answered: the root on the user's, a teammate on its instruction.

    run → step → ask the model; what does its reply ask for?
      Final      said, done
      HandOver   transfer: the target goes on here · spawn, delegate: it gets a run of its own
      ToolCalls  checked, decided as a batch, run, each answered
      Declined   control goes back to the root
      Empty      a typed outcome, never silence

What fails is classified once; the recovery policy says what is done about it, here it is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from lango_nb.core.errors import ModelError, TurnError, shorten
from lango_nb.core.events import ErrorRaised
from lango_nb.core.masking import mask
from lango_nb.core.messages import FinishReason, Message, Reply, ToolSchema
from lango_nb.core.text import counted
from lango_nb.models.model import Model, is_live, on_retry
from lango_nb.records.excerpt import Excerpt
from lango_nb.records.runs import RunPatch
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.breakers import provider_circuit
from lango_nb.runtime.calls import ToolExecutor
from lango_nb.runtime.failures import Failure, classify, failure
from lango_nb.runtime.handoff import decline, end_child, hand_off
from lango_nb.runtime.loop_state import LoopResult, LoopState, LoopStopped
from lango_nb.runtime.recovery import Action
from lango_nb.runtime.step import CallInText, Declined, Empty, Final, HandOver, ToolCalls, call_model, read_reply
from lango_nb.runtime.summaries import sum_up
from lango_nb.runtime.teammates import Teammates

SENTENCES = {
    "empty_after_tool_use": "I used my tools but have nothing to report; please look at the trace.",
    "empty_reply": "I have no answer to that; please put it differently.",
}
"""What is said in place of nothing."""
CUT = "[The answer ends here because the model reached its longest reply; ask to go on.]"
"""What is said after an answer that was cut."""
EMPTY = "Your reply was empty. Answer in words, or make a call."
WRITTEN = "Your reply was a call written as text, which does nothing. Make the call, or answer in words:"
"""What an agent is told whose reply was none."""
_WRITTEN = frozenset("{[`<")
"""How a text begins that may be a call."""
SMALLER = "Please make the request smaller or clearer."


async def run_agent_loop(state: LoopState, teammates: Teammates) -> LoopResult:
    """Run the loop of a teammate; see :meth:`AgentLoop.run`."""
    return await AgentLoop(state, teammates).run()


class AgentLoop:
    """Drives one loop.

    Parameters
    ----------
    state : LoopState
        What the loop knows; everything that takes part in it writes there.
    teammates : Teammates
        Where runs work that the loop makes.
    """

    def __init__(self, state: LoopState, teammates: Teammates) -> None:
        self.state = state
        self._teammates = teammates
        self._executor = ToolExecutor(state)
        self._over: LoopStopped | None = None

    async def run(self) -> LoopResult:
        """Take steps until the request is answered or the loop cannot go on.

        Raises
        ------
        asyncio.CancelledError
            It was cancelled; nothing is left to close here.
        """
        state = self.state
        if not state.is_bound:
            state.bind_to_task()
        while True:
            try:
                if state.left:
                    left, state.left = state.left, ()
                    await self._executor.resume(state.node, left)
                while True:
                    result = await self._step()
                    if result is not None:
                        return result
            except LoopStopped as stop:
                result = await self._recover(failure(stop.code, stop.detail))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is classified and leaves a typed outcome
                result = await self._recover(classify(error), error)
            if result is not None:
                return result

    async def _step(self) -> LoopResult | None:
        """Ask the model once and do what its reply asks for; a result when that was the answer."""
        state = self.state
        state.renew()
        context = state.context
        node, tree, control = state.node, context.tree, context.control
        because = state.final_reply_because
        offered = () if because else control.schemas(node, tree)
        tools = () if because else node.schemas  # also those a run needs leave for
        reply = await self._ask(node, tools, offered)
        handing = {one.name for one in chain(tools, offered) if one.role != "work"} if reply.tool_calls else ()
        names = {one.name for one in chain(tools, offered)} if reply.text.lstrip()[:1] in _WRITTEN else ()
        is_root = node is tree.root
        wanted = read_reply(reply, control, tree.topology.decline, handing, is_root=is_root, names=names)
        if not isinstance(wanted, Final):  # an answer was paid for and is used, whatever limit it met
            self._check_may_go_on(because)
        match wanted:
            case Final(text, reason):
                if not state.run_id:  # the turn's last word comes after the answers of a person
                    await state.turn.prompts.over()
                    state.check_cancelled()
                return self._finalize(node, text, reason)
            case HandOver(calls, others):
                state.add_reply(node, reply)
                others = await hand_off(state, self._teammates, node, calls, others)
                if others:
                    await self._executor.run(node, others)
            case ToolCalls(calls):
                state.add_reply(node, reply)
                state.limit(state.turn.budget.tools_replied(node.name, is_planner=not node.tools), node)
                await self._executor.run(node, calls)
            case Declined(text, calls):
                decline(state, self._teammates.children, node, text, calls)
                if state.run_id:
                    return LoopResult("success", "", mask(text), is_answered=True)
            case Empty():
                is_after_work = state.tool_calls or (state.turn.run_ids and not state.run_id)
                code = "empty_after_tool_use" if is_after_work else "empty_reply"
                self._ask_again(node, code, f"{node.name} said nothing", EMPTY)
            case CallInText(name):
                state.add("assistant", node.name, reply.text)
                detail = f"{node.name} wrote a call of {name} into its answer instead of making it"
                self._ask_again(node, "call_in_text", detail, f"{WRITTEN} {name}")
        return None

    def _ask_again(self, node: AgentNode, code: str, detail: str, note: str) -> None:
        """Give an agent whose reply was none one more try; raise when it had it, or may not have any."""
        state = self.state
        if state.asked_again or state.final_reply_because is not None:
            raise LoopStopped(code, detail)
        state.asked_again = True
        late = state.is_specialist(node)
        state.report_recovery(Action("retry"), failure(code, detail), node.name, node.name, late=late)
        state.notes.append(note)

    def _check_may_go_on(self, because: Failure | None) -> None:
        """Let a reply that is no answer pass, unless there may be no further one."""
        over, self._over = self._over, None
        if over is not None:
            raise over
        if because is not None:
            raise LoopStopped(because.code, because.detail)

    def _finalize(self, node: AgentNode, text: str, reason: FinishReason) -> LoopResult:
        """Judge a visible answer: the last tool call before it must have gone well, and nothing may be open."""
        state, context = self.state, self.state.context
        if state.last_error and context.mode == "structured" and not state.run_id and node is not context.tree.root:
            raise LoopStopped(state.last_error, f"{node.name}: {shorten(mask(text), 200)}")
        is_cut = reason == "length"
        state.say(node, f"{text}\n\n{CUT}" if is_cut else text)
        if state.run_id:
            state.breaker_changed(node.name, context.breakers.record_success(state.owner.name))
        elif node is not context.tree.root:
            state.breaker_changed(node.name, context.breakers.record_success(node.name))
            end_child(state, self._teammates.children, summary=text)
        codes = [state.last_error, *state.run_errors.values(), self._open(reason)]
        found = [failure(code) for code in codes if code]
        if not found:
            return LoopResult("success", "", state.answer, is_answered=True)
        worst = next((one for one in found if one.outcome != "input_required"), found[0])
        outcome = worst.outcome
        if outcome == "cancelled":  # a run was; the turn went on and was answered
            outcome = "tool_error"
        return LoopResult(outcome, worst.code, state.answer, is_answered=True)

    def _open(self, reason: FinishReason) -> str:
        """Say what an answer leaves open, for the person or because it was cut; empty when nothing is."""
        state, runs = self.state, self.state.context.runs
        if not state.run_id and any(runs.get(run_id).is_blocked for run_id in state.turn.run_ids):
            return "waiting"
        return {"length": "reply_cut", "stop": ""}.get(reason, reason)

    # -- asking the model ----------------------------------------------------------------------------------------------

    async def _ask(self, node: AgentNode, tools: tuple[ToolSchema, ...], offered: tuple[ToolSchema, ...]) -> Reply:
        """Ask the model on behalf of one agent, again where the provider failed for a moment."""
        state, turn, context = self.state, self.state.turn, self.state.context
        state.check_cancelled()
        for note in state.notes:
            state.add("user", node.name, note)
        state.notes.clear()
        if not state.run_id and turn.path[-1] != node.name:
            turn.path.append(node.name)
        self._check_turns(node)
        state.next_step()
        model = turn.model_of(node.name)
        circuit = self._admitted(node, model)
        try:
            if context.summaries and state.child is None and state.own_history is None:
                await sum_up(state, node, model)
            messages = self._messages(node, model)
            while True:
                began_s = context.clock.monotonic_s()
                hear = turn.text_listener(node.name, state.run_id)
                heard = on_retry.set(partial(self._sent_again, node))
                try:
                    reply = await call_model(model, messages, (*tools, *offered), hear)
                except ModelError as error:
                    await self._back_off(circuit, error, node)
                else:
                    break
                finally:
                    on_retry.reset(heard)
        except (asyncio.CancelledError, LoopStopped):
            state.release_circuit(node.name, circuit)
            raise
        state.check_cancelled()
        state.breaker_changed(node.name, context.breakers.record_success(circuit))
        state.add_usage(model, reply, began_s)
        try:
            state.limit(turn.budget.model_call(reply.usage, reply.usage.cost_usd or 0.0), node)
        except LoopStopped as stop:
            self._over = stop
        return state.with_own_ids(reply) if reply.tool_calls else reply

    def _check_turns(self, node: AgentNode) -> None:
        """Stop an agent that has made as many model calls as its definition allows."""
        state = self.state
        most = node.spec.constraints.max_turns if node.spec is not None and node is state.owner else 0
        if 0 < most <= state.steps:
            detail = f"{node.name} may make {counted(most, 'model call')} in a run and did so; ask it for less"
            raise LoopStopped("turn_limit_exceeded", detail)

    def _admitted(self, node: AgentNode, model: Model) -> str:
        """Make sure that a model may be asked, and return its circuit."""
        context = self.state.context
        if is_live(model) and not context.allow_network:
            raise LoopStopped("network_off", f"{model.name} is a live model and models.allowNetwork is off")
        circuit = provider_circuit(model.name)
        admission = context.breakers.admit(circuit)
        self.state.breaker_changed(node.name, admission.change)
        if not admission.is_allowed:
            raise LoopStopped("provider_open", f"{model.name} is left alone for a while: {admission.reason}")
        return circuit

    def _messages(self, node: AgentNode, model: Model) -> Sequence[Message]:
        """Return what the model is given, and note it."""
        state = self.state
        if state.child is not None:
            history: Sequence[Message] = ()
            messages: Sequence[Message] = [state.prompt_of(node), *state.child.history]
        elif history := state.turn.earlier(model) if state.own_history is None else state.own_history:
            messages = Excerpt(((state.prompt_of(node),), 0), (history, 0), (state.messages, 0))
        else:
            messages = [state.prompt_of(node), *state.messages]
        state.turn.given[state.step] = state.given(node, len(messages) - 1, history)
        return messages

    async def _back_off(self, circuit: str, error: ModelError, node: AgentNode) -> None:
        """Wait and return when the model may be asked again; raise otherwise."""
        state, context = self.state, self.state.context
        found = classify(error)
        action = None
        if found.is_retryable:
            action = state.turn.recovery.next_action(
                found,
                failed_agent=node.name,
                after_handover=state.is_specialist(node),
                has_partial=state.has_partial(),
            )
        if action is None or action.action != "retry":
            if found.is_outage:  # one failure for the circuit, however often the call was tried
                change = context.breakers.record_failure(circuit, found.detail)
                state.breaker_changed(node.name, change)
            else:
                state.release_circuit(node.name, circuit)  # it answered, if only to refuse
            state.judged = action
            raise error
        state.report_recovery(action, found, node.name, node.name, late=state.is_specialist(node))
        self._show(RunPatch(runtime_condition="recovering", recovery_state=f"retry {action.attempt}: {found.code}"))
        await context.clock.sleep(action.wait_s)
        self._show(RunPatch(runtime_condition="", recovery_state=""))

    def _sent_again(self, node: AgentNode, code: str, detail: str, attempt: int, wait_s: float) -> None:
        """Publish that the model sends its request again by itself."""
        late = self.state.is_specialist(node)
        found = failure(code, detail)
        self.state.report_recovery(Action("retry", attempt, wait_s), found, node.name, node.name, late=late)

    def _show(self, patch: RunPatch) -> None:
        """Let those who wait for this run see what it is doing."""
        if self.state.run_id:
            with suppress(TurnError):  # it was stopped meanwhile
                self.state.context.runs.project(self.state.run_id, patch)

    # -- failures ------------------------------------------------------------------------------------------------------

    async def _recover(self, found: Failure, error: Exception | None = None) -> LoopResult | None:
        """Do what the policy says about a failure; a result when nothing more is to be done."""
        state, turn, context = self.state, self.state.turn, self.state.context
        node, root = state.node, context.tree.root
        is_specialist = state.is_specialist(node)
        state.close_calls()
        if is_specialist and not found.is_provider:
            state.breaker_changed(node.name, context.breakers.record_failure(node.name, found.detail))
        if state.run_id:
            if error is not None:
                state.emit(ErrorRaised(code=found.code, text=found.detail), node.name)
            return LoopResult(found.outcome, found.code, found.detail)
        action, state.judged = state.judged, None
        if action is None:
            action = turn.recovery.next_action(
                found,
                failed_agent=node.name if is_specialist else "",
                after_handover=is_specialist or turn.has_handed_over(),
                has_partial=state.has_partial(),
                request=turn.text,
            )
        if state.final_reply_because is not None or action.action == "escalate":
            return self._give_up(node, found, error)
        failed = node.name if is_specialist else ""
        state.report_recovery(action, found, root.name, failed, late=is_specialist or turn.has_handed_over())
        if action.wait_s:
            await context.clock.sleep(action.wait_s)
        if is_specialist:
            state.failed[node.name] = f"failed in this turn: {shorten(found.detail, 120)}"
            end_child(state, self._teammates.children, found.detail)
            state.node = root
        if action.action == "direct_answer":
            state.final_reply_because = found
        if action.hint:
            state.notes.append(action.hint)
        elif state.final_reply_because is not None:
            state.notes.append(f"{found.detail}. Answer now from what was gathered, without any further call.")
        return None

    def _give_up(self, node: AgentNode, found: Failure, error: Exception | None) -> LoopResult:
        """End with a sentence the user sees."""
        state = self.state
        root = state.context.tree.root
        speaker = root if state.child is not None and not state.run_id else node  # its session ends here
        end_child(state, self._teammates.children, found.detail)
        if error is not None:
            state.emit(ErrorRaised(code=found.code, text=found.detail), node.name)
        match found.code:
            case "empty_after_tool_use" | "empty_reply":
                state.say(speaker, SENTENCES[found.code])
            case _ if error is None:
                state.say(root, f"I stopped: {found.detail}. {found.advice or SMALLER}")
            case _:
                sentences = (f"I could not finish this: {found.detail}", found.advice)
                state.say(speaker, ". ".join(sentence for sentence in sentences if sentence))
        return LoopResult(found.outcome, found.code, state.answer)
