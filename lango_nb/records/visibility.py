"""Who could see what was said in a turn, who did, and who should not have.

    the turn's own conversation      the root, and everybody who works in it: by transfer, or in a run without a session
                                     of its own
    a session of its own             its agent; nobody else, not even who asked for it
      what it was given              the work order, and the last messages of its asker when it was made
      what is left of it             one message by the root in the conversation it was made from

**Could see** is what these rules allow. **Did see** is what stood in what an agent was given before its last model
call. **Should not** is the one without the other: what an agent saw, or what stands in a conversation that it works in,
though the rules keep it away. That is a leak.

Prompts are not recorded, so all three are worked out from what is: hand-overs, sessions made and ended, steps and
messages. They are ``None`` where the records do not tell: a message by somebody who never worked in the turn, the last
moments of a turn or a run whose end is missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lango_nb.records.recorded import everything_said
from lango_nb.records.said import OWN, Conversation, Place, Said
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn

_BY_THE_RUNTIME = frozenset({"summary", "failure", "note"})
"""Kinds whose author is an agent in name only."""
_OWN_WORDS = frozenset({"text", "answer", "call", "instruction"})
"""Kinds that nobody but their author makes."""
_REPLY = frozenset({"text", "answer", "call"})
"""Kinds that one reply of a model is made of."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One thing that was said, and one agent."""

    said: Said
    number: int
    """Place among everything that was said in the turn, from 1."""
    agent: str
    could_see: bool | None
    did_see: bool | None
    should_not: bool | None


def visibility(turn: Trace | StoredTurn) -> tuple[Sight, ...]:
    """Work out who could and did see what was said in a turn.

    Parameters
    ----------
    turn : Trace or StoredTurn

    Returns
    -------
    tuple of Sight
        For everything that was said, in order, one per agent that worked in the turn or was to.
    """
    return tuple(_Judge(everything_said(turn)).sights())


def leaks(turn: Trace | StoredTurn) -> tuple[Said, ...]:
    """Return what an isolated agent said and others were given: there should be nothing.

    Parameters
    ----------
    turn : Trace or StoredTurn
        Of a stored turn, also what its session keeps of it is looked at.

    Returns
    -------
    tuple of Said
        In order.
    """
    conversation = everything_said(turn)
    if not any(place.is_isolated for place in conversation.places.values()):
        return ()
    found = {sight.number: sight.said for sight in _Judge(conversation).sights() if sight.should_not}
    return tuple(found.values())


class _Judge:
    """Knows the rules."""

    def __init__(self, conversation: Conversation) -> None:
        self._all = conversation
        self._places = conversation.places
        self._given: dict[str, frozenset[int] | None] = {}
        self._working: dict[str, list[Place]] = {
            agent: [place for place in self._places.values() if agent in place.steps] for agent in conversation.agents
        }

    def sights(self) -> Iterator[Sight]:
        """Judge everything that was said, for every agent."""
        for number, said in enumerate(self._all.said, 1):
            for agent, places in self._working.items():
                could = self._could_see(said, agent, places)
                did = self._did_see(said, agent, places, could)
                yield Sight(said, number, agent, could, did, self._should_not(said, places, could, did))

    # -- the rules -----------------------------------------------------------------------------------------------------

    def _could_see(self, said: Said, agent: str, places: Sequence[Place]) -> bool | None:
        if said.author == agent and said.kind not in _BY_THE_RUNTIME:
            return True
        session = self._all.session(said.place)
        if session is None:
            return None
        if session in self._sessions(place for place in places if place.owner in {"", agent}):
            return True
        given = [self._given_to(place) for place in places]
        if not self._is_stray(said) and any(id(said) in some for some in given if some):
            return True
        return None if None in given or None in self._sessions(places) else False

    def _did_see(self, said: Said, agent: str, places: Sequence[Place], could: bool | None) -> bool | None:
        if said.author == agent and said.kind in _OWN_WORDS:
            return True
        if any(self._was_given(said, place, place.steps[agent]) for place in places):
            return True
        is_told = could is not None and not any(
            place.is_open and (place.name == said.place or self._was_given(said, place, math.inf)) for place in places
        )
        return False if is_told else None

    def _should_not(self, said: Said, places: Sequence[Place], could: bool | None, did: bool | None) -> bool | None:
        if could is None:
            return None
        return not could and (bool(did) or (self._is_stray(said) and OWN in self._sessions(places)))

    def _sessions(self, places: Iterable[Place]) -> set[str | None]:
        return {self._all.session(place.name) for place in places}

    def _is_stray(self, said: Said) -> bool:
        """Tell whether it stands in the turn's own conversation and belongs to a session of its own."""
        return said.message is not None and self._all.session(said.place) not in {OWN, None}

    # -- what was given ------------------------------------------------------------------------------------------------

    def _was_given(self, said: Said, place: Place, last_step: float) -> bool:
        """Tell whether it stood in what somebody was given before a model call."""
        if not last_step:
            return False
        if id(said) in (self._given_to(place) or ()):
            return True
        if place.name == OWN and self._is_stray(said):
            return said.kept_step < last_step
        return said.place == place.name and not said.is_aside and said.step < last_step

    def _given_to(self, place: Place) -> frozenset[int] | None:
        """Return what of this turn a place began with, by identity; ``None`` where nothing tells."""
        if place.name not in self._given:
            self._given[place.name] = None  # for a place that was made from itself, which no engine records
            self._given[place.name] = self._beginning(place)
        return self._given[place.name]

    def _beginning(self, place: Place) -> frozenset[int] | None:
        if place.name == OWN:
            return frozenset()
        if not place.is_run:  # a transfer: the request is the work order, the rest is of earlier turns
            return frozenset(id(said) for said in self._all.said if said.kind == "request")
        if place.is_isolated and not place.inherited:
            return frozenset()
        if place.asker is None:
            return None
        before = self._before(place)
        if place.is_isolated:
            return frozenset(id(said) for unit in before[-place.inherited :] for said in unit)
        asker = self._places[place.asker]
        begun = frozenset() if asker.is_isolated else self._given_to(asker)
        return None if begun is None else begun | {id(said) for unit in before for said in unit}

    def _before(self, place: Place) -> list[list[Said]]:
        """Return what stood in the asker's conversation when a place was made, one list per message."""
        asker, (step, seq) = place.asker, place.begun_at
        there = [
            (said.kept_step if said.place != asker else said.step, said)
            for said in self._all.said
            if (said.place == asker and not said.is_aside) or (asker == OWN and self._is_stray(said))
        ]
        before = [said for at, said in there if at < step]
        now = [said for at, said in there if at == step]
        told = {id(said) for said in now if said.seq is not None and said.seq < seq}
        answered = {said.call_id for said in now if said.kind == "result" and id(said) in told}
        before += [said for said in now if (said.call_id in answered if said.kind == "call" else id(said) in told)]
        units: dict[tuple[object, ...], list[Said]] = {}
        for said in sorted(before, key=_in_order):
            units.setdefault(_message_of(said), []).append(said)
        return list(units.values())


def _in_order(said: Said) -> tuple[float, tuple[int, int]]:
    """Sort by message; what is no message of its own comes last."""
    return math.inf if said.message is None else said.message, said.order


def _message_of(said: Said) -> tuple[object, ...]:
    """Name the message that something is part of: the words and the calls of one reply are one."""
    if said.message is not None:
        return ("message", said.message)
    return ("reply", said.step, said.author) if said.kind in _REPLY else ("event", said.seq)
