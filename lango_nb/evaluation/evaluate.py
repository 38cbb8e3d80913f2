"""Run labelled requests through a router or a model, and count what is right.

    data ── requests.py ── sample ──┐
    subject, topologies ───────────┴── answers ── judged against who owns it in that tree ── Evaluation
                                          │
                                 models: so many calls at once, each answer kept in a file as it comes

Results stand in the order of the data, whichever answer came first.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from threading import Event
from typing import Any, cast

from lango_nb.core.errors import UsageError, shorten
from lango_nb.core.masking import mask
from lango_nb.engine import Engine
from lango_nb.evaluation.answers import Answer, Judged, judge
from lango_nb.evaluation.baseline import KeywordRouter
from lango_nb.evaluation.progress import automatic_bar
from lango_nb.evaluation.requests import NOBODY, Labelled, name_of, read_requests
from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.evaluation.saved import SavedAnswers
from lango_nb.evaluation.subjects import ModelSubject, RouterSubject, Routing
from lango_nb.models.model import Model
from lango_nb.routing.router import Router, router_for
from lango_nb.routing.taught import ROOT
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.control.protocol import Control
from lango_nb.specs.topology import Topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families

ROUTER = "router"
KEYWORDS = "keywords"
"""Name of the naive baseline."""
DEFAULT = "octet"
"""Topology of an engine that is made here."""
MOST_AT_ONCE = 64

_LOOK_S = 0.05
"""How often whoever waits for a model looks whether it was stopped."""
_NAMED = 5
"""Families that a message names."""

OnProgress = Callable[[int, int], None]
"""Gets how many requests are done, of how many."""


@dataclass(frozen=True)
class _Case:
    """One topology, and the subject in it."""

    name: str
    root: str
    router: Router
    """Says who owns what."""
    subject: RouterSubject | ModelSubject


@dataclass(frozen=True)
class _Job:
    """One request in one topology."""

    place: int
    subject: ModelSubject
    text: str
    key: str


def evaluate(  # noqa: PLR0913 - one keyword per thing one may want to choose
    data: object,
    subject: object = None,
    *,
    topologies: Sequence[str | Topology] | None = None,
    at_once: int = 4,
    sample: int | None = None,
    seed: int = 0,
    resume: str | Path | None = None,
    on_progress: OnProgress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    now: Callable[[], float] | None = None,
    engine: Engine | None = None,
) -> Evaluation:
    """Say how often a router or a model is right about who should get a request.

    Parameters
    ----------
    data : DataFrame, iterable, str or Path
        Labelled requests: rows with ``text`` and one of ``agent``, ``family`` and columns named like topologies; the
        name of a set (``held-out``), or a file. See :func:`~lango_nb.evaluation.requests.read_requests`.
    subject : Router, Engine, Lab, Model or str, optional
        A model, or its name, answers as the root of each topology; ``keywords`` is the naive baseline. The router when
        absent. What a router of your own has learned is used in every topology.
    topologies : sequence of str or Topology, optional
        The engine's own when absent.
    at_once : int
        How many calls of a model may be under way.
    sample : int, optional
        Take so many requests at random; all when absent.
    seed : int
        The same seed takes the same sample.
    resume : str or Path, optional
        File in which a model's answers are kept; what is in it already is not asked again.
    on_progress : callable, optional
        Gets how many are done, of how many. A bar is shown when absent, where somebody can see it.
    is_stopped : callable, optional
        Asked between requests; as soon as it says yes, what was answered by then is the result.
    now : callable, optional
        The time in seconds; the machine's when absent.
    engine : Engine, optional
        Whose tools, agents and settings hold; one with all tools when absent, and where the subject is none.

    Returns
    -------
    Evaluation

    Raises
    ------
    UsageError
        The data cannot be read, a label fits nothing, or the file to resume from is something else.
    SettingsError
        The model is not there, or is live and no live model may be called.
    UnknownNameError
        There is no such topology.
    ModelError
        The provider does not accept the key.
    KeyboardInterrupt
        It was stopped; with ``resume`` the answers so far are kept.

    Examples
    --------
    >>> found = evaluate([("encrypt this text", "vault"), ("good morning!", "root")])
    >>> found["octet"].accuracy.value
    1.0
    """
    _check_numbers(at_once, sample)
    engine = engine or _engine_of(subject) or Engine(topology=DEFAULT, tools=(*builtin_tools(), *spec_families()))
    name, model = _subject(subject, engine)
    if resume is not None and model is None:
        raise UsageError("resume keeps the answers of a model; a router answers at once, leave it out")
    cases = list(_cases(subject, name, model, engine, topologies, now or time.perf_counter))
    requests = read_requests(data, [case.name for case in cases])
    rows = _sampled(requests, sample, seed)
    rights = [[row.right_in(case.name, case.router, case.root) for row in rows] for case in cases]
    if isinstance(data, str | Path):
        for case, right in zip(cases, rights, strict=True):
            _check_agents(name_of(data), case, rows, right)
    with ExitStack() as stack:
        saved = stack.enter_context(SavedAnswers(resume)) if resume is not None else None
        listener = on_progress
        if listener is None and (bar := automatic_bar("evaluate")) is not None:
            stack.callback(bar.close)
            listener = bar
        answers, resumed = _answers(cases, rows, at_once, saved, listener, is_stopped)
    made = (
        _result(case, rows, right, answers[number * len(rows) : (number + 1) * len(rows)])
        for number, (case, right) in enumerate(zip(cases, rights, strict=True))
    )
    is_cut = None in answers
    results = tuple(result for result in made if result.n or not is_cut)
    return Evaluation(name, name_of(data), len(requests), results, model is not None, seed, resumed, is_cut)


# -- what is evaluated -------------------------------------------------------------------------------------------------


def _check_numbers(at_once: int, sample: int | None) -> None:
    if not 1 <= at_once <= MOST_AT_ONCE:
        raise UsageError(f"at_once is a number from 1 to {MOST_AT_ONCE}, not {at_once}")
    if sample is not None and sample < 1:
        raise UsageError(f"sample is a number above 0, not {sample}; leave it out to take every request")


def _check_agents(data: str, case: _Case, rows: Sequence[Labelled], rights: Sequence[str]) -> None:
    """Refuse a set of which no request is for an agent that is there: who never hands over would be right."""
    names = case.router.table.names
    if NOBODY in rights and not set(names).intersection(rights):
        wanted = dict.fromkeys(row.family or row.agent for row, right in zip(rows, rights, strict=True) if not right)
        others = len(wanted) - _NAMED
        more = f" and {others} more" if others > 0 else ""
        raise UsageError(
            f"no request of {data} is for an agent of {case.name}: they are about "
            f"{', '.join(list(wanted)[:_NAMED])}{more}, which nobody there owns; give requests for {', '.join(names)}"
        )


def _engine_of(subject: Any) -> Engine | None:
    """Return the engine of a subject that is one, or has one as a lab does."""
    found = getattr(subject, "engine", subject)
    return found if isinstance(found, Engine) else None


def _subject(subject: Any, engine: Engine) -> tuple[str, Model | None]:
    """Return the subject's name, and the model where it is one."""
    if subject is None or subject == ROUTER or _engine_of(subject) is not None or isinstance(subject, Router):
        return ROUTER, None
    if subject == KEYWORDS or isinstance(subject, KeywordRouter):
        return KEYWORDS, None
    if isinstance(subject, str | Model):
        model = engine.models.find(subject)
        return model.name, model
    raise UsageError(
        f"a router, an engine, a Lab or a model can be evaluated, not {shorten(type(subject).__name__)}; "
        f"leave it out for the router"
    )


def _cases(  # noqa: PLR0913, PLR0917 - what a case is made of
    subject: object,
    name: str,
    model: Model | None,
    engine: Engine,
    topologies: Sequence[str | Topology] | None,
    now_s: Callable[[], float],
) -> Iterator[_Case]:
    if isinstance(subject, Router | KeywordRouter) and topologies is None:
        owners = subject if isinstance(subject, Router) else router_for(subject.table)
        yield _Case(_topology_of(subject, engine), ROOT, owners, RouterSubject(subject, now_s))
        return
    if isinstance(topologies, str | Topology):
        topologies = [topologies]
    given = [engine.topology] if topologies is None else topologies
    wanted = {topology if isinstance(topology, str) else topology.name: topology for topology in given}
    if not wanted:
        raise UsageError("topologies is empty; name some, or leave it out for the present one")
    for topology in wanted.values():
        tree = _tree(engine, topology)
        if not tree.agents:
            raise UsageError(
                f"{tree.topology.name} has nobody to hand over to; name topologies with agents, octet for one"
            )
        router = _router(engine, tree, subject)
        if model is not None:
            tested: RouterSubject | ModelSubject = ModelSubject(model, tree, _control(tree, router), now_s)
        else:
            routing: Routing = KeywordRouter(tree.table) if name == KEYWORDS else router
            tested = RouterSubject(routing, now_s)
        yield _Case(tree.topology.name, tree.root.name, router, tested)


def _topology_of(subject: Router | KeywordRouter, engine: Engine) -> str:
    """Name the topology that a router is for: the engine's own, where it is over the same table."""
    return engine.topology.name if subject.table == engine.tree.table else ROUTER


def _tree(engine: Engine, topology: str | Topology) -> AgentTree:
    is_present = topology == engine.topology if isinstance(topology, Topology) else topology == engine.topology.name
    return engine.tree if is_present else engine.tree_for(topology)


def _router(engine: Engine, tree: AgentTree, subject: object) -> Router:
    """Return the router over a tree, with what the given one has learned."""
    given = subject if isinstance(subject, Router) else engine.router
    return given if tree.table == given.table else given.over(tree.table)


def _control(tree: AgentTree, router: Router) -> Control:
    """Return the way a topology hands work over, with everybody there."""
    match tree.topology.control:
        case "transfer":
            from lango_nb.runtime.control.transfer import TransferControl

            return TransferControl()
        case "spawn":
            from lango_nb.runtime.control.spawn import SpawnControl

            return SpawnControl(is_available=True, route=lambda instruction: router.route(instruction).chosen)
        case "delegate":
            from lango_nb.runtime.control.delegate import DelegateControl

            return DelegateControl()
        case "none":
            from lango_nb.runtime.control.none import NoControl

            return NoControl()


def _sampled(requests: Sequence[Labelled], sample: int | None, seed: int) -> list[Labelled]:
    """Take some of the requests at random, in their order."""
    if sample is None or sample >= len(requests):
        return list(requests)
    places = random.Random(seed).sample(range(len(requests)), sample)  # noqa: S311 - a sample, no secret
    return [requests[place] for place in sorted(places)]


# -- asking ------------------------------------------------------------------------------------------------------------


def _answers(  # noqa: PLR0913, PLR0917 - what to ask whom, and who watches
    cases: Sequence[_Case],
    rows: Sequence[Labelled],
    at_once: int,
    saved: SavedAnswers | None,
    on_progress: OnProgress | None,
    is_stopped: Callable[[], bool],
) -> tuple[list[Answer | None], int]:
    """Get the answers of all cases, one case after the other, and say how many were kept from earlier.

    Requests that were left when it was stopped have none.
    """
    total = len(cases) * len(rows)
    found: list[Answer | None] = [None] * total
    jobs: list[_Job] = []
    for number, case in enumerate(cases):
        if isinstance(case.subject, RouterSubject):
            case.subject.router.route(mask(rows[0].text))  # what loads with the first route is nobody's time
        for place, row in enumerate(rows, number * len(rows)):
            if isinstance(case.subject, RouterSubject):
                if is_stopped():
                    break
                found[place] = case.subject.answer(row.text)
                if on_progress is not None:
                    on_progress(place + 1, total)
            else:
                key = case.subject.key(row.text)
                found[place] = saved.get(key) if saved is not None else None
                jobs += [_Job(place, case.subject, row.text, key)] if found[place] is None else []
    resumed = total - len(jobs) if saved is not None else 0
    if jobs:
        from lango_nb.runtime.loop import run_in_loop

        stopped = Event()

        def show(done: object) -> None:
            try:
                if on_progress is not None:
                    on_progress(total - len(jobs) + cast("int", done), total)
            except BaseException:
                stopped.set()
                raise

        most = min(at_once, len(jobs))
        waiting = takewhile(lambda _job: not stopped.is_set(), jobs)
        run_in_loop(lambda emit: _until(is_stopped, _ask_all(waiting, most, found, saved, emit)), show)
    return found, resumed


async def _until(is_stopped: Callable[[], bool], work: Coroutine[Any, Any, None]) -> None:
    """Work until it is done, or stopped: calls that are under way are given up then."""
    task = asyncio.create_task(work)
    try:
        while not is_stopped() and not task.done():
            await asyncio.wait((task,), timeout=_LOOK_S)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))
    if not task.cancelled():
        task.result()


async def _ask_all(
    jobs: Iterator[_Job],
    at_once: int,
    found: list[Answer | None],
    saved: SavedAnswers | None,
    emit: Callable[[object], None],
) -> None:
    """Ask for all answers, so many at once, and keep each as it comes; the jobs end when Stop was pressed."""
    done = 0

    async def work() -> None:
        nonlocal done
        for job in jobs:
            answer = await job.subject.answer(job.text)
            found[job.place] = answer
            if saved is not None:
                saved.add(job.key, answer)
            done += 1
            emit(done)
            await asyncio.sleep(0)  # a client that blocks lets nobody else go first, Stop neither

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from errors


# -- judging -----------------------------------------------------------------------------------------------------------


def _result(case: _Case, rows: Sequence[Labelled], rights: Sequence[str], answers: Sequence[Answer | None]) -> Result:
    pairs = zip(rows, rights, answers, strict=True)
    judged = tuple(_judged(case, row, right, answer) for row, right, answer in pairs if answer is not None)
    threshold = case.subject.threshold if isinstance(case.subject, RouterSubject) else None
    return Result(case.name, case.router.table.names, judged, threshold)


def _judged(case: _Case, row: Labelled, right: str, answer: Answer) -> Judged:
    subject = case.subject
    verdict = judge(right, answer, is_model=isinstance(subject, ModelSubject))
    chosen_terms, right_terms = (), ()
    if verdict != "right" and isinstance(subject, RouterSubject):
        chosen_terms, right_terms = subject.terms(row.text, answer.agent, right)  # type: ignore[assignment]  # two
    return Judged(
        row.number, mask(row.text), right, answer, verdict, row.language, row.group, chosen_terms, right_terms
    )
