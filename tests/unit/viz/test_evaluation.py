"""Evaluations shown: shares with intervals side by side, mistakes with their reasons, hostile words made harmless."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import pytest

from lango_nb import viz
from lango_nb.evaluation.answers import Answer, Judged
from lango_nb.evaluation.evaluate import evaluate
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.evaluation.task_results import TaskEvaluation, TasksResult
from lango_nb.evaluation.task_runs import TaskResult, TaskVerdict, TurnResult
from lango_nb.evaluation.tasks import Task, TaskTurn
from lango_nb.frames.evaluation import TASK_COLUMNS, What, evaluation_df, task_evaluation_df
from lango_nb.routing.route import Signal
from lango_nb.viz import text
from lango_nb.viz.evaluation import MOST_MISTAKES, failures_document, mistakes_document
from tests.expected import outline, same_as_expected
from tests.unit.evaluation.making import judged, sent, unsure
from tests.unit.viz import samples
from tests.unit.viz.test_views import ATTRIBUTES, STYLES, TAGS, read

AGENTS = ("vault", "operator", "planner")
TERMS = (Signal("keyword", "run", 1.5), Signal("structure", "a web address", -0.25))


def answers() -> tuple[Judged, ...]:
    """Answers of every kind a router gives."""
    return (
        *(judged("vault", sent("vault", 0.97), number, "en") for number in range(1, 40)),
        replace(judged("vault", sent("operator", 0.8), 40, "de"), chosen_terms=TERMS, right_terms=TERMS[:1]),
        judged("operator", sent("root", 0.7), 41, "de"),
        judged("planner", unsure("planner", 0.4), 42, "en"),
        judged("root", sent("root", 0.9), 43, "en"),
        judged("", unsure("vault", 0.2), 44, "en"),
    )


def evaluation() -> Evaluation:
    """Make one of a router, in two topologies."""
    results = (Result("octet", AGENTS, answers(), 0.6), Result("sextet", AGENTS, answers()[:20], 0.6))
    return Evaluation("router", "mine.csv", 88, results, seed=5)


def of_model() -> Evaluation:
    """Make one of a model, with all that can go wrong."""
    found = (
        judged("vault", Answer("agent", "vault", "keys", calls=1, input_tokens=1200, output_tokens=30, cost_usd=0.01)),
        judged("vault", Answer("invalid", "vualt", "there is no agent 'vualt'", calls=1, time_ms=1500.0), 2),
        judged("vault", Answer("error", reason="model 'mind' failed", calls=1), 3),
    )
    return Evaluation("mind", "3 rows", 3, (Result("octet", AGENTS, found),), is_model=True, resumed=2)


def hostile() -> Evaluation:
    """Make one in which every word is somebody else's."""
    bad = samples.HOSTILE
    term = (Signal("keyword", bad, 1.0),)
    one = Judged(1, bad * 3, bad, Answer("agent", bad + "x", bad, bad, 0.4), "wrong_agent", bad, bad, term, term)
    unknown = Judged(2, bad, bad, Answer("invalid", bad, bad, calls=1), "invalid", bad)
    return Evaluation(bad, bad, 2, (Result(bad, (bad, bad + "x", "y" * 200), (one, unknown), 0.5),), is_model=True)


def of_tasks(say: str = "list the files", word: str = "mine") -> TaskEvaluation:
    """Make one of tasks, with turns of every verdict; every word can be somebody else's."""
    turn = TaskTurn(say=say, answer=("x",))
    task = Task(id=word, kind=word, language=word, suite=word, turns=(turn,) * 4)
    verdicts: tuple[TaskVerdict, ...] = ("done", "asked", "failed", "destructive")
    turns = tuple(
        TurnResult(say, verdict, word, say * 3, "success", (word,), (word,), 1, 2, 30, 4, 0.01) for verdict in verdicts
    )
    result = TasksResult(word, word, (TaskResult(task, word, word, turns, 1.5),))
    return TaskEvaluation(word, 2, (result, replace(result, topology=word + "x")), seed=5)


EMPTY = Evaluation("router", "nothing", 0, (Result("octet", AGENTS, ()),))
RECORDS = {
    "router": evaluation(),
    "model": of_model(),
    "hostile": hostile(),
    "empty": EMPTY,
    "none": Evaluation("router", "nothing", 0, ()),
}
TASKS = {
    "tasks": of_tasks(),
    "hostile tasks": of_tasks(samples.HOSTILE, samples.HOSTILE),
    "no tasks": TaskEvaluation("nothing", 0, ()),
}
SHOWN: dict[str, object] = {
    **RECORDS,
    **{f"mistakes of {name}": mistakes_document(record) for name, record in RECORDS.items()},
    **TASKS,
    **{f"failures of {name}": failures_document(record) for name, record in TASKS.items()},
}
every = pytest.mark.parametrize("name", SHOWN)


@every
def test_html_holds_only_what_survives_an_untrusted_notebook(name: str) -> None:
    source = viz.to_html(SHOWN[name])
    found = read(source)
    assert found.tags <= TAGS
    assert found.attributes <= ATTRIBUTES
    assert found.styles <= STYLES
    assert source.startswith('<div style="max-width:100%')


@every
def test_nothing_hides_and_text_lines_up(name: str) -> None:
    made = viz.to_text(SHOWN[name])
    for source in (made, viz.to_html(SHOWN[name])):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", source)
        assert not re.search(r"\d ?ms\b|\d s of answers", source), "a duration"
    lines = made.split("\n")
    assert max(map(text.width, lines)) <= text.WIDTH + 1, max(lines, key=text.width)
    assert all(line == line.rstrip() for line in lines)
    assert "\n" not in viz.to_line(SHOWN[name])


def test_hostile_words_can_still_be_read() -> None:
    tasks = TASKS["hostile tasks"]
    for record in (hostile(), mistakes_document(hostile()), tasks, failures_document(tasks)):
        words = "".join(read(viz.to_html(record)).words)
        assert "<script>" in words
        assert "<script" not in viz.to_html(record)


def test_shares_stand_side_by_side_with_their_intervals() -> None:
    lines = viz.to_text(evaluation()).split("\n")
    assert lines[0] == "evaluation of router · mine.csv · 44 of 88 requests, seed 5"
    assert lines[2].split("  ")[0] == "topology"
    assert [line.split()[0] for line in lines[4:6]] == ["octet", "sextet"]
    assert "93.2 % (81.8 to 97.7)" in lines[4]  # 41 of 44
    assert "invalid" not in lines[2]
    assert viz.to_line(evaluation()) == "router, 44 requests: octet 93.2 %, sextet 100.0 % right"


@pytest.mark.parametrize(("wrong", "said"), [(0, "100.0 % right, 0 mistakes"), (1, "97.5 % right, 1 mistake")])
def test_what_is_folded_says_how_much_is_in_it(wrong: int, said: str) -> None:
    found = [judged("vault", sent("operator" if number < wrong else "vault"), number) for number in range(40)]
    shown = viz.to_html(Evaluation("router", "mine.csv", 40, (Result("octet", AGENTS, tuple(found), 0.6),)))
    assert re.search(rf"{re.escape(said)}(?!s)", shown)


def test_a_model_is_told_what_it_named_and_what_it_cost() -> None:
    shown = viz.to_text(of_model())
    assert "octet: 3 calls · 1,200 tokens read, 30 written · 0.0100 USD" in shown
    assert "2 answers from an earlier run" in shown
    assert "invalid" in shown.split("\n")[2]
    assert "1.5 s of answers" in viz.to_text(of_model(), timing=True)
    assert "1.5 s of answers" in viz.to_html(of_model(), timing=True)
    mistakes = viz.to_text(mistakes_document(of_model()))
    assert "went to 'vualt', who is not there; it belongs to vault" in mistakes
    assert "why: model 'mind' failed" in mistakes


def test_every_mistake_has_its_explanation() -> None:
    shown = viz.to_text(mistakes_document(evaluation()))
    assert "octet: 3 mistakes of 44" in shown
    assert "sextet: 0 mistakes of 20" in shown
    part = shown[shown.index("“request 40”") :].split("\n")
    assert part[:5] == [
        "“request 40” (row 40, de)",
        "  went to operator; it belongs to vault",
        "  why: because",
        "  for operator: keyword 'run' +1.5, a web address -0.25",
        "  for vault: keyword 'run' +1.5",
    ]
    assert "the root kept it; it belongs to operator" in shown
    assert "nobody got it; it belongs to planner" in shown
    words = "".join(read(viz.to_html(mistakes_document(evaluation()))).words)
    assert "keyword 'run' +1.5" in words


def test_of_very_many_mistakes_the_rest_is_counted() -> None:
    found = tuple(judged("vault", sent("operator", 0.9), number) for number in range(MOST_MISTAKES + 7))
    many = Evaluation("router", "x", len(found), (Result("octet", AGENTS, found),))
    assert "and 7 mistakes more" in viz.to_text(mistakes_document(many))
    assert "and 7 mistakes more" in viz.to_html(mistakes_document(many))
    assert "request 3" not in viz.to_html(many), "a saved notebook does not grow with the data"
    assert f"{MOST_MISTAKES + 7} mistakes: --mistakes or .mistakes explains each" in viz.to_html(many)


def test_the_matrix_shades_right_wrong_and_nobody_apart() -> None:
    source = viz.to_html(evaluation())
    assert re.search(r"background:rgba\(47,125,70,0\.\d+\)[^>]*>39<", source)
    assert re.search(r"background:rgba\(179,38,30,0\.\d+\)[^>]*>1<", source)
    assert re.search(r"background:rgba\(127,127,127,0\.\d+\)[^>]*>1<", source)


def test_mermaid_draws_what_is_confused() -> None:
    drawn = viz.to_mermaid(evaluation())
    assert drawn.startswith("flowchart LR\n")
    assert drawn.count("subgraph") == drawn.count("  end") == 2
    assert re.search(r't0r0 -->\|"1"\| t0g0', drawn)
    assert '["no mistake"]' in drawn
    assert "<script>" not in viz.to_mermaid(hostile())


@every
def test_an_evaluation_is_shown_as_expected(name: str) -> None:
    record = SHOWN[name]
    timed = name in {*RECORDS, *TASKS}
    parts = [viz.to_line(record), viz.to_text(record), outline(viz.to_html(record))]
    parts += [viz.to_text(record, timing=True)] if timed else []
    parts += [viz.to_mermaid(record)] if name in RECORDS else []
    same_as_expected(f"viz/evaluation_of_{name.replace(' ', '_')}.txt", "\n\n".join(parts))


@pytest.mark.parametrize("name", [*RECORDS, *TASKS])
def test_an_evaluation_is_measured_as_expected(name: str) -> None:
    record: Any = SHOWN[name]
    kinds = get_args(What) if name in RECORDS else [*TASK_COLUMNS]
    make: Any = evaluation_df if name in RECORDS else task_evaluation_df
    frames = [f"{kind}\n{make(record, kind).round(4).to_csv(index=False)}" for kind in kinds]
    same_as_expected(f"frames/evaluation_of_{name.replace(' ', '_')}.txt", "\n".join(frames))


def test_a_routers_evaluation_of_the_corpus_is_as_expected() -> None:
    found = evaluate("held-out", sample=60, seed=3, topologies=["octet", "quartet"])
    same_as_expected("viz/evaluation_of_sixty.txt", viz.to_text(found))
    frame = evaluation_df(found, "answers")
    columns = [name for name in frame.columns if "ms" not in name]
    rows = frame[columns].round(3).to_csv(index=False)
    same_as_expected("frames/evaluation_of_sixty.txt", "\n".join(line[:300] for line in rows.splitlines()))
