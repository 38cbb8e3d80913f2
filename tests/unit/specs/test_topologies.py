"""Topologies as folders: what is read, and one clear line for what does not fit together."""

from __future__ import annotations

from pathlib import Path

import pytest

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.specs.agent import Source
from lango_nb.specs.topologies import (
    load_prompt_sections,
    load_topology,
    read_prompt_sections,
    read_topology,
    topology_names,
)
from lango_nb.specs.topology import PromptSection
from tests.calls import calls_of

OFFICE = """\
name: office
title: two at a desk
root: boss
roster: [courier, clerk]
match_order: [clerk, courier]
unmatched_to: clerk
control: transfer
decline: reject
max_rounds: 3
max_steps: 9
root_sections:
- id: identity
  priority: 100
  text: |
    You are {root}.
    You decide.
- id: table
  title: Table
  render: routing_table
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("clerk", "courier"):
        put(tmp_path, name, f"---\nname: {name}\nprefixes: [{name}_]\n---\nYou are {name}.\n")
    (tmp_path / "topology.yaml").write_text(OFFICE, encoding="utf-8")
    return tmp_path


def put(folder: Path, subfolder: str, text: str) -> None:
    (folder / "agents" / subfolder).mkdir(parents=True)
    (folder / "agents" / subfolder / "AGENT.md").write_text(text, encoding="utf-8")


def change(folder: Path, old: str, new: str) -> None:
    text = (folder / "topology.yaml").read_text(encoding="utf-8")
    assert old in text
    (folder / "topology.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")


def refusal(folder: Path) -> str:
    with pytest.raises(DefinitionError) as caught:
        read_topology(folder, shown_as="office")
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


# ── folders of anybody


def test_a_folder_is_read_with_its_agents_in_roster_order(folder: Path) -> None:
    topology = read_topology(folder, shown_as="office")
    assert (topology.name, topology.root, topology.control, topology.max_steps) == ("office", "boss", "transfer", 9)
    assert [(spec.name, spec.prefixes, spec.instruction, spec.source, spec.path) for spec in topology.agents] == [
        ("courier", ("courier_",), "You are courier.", Source.BUILTIN, "office/agents/courier/AGENT.md"),
        ("clerk", ("clerk_",), "You are clerk.", Source.BUILTIN, "office/agents/clerk/AGENT.md"),
    ]
    assert topology.root_sections == (
        PromptSection(id="identity", priority=100, text="You are {root}.\nYou decide.\n"),
        PromptSection(id="table", title="Table", render="routing_table"),
    )


def test_files_are_named_as_the_folder_was_given(folder: Path) -> None:
    assert read_topology(folder).agents[0].path == str(folder / "agents" / "courier" / "AGENT.md")


def test_without_a_roster_the_folders_give_the_order(folder: Path) -> None:
    change(folder, "roster: [courier, clerk]\n", "")
    assert [spec.name for spec in read_topology(folder).agents] == ["clerk", "courier"]


def test_a_root_may_be_alone(tmp_path: Path) -> None:
    (tmp_path / "topology.yaml").write_text("name: alone\nroot: me\n")
    topology = read_topology(tmp_path)
    assert topology.agents == ()
    assert topology.is_single


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("root: boss\n", "", "1: root: is missing; add it"),
        ("root: boss", "root: ''", "3: root: '' is not a name: a letter, then at most 63 letters,"),
        ("name: office", "name: my office", "1: name: 'my office' is not a name"),
        (
            "root: boss",
            "root: clerk",
            ("3: root: 'clerk' is also the agent of office/agents/clerk/AGENT.md; rename one of them"),
        ),
        ("root: boss", "root: user", "3: root: 'user' is the person who asks"),
        (
            "[courier, clerk]",
            "[courier, clerk, guard]",
            "4: roster, item 3: 'guard' has no AGENT.md below agents/; there is: clerk, courier",
        ),
        (
            "[courier, clerk]",
            "[courier, clerc]",
            "4: roster, item 2: 'clerc' has no AGENT.md below agents/; did you mean 'clerk'?",
        ),
        (
            "[courier, clerk]",
            "[clerk]",
            ("4: roster: leaves out 'courier' of office/agents/courier/AGENT.md; add it or remove that folder"),
        ),
        (
            "[courier, clerk]",
            "[courier, clerk, clerk]",
            "4: roster, item 3: 'clerk' is there twice; remove one",
        ),
        (
            "[courier, clerk]",
            "courier",
            '4: roster: has to be a list, not "courier"; write a list: ["courier"]',
        ),
        (
            "match_order: [clerk,",
            "match_order: [clark,",
            "5: match_order, item 1: 'clark' is no agent of this topology; did you mean 'clerk'?",
        ),
        (
            "match_order: [clerk,",
            "match_order: [boss,",
            ("5: match_order, item 1: 'boss' is no agent of this topology; there is: courier, clerk"),
        ),
        (
            "match_order: [clerk,",
            "match_order: [courier,",
            "5: match_order, item 2: 'courier' is there twice",
        ),
        ("unmatched_to: clerk", "unmatched_to: nobody", "6: unmatched_to: 'nobody' is no agent"),
        (
            "control: transfer",
            "control: transfers",
            "7: control: has to be 'none', 'transfer', 'spawn' or 'delegate', not \"transfers\"",
        ),
        (
            "control: transfer",
            "control: none",
            "7: control: 'none' leaves the agents without work; write 'transfer' or remove them",
        ),
        ("max_rounds: 3", "max_rounds: -1", "9: max_rounds: has to be 0 or more, not -1"),
        ("max_steps: 9", "max_steps: 0", "10: max_steps: has to be 1 or more, not 0"),
        ("max_steps: 9", "max_steps: many", '10: max_steps: has to be a whole number, not "many"'),
        (
            "max_steps: 9",
            "maxSteps: 9",
            "10: maxSteps: is no key of this file; did you mean 'max_steps'?",
        ),
        (
            "max_steps: 9",
            "agents: []",
            "10: agents: agents are read from their folders; list their names under 'roster'",
        ),
        ("- id: table", "- id: identity", "17: root_sections, item 2: 'identity' is there twice"),
        (
            "  render: routing_table",
            "  render: table",
            (
                "19: root_sections, item 2, render: has to "
                "be 'text', 'agents', 'routing_table', 'unmatched' or 'delegates', not \"table\""
            ),
        ),
        (
            "  priority: 100",
            "  prio: 100",
            "13: root_sections, item 1, prio: is no key of this file; did you mean 'priority'?",
        ),
        ("title: two at a desk", "title: two: at a desk", "2: title: bad YAML, mapping values"),
    ],
)
def test_what_does_not_fit_together_is_named_with_its_line(folder: Path, old: str, new: str, message: str) -> None:
    change(folder, old, new)
    assert refusal(folder).startswith(f"office/topology.yaml:{message}")


def test_two_agents_of_one_name_are_refused_with_both_files(folder: Path) -> None:
    put(folder, "twin", "---\nname: clerk\n---\n")
    assert refusal(folder) == (
        "office/agents/twin/AGENT.md: name: 'clerk' is taken by office/agents/clerk/AGENT.md; rename one of them"
    )


def test_an_agent_may_not_be_called_like_the_person(folder: Path) -> None:
    put(folder, "user", "---\nname: user\n---\n")
    change(folder, "[courier, clerk]", "[courier, clerk, user]")
    assert refusal(folder).startswith("office/topology.yaml:4: roster: 'user' is the person who asks")


def test_a_bad_agent_is_named_with_its_file(folder: Path) -> None:
    put(folder, "porter", "---\nname: porter\nprefixes: x\n---\n")
    assert refusal(folder).startswith("office/agents/porter/AGENT.md:3: prefixes: has to be a list")


def test_a_folder_without_topology_yaml_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none").startswith("office/topology.yaml: cannot be read (No such file or directory)")


# ── the package's own


def test_every_topology_of_the_package_loads_under_its_folders_name() -> None:
    assert topology_names() == ("genome", "octet", "quartet", "sextet", "solo")
    for name in topology_names():
        topology = load_topology(name)
        assert topology.name == name
        assert all(spec.path.startswith(f"lango_nb/topologies/{name}/") for spec in topology.agents)


def test_a_topology_is_read_once() -> None:
    assert load_topology("octet") is load_topology("octet")


@pytest.mark.parametrize("name", ["octett", "", "../data", "octet/../octet", "octet\0"])
def test_an_unknown_topology_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"^topology '.*' not found; (did you mean|there is)"):
        load_topology(name)


def test_eight_agents_load_with_few_calls() -> None:
    load_topology("octet")  # what is loaded once in a process is loaded
    load_topology.cache_clear()
    assert calls_of(lambda: load_topology("octet")) < 20_000


# ── prompt sections


def test_the_shared_sections_come_in_the_order_of_their_priorities() -> None:
    sections = load_prompt_sections()
    assert [(section.id, section.priority) for section in sections] == [
        ("identity", 100),
        ("safety", 200),
        ("conversation_rules", 300),
        ("output_principles", 350),
        ("tool_usage", 400),
    ]
    assert all(section.title and section.text and section.render == "text" for section in sections)


def test_own_sections_have_their_heading_as_title_and_follow_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "TONE.md").write_text("No heading, only text.\n")
    (tmp_path / "ZOO.md").write_bytes(b"\xef\xbb\xbf# Zoo \r\n\r\n## Cages\r\nFeed them.\r\n")
    (tmp_path / "SAFETY.md").write_text("# Safety first")
    (tmp_path / "notes.txt").write_text("not a section")
    assert read_prompt_sections(tmp_path) == (
        PromptSection(id="safety", title="Safety first", text="", priority=200),
        PromptSection(id="tone", title="", text="No heading, only text.", priority=900),
        PromptSection(id="zoo", title="Zoo", text="## Cages\nFeed them.", priority=901),
    )
    assert read_prompt_sections(tmp_path / "none") == ()


def test_a_section_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "SAFETY.md").write_bytes(b"fine\n\xff")
    with pytest.raises(DefinitionError, match=r"^prompts/SAFETY\.md:2: file: byte 0xff is not UTF-8"):
        read_prompt_sections(tmp_path, shown_as="prompts")
