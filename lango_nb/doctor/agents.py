"""Who works: one agent or many, with which model, and whether everybody has something to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lango_nb.core.text import counted
from lango_nb.doctor.case import Case, listed
from lango_nb.doctor.finding import Finding
from lango_nb.routing.lint import remarks
from lango_nb.specs.agent import Source
from lango_nb.specs.agent_md import findings


def examine_agents(case: Case) -> Iterator[Finding]:
    """Look at mode, model and the teammate runtime."""
    check, topology, model = "multi-agent", case.engine.topology, case.engine.model.name
    provider, sign, name = model.partition(":")
    if not model or (sign and not (provider and name)):
        missing = "provider" if sign and not provider else "model"
        text = f"no {missing} is set: the model's name is {model!r}"
        yield Finding(check, "fail", text, next_step="set agent.provider and agent.model; 'offline' needs no key")
    if topology.is_single:
        text = f"{topology.name}: one agent with all tools, model {model}"
        yield Finding(check, "skip", text, next_step="set agent.multiAgent to true to work with specialists")
        return
    specialists = sum(node.role == "specialist" for node in case.engine.tree.agents)
    yield Finding(check, "ok", f"{topology.name}: {counted(specialists, 'specialist')}, model {model}")
    if topology.control == "spawn" and not case.settings.background.enabled:
        text = f"{topology.name} works with teammates, and background.enabled is off: nobody can be spawned"
        yield Finding(check, "warn", text, next_step="set background.enabled to true")


def examine_tree(case: Case) -> Iterator[Finding]:
    """Look for agents without tools and tools without an agent.

    Yields
    ------
    Finding
        A planner is meant to have no tools, and a roster's agent that no tool belongs to is simply left out; neither is
        a warning.
    """
    check, tree, registry = "tree", case.engine.tree, case.engine.registry
    tools = tree.partition.tools
    if tree.topology.is_single:
        yield Finding(check, "ok", f"{tree.root.name} has {counted(len(tree.root.tools), 'tool')}")
        return
    idle = [
        node.name
        for node in tree.agents
        if node.role == "specialist" and not node.tools and node.spec is not None and not node.spec.always_include
    ]
    own = {spec.name for spec in registry.all() if spec.source is Source.USER}
    unused = [name for name in (*idle, *tree.skipped) if name in own]
    for name in unused:
        text = f"agent {name!r} has no tools: none begins with its prefixes or fits its words"
        yield Finding(
            check, "warn", text, next_step=f"give {name} prefixes of tools there are; %lango tools shows them"
        )
    for spec in registry.all():
        if spec.source is Source.USER:
            told = findings(spec) if Path(spec.path).is_file() else ()  # with the other definitions in files
            for said in remarks(spec, tree):
                if said not in told:
                    yield Finding(check, "warn", said, next_step=f"change the definition of {spec.name}")
    unmatched = [tool.name for tool in tree.partition.unmatched]
    if unmatched:
        is_one = len(unmatched) == 1
        text = f"{counted(len(unmatched), 'tool')} of {len(tools)} {'belongs' if is_one else 'belong'} to nobody"
        yield Finding(
            check,
            "warn",
            text,
            next_step="add their prefix to an AGENT.md of your own, or use a topology that knows them",
            evidence=listed(unmatched),
        )
    if not unused and not unmatched:
        left_out = [name for name in tree.skipped if name not in own]
        evidence = (f"left out, because none is theirs: {', '.join(left_out)}",) if left_out else ()
        resting = (f"disabled or drafts: {', '.join(tree.inactive)}",) if tree.inactive else ()
        text = f"every tool of {len(tools)} has its owner" if tools else "there are no tools"
        yield Finding(check, "ok", text, evidence=(*evidence, *resting))
