"""Agents that come and go: what a change did, what ships, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lango_nb import Lab
from lango_nb.core.errors import DefinitionError, UnknownNameError, UsageError
from lango_nb.specs.topologies import load_topology

TAILOR = "%%lango agent tailor\n---\ndescription: sews\nprefixes: [sew_]\n---\nYou sew."
TOOL = "%%lango tool\n@tool(safety='safe')\ndef sew_button(n: int) -> int:\n    'Sew a button on.'\n    return n"


@pytest.fixture
def tailored(session: Any) -> Any:
    """A session whose tree has an agent and a tool of its own."""
    session.run(TOOL)
    session.run(TAILOR)
    assert "tailor" in session.lab.engine.tree
    return session


class TestDiff:
    def test_an_added_agent_differs_from_what_ships(self, tailored: Any) -> None:
        view = tailored.run("%lango diff octet")
        assert view.record.vanished == ("tailor",)
        assert [(change.tool, change.before, change.after) for change in view.record.tools] == [
            ("sew_button", "tailor", None)
        ]
        assert "octet → octet as it ships" in view.text

    def test_before_shows_what_the_last_change_did(self, tailored: Any) -> None:
        view = tailored.run("%lango diff --before")
        assert view.record.appeared == ("tailor",)
        assert "octet before → octet" in view.text
        tailored.run("%lango use quartet")
        moved = tailored.run("%lango diff --before").record
        assert (moved.first, moved.second) == ("octet", "quartet")

    def test_a_new_tool_is_a_change_too(self, session: Any) -> None:
        session.run(TOOL)
        assert [change.tool for change in session.run("%lango diff --before").record.tools] == ["sew_button"]

    def test_what_was_refused_is_no_change(self, tailored: Any) -> None:
        tailored.error("%lango use octt")
        tailored.error("%lango agent --remove vault")
        assert tailored.run("%lango diff --before").record.appeared == ("tailor",)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("diff", "diff needs OTHER, as in '%lango diff quartet'"),
            ("diff --before", "nothing has been changed yet: name a topology, a Lab or a tree to compare with"),
            (
                "diff --before solo",
                "--before compares with the last state and takes no name; keep one of the two",
            ),
        ],
    )
    def test_a_line_that_says_too_little_or_too_much(self, session: Any, line: str, message: str) -> None:
        error = session.error(f"%lango {line}")
        assert (type(error), str(error)) == (UsageError, message)

    def test_diff_of_a_fresh_lab_with_its_topology_is_empty(self) -> None:
        assert Lab("sextet").diff("sextet").record.is_empty


class TestUseAFolder:
    def test_a_saved_topology_is_used_by_its_path(self, session: Any, tmp_path: Path) -> None:
        session.lab.edit_agent("vault", name="safe")
        session.lab.save_topology(tmp_path / "mine")
        session.lab.use("sextet")
        session.run(f"%lango use {tmp_path}/mine")
        assert session.lab.topology == "octet-edited"
        assert "safe" in session.lab.engine.tree

    def test_a_folder_without_one_is_refused_in_a_line_and_the_present_one_stays(
        self, session: Any, tmp_path: Path
    ) -> None:
        error = session.error(f"%lango use {tmp_path}/none")
        assert isinstance(error, DefinitionError)
        assert "topology.yaml: cannot be read" in str(error)
        assert session.lab.topology == "octet"


class TestRemove:
    def test_an_agent_goes_with_its_tools(self, tailored: Any) -> None:
        view = tailored.run("%lango agent --remove tailor")
        assert view.record.vanished == ("tailor",)
        assert "tailor" not in tailored.lab.engine.tree
        assert tailored.lab.partition.record.why("sew_button").agent is None
        assert tailored.run("%lango diff octet").record.is_empty

    @pytest.mark.parametrize(
        ("name", "kind", "words"),
        [
            ("vault", DefinitionError, "agent 'vault' belongs to octet and cannot be removed"),
            ("tailr", UnknownNameError, "did you mean 'tailor'?"),
        ],
    )
    def test_no_other_agent_can_be_removed(self, tailored: Any, name: str, kind: type[Exception], words: str) -> None:
        before = tailored.lab.engine.tree
        error = tailored.error(f"%lango agent --remove {name}")
        assert isinstance(error, kind)
        assert words in str(error)
        assert tailored.lab.engine.tree is before

    def test_only_those_that_can_be_removed_are_offered(self, tailored: Any) -> None:
        line = "%lango agent --remove "
        offered = tailored.shell.complete(None, line, len(line))[1]
        assert "tailor" in offered
        assert not {"vault", tailored.lab.engine.tree.root.name} & {*offered}
        for name in offered:
            tailored.run(line + name)
        assert tailored.lab.engine.added_agents == ()

    def test_a_cell_or_no_name_is_refused(self, tailored: Any) -> None:
        words = "write the name of the agent, and no cell"
        assert words in str(tailored.error("%lango agent --remove"))
        assert words in str(tailored.error(TAILOR.replace("agent tailor", "agent --remove tailor")))
        assert "tailor" in tailored.lab.engine.tree


class TestOwnTopology:
    def test_it_can_be_named_once_it_was_in_use(self, session: Any) -> None:
        session.names["mine"] = load_topology("sextet").model_copy(update={"name": "shop", "title": "a small shop"})
        session.run("%lango use mine")
        session.run("%lango use octet")
        session.run("%lango use shop")
        assert session.lab.topology == "shop"
        assert {"shop", "octet"} <= {topology.name for topology in session.run("%lango use").record}
        session.run("%lango use octet")
        assert session.run("%lango diff shop").record.second == "shop"

    def test_also_where_the_lab_began_with_it(self) -> None:
        lab = Lab(load_topology("solo").model_copy(update={"name": "shop"}))
        lab.use("octet")
        lab.use("shop")
        assert lab.topology == "shop"

    def test_a_topology_that_ships_keeps_its_name(self) -> None:
        lab = Lab(load_topology("solo").model_copy(update={"agents": (), "title": "none of ours"}))
        lab.use("octet")
        lab.use("solo")
        assert lab.engine.topology == load_topology("solo")
