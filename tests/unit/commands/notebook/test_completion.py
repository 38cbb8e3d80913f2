"""Tab: commands, options, their values, and the names there are; nothing inside a text."""

import pytest

from lango_nb.commands.command import Kind
from lango_nb.commands.notebook.completion import complete
from lango_nb.commands.table import MAGICS


class Small:
    """A world with a few names of each kind."""

    def __init__(self) -> None:
        self.asked: list[Kind] = []

    def names(self, kind: Kind) -> tuple[str, ...]:
        self.asked.append(kind)
        return {
            "topology": ("octet", "quartet", "sextet", "solo"),
            "agent": ("lango-orchestrator", "librarian", "vault"),
            "added agent": ("pharmacist",),
            "tool": ("fs_read", "fs_write"),
            "turn": ("-1", "1", "2"),
            "command": tuple(MAGICS),
            "model": ("offline",),
            "setting": ("agent.model", "agent.maxTurns"),
            "approval": ("ask-1", "ask-2"),
            "run": ("arun-2", "arun-1"),
            "session": ("main", "session-2"),
            "outcome": ("success", "timeout", "tool_error"),
            "file": (),
        }[kind]


def candidates(before: str) -> tuple[str, ...] | None:
    found = complete(before, Small())
    return None if found is None else found.candidates


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("%lango tr", ("tree", "trace", "trust")),
        ("    %lango tr", ("tree", "trace", "trust")),
        ("x = %lango part", ("partition",)),
        ("x['a'].b = %lango part", ("partition",)),
        ("%%lango a", ("ask", "agent")),
        ("%%lango ", ("route", "ask", "sql", "agent", "tool", "--help")),
        ("%lango use ", ("octet", "quartet", "sextet", "solo")),
        ("%lango use s", ("sextet", "solo")),
        ("%lango diff --json q", ("quartet",)),
        ("%lango prompt li", ("librarian",)),
        ("%lango agent --remove ", ("pharmacist",)),
        ("%lango prompt --text l", ("lango-orchestrator", "librarian")),
        ("%lango tools fs_", ("fs_read", "fs_write")),
        ("%lango tools fs_read fs_w", ("fs_write",)),
        ("%lango trace ", ("-1", "1", "2")),
        ("%lango trace --timing -", ("--brief", "--df", "--json", "--mermaid", "--text", "--out", "--help")),
        ("%lango why -", ("--brief", "--df", "--json", "--text", "--out", "--help")),
        ("%lango tree --text --", ("--out", "--help")),
        ("%lango ask --ap", ("--approve",)),
        ("%lango ask --approve ", ("ask", "allow", "deny", "hold")),
        ("%lango allow ", ("ask-1", "ask-2")),
        ("%lango deny ask", ("ask-1", "ask-2")),
        ("%lango ask --approve a", ("ask", "allow")),
        ("%lango run", ("runs", "run")),
        ("%lango run ", ("arun-2", "arun-1")),
        ("%lango run --text arun-1", ("arun-1",)),
        (
            "%lango runs --",
            ("--session", "--agent", "--ledger", "--brief", "--df", "--json", "--text", "--out", "--help"),
        ),
        ("%lango runs --session ", ("main", "session-2")),
        ("%lango runs --agent va", ("vault",)),
        ("%lango turns --outcome t", ("timeout", "tool_error")),
        ("%lango turns --tool fs_r", ("fs_read",)),
        ("%lango search --session m", ("main",)),
        ("%lango memory v", ("vault",)),
        ("%lango graph s", ("session-2",)),
        ("%lango metrics m", ("main",)),
        ("%lango open se", ("session-2",)),
        ("%lango export page.html --turn ", ("-1", "1", "2")),
        ("%lango export page.html --session ", ("main", "session-2")),
        ("%lango export page.html --format ", ("html", "jsonl", "otel")),
        ("%lango sess", ("sessions",)),
        ("%lango tas", ("tasks",)),
        ("%lango ask --approve allow --", ("--brief", "--df", "--json", "--text", "--out", "--help")),
        ("%lango help tu", ("turns",)),
        ("%lango config agent.", ("agent.model", "agent.maxTurns")),
        ("%lango model ", ("offline",)),
        ("%lango use zzz", ()),
    ],
)
def test_what_fits_is_offered(before: str, expected: tuple[str, ...]) -> None:
    assert candidates(before) == expected


@pytest.mark.parametrize(
    "before",
    [
        "print(",
        "%langoo tr",
        "%lango",
        "text about %lango tr",
        "%lango ask list the fi",
        "%lango route who --",
        "%lango tree --out na",
        "%lango use octet ",
        "%lango nonsense x",
        "%lango ask -- te",
        "%timeit lango tr",
    ],
)
def test_elsewhere_the_completion_is_not_ours(before: str) -> None:
    assert candidates(before) is None


def test_the_fragment_is_what_gets_replaced() -> None:
    found = complete("%lango prompt --text lib", Small())
    assert found is not None
    assert (found.fragment, found.kind) == ("lib", "agent")


def test_names_are_looked_up_only_where_they_can_stand() -> None:
    world = Small()
    complete("%lango tr", world)
    complete("%lango tree --", world)
    complete("%lango ask hello", world)
    assert world.asked == []


@pytest.mark.parametrize("name", [name for name, command in MAGICS.items() if command.cell != "only"])
def test_every_command_offers_its_options(name: str) -> None:
    offered = candidates(f"%lango {name} --")
    assert offered is not None
    assert set(offered) == {option.name for option in MAGICS[name].all_options}
