"""A plan is one line that a person understands, and comes back from it exactly."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lango_nb.models.offline.answers import sentences
from lango_nb.models.offline.plan import Step, acts, parse, show

WORDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["notes.md", "to", "in", "all", '"', "\\", "a + b", "→ write to x", "…", "[", "{file}", "", "x (n 1)"]
    ),
)
VALUES = st.lists(WORDS, min_size=1, max_size=3).map(tuple)


@st.composite
def steps(draw: st.DrawFn) -> Step:
    act = draw(st.sampled_from([*acts().values(), None]))
    name = act.name if act is not None else "cron_add"
    roles = (*act.roles, "was") if act is not None else ("schedule", "prompt")
    arguments = {role: draw(VALUES) for role in roles if draw(st.booleans())}
    destination = draw(st.sampled_from(["", "", "write", "append", "remember", "task"]))
    if destination in {"write", "append"} and draw(st.booleans()):
        arguments["to"] = draw(VALUES)
    return Step(name, arguments, destination)


@given(steps())
@example(Step("move", {"to": ("",)}, "write"))
def test_a_step_comes_back_from_its_line(step: Step) -> None:
    line = show(step)
    assert line.isprintable()
    assert parse(line) == step


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (Step("count.words", {"file": ("notes.md",)}), "read notes.md → count words"),
        (Step("delete", {"file": ("a.txt", "b c.txt")}), 'delete "a.txt" + "b c.txt"'),
        (Step("search", {"find": ("ERROR",), "to": ("hits.txt",)}, "append"), "search ERROR → append to hits.txt"),
        (Step("column.sum", {"column": ("price",)}), "sum price"),
        (Step("cron_add", {"schedule": ("monday at 9",)}), 'cron_add: schedule "monday at 9"'),
        (Step("append", {}), "append … to …"),
    ],
)
def test_lines_are_for_people(step: Step, line: str) -> None:
    assert show(step).replace('"a.txt"', "a.txt") == line.replace('"a.txt"', "a.txt")


@pytest.mark.parametrize("line", ["", "hello there", "delete", "read", "cron", 'read "open', "read a → dance"])
def test_what_is_no_plan_is_none(line: str) -> None:
    assert parse(line) is None


def test_every_act_is_written_in_its_own_way_and_names_all_its_roles() -> None:
    shown = [act.shown for act in acts().values()]
    assert len(set(shown)) == len(shown)
    for act in acts().values():
        assert all(f"{{{role}}}" in act.shown for role in act.roles), act.name


def test_every_answer_is_there_in_ten_languages_with_the_same_holes() -> None:
    import re

    for key, sentence in sentences().items():
        assert set(sentence) == set("en de fr es pt it nl pl ja zh".split()), key
        holes = {language: set(re.findall(r"\{(\w+)", text)) for language, text in sentence.items()}
        assert all(found == holes["en"] for found in holes.values()), (key, holes)


def test_every_role_that_can_be_asked_for_has_its_words() -> None:
    asked = {role for act in acts().values() if act.kind != "talk" for role in act.roles}
    assert {f"role.{role}" for role in asked} <= set(sentences())
