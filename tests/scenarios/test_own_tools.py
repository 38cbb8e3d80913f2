"""Tools and agents of one's own, plans and teammates: whole answers of the offline model under each topology.

``tests/data/requests/own_tools.md`` holds what was answered; whoever changes an answer writes it anew and reads it::

    python -m tests.scenarios.test_own_tools
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest

from lango_nb.evaluation.task_runs import Setup, run_task
from lango_nb.evaluation.tasks import Task
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from tests.scenarios.test_requests import SUITES, setup, told

ANSWERS = SUITES / "own_tools.md"
CORNERS = SUITES / "corners" / "files"


@tool(safety="safe")
def hive_show(hive_id: str) -> dict[str, Any]:
    """Show what is known of a hive.

    Parameters
    ----------
    hive_id : str
        Id of the hive.
    """
    return {"hive": hive_id, "queen_year": 2023, "is_calm": True, "note": "", "owner": None, "kg": 31.5}


@tool(safety="safe")
def hive_list(mood: Literal["calm", "cross"] = "calm", most: int = 10) -> list[dict[str, Any]]:
    """List hives by their mood."""
    return [{"name": f"H{n}", "mood": mood, "frames": n + 4} for n in range(1, most + 1)]


@tool
def label_print(text: str, copies: int, colour: Literal["gold", "green"], glossy: bool = False) -> str:
    """Print labels for jars.

    Parameters
    ----------
    text : str
        What the label says.
    copies : int
        How many.
    colour : str
        Colour of the paper.
    glossy : bool
        Whether the paper shines.
    """
    return f"{copies} x {text} on {colour}{' glossy' if glossy else ''} paper"


@tool
def parcel_send(order_id: str, email: str, weight: float, contents: list[str]) -> dict[str, Any]:
    """Send a parcel of honey to a customer."""
    return {"parcels": [{"id": order_id, "to": email, "weight": weight, "contents": contents}], "count": 1}


@tool(safety="safe")
def swarm_check(place: str, date: str, tags: dict[str, str] | None = None) -> dict[str, Any]:
    """Check whether swarms were seen at a place on a date."""
    return {"swarms": [], "place": place, "date": date, "tags": tags or {}}


@tool(safety="safe")
def nectar_forecast(region: str) -> str:
    """Forecast how much nectar a region will have."""
    if region.casefold() == "mars":
        raise ValueError("there is no nectar on Mars")
    return f"{region}: plenty of lime and clover\n" * 40


OWN: tuple[Tool, ...] = (hive_show, hive_list, label_print, parcel_send, swarm_check, nectar_forecast)
KEEPER = AgentSpec(
    name="keeper",
    description="Looks after the hives: shows them, checks for swarms, forecasts nectar.",
    instruction="You look after the hives.",
    prefixes=("hive_*", "swarm_*", "nectar_*"),
    source=Source.USER,
    keywords=("hive", "swarm", "nectar", "bees"),
    capabilities=("hives",),
    example_requests=("show hive H2", "were there swarms in Lindau?"),
)
PACKER = AgentSpec(
    name="packer",
    description="Prints labels and sends parcels of honey.",
    instruction="You pack and send honey.",
    prefixes=("label_*", "parcel_*"),
    source=Source.USER,
    keywords=("label", "parcel", "jar"),
    capabilities=("parcels and labels",),
    example_requests=("print 20 gold labels", "send the parcel"),
)
SAID: Mapping[str, Sequence[Sequence[str]]] = {
    "hives": (
        ("show hive H3", "and H4", "show hive", "H5"),
        (
            "list the hives that are cross",
            "list 3 calm hives",
            "list hives, most: 12",
            "list hives, mood: wild",
            "calm",
        ),
        ("hive_show hive_id=H9", "hive_list", "hive_list mood cross", "what does hive_show do?", "who has hive_show?"),
    ),
    "labels": (
        ('print 20 gold labels that say "Linden 2024"', "print labels", "Forest 2023", "twelve", "green"),
        (
            "print 5 green glossy labels, text: Summer honey",
            'label_print text "Wax", copies 3, colour gold, glossy yes',
        ),
        ('drucke 7 goldene Etiketten mit "Waldhonig"', "imprime 4 etiquetas green, text: Miel"),
        ("print many red labels with honey", "two", "gold", "print labels: text: a, copies: some, colour: blue"),
    ),
    "parcels": (
        (
            "send parcel order_id: A-17, email: rosa@cafe.example, weight: 2.5, contents: honey, wax and candles",
            "send a parcel to rosa@cafe.example",
            "B-18",
            "three",
            "honey and wax",
            "send parcel C-19 of 4 kg to tom@bees.example with honey",
        ),
    ),
    "swarms": (
        ("check for swarms in Lindau on 2024-05-04", "were swarms seen at Bregenz on 2024-05-11?", "check swarms"),
        ("forecast the nectar for Vorarlberg", "nectar on Mars", "nectar forecast", "Allgäu", "and for Mars?"),
        ("check swarms, place: Lindau, date: 2024-06-01, tags: colour=black; size=big", "nothing", "never mind"),
    ),
    "mixed": (
        ("read todo.txt and show hive H2", "show hive H1 and write that to h1.txt", "read h1.txt"),
        ("list 2 calm hives, then print 2 gold labels that say Hi", "hello", "who are you?", "who is here?"),
        ("hash todo.txt and show hive H3 and count the lines of clash.txt", "why did that agent get it?", "undo"),
        ("using only hive_show, show hive H8", "using only fs_read, list 2 calm hives", "dance with hive H3"),
        ("make a plan for the harvest", "plan: count the lines of todo.txt, then hash them, then remember that"),
        ("remember that the smoker is broken", "what about the smoker?", "count the lines of todo.txt and remember it"),
        (
            "who would get: send a parcel",
            "who would get: show hive H1",
            "who would get: qwertz",
            "who has parcel_send?",
        ),
    ),
}
ALONE = ("solo", "quartet", "sextet", "octet")


def setup_of(topology: str, *, has_agents: bool, has_files: bool = True) -> Setup:
    """Have tools of one's own beside those of the package, and agents for them."""
    tools = (*(builtin_tools() if has_files else ()), *OWN)
    return Setup(setup(topology).settings, topology, tools=tools, agents=(KEEPER, PACKER) if has_agents else ())


def cases(group: str) -> dict[str, tuple[Task, Setup]]:
    """Return the conversations of a group with the setups they are carried out in."""
    found = {}
    for number, says in enumerate(SAID[group], 1):
        turns = [{"say": say, "answer": [r"\S"]} for say in says]
        task = Task.model_validate({"id": f"{group}-{number}", "turns": turns, "folder": str(CORNERS)})
        for topology in ALONE:
            for has_agents in (False, True) if topology == "octet" else (topology == "sextet",):
                name = f"{task.id} {topology}{' with agents' if has_agents else ''}"
                found[name] = task.model_copy(update={"id": name}), setup_of(topology, has_agents=has_agents)
    return found


def answered(group: str) -> dict[str, str]:
    """Carry the conversations of a group out."""
    return {name: told([run_task(task, one)])[name] for name, (task, one) in cases(group).items()}


def known() -> dict[str, str]:
    """Return what is committed."""
    parts = ANSWERS.read_text(encoding="utf-8").split("\n## ")
    return {name: text.strip() for name, _, text in (part.partition("\n") for part in parts[1:])}


@pytest.mark.parametrize("group", SAID)
def test_own_tools_are_called_and_answered_as_before(group: str) -> None:
    before = {name: text for name, text in known().items() if name.startswith(f"{group}-")}
    assert answered(group) == before, f"read what has changed: python -m {__name__}"


if __name__ == "__main__":
    told_all = {name: text for group in SAID for name, text in answered(group).items()}
    ANSWERS.write_text(
        "\n".join(["# own tools\n", *(f"## {name}\n\n{text}\n" for name, text in told_all.items())]), encoding="utf-8"
    )
