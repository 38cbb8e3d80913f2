"""The ways to hand work over: what each offers, and what it makes of the calls it gets."""

from __future__ import annotations

from typing import Any

import pytest

from lango_nb.core.messages import ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.control.delegate import DelegateControl
from lango_nb.runtime.control.none import NoControl
from lango_nb.runtime.control.protocol import Control, Refusal, Target
from lango_nb.runtime.control.spawn import SpawnControl
from lango_nb.runtime.control.transfer import TransferControl
from lango_nb.specs.agent import AgentSpec, Constraints, Source
from lango_nb.specs.topologies import load_prompt_sections, load_topology
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.tool import Tool
from tests.cast import Cast, errors

ROOT = "lango-orchestrator"
NAMES = ("fs_look", "crypto_look", "search_look", "paint_wall")
PAINTER = AgentSpec(name="painter", prefixes=("paint_*",), description="Paints.", source=Source.USER)
WEATHER = AgentSpec(name="weather", description="Knows the forecast.", source=Source.REMOTE)


def tree_of(topology: str | Topology, *agents: AgentSpec, remotes: tuple[AgentSpec, ...] = ()) -> AgentTree:
    found = load_topology(topology) if isinstance(topology, str) else topology
    return build_agent_tree(
        [Tool(name) for name in NAMES],
        found,
        agents=agents,
        remote_agents=remotes,
        shared_sections=load_prompt_sections(),
    )


def delegating(**delegates: tuple[str, ...]) -> Topology:
    """Return the sextet as a topology that delegates; named agents may delegate further."""
    sextet = load_topology("sextet")
    agents = tuple(
        spec.with_changes(constraints=Constraints(can_spawn=True), delegates=delegates[spec.name])
        if spec.name in delegates
        else spec
        for spec in sextet.agents
    )
    return sextet.model_copy(update={"control": "delegate", "agents": agents})


def call(name: str, error: str | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(id="c1", name=name, arguments=arguments, error=error)


def read(control: Control, tree: AgentTree, asked: ToolCall, author: str = ROOT) -> Target | Refusal:
    return control.read(asked, tree[author], tree)


def refused(control: Control, tree: AgentTree, asked: ToolCall, author: str = ROOT) -> Refusal:
    found = read(control, tree, asked, author)
    assert isinstance(found, Refusal), found
    assert "\n" not in found.detail
    return found


def wanted(control: Control, tree: AgentTree, asked: ToolCall, author: str = ROOT) -> Target:
    found = read(control, tree, asked, author)
    assert isinstance(found, Target), found
    return found


def properties(schema: ToolSchema) -> dict[str, Any]:
    found: Any = schema.parameters["properties"]
    return dict(found)


def text_of(section: str, tree: AgentTree) -> str:
    (text,) = [found.text for found in tree.root.sections if found.id == section]
    return text


# -- none --------------------------------------------------------------------------------------------------------------


def test_a_single_agent_hands_nothing_over() -> None:
    control, tree = NoControl(), tree_of("solo")
    assert not control.owns("transfer_to_agent")
    assert (control.schemas(tree.root, tree), control.tools(tree.root, tree)) == ((), ())
    assert control.read(call("anything"), tree.root, tree).code == "unknown_agent"
    assert not [section for section in tree.root.sections if "agent_spawn" in section.text]


# -- transfer ----------------------------------------------------------------------------------------------------------


def test_transfer_offers_the_root_every_attached_agent_as_a_closed_set() -> None:
    control, tree = TransferControl(), tree_of("sextet", PAINTER)
    (schema,) = control.schemas(tree.root, tree)
    assert schema.name == "transfer_to_agent"
    assert properties(schema)["agent_name"]["enum"] == ["operator", "vault", "librarian", "planner", "painter"]
    assert schema.parameters["required"] == ["agent_name"]
    assert control.schemas(tree["operator"], tree) == ()
    assert control.owns("transfer_to_agent")
    assert not control.owns("agent_spawn")
    assert control.tools(tree.root, tree) == ()


def test_transfer_reads_a_target_with_the_models_own_reason() -> None:
    control, tree = TransferControl(), tree_of("sextet")
    target = wanted(control, tree, call("transfer_to_agent", agent_name="vault", reason="it is a secret"))
    assert (target.node.name, target.reason, target.kind) == ("vault", "it is a secret", "transfer")
    assert (target.instruction, target.allowed_tools) == ("", None)


@pytest.mark.parametrize("name", ["valt", "Vault", "vault ", "nobody", "x" * 500])
def test_transfer_guesses_no_name(name: str) -> None:
    control, tree = TransferControl(), tree_of("sextet")
    refusal = refused(control, tree, call("transfer_to_agent", agent_name=name))
    assert refusal.code == "unknown_agent"
    assert "valid names: operator, vault, librarian, planner" in refusal.detail
    assert len(refusal.detail) < 250
    if name == "valt":
        assert "did you mean 'vault'" in refusal.detail


def test_transfer_refuses_itself_and_what_it_cannot_read() -> None:
    control, tree = TransferControl(), tree_of("octet", PAINTER)
    assert refused(control, tree, call("transfer_to_agent", agent_name="painter"), "painter").code == "self"
    for arguments in ({}, {"agent_name": ""}, {"agent_name": None}, {"agent_name": ["painter"]}, {"agent_name": 7}):
        assert refused(control, tree, call("transfer_to_agent", **arguments)).code == "bad_arguments"
    unread = refused(control, tree, call("transfer_to_agent", "not JSON", agent_name="painter"))
    assert (unread.code, unread.detail) == ("bad_arguments", "not JSON")


def test_an_attached_agent_may_give_back_where_the_topology_escalates() -> None:
    control, tree = TransferControl(), tree_of("octet", PAINTER)
    (schema,) = control.schemas(tree["painter"], tree)
    assert properties(schema)["agent_name"]["enum"] == [ROOT]
    target = wanted(control, tree, call("transfer_to_agent", agent_name=ROOT, reason="not mine"), "painter")
    assert (target.kind, target.node.name, target.reason) == ("return", ROOT, "not mine")
    assert control.schemas(tree["operator"], tree) == ()
    assert refused(control, tree, call("transfer_to_agent", agent_name=ROOT), "operator").code == "unknown_agent"


def test_a_remote_agent_is_told_to_be_out_of_reach() -> None:
    control, tree = TransferControl(), tree_of("octet", remotes=(WEATHER,))
    refusal = refused(control, tree, call("transfer_to_agent", agent_name="weather"))
    assert refusal.code == "unavailable"
    assert "weather" in refusal.detail


@pytest.mark.parametrize("topology", ["quartet", "sextet"])
def test_the_transfer_section_names_tool_and_agents(topology: str) -> None:
    tree = tree_of(topology)
    prompt = tree.root.prompt
    assert "transfer_to_agent" in prompt
    assert all(name in prompt for name in tree.attached)
    assert "agent_spawn" not in prompt


# -- spawn -------------------------------------------------------------------------------------------------------------


def spawning(**options: Any) -> SpawnControl:
    return SpawnControl(**{"is_available": True, **options})


def test_spawn_offers_the_root_a_closed_set_of_teammates_and_its_other_tools() -> None:
    control, tree = spawning(), tree_of("octet", PAINTER)
    schemas = {schema.name: schema for schema in control.schemas(tree.root, tree)}
    assert list(schemas) == [
        "agent_spawn",
        "agent_wait",
        "agent_stop",
        "task_create",
        "task_get",
        "task_list",
        "task_update",
        "transfer_to_agent",
    ]
    assert properties(schemas["agent_spawn"])["agent"]["enum"] == ["operator", "vault", "librarian", "planner"]
    assert set(properties(schemas["agent_spawn"])) == {
        "instruction",
        "agent",
        "spawn_reason",
        "timeout",
        "allowed_tools",
    }
    assert schemas["agent_spawn"].parameters["required"] == ["instruction"]
    assert properties(schemas["transfer_to_agent"])["agent_name"]["enum"] == ["painter"]
    assert [tool.name for tool in control.tools(tree.root, tree)] == list(schemas)[1:-1]
    assert (control.tools(tree["operator"], tree), control.schemas(tree["operator"], tree)) == ((), ())
    assert [control.owns(name) for name in ("agent_spawn", "transfer_to_agent", "agent_wait", "task_get")] == [
        True,
        True,
        False,
        False,
    ]


def test_spawn_offers_no_transfer_where_nobody_is_attached() -> None:
    control, tree = spawning(), tree_of("octet")
    assert "transfer_to_agent" not in {schema.name for schema in control.schemas(tree.root, tree)}


def test_spawn_reads_everything_a_run_needs() -> None:
    asked = call(
        "agent_spawn",
        agent="operator",
        instruction="read notes.md",
        spawn_reason="files",
        timeout=7,
        allowed_tools=["fs_look", "fs_look"],
    )
    target = wanted(spawning(), tree_of("octet"), asked)
    assert (target.node.name, target.kind, target.instruction) == ("operator", "spawn", "read notes.md")
    assert (target.reason, target.timeout_s, target.allowed_tools) == ("files", 7.0, ("fs_look",))
    bare = wanted(spawning(), tree_of("octet"), call("agent_spawn", agent="operator", instruction="x"))
    assert (bare.reason, bare.timeout_s, bare.allowed_tools) == ("", 0.0, None)
    empty = wanted(
        spawning(), tree_of("octet"), call("agent_spawn", agent="operator", instruction="x", allowed_tools=[])
    )
    assert empty.allowed_tools is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"agent": "operator"}, "missing instruction parameter"),
        ({"agent": "operator", "instruction": " "}, "missing instruction parameter"),
        ({"agent": "operator", "instruction": None}, "instruction"),
        ({"agent": "operator", "instruction": 7}, "instruction"),
        ({"agent": 7, "instruction": "x"}, "agent"),
        ({"agent": "operator", "instruction": "x", "allowed_tools": "fs_look"}, "allowed_tools"),
        ({"agent": "operator", "instruction": "x", "timeout": "soon"}, "timeout"),
        ({"agent": "operator", "instruction": "x", "timeout": 0}, "timeout must be 1 or more"),
        ({"agent": "operator", "instruction": "x", "timeout": -5}, "timeout must be 1 or more"),
    ],
)
def test_spawn_refuses_arguments_that_do_not_fit(arguments: dict[str, Any], says: str) -> None:
    refusal = refused(spawning(), tree_of("octet"), call("agent_spawn", **arguments))
    assert refusal.code == "bad_arguments"
    assert says in refusal.detail


def test_spawn_refuses_what_cannot_be_read() -> None:
    refusal = refused(spawning(), tree_of("octet"), call("agent_spawn", "line 1: expected a value"))
    assert (refusal.code, "line 1" in refusal.detail) == ("bad_arguments", True)


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("operater", "unknown_agent", "did you mean 'operator'"),
        ("Operator", "unknown_agent", "valid names: operator, vault, librarian, planner"),
        ("somebody", "unknown_agent", "valid names: operator"),
        ("painter", "unknown_agent", "reach it with transfer_to_agent"),
        (ROOT, "self", "cannot hand over to itself"),
    ],
)
def test_spawn_takes_teammates_only(name: str, code: str, says: str) -> None:
    refusal = refused(spawning(), tree_of("octet", PAINTER), call("agent_spawn", agent=name, instruction="x"))
    assert (refusal.code, refusal.name) == (code, name)
    assert says in refusal.detail


def test_a_teammate_cannot_spawn_itself() -> None:
    refusal = refused(spawning(), tree_of("octet"), call("agent_spawn", agent="vault", instruction="x"), "vault")
    assert refusal.code == "self"
    assert "operator, librarian, planner" in refusal.detail


def test_a_teammate_is_not_reached_by_transfer() -> None:
    control, tree = spawning(), tree_of("octet", PAINTER)
    refusal = refused(control, tree, call("transfer_to_agent", agent_name="vault"))
    assert (refusal.code, refusal.name) == ("unknown_agent", "vault")
    assert "agent_spawn" in refusal.detail
    assert wanted(control, tree, call("transfer_to_agent", agent_name="painter")).kind == "transfer"


def test_without_the_runtime_the_switch_is_named_and_attached_agents_are_still_reached() -> None:
    control, tree = spawning(is_available=False), tree_of("octet", PAINTER)
    refusal = refused(control, tree, call("agent_spawn", agent="vault", instruction="x"))
    assert (refusal.code, refusal.name) == ("unavailable", "vault")
    assert "background.enabled" in refusal.detail
    assert wanted(control, tree, call("transfer_to_agent", agent_name="painter")).node.name == "painter"


@pytest.mark.parametrize("given", [{}, {"agent": ""}, {"agent": "  "}])
def test_an_instruction_for_nobody_goes_to_whom_the_router_chooses(given: dict[str, str]) -> None:
    asked: list[str] = []

    def route(text: str) -> str | None:
        asked.append(text)
        return "vault" if "sign" in text else None

    control, tree = spawning(route=route), tree_of("octet")
    assert wanted(control, tree, call("agent_spawn", instruction="sign it", **given)).node.name == "vault"
    refusal = refused(control, tree, call("agent_spawn", instruction="hmm", **given))
    assert (refusal.code, asked) == ("bad_arguments", ["sign it", "hmm"])
    assert "operator, vault, librarian, planner" in refusal.detail
    assert refused(spawning(), tree, call("agent_spawn", instruction="sign it", **given)).code == "bad_arguments"


def test_the_spawn_section_names_its_calls_and_the_attached_agents() -> None:
    section = text_of("teammates", tree_of("octet", PAINTER))
    for word in ("agent_spawn", "agent_wait", "agent_stop", "allowed_tools", "spawn_reason", "painter"):
        assert word in section


def test_a_refusal_reaches_the_model_as_the_answer_of_its_call() -> None:
    cast = Cast({"root": [("agent_spawn", {"agent": "operater", "instruction": "x"}), "I give up."]})
    engine = Engine(topology="octet", model=cast, tools=[*builtin_tools()])
    trace = engine.run_sync("Do it")
    (told,) = errors(cast.of("root")[-1])
    assert "did you mean 'operator'" in told
    assert [event.kind for event in trace.events] == ["turn.started", "handover.refused", "text", "turn.finished"]


# -- delegate ----------------------------------------------------------------------------------------------------------


def test_delegate_is_one_tool_with_a_closed_set_of_names() -> None:
    control, tree = DelegateControl(), tree_of(delegating())
    (schema,) = control.schemas(tree.root, tree)
    assert schema.name == "delegate"
    assert properties(schema)["agent_name"]["enum"] == ["operator", "vault", "librarian", "planner"]
    assert schema.parameters["required"] == ["agent_name", "goal"]
    assert control.schemas(tree["operator"], tree) == ()
    assert control.owns("delegate")
    assert control.tools(tree.root, tree) == ()


def test_a_delegate_may_delegate_to_whom_its_definition_names() -> None:
    tree = tree_of(delegating(vault=("operator", "vault", "nobody", "operator")))
    control = DelegateControl()
    (schema,) = control.schemas(tree["vault"], tree)
    assert properties(schema)["agent_name"]["enum"] == ["operator"]
    assert wanted(control, tree, call("delegate", agent_name="operator", goal="x"), "vault").kind == "delegate"
    assert refused(control, tree, call("delegate", agent_name="planner", goal="x"), "vault").code == "unknown_agent"
    assert refused(control, tree, call("delegate", agent_name="operator", goal="x"), "operator").code == "self"


def test_delegate_carries_goal_and_hints() -> None:
    target = wanted(
        DelegateControl(),
        tree_of(delegating()),
        call("delegate", agent_name="vault", goal="sign it", hints=["key 7", "today"], reason="keys"),
    )
    assert (target.node.name, target.reason, target.allowed_tools) == ("vault", "keys", None)
    assert target.instruction == "sign it\n\nHints:\n- key 7\n- today"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ({"agent_name": "valt", "goal": "x"}, "unknown_agent", "did you mean 'vault'"),
        ({"agent_name": "nobody", "goal": "x"}, "unknown_agent", "valid names: operator, vault, librarian, planner"),
        ({"agent_name": ROOT, "goal": "x"}, "self", "cannot hand over to itself"),
        ({"goal": "x"}, "bad_arguments", "agent_name and goal"),
        ({"agent_name": 7, "goal": "x"}, "bad_arguments", "agent_name and goal"),
        ({"agent_name": "vault"}, "bad_arguments", "say what vault has to do"),
        ({"agent_name": "vault", "goal": " "}, "bad_arguments", "say what vault has to do"),
        ({"agent_name": "vault", "goal": ["x"]}, "bad_arguments", "say what vault has to do"),
    ],
)
def test_delegate_refuses_what_does_not_fit(arguments: dict[str, Any], code: str, says: str) -> None:
    refusal = refused(DelegateControl(), tree_of(delegating()), call("delegate", **arguments))
    assert refusal.code == code
    assert says in refusal.detail


def test_delegate_tells_that_a_remote_agent_is_out_of_reach() -> None:
    tree = tree_of(delegating(), remotes=(WEATHER,))
    assert refused(DelegateControl(), tree, call("delegate", agent_name="weather", goal="x")).code == "unavailable"


def test_the_delegate_section_names_tool_and_agents() -> None:
    bare = delegating().model_copy(update={"root_sections": ()})
    tree = tree_of(bare)
    section = text_of("control", tree)
    assert "delegate" in section
    assert all(name in section for name in ("operator", "vault", "librarian", "planner"))
