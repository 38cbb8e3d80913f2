"""Who would get a request, and why: scores are sums of shown terms, and the router abstains rather than misroutes."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from lango_nb.engine import Engine
from lango_nb.routing.function_words import FUNCTION_WORDS
from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.routing.router import Router
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families

ENGINES = {
    name: Engine(topology=name, tools=(*builtin_tools(), *spec_families())) for name in ("quartet", "sextet", "octet")
}


def route(topology: str, text: str) -> Route:
    return ENGINES[topology].route(text)


@pytest.mark.parametrize(
    ("text", "quartet", "sextet", "octet"),
    [
        ("list the files in this folder", "executor", "operator", "operator"),
        ("read notes.md and count its lines", "executor", "operator", "operator"),
        ("how many lines does notes.md have?", "executor", "operator", "operator"),
        ("find the file with 'budget' in its name", "executor", "operator", "operator"),
        ("run `echo hi` and report the exit code", "executor", "operator", "operator"),
        ("is process p1 still running?", "executor", "operator", "operator"),
        ("open https://example.com and take a screenshot", "executor", "navigator", "navigator"),
        ("encrypt the message 'secret plan'", "executor", "vault", "vault"),
        ("store my GitHub token as a secret", "executor", "vault", "vault"),
        ("pay 5 USDC to 0xabc123abc123", "executor", "vault", "vault"),
        ("what do we know about solar panels?", "researcher", "librarian", "librarian"),
        ("what is related to Berlin in the knowledge graph?", "researcher", "librarian", "librarian"),
        ("schedule a report every day at 9", "executor", None, "automator"),
        ("remind me tomorrow at 8 to call mum", "executor", None, "automator"),
        ("make a plan to move our blog to a new server", "planner", "planner", "planner"),
        ("remember that I prefer tea", "memory-manager", "chronicler", "chronicler"),
        ("what did we talk about last time?", "memory-manager", "chronicler", "chronicler"),
        ("define a type Person in the ontology", "executor", None, "ontologist"),
        ("read notes.md\x00", "executor", "operator", "operator"),
    ],
)
def test_clear_requests_go_to_their_owner(text: str, quartet: str, sextet: str | None, octet: str) -> None:
    chosen = [route(topology, text).chosen for topology in ("quartet", "sextet", "octet")]
    assert chosen == [quartet, sextet, octet]


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Hi there!",
        "how are you?",
        "thanks!",
        "tell me a joke",
        "what is the capital of France?",
        "what is 2+2",
    ],
)
@pytest.mark.parametrize("topology", sorted(ENGINES))
def test_conversation_is_for_the_root(topology: str, text: str) -> None:
    found = route(topology, text)
    assert (found.chosen, found.is_conversation, found.is_abstention) == (None, True, False)


@pytest.mark.parametrize("text", ["", "   ", "blorb the fnord", "?!", "…"])
def test_what_says_nothing_is_an_abstention(text: str) -> None:
    found = ENGINES["octet"].router.route(text)
    assert (found.chosen, found.is_abstention) == (None, True)
    assert found.reason


def test_a_family_without_an_owner_is_named() -> None:
    assert route("sextet", "schedule a report every day at 9").reason == (
        "it is about cron, and no agent owns tools of that family"
    )


def test_every_score_is_exactly_the_sum_of_its_shown_terms() -> None:
    for topology, engine in ENGINES.items():
        for text in ("read https://x.org/a.md, encrypt it and remember it", "plan a graph search every day"):
            found = engine.route(text)
            assert {candidate.agent for candidate in found.candidates} == set(engine.tree.table.names), topology
            for candidate in found.candidates:
                assert candidate.score == pytest.approx(sum(signal.weight for signal in candidate.signals), abs=1e-3)


def test_whoever_is_mentioned_but_cannot_do_it_is_out() -> None:
    found = route("octet", "execute the shell command `make website`")
    vetoed = {candidate.agent: candidate.vetoes for candidate in found.candidates if candidate.vetoes}
    assert vetoed["navigator"] == ("cannot do shell commands",)
    assert (found.chosen, "operator" in vetoed) == ("operator", False)
    assert all(candidate.confidence == 0 for candidate in found.candidates if candidate.vetoes)


def test_a_tie_is_an_abstention_that_names_both() -> None:
    words = ("paint", "wall", "brush")
    found = Router(RoutingTable((RoutingRow("a1", keywords=words), RoutingRow("b2", keywords=words)))).route(
        "paint the wall with a brush"
    )
    assert found.chosen is None
    assert found.reason.startswith("not sure: a1 with confidence")
    assert (found.runner_up, found.margin) == ("b2", 0.0)


def test_confidences_are_parts_of_a_whole() -> None:
    for engine in ENGINES.values():
        for text in ("read notes.md", "hello", "schedule a report every day at 9", "pay 5 USDC", ""):
            found = engine.router.route(text)
            parts = [candidate.confidence for candidate in found.candidates]
            assert all(0 <= part <= 1 for part in parts)
            assert sum(parts) + found.root_confidence <= 1.001


def test_a_threshold_of_ones_own_decides() -> None:
    table, text = ENGINES["octet"].tree.table, "list the files in this folder"
    assert Router(table, 0.5).route(text).chosen == "operator"
    assert Router(table, 1.0).route(text).is_abstention
    assert "1.00 is needed" in Router(table, 1.0).route(text).reason


def test_an_agent_called_by_its_name_gets_the_request_and_a_plan_is_no_call_for_the_planner() -> None:
    assert route("octet", "vault, please have a look at this").chosen == "vault"
    named = [
        signal.term
        for candidate in route("octet", "encrypt the plan").candidates
        for signal in candidate.signals
        if signal.kind == "name"
    ]
    assert named == []


def test_words_in_quotes_are_what_is_worked_on_not_what_is_wanted() -> None:
    assert route("octet", "write 'encrypt the wallet password' to a.txt").chosen == "operator"


def test_whoever_declined_is_out_of_the_question() -> None:
    engine = ENGINES["sextet"]
    text = "find out what the web and our stored knowledge say about basil"
    first = engine.route(text).candidates[0].agent
    second = engine.router.route(text, exclude={first})
    assert second.candidates[0].agent != first
    assert second.candidates[0].confidence > 0
    vetoes = {candidate.agent: candidate.vetoes for candidate in second.candidates}
    assert "already declined this request" in vetoes[first]


def test_a_user_agent_takes_part_through_keywords_description_and_examples() -> None:
    rows = (
        *ENGINES["sextet"].tree.table.rows,
        RoutingRow(
            "botanist",
            "Identifies plants from descriptions of their leaves.",
            keywords=("plant", "leaf"),
            examples=("Which flower has five white petals?",),
        ),
    )
    router = Router(RoutingTable(rows))
    assert router.route("which plant has a leaf like a heart?").chosen == "botanist"
    assert router.route("which flower has five white petals").chosen == "botanist"


def test_a_megabyte_is_read_quickly_and_only_its_beginning_counts() -> None:
    found = ENGINES["octet"].router.route("delete old.txt " + "encrypt " * 130_000)
    assert found.candidates[0].agent in {"operator", "vault"}
    assert len(found.text) > 1_000_000


def test_the_same_text_gives_the_same_route() -> None:
    assert route("octet", "search the web for news") == route("octet", "search the web for news")


def test_a_route_that_nobody_looked_at_can_be_pickled_and_copied() -> None:
    text = "delete old.txt and encrypt the rest"
    routes = [Router(ENGINES["octet"].router.table).route(text) for _ in range(3)]
    sent, copied = pickle.loads(pickle.dumps(routes[0])), copy.deepcopy(routes[1])
    assert sent == copied == routes[2]
    assert all(signal.weight for candidate in sent.candidates for signal in candidate.signals)
    assert sent.candidates[0].signals


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("how many lines does notes.md have?", "'lines', a file or folder name"),
        ("who reads the files?", "'files', 'reads'"),
        ("verschlüssle das bitte mit meinem Schlüssel", "'verschlüssle', 'Schlüssel'"),
    ],
)
def test_a_reason_names_what_a_person_would_name(text: str, named: str) -> None:
    reason = route("octet", text).reason
    assert reason.partition(": ")[2].startswith(named)
    told = re.findall(r"'([^']+)'", reason)
    assert FUNCTION_WORDS.isdisjoint(told), "no function word is a reason"


def test_where_nothing_else_speaks_for_an_agent_function_words_are_named() -> None:
    assert Candidate("vault", 1.0, (Signal("family", "does", 1.0),)).leading == "'does'"
