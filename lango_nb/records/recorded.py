"""What was said in a turn, events and recorded messages together.

    events     know what was said in every place, but not what was answered without running: a refused call, a hint
    messages   are the turn's own conversation: what an isolated agent said must not be in them

Most of what was said is in both, and told once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from lango_nb.core.messages import USER
from lango_nb.records.graph import value
from lango_nb.records.said import FAILED, OWN, Conversation, Said, SaidKind, call_text, part
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn


def everything_said(turn: Trace | StoredTurn) -> Conversation:
    """Return what was said in a turn, as far as anything of it is recorded.

    Parameters
    ----------
    turn : Trace or StoredTurn
        Of a stored turn, what its session keeps of it is looked at, too.

    Returns
    -------
    Conversation
    """
    conversation = Conversation(turn)
    matching = _Matching(conversation)
    for number, message in enumerate(_recorded(turn), 1):
        matching.read(number, message)
    conversation.said.sort(key=lambda said: said.order)
    return conversation


class _Matching:
    """Finds what messages say among what events tell, and adds what they do not tell."""

    def __init__(self, conversation: Conversation) -> None:
        self._all = conversation
        self._unmatched: defaultdict[tuple[str, ...], list[Said]] = defaultdict(list)
        for said in conversation.said:
            self._unmatched[_key(said.kind, said.author, said.text, said.call_id)].append(said)
        self._last: Said | None = None
        """What the latest message began with."""
        self._last_at: dict[str | None, Said] = {}
        """What was said last in each place."""

    def read(self, number: int, message: object) -> None:
        """Take in a message: its words and each of its calls."""
        author, content = _text(message, "author"), _text(message, "content").strip()
        match value(message, "role"):
            case "user":
                self._keep(number, "request" if author in {USER, ""} else "note", author or USER, content)
                return
            case "tool":
                self._keep(number, "result", author or self._all.root, content, _text(message, "tool_call_id"))
                return
        author = author or self._all.root  # written before authors were kept
        if content:
            is_note = author == self._all.root and FAILED in content
            self._keep(number, "failure" if is_note else "text", author, content)
        for call in value(message, "tool_calls", ()):
            self._keep(number, "call", author, call_text(call), _text(call, "id"))

    def _keep(self, number: int, kind: SaidKind, author: str, text: str, call_id: str = "") -> None:
        found = self._unmatched[_key(kind, author, text, call_id)]
        said = next((one for one in found if one.place == OWN), found[0] if found else None)
        if said is None:
            last, place = self._last, self._home(author)
            said = Said(
                kind=kind,
                author=author,
                text=text,
                place=place,
                step=self._step_of(number, kind, author, place),
                order=(last.order[0], last.order[1] + 1) if last is not None else (0, 0),
                call_id=call_id,
            )
            self._all.said.append(said)
        else:
            found.remove(said)
            if kind in {"call", "failure"}:
                said.text = text  # the message has the very words
        said.message = number
        if said.place == OWN and not said.is_aside:
            said.kept_step = said.step
        else:
            said.kept_step = self._last_at[OWN].step if OWN in self._last_at else 0
        self._last_at[said.place if not said.is_aside else None] = said
        if self._last is None or self._last.message != number:
            self._last = said  # the rest of the message stands beside its beginning

    def _step_of(self, number: int, kind: SaidKind, author: str, place: str | None) -> int:
        """Return the model call of a message that no event tells of: a reply is of the next one of its author."""
        last = self._last_at.get(place)
        after = last.step if last is not None else 0
        if kind not in {"call", "text", "note"} or (last is not None and last.message == number):
            return after
        found = min(
            (step for step, owner in self._all.callers.items() if owner == author and step > after), default=None
        )
        if found is None:
            return after
        return found - 1 if kind == "note" else found  # a note is given to its author with the next call

    def _home(self, author: str) -> str | None:
        """Return where somebody works whose message no event tells of; ``None`` where nobody of that name does."""
        if author == USER:
            return OWN
        places = [place for place in self._all.places.values() if author in place.steps]
        shared = [place.name for place in places if self._all.session(place.name) == OWN]
        return next(iter(shared or [place.name for place in places]), None)


def _key(kind: SaidKind, author: str, text: str, call_id: str) -> tuple[str, ...]:
    """Name what a message and an event have in common that tell of the same."""
    match kind:
        case "call" | "result":
            return kind, author, call_id
        case "request":
            return kind, author
        case "failure":
            return kind, author, text.partition(FAILED)[0]
        case "answer" | "summary":
            return "text", author, text.strip()
        case _:
            return kind, author, text.strip()


def _recorded(turn: Trace | StoredTurn) -> Iterator[object]:
    """Return the messages of a turn, and what its session keeps beside them."""
    messages = part(turn, "messages")
    yield from messages
    known = Counter(map(_identity, messages))
    for message in part(turn, "history"):
        key = _identity(message)
        known[key] -= 1
        if known[key] < 0:
            yield message


def _identity(message: object) -> tuple[object, ...]:
    """Tell messages apart by what they say: of a message whose calls are left out, the words stay."""
    names = ("role", "author", "content", "tool_call_id")
    return tuple(value(message, name) or "" for name in names)


def _text(item: object, name: str) -> str:
    return str(value(item, name) or "")
