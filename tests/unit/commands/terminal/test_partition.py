"""``lango partition`` shows the owner of every tool under the topology in use."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.specs.topologies import load_topology


@pytest.mark.parametrize("topology", ["solo", "quartet", "sextet", "octet"])
def test_json_holds_every_tool_once(lango: Callable[..., Any], topology: str) -> None:
    done = lango("partition", "--topology", topology, "--output", "json")
    assert (done.code, done.err) == (0, "")
    data = json.loads(done.out)
    assert (data["topology"], data["root"]) == (topology, load_topology(topology).root)
    assert set(data["agents"]) >= {spec.name for spec in load_topology(topology).agents}
    placed = [name for names in data["agents"].values() for name in names]
    rest = data["unmatched"] + data["universal"] + data["dropped"]
    assert sorted(placed + rest) == sorted(row["tool"] for row in data["tools"])
    assert len({row["tool"] for row in data["tools"]}) == len(data["tools"]) > 40
    for row in data["tools"]:
        assert row["reason"]
        assert (row["agent"] is None) == (row["rule"] in {"unmatched", "universal", "dropped"})


def test_real_tools_and_those_known_by_name_are_told_apart(lango: Callable[..., Any]) -> None:
    rows = {row["tool"]: row for row in json.loads(lango("partition", "--output", "json").out)["tools"]}
    assert rows["fs_read"] == {
        "tool": "fs_read",
        "family": "fs",
        "agent": "operator",
        "rule": "prefix",
        "prefix": rows["fs_read"]["prefix"],
        "rank": rows["fs_read"]["rank"],
        "also": [],
        "reason": rows["fs_read"]["reason"],
        "by_name_only": False,
    }
    assert rows["browser_navigate"]["by_name_only"] is True
    assert rows["browser_navigate"]["agent"] == "navigator"


def test_the_table_names_every_agent(lango: Callable[..., Any]) -> None:
    done = lango("partition", "--topology", "octet")
    assert (done.code, done.err) == (0, "")
    for name in ("operator", "navigator", "vault", "librarian", "automator", "chronicler", "ontologist"):
        assert name in done.out


def test_settings_decide_where_no_topology_is_asked_for(lango: Callable[..., Any], here: Path) -> None:
    def topology(*words: str) -> str:
        return str(json.loads(lango("partition", "--output", "json", *words).out)["topology"])

    assert topology() == "octet"
    assert topology("--settings", "lab.topology=sextet") == "sextet"
    assert topology("--settings", "agent.multiAgent=false") == "solo"
    assert topology("--settings", "agent.multiAgent=false", "--topology", "quartet") == "quartet"
    (here / "lango.json").write_text(
        '{"agent": {"multiAgent": true}, "lab": {"topology": "quartet"}}', encoding="utf-8"
    )
    assert topology() == "quartet"
    assert topology("--topology", "octet") == "octet"


def test_agents_of_the_user_join(lango: Callable[..., Any], here: Path) -> None:
    folder = here / "agents" / "cook"
    folder.mkdir(parents=True)
    (folder / "AGENT.md").write_text("---\nname: cook\nprefixes: [payment_]\n---\nYou cook.\n", encoding="utf-8")
    data = json.loads(lango("partition", "--settings", "agent.agentsDir=agents", "--output", "json").out)
    assert "cook" in data["agents"]
    assert {row["tool"]: row for row in data["tools"]}["payment_send"]["also"] == [
        {"agent": "cook", "prefix": "payment_"}
    ]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--topology", "sixtet"], 2, "topology 'sixtet' not found; did you mean 'sextet'?"),
        (["--workspace", "nowhere"], 3, "workspace 'nowhere' is not a folder; create it or name another"),
        (["--model", "openai:gpt"], 3, "model 'openai:gpt' needs a key of OpenAI; set the variable OPENAI_API_KEY"),
    ],
)
def test_what_cannot_be_used_is_one_line(lango: Callable[..., Any], words: list[str], code: int, said: str) -> None:
    done = lango("partition", *words)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"lango: {said}")
    assert done.err.count("\n") == 1
