"""Where one agent works with all tools, every request is its own."""

from __future__ import annotations

import pytest

from lango_nb import Lab


@pytest.mark.parametrize("text", ["read notes.md", "hello", "pay 3 USDC to Ann"])
def test_the_one_agent_gets_every_request(text: str) -> None:
    view = Lab("solo").route(text)
    route = view.record
    assert route.reason == "lango-agent is the only agent and works with all tools itself"
    assert (route.chosen, route.is_abstention, route.root_confidence) == (None, False, 1.0)
    assert "the root answers itself" in view.text
    assert "no agent owns" not in view.text
