"""Circuit breakers: what failed several times in a row is left alone for a while, then tried once.

    closed ── threshold failures ──→ open ── reset time ──→ half-open ── success ──→ closed
                                      ↑                         │
                                      └──────── failure ────────┘

One set serves an engine: circuits are agents, by name, and providers, as ``provider:<name>``. An agent whose circuit is
open is left out of the candidates for a hand-over; a provider whose circuit is open is not called.
"""

from __future__ import annotations

from threading import Lock
from typing import Literal, NamedTuple

from lango_nb.config.settings import BreakerSettings
from lango_nb.core.clock import Clock
from lango_nb.core.dataclass import dataclass
from lango_nb.core.json_value import JsonValue

State = Literal["closed", "open", "half_open"]
PROVIDER = "provider:"


class Change(NamedTuple):
    """A circuit's state, as it has just become."""

    circuit: str
    state: State
    failures: int = 0
    """Failures in a row."""
    detail: str = ""
    """The last of them."""


class Admission(NamedTuple):
    """Whether work may be given to a circuit."""

    is_allowed: bool
    reason: str = ""
    """Why not."""
    change: Change | None = None
    """What the question changed: the circuit lets one probe through."""


ADMITTED = Admission(True)


@dataclass(slots=True)
class _Circuit:
    """A circuit with failures; one without is not kept."""

    failures: int = 0
    detail: str = ""
    state: State = "closed"
    since_s: float = 0.0
    """When it opened, or let its probe through."""


def provider_circuit(name: str) -> str:
    """Return the circuit of a model's provider.

    Parameters
    ----------
    name : str
        A provider, or a model's full name.

    Examples
    --------
    >>> provider_circuit("openai:gpt-5"), provider_circuit("offline")
    ('provider:openai', 'provider:offline')
    """
    return PROVIDER + name.partition(":")[0]


class Breakers:
    """All circuits of an engine; any thread may ask and tell.

    Parameters
    ----------
    settings : BreakerSettings
    clock : Clock

    Examples
    --------
    >>> from lango_nb.core.clock import SteppedClock
    >>> breakers = Breakers(BreakerSettings(failure_threshold=2), SteppedClock())
    >>> breakers.record_failure("vault", "no key")
    >>> breakers.record_failure("vault", "no key").state
    'open'
    >>> breakers.open_agents()
    {'vault': 'failed 2 times in a row, last: no key'}
    """

    def __init__(self, settings: BreakerSettings, clock: Clock) -> None:
        self._threshold = settings.failure_threshold
        self._reset_s = settings.reset_timeout_s
        self._clock = clock
        self._lock = Lock()
        self._circuits: dict[str, _Circuit] = {}
        self._tripped: dict[str, _Circuit] = {}

    def record_failure(self, circuit: str, reason: str) -> Change | None:
        """Note that a circuit failed.

        Parameters
        ----------
        circuit : str
            An agent's name, or :func:`provider_circuit`.
        reason : str

        Returns
        -------
        Change or None
            ``open`` when that was one failure too many, or the probe's.
        """
        with self._lock:
            known = self._circuits.setdefault(circuit, _Circuit())
            known.failures += 1
            known.detail = reason
            if known.state == "open" and not self._is_due(known):
                return None  # work that began before it opened
            if known.state == "closed" and known.failures < self._threshold:
                return None
            known.state, known.since_s = "open", self._clock.monotonic_s()
            self._tripped[circuit] = known
            return Change(circuit, "open", known.failures, reason)

    def record_success(self, circuit: str) -> Change | None:
        """Note that a circuit did its work: its failures are forgotten.

        Returns
        -------
        Change or None
            ``closed`` when it was not.
        """
        if circuit not in self._circuits:
            return None
        with self._lock:
            known = self._circuits.pop(circuit, None)
            self._tripped.pop(circuit, None)
        return Change(circuit, "closed") if known is not None and known.state != "closed" else None

    def admit(self, circuit: str) -> Admission:
        """Ask to give work to a circuit, right before doing so.

        Returns
        -------
        Admission
            Of an open circuit whose reset time is over, the first to ask gets the probe; the others are refused until
            the probe's end is recorded. A probe whose end is never recorded is given up after another reset time.
        """
        if circuit not in self._tripped:
            return ADMITTED
        with self._lock:
            known = self._tripped.get(circuit)
            if known is None:
                return ADMITTED
            if not self._is_due(known):
                return Admission(False, _why(known))
            known.state, known.since_s = "half_open", self._clock.monotonic_s()
            return Admission(True, change=Change(circuit, "half_open", known.failures, known.detail))

    def release(self, circuit: str) -> Change | None:
        """Give a probe back that came to no end, because it was cancelled for instance; the next one may try.

        Returns
        -------
        Change or None
            ``open`` when there was a probe.
        """
        if circuit not in self._tripped:
            return None
        with self._lock:
            known = self._tripped.get(circuit)
            if known is None or known.state != "half_open":
                return None
            known.state, known.since_s = "open", known.since_s - self._reset_s
            return Change(circuit, "open", known.failures, known.detail)

    def is_open(self, circuit: str) -> bool:
        """Tell whether a circuit lets nothing through now; asking changes nothing.

        Notes
        -----
        ``False`` for an open circuit whose reset time is over: :meth:`admit` would let a probe through.
        """
        if circuit not in self._tripped:
            return False
        with self._lock:
            known = self._tripped.get(circuit)
            return known is not None and not self._is_due(known)

    def open_agents(self) -> dict[str, str]:
        """Return the agents that get no work now, each with why, as vetoes of a decision."""
        if not self._tripped:
            return {}
        with self._lock:
            return {
                name: _why(known)
                for name, known in self._tripped.items()
                if not name.startswith(PROVIDER) and not self._is_due(known)
            }

    def states(self) -> tuple[Change, ...]:
        """Return every circuit with failures as it is now, for showing."""
        with self._lock:
            return tuple(
                Change(name, known.state, known.failures, known.detail) for name, known in self._circuits.items()
            )

    def tripped(self) -> dict[str, JsonValue]:
        """Return the circuits that are not closed, with their states."""
        if not self._tripped:
            return {}
        with self._lock:
            return {name: known.state for name, known in self._tripped.items()}

    def _is_due(self, known: _Circuit) -> bool:
        """Tell whether a tripped circuit waited long enough for a probe."""
        now = self._clock.monotonic_s()
        known.since_s = min(known.since_s, now)  # a clock that went backwards must not keep it open for ever
        return now - known.since_s >= self._reset_s


def _why(known: _Circuit) -> str:
    if known.state == "half_open":
        return f"failed {known.failures} times in a row; one probe is under way"
    times = "once" if known.failures == 1 else f"{known.failures} times in a row"
    return f"failed {times}, last: {known.detail}"
