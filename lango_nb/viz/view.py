"""Views: what a lab gives back. A view holds a plain record, shows it as text and HTML, and has its table as ``.df``.

pandas loads when the first ``.df`` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lango_nb.core.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.core.events import Event
    from lango_nb.engine import Engine
    from lango_nb.records.agent_run import AgentRun
    from lango_nb.records.turns import Trace
    from lango_nb.runtime.approvals import ApprovalAnswer, PendingApproval, Scope
    from lango_nb.runtime.held import LeftQuestion

R = TypeVar("R")


class View(Generic[R]):
    """A record that shows itself.

    Attributes that the view does not have are those of its record.

    Parameters
    ----------
    record : object
        What it is about, a plain value.
    frame : callable, optional
        Makes the DataFrame.
    shown : object, optional
        What to show in place of the record.
    """

    def __init__(self, record: R, frame: Callable[[], pd.DataFrame] | None = None, shown: object = None) -> None:
        self.record = record
        self._frame = frame
        self._shown = record if shown is None else shown
        self._df: pd.DataFrame | None = None

    @property
    def df(self) -> pd.DataFrame:
        """The same as a DataFrame; made on first use.

        Raises
        ------
        UsageError
            There is nothing tabular about it.
        """
        if self._frame is None:
            raise UsageError(f"a {type(self.record).__name__} has no table; look at .record")
        if self._df is None:
            self._df = self._frame()
        return self._df

    @property
    def mermaid(self) -> str:
        """The same as a mermaid diagram, as text.

        Raises
        ------
        UsageError
            There is no diagram of it.
        """
        from lango_nb import viz

        return viz.to_mermaid(self._shown)

    @property
    def html(self) -> str:
        """What a notebook shows."""
        from lango_nb import viz

        return viz.to_html(self._shown)

    @property
    def text(self) -> str:
        """What a terminal shows."""
        from lango_nb import viz

        return viz.to_text(self._shown)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "record" or hasattr(type(self), name):
            raise AttributeError(name)  # the view has it, and it failed: the record's is something else
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __iter__(self) -> Iterator[Any]:
        return iter(self.record)  # type: ignore[call-overload, no-any-return]  # TypeError where the record has none

    def __len__(self) -> int:
        return len(self.record)  # type: ignore[arg-type]  # the same

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        return self.record[key]  # type: ignore[index]  # the same

    def __contains__(self, key: object) -> bool:
        return key in self.record  # type: ignore[operator]  # the same

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        from lango_nb import viz

        return viz.mimebundle(self._shown, include, exclude)


class Result(View["Trace"]):
    """What a request came to: the answer, how it ended, and the trace behind it."""

    def __init__(self, trace: Trace, frame: Callable[[], pd.DataFrame]) -> None:
        from lango_nb.viz.turns import Card

        super().__init__(trace, frame, shown=Card(trace.turn, trace.runs))

    @property
    def answer(self) -> str:
        """What the user got."""
        return self.record.turn.answer

    @property
    def outcome(self) -> str:
        """How the turn ended."""
        return self.record.turn.outcome

    @property
    def agent(self) -> str:
        """Who worked last."""
        return self.record.turn.agent

    @property
    def path(self) -> tuple[str, ...]:
        """Who worked, in order."""
        return self.record.turn.path

    @property
    def is_ok(self) -> bool:
        """Whether the outcome is ``success``."""
        return self.record.turn.is_ok

    @property
    def trace(self) -> View[Trace]:
        """Everything that happened."""
        return View(self.record, self._frame)

    @property
    def runs(self) -> View[tuple[AgentRun, ...]]:
        """The teammate runs it made, as they were when it ended."""
        return runs_view(self.record.runs)


class RunView(View["AgentRun"]):
    """A teammate run, and what happened in it; ``.df`` has one row per event."""

    def __init__(self, run: AgentRun, events: tuple[Event, ...], last_of_turn: int = 0) -> None:
        from lango_nb.viz.runs import RunHistory

        super().__init__(run, lambda: _frames().events_df(events), RunHistory(run, events, last_of_turn))
        self._events = events

    @property
    def events(self) -> View[tuple[Event, ...]]:
        """Everything that happened in it, also after its turn was over."""
        return events_view(self._events)


class OpenQuestions(View[tuple["PendingApproval | LeftQuestion", ...]]):
    """Calls that wait for an answer, as they were when this was made, and how to answer them.

    Those come last that a process left open which is gone: the run that waits goes on with the answer, and where none
    waits a yes lets exactly that call run when it comes again.
    """

    def __init__(self, engine: Engine) -> None:
        from lango_nb.viz.approvals import Questions

        self._approvals = engine.approvals
        pending: tuple[PendingApproval | LeftQuestion, ...] = (*self._approvals.pending, *self._approvals.left)
        super().__init__(pending, lambda: _frames().approvals_df(pending), Questions(pending))

    def allow(self, request_id: str | None = None, scope: Scope = "once") -> View[ApprovalAnswer]:
        """Let a call run.

        Parameters
        ----------
        request_id : str, optional
            The only open question when absent.
        scope : {"once", "turn", "session"}
            How long the same tool may run with exactly the same arguments. A run that was not given the tool also gets
            it for the turn and the session, whatever the arguments.

        Raises
        ------
        RefusedError
            The question is answered already, or nobody waits for the answer any more.
        UnknownNameError
            There is no such question.
        UsageError
            None is open, or several are and none is named.
        """
        question = self._question(request_id)
        return answer_view(question, question.allow(scope))

    def deny(self, request_id: str | None = None, detail: str = "") -> View[ApprovalAnswer]:
        """Refuse a call; it is not asked about again in its turn.

        Parameters
        ----------
        request_id : str, optional
            The only open question when absent.
        detail : str
            Why; the agent reads it.

        Raises
        ------
        LangoError
            As :meth:`allow`.
        """
        question = self._question(request_id)
        return answer_view(question, question.deny(detail))

    def _question(self, request_id: str | None) -> PendingApproval | LeftQuestion:
        """Find a question among those that were seen: an answer belongs to what was looked at."""
        seen: dict[str, PendingApproval | LeftQuestion] = {}
        for question in self.record:
            seen.setdefault(question.id, question)  # an open one before one that was left
        if request_id is not None:
            return seen.get(request_id) or self._approvals.get(request_id)
        if not seen:
            raise UsageError("no call waits for an answer")
        if len(seen) > 1:
            raise UsageError(f"{len(seen)} calls wait for an answer; say which one: {', '.join(seen)}")
        return self.record[0]


def runs_view(runs: tuple[AgentRun, ...]) -> View[tuple[AgentRun, ...]]:
    """Show runs, one row each."""
    from lango_nb.viz.runs import AgentRuns

    return View(runs, lambda: _frames().runs_df(runs), AgentRuns(runs))


def events_view(events: tuple[Event, ...], trace: Trace | None = None) -> View[tuple[Event, ...]]:
    """Show events, one row each; with the trace they come from, its turn is told as well."""
    from lango_nb.viz.events import Events

    return View(events, lambda: _frames().events_df(events if trace is None else trace), Events(events))


def answer_view(question: PendingApproval | LeftQuestion, answer: ApprovalAnswer) -> View[ApprovalAnswer]:
    """Show what was answered to a question."""
    from lango_nb.viz.approvals import answered_table

    table = answered_table(question, answer)
    return View(answer, lambda: _texts_df(table.columns, table.rows), table)


def _frames() -> Any:
    from lango_nb import frames

    return frames


def _texts_df(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    from lango_nb.frames.texts import texts_df

    return texts_df(columns, rows)
