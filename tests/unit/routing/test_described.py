"""Agents that the learned families do not know are told by what their authors wrote of them and of their tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.routing import described, router
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.described import Scale
from lango_nb.routing.learned import load
from lango_nb.routing.router import Calibration, Router
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool

AGENTS = (
    AgentSpec(name="herd", description="Looks after the animals.", prefixes=("cow_", "vetCall")),
    AgentSpec(name="machinery", description="Tractors and what is driven with them.", prefixes=("tractor_",)),
    AgentSpec(name="office", description="Invoices, wages and letters.", prefixes=("invoice_",)),
)
TOOLS = (
    Tool("cow_milk_yield", "Milk of a cow by day."),
    Tool("vetCall", "Call the veterinarian."),
    Tool("tractor_service", "Oil, tyres and repair of a tractor."),
    Tool("invoice_write", "Write an invoice to the dairy."),
)
FARM = Topology(
    name="farm",
    root="farmer",
    agents=AGENTS,
    control="transfer",
    root_sections=(PromptSection(id="roster", title="Who is there", render="routing_table"),),
)
TABLE = RoutingTable(
    (
        RoutingRow("herd", "Looks after the animals.", actions=("cow milk yield: Milk of a cow by day.",)),
        RoutingRow("office", "Invoices, wages and letters."),
    )
)


def farm() -> Engine:
    return Engine(topology=FARM, tools=TOOLS)


def test_the_prompt_tells_what_the_router_hears() -> None:
    prompt = farm().tree.root.prompt
    assert "cow milk yield: Milk of a cow by day." in farm().tree.table["herd"].actions
    assert "vet call: Call the veterinarian." in farm().tree.table["herd"].actions
    assert RoutingTable.from_markdown(farm().tree.table.to_markdown()) == farm().tree.table
    assert "cow milk yield: Milk of a cow by day." in prompt
    assert "cow_milk_yield" not in prompt  # raw names of tools stay with whoever calls them


@pytest.mark.parametrize("topology", ["quartet", "sextet", "octet"])
def test_prompts_of_what_comes_with_the_package_tell_no_tools(topology: str) -> None:
    engine = Engine(topology=topology, tools=(*builtin_tools(), *spec_families()))
    assert all(not row.actions and not row.told for row in engine.tree.table)
    assert "Actions" not in engine.tree.root.prompt


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("the veterinarian must see cow 41", "herd"),
        ("how much milk did the cow give", "herd"),
        ("the tractor needs new tyres", "machinery"),
        ("write an invoice to the dairy", "office"),
        ("two invoices are missing", "office"),
    ],
)
def test_tools_descriptions_and_words_near_them_lead_requests(text: str, agent: str) -> None:
    assert farm().route(text).candidates[0].agent == agent


def test_clear_requests_are_handed_over_and_others_are_asked_about() -> None:
    engine = farm()
    assert engine.route("call the veterinarian for the cow, she gives no milk").chosen == "herd"
    assert engine.route("the oil of the tractor").chosen == "machinery"
    assert engine.route("what is the capital of France?").chosen is None
    assert engine.route("blorb the fnord").chosen is None


def test_scores_are_sums_of_terms_that_name_words() -> None:
    best = farm().route("how much milk did the cow give").candidates[0]
    assert best.score == pytest.approx(sum(signal.weight for signal in best.signals), abs=1e-3)
    assert {"milk", "cow"} <= {signal.term for signal in best.signals if signal.kind == "description"}
    assert "milk" in best.leading


def test_agents_of_ones_own_compete_with_those_of_the_package() -> None:
    tools = (*builtin_tools(), *spec_families(), *TOOLS)
    router = Router(build_agent_tree(tools, load_topology("octet"), agents=AGENTS).table)
    assert router.route("call the veterinarian for the cow, she gives no milk").candidates[0].agent == "herd"
    assert router.route("read notes.md and count its lines").chosen == "operator"
    assert router.route("encrypt the message 'secret plan'").chosen == "vault"


def test_one_tool_of_ones_own_draws_no_request_that_says_nothing_of_it() -> None:
    clock = RoutingRow("clock", "Makes things happen later.", capabilities=("cron job scheduling",))
    told = replace(clock, actions=("cron remind: Remind somebody of something.",))
    vault = RoutingRow("vault", "Keeps secrets.", capabilities=("cryptography",))
    without, beside = (Router(RoutingTable((row, vault))) for row in (clock, told))
    assert abs(beside.scores("sort it out")["clock"] - without.scores("sort it out")["clock"]) < 0.5
    assert beside.scores("remind Ada")["clock"] > without.scores("remind Ada")["clock"] + 1


def test_a_few_examples_help_at_once() -> None:
    texts = [("Bella limps", "herd"), ("Frieda is due on Monday", "herd"), ("pay the lad", "office")]
    router = Router(TABLE).fit(texts)
    for text, agent in texts:
        assert (router.route(text).chosen, router.route(text).confidence > 0.7) == (agent, True)
    assert router.route("Frieda limps on Monday").chosen == "herd"


@pytest.mark.parametrize("text", ["the bucket is empty again", "please handle the thing with the horse"])
def test_where_nothing_is_sure_the_two_nearest_are_named(text: str) -> None:
    said = Lab(topology=FARM, tools=TOOLS).ask(text).text
    assert "herd" in said
    assert "machinery" in said
    assert "file" not in said


def test_what_authors_wrote_is_read_only_for_agents_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(kind: str) -> Scale:
        raise AssertionError(f"the scale for {kind} was read")

    monkeypatch.setattr(router, "scale_of_package", loaded)
    octet = Engine(topology="octet", tools=(*builtin_tools(), *spec_families()))
    assert Router(octet.tree.table).route("list the files here").chosen == "operator"
    with pytest.raises(AssertionError, match="for words was read"):
        Router(TABLE).route("milk")


def test_a_table_of_one_and_rows_without_words_are_told_too() -> None:
    for rows in ((RoutingRow("a"),), (RoutingRow("a"), RoutingRow("b")), (RoutingRow("herd", "cows"),)):
        for text in ("", "?!", "cows", "x" * 5000, "\x00", "🐄", "昨天买的"):
            route = Router(RoutingTable(rows)).route(text)
            assert len(route.candidates) == len(rows)
    assert described.scale_of_package().same > 0


class Meaning:
    """Sentence vectors that know one thing: which texts speak of the same."""

    calibration = Calibration(threshold=0.5, root_threshold=0.5, temperature=1.0)

    def __init__(self, **topics: str) -> None:
        self._topics = topics

    def __call__(self, text: str) -> list[float]:
        return [0.0] * len(load().families)

    def alike(self, text: str, others: Sequence[str]) -> list[float]:
        topic = next((topic for word, topic in self._topics.items() if word in text), "")
        return [0.6 if topic and topic in other else 0.1 for other in others]


def test_sentence_vectors_speak_for_tools_and_for_examples() -> None:
    text = "Bella has a swollen udder"
    plain = Router(TABLE)
    by_tools = plain.with_sentences(Meaning(udder="cow milk yield"))
    assert by_tools.scores(text)["herd"] > plain.scores(text)["herd"] + 1
    assert by_tools.scores(text)["office"] < plain.scores(text)["office"]
    taught = Router(TABLE, sentences=Meaning(udder="Bella limps")).fit([("Bella limps", "herd"), ("pay", "office")])
    leading = taught.route(text).candidates[0]
    assert leading.agent == "herd"
    assert "the sentence beside its examples" in {signal.term for signal in leading.signals}
    # an example is not compared with itself: it would always be the likest
    assert taught.scores("Bella limps", is_lesson=True)["herd"] < taught.scores("Bella limps")["herd"]


def test_a_table_that_was_taught_has_a_threshold_of_its_own() -> None:
    scale = described.scale_of_package()._replace(threshold=0.9, taught_threshold=0.4)
    router = Router(TABLE, scale=scale)
    assert router.threshold == 0.9
    assert router.fit([("milk her", "herd")]).threshold == 0.9  # one of both
    assert router.fit([("milk her", "herd"), ("pay the lad", "office")]).threshold == 0.4
    assert Router(TABLE, 0.6, scale=scale).fit([("milk her", "herd"), ("pay", "office")]).threshold == 0.6
