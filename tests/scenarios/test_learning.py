"""Learning from stumbles: they are noted, changes proposed, decided on by a person, judged, and undone if they harm."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lango_nb import Lab
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message
from lango_nb.lab.genome import GenomeView
from lango_nb.models.proposals import asks_for_proposal
from lango_nb.runtime.approvals import AllowAll, DenyAll
from lango_nb.specs.genome.genome import Genome
from tests.cast import Cast, Line, delegate

MISSING: Line = ("read_file", {"path": "ledger.csv"})
RULE = {"type": "create_routing_rule", "condition": "ledger", "preference": "choose editor", "reason": "it knows"}


class Played:
    """A lab whose agents are played, with a genome of its own, and what a model that is asked to learn replies."""

    def __init__(self, folder: Path, approver: Any) -> None:
        self.replies: list[str] = []
        self.asked: list[str] = []
        self._cast = Cast({})
        self.lab = Lab(workspace=folder, model=self, approver=approver, clock=SteppedClock(), ids=CountedIds())
        self.lab.open_genome(folder / "genome")

    @property
    def name(self) -> str:
        return "played"

    async def complete(self, messages: Sequence[Message], tools: Sequence[Any]) -> Any:
        if asks_for_proposal(messages):
            self.asked.append(messages[-1].content)
            messages = [Message(role="system", author="learn", content=""), *messages[1:]]
        return await self._cast.complete(messages, tools)

    def turn(self, text: str, lines: Mapping[str, Sequence[Line]]) -> None:
        """Run one turn in which agents say these lines."""
        self._cast = Cast(lines)
        self.lab.ask(text)
        assert not self._cast.unexpected

    def stumble(self, times: int, text: str = "sum the ledger") -> None:
        """Let reader look for a file that is not there, and answer all the same."""
        for _ in range(times):
            self.turn(text, {"root": [delegate("reader", text, hints=["soon"]), "Done."], "reader": [MISSING, "none"]})

    def do_well(self, times: int) -> None:
        for _ in range(times):
            self.turn("hello", {"root": [delegate("reader", "greet"), "Done."], "reader": ["hello"]})

    def learn(self, *replies: object) -> Any:
        """Look at the stumbles; a model replies this, as JSON where it is no text."""
        said = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
        self._cast = Cast({"learn": said})
        return self.genome.learn()

    @property
    def genome(self) -> GenomeView:
        return self.lab.genome

    @property
    def kept(self) -> Genome:
        return self.genome.record

    @property
    def subjects(self) -> list[str]:
        return [commit.subject for commit in self.genome.log()]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return Played(tmp_path, AllowAll())


def whys(view: Any) -> list[str]:
    return [one.why for one in view.record.skipped]


# -- what is noted -----------------------------------------------------------------------------------------------------


def test_a_delegate_whose_tool_failed_stumbled_and_so_does_it_say_without_the_hints(played: Played) -> None:
    played.stumble(1)
    (signal,) = played.genome.stumbles()
    assert (signal.kind, signal.agent_name, signal.observer, signal.turn) == ("error", "reader", "root", 1)
    assert signal.goal == "sum the ledger"
    assert signal.detail.startswith("read_file failed: ledger.csv does not exist")


def test_actions_and_stumbles_are_booked_under_one_name_so_that_there_is_a_rate(played: Played) -> None:
    played.stumble(1)
    played.do_well(3)
    metrics = Genome.open(played.kept.folder).metrics
    assert (metrics.count("action", "reader"), metrics.count("stumble", "reader")) == (4, 1)
    assert (metrics.count("action", "root"), metrics.count("stumble", "root")) == (4, 0)
    assert played.kept.stumble_rate("reader") == 0.25
    frame = played.genome.df.set_index("agent")
    assert (frame.loc["reader", "actions"], frame.loc["reader", "stumbles"]) == (4, 1)


LOOKS: list[Line] = [("glob", {"pattern": f"*.{number}"}) for number in range(11)]


@pytest.mark.parametrize(
    ("reader", "kind", "detail"),
    [
        ([MISSING, MISSING, "none"], "error", "read_file failed"),
        ([*LOOKS, "none"], "inefficiency", "12 model calls"),
        ([("glob", {"pattern": "*.x"}), ("glob", {"pattern": "*.x"}), "none"], "retry", "glob was called again"),
        ([ValueError("no"), ValueError("no"), ValueError("no")], "failure", "failed"),
        (["none"], "", ""),
    ],
)
def test_the_first_kind_that_fits_is_what_went_wrong(
    reader: Sequence[Line], kind: str, detail: str, played: Played
) -> None:
    played.turn("look", {"root": [delegate("reader", "look"), "Done."], "reader": reader})
    assert [(one.kind, detail in one.detail) for one in played.genome.stumbles()] == ([(kind, True)] if kind else [])


def test_a_delegate_that_takes_too_long_timed_out(played: Played) -> None:
    reader = played.kept.get_agent("reader")
    assert reader is not None
    limits = reader.constraints.model_copy(update={"timeout_s": 0.02})
    played.kept.update_agent(reader.model_copy(update={"constraints": limits}))

    async def never(_messages: object) -> str:
        import asyncio

        await asyncio.Event().wait()
        return "never"

    played.turn("wait", {"root": [delegate("reader", "wait"), "Gave up."], "reader": [never]})
    assert [(one.kind, one.agent_name) for one in played.genome.stumbles()] == [("timeout", "reader")]


def test_a_look_at_what_changes_meanwhile_is_no_retry(played: Played) -> None:
    look: Line = ("read_file", {"path": "a.txt"})
    lines: list[Line] = [
        ("write_file", {"path": "a.txt", "content": "one"}),
        look,
        ("write_file", {"path": "a.txt", "content": "two"}),
        look,
        "done",
    ]
    played.turn("write", {"root": [delegate("editor", "write"), "Done."], "editor": lines})
    assert list(played.genome.stumbles()) == []


def test_what_a_person_did_not_allow_is_nobodys_stumble(tmp_path: Path) -> None:
    played = Played(tmp_path, DenyAll())
    call: Line = ("exec", {"command": "echo hi"})
    played.turn("go", {"root": [delegate("command-runner", "go"), "No."], "command-runner": [call, "not allowed"]})
    assert list(played.genome.stumbles()) == []


def test_a_root_that_names_a_stranger_stumbles_itself(played: Played) -> None:
    played.turn("go", {"root": [delegate("raeder", "go"), "Done."]})
    (signal,) = played.genome.stumbles()
    assert (signal.agent_name, signal.kind, signal.observer, signal.goal) == ("root", "error", "", "go")
    assert "did you mean 'reader'?" in signal.detail


def test_a_disk_that_fails_takes_no_answer_away(played: Played, caplog: pytest.LogCaptureFixture) -> None:
    (played.kept.folder / "metrics").write_text("no folder")
    with caplog.at_level(logging.WARNING, "lango_nb"):
        played.stumble(1)
    assert played.lab.turns[-1].answer == "Done."
    (warned,) = [record.getMessage() for record in caplog.records if "not noted" in record.getMessage()]
    assert "\n" not in warned
    assert "metrics.jsonl cannot be written" in warned


# -- what is learned of it ---------------------------------------------------------------------------------------------


def test_nothing_is_learned_unless_somebody_asks(played: Played) -> None:
    before = played.subjects
    played.stumble(4)
    assert played.asked == []
    assert played.subjects == before
    assert played.genome.proposals.open == ()


def test_one_or_two_errors_are_too_few_and_three_are_enough(played: Played) -> None:
    played.stumble(2)
    assert whys(played.learn()) == ["2 so far, and 3 are needed"]
    assert played.asked == []
    played.stumble(1)
    view = played.learn(RULE)
    assert [one.told for one in view.open] == ["when ledger: choose editor"]
    assert view.open[0].times == 3
    assert len(played.asked) == 1


def test_a_failure_is_enough_once(played: Played) -> None:
    played.turn("go", {"root": [delegate("reader", "go"), "Done."], "reader": [ValueError("x")] * 3})
    assert len(played.learn(RULE).open) == 1


def test_a_model_is_told_of_agents_memories_the_prompt_and_the_stumbles_and_of_no_secret(played: Played) -> None:
    played.genome.remember("the bank is closed on Sundays")
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    file = played.kept.folder / "agents" / "reader.yaml"
    file.write_text(file.read_text().replace("You are reader", f"You are reader ({secret})"))
    played.stumble(3, f"sum the ledger with {secret}")
    played.learn(RULE)
    told = [json.loads(line) for line in played.asked[0].splitlines()]
    assert {line["agent"] for line in told if "description" in line} == {one.name for one in played.genome.agents}
    assert {"memory": "the bank is closed on Sundays"} in told
    (prompt,) = [line["present_prompt"] for line in told if "present_prompt" in line]
    assert prompt.startswith("You are reader")
    assert [(line["stumble"], line["agent"], line["by"]) for line in told if "stumble" in line] == [
        ("error", "reader", "root")
    ] * 3
    assert "abcdefghij" not in played.asked[0]


def test_what_is_proposed_shows_its_reason_and_what_it_would_change_and_changes_nothing(played: Played) -> None:
    played.stumble(3)
    before = played.subjects
    view = played.learn({**RULE, "reason": "<b>because</b>"})
    assert played.subjects == before
    assert not played.genome.rules
    assert "because" in view.text
    assert "+- id: r-new" in view.text
    assert "<b>because" not in view.html
    assert "&lt;b&gt;because" in view.html
    assert view.df.loc[0, ["agent", "kind", "change", "state", "commit"]].tolist() == [
        "reader",
        "error",
        "rule",
        "open",
        "",
    ]


def test_what_is_accepted_is_one_commit_in_use_at_once_and_a_rollback_undoes_it(played: Played) -> None:
    played.stumble(3)
    number = len(played.subjects)
    played.learn(RULE).accept(1)
    assert len(played.subjects) == number + 1
    assert [(one.condition, one.preference, one.source) for one in played.genome.rules] == [
        ("ledger", "choose editor", "learn")
    ]
    lines: dict[str, Sequence[Line]] = {"root": ["Done."]}
    played.turn("the ledger", lines)
    assert "when ledger: choose editor" in str(played.lab.trace().record.events)
    played.genome.rollback("HEAD")
    assert not played.genome.rules


@pytest.mark.parametrize(
    ("reply", "does"),
    [
        ({"type": "create_memory", "content": "ledger.csv is in old/", "tags": ["ledger"]}, "memory"),
        ({"type": "update_agent", "agent_name": "reader", "system_prompt": "You are reader. Look first."}, "prompt"),
        (
            {"type": "create_agent", "name": "clerk", "description": "Keeps books", "system_prompt": "You keep books."}
            | {"model": "fast", "capabilities": ["read_file", "glob"]},
            "agent",
        ),
    ],
)
def test_each_kind_of_change_is_made_as_it_was_shown(reply: dict[str, Any], does: str, played: Played) -> None:
    played.stumble(3)
    (proposal,) = played.learn(f"```json\n{json.dumps(reply)}\n```").open
    assert proposal.change.noun == does
    shown = {line for line in proposal.diff.text.splitlines() if line[:1] in "+-" and "-new" not in line}
    made = played.genome.proposals.accept(1).record
    assert shown <= set(made.text.splitlines())
    assert [item.noun for item in made.items] == [item.noun for item in proposal.diff.items]


def test_a_new_agent_joins_the_list_of_who_gave_the_goal_and_can_be_delegated_to(played: Played) -> None:
    played.stumble(3)
    reply = {"type": "create_agent", "name": "clerk", "description": "Keeps books", "system_prompt": "You keep books."}
    played.learn({**reply, "capabilities": ["read_file"]}).accept(1)
    assert "clerk" in played.lab.engine.tree.root.delegates
    clerk = played.kept.get_agent("clerk")
    assert clerk is not None
    assert clerk.constraints.can_spawn is False
    played.turn("books", {"root": [delegate("clerk", "books"), "Done."], "clerk": ["kept"]})
    assert [run.requested_agent for run in played.lab.trace().record.runs] == ["clerk"]


def test_what_is_refused_changes_nothing_and_is_not_proposed_again(played: Played) -> None:
    played.stumble(3)
    before = played.subjects
    view = played.learn(RULE).refuse(1)
    assert view.open == ()
    played.stumble(1)
    assert whys(played.learn(RULE)) == ["what is proposed was refused before"]
    assert played.subjects == before
    with pytest.raises(UsageError, match="proposal 1 is refused already"):
        played.genome.proposals.accept(1)
    with pytest.raises(UnknownNameError, match="proposal '7' not found"):
        played.genome.proposals.accept(7)


def test_of_what_was_learned_nothing_is_learned_again(played: Played) -> None:
    played.stumble(3)
    played.learn(RULE).accept(1)
    assert whys(played.learn()) == []
    played.stumble(1)
    assert whys(played.learn()) == ["something was learned from it already"]
    assert len(played.asked) == 1


def test_an_agent_that_may_not_learn_is_left_alone(played: Played) -> None:
    root = played.kept.get_agent("root")
    assert root is not None
    limits = root.constraints.model_copy(update={"can_learn": False})
    played.kept.update_agent(root.model_copy(update={"constraints": limits}), force=True)
    played.stumble(3)
    assert whys(played.learn()) == ["root may not learn (constraints.can_learn)"]


def agent_reply(**changes: Any) -> dict[str, Any]:
    reply = {"type": "create_agent", "name": "clerk", "description": "Keeps books", "system_prompt": "You keep books."}
    return {**reply, "model": "fast", "capabilities": ["read_file"], **changes}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I would rather write a memory.", "the reply is no JSON object: 'I would rather"),
        ("<html><script>alert(1)</script></html>", "the reply is no JSON object"),
        ("[1, 2]", "no JSON object but a list"),
        ("[" * 30_000, "the reply is no JSON object"),
        ("x" * 1_000_000, "1,000,000 characters, and 40,000 are read at most"),
        ("", "the reply is no JSON object"),
        ({"type": "delete_agent", "agent_name": "reader"}, "type: has to be one of create_memory"),
        ({"type": "skip", "reason": "unsure"}, "nothing is proposed: unsure"),
        ({"type": "create_memory", "content": 3}, "content: has to be text"),
        ('{"type": "create_memory", "content": "half \\ud800"}', "content: has to be text"),
        ({"type": "create_memory", "content": "end\0", "tags": []}, "content: has to be text"),
        ({"type": "create_memory", "content": "x", "tags": "y"}, "tags: has to be a list of texts"),
        ({"type": "create_memory", "content": "x" * 2_000}, "content: has 2,000 characters"),
        ({"type": "create_memory", "content": "x", "confidence": 1}, "confidence: is nothing that create_memory takes"),
        ({"type": "update_agent", "agent_name": "root", "system_prompt": "Obey."}, "'root' is not rewritten"),
        ({"type": "update_agent", "agent_name": "raeder", "system_prompt": "Look."}, "did you mean 'reader'?"),
        ({**RULE, "strength": True}, "strength: has to be a number from 0 to 1"),
        ('{"type": "create_routing_rule", "condition": "a", "preference": "b", "strength": NaN}', "no JSON object"),
        (agent_reply(name="delegate"), "the name is reserved"),
        (agent_reply(name="read_file"), "the name is reserved"),
        (agent_reply(name="exec_bg"), "the name is reserved"),
        (agent_reply(name="Reader"), "agent 'Reader' is there already"),
        (agent_reply(name="../clerk"), "'../clerk' is not a name"),
        (agent_reply(model="openai:gpt-5"), "model: has to be one of best, balanced, fast"),
        (agent_reply(capabilities=["cron_add"]), "cannot be given 'cron_add'"),
        (agent_reply(capabilities=["editor"]), "cannot be given 'editor'"),
    ],
)
def test_a_reply_that_may_not_be_is_left_out_with_one_line(reply: object, why: str, played: Played) -> None:
    played.stumble(3)
    before = played.subjects
    view = played.learn(reply)
    assert view.open == ()
    (said,) = whys(view)
    assert why in said
    assert "\n" not in said
    assert len(said) < 400
    assert played.subjects == before


def test_a_model_that_fails_is_asked_again_at_the_next_look(played: Played) -> None:
    played.stumble(3)
    played._cast = Cast({"learn": [RuntimeError("down")]})
    assert "down" in whys(played.genome.learn())[0]
    assert len(played.learn(RULE).open) == 1


def test_a_change_that_can_no_longer_be_made_is_refused_and_stays_open(played: Played) -> None:
    played.stumble(3)
    played.learn({"type": "update_agent", "agent_name": "reader", "system_prompt": "Look first."})
    played.kept.remove_agent("reader", force=True)
    with pytest.raises(UnknownNameError, match="agent 'reader' not found"):
        played.genome.proposals.accept(1)
    assert len(played.genome.proposals.open) == 1
    assert played.genome.proposals.record.trials == ()


# -- whether it helps --------------------------------------------------------------------------------------------------


def test_a_harmful_change_is_taken_back_by_itself_after_five_actions(
    played: Played, caplog: pytest.LogCaptureFixture
) -> None:
    played.do_well(3)
    played.stumble(3)
    played.learn(RULE).accept(1)
    played.stumble(4)
    assert len(played.genome.rules) == 1
    with caplog.at_level(logging.WARNING, "lango_nb"):
        played.stumble(1)
    assert not played.genome.rules
    assert played.subjects[0].startswith("roll back")
    assert "reader stumbled in 50% of its actions before and in 100% since; it is rolled back" in caplog.text
    (trial,) = played.genome.proposals.record.trials
    assert (trial.verdict, trial.before, trial.after) == ("harmful", 0.5, 1.0)
    played.stumble(5)
    assert played.subjects[0].startswith("roll back")
    assert sum(one.startswith("roll back") for one in played.subjects) == 1


@pytest.mark.parametrize(("well", "badly", "verdict"), [(5, 0, "helpful"), (0, 5, "neutral")])
def test_a_change_that_does_not_harm_stays(well: int, badly: int, verdict: str, played: Played) -> None:
    played.stumble(3)
    played.learn(RULE).accept(1)
    played.stumble(badly)
    played.do_well(well)
    assert [one.verdict for one in played.genome.proposals.record.trials] == [verdict]
    assert len(played.genome.rules) == 1
    frame = played.genome.proposals.df
    assert frame[["state", "verdict"]].to_numpy().tolist() == [["accepted", verdict]]


def test_a_trial_outlives_its_kernel_and_is_no_part_of_the_history(played: Played, tmp_path: Path) -> None:
    played.do_well(3)
    played.stumble(3)
    played.learn(RULE).accept(1)
    next_one = Played(tmp_path, AllowAll())
    assert [one.verdict for one in next_one.genome.proposals.record.trials] == ["pending"]
    assert next_one.genome.proposals.df["number"].isna().all()
    next_one.lab.engine.clock = played.lab.engine.clock
    next_one.stumble(5)
    assert [one.verdict for one in next_one.genome.proposals.record.trials] == ["harmful"]
    assert not any("state" in file for commit in next_one.genome.log() for file in commit.files)


def test_what_was_rolled_back_by_hand_is_not_judged(played: Played) -> None:
    played.stumble(3)
    played.learn(RULE).accept(1)
    played.genome.rollback("HEAD")
    played.stumble(5)
    assert [one.verdict for one in played.genome.proposals.record.trials] == ["undone"]


def test_a_harmful_change_that_others_build_on_stays_and_says_why(played: Played) -> None:
    played.do_well(3)
    played.stumble(3)
    played.learn({"type": "update_agent", "agent_name": "reader", "system_prompt": "Guess."}).accept(1)
    reader = played.kept.get_agent("reader")
    assert reader is not None
    played.kept.update_agent(reader.model_copy(update={"instruction": "Guess better."}))
    played.stumble(5)
    (trial,) = played.genome.proposals.record.trials
    assert trial.verdict == "harmful"
    assert "has changed since" in trial.problem
    now = played.kept.get_agent("reader")
    assert now is not None
    assert now.instruction == "Guess better."


# -- with the demo model -----------------------------------------------------------------------------------------------


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(workspace=tmp_path, approver="allow", clock=SteppedClock(), ids=CountedIds())
    made.open_genome(tmp_path / "genome")
    return made


def test_the_demo_model_proposes_a_memory_and_the_same_each_time(
    lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def learned(made: Lab) -> str:
        for text in ("how many lines does ledger.csv have?", "read ledger.csv", "how many words are in ledger.csv?"):
            made.ask(text)
        return made.genome.learn().text

    place = tmp_path_factory.mktemp("other")
    other = Lab(workspace=place, approver="allow", clock=SteppedClock(), ids=CountedIds())
    other.open_genome(place / "genome")
    said = learned(lab)
    assert "remember: Use glob first to find ledger.csv." in said
    assert "reader stumbled over ledger, csv in 3 goals" in said
    assert learned(other) == said


def test_the_demo_model_sends_goals_to_an_agent_that_says_more_of_them(played: Played) -> None:
    played.stumble(3, "move and delete the ledger")
    played.lab.model = "offline"
    view = played.genome.learn()
    assert [one.told for one in view.open] == ["when ledger: choose editor"]
    view.accept(1)
    assert [(rule.source, rule.strength) for rule in played.genome.rules] == [("learn", 0.6)]


def test_the_demo_model_proposes_nothing_where_goals_share_no_word(played: Played) -> None:
    for text in ("sum the ledger", "plan holidays", "look up numbers"):
        played.stumble(1, text)
    played.lab.model = "offline"
    assert whys(played.genome.learn()) == ["nothing is proposed: the goals of the stumbles share no words"]


# -- views and sessions ------------------------------------------------------------------------------------------------


def test_what_one_view_proposes_every_other_can_accept(lab: Lab, tmp_path: Path) -> None:
    view = lab.open_genome(tmp_path / "genome")
    for _ in range(3):
        lab.ask("read ledger.csv")
    other = lab.genome
    assert len(view.learn().open) == 1
    other.proposals.accept(1)
    assert lab.genome.proposals.open == ()
    assert len(lab.genome.memories) == 1


def test_stumbles_of_an_earlier_session_are_learned_from(tmp_path: Path) -> None:
    def opened() -> Lab:
        made = Lab(workspace=tmp_path, home=tmp_path / "home", approver="allow")
        made.open_genome(tmp_path / "genome")
        return made

    first = opened()
    for _ in range(3):
        first.ask("read ledger.csv")
    first.engine.close()
    second = opened()
    assert len(second.genome.stumbles()) == 3
    second.genome.learn().accept(1)
    second.engine.close()
    third = opened()
    assert (third.genome.learn().open, third.genome.proposals.record.skipped) == ((), ()), "nothing is looked at twice"
    assert [trial.verdict for trial in third.genome.proposals.record.trials] == ["pending"]
    third.engine.close()
