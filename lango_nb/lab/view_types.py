"""What a lab gives back: views by kind of record, each with what people ask it for by name.

Everything else is in ``.record``, the plain value. Where a record is a mapping or a list, its view is one as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.viz.table import Table
from lango_nb.viz.view import ListView, View, told

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.config.loading import LoadedSettings
    from lango_nb.core.events import Event, Outcome
    from lango_nb.core.messages import Message
    from lango_nb.doctor import Finding, Report, Status
    from lango_nb.engine import Engine
    from lango_nb.evaluation.learning import LearningCurve, Lessons
    from lango_nb.evaluation.results import Evaluation
    from lango_nb.evaluation.results import Result as EvaluationResult
    from lango_nb.evaluation.task_results import TaskEvaluation, TasksResult
    from lango_nb.lab.plotting import PlotView
    from lango_nb.records.agent_run import AgentRun, RunCondition, RunStatus
    from lango_nb.records.decisions import Decision
    from lango_nb.records.graph import DelegationGraph, Edge, Node
    from lango_nb.records.history import History, When
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.routing.diff import PromptChange, ToolChange, TreeDiff
    from lango_nb.routing.partition import Assignment, Partition
    from lango_nb.routing.route import Candidate, Route
    from lango_nb.routing.table import RoutingTable
    from lango_nb.routing.tree import AgentNode, AgentTree
    from lango_nb.runtime.approvals import ApprovalAnswer, LeftQuestion, PendingApproval, Scope
    from lango_nb.specs.topology import PromptSection, Topology
    from lango_nb.stores.database import Selection
    from lango_nb.stores.store import Row
    from lango_nb.tools.tool import Tool
    from lango_nb.viz.document import Document

R = TypeVar("R")


def frames() -> Any:
    """Return the module of frames; pandas loads with the first of them."""
    import lango_nb.frames

    return lango_nb.frames


def texts_frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return rows of texts as a DataFrame."""
    from lango_nb.frames.texts import texts_df

    return texts_df(columns, rows)


def listing(record: R, table: Table, columns: Sequence[str] = ()) -> View[R]:
    """Show a table of texts, which is also the DataFrame.

    Parameters
    ----------
    record : object
        What the table is about.
    table : Table
    columns : sequence of str
        What the DataFrame calls the columns; as the table does when empty.
    """
    return View(record, lambda: texts_frame(columns or table.columns, table.rows), table)


def only(frame: pd.DataFrame, column: str, values: Sequence[object]) -> pd.DataFrame:
    """Return the rows of a frame whose column holds one of some values."""
    return frame[frame[column].isin(values)].reset_index(drop=True)


# -- who is there, and who would get what ------------------------------------------------------------------------------


class TreeView(View["AgentTree"]):
    """Who is there; ``.df`` has one row per agent, ``tree["vault"]`` is one of them."""

    _noun = "agents"
    topology: Topology = told("What it was built from.")
    root: AgentNode = told("The agent that a request reaches first.")
    names: tuple[str, ...] = told("Of the root and its agents.")
    table: RoutingTable = told("What the root's prompt says of the agents.")
    partition: Partition = told("Who owns which tool.")

    def __init__(self, tree: AgentTree, shown: Table | None = None) -> None:
        super().__init__(tree, shown=shown)

    def __iter__(self) -> Iterator[AgentNode]:
        return iter(self.record)

    def __contains__(self, name: object) -> bool:
        return name in self.record

    def __getitem__(self, name: str) -> AgentNode:
        return self.record[name]


class PartitionView(View["Partition"]):
    """Who owns which tool, by name of the agent; ``.df`` has one row per tool."""

    _noun = "partition"
    unmatched: tuple[Tool, ...] = told("What nobody owns.")
    universal: tuple[Tool, ...] = told("What every agent with tools has.")
    dropped: tuple[Tool, ...] = told("What stays with the root.")
    order: tuple[str, ...] = told("In which agents are asked.")

    def owner(self, tool: str) -> str | None:
        """Name the agent that owns a tool; see :meth:`Partition.owner`."""
        return self.record.owner(tool)

    def why(self, tool: str) -> Assignment:
        """Say why a tool is where it is; see :meth:`Partition.why`."""
        return self.record.why(tool)

    def __getitem__(self, agent: str) -> tuple[str, ...]:
        return self.record[agent]

    def __iter__(self) -> Iterator[str]:
        return iter(self.record)

    def __contains__(self, agent: object) -> bool:
        return agent in self.record

    def __len__(self) -> int:
        return len(self.record)


class RouteView(View["Route"]):
    """Who would get a request; ``.df`` has one row per candidate and signal."""

    _noun = "routing"
    chosen: str | None = told("The agent; ``None`` when the root should answer itself or the router abstains.")
    reason: str = told("Why, in a sentence.")
    confidence: float = told("Of the chosen agent, from 0 to 1.")
    candidates: tuple[Candidate, ...] = told("Best first.")
    runner_up: str | None = told("The second best.")

    def __init__(self, route: Route) -> None:
        super().__init__(route)


class PromptView(View["AgentNode"]):
    """What an agent is told; ``.df`` has one row per section."""

    _noun = "prompt"
    name: str = told("The agent.")
    prompt: str = told("Word for word.")
    sections: tuple[PromptSection, ...] = told("Its parts.")
    tools: tuple[Tool, ...] = told("What it may call.")


class DiffView(View["TreeDiff"]):
    """What changed between two trees; ``.df`` has one row per tool."""

    first: str = told("What is compared.")
    second: str = told("With what.")
    tools: tuple[ToolChange, ...] = told("Tools that have another owner, are new or are gone.")
    appeared: tuple[str, ...] = told("Agents that are new.")
    vanished: tuple[str, ...] = told("Agents that are gone.")
    prompts: tuple[PromptChange, ...] = told("Prompts that read differently.")
    is_empty: bool = told("Whether nothing differs.")

    def __init__(self, diff: TreeDiff, shown: Table | None = None) -> None:
        super().__init__(diff, self._frame_of_tools, shown)

    def _frame_of_tools(self) -> pd.DataFrame:
        columns = ["tool", "change", "before", "after", "rule_before", "rule_after"]
        return texts_frame(columns, [[getattr(change, column) for column in columns] for change in self.tools])


class SettingsView(View["LoadedSettings"]):
    """The settings that hold; ``.df`` has one row per setting."""

    origins: Mapping[str, str] = told("Where each value came from, by key.")

    def __init__(self, loaded: LoadedSettings) -> None:
        from lango_nb.config.loading import SettingRow

        table = Table("settings", SettingRow._fields, loaded.rows())
        super().__init__(loaded, lambda: texts_frame(table.columns, table.rows), table)


class StatusView(View[dict[str, str]]):
    """What is in use, by name: ``status["model"]``; ``.df`` has one row each."""

    def __init__(self, status: dict[str, str]) -> None:
        rows = tuple(status.items())
        super().__init__(status, lambda: texts_frame(["what", "value"], rows), Table("lango", ("what", "value"), rows))

    def __getitem__(self, what: str) -> str:
        return self.record[what]

    def __iter__(self) -> Iterator[str]:
        return iter(self.record)

    def __len__(self) -> int:
        return len(self.record)


# -- what happened -----------------------------------------------------------------------------------------------------


class TraceView(View["Trace"]):
    """Everything that happened in a turn; ``.df`` has one row per event."""

    _noun = "events"
    turn: Turn = told("Its request, answer, outcome, path and counts.")
    events: tuple[Event, ...] = told("What happened, in order.")
    decisions: tuple[Decision, ...] = told("The hand-overs, each with every candidate.")
    messages: tuple[Message, ...] = told("What was said, in every conversation.")
    runs: tuple[AgentRun, ...] = told("The teammate runs it made.")

    def __init__(self, trace: Trace, shown: Callable[[], Document] | None = None, agents: Sequence[str] = ()) -> None:
        super().__init__(trace, shown=shown)
        self._agents = agents
        """Names of the tree that the turn went over, as far as it is known."""

    def timed(self) -> TraceView:
        """Return the same with milliseconds; they differ each time, so that they are not shown by default."""
        from lango_nb.viz.trace import document

        return self._as(lambda: document(self.record, timing=True))

    def sequence(self) -> TraceView:
        """Return the same as a sequence diagram: everybody side by side, what went between them from top to bottom."""
        from lango_nb.viz.sequence import document

        return self._as(lambda: document(self.record))

    def path(self) -> TraceView:
        """Return the same as a way over the tree: who worked how often, who handed to whom, what was refused."""
        from lango_nb.viz.path import document

        return self._as(lambda: document(self.record, self._agents))

    def at(self, step: int) -> TraceView:
        """Return the same as the turn stood at a step: who was at work and saw what, what was used, what was open.

        Parameters
        ----------
        step : int
            Number of a model call; 0 is before the first.

        Raises
        ------
        UsageError
            The turn has no such step.
        """
        from lango_nb.records.moments import last_step
        from lango_nb.viz.moments import document

        if not 0 <= step <= last_step(self.record):
            raise UsageError(f"turn {self.turn.number} has the steps 0 to {last_step(self.record)}, not {step}")
        return self._as(lambda: document(self.record, step))

    def _as(self, shown: Callable[[], Document]) -> TraceView:
        return TraceView(self.record, shown, self._agents)


class Result(View["Trace"]):
    """What a request came to: the answer, how it ended, and the trace behind it; ``.df`` has one row per event."""

    _noun = "events"
    turn: Turn = told("Everything about it in numbers.")
    answer: str = told("What the user got.", "turn.answer")
    outcome: Outcome = told("How the turn ended.", "turn.outcome")
    is_ok: bool = told("Whether the outcome is ``success``.", "turn.is_ok")
    agent: str = told("Who worked last.", "turn.agent")
    path: tuple[str, ...] = told("Who worked, in order.", "turn.path")

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, shown=self._card)

    def _card(self) -> Document:
        from lango_nb.viz.turns import document

        return document(self.turn, self.record.runs)

    @property
    def trace(self) -> TraceView:
        """Everything that happened."""
        return TraceView(self.record)

    @property
    def runs(self) -> ListView[AgentRun]:
        """The teammate runs it made, as they were when it ended."""
        return runs_view(self.record.runs)


class RunView(View["AgentRun"]):
    """A teammate run, and what happened in it; ``.df`` has one row per event."""

    id: str = told("``arun-1`` for instance.")
    turn_id: str = told("The turn that made it.")
    requested_agent: str = told("Who works in it.")
    instruction: str = told("What it was asked to do.")
    status: RunStatus = told("``spawned``, ``running``, ``completed``, ``failed`` or ``cancelled``.")
    runtime_condition: RunCondition = told("What it waits for; empty when nothing.")
    is_terminal: bool = told("Whether it has ended.")
    result: str = told("What it came to.")
    error: str = told("Why it failed.")

    def __init__(self, run: AgentRun, events: Sequence[Event], last_of_turn: int = 0) -> None:
        super().__init__(run, lambda: frames().events_df(events), self._history)
        self._events, self._last_of_turn = events, last_of_turn

    def _history(self) -> Document:
        from lango_nb.viz.runs import run_document

        return run_document(self.record, self._events, self._last_of_turn)

    @property
    def events(self) -> ListView[Event]:
        """Everything that happened in it, also after its turn was over."""
        return events_view(self._events)


def runs_view(runs: Sequence[AgentRun]) -> ListView[AgentRun]:
    """Show runs, one row each."""
    from lango_nb.viz.runs import runs_document

    return ListView(runs, lambda: frames().runs_df(runs), lambda: runs_document(runs))


def events_view(events: Sequence[Event], trace: Trace | None = None) -> ListView[Event]:
    """Show events, one row each; with the trace they come from, its turn is told as well."""
    from lango_nb.viz.events import events_document

    frame = events if trace is None else trace
    return ListView(events, lambda: frames().events_df(frame), lambda: events_document(events))


class GraphView(View["DelegationGraph"]):
    """Who handed work to whom."""

    nodes: tuple[Node, ...] = told("Agents, with what each did.")
    edges: tuple[Edge, ...] = told("Hand-overs, and returns.")

    def __init__(self, graph: DelegationGraph, frame: Callable[[], pd.DataFrame]) -> None:
        super().__init__(graph, frame)


class SelectionView(View["Selection"]):
    """What a query gave, one row after the other."""

    _noun = "selection"
    columns: tuple[str, ...] = told("Their names.")
    rows: tuple[tuple[Any, ...], ...] = told("Values, row by row.")

    def __init__(self, selection: Selection, shown: Table) -> None:
        super().__init__(selection, shown=shown)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class ReportView(View["Report"]):
    """What the doctor found; one finding after the other, and one row each in ``.df``."""

    _noun = "findings"
    findings: tuple[Finding, ...] = told("Everything that was looked at.")
    status: Status = told("The worst of them.")
    is_healthy: bool = told("Whether nothing failed.")

    def __init__(self, report: Report) -> None:
        super().__init__(report)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)


def traces_view(path: Path) -> ListView[Trace]:
    """Read traces from a file, to look at.

    Parameters
    ----------
    path : Path
        What :meth:`~lango_nb.lab.lab.Lab.export` wrote, or a trace as JSON of the original lango.
    """
    from lango_nb.records.importing import read_any
    from lango_nb.viz import trace, turns

    traces = tuple(read_any(path))

    def shown() -> Document:
        is_alone = len(traces) == 1
        return trace.document(traces[0]) if is_alone else turns.turns_document([one.turn for one in traces])

    return ListView(traces, lambda: frames().turns_df(traces), shown)


# -- what is kept, and what is measured --------------------------------------------------------------------------------

NOUNS = (
    "turns",
    "sessions",
    "events",
    "messages",
    "steps",
    "decisions",
    "delegations",
    "runs",
    "approvals",
    "visibility",
)
"""What there are frames of."""
_NONE_FITS = "no turn fits; lab.turns, or %lango turns, lists all of them"


class HistoryView(View["History"]):
    """Turns that are stored: ``.df`` has one row per turn, :meth:`frame` one per event, message, run and so on.

    Parameters
    ----------
    history : History
    note : callable, optional
        Says what stands under the list, each time it is shown.
    """

    def __init__(self, history: History, note: Callable[[], str] = str) -> None:
        super().__init__(history, lambda: self.frame("turns"), self._list)
        self._note = note

    def _list(self) -> Document:
        """Read what is shown when it is looked at."""
        from lango_nb.stores.store import EVERY_TURN
        from lango_nb.viz.turns import turns_document

        turns, note = self.record.turns(), self._note()
        if self.record.query == EVERY_TURN:
            return turns_document(turns, note=note)
        return turns_document(turns, _NONE_FITS, note=note)

    def turns(self) -> tuple[Turn, ...]:
        """Read the turns."""
        return self.record.turns()

    def traces(self) -> Iterator[Trace]:
        """Read everything about the turns, one after the other."""
        return self.record.traces()

    def sessions(self) -> list[Row]:
        """Read the conversations that the turns belong to."""
        return self.record.sessions()

    def __len__(self) -> int:
        return len(self.record)

    def where(  # noqa: PLR0913 - what one may ask for
        self,
        *,
        session: str | None = None,
        agent: str | None = None,
        tool: str | None = None,
        outcome: str | Collection[str] | None = None,
        since: When | None = None,
        until: When | None = None,
        text: str = "",
        ids: Collection[str] | None = None,
        limit: int | None = None,
        newest_first: bool | None = None,
    ) -> HistoryView:
        """Narrow it; see :meth:`lango_nb.records.history.History.where`."""
        found = self.record.where(
            session=session,
            agent=agent,
            tool=tool,
            outcome=outcome,
            since=since,
            until=until,
            text=text,
            ids=ids,
            limit=limit,
            newest_first=newest_first,
        )
        return HistoryView(found, self._note)

    def frame(self, noun: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a DataFrame of what belongs to these turns.

        Parameters
        ----------
        noun : str
            One of :data:`NOUNS`.
        columns : sequence of str, optional
            Only these are read and built; all when absent.

        Returns
        -------
        DataFrame

        Raises
        ------
        UnknownNameError
            There is no such frame, or no such column in it.
        """
        if noun not in NOUNS:
            raise UnknownNameError("frame", noun, NOUNS)
        make = getattr(frames(), f"{noun}_df")
        made: pd.DataFrame = make(self.record, columns=columns)
        return made

    def plot(self, name: str = "latency") -> PlotView:
        """Draw these turns.

        Parameters
        ----------
        name : str
            ``latency``, ``tokens``, ``cost`` or ``handoffs``; see :mod:`lango_nb.plots`.

        Raises
        ------
        UnknownNameError
            There is no such plot of turns.
        UsageError
            matplotlib is not installed.
        """
        from lango_nb.lab.plotting import plot_turns

        return plot_turns(self.record, name)


class EvaluationView(View["Evaluation"]):
    """How often a subject is right: ``.df`` has one row per topology, :meth:`frame` the rest.

    Parameters
    ----------
    evaluation : Evaluation
    shown : callable, optional
        Makes a document to show in place of it.
    what : str
        Which frame ``.df`` is.
    """

    subject: str = told("What was measured: ``router``, ``keywords`` or a model's name.")
    data: str = told("Where the requests come from.")
    n: int = told("How many requests were used.")
    results: tuple[EvaluationResult, ...] = told('One per topology; ``evaluation["octet"]`` is one of them.')
    resumed: int = told("How many answers came from an earlier run.")

    def __init__(
        self, evaluation: Evaluation, shown: Callable[[], Document] | None = None, what: str = "summary"
    ) -> None:
        super().__init__(evaluation, lambda: self.frame(what), shown)

    @property
    def mistakes(self) -> EvaluationView:
        """Every mistake with its explanation; ``.df`` has one row per mistake."""
        from lango_nb.viz.evaluation import mistakes_document

        return EvaluationView(self.record, lambda: mistakes_document(self.record), "mistakes")

    def timed(self) -> EvaluationView:
        """Return the same with how long answers took; that differs each time, so that it is not shown by default."""
        from lango_nb.viz.evaluation import document

        return EvaluationView(self.record, lambda: document(self.record, timing=True))

    def __iter__(self) -> Iterator[EvaluationResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, topology: str) -> EvaluationResult:
        return self.record[topology]

    def frame(self, what: str = "summary", columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a DataFrame of what was found.

        Parameters
        ----------
        what : str
            ``summary``, ``agents``, ``confusion``, ``curve``, ``calibration``, ``languages``, ``groups``, ``mistakes``
            or ``answers``.
        columns : sequence of str, optional
            Only these, in this order.

        Returns
        -------
        DataFrame

        Raises
        ------
        UnknownNameError
            There is no such frame or column.
        """
        from lango_nb.frames.evaluation import evaluation_df

        return evaluation_df(self.record, what, columns=columns)

    def plot(self, name: str = "confusion") -> PlotView:
        """Draw what was found.

        Parameters
        ----------
        name : str
            ``confusion``, ``calibration`` or ``abstention``; see :mod:`lango_nb.plots`.

        Raises
        ------
        UnknownNameError
            There is no such plot of an evaluation.
        UsageError
            matplotlib is not installed.
        """
        from lango_nb.lab.plotting import plot_evaluation

        return plot_evaluation(self.record, name)


class LearningView(View["LearningCurve"]):
    """What lessons bring: ``.df`` has one row per number of lessons."""

    _noun = "learning"
    topology: str = told("Where the router was measured.")
    data: str = told("Where the requests come from.")
    points: tuple[Lessons, ...] = told("How often it is right, by the number of its lessons.")
    part: str = told("Which part of the requests was taken; empty when all were.")

    def __init__(self, curve: LearningCurve) -> None:
        from lango_nb.viz.listings import learning_table

        super().__init__(curve, shown=learning_table(curve))

    def plot(self) -> PlotView:
        """Draw it.

        Raises
        ------
        UsageError
            matplotlib is not installed.
        """
        from lango_nb.lab.plotting import plot_learning

        return plot_learning(self.record)


class TaskEvaluationView(View["TaskEvaluation"]):
    """How many tasks are done: ``.df`` has one row per model and topology, :meth:`frame` the rest."""

    data: str = told("Where the tasks come from.")
    n: int = told("How many tasks were carried out.")
    results: tuple[TasksResult, ...] = told("One per model and topology.")

    def __init__(
        self, evaluation: TaskEvaluation, shown: Callable[[], Document] | None = None, what: str = "summary"
    ) -> None:
        super().__init__(evaluation, lambda: self.frame(what), shown)

    @property
    def failures(self) -> TaskEvaluationView:
        """Every turn that is not done, and why; ``.df`` has one row per turn."""
        from lango_nb.viz.evaluation import failures_document

        return TaskEvaluationView(self.record, lambda: failures_document(self.record), "failures")

    def timed(self) -> TaskEvaluationView:
        """Return the same with how long tasks took; that differs each time, so that it is not shown by default."""
        from lango_nb.viz.evaluation import tasks_document

        return TaskEvaluationView(self.record, lambda: tasks_document(self.record, timing=True))

    def __iter__(self) -> Iterator[TasksResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def frame(self, what: str = "summary", columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a DataFrame of what was found.

        Parameters
        ----------
        what : str
            ``summary``, ``groups``, ``turns`` or ``failures``.
        columns : sequence of str, optional
            Only these, in this order.

        Returns
        -------
        DataFrame

        Raises
        ------
        UnknownNameError
            There is no such frame or column.
        """
        from lango_nb.frames.evaluation import task_evaluation_df

        return task_evaluation_df(self.record, what, columns=columns)


# -- what waits for an answer ------------------------------------------------------------------------------------------


class OpenQuestions(ListView["PendingApproval | LeftQuestion"]):
    """Calls that wait for an answer, as they were when this was made, and how to answer them.

    Those come last that a process left open which is gone: the run that waits goes on with the answer, and where none
    waits a yes lets exactly that call run when it comes again.
    """

    def __init__(self, engine: Engine) -> None:
        from lango_nb.viz.approvals import questions_document

        self._approvals = engine.approvals
        pending: tuple[PendingApproval | LeftQuestion, ...] = (*self._approvals.pending, *self._approvals.left)
        super().__init__(pending, lambda: frames().approvals_df(pending), lambda: questions_document(pending))

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


def answer_view(question: PendingApproval | LeftQuestion, answer: ApprovalAnswer) -> View[ApprovalAnswer]:
    """Show what was answered to a question."""
    from lango_nb.viz.approvals import answered_table

    table = answered_table(question, answer)
    return View(answer, lambda: texts_frame(table.columns, table.rows), table)
