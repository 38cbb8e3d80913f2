"""Whatever somebody types: the turn ends well, its trace is closed, and nothing outside the folder is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb.engine import Engine
from lango_nb.models.offline.plan import show
from lango_nb.models.offline.reader import reader
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families

WORDS = (
    "read write list delete change line 2 of in the file folder called notes.md ../x /etc/passwd ~ run `ls` \"a b\" 'c'"
    " find with name to say how many lines encrypt schedule every day remember plan https://x.org 0xabcdef12 p1 stop"
    " [REJECT] {x} %s \\ é 漢 \u202e append replace 'a' with 'b' what is ? : , . vault operator --- ###"
).split(" ")
texts = st.one_of(
    st.text(min_size=1, max_size=80).filter(str.strip),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join).filter(str.strip),
)


@pytest.mark.parametrize("topology", ["solo", "quartet", "sextet"])
@given(text=texts)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_ends_in_a_typed_outcome_and_a_closed_trace(topology: str, text: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir(exist_ok=True)
    (inside / "notes.md").write_text("one\ntwo\n")
    engine = Engine(topology=topology, tools=(*builtin_tools(), *spec_families()), workspace=inside)
    trace = engine.run_sync(text)
    assert trace.turn.outcome in {"success", "tool_error", "delegation_limit", "input_required"}, trace.turn
    assert trace.turn.answer
    assert [event.kind for event in trace.events].count("turn.finished") == 1
    assert trace.events[-1].kind == "turn.finished"
    assert {event.author for event in trace.events} <= {"user", *engine.tree.names}
    asked = [call.id for message in trace.messages for call in message.tool_calls]
    assert len(asked) == len({message.tool_call_id for message in trace.messages if message.role == "tool"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inside"]
    assert (inside / "notes.md").read_text() == "one\ntwo\n", "nobody was there to allow a change"


@given(text=texts)
def test_the_router_reads_any_text_and_its_scores_add_up(text: str) -> None:
    route = OCTET.route(text)
    for candidate in route.candidates:
        assert abs(candidate.score - sum(signal.weight for signal in candidate.signals)) < 1e-3
    assert route.chosen is None or route.chosen in OCTET.tree
    assert OCTET.route(text) == route


@given(text=st.text(max_size=300))
def test_any_text_is_read_as_steps_that_can_be_shown_and_read_the_same_again(text: str) -> None:
    reading = reader().read(text)
    assert 0 <= reading.confidence <= 1
    assert all(show(step) for step in reading.steps)
    assert reader().read(text) == reading


OCTET = Engine(topology="octet", tools=(*builtin_tools(), *spec_families()))
