"""Tools and arguments that the offline model takes from requests, in data/offline_tools.tsv, written before it."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.aims import aim_of
from lango_nb.models.offline.arguments import fill, fits
from lango_nb.models.offline.arithmetic import reckon
from lango_nb.models.offline.chains import read_chain
from lango_nb.models.offline.cues import choose, is_known, table
from lango_nb.models.offline.readings import block, query, task, triple, wish
from lango_nb.models.offline.schedule import read_schedule
from lango_nb.routing.capabilities import router_family

REQUESTS = Path(__file__).parents[2] / "data" / "offline_tools.tsv"
AGENTS = (
    ("exec", "fs_", "skill_"),
    ("browser_",),
    ("crypto_", "secrets_", "payment_"),
    (
        *("search_", "rag_", "graph_", "save_", "get_knowledge", "learning_", "create_skill", "list_skills"),
        *("view_skill", "import_skill", "librarian_", "web_"),
    ),
    ("cron_", "bg_", "workflow_"),
    ("memory_", "observe_", "reflect_"),
    ("ontology_",),
)
"""Prefixes of the tools that one agent has in the largest topology."""


class Row(NamedTuple):
    tool: str
    text: str
    arguments: dict[str, Any]


@lru_cache
def rows() -> tuple[Row, ...]:
    lines = REQUESTS.read_text(encoding="utf-8").splitlines()
    return tuple(Row(tool, text, json.loads(given)) for tool, text, given in (line.split("\t") for line in lines))


@lru_cache
def schemas() -> dict[str, ToolSchema]:
    found = {}
    for name in ("sample_tools.json", "spec_families.json"):
        for tool in json.loads(files("lango_nb.data").joinpath("tools", name).read_text(encoding="utf-8")):
            found[tool["name"]] = ToolSchema(
                name=tool["name"], description=tool["description"], parameters=tool["parameters"]
            )
    return found


@lru_cache
def colleagues(tool: str) -> tuple[ToolSchema, ...]:
    mine = next(prefixes for prefixes in AGENTS if tool.startswith(prefixes))
    return tuple(schemas()[name] for name in dict.fromkeys(row.tool for row in rows()) if name.startswith(mine))


def chosen(row: Row) -> str:
    tools = colleagues(row.tool)
    families = frozenset(family for tool in tools if (family := router_family(tool.name)))
    return choose(tools, row.text, aim_of(row.text, families).likely)[0].tool.name


def test_there_are_eight_requests_for_every_tool() -> None:
    counted = Counter(row.tool for row in rows())
    assert set(counted.values()) == {8}
    assert len(counted) > 90
    assert len({row.text for row in rows()}) == len(rows())


def test_the_right_tool_is_chosen_among_those_of_its_agent() -> None:
    wrong = [(row.tool, chosen(row), row.text) for row in rows() if chosen(row) != row.tool]
    assert len(wrong) <= 0.03 * len(rows()), wrong
    worst = Counter(tool for tool, _, _ in wrong).most_common(1)
    assert not worst or worst[0][1] <= 2, wrong


def test_arguments_are_what_the_request_says() -> None:
    others = [row for row in rows() if not row.tool.startswith(("fs_", "exec"))]
    wrong = []
    for row in others:
        found, _ = fill(schemas()[row.tool], row.text)
        if any(found.get(name) != value for name, value in row.arguments.items()):
            wrong.append((row, found))
    assert len(wrong) <= 0.02 * len(others), wrong


@pytest.mark.parametrize("name", sorted(table()))
def test_the_table_of_cues_names_tools_and_families_that_there_are(name: str) -> None:
    from lango_nb.routing.families import by_name

    assert name in schemas()
    assert is_known(name)
    assert set(table()[name].families) <= {*by_name(), "builtin"}
    assert all(cue.weight and all(cue.parts) for cue in table()[name].cues)


TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                *(
                    "send",
                    "5 USDC",
                    "to",
                    "0x1234567890ab",
                    "for",
                    "because",
                    "called",
                    "'a b'",
                    "`ls`",
                    "every day at 9",
                ),
                *(
                    "type",
                    "status",
                    "{",
                    '{"a": 1}',
                    "[1, 2]",
                    "conflict c-1",
                    "https://x.org",
                    "a.md",
                    "limit 5",
                    "nan",
                ),
                *(
                    "1e999",
                    "depth",
                    "2026-01-01",
                    "merge a into b",
                    "tags x, y",
                    "below 0.3",
                    "receipt tr-1",
                    "#id",
                    "\x00",
                ),
            ]
        ),
        max_size=14,
    ).map(" ".join),
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(sorted(schemas())))
def test_whatever_is_said_arguments_fit_their_schema(text: str, name: str) -> None:
    schema = schemas()[name]
    arguments, missing = fill(schema, text)
    shapes: Any = schema.parameters.get("properties", {})
    required: Any = schema.parameters.get("required", [])
    assert set(arguments) <= set(shapes)
    assert all(fits(value, shapes[key]) for key, value in arguments.items())
    assert set(required) - set(arguments) <= set(missing)
    assert not set(arguments) & set(missing)


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=80),
    st.dictionaries(
        st.from_regex(r"\A[a-zA-Z_]{1,12}\Z"),
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "integer", "minimum": 1, "maximum": 9},
                {"type": "number"},
                {"type": "boolean"},
                {"type": "array", "items": {"type": "string"}},
                {"type": "array", "items": {"type": "integer"}},
                {"type": "object"},
                {"type": "string", "enum": ["red", "green"]},
                {},
            ]
        ),
        max_size=4,
    ),
)
def test_tools_of_ones_own_get_arguments_that_fit(text: str, shapes: dict[str, dict[str, Any]]) -> None:
    schema = ToolSchema.model_validate(
        {"name": "mine", "parameters": {"properties": shapes, "required": sorted(shapes)}}
    )
    arguments, missing = fill(schema, text)
    assert all(fits(value, shapes[key]) for key, value in arguments.items())
    assert {*arguments, *missing} == set(shapes)


def test_a_tool_of_ones_own_is_filled_by_the_names_of_its_parameters() -> None:
    schema = ToolSchema.model_validate(
        {
            "name": "lamp_set",
            "parameters": {
                "properties": {
                    "room": {"type": "string"},
                    "colour": {"type": "string", "enum": ["red", "green"]},
                    "brightness": {"type": "integer", "maximum": 100},
                    "fade": {"type": "boolean"},
                },
                "required": ["room", "colour", "brightness", "fade"],
            },
        }
    )
    assert fill(schema, "room: kitchen, colour green, brightness = 40, no fade") == (
        {"room": "kitchen", "colour": "green", "brightness": 40, "fade": False},
        [],
    )
    assert fill(schema, "make it green")[1] == ["room", "brightness", "fade"]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("every weekday at 9", "cron", "0 9 * * 1-5"),
        ("every day at 7:30pm", "cron", "30 19 * * *"),
        ("every Monday and Thursday at 8", "cron", "0 8 * * 1,4"),
        ("on Fridays at 17:00", "cron", "0 17 * * 5"),
        ("jeden Werktag um 8 Uhr", "cron", "0 8 * * 1-5"),
        ("chaque lundi à 9h15", "cron", "15 9 * * 1"),
        ("cada martes a las 10", "cron", "0 10 * * 2"),
        ("every night", "cron", "0 22 * * *"),
        ("every weekend at 11", "cron", "0 11 * * 0,6"),
        ("every month", "cron", "0 9 1 * *"),
        ("*/5 * * * *", "cron", "*/5 * * * *"),
        ("every 15 minutes", "every", "15m"),
        ("alle 3 Stunden", "every", "3h"),
        ("every hour", "every", "1h"),
        ("in 20 minutes", "at", "in 20 minutes"),
        ("tomorrow at 7am", "at", "tomorrow 07:00"),
        ("at 2026-05-01T10:00", "at", "2026-05-01T10:00"),
    ],
)
def test_schedules(text: str, kind: str, value: str) -> None:
    found = read_schedule(text)
    assert found is not None
    assert found[:2] == (kind, value)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("tomorrow at 7am water the basil", "water the basil"),
        ("water the basil tomorrow", "water the basil"),
        ("water the basil at 7:30", "water the basil"),
        ("water the basil every day at 7:30pm", "water the basil"),
        ("in 20 minutes water the basil", "water the basil"),
    ],
)
def test_a_schedule_says_where_its_words_stand(text: str, rest: str) -> None:
    found = read_schedule(text)
    assert found is not None
    for start, end in sorted(found.spans, reverse=True):
        text = text[:start] + text[end:]
    assert text.replace(" at", "").replace("at ", "").strip() == rest


@pytest.mark.parametrize("text", ["look at 3 files", "the weekly", "at 99", "now", ""])
def test_what_is_no_schedule(text: str) -> None:
    found = read_schedule(text)
    assert found is None or found.value not in {"at 99", "99:00"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("could you please search our knowledge for vacation rules", "vacation rules"),
        ("Please look up the population of Norway on the web, thanks", "the population of Norway"),
        ("what do we know about the Berlin office?", "the Berlin office"),
        ("suche im Internet nach Ferienwohnungen", "Ferienwohnungen"),
        ("how are tides made", "how are tides made"),
    ],
)
def test_queries_lose_their_frame(text: str, said: str) -> None:
    assert query(text) == said


def test_what_is_to_be_done_at_a_time_loses_the_time() -> None:
    assert task("please remind me every weekday at 9 to check mail") == "check mail"
    assert task("schedule a job to run `make` every 2 hours") == "run `make`" or task("every 2 hours run x") == "run x"


def test_triples_and_blocks() -> None:
    assert triple("assert (Ada, lives_in, London)") == ("Ada", "lives_in", "London")
    assert triple("it rains today") is None
    assert block('x {"a": {"b": [1]}} y') == '{"a": {"b": [1]}}'
    assert block("[" * 5000) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("2+2", "4"), ("what is 7 times 6?", "42"), ("(1+2)*3 =", "9"), ("10/4", "2.5"), ("-3 - -4", "1"), ("2^8", "256")],
)
def test_sums(text: str, value: str) -> None:
    assert reckon(text) == value


@pytest.mark.parametrize(
    "text",
    ["1/0", "9^9^9^9", "2**999999", "(" * 200 + "1", "__import__('os')", "1+", "2026", "1-800 call me", "0^-1", ""],
)
def test_no_sums(text: str) -> None:
    assert reckon(text) is None


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789+-*/^(). ", max_size=40))
def test_sums_never_fail(text: str) -> None:
    found = reckon(text)
    assert found is None or found.strip()


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_readings_never_fail(text: str) -> None:
    for read in (query, task, triple, block, wish, read_chain, read_schedule):
        read(text)
