"""Changes that were accepted, and whether agents fare better with them; a harmful one is taken back.

    accepted ──▶ pending ──(5 actions of the agent later)──▶ helpful | neutral | harmful: rolled back
                    └──(somebody rolled it back meanwhile)──▶ undone

They are kept beside the history, not in it: a rollback must not take back what is known of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import LangoError, StoreError, shorten
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.history import SHORT
from lango_nb.specs.genome.metrics import StumbleKind
from lango_nb.specs.genome.working_tree import STATE

Verdict = Literal["pending", "helpful", "neutral", "harmful", "undone"]
ENOUGH = 5
"""Actions of the agent after which a change is judged."""
MARGIN = 0.05
"""By so much the rate of stumbles has to differ."""
_MOST = 500
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One accepted change."""

    commit: str
    """Id of the commit."""
    agent_name: str
    """The agent it was learned for, by whose stumbles it is judged."""
    kind: StumbleKind
    """What had gone wrong."""
    change: str
    """``memory``, ``prompt``, ``agent`` or ``rule``."""
    subject: str
    """What was proposed."""
    reason: str
    at: datetime
    verdict: Verdict = "pending"
    before: float | None = None
    """Stumbles for each action until then; ``None`` while it is pending."""
    after: float | None = None
    """Stumbles for each action since."""
    problem: str = ""
    """Why a harmful change could not be taken back."""

    @property
    def told(self) -> str:
        """What came of it, in a sentence."""
        what = f"{shorten(self.subject)!r} ({self.commit[:SHORT]})"
        match self.verdict:
            case "pending":
                return f"{what} is on trial until {self.agent_name} has acted {ENOUGH} times"
            case "undone":
                return f"{what} was rolled back before it was judged"
        before, after = f"{self.before or 0:.0%}", f"{self.after or 0:.0%}"
        rates = f"{self.agent_name} stumbled in {before} of its actions before and in {after} since"
        if self.verdict != "harmful":
            return f"{what} is {self.verdict}: {rates}"
        return f"{what} was harmful: {rates}; {self.problem or 'it is rolled back'}"


class Trials:
    """The accepted changes of a genome.

    Parameters
    ----------
    genome : Genome
    """

    def __init__(self, genome: Genome) -> None:
        self._genome = genome
        self._path = genome.folder / STATE / "trials.json"

    def all(self) -> tuple[Trial, ...]:
        """Return all, the oldest first; what cannot be read is left out."""
        try:
            os.stat(self._path)  # noqa: PTH116 - mostly there is none, and this is asked after each turn
            values = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StoreError(f"{self._path.name} cannot be read ({error.strerror}); see who may read it") from error
        except (ValueError, RecursionError):
            return ()
        return tuple(_read(values)) if isinstance(values, list) else ()

    def add(self, trial: Trial) -> None:
        """Put a change on trial."""
        with self._genome.alone():
            self._write((*self.all(), trial))

    def judge(self) -> tuple[Trial, ...]:
        """Judge the changes since which there were enough actions, and take back those that are harmful.

        Returns
        -------
        tuple of Trial
            Those that were judged now.
        """
        if not any(map(self._is_due, self.all())):
            return ()
        with self._genome.alone():
            trials = self.all()
            judged = {one.commit: self._judged(one) for one in trials if self._is_due(one)}
            self._write(tuple(judged.get(one.commit, one) for one in trials))
        return tuple(judged.values())

    def _is_due(self, trial: Trial) -> bool:
        actions = self._genome.metrics.count
        return trial.verdict == "pending" and actions("action", trial.agent_name, trial.at) >= ENOUGH

    def _judged(self, trial: Trial) -> Trial:
        genome, short = self._genome, trial.commit[:SHORT]
        if any(one.operation == "rollback" and one.name == short for one in genome.history(0)):
            return replace(trial, verdict="undone")
        before = genome.stumble_rate(trial.agent_name, until=trial.at - _INSTANT)
        after = genome.stumble_rate(trial.agent_name, since=trial.at)
        judged = replace(trial, before=before, after=after, verdict=_verdict(after - before))
        if judged.verdict != "harmful":
            return judged
        try:
            genome.rollback(trial.commit)
        except LangoError as error:
            return replace(judged, problem=str(error))
        return judged

    def _write(self, trials: tuple[Trial, ...]) -> None:
        values = [asdict(one) | {"at": one.at.astimezone(UTC).isoformat()} for one in trials[-_MOST:]]
        beside = self._path.with_name(f"{os.urandom(8).hex()}.tmp")
        try:
            self._path.parent.mkdir(exist_ok=True)
            beside.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
            beside.replace(self._path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            what = f"{self._path.name} cannot be written ({error.strerror}); see to space and rights there"
            raise StoreError(what, "read_only") from error


def _verdict(change: float) -> Verdict:
    """Say what a change of the rate means.

    Examples
    --------
    >>> [_verdict(change) for change in (0.2, 0.05, -0.05, -0.2)]
    ['harmful', 'neutral', 'neutral', 'helpful']
    """
    if abs(change) <= MARGIN:
        return "neutral"
    return "harmful" if change > 0 else "helpful"


def _read(values: list[Any]) -> Iterator[Trial]:
    for value in values:
        with suppress(ValueError, KeyError, TypeError):
            at = datetime.fromisoformat(value["at"])
            trial = Trial(**{**value, "at": at if at.tzinfo else at.replace(tzinfo=UTC)})
            texts = (trial.commit, trial.agent_name, trial.change, trial.subject, trial.reason, trial.problem)
            rates = (trial.before, trial.after)
            is_whole = all(isinstance(one, str) for one in texts) and all(
                one is None or isinstance(one, int | float) for one in rates
            )
            if is_whole and trial.verdict in get_args(Verdict) and trial.kind in get_args(StumbleKind):
                yield trial
