"""What the author of an agent is told where the tree, the doctor and a cell see what will hardly work."""

from __future__ import annotations

from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.doctor import examine
from lango_nb.routing.lint import remarks
from lango_nb.specs.agent import AgentSpec

UNKNOWN = "---\nname: tailor\nprefix: sew_\nkeyword: hem\ncolor: blue\nkeywords: [hem]\nprefixes: [sew_]\n---\nYou sew."
TAKEN = "---\nname: tailor\ndescription: sews\nkeywords: [hem]\nprefixes: [fs_]\n---\nYou sew."
MUTE = "---\nname: tailor\ndescription: sews\nprefixes: [sew_]\n---\nYou sew."
SEEN = {
    UNKNOWN: [
        "<cell>: prefix: nothing reads this key; did you mean 'prefixes'?",
        "<cell>: keyword: nothing reads this key; did you mean 'keywords'?",
        "<cell>: color: nothing reads this key",
    ],
    TAKEN: [
        "operator has fs_list, fs_read, fs_stat, which tailor claims with 'fs_': operator comes earlier in the",
        "to go first, name tailor before it in the match_order of a topology of your own, or claim other names",
    ],
    MUTE: [
        "tailor has no keywords and no example_requests: only its name, its description and the names of its tools",
    ],
}
TOOLS = ("fs_list", "fs_read", "fs_stat")


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("has_work", [True, False])
@pytest.mark.parametrize("text", list(SEEN), ids=["unknown keys", "taken prefix", "no words"])
def test_the_cell_and_the_doctor_say_it(text: str, has_work: bool) -> None:
    lab = Lab("octet", tools=[*TOOLS, "sew_button"] if has_work else TOOLS)
    view = lab.add_agent(text)
    for said in SEEN[text]:
        assert said in flat(view.text)
        assert said.replace("'", "&#x27;").replace("<", "&lt;").replace(">", "&gt;") in view.html
    told = [finding.text for finding in examine(lab.engine) if finding.check == "tree" and finding.status == "warn"]
    assert all(any(said in one for one in told) for said in SEEN[text])


def test_nothing_is_said_of_an_agent_as_it_should_be() -> None:
    lab = Lab("octet", tools=[*TOOLS, "sew_button"])
    lab.add_agent("---\nname: tailor\nkeywords: [hem]\nprefixes: [sew_]\n---\nYou sew.")
    spec = lab.engine.registry.get("tailor")
    assert remarks(spec, lab.engine.tree) == ()
    assert lab.diff().record.remarks == ()
    assert not [finding for finding in examine(lab.engine) if "tailor" in finding.text]


def test_the_advice_works() -> None:
    lab = Lab("octet", tools=TOOLS)
    lab.add_agent(TAKEN)
    octet = lab.engine.topology
    lab.use(octet.model_copy(update={"name": "shop", "match_order": ("tailor", *octet.match_order)}))
    assert lab.partition["tailor"] == TOOLS
    assert remarks(lab.engine.registry.get("tailor"), lab.engine.tree) == ()


def test_many_tools_are_counted() -> None:
    lab = Lab("octet", tools=[f"fs_{name}" for name in "abcde"])
    (said,) = remarks(AgentSpec(name="tailor", prefixes=("fs_*",), keywords=("hem",)), lab.engine.tree)
    assert said.startswith("operator has fs_a, fs_b, fs_c and 2 more, which tailor claims with 'fs_*'")


def test_a_key_of_a_file_is_told_once(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "tailor"
    folder.mkdir(parents=True)
    (folder / "AGENT.md").write_text(UNKNOWN, encoding="utf-8")
    lab = Lab("octet", tools=["sew_button"], settings={"agent": {"agentsDir": str(folder.parent)}})
    said = [finding.text for finding in examine(lab.engine) if "color: nothing reads this key" in finding.text]
    assert len(said) == 1
