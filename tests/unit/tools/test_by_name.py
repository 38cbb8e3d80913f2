from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # its stubs are a package of their own

from lango_nb.core.errors import DefinitionError
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import sample_tools, spec_families, tools_by_name
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Tool
from tests.calls import calls_of

PROJECT = Path(__file__).parents[3]

ROWS = [
    {"name": "lint_run", "description": "Check style.", "safety": "safe", "family": "quality"},
    {"name": "deploy", "description": "Ship, now.", "safety": None, "family": ""},
]


def shape(tools: tuple[Tool, ...]) -> list[tuple[str, str, str, str]]:
    return [(tool.name, tool.description, tool.safety, tool.family) for tool in tools]


EXPECTED = [("lint_run", "Check style.", "safe", "quality"), ("deploy", "Ship, now.", "dangerous", "deploy")]


def test_names_alone_are_enough() -> None:
    tools = tools_by_name(["lint_run", " review "])
    assert shape(tools) == [("lint_run", "", "dangerous", "lint"), ("review", "", "dangerous", "review")]
    assert all(tool.is_by_name for tool in tools)
    assert tools[0].parameters == {"type": "object", "properties": {}}


def test_calling_one_answers_that_only_its_name_is_known() -> None:
    result = asyncio.run(tools_by_name(["lint_run"])[0].call({}, ToolContext(Path("/tmp"))))
    assert (result.is_error, result.code) == (True, "by_name_only")
    assert "known by name only" in result.content


def test_rows_mean_the_same_as_dicts_csv_json_and_data_frame(tmp_path: Path) -> None:
    csv = tmp_path / "mine.csv"
    csv.write_text(
        '\ufeffname,description,safety,family,owner\nlint_run,Check style.,SAFE,quality,me\n\ndeploy,"Ship, now.",,\n'
    )
    semicolons = tmp_path / "excel.CSV"
    semicolons.write_bytes(
        b"name;description;safety;family\r\nlint_run;Check style.;safe;quality\r\ndeploy;Ship, now.;;\r\n"
    )
    in_json = tmp_path / "mine.json"
    in_json.write_text(json.dumps(ROWS))
    for source in (ROWS, iter(ROWS), pd.DataFrame(ROWS), csv, str(csv), semicolons, in_json):
        assert shape(tools_by_name(source)) == EXPECTED
    assert {tool.source for tool in tools_by_name(csv)} == {"mine.csv"}


def test_a_tool_belongs_to_the_family_of_its_name_unless_it_names_another() -> None:
    rows = [{"name": "fs_look", "description": "Look."}, {"name": "fs_sell", "family": "trade"}]
    assert [tool.family for tool in tools_by_name(rows)] == ["fs", "trade"]


def test_a_text_file_holds_one_name_a_line(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("# ours\nlint_run\n\n  deploy  # careful\n")
    assert [tool.name for tool in tools_by_name(file)] == ["lint_run", "deploy"]


MCP = {
    "tools": [
        {
            "name": "look",
            "title": "Look",
            "description": "Look at it.",
            "inputSchema": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
            "annotations": {"readOnlyHint": True},
        },
        {"name": "wipe", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}},
        {"name": "put", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": False}},
        {"name": "plain", "inputSchema": {"type": "object"}},
        {"name": "odd", "inputSchema": {}, "annotations": {"readOnlyHint": "true"}},
        {"name": "both", "inputSchema": {}, "annotations": {"readOnlyHint": True, "destructiveHint": True}},
    ]
}


def test_the_answer_of_mcp_tools_list_is_read_with_and_without_its_envelope(tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": MCP}))
    for source in (MCP, {"jsonrpc": "2.0", "id": 1, "result": MCP}, file):
        tools = tools_by_name(source)
        assert [(tool.name, tool.safety) for tool in tools] == [
            ("look", "safe"),
            ("wipe", "dangerous"),
            ("put", "moderate"),
            ("plain", "dangerous"),
            ("odd", "dangerous"),
            ("both", "dangerous"),
        ]
        assert tools[0].required == ("at",)


def test_a_page_of_an_mcp_answer_is_read_and_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert len(tools_by_name({**MCP, "nextCursor": "2"})) == len(MCP["tools"])
    assert "one page of several" in caplog.text


def test_function_tools_and_other_schema_keys_are_read() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tools = tools_by_name(
        [
            {"type": "function", "function": {"name": "one", "parameters": schema}},
            {"name": "two", "input_schema": schema},
            {"name": "three", "parameters": json.dumps(schema)},
            {"name": "four", "params": "q*:str"},
            Tool("five", schema_source=lambda: schema),  # type: ignore[arg-type,return-value]
        ]
    )
    assert [tool.required for tool in tools] == [("q",)] * 5


def test_params_in_short_form_become_a_schema() -> None:
    [tool] = tools_by_name([{"name": "t", "params": "path*:str, mode:str{full/range}, count : int, tags:list, any"}])
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "mode": {"type": "string", "enum": ["full", "range"]},
            "count": {"type": "integer"},
            "tags": {"type": "array"},
            "any": {"type": "string"},
        },
        "required": ["path"],
    }


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([{"description": "x"}], "tools, entry 1: the tool has no name; give it one"),
        (["a", ""], "tools, entry 2: the tool has no name"),
        (["a b"], "tools, entry 1: 'a b' is not a tool name"),
        (["a", "b", "a"], "tools, entry 3: 'a' is there already (tools, entry 1); rename or leave out one"),
        ([5], "tools, entry 1: 5 is not a tool; give a function, a name or a mapping with one"),
        ([{"name": "a", "safety": "ok"}], "tools, entry 1 (a): safety 'ok' is none of safe, moderate, dangerous"),
        ([{"name": "a", "description": 5}], "tools, entry 1 (a): description is text, not 5"),
        ([{"name": "a", "parameters": {"type": "array"}}], "tools, entry 1 (a): the schema is of type 'array'"),
        ([{"name": "a", "parameters": "{"}], "tools, entry 1 (a): the schema is not JSON"),
        ([{"name": "a", "params": "x*:text"}], "tools, entry 1 (a): params 'x*:text' cannot be read"),
        ([{"name": "a", "params": "x y"}], "tools, entry 1 (a): params 'x y' cannot be read"),
        ({"error": {"code": -32601}}, "tools: the answer is an error, not tools"),
        ({"x": 1}, "tools: neither 'tools' nor 'result.tools' is a list"),
        (5, "tools: 5 holds no tools"),
        (b"fs_read", "tools: b'fs_read' holds no tools"),
        (pd.DataFrame({"word": ["a"]}), "tools: the first row names the columns and one of them is 'name'; found word"),
        ("fs_read", "'fs_read' is not a tools file; give one ending in .csv, .json, .txt, or a list of names"),
    ],
)
def test_bad_values_give_one_clear_line(source: object, message: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        tools_by_name(source)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("a.csv", b"", "a.csv: the first row names the columns and one of them is 'name'; found nothing"),
        (
            "a.csv",
            b"fs_read,Read.\n",
            "a.csv: the first row names the columns and one of them is 'name'; found fs_read",
        ),
        ("a.csv", b"name,description\na,x, y\n", "a.csv, row 2: 3 fields where the header has 2; quote a text"),
        ("a.csv", b"name\na\n\na\n", "a.csv, row 4: 'a' is there already (a.csv, row 2)"),
        ("a.csv", b"name,description\n,x\n", "a.csv, row 2: the tool has no name"),
        ("a.csv", b"name\n\xff\n", "a.csv: not UTF-8 text (byte 5); save it as UTF-8"),
        ("a.csv", b"name\n" + b"a" * 200_000 + b"\n", "a.csv, row 2: field larger than field limit"),
        ("a.json", b"{", "a.json: not JSON"),
        ("a.json", b'"fs_read"', "a.json: holds one text"),
        ("a.json", b"5", "a.json: 5 holds no tools"),
        ("a.json", b"[" * 100_000, "a.json: nested too deep"),
        ("a.json", b'[{"name": 5}]', "a.json, entry 1: a tool's name is text, not 5"),
        ("a.txt", b"fs_read\nno name\n", "a.txt, line 2: 'no name' is not a tool name"),
        ("a.xlsx", b"", "'"),
    ],
)
def test_bad_files_give_one_clear_line_with_file_and_row(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(DefinitionError) as refused:
        tools_by_name(path)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named_with_its_nearest_neighbour(tmp_path: Path) -> None:
    (tmp_path / "tools.csv").write_text("name\n")
    with pytest.raises(DefinitionError, match=r"tools file 'tool\.csv' not found; did you mean 'tools\.csv'\?"):
        tools_by_name(tmp_path / "tool.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DefinitionError, match=r"folder\.csv: cannot be read: Is a directory"):
        tools_by_name(tmp_path / "folder.csv")


PREFIXES = (  # every prefix of specs 000, 002 and 003, and of design §1, save exec, fs, agent and task, which are real
    "browser_ crypto_ skill_ payment_ secrets_ search_ rag_ graph_ save_knowledge save_learning learning_ create_skill "
    "list_skills import_skill view_skill get_knowledge librarian_ web_ cron_ bg_ workflow_ memory_ observe_ reflect_ "
    "ontology_ tool_output_ builtin_"
).split()


def test_spec_families_reach_every_prefix_the_specification_names_and_hold_nothing_that_is_real() -> None:
    names = [tool.name for tool in spec_families()]
    real = {tool.name for tool in builtin_tools()}
    assert [prefix for prefix in PREFIXES if not any(name.startswith(prefix) for name in (*names, *real))] == []
    assert [name for name in names if not name.startswith(tuple(PREFIXES))] == []
    assert not real & set(names)
    assert {"rag_retrieve", "graph_traverse", "graph_query", "memory_list_observations"} <= set(names)
    assert 75 <= len(names) <= 90


@pytest.mark.parametrize(
    ("name", "required"),
    [  # spec 003, "Agent Details", "Control Plane Tools" and "Task Tools"
        ("agent_spawn", ("instruction",)),
        ("agent_wait", ("agent_id",)),
        ("agent_stop", ("agent_id",)),
        ("task_create", ("title",)),
        ("task_get", ("task_id",)),
        ("task_update", ("task_id",)),
        ("graph_traverse", ("start_node",)),
        ("graph_query", ()),
        ("librarian_dismiss_inquiry", ("inquiry_id",)),
        ("cron_add", ("name", "schedule_type", "schedule", "prompt")),
        ("cron_pause", ("id",)),
        ("cron_resume", ("id",)),
        ("cron_remove", ("id",)),
        ("bg_submit", ("prompt",)),
        ("bg_status", ("task_id",)),
        ("bg_result", ("task_id",)),
        ("bg_cancel", ("task_id",)),
        ("workflow_status", ("run_id",)),
        ("workflow_cancel", ("run_id",)),
        ("workflow_save", ("name", "yaml_content")),
        ("memory_agent_save", ("key", "content")),
        ("memory_agent_recall", ("query",)),
        ("memory_agent_forget", ("key",)),
    ],
)
def test_required_parameters_are_those_of_the_specification(name: str, required: tuple[str, ...]) -> None:
    [tool] = [tool for tool in (*builtin_tools(), *spec_families()) if tool.name == name]
    assert tool.required == required


@pytest.mark.parametrize("load", [spec_families, sample_tools])
def test_bundled_sets_are_complete_and_sound(load: Any) -> None:
    tools = load()
    assert len({tool.name for tool in tools}) == len(tools)
    again = tools_by_name(
        [{"name": t.name, "description": t.description, "safety": t.safety, "parameters": t.parameters} for t in tools]
    )
    assert [tool.parameters for tool in again] == [tool.parameters for tool in tools]
    for tool in tools:
        Draft202012Validator.check_schema(tool.parameters)
        assert tool.is_by_name
        assert tool.family
        assert re.fullmatch(r"[A-Z].*\.", tool.description), tool.name


def test_parameters_of_the_spec_families_say_what_they_are() -> None:
    for tool in spec_families():
        properties: Any = tool.parameters["properties"]
        assert [name for name, one in properties.items() if not one.get("description")] == [], tool.name


def test_the_sample_is_the_whole_reference_table() -> None:
    by_name = {tool.name: tool for tool in sample_tools()}
    assert len(by_name) == 201
    assert {"economy_price_quote", "smart_account_deploy", "escrow_fund", "team_form", "fs_read", "exec"} <= set(
        by_name
    )
    safeties = [tool.safety for tool in by_name.values()]
    assert (safeties.count("safe"), safeties.count("moderate"), safeties.count("dangerous")) == (91, 42, 68)
    assert by_name["module_install"].parameters["properties"]["module_type"]["enum"] == [1, 2, 3, 4]  # type: ignore[index,call-overload]


def test_both_sets_agree_where_they_overlap() -> None:
    sample = {tool.name: tool for tool in sample_tools()}
    shared = [tool for tool in spec_families() if tool.name in sample]
    mentioned_by_the_specification_only = {
        "get_knowledge",
        "observe_record",
        "rag_retrieve",
        "reflect_create",
        "skill_run",
    }
    assert {tool.name for tool in spec_families()} - set(sample) == mentioned_by_the_specification_only
    for tool in shared:
        other = sample[tool.name]
        assert (tool.safety, tool.family, tool.required) == (other.safety, other.family, other.required)


def test_reading_tools_loads_neither_pandas_nor_numpy_and_makes_few_calls() -> None:
    script = """
import sys
from lango_nb.tools.by_name import spec_families, sample_tools
from tests.calls import calls_of
print(calls_of(spec_families))
sample_tools()
assert not {"pandas", "numpy", "IPython"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=PROJECT, check=True)
    assert 0 < int(done.stdout) < 1000


def test_ten_thousand_names_are_read_with_a_few_calls_each() -> None:
    names = [f"family{number % 50}_tool{number}" for number in range(10_000)]
    assert len(tools_by_name(names)) == len(names)
    assert calls_of(lambda: tools_by_name(names)) < 20 * len(names)


def test_a_function_becomes_a_tool_that_runs_and_asks() -> None:
    def bike_fix(bike: str, hours: int = 1) -> str:
        """Repair a bicycle."""
        return f"{bike}: {hours}"

    fixing, known = tools_by_name([bike_fix, "part_order"])
    assert (fixing.name, fixing.family, fixing.description) == ("bike_fix", "bike", "Repair a bicycle.")
    assert (fixing.safety, fixing.required, fixing.is_by_name) == ("dangerous", ("bike",), False)
    assert known.is_by_name


def test_a_function_that_a_model_could_not_fill_is_refused_in_one_line() -> None:
    def bike_fix(bike):  # type: ignore[no-untyped-def]
        return bike

    with pytest.raises(DefinitionError, match=r"\Atool 'bike_fix': parameter 'bike' has no type") as refused:
        tools_by_name([bike_fix])
    assert "\n" not in str(refused.value)
