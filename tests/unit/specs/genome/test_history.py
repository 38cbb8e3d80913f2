"""The history of a genome: what was done, what differs, and taking one commit back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.core.errors import RefusedError, UnknownNameError, UsageError
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.history import FieldChange

Make = Callable[..., AgentSpec]


def of(genome: Genome, name: str) -> AgentSpec:
    found = genome.get_agent(name)
    assert found is not None
    return found


def test_every_commit_says_what_was_done_to_what(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.update_agent(agent("tailor", instruction="You sew."))
    memory = genome.add_memory("Thread comes in colours")
    rule = genome.add_rule("cloth", "tailor")
    genome.remove_rule(rule.id)
    undone = genome.commit("HEAD~2").short_id
    genome.rollback("HEAD~2")
    genome.remove_agent("tailor", force=True)
    found = [(one.operation, one.noun, one.name) for one in genome.history()]
    assert found == [
        ("remove", "agent", "tailor"),
        ("rollback", "", undone),
        ("remove", "rule", rule.id),
        ("add", "rule", rule.id),
        ("add", "memory", memory.id),
        ("update", "agent", "tailor"),
        ("add", "agent", "tailor"),
        ("start", "", ""),
        ("begin", "", ""),
    ]


def test_the_history_of_one_agent_or_file(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.add_memory("Thread comes in colours")
    genome.update_agent(agent("tailor", instruction="You sew."))
    assert [one.operation for one in genome.history(path="tailor")] == ["update", "add"]
    assert [one.operation for one in genome.history(path="memories/memories.jsonl")] == ["add", "begin"]
    assert [one.operation for one in genome.history(limit=1, path="root")] == ["add"]
    assert len(genome.history(limit=2)) == 2
    assert len(genome.history(limit=0)) == 5


def test_a_commit_is_named_by_its_beginning_or_by_how_far_back_it_is(genome: Genome) -> None:
    genome.add_memory("Thread comes in colours")
    head, start, begin = genome.history()
    assert genome.commit() == genome.commit("HEAD") == genome.commit(head.id) == genome.commit(head.short_id) == head
    assert genome.commit("HEAD~2") == genome.commit(begin.id[:5]) == begin
    assert begin.parent == ""
    assert start.parent == begin.id
    with pytest.raises(UnknownNameError, match="commit 'ffff0000' not found in the history"):
        genome.commit("ffff0000")
    with pytest.raises(UnknownNameError):
        genome.commit("HEAD~3")
    for name in ("", "abc", "main", "../x", "HEAD~"):
        with pytest.raises(UsageError, match="names no commit"):
            genome.commit(name)


def test_what_changed_is_told_field_by_field_and_line_by_line(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.update_agent(agent("tailor", instruction="You sew.", constraints={"max_turns": 7}))
    (item,) = genome.show().items
    assert (item.noun, item.name, item.action) == ("agent", "tailor", "changed")
    assert item.fields == (
        FieldChange("constraints.max_turns", 0, 7),
        FieldChange("system_prompt", "You are tailor.", "You sew."),
        FieldChange("version", 1, 2),
    )
    lines = genome.show().text.splitlines()
    assert lines[:2] == ["--- a/agents/tailor.yaml", "+++ b/agents/tailor.yaml"]
    assert {"-system_prompt: You are tailor.", "+system_prompt: You sew.", "-  max_turns: 0", "+  max_turns: 7"} < {
        *lines
    }
    both = genome.diff("HEAD~2").items
    assert [(one.name, one.action) for one in both] == [("root", "changed"), ("tailor", "added")]
    assert both[0].fields == (FieldChange("capabilities", ["reader", "editor"], ["reader", "editor", "tailor"]),)
    back = genome.diff("HEAD", "HEAD~2").items
    assert [(one.name, one.action) for one in back] == [("root", "changed"), ("tailor", "removed")]
    assert genome.diff("HEAD").items == ()


def test_secrets_that_are_in_the_history_are_masked_where_they_are_shown(
    genome: Genome, folder: Path, git: Callable[..., str]
) -> None:
    path = folder / "agents" / "reader.yaml"
    path.write_text(path.read_text().replace("You are reader.", "Use sk-abcdefghijklmnop1234"))
    git("commit", "-qam", "With sk-abcdefghijklmnop1234")
    assert "sk-abc" not in f"{genome.show()}{genome.history()}"


def test_the_last_commit_is_the_one_made_here(genome: Genome, folder: Path) -> None:
    genome.add_memory("one thread")
    mine = genome.last_commit
    Genome.open(folder).add_memory("two threads")
    assert genome.last_commit == mine == genome.history()[1].id


def test_changes_of_memories_and_rules_are_told_by_their_ids(genome: Genome) -> None:
    first = genome.add_memory("one thread")
    second = genome.add_memory("two threads")
    rule = genome.add_rule("cloth", "reader")
    genome.remove_memory(first.id)
    found = [(one.noun, one.name, one.action) for one in genome.diff("HEAD~4").items]
    assert found == [("memory", second.id, "added"), ("rule", rule.id, "added")]
    assert [(one.noun, one.name, one.action) for one in genome.show().items] == [("memory", first.id, "removed")]


def test_a_commit_is_taken_back_and_what_came_since_stays(genome: Genome, folder: Path, agent: Make) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.add_agent(agent("baker"), parent="root")
    commit = genome.rollback("HEAD~1")
    assert commit.operation == "rollback"
    assert genome.get_agent("tailor") is None
    assert of(genome, "root").delegates == ("reader", "editor", "baker")
    assert not (folder / "agents" / "tailor.yaml").exists()
    assert Genome.open(folder).all_agents() == genome.all_agents()


def test_a_rollback_can_be_rolled_back(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.update_agent(agent("tailor", instruction="You sew."))
    before = genome.all_agents()
    genome.rollback("HEAD")
    assert of(genome, "tailor").instruction == "You are tailor."
    genome.rollback("HEAD~2")
    genome.rollback("HEAD")
    genome.rollback("HEAD~2")
    assert genome.all_agents() == before


def test_neighbouring_memories_and_rules_do_not_stand_in_the_way(genome: Genome, folder: Path) -> None:
    memories = [genome.add_memory(f"{word} thread") for word in ("one", "two", "three")]
    rules = [genome.add_rule(f"{word} cloth", "reader") for word in ("one", "two", "three")]
    genome.mark_used(memories[1].id)
    for name in (memories[1].id, rules[1].id):
        commit = next(one for one in genome.history() if one.name == name)
        genome.rollback(commit.id)
    assert genome.memories == (memories[0], memories[2])
    assert genome.rules == (rules[0], rules[2])
    for _ in range(2):
        genome.rollback("HEAD~1")
    assert genome.memories == tuple(memories)
    assert Genome.open(folder).rules == tuple(rules)


def test_removed_memories_come_back_where_they_were(genome: Genome) -> None:
    memories = [genome.add_memory(f"{word} thread") for word in ("one", "two", "three")]
    genome.remove_memory(memories[0].id)
    genome.remove_memory(memories[1].id)
    memories.append(genome.add_memory("four thread"))
    genome.rollback("HEAD~2")
    genome.rollback("HEAD~2")
    assert genome.memories == tuple(memories)


def test_other_fields_that_have_changed_since_stay(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"))
    genome.update_agent(agent("tailor", instruction="You sew."))
    genome.update_agent(agent("tailor", instruction="You sew.", description="Sews"))
    genome.rollback("HEAD~1")
    found = of(genome, "tailor")
    assert (found.instruction, found.description, found.version) == ("You are tailor.", "Sews", 4)


def test_a_field_that_has_changed_since_is_a_conflict_that_leaves_all_as_it_is(
    genome: Genome, folder: Path, agent: Make, git: Callable[..., str]
) -> None:
    genome.add_agent(agent("tailor"), parent="root")
    genome.update_agent(agent("tailor", instruction="You sew."))
    genome.update_agent(agent("tailor", instruction="You sew well."))
    head, before, generation = genome.commit(), genome.all_agents(), genome.generation
    later = head.short_id
    with pytest.raises(RefusedError, match=f"'tailor' has changed since .system_prompt.; roll back {later} first"):
        genome.rollback("HEAD~1")
    with pytest.raises(RefusedError, match="'tailor' has changed since"):
        genome.rollback("HEAD~2")
    assert (genome.commit(), genome.all_agents(), genome.generation) == (head, before, generation)
    assert git("status", "--porcelain") == ""
    genome.rollback("HEAD")
    genome.rollback("HEAD~2")
    assert of(genome, "tailor").instruction == "You are tailor."


def test_an_agent_that_has_come_into_use_is_not_rolled_back(genome: Genome, agent: Make) -> None:
    genome.add_agent(agent("tailor"))
    genome.update_agent(of(genome, "editor").with_changes(tools=("tailor",), delegates=("tailor",)))
    with pytest.raises(RefusedError, match="'tailor' has come into use by editor since; take it out of that list"):
        genome.rollback("HEAD~1")
    assert genome.get_agent("tailor") is not None


def test_a_removed_agent_comes_back_with_its_place_in_the_lists(genome: Genome) -> None:
    before = genome.all_agents()
    genome.remove_agent("reader", force=True)
    genome.rollback("HEAD")
    assert genome.all_agents() == before


def test_the_first_commits_and_what_is_undone_already_are_refused(genome: Genome, agent: Make) -> None:
    with pytest.raises(RefusedError, match="is the first one"):
        genome.rollback("HEAD~1")
    with pytest.raises(RefusedError, match="brought agent 'root', which cannot be removed"):
        genome.rollback("HEAD")
    genome.add_agent(agent("tailor"))
    genome.rollback("HEAD")
    with pytest.raises(UsageError, match="leaves nothing to roll back"):
        genome.rollback("HEAD~1")


def test_commits_made_with_git_are_part_of_the_history(
    genome: Genome, folder: Path, agent: Make, git: Callable[..., str]
) -> None:
    (folder / "README.md").write_text("About this genome\n")
    git("add", "README.md")
    git("commit", "-qm", "A word about it")
    genome.add_agent(agent("tailor"))
    assert (folder / "README.md").exists()
    assert [(one.operation, one.subject) for one in genome.history(2)][1] == ("other", "A word about it")
    assert git("status", "--porcelain") == ""
    (folder / "README.md").write_text("Not done yet\n")
    with pytest.raises(RefusedError, match=r"README\.md was edited by hand; commit that with git, or undo it first"):
        genome.rollback("HEAD~1")
    (folder / "README.md").write_text("About this genome\n")
    genome.rollback("HEAD~1")
    assert not (folder / "README.md").exists()
    assert git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    "path", ["../outside.txt", "docs/../../outside.txt", ".git/hooks/post-commit", "link/outside.txt"]
)
def test_a_history_from_elsewhere_leads_out_of_no_folder(
    genome: Genome, folder: Path, tmp_path: Path, path: str
) -> None:
    """Git itself makes no such paths; the history of a genome that was downloaded may hold them."""
    with genome._repository.lock:
        genome._repository.commit({path: b"evil"}, "one")
        genome._repository.commit({path: None}, "two")
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RefusedError, match="is no place in this genome"):
        genome.rollback("HEAD")
    assert not list(tmp_path.rglob("outside.txt"))
    assert not (folder / ".git" / "hooks" / "post-commit").exists()
