"""Agents of other systems: made of their cards; whoever cannot be reached is left out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from lango_nb.config.settings import RemoteAgentSettings
from lango_nb.core.errors import SettingsError
from lango_nb.specs.agent import AgentSpec, Source

logger = logging.getLogger("lango_nb")

CardLoader = Callable[[str], Mapping[str, object]]
"""Fetches an agent card by its address."""


def load_remote_agents(
    remotes: Iterable[RemoteAgentSettings], load_card: CardLoader | None
) -> tuple[tuple[AgentSpec, ...], tuple[str, ...]]:
    """Make agents of remote agent cards; whoever cannot be loaded is left out, with a warning.

    Parameters
    ----------
    remotes : iterable of RemoteAgentSettings
    load_card : callable, optional
        Fetches a card by its address.

    Returns
    -------
    agents : tuple of AgentSpec
    warnings : tuple of str
        One line per agent that was left out.

    Notes
    -----
    Source: spec 000 "Remote agent load failure".
    """
    agents, warnings = [], []
    for remote in remotes:
        try:
            agents.append(_remote_agent(remote, load_card))
        except Exception as error:  # noqa: BLE001 - one unreachable card must not take the others with it
            warnings.append(f"remote agent {remote.name!r} is left out: {error}")
            logger.warning(warnings[-1])
    return tuple(agents), tuple(warnings)


def _remote_agent(remote: RemoteAgentSettings, load_card: CardLoader | None) -> AgentSpec:
    if not remote.agent_card_url:
        raise SettingsError("its agentCardUrl is empty")
    if load_card is None:
        raise SettingsError("no A2A client is connected; pass Engine(card_loader=…)")
    description = str(load_card(remote.agent_card_url).get("description") or "")
    return AgentSpec(name=remote.name, description=description, source=Source.REMOTE, always_include=True)
