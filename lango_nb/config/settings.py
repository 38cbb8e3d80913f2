"""Every setting with its default and a sentence: snake_case here, camelCase in files and on the command line.

    agent            who works: one agent or many, their limits, where their definitions lie
    tools            limits of the tools that are real
    security         which calls need an answer
    a2a … ontology   switches: a bare engine has a tool family when its switch is on; a lab always knows all families
    lab              what a notebook starts with

A setting exists only when something reads it or ``lango agent status`` and ``lango agent tools`` show it. Adding one is
adding a field here; loading, ``lango settings``, ``%lango config`` and the environment know it from then on.

Annotations are not postponed in this file: pydantic would evaluate every one again while the package starts.
"""

import os
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from lango_nb.config.units import parse_duration, parse_size
from lango_nb.core.frozen import Frozen

ApprovalPolicy = Literal["all", "dangerous", "configured", "none"]
"""Which tool calls need an answer before they run."""


def expand_home(path: str) -> str:
    """Replace a leading ``~`` by the user's folder.

    Examples
    --------
    >>> expand_home("agents")
    'agents'
    """
    return os.path.expanduser(path) if path.startswith("~") else path  # noqa: PTH111 - keeps the text as it was written


def camel(name: str) -> str:
    """Return the spelling of a field in files.

    Examples
    --------
    >>> camel("max_delegation_rounds"), camel("default_timeout_s")
    ('maxDelegationRounds', 'defaultTimeout')
    """
    first, *rest = name.removesuffix("_s").split("_")
    return first + "".join(word.capitalize() for word in rest)


Duration = Annotated[float, BeforeValidator(parse_duration)]
Size = Annotated[int, BeforeValidator(parse_size)]
Count = Annotated[int, Field(ge=0)]
Folder = Annotated[str, AfterValidator(expand_home)]
Names = tuple[str, ...]


class SettingsGroup(Frozen):
    """Settings that stand under one key."""

    model_config = ConfigDict(alias_generator=camel, populate_by_name=True)


class Switch(SettingsGroup):
    """A part that is on or off."""

    enabled: bool = Field(False, description="Whether the part is switched on.")


class SkillSwitch(Switch):
    """A part that is on unless it is switched off."""

    enabled: bool = Field(True, description="Whether the part is switched on.")


class AgentSettings(SettingsGroup):
    """Who works, how long, and where definitions lie."""

    multi_agent: bool = Field(False, description="Whether an orchestrator hands work to specialists.")
    provider: str = Field("", description="Provider of the model; empty takes the one the model's name begins with.")
    model: str = Field("offline", description="Model that answers; 'offline' needs neither key nor network.")
    max_turns: Count = Field(0, description="Model calls of one turn; 0 takes the topology's own limit.")
    max_delegation_rounds: Count = Field(
        0, description="Replies of one turn that may hand work over; 0 takes the topology's own limit."
    )
    agents_dir: Folder = Field("", description="Folder whose subfolders hold AGENT.md files of your own agents.")
    prompts_dir: Folder = Field("", description="Folder with Markdown files that replace shared prompt sections.")

    @property
    def model_name(self) -> str:
        """The model with its provider in front, where one is set and the name does not already hold it.

        Examples
        --------
        >>> AgentSettings(provider="openai", model="gpt-5").model_name, AgentSettings().model_name
        ('openai:gpt-5', 'offline')
        """
        return f"{self.provider}:{self.model}" if self.provider and ":" not in self.model else self.model


class ExecSettings(SettingsGroup):
    """Limits of the command tools."""

    default_timeout_s: Duration = Field(30.0, description="How long a command may run when the call does not say.")
    allow_background: bool = Field(True, description="Whether commands may be left running with exec_bg.")
    max_output_bytes: Size = Field(64 * 1024, description="Output kept of one command; the rest is cut and said so.")


class FilesystemSettings(SettingsGroup):
    """Limits of the file tools."""

    max_read_bytes: Size = Field(
        10 * 1024 * 1024, alias="maxReadSize", description="Size of the largest file that fs_read opens."
    )


class ToolSettings(SettingsGroup):
    """Tool families."""

    exec: ExecSettings = Field(ExecSettings(), description="Command tools.")
    filesystem: FilesystemSettings = Field(FilesystemSettings(), description="File tools.")
    browser: Switch = Field(Switch(), description="Whether the browser tools are on.")


class InterceptorSettings(SettingsGroup):
    """Which tool calls need an answer."""

    enabled: bool = Field(True, description="Whether any tool call needs an answer at all.")
    approval_policy: ApprovalPolicy = Field(
        "dangerous",
        description="Which calls need an answer: all, dangerous ones, only configured (sensitive) ones, or none.",
    )
    sensitive_tools: Names = Field((), description="Tools that need an answer whatever the policy says.")
    exempt_tools: Names = Field((), description="Tools that never need an answer; this list beats the others.")


class SecuritySettings(SettingsGroup):
    """Guards around tool calls."""

    interceptor: InterceptorSettings = Field(InterceptorSettings(), description="Approvals.")


class RemoteAgentSettings(SettingsGroup):
    """One agent reached over A2A."""

    name: str = Field(min_length=1, description="What the tree calls it.")
    agent_card_url: str = Field("", description="Where its card lies; without one the agent is left out.")


class A2aSettings(SettingsGroup):
    """Agents of other systems."""

    enabled: bool = Field(False, description="Whether remote agents join the tree.")
    remote_agents: tuple[RemoteAgentSettings, ...] = Field(
        (), description="Remote agents: a list of {name, agentCardUrl}."
    )


class EmbeddingSettings(SettingsGroup):
    """Embeddings for retrieval."""

    provider: str = Field("", description="Provider of embeddings; the retrieval tools are on once one is set.")


class LabSettings(SettingsGroup):
    """What a notebook starts with."""

    topology: str = Field("sextet", description="Topology of a Lab and of the terminal commands.")


class Settings(SettingsGroup):
    """All settings; every one has a default.

    Examples
    --------
    >>> Settings().agent.multi_agent
    False
    >>> Settings.model_validate({"agent": {"maxDelegationRounds": 3}}).agent.max_delegation_rounds
    3
    """

    agent: AgentSettings = Field(AgentSettings(), description="Who works, how long, and where definitions lie.")
    tools: ToolSettings = Field(ToolSettings(), description="Tool families.")
    security: SecuritySettings = Field(SecuritySettings(), description="Guards around tool calls.")
    a2a: A2aSettings = Field(A2aSettings(), description="Agents of other systems.")
    p2p: Switch = Field(
        Switch(),
        description="Whether the peer-to-peer network is wanted; so far lango agent status shows it and nothing more.",
    )
    hooks: Switch = Field(
        Switch(),
        description="Whether further tool hooks are wanted; so far lango agent status shows it and nothing more.",
    )
    background: Switch = Field(
        Switch(), description="Whether the background tools are on; the teammate runtime needs them."
    )
    knowledge: Switch = Field(Switch(), description="Whether the knowledge and learning tools are on.")
    graph: Switch = Field(Switch(), description="Whether the graph tools are on.")
    embedding: EmbeddingSettings = Field(EmbeddingSettings(), description="Embeddings for retrieval.")
    librarian: Switch = Field(Switch(), description="Whether the proactive librarian's tools are on.")
    observational_memory: Switch = Field(
        Switch(), description="Whether the tools for observations and reflections are on."
    )
    agent_memory: Switch = Field(Switch(), description="Whether the tools for an agent's own memory are on.")
    cron: Switch = Field(Switch(), description="Whether the tools for scheduled jobs are on.")
    workflow: Switch = Field(Switch(), description="Whether the workflow tools are on.")
    skill: SkillSwitch = Field(SkillSwitch(), description="Whether the skill tools are on.")
    payment: Switch = Field(Switch(), description="Whether the payment tools are on.")
    ontology: Switch = Field(Switch(), description="Whether the ontology tools are on.")
    lab: LabSettings = Field(LabSettings(), description="What a notebook starts with.")
