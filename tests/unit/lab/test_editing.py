"""A tree that is changed by hand: edit, rename, drop, send a tool, undo; saved to a folder it is read as the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.core.errors import DefinitionError, LangoError, UnknownNameError, UsageError
from lango_nb.specs.agent_md import read_agent_md
from lango_nb.specs.topologies import load_topology, read_topology, topology_files, topology_names
from lango_nb.specs.topology import Topology
from tests.unit.viz import samples

TAILOR = "---\nname: tailor\nprefixes: [sew_*]\nkeywords: [hem]\n---\nYou sew.\n"


@pytest.fixture
def lab() -> Lab:
    return Lab("octet")


def without_paths(topology: Topology) -> Topology:
    agents = tuple(spec.model_copy(update={"path": ""}) for spec in topology.agents)
    root = topology.root_spec and topology.root_spec.model_copy(update={"path": ""})
    return topology.model_copy(update={"agents": agents, "root_spec": root})


def test_an_agent_of_the_topology_is_edited_in_a_copy_of_it(lab: Lab) -> None:
    change = lab.edit_agent("vault", example_requests=["polish the sapphires"], description="Keeps the lockers.")
    assert lab.topology == "octet-edited"
    assert lab.tree.record["vault"].description == "Keeps the lockers."
    assert [one.agent for one in change.prompts] == ["lango-orchestrator"]
    assert lab.route("polish the sapphires").candidates[0].agent == "vault"
    assert load_topology("octet").agents[2].description != "Keeps the lockers."
    assert "vault" in lab.ask("hash milk with sha256").path
    lab.use("octet")
    lab.use("octet-edited")
    assert lab.tree.record["vault"].description == "Keeps the lockers."


def test_a_renamed_agent_is_renamed_wherever_it_is_named() -> None:
    lab = Lab("quartet")
    order, owned = lab.partition.order, lab.partition["executor"]
    lab.edit_agent("executor", name="doer")
    assert lab.partition.order == tuple("doer" if name == "executor" else name for name in order)
    assert lab.partition["doer"] == owned
    assert "executor" not in lab.prompt().prompt


def test_a_tool_is_sent_to_an_agent_and_back_and_no_other_moves(lab: Lab) -> None:
    change = lab.move_tool("exec_bg", "automator")
    assert [(one.tool, one.before, one.after) for one in change.tools] == [("exec_bg", "operator", "automator")]
    lab.move_tool("exec_bg", "operator")
    assert lab.partition.owner("exec_bg") == "operator"
    assert not lab.diff(Lab("octet")).tools


def test_whoever_claims_a_tool_too_is_asked_later(lab: Lab) -> None:
    lab.edit_agent("vault", prefixes=["crypto_*", "fs_*"])
    assert lab.partition.owner("fs_read") == "vault"
    lab.move_tool("fs_read", "operator")
    assert lab.partition.owner("fs_read") == "operator"
    assert "is asked before vault" in lab.partition.why("fs_read").reason


def test_an_agent_is_dropped_and_its_tools_belong_to_nobody(lab: Lab) -> None:
    assert lab.drop_agent("vault").vanished == ("vault",)
    assert lab.partition.owner("crypto_hash") is None
    for name in lab.tree.names[1:-1]:
        lab.drop_agent(name)
    with pytest.raises(UsageError, match="the only agent"):
        lab.drop_agent(lab.tree.names[-1])


def test_one_that_was_added_is_edited_and_dropped_and_the_topology_stays_as_it_is(lab: Lab) -> None:
    lab.add_agent(TAILOR)
    lab.edit_agent("tailor", name="sewer", prefixes=["crypto_hash"])
    assert lab.topology == "octet"
    lab.move_tool("crypto_hash", "sewer")
    assert lab.partition.owner("crypto_hash") == "sewer"
    lab.drop_agent("sewer")
    assert lab.partition.owner("crypto_hash") == "vault"


def test_each_change_is_taken_back_in_its_turn(lab: Lab) -> None:
    shapes = [lab.engine.shape]
    changes: list[Callable[[], object]] = [
        lambda: lab.edit_agent("vault", name="safe"),
        lambda: lab.add_agent(TAILOR),
        lambda: lab.move_tool("exec_bg", "safe"),
        lambda: lab.use("sextet"),
    ]
    for change in changes:
        change()
        shapes.append(lab.engine.shape)
    while len(shapes) > 1:
        assert lab.engine.shape == shapes.pop()
        lab.undo()
    assert lab.engine.shape == shapes[0]
    assert lab.topology == "octet"
    with pytest.raises(UsageError, match="no change"):
        lab.undo()


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        (lambda lab: lab.edit_agent("vault", name="operator"), DefinitionError, "is there already"),
        (lambda lab: lab.edit_agent("vault", name="lango-orchestrator"), DefinitionError, "is there already"),
        (lambda lab: lab.edit_agent("vault", name="user"), DefinitionError, "is there already"),
        (lambda lab: lab.edit_agent("vault", name="<b>"), DefinitionError, "agent 'vault': name: a name is a letter"),
        (lambda lab: lab.edit_agent("vault", keywords="hem"), DefinitionError, "agent 'vault': keywords: has to be"),
        (lambda lab: lab.edit_agent("vault", description="\0"), DefinitionError, "description: holds U+0000"),
        (lambda lab: lab.edit_agent("vault", keywords=["\ud800"]), DefinitionError, "keywords: holds U+D800"),
        (lambda lab: lab.edit_agent("vault", source=3), UnknownNameError, "field 'source'"),
        (lambda lab: lab.edit_agent("lango-orchestrator", description="x"), UnknownNameError, "agents to edit"),
        (lambda lab: lab.drop_agent("valt"), UnknownNameError, "did you mean 'vault'"),
        (lambda lab: lab.move_tool("fs_reed", "vault"), UnknownNameError, "did you mean 'fs_read'"),
        (lambda lab: lab.move_tool("fs_read", "nobody"), UnknownNameError, "agent 'nobody'"),
        (lambda lab: lab.move_tool("agent_spawn", "vault"), UsageError, "cannot be sent"),
        (lambda lab: lab.move_tool("builtin_list", "vault"), UsageError, "cannot be sent"),
    ],
)
def test_what_is_wrong_is_refused_in_a_line_and_nothing_changes(
    lab: Lab, change: Callable[[Lab], object], kind: type[LangoError], words: str
) -> None:
    tree = lab.engine.tree
    with pytest.raises(kind) as error:
        change(lab)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert lab.engine.tree is tree


@pytest.mark.parametrize("name", topology_names())
def test_the_files_of_a_topology_are_read_as_the_same(name: str, tmp_path: Path) -> None:
    topology = load_topology(name)
    for path, text in topology_files(topology).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert without_paths(read_topology(tmp_path)) == without_paths(topology)


def test_a_changed_topology_is_saved_with_whoever_joined_and_used_again(lab: Lab, tmp_path: Path) -> None:
    lab.add_agent(TAILOR)
    lab.edit_agent("vault", description=samples.HOSTILE.replace("\ud800", "").replace("\0", ""))
    lab.move_tool("exec_bg", "tailor")
    folder = lab.save_topology(tmp_path / "mine")
    other = Lab("quartet")
    other.use(folder)
    assert other.topology == "octet-edited"
    assert [(one.tool, one.agent) for one in other.partition.record.assignments] == [
        (one.tool, one.agent) for one in lab.partition.record.assignments
    ]
    assert other.tree.record["vault"].description == lab.tree.record["vault"].description


def test_what_is_there_is_replaced_only_when_that_is_said(lab: Lab, tmp_path: Path) -> None:
    lab.save_topology(tmp_path)
    (tmp_path / "agents" / "vault" / "notes.md").write_text("mine")
    lab.drop_agent("vault")
    with pytest.raises(UsageError, match="already"):
        lab.save_topology(tmp_path)
    assert "vault" in [spec.name for spec in read_topology(tmp_path).agents]
    lab.save_topology(tmp_path, overwrite=True)
    assert "vault" not in [spec.name for spec in read_topology(tmp_path).agents]
    assert (tmp_path / "agents" / "vault" / "notes.md").read_text() == "mine"
    file = lab.save_agent("operator", tmp_path / "AGENT.md")
    assert read_agent_md(file).keywords == lab.engine.shape.agent("operator").keywords
    with pytest.raises(UsageError, match=r"AGENT\.md"):
        lab.save_agent("operator", tmp_path)
    assert lab.save_agent("planner", tmp_path, overwrite=True) == file
    assert read_agent_md(file).name == "planner"
