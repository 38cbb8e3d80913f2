"""What a lab tells of the past: turns, traces, runs, memories, tasks, and everything that is stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import ForgottenError, UnknownNameError, UsageError
from lango_nb.core.messages import SESSION, Message
from lango_nb.engine import Engine
from lango_nb.lab.history import HistoryView
from lango_nb.lab.shelving import Shelving
from lango_nb.lab.shown import frames, texts_table
from lango_nb.records.history import History, When
from lango_nb.records.steps import position
from lango_nb.records.traces import TurnRef
from lango_nb.stores.schema import described_columns
from lango_nb.stores.sql import SqlStore
from lango_nb.stores.store import TurnQuery
from lango_nb.viz.table import Table
from lango_nb.viz.view import RunView, View, events_view, runs_view

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.config.loading import LoadedSettings
    from lango_nb.doctor import Report
    from lango_nb.records.agent_run import AgentRun
    from lango_nb.records.graph import DelegationGraph
    from lango_nb.records.ledger import LedgerEntry
    from lango_nb.records.memories import Memory
    from lango_nb.records.metrics import AgentMetrics
    from lango_nb.records.tasks import Task
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.routing.route import Route
    from lango_nb.stores.database import Selection
    from lango_nb.stores.store import Row


class LookingBack(Shelving):
    """The part of a lab that reads records."""

    engine: Engine
    session: str
    """The conversation that the next request belongs to."""
    _loaded: LoadedSettings

    def route(self, text: str) -> View[Route]:
        """Say who would get a request; a lab does."""
        raise NotImplementedError

    @property
    def turns(self) -> View[Sequence[Turn]]:
        """All turns, oldest first."""
        turns = self.engine.traces.turns()
        from lango_nb.viz.turns import Turns

        remarks, problem = self._remarks(turns)
        note = ". ".join(filter(None, (self.engine.records.forgotten, problem)))
        return View(turns, lambda: frames().turns_df(turns), Turns(turns, remarks=remarks, note=note))

    def trace(self, turn: TurnRef | None = None) -> View[Trace]:
        """Show what happened in a turn, agent by agent.

        Parameters
        ----------
        turn : int or str, optional
            Number from 1, negative from the end, or id; the last when absent.
        """
        trace = self._trace(turn)
        return View(trace, lambda: frames().events_df(trace))

    def events(self, turn: TurnRef | None = None) -> View[tuple[Any, ...]]:
        """List the events of a turn, one row each."""
        trace = self._trace(turn)
        return events_view(trace.events, trace)

    @property
    def runs(self) -> View[tuple[AgentRun, ...]]:
        """All teammate runs as they are now, oldest first."""
        return runs_view(self.engine.runs.list())

    @property
    def ledger(self) -> View[tuple[LedgerEntry, ...]]:
        """What teammate runs waited for, and when they went on, where the settings ``runLedger.*`` had it noted."""
        entries = tuple(self.engine.ledger)
        columns = ("run", "agent", "kind", "grant", "attempt", "state", "reason")
        rows = [
            (e.run_id, e.agent, e.kind, e.grant_request_id, e.grant_attempt or None, e.grant_state, e.blocked_reason)
            for e in entries
        ]
        empty = "nothing was noted; runLedger.enabled and runLedger.writeThrough note who waits for an approval"
        return View(
            entries, lambda: frames().ledger_df(entries), Table("run ledger", columns, tuple(rows), empty=empty)
        )

    def run(self, run_id: str) -> RunView:
        """Show one teammate run, and what happened in it, also after its turn was over.

        Parameters
        ----------
        run_id : str
            ``arun-1`` for instance; :attr:`runs` lists them.

        Raises
        ------
        UnknownNameError
            There is no such run.
        """
        run = self.engine.runs.get(run_id)
        try:
            last = self.engine.traces.get(run.turn_id).events[-1].seq if run.turn_id else 0
        except UnknownNameError:  # the turn still runs, or is forgotten
            last = 0
        return RunView(run, self.engine.runs.events(run_id), last)

    @property
    def tasks(self) -> View[tuple[Task, ...]]:
        """What root and agents noted as to be done, oldest first."""
        from lango_nb.viz.tasks import tasks_table

        tasks = self.engine.tasks.list()
        return View(tasks, lambda: frames().tasks_df(tasks), tasks_table(tasks))

    def memories(self, agent: str | None = None) -> View[tuple[Memory, ...]]:
        """List what agents remember; looking counts as no use.

        Parameters
        ----------
        agent : str, optional
            Whose memories; those of every agent of the tree when absent.

        Raises
        ------
        UnknownNameError
            There is no such agent in the tree.
        """
        from lango_nb.viz.memories import memories_table

        engine = self.engine
        names = engine.tree.names if agent is None else (engine.tree[agent].name,)
        found = tuple(memory for name in names for memory in engine.memories.search(name, limit=len(engine.memories)))
        table = memories_table(found, agent, is_kept=engine.settings.agent_memory.enabled)
        return View(found, lambda: frames().memories_df(found), table)

    def messages(
        self, turn: TurnRef | None = None, *, step: int | None = None, conversation: str = ""
    ) -> View[tuple[Message, ...]]:
        """List messages of a turn with their authors.

        Parameters
        ----------
        turn : int or str, optional
            The last when absent.
        step : int, optional
            What was given with this model call; ``frames.steps_df`` lists them.
        conversation : str
            Without a step: what was said in a run or a child session; when empty, what was said in the turn's own
            conversation, and what its runs left to later turns.

        Returns
        -------
        View
            ``.df`` has the rows of ``frames.messages_df`` that are shown.

        Raises
        ------
        UnknownNameError
            There is no such turn, or no such step or conversation in it.

        Examples
        --------
        >>> from lango_nb.lab import Lab
        >>> lab = Lab("octet")
        >>> _ = lab.ask("hash milk with sha256")
        >>> [len(lab.messages(step=step).record) for step in (1, 2)]
        [1, 3]
        """
        trace = self._trace(turn)
        title, numbered = f"messages of turn {trace.turn.number}", [*enumerate(trace.messages, 1)]
        if step is not None:
            title, numbered = f"{title}, given with step {step}", [(position(one), one) for one in trace.given(step)]
        else:
            names = {message.conversation for message in trace.messages}
            if conversation and conversation not in names:
                raise UnknownNameError("conversation", conversation, sorted(names - {"", SESSION}))
            shown = {conversation} if conversation else {"", SESSION}
            numbered = [(number, message) for number, message in numbered if message.conversation in shown]
        rows = tuple(
            (number, message.role, message.author or "", message.content, ", ".join(c.name for c in message.tool_calls))
            for number, message in numbered
        )

        def df() -> pd.DataFrame:
            every: pd.DataFrame = frames().messages_df(trace)
            return every[every["seq"].isin([number for number, _ in numbered])].reset_index(drop=True)

        table = Table(title, ("message", "role", "author", "content", "calls"), rows)
        return View(tuple(message for _, message in numbered), df, table)

    def why(self, turn: TurnRef | None = None) -> View[Any]:
        """Say why a request went where it went.

        Parameters
        ----------
        turn : int or str, optional
            The last when absent.

        Returns
        -------
        View
            The decisions of the turn with all candidates; for a turn that was not handed over, what the router says.
        """
        trace = self._trace(turn)
        if not trace.decisions:
            return self.route(trace.turn.text)
        decisions = trace.decisions
        return View(decisions, lambda: frames().decisions_df(trace), shown=decisions)

    # -- everything that is stored -------------------------------------------------------------------------------------

    @property
    def history(self) -> HistoryView:
        """Everything that is stored, as DataFrames too; nothing is read before it is asked for."""
        records = self.engine.records
        return HistoryView(History(records.store.log, clock=self.engine.clock), lambda: records.forgotten)

    def search(  # noqa: PLR0913 - what turns can be told apart by
        self,
        text: str = "",
        *,
        session: str | None = None,
        agent: str | None = None,
        tool: str | None = None,
        outcome: str | Collection[str] = (),
        since: When | None = None,
        until: When | None = None,
        limit: int | None = None,
    ) -> HistoryView:
        """Find turns; what is not given narrows nothing.

        Parameters
        ----------
        text : str
            Part of the request or the answer, upper and lower case alike.
        session : str, optional
        agent : str, optional
            Somebody who worked in it, teammates included.
        tool : str, optional
            A tool that was called in it.
        outcome : str or collection of str
            ``success``, ``timeout`` and so on.
        since, until : datetime or str, optional
            A time, ``2026-01-31`` for instance, or how long ago: ``24h``.
        limit : int, optional
            At most so many, the latest.

        Returns
        -------
        HistoryView
            ``.df`` has one row per turn, :meth:`HistoryView.frame` everything else there is of them.

        Raises
        ------
        UnknownNameError
            There is no such outcome.
        """
        return self.history.where(
            text=text,
            session=session,
            agent=agent,
            tool=tool,
            outcome=outcome or None,
            since=since,
            until=until,
            limit=limit,
            newest_first=True if limit is not None else None,
        )

    def sql(self, query: str, limit: int = 10_000) -> View[Selection]:
        """Ask the tables of the store themselves.

        Parameters
        ----------
        query : str
            One ``SELECT``; it can change nothing. :attr:`tables` lists tables and columns.
        limit : int
            Rows at most.

        Returns
        -------
        View
            ``.df`` has the rows.

        Raises
        ------
        UsageError
            The query cannot be carried out; the message says why.

        Examples
        --------
        >>> from lango_nb.lab import Lab
        >>> lab = Lab("solo")
        >>> _ = lab.ask("hello")
        >>> lab.sql("SELECT outcome, count(*) AS turns FROM turns GROUP BY outcome").record.rows
        (('success', 1),)
        """
        store = self.engine.store
        if not isinstance(store, SqlStore):
            raise UsageError(f"the store {store.name!r} takes no SQL; lab.history has everything as DataFrames")
        found = store.select(query, limit)
        note = f"there are more; these are the first {limit:,}" if found.is_cut else ""
        table = Table("query", found.columns, found.rows, note, empty="no row fits")
        return View(found, lambda: frames().selection_df(found), table)

    @property
    def tables(self) -> View[tuple[tuple[str, ...], ...]]:
        """The tables of the store with their columns, and what each says: what :meth:`sql` can ask."""
        store = self.engine.store
        prefix = store.database.dialect.prefix if isinstance(store, SqlStore) else ""
        rows = tuple((prefix + table, *column) for table, *column in described_columns())
        columns = ("table", "column", "type", "unit", "what it says")
        note = "data holds as JSON what else a record has, checksum is its CRC-32; pd.read_sql reads the same"
        return View(rows, lambda: texts_table(columns, rows), Table("tables", columns, rows, note))

    @property
    def sessions(self) -> View[tuple[Row, ...]]:
        """All conversations, in order of creation."""
        from lango_nb.viz.sessions import sessions_table

        history = self.history.record
        rows = tuple(history.sessions())
        return View(rows, lambda: frames().sessions_df(history), sessions_table(rows, self.session))

    def doctor(self, since_hours: float = 24.0, *, rescue: str | Path | None = None) -> View[Report]:
        """Look for what is wrong: settings, definitions, the store, failed turns, leaks; nothing is changed.

        Parameters
        ----------
        since_hours : float
            How far back turns are looked at.
        rescue : str or Path, optional
            A new file, into which everything is copied first that can be read of damaged records.

        Returns
        -------
        View of Report
            One row per finding, with the turn it is about and what to do next.
        """
        from lango_nb.doctor import examine, rescued
        from lango_nb.stores.opening import file_of

        report = examine(self.engine, since_hours=since_hours, trust=self._loaded.trust)
        if rescue is not None:
            store = self.engine.store
            records = file_of(f"sqlite:///{store.where}" if store.name == "sqlite" else "memory")
            report = replace(report, findings=(rescued(records, Path(rescue).absolute()), *report))
        return View(report, lambda: frames().findings_df(report))

    def metrics(self, session: str | None = None) -> View[tuple[AgentMetrics, ...]]:
        """Measure agents over everything that is stored: turns, success, calls, hand-overs, p50, p95 and p99.

        Parameters
        ----------
        session : str, optional
            Only turns of this session.

        Returns
        -------
        View of AgentMetrics
            One row per agent; a turn counts for the agent that it was first handed to.

        Raises
        ------
        UnknownNameError
            There is no such session.
        """
        from lango_nb.records.metrics import agent_metrics
        from lango_nb.viz.metrics import metrics_table

        name = None if session is None else self.engine.sessions.get(session).id
        found = agent_metrics(self.engine.store.log.events(TurnQuery(session=name)))
        return View(found, lambda: frames().metrics_df(found), metrics_table(found))

    def graph(self, session: str | None = None) -> View[DelegationGraph]:
        """Show who handed work to whom, and how often.

        Parameters
        ----------
        session : str, optional
            The present one when absent.

        Raises
        ------
        UnknownNameError
            There is no such session.
        """
        from lango_nb.records.graph import delegation_graph

        name = self.session if session is None else self.engine.sessions.get(session).id
        graph = delegation_graph(self.engine.store.log.events(TurnQuery(session=name)))
        return View(graph, lambda: frames().delegations_df(self.history.record.where(session=name)))

    def export(
        self,
        path: str | Path,
        turn: TurnRef | None = None,
        *,
        session: str | None = None,
        format: str | None = None,  # noqa: A002 - what everybody calls it
        overwrite: bool = False,
    ) -> Path:
        """Write a turn, or a whole session, to one file.

        Parameters
        ----------
        path : str or Path
            ``.html``: a page that needs nothing else, no script either. ``.jsonl``: JSON lines that :meth:`open` reads
            again. ``.otlp.json``: OpenTelemetry spans.
        turn : int or str, optional
            The last when neither turn nor session is given.
        session : str, optional
            All turns of a session, in place of one turn.
        format : {"html", "jsonl", "otel"}, optional
            What the file's name says when absent.
        overwrite : bool
            Whether a file of that name is replaced.

        Returns
        -------
        Path

        Raises
        ------
        UsageError
            The format is unknown, or there is a file of that name.
        StoreError
            It cannot be written.
        """
        from lango_nb.lab.exporting import export

        unsaved = self.engine.traces.unsaved
        if session is not None:
            query = TurnQuery(session=self.engine.sessions.get(session).id)
            unsaved = tuple(trace for trace in unsaved if trace.turn.session_id == session)
        else:
            wanted = self._trace(turn)
            query = TurnQuery(ids=(wanted.turn.id,))
            unsaved = tuple(trace for trace in unsaved if trace.turn.id == wanted.turn.id)
        log = self.engine.store.log
        return export(log, query, Path(path), format, overwrite=overwrite, unsaved=unsaved)

    def _trace(self, turn: TurnRef | None) -> Trace:
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int | str)):
            raise UsageError(f"a turn is a number or an id, not {type(turn).__name__}")
        try:
            return self.engine.traces.get(-1 if turn is None else turn)
        except UnknownNameError as error:
            if len(self.engine.traces) or isinstance(error, ForgottenError):
                raise
        raise UsageError("there is no turn yet; ask something first: lab.ask('hello')")
