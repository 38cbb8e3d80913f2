"""Every check, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from lango_nb.core.errors import LangoError, shorten
from lango_nb.doctor.agents import examine_agents, examine_tree
from lango_nb.doctor.case import Case
from lango_nb.doctor.definitions import examine_definitions, examine_trust
from lango_nb.doctor.finding import Finding, Report
from lango_nb.doctor.leaks import examine_isolation
from lango_nb.doctor.parts import examine_approvals, examine_breakers, examine_hooks, examine_remotes
from lango_nb.doctor.storage import examine_space, examine_store
from lango_nb.doctor.turns import (
    examine_amount,
    examine_commands,
    examine_duration,
    examine_failures,
    examine_interrupted,
    examine_loops,
    examine_timeouts,
    examine_unanswered,
    examine_unfinished,
)
from lango_nb.specs.agent import Source

if TYPE_CHECKING:
    from lango_nb.config.settings import Settings
    from lango_nb.config.trust import FolderTrust
    from lango_nb.engine import Engine

OF_THE_ENGINE: dict[str, Callable[[Case], Iterable[Finding]]] = {
    "multi-agent": examine_agents,
    "tree": examine_tree,
    "registry": lambda case: examine_definitions(
        case.settings,
        case.engine.topology,
        has_own=any(spec.source is Source.USER for spec in case.engine.registry.all()),
    ),
    "hooks": examine_hooks,
    "remote agents": examine_remotes,
    "circuits": examine_breakers,
    "approvals": examine_approvals,
}
"""What is looked at without reading a record, in this order; a check that comes along is its function and its row."""
OF_THE_RECORDS: dict[str, Callable[[Case], Iterable[Finding]]] = {
    "store": examine_store,
    "disk": examine_space,
    "failed turns": examine_failures,
    "loops": examine_loops,
    "time-outs": examine_timeouts,
    "open requests": examine_unanswered,
    "interrupted turns": examine_interrupted,
    "unfinished turns": examine_unfinished,
    "commands": examine_commands,
    "isolation": examine_isolation,
    "amount": examine_amount,
    "duration": examine_duration,
}
"""What is looked at in the records, after that."""


def examine(  # noqa: PLR0913 - one keyword per thing that may be looked at in place of the engine's own
    engine: Engine,
    *,
    settings: Settings | None = None,
    now: datetime | None = None,
    since_hours: float = 24.0,
    has_records: bool = True,
    trust: FolderTrust | None = None,
) -> Report:
    """Look through an engine and its records; nothing is changed, and no model is asked.

    Parameters
    ----------
    engine : Engine
    settings : Settings, optional
        Looked at in place of the engine's own, where it had to be built with others.
    now : datetime, optional
        Aware; the engine's clock says it when absent.
    since_hours : float
        How far back turns count as recent.
    has_records : bool
        Whether the engine's records are those that are meant; otherwise nothing is said about them.
    trust : FolderTrust, optional
        What the settings of the folder at hand need; what is held back of them comes first.

    Returns
    -------
    Report
        At least one finding per check. A check that fails itself is a finding of status ``fail``.

    Notes
    -----
    Source: Multi-Agent Orchestration (spec 003), "Turn Traces And Diagnostics"; reference §14.2.

    Examples
    --------
    >>> from lango_nb.engine import Engine
    >>> report = examine(Engine(topology="octet"))
    >>> report.is_healthy, report.by_check()["loops"][0].text
    (True, 'no turn ended in a loop in the last 24 hours')
    """
    case = Case(engine, settings or engine.settings, engine.store, now or engine.clock.now(), since_hours)
    checks = OF_THE_ENGINE | (OF_THE_RECORDS if has_records else {})
    found = (finding for check, look in checks.items() for finding in _looked(check, look, case))
    return Report((*examine_trust(trust), *found))


def _looked(check: str, look: Callable[[Case], Iterable[Finding]], case: Case) -> list[Finding]:
    try:
        return list(look(case))
    except Exception as error:  # noqa: BLE001 - what is too broken to be looked at is what a doctor is there for
        said = str(error) if isinstance(error, LangoError) else f"{type(error).__name__}: {error}"
        what = f"could not be looked at: {shorten(' '.join(said.split()), 300)}"
        return [Finding(check, "fail", what, next_step="mend what is named, then run the doctor again")]
