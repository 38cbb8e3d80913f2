"""What may be learned from stumbles: one small change of a genome, read from a reply, checked, shown and made.

    a reply ──(read_reply)──▶ NewMemory | ChangedPrompt | NewAgent | NewRule, or why nothing is changed
                                 │ check: against the genome as it is, when it is proposed and when it is accepted
                                 ├─▶ preview: what would differ
                                 └─▶ make: one commit

Nothing is ever removed, root's prompt stays, and a new agent works with tools that agents of the genome have already.

Notes
-----
Source: the project that Quick Start: Agent Delegation Architecture (spec 004) describes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeGuard

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, RefusedError, UnknownNameError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.text import folded
from lango_nb.engine import TIERS
from lango_nb.records.stumbles import Signal
from lango_nb.specs.agent import NAME_PATTERN, AgentSpec
from lango_nb.specs.agent_yaml import DEFAULTS
from lango_nb.specs.genome.genome import PRIMITIVES, RESERVED, Genome
from lango_nb.specs.genome.history import Diff, difference
from lango_nb.specs.genome.items import agent_bytes, memory_bytes, rule_bytes
from lango_nb.specs.genome.memories import Memory
from lango_nb.specs.genome.rules import Rule
from lango_nb.specs.genome.sync import ROOT
from lango_nb.specs.genome.working_tree import MEMORIES, RULES, agent_path

LEARN = "learn"
"""Source of memories and rules that were learned."""
LONGEST_REPLY = 40_000
"""Characters of a reply that are read."""
_LONGEST = {"content": 1_000, "system_prompt": 20_000, "description": 500, "condition": 200, "preference": 200}
_LONGEST_LINE = 300
_MOST_TAGS = 10
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)\n?\s*```", re.DOTALL)
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters, and halves of characters."""
_FIELDS = {
    "create_memory": ("content", "tags"),
    "update_agent": ("agent_name", "system_prompt"),
    "create_agent": ("name", "description", "system_prompt", "model", "capabilities"),
    "create_routing_rule": ("condition", "preference", "strength"),
    "skip": (),
}
"""What a reply may hold beside ``type`` and ``reason``."""


@dataclass(frozen=True, slots=True)
class NewMemory:
    """Something to remember."""

    content: str
    tags: tuple[str, ...] = ()
    noun: Literal["memory"] = "memory"


@dataclass(frozen=True, slots=True)
class ChangedPrompt:
    """Another prompt of an agent."""

    agent_name: str
    system_prompt: str
    noun: Literal["prompt"] = "prompt"


@dataclass(frozen=True, slots=True)
class NewAgent:
    """An agent that another may delegate to."""

    name: str
    description: str
    system_prompt: str
    model: str
    capabilities: tuple[str, ...]
    parent: str
    noun: Literal["agent"] = "agent"

    @property
    def spec(self) -> AgentSpec:
        """The agent; it delegates to nobody."""
        return AgentSpec(
            name=self.name,
            description=self.description,
            instruction=self.system_prompt,
            model=self.model,
            tools=self.capabilities,
            delegates=self.capabilities,
            constraints=DEFAULTS.model_copy(update={"can_spawn": False}),
            tags=("learned",),
        )


@dataclass(frozen=True, slots=True)
class NewRule:
    """A routing rule."""

    condition: str
    preference: str
    strength: float = 0.5
    noun: Literal["rule"] = "rule"


Change = NewMemory | ChangedPrompt | NewAgent | NewRule
State = Literal["open", "accepted", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that somebody may accept or refuse."""

    number: int
    signal: Signal
    """The newest of the stumbles it is about."""
    times: int
    """How many of them were looked at."""
    change: Change
    reason: str
    diff: Diff
    """What would differ, or does, once it is accepted."""
    state: State = "open"
    commit: str = ""
    """Id of the commit, once it is accepted."""

    @property
    def told(self) -> str:
        """What would be done, in a few words."""
        match self.change:
            case NewMemory(content):
                return f"remember: {content}"
            case ChangedPrompt(agent_name):
                return f"change the prompt of {agent_name}"
            case NewAgent(name, parent=parent):
                return f"add agent {name} for {parent}"
            case NewRule(condition, preference):
                return f"when {condition}: {preference}"


def read_reply(text: str, signal: Signal) -> tuple[Change | None, str]:
    """Read what a model proposes.

    Parameters
    ----------
    text : str
        One JSON object, in a fence or not.
    signal : Signal
        The stumble it is about: a new agent joins the list of whoever gave the goal.

    Returns
    -------
    Change or None
        ``None`` where the model proposes nothing.
    str
        Its reason.

    Raises
    ------
    DefinitionError
        It is no such object, or one of its values is wrong.
    """
    values = _object(text)
    kind = values.pop("type", None)
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise DefinitionError(f"the reply: type: has to be one of {', '.join(_FIELDS)}")
    reason = folded(_text(values, "reason", _LONGEST_LINE, default="no reason given"))
    values.pop("reason", None)
    unknown = next((key for key in values if key not in _FIELDS[kind]), None)
    if unknown is not None:
        raise DefinitionError(f"the reply: {shorten(unknown, 40)}: is nothing that {kind} takes")
    match kind:
        case "create_memory":
            tags = _names(values, "tags")[:_MOST_TAGS]
            return NewMemory(folded(_text(values, "content")), tags), reason
        case "update_agent":
            return ChangedPrompt(_text(values, "agent_name", 64), _text(values, "system_prompt")), reason
        case "create_agent":
            return _agent(values, signal), reason
        case "create_routing_rule":
            condition, preference = (folded(_text(values, name)) for name in ("condition", "preference"))
            return NewRule(condition, preference, _strength(values)), reason
    return None, reason


def check(change: Change, genome: Genome, tools: Collection[str] = ()) -> None:
    """Refuse a change that may not be made, or changes nothing.

    Parameters
    ----------
    change : Change
    genome : Genome
        As it is now.
    tools : collection of str
        Names of tools, which no agent may have.

    Raises
    ------
    LangoError
        Says why.
    """
    match change:
        case NewMemory(content):
            known = {folded(one.content).casefold(): one.id for one in genome.memories}
            if content.casefold() in known:
                raise DefinitionError(f"memory {known[content.casefold()]} says that already")
        case NewRule(condition, preference):
            same = (one.id for one in genome.rules if (one.condition, one.preference) == (condition, preference))
            if (name := next(same, None)) is not None:
                raise DefinitionError(f"rule {name} says that already")
        case ChangedPrompt(name, prompt):
            if name == ROOT:
                raise RefusedError("agent 'root' is not rewritten by a proposal; edit agents/root.yaml yourself")
            spec = _known(genome, name)
            if spec.instruction == prompt.strip():
                raise DefinitionError(f"agent {name!r} has that prompt already")
        case NewAgent():
            _check_agent(change, genome, tools)


def preview(change: Change, genome: Genome, signal: Signal) -> Diff:
    """Tell what a change would change.

    Parameters
    ----------
    change : Change
        That is checked.
    genome : Genome
    signal : Signal
    """
    match change:
        case NewMemory(content, tags):
            memories = {one.id: one for one in genome.memories}
            new_memory = Memory("m-new", mask(content), signal.at, tuple(map(mask, tags)), LEARN)
            return difference({MEMORIES: (memory_bytes(memories), memory_bytes({**memories, "m-new": new_memory}))})
        case NewRule(condition, preference, strength):
            rules = {one.id: one for one in genome.rules}
            rule = Rule("r-new", mask(condition), mask(preference), strength, LEARN)
            return difference({RULES: (rule_bytes(rules), rule_bytes({**rules, "r-new": rule}))})
        case ChangedPrompt(name, prompt):
            old = _known(genome, name)
            new = old.model_copy(update={"instruction": mask(prompt), "version": old.version + 1})
            return difference({agent_path(name): (agent_bytes(old), agent_bytes(new))})
        case NewAgent(name):
            above = _known(genome, change.parent)
            names = (*above.tools, name)
            listing = above.model_copy(update={"tools": names, "delegates": names})
            return difference(
                {
                    agent_path(name): (None, agent_bytes(change.spec)),
                    agent_path(above.name): (agent_bytes(above), agent_bytes(listing)),
                }
            )


def make(change: Change, genome: Genome) -> None:
    """Make a change, as one commit.

    Raises
    ------
    LangoError
        It cannot be made; nothing is changed.
    """
    match change:
        case NewMemory(content, tags):
            genome.add_memory(content, tags, LEARN)
        case NewRule(condition, preference, strength):
            genome.add_rule(condition, preference, strength, LEARN)
        case ChangedPrompt(name, prompt):
            genome.update_agent(_known(genome, name).model_copy(update={"instruction": prompt.strip()}))
        case NewAgent():
            genome.add_agent(change.spec, change.parent)


# -- inside ------------------------------------------------------------------------------------------------------------


def _object(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_REPLY:
        raise DefinitionError(f"the reply has {len(text):,} characters, and {LONGEST_REPLY:,} are read at most")
    fenced = _FENCE.fullmatch(text.strip())
    try:
        found = json.loads(fenced[1] if fenced else text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise DefinitionError(f"the reply is no JSON object: {shorten(mask(folded(text)), 60)!r}") from None
    if not isinstance(found, dict):
        raise DefinitionError(f"the reply is no JSON object but a {type(found).__name__}")
    return found


def _refuse(_name: str) -> None:
    raise ValueError


def _text(values: Mapping[str, Any], name: str, longest: int = 0, default: str | None = None) -> str:
    value = values.get(name, default)
    if not _is_text(value):
        raise DefinitionError(f"the reply: {name}: has to be text")
    most = longest or _LONGEST[name]
    if len(value) > most:
        raise DefinitionError(f"the reply: {name}: has {len(value):,} characters, and {most:,} are enough")
    return value.strip()


def _names(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = values.get(name, [])
    if not isinstance(value, list) or not all(map(_is_text, value)):
        raise DefinitionError(f"the reply: {name}: has to be a list of texts")
    return tuple(dict.fromkeys(shorten(folded(one), 64) for one in value))


def _is_text(value: object) -> TypeGuard[str]:
    """Tell whether something says something, in characters that can be written to a file."""
    return isinstance(value, str) and bool(value.strip()) and not _UNFIT.search(value)


def _strength(values: Mapping[str, Any]) -> float:
    value = values.get("strength", 0.5)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DefinitionError("the reply: strength: has to be a number from 0 to 1")
    return float(value)


def _agent(values: Mapping[str, Any], signal: Signal) -> NewAgent:
    name = _text(values, "name", _LONGEST_LINE)
    if not NAME_PATTERN.fullmatch(name):
        what = "a letter, then at most 63 letters, digits, '_', '.' or '-'"
        raise DefinitionError(f"the reply: name: {shorten(name, 40)!r} is not a name: {what}")
    model = _text(values, "model", _LONGEST_LINE, default="balanced")
    if model not in TIERS:
        raise DefinitionError(f"the reply: model: has to be one of {', '.join(TIERS)}, not {shorten(model, 40)!r}")
    texts = folded(_text(values, "description")), _text(values, "system_prompt")
    return NewAgent(name, *texts, model, _names(values, "capabilities"), signal.observer or ROOT)


def _check_agent(change: NewAgent, genome: Genome, tools: Collection[str]) -> None:
    name = change.name
    if name in {*PRIMITIVES, *RESERVED, *tools}:
        raise DefinitionError(f"agent {name!r} cannot be added: the name is reserved")
    if any(one.name.casefold() == name.casefold() for one in genome.all_agents()):
        raise DefinitionError(f"agent {name!r} is there already")
    _known(genome, change.parent)
    agents = {one.name for one in genome.all_agents()}
    listed = {one for spec in genome.all_agents() for one in spec.tools} - agents
    unknown = next((one for one in change.capabilities if one not in listed), None)
    if unknown is not None:
        raise RefusedError(f"agent {name!r} cannot be given {unknown!r}: no agent of the genome has such a tool")


def _known(genome: Genome, name: str) -> AgentSpec:
    found = genome.get_agent(name)
    if found is None:
        raise UnknownNameError("agent", name, [spec.name for spec in genome.all_agents()], "the genome")
    return found
