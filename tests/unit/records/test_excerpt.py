"""What models are given can be used like the list that it stands for, whatever is said later."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence

from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.records.excerpt import Excerpt

SAID = [Message(role="user", content=str(number), author="user") for number in range(6)]


def test_it_is_what_the_lists_were() -> None:
    said = [*SAID]
    excerpt, whole = Excerpt((said, 2), (said, 4)), [*SAID[2:], *SAID[4:]]
    said.append(SAID[0])
    assert excerpt == whole == list(excerpt)
    assert repr(excerpt) == repr(whole)
    assert [excerpt[1:3], excerpt[::-1], excerpt[-1], excerpt[4]] == [whole[1:3], whole[::-1], whole[-1], whole[4]]
    assert [excerpt + SAID[:1], SAID[:1] + excerpt] == [whole + SAID[:1], SAID[:1] + whole]
    assert [copy.deepcopy(excerpt), pickle.loads(pickle.dumps(excerpt))] == [whole, whole]


class Adding:
    """A model that adds to what it is given."""

    name = "adding"

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        more = messages + [messages[0]]  # type: ignore[operator]  # noqa: RUF005 - as people write it
        return Reply(text=str(len(more)))


def test_a_model_may_add_to_it_in_every_turn() -> None:
    engine = Engine(topology="solo", model=Adding())
    assert [engine.run_sync("Hello").turn.answer for _ in range(2)] == ["3", "5"]
