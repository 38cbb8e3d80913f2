"""Every setting with its default and a sentence: snake_case here, camelCase in files and on the command line.

    agent            who works: one agent or many, their limits, where their definitions lie
    tools            limits of the tools that are real
    security         which calls need an answer
    a2a … ontology   switches: a bare engine has a tool family when its switch is on; a lab always knows all families
    models           how models of providers are reached
    store            where records lie
    records          what is made of them for models
    observability    how long they are kept
    lab              what a notebook starts with

A setting exists only when something reads it or ``lango agent status`` and ``lango agent tools`` show it. Adding one is
adding a field here; loading, ``lango settings``, ``%lango config`` and the environment know it from then on.

What a downloaded folder may set before anybody has trusted it stands on the field too: ``Free``, ``Lower``, ``Higher``
or another rule of :mod:`lango_nb.config.strictness`. A field without one needs trust. A rule on a switch is that of its
field ``enabled``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import MISSING, field
from typing import Annotated, Any, ClassVar, Literal, Self

from lango_nb.config.strictness import BEYOND, WITHIN, Contents, Free, Higher, Lower, limit, only, ranked
from lango_nb.config.units import parse_duration, parse_idle, parse_size
from lango_nb.core.errors import DefinitionError
from lango_nb.core.frozen import After, Before, Bounds, Frozen

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


Duration = Annotated[float, Before(parse_duration)]
IdleTime = Annotated[float, Before(parse_idle)]
"""A duration, or a negative one: switched off."""
Size = Annotated[int, Before(parse_size)]
Count = Annotated[int, Bounds(ge=0)]
Folder = Annotated[str, After(expand_home)]
Names = tuple[str, ...]
Limit = Annotated[Count, limit()]
LimitS = Annotated[Duration, limit()]
"""Limits that an untrusted folder may lower; 0 sets none."""


def check_patterns(written: Names) -> Names:
    """Refuse what is not a pattern of tools."""
    from lango_nb.core.tool_patterns import ToolPatterns

    try:
        ToolPatterns.of(written)
    except DefinitionError as error:
        raise ValueError(str(error)) from error
    return written


def check_lists(written: Names) -> Names:
    """Refuse what is not an agent and a pattern of tools."""
    from lango_nb.core.tool_patterns import by_agent

    try:
        by_agent(written)
    except DefinitionError as error:
        raise ValueError(str(error)) from error
    return written


ToolNames = Annotated[Names, After(check_patterns)]
"""Patterns of tools, as :mod:`lango_nb.core.tool_patterns` reads them."""
AgentTools = Annotated[Names, After(check_lists)]
"""The same with the agent they are about: ``operator: fs_*``."""


def setting(default: Any, sentence: str, *, alias: str | None = None) -> Any:
    """Describe one setting.

    Parameters
    ----------
    default : object
        Its value where nobody has set one; ``MISSING`` where that is an error.
    sentence : str
        What it does.
    alias : str, optional
        Its spelling in files, where that is not the name in camelCase.
    """
    return field(default=default, metadata={"description": sentence, **({"alias": alias} if alias else {})})


class SettingsGroup(Frozen):
    """Settings that stand under one key. What is put into one is checked, by the names here or those in files."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        "alias_generator": camel,
        "populate_by_name": True,
        "extra": "forbid",
    }

    def __init__(self, **values: Any) -> None:
        vars(self).update(vars(self.model_validate(values)) if values else self._defaults)

    @classmethod
    def defaults(cls) -> Self:
        """Return the group as it is when nothing is set."""
        return cls.model_construct()


class Switch(SettingsGroup):
    """A part that is on or off."""

    enabled: bool = setting(False, "Whether the part is switched on.")


class SkillSwitch(Switch):
    """A part that is on unless it is switched off."""

    enabled: bool = setting(True, "Whether the part is switched on.")


class BreakerSettings(SettingsGroup):
    """When an agent or a provider is left alone for a while."""

    failure_threshold: Lower[Annotated[int, Bounds(ge=1)]] = setting(3, "Failures in a row that open a circuit.")
    reset_timeout_s: Free[Duration] = setting(30.0, "How long it stays open before one probe is let through.")


class RecoverySettings(SettingsGroup):
    """How often something that failed is tried again."""

    max_retries: Lower[Count] = setting(2, "Retries of one turn, where the error's class has no limit of its own.")
    base_delay_s: Free[Duration] = setting(1.0, "First back-off; it doubles with every retry, up to 30 s.")


class BudgetSettings(SettingsGroup):
    """How much one turn may use."""

    delegation_limit: Limit = setting(15, "Hand-overs of one turn that are watched; 0 switches it off.")
    alert_threshold: Free[Annotated[float, Bounds(gt=0, le=1)]] = setting(
        0.8, "Share of a limit from which a warning is given."
    )
    max_calls: Limit = setting(
        100,
        "Model calls of one turn, those of its runs included; 0 sets no limit.",
    )
    max_tokens: Limit = setting(500_000, "Tokens one turn may use; 0 sets no limit. A model that loops meets it.")
    max_runs: Limit = setting(40, "Agents that one turn may give work to, one after the other; 0 sets no limit.")
    max_cost_usd: Annotated[float, Bounds(ge=0), limit()] = setting(0.0, "Dollars one turn may cost; 0 sets no limit.")


class OrchestrationSettings(SettingsGroup):
    """What happens when something fails."""

    mode: Free[Literal["classic", "structured"]] = setting(
        "classic", "structured: failures are routed to somebody else; classic: they end the turn."
    )
    circuit_breaker: BreakerSettings = setting(BreakerSettings.defaults(), "Circuit breakers.")
    recovery: RecoverySettings = setting(RecoverySettings.defaults(), "Retries.")
    budget: BudgetSettings = setting(BudgetSettings.defaults(), "Budget of a turn.")


class IsolationSettings(SettingsGroup):
    """Sessions of their own for agents that ask for one."""

    enabled: Higher[bool] = setting(True, "Whether isolated agents work in child sessions.")
    inherit_history: Lower[Count] = setting(10, "Messages of the parent conversation that a child session sees.")
    max_messages: Limit = setting(0, "Messages a child session keeps; 0 keeps all.")


class AgentSettings(SettingsGroup):
    """Who works, how long, and where definitions lie."""

    multi_agent: Free[bool] = setting(False, "Whether an orchestrator hands work to specialists.")
    provider: str = setting("", "Provider of the model; empty takes the one the model's name begins with.")
    model: Annotated[str, only("offline")] = setting(
        "offline", "Model that answers; 'offline' needs neither key nor network."
    )
    max_turns: Annotated[Count, limit(unset=50)] = setting(
        0, "Replies of one turn that call tools; 0 takes the topology's own limit. Raised once by half."
    )
    max_delegation_rounds: Annotated[Count, limit(unset=5)] = setting(
        0, "Replies of one turn that may hand work over; 0 takes the topology's own limit."
    )
    agents_dir: Annotated[Folder, Contents("*/AGENT.md")] = setting(
        "", "Folder whose subfolders hold AGENT.md files of your own agents."
    )
    prompts_dir: Annotated[Folder, Contents("*.md")] = setting(
        "", "Folder with Markdown files that replace shared prompt sections."
    )
    request_timeout_s: Annotated[Duration, limit(unset=300)] = setting(300.0, "How long one turn may take.")
    idle_timeout_s: IdleTime = setting(
        0.0, "How long a turn may be silent; 0 is not set, negative is off. Handing over is activity."
    )
    auto_extend_timeout: Lower[bool] = setting(False, "Whether activity extends a turn up to maxRequestTimeout.")
    max_request_timeout_s: Duration = setting(0.0, "Longest extended turn; 0 takes three times the idle time.")
    history_tokens: Annotated[Count, limit(unset=100_000)] = setting(
        0,
        "Tokens of earlier turns that a model is given at most, whole exchanges, the latest first; 0 takes "
        "100 000, or half of the model's window where that is known to be less.",
    )
    tool_timeout_s: LimitS = setting(120.0, "How long one tool call may take; 0 sets no limit.")
    queue_timeout_s: LimitS = setting(
        300.0, "How long a turn waits for an earlier one of its session; 0 sets no limit."
    )
    orchestration: OrchestrationSettings = setting(
        OrchestrationSettings.defaults(), "What happens when something fails."
    )
    isolation: IsolationSettings = setting(IsolationSettings.defaults(), "Child sessions.")

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

    default_timeout_s: LimitS = setting(30.0, "How long a command may run when the call does not say.")
    allow_background: Lower[bool] = setting(True, "Whether commands may be left running with exec_bg.")
    max_output_bytes: Lower[Size] = setting(64 * 1024, "Output kept of one command; the rest is cut and said so.")
    environment: Annotated[Names, WITHIN] = setting(
        (),
        "Variables that commands get besides PATH, HOME, USER, SHELL, LANG, LC_*, TERM, TZ and TMPDIR; "
        "* stands for any letters.",
    )


class FilesystemSettings(SettingsGroup):
    """Limits of the file tools."""

    max_read_bytes: Lower[Size] = setting(
        10 * 1024 * 1024, "Size of the largest file that fs_read opens.", alias="maxReadSize"
    )


class FetchSettings(SettingsGroup):
    """What the tool fetch may do on the network."""

    enabled: Lower[bool] = setting(
        False,
        "Whether fetch may send requests; each one is asked about, as a dangerous call. Needs models.allowNetwork.",
    )
    private_addresses: Lower[bool] = setting(
        False, "Whether it may reach addresses of this machine and of its private network."
    )
    timeout_s: LimitS = setting(30.0, "How long one call may take, redirects included; 0 sets no limit.")
    max_bytes: Lower[Size] = setting(1024 * 1024, "Size of a body from which it is cut.")


class OutputSettings(SettingsGroup):
    """What becomes of large tool results."""

    token_budget: Lower[Annotated[int, Bounds(ge=1)]] = setting(
        2000, "Tokens of a result that is passed on whole; larger ones are compressed."
    )
    head_ratio: Free[Annotated[float, Bounds(ge=0, le=1)]] = setting(0.7, "Share of the budget for the beginning.")
    tail_ratio: Free[Annotated[float, Bounds(ge=0, le=1)]] = setting(0.3, "Share of the budget for the end.")


class ToolSettings(SettingsGroup):
    """Tool families."""

    exec: ExecSettings = setting(ExecSettings.defaults(), "Command tools.")
    filesystem: FilesystemSettings = setting(FilesystemSettings.defaults(), "File tools.")
    fetch: FetchSettings = setting(FetchSettings.defaults(), "Requests over HTTP.")
    browser: Lower[Switch] = setting(Switch.defaults(), "Whether the browser tools are on.")
    output_manager: OutputSettings = setting(OutputSettings.defaults(), "Large results.")


class InterceptorSettings(SettingsGroup):
    """Which tool calls need an answer."""

    enabled: Higher[bool] = setting(True, "Whether any tool call needs an answer at all.")
    approval_policy: Annotated[ApprovalPolicy, ranked("none", "configured", "dangerous", "all")] = setting(
        "dangerous",
        "Which calls need an answer: all, dangerous ones, only configured (sensitive) ones, or none.",
    )
    sensitive_tools: Annotated[ToolNames, BEYOND] = setting(
        (),
        "Tools that need an answer whatever the policy says: names, globs (fs_*), or rules on an argument "
        "(exec(command: git push*)). One that fits no known tool waits for tools that come later; status and doctor "
        "name it.",
    )
    exempt_tools: Annotated[ToolNames, WITHIN] = setting(
        (),
        "Tools that never need an answer, written the same way; this list beats the others. A rule on an "
        "argument covers no value with operators of a shell or '..' in it.",
    )
    approval_timeout_s: Lower[Duration] = setting(300.0, "How long an answer is waited for; nobody means no.")
    redact_pii: Higher[bool] = setting(False, "Whether personal data is masked in what tools are given.")


class MaskingSettings(SettingsGroup):
    """What else is taken out of everything that is kept or shown."""

    patterns: Names = setting(
        (), "Regular expressions of further secrets, which cannot take for ever; what they match is masked."
    )
    keys: Names = setting((), "Further names of arguments and fields whose values are masked.")
    phone_numbers: bool = setting(False, "Whether phone numbers are masked as well.")


class SecuritySettings(SettingsGroup):
    """Guards around tool calls, and what is never kept."""

    interceptor: InterceptorSettings = setting(InterceptorSettings.defaults(), "Approvals.")
    masking: MaskingSettings = setting(MaskingSettings.defaults(), "Secrets of your own.")


class RemoteAgentSettings(SettingsGroup):
    """One agent reached over A2A."""

    name: Annotated[str, Bounds(min_length=1)] = setting(MISSING, "What the tree calls it.")
    agent_card_url: str = setting("", "Where its card lies; without one the agent is left out.")


class A2aSettings(SettingsGroup):
    """Agents of other systems."""

    enabled: Lower[bool] = setting(False, "Whether remote agents join the tree.")
    remote_agents: tuple[RemoteAgentSettings, ...] = setting((), "Remote agents: a list of {name, agentCardUrl}.")


class EmbeddingSettings(SettingsGroup):
    """Embeddings for retrieval."""

    provider: str = setting("", "Provider of embeddings; the retrieval tools are on once one is set.")


class HookSettings(Switch):
    """What surrounds a tool call, apart from what is always there."""

    access_control: Higher[bool] = setting(
        False,
        "Whether agents are held to hooks.deniedTools and hooks.allowedTools; a list that names something "
        "switches it on.",
    )
    denied_tools: Annotated[AgentTools, BEYOND] = setting(
        (),
        "Tools an agent may not use, such as operator: exec_*; * stands for every agent. Patterns as in "
        "security.interceptor.sensitiveTools; this list beats allowedTools.",
    )
    allowed_tools: AgentTools = setting(
        (),
        "The only tools an agent may use, such as operator: fs_*; an agent without a list may use all it "
        "has, and control tools always stay.",
    )
    event_publishing: Lower[bool] = setting(False, "Whether tool calls are published on the event bus.")
    knowledge_save: Lower[bool] = setting(False, "Whether results of looking something up are kept as knowledge.")
    blocked_commands: Annotated[Names, BEYOND] = setting(
        (),
        "Further patterns no command may hold; what destroys a machine is blocked anyway. The filter "
        "is a seat belt; what keeps a person in charge is the approval.",
    )


class BackgroundSettings(Switch):
    """Work that goes on beside the conversation."""

    max_concurrent_tasks: Lower[Annotated[int, Bounds(ge=1)]] = setting(
        10, "Teammates that work at the same time; further ones wait."
    )


class RunLedgerSettings(Switch):
    """A durable mirror of what teammates wait for."""

    write_through: bool = setting(False, "Whether blocked runs are mirrored as they happen.")


class StoreSettings(SettingsGroup):
    """Where records lie, and when they are on the disk."""

    url: str = setting(
        "",
        "Where records are kept: empty is in memory, 'home' the home folder, else a folder or a database "
        "such as sqlite:///records.db or postgresql://user@host/name.",
    )
    durability: Annotated[Literal["turn", "event", "none"], ranked("none", "turn", "event")] = setting(
        "turn",
        "When records are forced to the disk: at the end of a turn and before risky calls, with every "
        "event, or never; with 'none' a power cut may lose turns that were answered.",
    )
    lock_timeout_s: Duration = setting(10.0, "How long a lock of another process is waited for.")
    tee: Folder = setting(
        "", "File that every closed turn is also appended to, as JSON lines; %lango open FILE reads it."
    )


class RecordSettings(SettingsGroup):
    """What is made of records for models."""

    summaries: Lower[bool] = setting(
        False,
        "Whether a model is given a summary of the messages that agent.historyTokens leaves out. The same "
        "model makes it, with one more call each time half of the budget is dropped.",
    )


class ModelSettings(SettingsGroup):
    """How models of providers are reached; ``agent.model`` says which one answers."""

    allow_network: Lower[bool] = setting(True, "Whether live models may be called at all; off refuses every call.")
    base_url: str = setting("", "Server that speaks OpenAI's protocol, for models called openai:NAME.")
    best: str = setting("", "Model of agents whose definition says best; empty is that of the turn.")
    balanced: str = setting("", "Model of agents whose definition says balanced; empty is that of the turn.")
    fast: str = setting("", "Model of agents whose definition says fast; empty is that of the turn.")
    timeout_s: LimitS = setting(60.0, "How long one request to a provider may take.")
    max_retries: Lower[Count] = setting(
        2, "How often a request is sent again where the provider asks to wait or fails for a moment."
    )
    keys_file: Folder = setting(
        "", "File with NAME=key lines that only its owner may read; empty is keys.env in the home folder."
    )


class TraceStoreSettings(SettingsGroup):
    """How long turns are kept: for ever, unless a limit is set."""

    max_age_s: Duration = setting(0.0, "Successful turns older than this are forgotten, 30d for instance; 0 keeps all.")
    failed_trace_multiplier: Annotated[float, Bounds(ge=1)] = setting(
        2.0, "Turns that failed are kept this many times as long."
    )
    max_traces: Count = setting(0, "Turns kept at most, the oldest go first; 0 keeps all.")
    cleanup_interval_s: Duration = setting(3600.0, "Least time between two clean-ups; 0 never cleans up.")

    @property
    def is_limited(self) -> bool:
        """Whether anything is ever forgotten."""
        return bool(self.max_age_s or self.max_traces)


class ObservabilitySettings(SettingsGroup):
    """What is kept of what happened."""

    trace_store: TraceStoreSettings = setting(TraceStoreSettings.defaults(), "Retention of turns.")


class LabSettings(SettingsGroup):
    """What a notebook starts with."""

    topology: Free[str] = setting("octet", "Topology of a Lab and of the terminal commands.")


class Settings(SettingsGroup):
    """All settings; every one has a default.

    Examples
    --------
    >>> Settings().agent.multi_agent
    False
    >>> Settings.model_validate({"agent": {"maxDelegationRounds": 3}}).agent.max_delegation_rounds
    3
    """

    agent: AgentSettings = setting(AgentSettings.defaults(), "Who works, how long, and where definitions lie.")
    tools: ToolSettings = setting(ToolSettings.defaults(), "Tool families.")
    security: SecuritySettings = setting(SecuritySettings.defaults(), "Guards around tool calls.")
    a2a: A2aSettings = setting(A2aSettings.defaults(), "Agents of other systems.")
    p2p: Lower[Switch] = setting(
        Switch.defaults(),
        "Whether the peer-to-peer network is wanted; so far lango agent status shows it and nothing more.",
    )
    hooks: Lower[HookSettings] = setting(HookSettings.defaults(), "What surrounds a tool call.")
    background: Free[BackgroundSettings] = setting(
        BackgroundSettings.defaults(), "Work beside the conversation; the teammate runtime needs it."
    )
    run_ledger: Lower[RunLedgerSettings] = setting(RunLedgerSettings.defaults(), "Mirror of blocked runs.")
    knowledge: Lower[Switch] = setting(Switch.defaults(), "Whether the knowledge and learning tools are on.")
    graph: Lower[Switch] = setting(Switch.defaults(), "Whether the graph tools are on.")
    embedding: EmbeddingSettings = setting(EmbeddingSettings.defaults(), "Embeddings for retrieval.")
    librarian: Lower[Switch] = setting(Switch.defaults(), "Whether the proactive librarian's tools are on.")
    observational_memory: Lower[Switch] = setting(
        Switch.defaults(), "Whether the tools for observations and reflections are on."
    )
    agent_memory: Lower[Switch] = setting(Switch.defaults(), "Whether the tools for an agent's own memory are on.")
    cron: Lower[Switch] = setting(Switch.defaults(), "Whether the tools for scheduled jobs are on.")
    workflow: Lower[Switch] = setting(Switch.defaults(), "Whether the workflow tools are on.")
    skill: Lower[SkillSwitch] = setting(SkillSwitch.defaults(), "Whether the skill tools are on.")
    payment: Lower[Switch] = setting(Switch.defaults(), "Whether the payment tools are on.")
    ontology: Lower[Switch] = setting(Switch.defaults(), "Whether the ontology tools are on.")
    models: ModelSettings = setting(ModelSettings.defaults(), "How models of providers are reached.")
    store: StoreSettings = setting(StoreSettings.defaults(), "Where records lie.")
    records: RecordSettings = setting(RecordSettings.defaults(), "What is made of records for models.")
    observability: ObservabilitySettings = setting(ObservabilitySettings.defaults(), "What is kept of what happened.")
    lab: LabSettings = setting(LabSettings.defaults(), "What a notebook starts with.")
