"""Evaluations from end to end: routers, models, samples, resuming, stopping."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from lango_nb.core.errors import LangoError, SettingsError, UsageError
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.evaluation.evaluate import evaluate
from lango_nb.evaluation.results import Evaluation
from lango_nb.routing.router import router_for
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topologies import load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool
from tests.unit.evaluation.making import Mind, engine, spawn, transfer

CLEAR = [
    ("encrypt the word tulip", "crypto"),
    ("read the file notes.md", "fs"),
    ("run the command ls -la", "exec"),
    ("thank you so much, that was really helpful", "conversation"),
]
NUMBERED = [(f"request {number}", "vault") for number in range(30)]


def told(evaluation: Evaluation) -> list[list[tuple[int, str, str]]]:
    return [[(one.number, one.right, one.answer.got) for one in result.judged] for result in evaluation.results]


def test_a_router_is_measured_in_several_topologies_at_once() -> None:
    found = evaluate(CLEAR, topologies=["octet", "quartet", "sextet"])
    assert [result.topology for result in found] == ["octet", "quartet", "sextet"]
    assert [one.right for one in found["octet"].judged] == ["vault", "operator", "operator", "root"]
    assert [one.right for one in found["quartet"].judged] == ["executor", "executor", "executor", "root"]
    assert found["octet"].accuracy.count == 4, found["octet"].mistakes
    assert (found.subject, found.is_model, found.n, found.data) == ("router", False, 4, "your requests")
    assert found["octet"].threshold == pytest.approx(engine().router.threshold)


def test_every_answer_is_the_routers_own() -> None:
    router = engine().router
    found = evaluate("held-out", sample=40, seed=3)["octet"]
    for one in found.judged:
        route = router.route(one.text)
        expected = route.chosen or ("root" if route.is_conversation else "(abstained)")
        assert (one.answer.got, one.answer.reason) == (expected, route.reason)
        if one.answer.kind != "abstained":
            assert one.answer.leader == one.answer.got
            assert one.answer.confidence == pytest.approx(route.confidence)


def test_a_mistake_of_the_router_is_explained_by_its_terms() -> None:
    found = evaluate([{"text": "encrypt the word tulip", "agent": "operator"}])["octet"]
    (mistake,) = found.mistakes
    assert (mistake.verdict, mistake.right, mistake.answer.agent) == ("wrong_agent", "operator", "vault")
    route = engine().router.route(mistake.text)
    assert mistake.answer.reason == route.reason
    by_name = {one.agent: one.signals for one in route.candidates}
    assert mistake.chosen_terms == by_name["vault"][:5]
    assert mistake.right_terms == by_name["operator"][:5]


def test_a_sample_is_the_same_for_the_same_seed_and_stays_in_order() -> None:
    one, two, other = (evaluate("held-out", sample=25, seed=seed) for seed in (1, 1, 2))
    assert told(one) == told(two)
    assert told(one) != told(other)
    numbers = [judged.number for judged in one["octet"].judged]
    assert numbers == sorted(numbers)
    assert (one.n, one.of > 1000) == (25, True)
    assert evaluate(CLEAR, sample=100).n == 4


def test_a_set_without_a_request_for_the_agents_that_are_there_is_refused() -> None:
    florist = AgentSpec(name="florist", description="Sells flowers.", prefixes=("flower_",))
    own = Topology(name="shop", root="root", agents=(florist,), control="transfer")
    shop = Engine(topology=own, tools=[Tool("flower_order", "Order flowers.")])
    with pytest.raises(UsageError) as refused:
        evaluate("held-out", engine=shop, sample=50)
    assert "no request of held-out is for an agent of shop: they are about" in str(refused.value)
    assert str(refused.value).endswith("which nobody there owns; give requests for florist")


def test_what_nobody_owns_is_right_when_nobody_gets_it() -> None:
    data = [{"text": "run the backup job every night at two", "family": "cron"}]
    by_router = evaluate(data, topologies=["sextet"])["sextet"].judged[0]
    assert by_router.right == ""
    assert (by_router.verdict == "right") == (by_router.answer.kind == "abstained")
    by_model = evaluate(data, Mind(lambda _text: Reply(text="nobody here can")), topologies=["sextet"])
    assert by_model["sextet"].judged[0].is_right
    assert not evaluate(data, Mind(lambda _text: transfer("vault")), topologies=["sextet"])["sextet"].judged[0].is_right


def test_the_baseline_has_no_confidences() -> None:
    found = evaluate("held-out", "keywords", sample=50)
    assert found.subject == "keywords"
    assert (found["octet"].curve, found["octet"].calibration, found["octet"].threshold) == ((), (), None)
    assert all(one.answer.confidence is None for one in found["octet"].judged)


def test_what_a_router_has_learned_holds_in_every_topology() -> None:
    text = "zyxwv qwert plomp"
    data = [{"text": text, "family": "crypto"}]
    before = evaluate(data, topologies=["octet", "quartet"])
    assert before["octet"].accuracy.count == 0
    router = engine().router.fit([{"text": text, "family": "crypto"}] * 2)
    after = evaluate(data, router, topologies=["octet", "quartet"])
    assert [result.judged[0].answer.leader for result in after] == ["vault", "executor"]
    assert evaluate(data, router)["octet"].judged[0].answer.leader == "vault"


def test_a_router_alone_a_lab_an_engine_and_a_topology_are_taken() -> None:
    quartet = engine("quartet")
    assert evaluate(CLEAR, quartet).results[0].topology == "quartet"
    assert evaluate(CLEAR, router_for(quartet.tree.table)).results[0].agents == quartet.tree.table.names
    assert evaluate(CLEAR, quartet, topologies=[load_topology("octet")]).results[0].topology == "octet"
    from lango_nb.lab import Lab

    assert evaluate(CLEAR, Lab("sextet")).results[0].topology == "sextet"


@pytest.mark.parametrize("topology", ["octet", "quartet"])
def test_results_stand_in_the_order_of_the_data_whichever_answer_came_first(topology: str) -> None:
    first = spawn("vault") if topology == "octet" else transfer("executor")
    data = [{"text": text, "family": "crypto"} for text, _ in NUMBERED]
    late = Mind(lambda _text: first, waits=lambda text: 60 - 2 * int(text.split()[1]))
    quick = Mind(lambda _text: first)
    one = evaluate(data, late, topologies=[topology], at_once=8)
    assert told(one) == told(evaluate(data, quick, topologies=[topology], at_once=1))
    assert one[topology].accuracy.count == 30
    assert (late.busiest, quick.busiest) == (8, 1)
    assert sorted(late.asked) == sorted(text for text, _ in NUMBERED)


def test_the_offline_model_works_as_a_root() -> None:
    found = evaluate(CLEAR, "offline", topologies=["octet", "quartet"])
    assert (found.subject, found.is_model) == ("offline", True)
    assert [one.answer.got for one in found["octet"].judged] == ["vault", "operator", "operator", "root"]
    assert [one.answer.got for one in found["quartet"].judged] == ["executor", "executor", "executor", "root"]
    assert found["octet"].usage.calls == 4


def test_a_second_run_asks_only_what_is_new(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    model = Mind(lambda _text: spawn("vault"))
    evaluate(NUMBERED[:10], model, resume=file)
    found = evaluate(NUMBERED, model, resume=file)
    assert (found.resumed, found["octet"].accuracy.count, len(model.asked)) == (10, 30, 30)
    assert evaluate(NUMBERED, model, resume=file).resumed == 30
    assert len(model.asked) == 30
    assert len(file.read_text(encoding="utf-8").splitlines()) == 30


def test_stop_keeps_what_was_answered_and_the_next_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"

    class Hanging(Mind):
        """A model whose later calls end only when they are cancelled."""

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            if len(self.asked) >= 9:
                await asyncio.Event().wait()
            return await super().complete(messages, tools)

    def stop(done: int, _total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(NUMBERED, Hanging(lambda _text: spawn("vault")), resume=file, on_progress=stop, at_once=2)
    kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert 7 <= len(kept) <= 9
    found = evaluate(NUMBERED, Mind(lambda _text: spawn("vault")), resume=file)
    assert (found.resumed, found["octet"].n, found["octet"].accuracy.count) == (len(kept), 30, 30)


def test_errors_are_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    silent = Mind(lambda text: Reply() if text.endswith("3") else spawn("vault"))
    first = evaluate(NUMBERED, silent, resume=file)["octet"]
    assert (first.errors.count, first.accuracy.count) == (3, 27)
    second = evaluate(NUMBERED, Mind(lambda _text: spawn("vault")), resume=file)
    assert (second.resumed, second["octet"].accuracy.count) == (27, 30)


def test_progress_counts_up_to_everything() -> None:
    heard: list[tuple[int, int]] = []
    evaluate(CLEAR, topologies=["octet", "quartet"], on_progress=lambda *pair: heard.append(pair))
    assert heard == [(done, 8) for done in range(1, 9)]
    heard.clear()
    evaluate(NUMBERED, Mind(lambda _text: spawn("vault")), on_progress=lambda *pair: heard.append(pair))
    assert heard == [(done, 30) for done in range(1, 31)]


def test_a_live_model_is_refused_where_no_network_is_allowed() -> None:
    class Live(Mind):
        is_live = True

    model = Live(lambda _text: spawn("vault"))
    with pytest.raises(SettingsError, match="'mind' is live and allow_network is off"):
        evaluate(NUMBERED, model, engine=engine(allow_network=False))
    with pytest.raises(SettingsError, match="is live and allow_network is off"):
        evaluate(NUMBERED, "openai:gpt-5", engine=engine(allow_network=False))
    assert model.asked == []
    assert evaluate(NUMBERED[:1], model, engine=engine()).n == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"at_once": 0}, "at_once is a number from 1 to 64, not 0"),
        ({"sample": 0}, "sample is a number above 0, not 0"),
        ({"resume": "x.jsonl"}, "resume keeps the answers of a model"),
        ({"topologies": []}, "topologies is empty"),
        ({"topologies": ["solo"]}, "solo has nobody to hand over to"),
        ({"topologies": ["octett"]}, "did you mean 'octet'"),
        ({"subject": 7}, "can be evaluated, not int"),
        ({"subject": "ofline"}, "model 'ofline' is not known"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(given: dict[str, object], says: str) -> None:
    with pytest.raises(LangoError) as caught:
        evaluate(CLEAR, **given)  # type: ignore[arg-type]  # that is the point
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_label_that_fits_nothing_stops_before_anything_is_asked() -> None:
    model = Mind(lambda _text: spawn("vault"))
    with pytest.raises(UsageError, match=r"row 2 \('b'\) is labelled 'valt'"):
        evaluate([("a", "vault"), ("b", "valt")], model)
    assert model.asked == []


def test_secrets_in_requests_are_not_kept() -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    found = evaluate([(f"store the key {secret}", "vault")])
    assert secret not in repr(found)
