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

Annotations are not postponed in this file: pydantic would evaluate every one again while the package starts.
"""

import os
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from lango_nb.config.strictness import BEYOND, WITHIN, Free, Higher, Lower, limit, only, ranked
from lango_nb.config.units import parse_duration, parse_idle, parse_size
from lango_nb.core.errors import DefinitionError
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
IdleTime = Annotated[float, BeforeValidator(parse_idle)]
"""A duration, or a negative one: switched off."""
Size = Annotated[int, BeforeValidator(parse_size)]
Count = Annotated[int, Field(ge=0)]
Folder = Annotated[str, AfterValidator(expand_home)]
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


ToolNames = Annotated[Names, AfterValidator(check_patterns)]
"""Patterns of tools, as :mod:`lango_nb.core.tool_patterns` reads them."""
AgentTools = Annotated[Names, AfterValidator(check_lists)]
"""The same with the agent they are about: ``operator: fs_*``."""


class SettingsGroup(Frozen):
    """Settings that stand under one key."""

    model_config = ConfigDict(alias_generator=camel, populate_by_name=True)

    @classmethod
    def defaults(cls) -> Self:
        """Return the group as it is when nothing is set.

        The same as calling the class. But that builds a validator first, a millisecond for each of some thirty groups,
        and what starts with the defaults needs none.
        """
        return cls.model_construct()  # type: ignore[return-value]  # mypy's plugin loses the type


class Switch(SettingsGroup):
    """A part that is on or off."""

    enabled: bool = Field(False, description="Whether the part is switched on.")


class SkillSwitch(Switch):
    """A part that is on unless it is switched off."""

    enabled: bool = Field(True, description="Whether the part is switched on.")


class BreakerSettings(SettingsGroup):
    """When an agent or a provider is left alone for a while."""

    failure_threshold: Lower[Annotated[int, Field(ge=1)]] = Field(
        3, description="Failures in a row that open a circuit."
    )
    reset_timeout_s: Free[Duration] = Field(30.0, description="How long it stays open before one probe is let through.")


class RecoverySettings(SettingsGroup):
    """How often something that failed is tried again."""

    max_retries: Lower[Count] = Field(
        2, description="Retries of one turn, where the error's class has no limit of its own."
    )
    base_delay_s: Free[Duration] = Field(1.0, description="First back-off; it doubles with every retry, up to 30 s.")


class BudgetSettings(SettingsGroup):
    """How much one turn may use."""

    delegation_limit: Limit = Field(15, description="Hand-overs of one turn that are watched; 0 switches it off.")
    alert_threshold: Free[Annotated[float, Field(gt=0, le=1)]] = Field(
        0.8, description="Share of a limit from which a warning is given."
    )
    max_calls: Limit = Field(
        100,
        description="Model calls of one turn, those of its runs included; 0 sets no limit.",
    )
    max_tokens: Limit = Field(
        500_000, description="Tokens one turn may use; 0 sets no limit. A model that loops meets it."
    )
    max_runs: Limit = Field(
        40, description="Agents that one turn may give work to, one after the other; 0 sets no limit."
    )
    max_cost_usd: Annotated[float, Field(ge=0), limit()] = Field(
        0.0, description="Dollars one turn may cost; 0 sets no limit."
    )


class OrchestrationSettings(SettingsGroup):
    """What happens when something fails."""

    mode: Free[Literal["classic", "structured"]] = Field(
        "classic", description="structured: failures are routed to somebody else; classic: they end the turn."
    )
    circuit_breaker: BreakerSettings = Field(BreakerSettings.defaults(), description="Circuit breakers.")
    recovery: RecoverySettings = Field(RecoverySettings.defaults(), description="Retries.")
    budget: BudgetSettings = Field(BudgetSettings.defaults(), description="Budget of a turn.")


class IsolationSettings(SettingsGroup):
    """Sessions of their own for agents that ask for one."""

    enabled: Higher[bool] = Field(True, description="Whether isolated agents work in child sessions.")
    inherit_history: Lower[Count] = Field(
        10, description="Messages of the parent conversation that a child session sees."
    )
    max_messages: Limit = Field(0, description="Messages a child session keeps; 0 keeps all.")


class AgentSettings(SettingsGroup):
    """Who works, how long, and where definitions lie."""

    multi_agent: Free[bool] = Field(False, description="Whether an orchestrator hands work to specialists.")
    provider: str = Field("", description="Provider of the model; empty takes the one the model's name begins with.")
    model: Annotated[str, only("offline")] = Field(
        "offline", description="Model that answers; 'offline' needs neither key nor network."
    )
    max_turns: Annotated[Count, limit(unset=50)] = Field(
        0, description="Replies of one turn that call tools; 0 takes the topology's own limit. Raised once by half."
    )
    max_delegation_rounds: Annotated[Count, limit(unset=5)] = Field(
        0, description="Replies of one turn that may hand work over; 0 takes the topology's own limit."
    )
    agents_dir: Folder = Field("", description="Folder whose subfolders hold AGENT.md files of your own agents.")
    prompts_dir: Folder = Field("", description="Folder with Markdown files that replace shared prompt sections.")
    request_timeout_s: Annotated[Duration, limit(unset=300)] = Field(300.0, description="How long one turn may take.")
    idle_timeout_s: IdleTime = Field(
        0.0, description="How long a turn may be silent; 0 is not set, negative is off. Handing over is activity."
    )
    auto_extend_timeout: Lower[bool] = Field(
        False, description="Whether activity extends a turn up to maxRequestTimeout."
    )
    max_request_timeout_s: Duration = Field(
        0.0, description="Longest extended turn; 0 takes three times the idle time."
    )
    history_tokens: Annotated[Count, limit(unset=100_000)] = Field(
        0,
        description="Tokens of earlier turns that a model is given at most, whole exchanges, the latest first; 0 takes "
        "100 000, or half of the model's window where that is known to be less.",
    )
    tool_timeout_s: LimitS = Field(120.0, description="How long one tool call may take; 0 sets no limit.")
    queue_timeout_s: LimitS = Field(
        300.0, description="How long a turn waits for an earlier one of its session; 0 sets no limit."
    )
    orchestration: OrchestrationSettings = Field(
        OrchestrationSettings.defaults(), description="What happens when something fails."
    )
    isolation: IsolationSettings = Field(IsolationSettings.defaults(), description="Child sessions.")

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

    default_timeout_s: LimitS = Field(30.0, description="How long a command may run when the call does not say.")
    allow_background: Lower[bool] = Field(True, description="Whether commands may be left running with exec_bg.")
    max_output_bytes: Lower[Size] = Field(
        64 * 1024, description="Output kept of one command; the rest is cut and said so."
    )
    environment: Annotated[Names, WITHIN] = Field(
        (),
        description="Variables that commands get besides PATH, HOME, USER, SHELL, LANG, LC_*, TERM, TZ and TMPDIR; "
        "* stands for any letters.",
    )


class FilesystemSettings(SettingsGroup):
    """Limits of the file tools."""

    max_read_bytes: Lower[Size] = Field(
        10 * 1024 * 1024, alias="maxReadSize", description="Size of the largest file that fs_read opens."
    )


class OutputSettings(SettingsGroup):
    """What becomes of large tool results."""

    token_budget: Lower[Annotated[int, Field(ge=1)]] = Field(
        2000, description="Tokens of a result that is passed on whole; larger ones are compressed."
    )
    head_ratio: Free[Annotated[float, Field(ge=0, le=1)]] = Field(
        0.7, description="Share of the budget for the beginning."
    )
    tail_ratio: Free[Annotated[float, Field(ge=0, le=1)]] = Field(0.3, description="Share of the budget for the end.")


class ToolSettings(SettingsGroup):
    """Tool families."""

    exec: ExecSettings = Field(ExecSettings.defaults(), description="Command tools.")
    filesystem: FilesystemSettings = Field(FilesystemSettings.defaults(), description="File tools.")
    browser: Lower[Switch] = Field(Switch.defaults(), description="Whether the browser tools are on.")
    output_manager: OutputSettings = Field(OutputSettings.defaults(), description="Large results.")


class InterceptorSettings(SettingsGroup):
    """Which tool calls need an answer."""

    enabled: Higher[bool] = Field(True, description="Whether any tool call needs an answer at all.")
    approval_policy: Annotated[ApprovalPolicy, ranked("none", "configured", "dangerous", "all")] = Field(
        "dangerous",
        description="Which calls need an answer: all, dangerous ones, only configured (sensitive) ones, or none.",
    )
    sensitive_tools: Annotated[ToolNames, BEYOND] = Field(
        (),
        description="Tools that need an answer whatever the policy says: names, globs (fs_*), or rules on an argument "
        "(exec(command: git push*)). One that fits no known tool waits for tools that come later; status and doctor "
        "name it.",
    )
    exempt_tools: Annotated[ToolNames, WITHIN] = Field(
        (),
        description="Tools that never need an answer, written the same way; this list beats the others. A rule on an "
        "argument covers no value with operators of a shell or '..' in it.",
    )
    approval_timeout_s: Lower[Duration] = Field(300.0, description="How long an answer is waited for; nobody means no.")
    redact_pii: Higher[bool] = Field(False, description="Whether personal data is masked in what tools are given.")


class MaskingSettings(SettingsGroup):
    """What else is taken out of everything that is kept or shown."""

    patterns: Names = Field(
        (), description="Regular expressions of further secrets, which cannot take for ever; what they match is masked."
    )
    keys: Names = Field((), description="Further names of arguments and fields whose values are masked.")
    phone_numbers: bool = Field(False, description="Whether phone numbers are masked as well.")


class SecuritySettings(SettingsGroup):
    """Guards around tool calls, and what is never kept."""

    interceptor: InterceptorSettings = Field(InterceptorSettings.defaults(), description="Approvals.")
    masking: MaskingSettings = Field(MaskingSettings.defaults(), description="Secrets of your own.")


class RemoteAgentSettings(SettingsGroup):
    """One agent reached over A2A."""

    name: str = Field(min_length=1, description="What the tree calls it.")
    agent_card_url: str = Field("", description="Where its card lies; without one the agent is left out.")


class A2aSettings(SettingsGroup):
    """Agents of other systems."""

    enabled: Lower[bool] = Field(False, description="Whether remote agents join the tree.")
    remote_agents: tuple[RemoteAgentSettings, ...] = Field(
        (), description="Remote agents: a list of {name, agentCardUrl}."
    )


class EmbeddingSettings(SettingsGroup):
    """Embeddings for retrieval."""

    provider: str = Field("", description="Provider of embeddings; the retrieval tools are on once one is set.")


class HookSettings(Switch):
    """What surrounds a tool call, apart from what is always there."""

    access_control: Higher[bool] = Field(
        False,
        description="Whether agents are held to hooks.deniedTools and hooks.allowedTools; a list that names something "
        "switches it on.",
    )
    denied_tools: Annotated[AgentTools, BEYOND] = Field(
        (),
        description="Tools an agent may not use, such as operator: exec_*; * stands for every agent. Patterns as in "
        "security.interceptor.sensitiveTools; this list beats allowedTools.",
    )
    allowed_tools: AgentTools = Field(
        (),
        description="The only tools an agent may use, such as operator: fs_*; an agent without a list may use all it "
        "has, and control tools always stay.",
    )
    event_publishing: Lower[bool] = Field(False, description="Whether tool calls are published on the event bus.")
    knowledge_save: Lower[bool] = Field(
        False, description="Whether results of looking something up are kept as knowledge."
    )
    blocked_commands: Annotated[Names, BEYOND] = Field(
        (),
        description="Further patterns no command may hold; what destroys a machine is blocked anyway. The filter "
        "is a seat belt; what keeps a person in charge is the approval.",
    )


class BackgroundSettings(Switch):
    """Work that goes on beside the conversation."""

    max_concurrent_tasks: Lower[Annotated[int, Field(ge=1)]] = Field(
        10, description="Teammates that work at the same time; further ones wait."
    )


class RunLedgerSettings(Switch):
    """A durable mirror of what teammates wait for."""

    write_through: bool = Field(False, description="Whether blocked runs are mirrored as they happen.")


class StoreSettings(SettingsGroup):
    """Where records lie, and when they are on the disk."""

    url: str = Field(
        "",
        description="Where records are kept: empty is in memory, 'home' the home folder, else a folder or a database "
        "such as sqlite:///records.db or postgresql://user@host/name.",
    )
    durability: Annotated[Literal["turn", "event", "none"], ranked("none", "turn", "event")] = Field(
        "turn",
        description="When records are forced to the disk: at the end of a turn and before risky calls, with every "
        "event, or never; with 'none' a power cut may lose turns that were answered.",
    )
    lock_timeout_s: Duration = Field(10.0, description="How long a lock of another process is waited for.")
    tee: Folder = Field(
        "", description="File that every closed turn is also appended to, as JSON lines; %lango open FILE reads it."
    )


class RecordSettings(SettingsGroup):
    """What is made of records for models."""

    summaries: Lower[bool] = Field(
        False,
        description="Whether a model is given a summary of the messages that agent.historyTokens leaves out. The same "
        "model makes it, with one more call each time half of the budget is dropped.",
    )


class ModelSettings(SettingsGroup):
    """How models of providers are reached; ``agent.model`` says which one answers."""

    allow_network: Lower[bool] = Field(
        True, description="Whether live models may be called at all; off refuses every call."
    )
    base_url: str = Field("", description="Server that speaks OpenAI's protocol, for models called openai:NAME.")
    timeout_s: LimitS = Field(60.0, description="How long one request to a provider may take.")
    max_retries: Lower[Count] = Field(
        2, description="How often a request is sent again where the provider asks to wait or fails for a moment."
    )
    keys_file: Folder = Field(
        "", description="File with NAME=key lines that only its owner may read; empty is keys.env in the home folder."
    )


class TraceStoreSettings(SettingsGroup):
    """How long turns are kept: for ever, unless a limit is set."""

    max_age_s: Duration = Field(
        0.0, description="Successful turns older than this are forgotten, 30d for instance; 0 keeps all."
    )
    failed_trace_multiplier: Annotated[float, Field(ge=1)] = Field(
        2.0, description="Turns that failed are kept this many times as long."
    )
    max_traces: Count = Field(0, description="Turns kept at most, the oldest go first; 0 keeps all.")
    cleanup_interval_s: Duration = Field(3600.0, description="Least time between two clean-ups; 0 never cleans up.")

    @property
    def is_limited(self) -> bool:
        """Whether anything is ever forgotten."""
        return bool(self.max_age_s or self.max_traces)


class ObservabilitySettings(SettingsGroup):
    """What is kept of what happened."""

    trace_store: TraceStoreSettings = Field(TraceStoreSettings.defaults(), description="Retention of turns.")


class LabSettings(SettingsGroup):
    """What a notebook starts with."""

    topology: Free[str] = Field("octet", description="Topology of a Lab and of the terminal commands.")


class Settings(SettingsGroup):
    """All settings; every one has a default.

    Examples
    --------
    >>> Settings().agent.multi_agent
    False
    >>> Settings.model_validate({"agent": {"maxDelegationRounds": 3}}).agent.max_delegation_rounds
    3
    """

    agent: AgentSettings = Field(
        AgentSettings.defaults(), description="Who works, how long, and where definitions lie."
    )
    tools: ToolSettings = Field(ToolSettings.defaults(), description="Tool families.")
    security: SecuritySettings = Field(SecuritySettings.defaults(), description="Guards around tool calls.")
    a2a: A2aSettings = Field(A2aSettings.defaults(), description="Agents of other systems.")
    p2p: Lower[Switch] = Field(
        Switch.defaults(),
        description="Whether the peer-to-peer network is wanted; so far lango agent status shows it and nothing more.",
    )
    hooks: Lower[HookSettings] = Field(HookSettings.defaults(), description="What surrounds a tool call.")
    background: Free[BackgroundSettings] = Field(
        BackgroundSettings.defaults(), description="Work beside the conversation; the teammate runtime needs it."
    )
    run_ledger: Lower[RunLedgerSettings] = Field(RunLedgerSettings.defaults(), description="Mirror of blocked runs.")
    knowledge: Lower[Switch] = Field(Switch.defaults(), description="Whether the knowledge and learning tools are on.")
    graph: Lower[Switch] = Field(Switch.defaults(), description="Whether the graph tools are on.")
    embedding: EmbeddingSettings = Field(EmbeddingSettings.defaults(), description="Embeddings for retrieval.")
    librarian: Lower[Switch] = Field(Switch.defaults(), description="Whether the proactive librarian's tools are on.")
    observational_memory: Lower[Switch] = Field(
        Switch.defaults(), description="Whether the tools for observations and reflections are on."
    )
    agent_memory: Lower[Switch] = Field(
        Switch.defaults(), description="Whether the tools for an agent's own memory are on."
    )
    cron: Lower[Switch] = Field(Switch.defaults(), description="Whether the tools for scheduled jobs are on.")
    workflow: Lower[Switch] = Field(Switch.defaults(), description="Whether the workflow tools are on.")
    skill: Lower[SkillSwitch] = Field(SkillSwitch.defaults(), description="Whether the skill tools are on.")
    payment: Lower[Switch] = Field(Switch.defaults(), description="Whether the payment tools are on.")
    ontology: Lower[Switch] = Field(Switch.defaults(), description="Whether the ontology tools are on.")
    models: ModelSettings = Field(ModelSettings.defaults(), description="How models of providers are reached.")
    store: StoreSettings = Field(StoreSettings.defaults(), description="Where records lie.")
    records: RecordSettings = Field(RecordSettings.defaults(), description="What is made of records for models.")
    observability: ObservabilitySettings = Field(
        ObservabilitySettings.defaults(), description="What is kept of what happened."
    )
    lab: LabSettings = Field(LabSettings.defaults(), description="What a notebook starts with.")
