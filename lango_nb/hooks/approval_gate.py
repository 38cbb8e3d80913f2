"""ApprovalGate: a call that needs an answer waits for one here, after every other hook has seen it.

What needs an answer, who gives it and how long it holds belongs to the turn; the gate only knows whom to ask.
"""

from __future__ import annotations

from typing import Protocol

from lango_nb.hooks.hook import CONTINUE, Block, Continue, HookCall, HookResult


class ApprovalService(Protocol):
    """Decides calls; bound per turn."""

    def needs_answer(self, call: HookCall) -> str:
        """Say why a call needs an answer; empty when it needs none."""
        ...

    async def decide(self, call: HookCall) -> Continue | Block:
        """Get the answer to a call that needs one."""
        ...


class ApprovalGate:
    """Lets nothing pass that needs an answer and has none."""

    name = "approval_gate"
    priority = 90

    async def before(self, call: HookCall) -> HookResult:
        """Ask where the policy asks; where nobody can be asked, the answer is no."""
        service = call.service(ApprovalService)
        if service is None:
            detail = f"{call.tool.name} was not run: nobody is there to say whether it may"
            return Block(detail, "approval_unavailable")
        return await service.decide(call) if service.needs_answer(call) else CONTINUE
