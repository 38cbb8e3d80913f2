"""Learning from stumbles in a notebook, one line at a time."""

from __future__ import annotations

from typing import Any

import pytest

from lango_nb.core.errors import LangoError, UnknownNameError, UsageError


@pytest.fixture
def stumbled(session: Any) -> Any:
    """A session whose reader stumbled three times."""
    session.run("%lango genome init")
    for _ in range(3):
        session.run("%lango ask read ledger.csv")
    return session


def test_stumbles_are_seen_learned_from_accepted_and_taken_back(stumbled: Any) -> None:
    assert "read_file failed: ledger.csv does not exist" in stumbled.run("%lango genome stumbles").text
    proposed = stumbled.run("%lango genome learn")
    assert "proposal 1" in stumbled.shown(proposed)["text/html"]
    assert not stumbled.lab.genome.memories
    made = stumbled.run("%lango genome accept 1")
    assert "memory m-" in made.text
    assert len(stumbled.lab.genome.memories) == 1
    stumbled.run("%lango genome rollback HEAD")
    assert not stumbled.lab.genome.memories


def test_a_refused_proposal_is_no_longer_open(stumbled: Any) -> None:
    stumbled.run("%lango genome learn")
    assert stumbled.run("%lango genome refuse 1").open == ()
    assert not stumbled.lab.genome.memories


@pytest.mark.parametrize(
    ("line", "kind", "said"),
    [
        ("accept", UsageError, "takes the number of a proposal; %lango genome learn shows them"),
        ("accept one", UsageError, "takes the number of a proposal, not 'one'"),
        ("refuse 1 2", UsageError, "takes 1 words at most"),
        ("accept 1", UnknownNameError, "proposal '1' not found"),
        ("lern", UnknownNameError, "did you mean 'learn'?"),
    ],
)
def test_what_cannot_be_decided_is_said_in_one_line(line: str, kind: type[LangoError], said: str, session: Any) -> None:
    session.run("%lango genome init")
    error = session.error(f"%lango genome {line}")
    assert isinstance(error, kind)
    assert said in str(error)
    assert "\n" not in str(error)
