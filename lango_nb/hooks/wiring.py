"""Which hooks an engine has: one table, read against the settings and what is bound.

A hook that comes along is its module and its row here. A row that is not wired stays in the list, with the reason:
``lango agent hooks`` and ``%lango hooks`` show both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lango_nb.config.settings import Settings
from lango_nb.core.bus import Bus
from lango_nb.core.events import HookPhase
from lango_nb.core.tool_patterns import by_agent
from lango_nb.hooks.access_control import AccessControl
from lango_nb.hooks.approval_gate import ApprovalGate
from lango_nb.hooks.browser_recovery import BrowserConnection, BrowserRecovery
from lango_nb.hooks.chain import HookChain, HookRow
from lango_nb.hooks.decorator import UserHook, row_of
from lango_nb.hooks.hook import AfterHook, BeforeHook
from lango_nb.hooks.observers import EventPublisher, KnowledgeSaver, KnowledgeService, LearningObserver, LearningService
from lango_nb.hooks.outputs import OutputManager, OutputStore
from lango_nb.hooks.security_filter import SecurityFilter
from lango_nb.tools.services import OutputService

Services = Mapping[type, object]
Hook = BeforeHook | AfterHook


class Wiring(NamedTuple):
    """One hook that comes along."""

    hook: type[Any]
    """Its class; which method it has says when it is called."""
    when: Callable[[Settings, Services], tuple[bool, str]]
    """Whether it is wired, and why or why not."""
    make: Callable[[Settings, Services], Hook]

    @property
    def name(self) -> str:
        """What it is called."""
        name: str = self.hook.name
        return name

    @property
    def phase(self) -> HookPhase:
        """Whether it looks at calls or at results."""
        return "before" if hasattr(self.hook, "before") else "after"


def build_chain(settings: Settings, services: Services, user_hooks: Iterable[UserHook] = ()) -> HookChain:
    """Put the chain of an engine together.

    Parameters
    ----------
    settings : Settings
    services : mapping of type to object
        What is bound: a hook whose service is missing is not wired.
    user_hooks : iterable of UserHook
        From :func:`~lango_nb.hooks.decorator.before_call` and :func:`~lango_nb.hooks.decorator.after_call`; a later one
        replaces an earlier one of the same name and phase.

    Returns
    -------
    HookChain

    Raises
    ------
    DefinitionError
        A user's hook is none, or has the name of one that comes along.

    Notes
    -----
    Source: spec 003 "Tool Hooks", "Configuration".

    Examples
    --------
    >>> [hook.name for hook in build_chain(Settings(), {}).before]
    ['security_filter', 'approval_gate']
    """
    rows = [_row(wiring, settings, services) for wiring in HOOKS]
    own = {(row.phase, row.name): row for row in map(row_of, user_hooks)}
    return HookChain((*rows, *own.values()))


def _row(wiring: Wiring, settings: Settings, services: Services) -> HookRow:
    is_wired, why = wiring.when(settings, services)
    hook = wiring.make(settings, services) if is_wired else None
    return HookRow(wiring.name, wiring.phase, wiring.hook.priority, "builtin", is_wired, why, hook)


def _always(_settings: Settings, _services: Services) -> tuple[bool, str]:
    return True, "always"


def _if_set(*keys: str, service: type | None = None, missing: str = "") -> Callable[..., tuple[bool, str]]:
    """Wire a hook when settings are on and, where it needs one, its service is bound."""

    def when(settings: Settings, services: Services) -> tuple[bool, str]:
        off = [key for key in keys if not _value(settings, key)]
        if off:
            return False, f"{' and '.join(off)} {'is' if len(off) == 1 else 'are'} off"
        if service is not None and service not in services:
            return False, missing
        return True, f"{' and '.join(keys)} {'is' if len(keys) == 1 else 'are'} on"

    return when


def _when_published(settings: Settings, services: Services) -> tuple[bool, str]:
    if not settings.hooks.enabled and not settings.agent.multi_agent:
        return False, "hooks.enabled and agent.multiAgent are off"
    return _if_set("hooks.eventPublishing", service=Bus, missing="no event bus is running")(settings, services)


def _value(settings: Settings, key: str) -> object:
    """Return a setting by the key it has in files."""
    found: object = settings
    for part in key.split("."):
        found = getattr(found, "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in part))
    return found


def _when_listed(settings: Settings, services: Services) -> tuple[bool, str]:
    for key in ("hooks.deniedTools", "hooks.allowedTools"):
        if _value(settings, key):
            return True, f"{key} names tools"
    return _if_set("hooks.accessControl")(settings, services)


def _access_control(settings: Settings, _services: Services) -> Hook:
    return AccessControl(by_agent(settings.hooks.denied_tools), by_agent(settings.hooks.allowed_tools))


def _security_filter(settings: Settings, _services: Services) -> Hook:
    return SecurityFilter(settings.hooks.blocked_commands, is_redacting=settings.security.interceptor.redact_pii)


def _output_manager(settings: Settings, services: Services) -> Hook:
    limits = settings.tools.output_manager
    store = services.get(OutputService)
    return OutputManager(
        store if isinstance(store, OutputStore) else None,
        token_budget=limits.token_budget,
        head_ratio=limits.head_ratio,
        tail_ratio=limits.tail_ratio,
    )


HOOKS: tuple[Wiring, ...] = (
    Wiring(SecurityFilter, _always, _security_filter),
    Wiring(AccessControl, _when_listed, _access_control),
    Wiring(ApprovalGate, _if_set("security.interceptor.enabled"), lambda *_: ApprovalGate()),
    Wiring(
        BrowserRecovery,
        _if_set("tools.browser.enabled", service=BrowserConnection, missing="no browser runs here"),
        lambda _, services: BrowserRecovery(services[BrowserConnection]),  # type: ignore[arg-type]  # bound by kind
    ),
    Wiring(OutputManager, _always, _output_manager),
    Wiring(
        LearningObserver,
        _if_set("knowledge.enabled", service=LearningService, missing="nothing here learns yet"),
        lambda _, services: LearningObserver(services[LearningService]),  # type: ignore[arg-type]  # bound by kind
    ),
    Wiring(
        KnowledgeSaver,
        _if_set("knowledge.enabled", "hooks.knowledgeSave", service=KnowledgeService, missing="no knowledge store yet"),
        lambda _, services: KnowledgeSaver(services[KnowledgeService]),  # type: ignore[arg-type]  # bound by kind
    ),
    Wiring(
        EventPublisher,
        _when_published,
        lambda _, services: EventPublisher(services[Bus]),  # type: ignore[arg-type]  # bound by kind
    ),
)
"""Every hook that comes along, in the order in which calls meet them."""
