"""Whole routes of many requests: who would get each, with all candidates and their reasons, as committed."""

from __future__ import annotations

import re

import pytest

from lango_nb import viz
from lango_nb.engine import Engine
from lango_nb.routing.lint import remarks
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router, router_for_prompt
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool
from tests.expected import outline, same_as_expected
from tests.unit.routing.test_described import AGENTS, FARM, TOOLS

REQUESTS = (
    "",
    " ",
    "?",
    "hello",
    "Hello there, how are you?",
    "thank you so much",
    "what can you do?",
    "what is 2 + 2?",
    "read notes.md",
    "Read NOTES.MD and count its lines",
    "list the files here",
    "how many lines does notes.md have?",
    "write 'x' to a.txt",
    "delete the folder build",
    "run the command ls -la",
    "run pytest and tell me what fails",
    "open https://example.org and take a screenshot",
    "search the web for tulips",
    "fetch https://example.org/a.json",
    "encrypt the word tulip",
    "store my GitHub token as a secret",
    "send 5 USDC to 0x52908400098527886E0F7030069857D2E4169EE7",
    "remind me tomorrow at 8 to call mum",
    "every Monday at 9 send the report",
    "run the workflow backup.yaml",
    "remember that I like tea",
    "what did I say last week?",
    "plan a release in steps",
    "define a type Person with a name",
    "who is related to Ada in the graph?",
    "lies die Datei notes.md",
    "¿cuántas líneas tiene notes.md?",
    "ouvre la page d'accueil",
    "読んで notes.md",
    "删除文件 a.txt",
    "przypomnij mi jutro o 8",
    "do something",
    "do it again",
    "yes",
    "no, the other one",
    "read notes.md and then send it to Bob",
    "don't delete anything, only list",
    "not the browser, use the shell: curl x.org",
    "operator: list the files",
    "ask the vault to sign this",
    "let the librarian look it up",
    "a" * 500,
    "read " * 80,
    "SELECT * FROM users",
    "fix the bug in app.py",
    "git commit -m 'x'",
    "pip install numpy",
    "😀",
    "\x00",
    "{path}",
    "milk the cow",
    "call the vet for the sick calf",
    "service the tractor",
    "write an invoice to the dairy",
    "Kuh",
    "la vache",
)


def described(text: str, route: Route) -> str:
    """Return a route in a few lines; numbers to one decimal, as weights are fitted anew from time to time."""
    lines = [
        f"━━━ {text[:80]!r}",
        f"{route.chosen} because {route.reason}",
        f"runner-up {route.runner_up}, margin {route.margin:.1f}, root {route.root_confidence:.1f}",
        f"conversation {route.is_conversation}, domains {route.domains}",
    ]
    for one in route.candidates[:3]:
        signals = " ".join(f"{signal.kind}:{signal.term}{signal.weight:+.1f}" for signal in one.signals[:8])
        lines.append(f"  {one.agent} {one.score:.1f} {one.confidence:.1f} {list(one.vetoes)} {signals}")
    return "\n".join(lines)


def engine_of(topology: str, *agents: AgentSpec) -> Engine:
    """Return an engine with all tools there are, and a few of others."""
    tools = (*builtin_tools(), *spec_families(), Tool("paint_wall", "Paint a wall."), *TOOLS)
    users = [spec.with_changes(source=Source.USER) for spec in agents]
    return Engine(topology=topology, tools=tools, agents=users)


def routers() -> dict[str, Router]:
    """Return routers of several trees."""
    octet, farm = engine_of("octet"), Engine(topology=FARM, tools=TOOLS)
    painter = AgentSpec(
        name="painter", description="Paints walls and doors.", prefixes=("paint_",), keywords=("paint", "colour"),
        cannot_do=("file operations",), always_include=True,
    )  # fmt: skip
    mixed = engine_of("quartet", painter, *AGENTS)
    lessons = [("do something", "vault"), ("milk the cow", "planner"), ("do it again", "root")]
    return {
        "octet": octet.router,
        "quartet": engine_of("quartet").router,
        "farm": farm.router,
        "mixed": mixed.router,
        "taught": octet.router.fit(lessons),
    }


ROUTERS = routers()


@pytest.mark.parametrize("name", ROUTERS)
def test_every_request_finds_its_agent_as_expected(name: str) -> None:
    router = ROUTERS[name]
    rows = [described(text, router.route(text)) for text in REQUESTS]
    rows += [described(f"not operator: {text}", router.route(text, ["operator", "herd"])) for text in REQUESTS[8:12]]
    rows += [f"{family} {router.owners(family)}" for family in ("fs", "exec", "cron", "nothing")]
    same_as_expected(f"routes/{name}.txt", "\n".join(rows))


def test_every_route_is_shown_as_expected() -> None:
    rows = []
    for text in REQUESTS[:12]:
        route = ROUTERS["octet"].route(text)
        rows += [f"━━━ {text!r}", viz.to_text(route), outline(viz.to_html(route)), viz.to_mermaid(route)]
    without = ROUTERS["octet"].route("read notes.md", ROUTERS["octet"].table.names)
    rows += ["━━━ nobody left", viz.to_text(without), outline(viz.to_html(without))]
    same_as_expected("routes/shown.txt", re.sub(r"[-+]?\d+\.\d+|\d+ %", "«n»", "\n".join(rows)))


def test_a_router_of_the_prompt_routes_as_that_of_the_tree() -> None:
    router = router_for_prompt(engine_of("octet").tree.root.prompt)
    assert [router.route(text) for text in REQUESTS] == [ROUTERS["octet"].route(text) for text in REQUESTS]


@pytest.mark.parametrize("name", ["octet", "farm", "mixed"])
def test_every_table_is_written_and_commented_as_expected(name: str) -> None:
    tree = {
        "octet": engine_of("octet"),
        "farm": Engine(topology=FARM, tools=TOOLS),
        "mixed": engine_of("quartet", *AGENTS),
    }[name].tree
    parts = [
        tree.table.to_markdown(),
        *(f"{spec.name}: {remark}" for spec in AGENTS for remark in remarks(spec, tree)),
        viz.to_text(tree.partition),
    ]
    parts += [f"━━━ {agent}\n{tree[agent].prompt}" for agent in tree.names]
    same_as_expected(f"routes/prompts_{name}.txt", "\n".join(parts))
