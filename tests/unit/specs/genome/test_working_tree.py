"""Files of a genome that people edit, break, delete or link, and those that a crash left."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.core.errors import DefinitionError, StoreError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome

Make = Callable[..., AgentSpec]


def edit(folder: Path, old: str, new: str, name: str = "reader") -> Path:
    path = folder / "agents" / f"{name}.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def prompt(genome: Genome, name: str = "reader") -> str:
    found = genome.get_agent(name)
    assert found is not None
    return found.instruction


def test_a_hand_edit_is_in_use_and_reported(genome: Genome, folder: Path) -> None:
    assert not genome.refresh()
    generation = genome.generation
    edit(folder, "You are reader.", "You read by hand.")
    assert genome.refresh()
    assert genome.generation != generation
    for one in (genome, Genome.open(folder)):
        assert prompt(one) == "You read by hand."
        assert one.edits == ("agents/reader.yaml",)
        assert [(found.path, found.kind) for found in one.findings] == [("agents/reader.yaml", "edited")]
        assert not one.refresh()


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited in place": lambda agents: edit(agents.parent, "You are reader.", "You read by hand."),
    "replaced": lambda agents: (agents.parent / "new").replace(agents / "reader.yaml"),
    "deleted": lambda agents: (agents / "reader.yaml").unlink(),
    "added": lambda agents: (agents.parent / "new").rename(agents / "writer.yaml"),
    "linked": lambda agents: (agents / "writer.yaml").symlink_to(agents / "reader.yaml"),
    "memories": lambda agents: (agents.parent / "memories" / "memories.jsonl").write_text(""),
    "manifest gone": lambda agents: (agents.parent / "bootstrap-manifest.json").unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_after_many_looks_is_seen_at_the_next(change: str, genome: Genome, folder: Path) -> None:
    genome.add_memory("Thread comes in colours")
    text = (folder / "agents" / "reader.yaml").read_text()
    (folder / "new").write_text(text.replace("name: reader", "name: writer") if change == "added" else f"{text}\n# new")
    an_hour_ago = time.time() - 3600
    os.utime(folder / "agents", (an_hour_ago, an_hour_ago))  # names that have long been the same are not listed again
    for _ in range(3):
        genome.refresh()
    before = genome.memories, genome.all_agents(), genome.findings
    CHANGES[change](folder / "agents")
    genome.refresh()
    assert (genome.memories, genome.all_agents(), genome.findings) != before
    assert not genome.refresh()


def test_a_change_of_an_edited_agent_keeps_the_edit_in_a_commit_of_its_own(
    genome: Genome, folder: Path, git: Callable[..., str]
) -> None:
    edit(folder, "You are reader.", "You read by hand.")
    edit(folder, "You are editor.", "You edit by hand.", "editor")
    genome.refresh()
    spec = genome.get_agent("reader")
    assert spec is not None
    genome.update_agent(spec.with_changes(description="Reads"))
    subjects = [one.subject for one in genome.history(2)]
    assert subjects == ["update agent reader to version 3", "keep hand edit of agent reader"]
    assert genome.edits == ("agents/editor.yaml",)
    assert git("status", "--porcelain").split() == ["M", "agents/editor.yaml"]
    genome.rollback("HEAD")
    assert prompt(genome) == "You read by hand."
    genome.rollback("HEAD~2")
    assert prompt(genome) == "You are reader."
    assert prompt(genome, "editor") == "You edit by hand."


def test_edits_are_kept_with_their_comments_and_the_next_version(
    genome: Genome, folder: Path, git: Callable[..., str]
) -> None:
    path = edit(folder, "description: The reader", "# a comment\ndescription: Reads")
    assert genome.keep_edits() == ("agents/reader.yaml",)
    assert "# a comment\n" in path.read_text()
    found = Genome.open(folder).get_agent("reader")
    assert found is not None
    assert (found.description, found.version) == ("Reads", 2)
    assert (genome.edits, genome.findings) == ((), ())
    assert genome.commit().operation == "edit"
    assert git("status", "--porcelain") == ""
    assert genome.keep_edits() == ()


def test_an_agent_that_is_put_into_the_folder_is_in_use(genome: Genome, folder: Path) -> None:
    text = (folder / "agents" / "reader.yaml").read_text().replace("name: reader", "name: tailor")
    (folder / "agents" / "tailor.yaml").write_text(text)
    genome.refresh()
    assert genome.get_agent("tailor") is not None
    assert genome.keep_edits() == ("agents/tailor.yaml",)
    assert [item.action for item in genome.show().items] == ["added"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: reader\n  description: [", "agents/reader.yaml:2: "),
        ("- reader\n", "has to be lines of 'key: value', not a list"),
        ("name: other\ndescription: x\nmodel: fast\nsystem_prompt: x\n", "is 'other', which belongs in other.yaml"),
        ("x: &x 1\ny: *x\n", "is not read here"),
        ("name: reader\nname: reader\n", "stands here and in line 1"),
    ],
)
def test_an_edit_that_cannot_be_read_is_reported_and_not_lost(
    genome: Genome, folder: Path, text: str, said: str
) -> None:
    path = folder / "agents" / "reader.yaml"
    committed = path.read_text()
    path.write_text(text)
    genome.refresh()
    (finding,) = genome.findings
    assert (finding.kind, prompt(genome)) == ("unreadable", "You are reader.")
    assert said in finding.what
    assert path.read_text() == text
    opened = Genome.open(folder)
    assert (opened.findings[0].kind, prompt(opened), path.read_text()) == ("set_aside", "You are reader.", committed)
    (kept,) = (folder / ".state" / "set-aside").iterdir()
    assert kept.read_text() == text
    assert str(kept.relative_to(folder)) in opened.findings[0].what


def test_a_file_with_another_ending_is_reported(genome: Genome, folder: Path) -> None:
    other = folder / "agents" / "tailor.yml"
    other.write_text((folder / "agents" / "reader.yaml").read_text())
    assert [one.path for one in Genome.open(folder).findings] == ["agents/tailor.yml"]
    other.unlink()
    genome.refresh()
    assert genome.findings == ()


def test_a_change_of_a_file_that_cannot_be_read_sets_it_aside(genome: Genome, folder: Path) -> None:
    (folder / "agents" / "reader.yaml").write_text("mine: [")
    spec = genome.get_agent("reader")
    assert spec is not None
    genome.update_agent(spec.with_changes(instruction="You read well."))
    assert prompt(Genome.open(folder)) == "You read well."
    assert [kept.read_text() for kept in (folder / ".state" / "set-aside").iterdir()] == ["mine: ["]


@pytest.mark.parametrize("left", [b"", b"\0" * 100, None])
def test_what_a_crash_of_the_machine_left_of_a_file_is_put_right(
    genome: Genome, folder: Path, left: bytes | None, git: Callable[..., str]
) -> None:
    memory = genome.add_memory("Thread comes in colours")
    for name in ("agents/reader.yaml", "memories/memories.jsonl"):
        (folder / name).unlink()
        if left is not None:
            (folder / name).write_bytes(left)
    opened = Genome.open(folder)
    assert prompt(opened) == "You are reader."
    if left is None or left:
        assert opened.memories == (memory,)
        assert git("status", "--porcelain") == ""
        assert {one.kind for one in opened.findings} == {"restored"}
    assert not (folder / ".state" / "set-aside").exists()


def test_deleting_a_file_removes_no_agent(genome: Genome, folder: Path) -> None:
    (folder / "agents" / "root.yaml").unlink()
    genome.refresh()
    assert genome.get_agent("root") is not None
    assert (folder / "agents" / "root.yaml").exists()
    assert "was missing and is put back; to take an agent away, remove it" in genome.findings[0].what


def test_a_file_as_the_last_commit_found_it_is_put_right_and_a_later_edit_is_not(
    genome: Genome, folder: Path, agent: Make
) -> None:
    import os

    path = folder / "agents" / "reader.yaml"
    before = path.read_text()
    spec = genome.get_agent("reader")
    assert spec is not None
    genome.update_agent(spec.with_changes(instruction="You read well."))
    path.write_text(before)
    assert prompt(Genome.open(folder)) == "You are reader."
    path.write_text(before)
    os.utime(path, (1, 1))
    assert prompt(Genome.open(folder)) == "You read well."


def test_memories_and_rules_can_be_edited_by_hand(genome: Genome, folder: Path) -> None:
    genome.add_memory("Thread comes in colours")
    genome.add_rule("cloth", "reader")
    for name, old, new in (
        ("memories/memories.jsonl", "colours", "colors"),
        ("routing/rules.yaml", "cloth", "cloth and thread"),
    ):
        (folder / name).write_text((folder / name).read_text().replace(old, new))
    genome.refresh()
    assert genome.memories[0].content == "Thread comes in colors"
    assert genome.match_rules("thread") == genome.rules
    genome.add_memory("Needles are sharp")
    assert [one.subject.split(" m-")[0] for one in genome.history(2)] == [
        "add memory",
        "keep hand edit of memories/memories.jsonl",
    ]
    assert len(Genome.open(folder).memories) == 2


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("memories/memories.jsonl", "{", "memories/memories.jsonl:2: is no line of JSON"),
        ("memories/memories.jsonl", '{"id": "m-1"}', "memories/memories.jsonl:2: content: has to be text"),
        ("memories/memories.jsonl", "[" * 100_000, "memories/memories.jsonl:2: is no line of JSON"),
        ("routing/rules.yaml", "- id: r-1", "routing/rules.yaml:7: rules, item 2, condition: is missing"),
        ("routing/rules.yaml", "rules: []", "routing/rules.yaml:7: rules: stands here and in line 1"),
    ],
)
def test_a_line_that_cannot_be_read_costs_no_other(
    genome: Genome, folder: Path, name: str, line: str, said: str
) -> None:
    memory = genome.add_memory("Thread comes in colours")
    rule = genome.add_rule("cloth", "reader")
    with (folder / name).open("a") as file:
        file.write(f"{line}\n")
    genome.refresh()
    assert said in genome.findings[0].what
    assert (genome.memories, genome.rules) == ((memory,), (rule,))


def test_a_committed_file_that_cannot_be_read_is_not_written_over(
    genome: Genome, folder: Path, git: Callable[..., str], agent: Make
) -> None:
    genome.add_memory("Thread comes in colours")
    for name in ("memories/memories.jsonl", "agents/reader.yaml"):
        (folder / name).write_text("broken: [\n")
    git("commit", "-qam", "broken")
    opened = Genome.open(folder)
    assert [one.kind for one in opened.findings] == ["unreadable", "unreadable"]
    assert [one.name for one in opened.all_agents()] == ["editor", "root"]
    for act in (
        lambda: opened.add_memory("Needles are sharp"),
        lambda: opened.update_agent(agent("reader")),
        lambda: opened.add_agent(agent("reader")),
    ):
        with pytest.raises(DefinitionError, match=r"it is committed so; edit the file and keep it, or roll back"):
            act()
    opened.rollback("HEAD")
    assert prompt(opened) == "You are reader."
    assert len(opened.memories) == 1


def test_links_lead_nowhere(genome: Genome, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text((folder / "agents" / "reader.yaml").read_text().replace("name: reader", "name: secret"))
    (folder / "agents" / "secret.yaml").symlink_to(secret)
    opened = Genome.open(folder)
    assert opened.get_agent("secret") is None
    assert [one.what for one in opened.findings] == [
        "agents/secret.yaml is not read; an agent is a file of its own, not a link, called NAME.yaml"
    ]
    (folder / "routing").rename(tmp_path / "routing")
    (folder / "routing").symlink_to(tmp_path / "routing")
    with pytest.raises(StoreError, match="routing is a symbolic link, which may lead anywhere"):
        Genome.open(folder)


@pytest.mark.parametrize("head", ["ref: ../../../outside", "ref: refs/heads/../../x", "ref: /etc/x", "0" * 40, ""])
def test_a_head_that_names_no_branch_is_refused(genome: Genome, folder: Path, head: str) -> None:
    (folder / ".git" / "HEAD").write_text(f"{head}\n")
    with pytest.raises(StoreError, match=r"names no branch|is on no branch"):
        Genome.open(folder)


def test_a_missing_object_is_one_line(genome: Genome, folder: Path) -> None:
    head = genome.commit().id
    (folder / ".git" / "objects" / head[:2] / head[2:]).unlink()
    with pytest.raises(StoreError, match=r"commit .* is missing; run git fsck there"):
        Genome.open(folder)
