"""Tools of one's own that are called like tools of the package are called with what they really take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.events import ToolStarted
from lango_nb.engine import Engine
from lango_nb.models.offline.arguments import time_said
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool


@tool
def crypto_encrypt(text: str) -> str:
    """Encrypt a text."""
    return f"sealed {text}"


@tool
def crypto_hash(message: str, method: str = "sha256") -> str:
    """Hash a message."""
    return f"{method} of {message}"


@tool
def cron_add(task: str, when: str) -> str:
    """Plan a task for later."""
    return f"{task} @ {when}"


@tool
def web_search(words: str, how_many: int) -> str:
    """Search the web."""
    return f"{how_many} of {words}"


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], str]:
    tools = (crypto_encrypt, crypto_hash, cron_add, web_search)
    engine = Engine(topology="solo", tools=tools, workspace=tmp_path, approver="allow")
    return lambda text: str(engine.run_sync(text).turn.answer)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("encrypt the text 'hello world'", "sealed hello world"),
        ("hash banana with md5", "md5 of banana"),
        ("remind me every morning: water the plants", "water the plants @ every morning"),
        ("remind me every evening: bring the folders", "bring the folders @ every evening"),
        ("erinnere mich jeden Montag um 9 an die Probe", "an die Probe @ jeden Montag um 9"),
        ("search the web for blue tits, 5 results", "5 of blue tits"),
    ],
)
def test_what_a_request_says_goes_to_the_parameters_that_a_tool_has(
    ask: Callable[[str], str], text: str, said: str
) -> None:
    assert said in ask(text)


@pytest.mark.parametrize(
    ("text", "language", "when"),
    [
        ("herinner me elke ochtend om 7:00 aan de planten", "nl", "elke ochtend om 7:00"),
        ("recuérdame todos los lunes a las 8: llamar", "es", "todos los lunes a las 8"),
        ("rappelle-moi chaque matin à 8h : arroser", "fr", "chaque matin à 8h"),
        ("ricordami ogni lunedì alle 9: prove", "it", "ogni lunedì alle 9"),
        ("lembra-me todas as manhãs: regar", "pt", "todas as manhãs"),
        ("przypominaj mi codziennie o 8: woda", "pl", "codziennie o 8"),
        ("每天早上提醒我浇水", "zh", "每天早上"),
    ],
)
def test_when_is_read_in_other_languages(text: str, language: str, when: str) -> None:
    assert time_said(text, language) == when


@tool(safety="safe")
def hive_show(hive_id: str) -> str:
    """Show what is known of a hive."""
    return f"hive {hive_id} is calm"


@tool(safety="safe")
def label_print(text: str, copies: int, colour: Literal["gold", "green"], glossy: bool = False) -> str:
    """Print labels for jars."""
    return f"{copies} x {text} on {colour}{' glossy' if glossy else ''} paper"


KEEPER = AgentSpec(
    name="keeper",
    description="Looks after the hives.",
    instruction="You look after the hives.",
    prefixes=("hive_*",),
    source=Source.USER,
    keywords=("hive", "bees"),
    example_requests=("show hive H2",),
)


class Talk:
    """A conversation with an engine that has tools of one's own."""

    def __init__(self, folder: Path, topology: str, *, agents: tuple[AgentSpec, ...] = ()) -> None:
        (folder / "todo.txt").write_text("call the vet\n", encoding="utf-8")
        (folder / "hives.csv").write_text("hive,mood\nH1,cross\n", encoding="utf-8")
        tools = (*builtin_tools(), hive_show, label_print)
        settings = Settings.model_validate({"background": {"enabled": True}})
        self.engine = Engine(
            settings, topology=topology, tools=tools, agents=agents, workspace=folder, approver="allow"
        )

    def say(self, text: str) -> str:
        return str(self.engine.run_sync(text).turn.answer)


@pytest.fixture
def alone(tmp_path: Path) -> Talk:
    return Talk(tmp_path, "solo")


@pytest.fixture(params=["octet", "sextet", "quartet"])
def among_agents(tmp_path: Path, request: pytest.FixtureRequest) -> Talk:
    return Talk(tmp_path, request.param, agents=(KEEPER,))


@pytest.mark.parametrize("text", ["show todo.txt", "print todo.txt", "show me what is in todo.txt"])
def test_a_tool_whose_verb_is_said_takes_no_file_away(alone: Talk, text: str) -> None:
    assert alone.say(text) == "todo.txt:\ncall the vet"


def test_an_agent_of_ones_own_gets_what_its_tool_is_for_though_a_file_is_called_alike(among_agents: Talk) -> None:
    assert among_agents.say("show hive H3") == "hive H3 is calm"
    assert among_agents.engine.traces.get().turn.path[-1] == "keeper"


def test_and_another_goes_to_the_same_tool(among_agents: Talk) -> None:
    among_agents.say("show hive H3")
    assert among_agents.say("and H4") == "hive H4 is calm"
    assert among_agents.say("show todo.txt") == "todo.txt:\ncall the vet"


def test_what_is_asked_for_is_taken_one_after_the_other(alone: Talk) -> None:
    assert "text" in alone.say("print labels")
    assert "copies" in alone.say("Forest 2023")
    assert "colour" in alone.say("twelve")
    assert alone.say("green") == "12 x Forest 2023 on green paper"


def test_several_answers_at_once_go_where_they_fit(alone: Talk) -> None:
    alone.say('print labels that say "Linden"')
    assert alone.say("gold, 3") == "3 x Linden on gold paper"


def test_what_does_not_fit_is_asked_for_again(alone: Talk) -> None:
    assert "blue" in alone.say("print labels: text: Wax, copies: 2, colour: blue")
    assert alone.say("gold") == "2 x Wax on gold paper"


@pytest.mark.parametrize(("said", "glossy"), [("glossy", " glossy"), ("not glossy", ""), ("", "")])
def test_what_is_on_or_off_is_heard(alone: Talk, said: str, glossy: str) -> None:
    assert alone.say(f"print 5 green {said} labels, text: Honey") == f"5 x Honey on green{glossy} paper"


def test_a_request_for_something_else_is_no_answer(alone: Talk) -> None:
    alone.say("show hive")
    assert alone.say("show todo.txt") == "todo.txt:\ncall the vet"


def test_two_steps_are_both_done(alone: Talk) -> None:
    answer = alone.say("show hive H1, then print 2 gold labels that say 'Hi'")
    assert answer == "hive H1 is calm\n2 x Hi on gold paper"


def test_a_result_goes_into_a_file(alone: Talk, tmp_path: Path) -> None:
    alone.say("show hive H1 and write that to h1.txt")
    assert (tmp_path / "h1.txt").read_text(encoding="utf-8") == "hive H1 is calm\n"


def test_what_an_agent_has_no_tools_for_is_named(among_agents: Talk) -> None:
    answer = among_agents.say("show hive H1 and write that to h1.txt")
    assert "hive H1 is calm" in answer
    assert answer.endswith("Not done: append … to h1.txt. Please ask for that by itself.")


def test_who_has_a_tool_of_ones_own_is_known(among_agents: Talk) -> None:
    assert (
        among_agents.say("who has hive_show?")
        == "Tools like hive_show (Show what is known of a hive) belong to keeper."
    )


@pytest.mark.parametrize("text", ["who can show hives?", "what does hive_show do?"])
def test_a_question_about_a_tool_does_not_call_it(among_agents: Talk, text: str) -> None:
    assert among_agents.say(text) == "Tools like hive_show (Show what is known of a hive) belong to keeper."


@pytest.mark.parametrize("text", ["Ann Meyer", "Peter Brand, please", "Jonas Berg"])
def test_a_name_alone_is_an_answer(alone: Talk, text: str) -> None:
    alone.say("print 2 gold labels")
    assert alone.say(text) == f"2 x {text.partition(',')[0]} on gold paper"


def test_using_only_other_tools_is_kept(tmp_path: Path) -> None:
    talk = Talk(tmp_path, "octet", agents=(KEEPER,))
    assert "H1" in talk.say("using only fs_read, show hive H1")
    assert "hive_show" not in {one.tool for one in talk.engine.traces.get().events if isinstance(one, ToolStarted)}
