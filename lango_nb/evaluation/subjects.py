"""What can be evaluated: a router, or a model at the root of a tree.

A model gets exactly what the root's first step of a turn would send: its system prompt, the request, the schemas of its
tools and of the topology's control. The first hand-over of its reply counts as its choice, words without a hand-over as
the root's own answer, and so do calls of the root's other tools: then it works on the request itself. No tool runs.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from lango_nb.core.errors import ModelError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.messages import USER, Message, Reply, ToolSchema
from lango_nb.evaluation.answers import Answer
from lango_nb.models.model import Model
from lango_nb.routing.route import Route, Signal
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingTable
from lango_nb.routing.taught import ROOT
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.control.protocol import Control, Refusal
from lango_nb.runtime.failures import classify
from lango_nb.runtime.step import Empty, Final, HandOver, ToolCalls, call_model, read_reply

LONGEST_REASON = 300
"""Characters of a model's own words that are kept."""
_TERMS = 5
_MS = 1000.0


class Routing(Protocol):
    """Anything that says who would get a text, over a table."""

    @property
    def table(self) -> RoutingTable:
        """Its targets."""
        ...

    def route(self, text: str) -> Route:
        """Say who would get a text."""
        ...


@dataclass(frozen=True)
class RouterSubject:
    """A router to evaluate.

    Parameters
    ----------
    router : Routing
    now_s : callable
        The time in seconds.
    """

    router: Routing
    now_s: Callable[[], float] = time.perf_counter

    @property
    def threshold(self) -> float | None:
        """Confidence below which it abstains; ``None`` where it has no confidences."""
        return self.router.threshold if isinstance(self.router, Router) else None

    def answer(self, text: str) -> Answer:
        """Route a request.

        Parameters
        ----------
        text : str
            Secrets are masked first, as for every route that is kept.
        """
        shown = mask(text)
        began = self.now_s()
        route = self.router.route(shown)
        time_ms = (self.now_s() - began) * _MS
        leader, confidence = self._leader(route)
        kind = "agent" if route.chosen is not None else "root" if route.is_conversation else "abstained"
        return Answer(kind, route.chosen or "", route.reason, leader, confidence, time_ms=time_ms)  # type: ignore[arg-type]  # one of three

    def _leader(self, route: Route) -> tuple[str, float | None]:
        """Say who leads, whatever the threshold, and with which confidence."""
        if self.threshold is None:
            return "", None
        free = [one for one in route.candidates if not one.vetoes]
        best = max(free, key=lambda one: one.confidence, default=None)
        if best is not None and best.confidence >= route.root_confidence:
            return best.agent, best.confidence
        return ROOT, route.root_confidence

    def terms(self, text: str, *agents: str) -> list[tuple[Signal, ...]]:
        """Return what speaks for and against some agents, strongest first; nothing for the root.

        Parameters
        ----------
        text : str
        *agents : str
        """
        found = {one.agent: one.signals[:_TERMS] for one in self.router.route(mask(text)).candidates}
        return [found.get(name, ()) for name in agents]


@dataclass(frozen=True)
class ModelSubject:
    """A model to evaluate, as the root of a tree.

    Parameters
    ----------
    model : Model
    tree : AgentTree
    control : Control
        How the tree's topology hands work over.
    now_s : callable
        The time in seconds.
    """

    model: Model
    tree: AgentTree
    control: Control
    now_s: Callable[[], float] = time.perf_counter

    @cached_property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the root may call."""
        root = self.tree.root
        return (*root.schemas, *self.control.schemas(root, self.tree))

    @cached_property
    def _sent(self) -> str:
        """Everything but the request that an answer depends on, as a hash."""
        schemas = [schema.model_dump(mode="json") for schema in self.schemas]
        told = [self.model.name, self.tree.root.name, self.tree.root.prompt, schemas]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def key(self, text: str) -> str:
        """Return what an answer is found by: a hash of the model's name, all it is sent, and the request.

        Parameters
        ----------
        text : str
        """
        return hashlib.sha256(f"{self._sent}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()

    async def answer(self, text: str) -> Answer:
        """Ask the model once.

        Parameters
        ----------
        text : str
            Byte for byte what the model reads.

        Raises
        ------
        ModelError
            The provider does not accept the key: no further request would get an answer either.
        """
        messages = [self.tree.root.system_message, Message(role="user", content=text, author=USER)]
        began = self.now_s()
        try:
            reply = await call_model(self.model, messages, self.schemas)
        except ModelError as error:
            failure = classify(error)
            if failure.error_class == "auth":
                raise
            return Answer("error", reason=_short(str(error)), calls=1, time_ms=(self.now_s() - began) * _MS)
        kind, agent, reason = self._choice(reply)
        usage = reply.usage
        return Answer(
            kind,  # type: ignore[arg-type]  # one of the kinds
            agent,
            _short(reason),
            calls=1,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost_usd=usage.cost_usd,
            time_ms=(self.now_s() - began) * _MS,
        )

    def _choice(self, reply: Reply) -> tuple[str, str, str]:
        """Read a reply: the kind of answer, who was chosen, and why."""
        names = {schema.name for schema in self.schemas}
        said = read_reply(reply, self.control, self.tree.topology.decline, names, is_root=True)
        match said:
            case HandOver(calls):
                read = self.control.read(calls[0], self.tree.root, self.tree)
                if isinstance(read, Refusal):
                    is_there = read.code == "unavailable" and read.name in self.tree
                    return ("agent" if is_there else "invalid"), read.name, read.detail
                return "agent", read.node.name, read.reason or reply.text
            case ToolCalls(calls):
                unknown = next((call.name for call in calls if call.name not in names), None)
                if unknown is not None:
                    return "invalid", shorten(unknown), f"calls {shorten(unknown)!r}, which the root does not have"
                return "root", "", f"works on it itself: {', '.join(call.name for call in calls)}"
            case Final(text):
                return "root", "", text
            case Empty():
                return "error", "", "neither words nor a call"
            case _:
                return "root", "", reply.text


def _short(text: str) -> str:
    return shorten(mask(" ".join(text.split())), LONGEST_REASON)
