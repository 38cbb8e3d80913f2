"""The store: what is wrong with what is written, what is not written, how much room there is, and a copy of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lango_nb.core.text import counted
from lango_nb.doctor.case import Case, listed
from lango_nb.doctor.finding import Finding, Status
from lango_nb.records.turns import Trace
from lango_nb.stores.rescue import rescue
from lango_nb.stores.sqlite import shown_path
from lango_nb.stores.store import Problem, Store

LEAST_FREE_BYTES = 100 * 1024 * 1024
"""Free space below which somebody should know."""
_MENDED = frozenset({"unfinished", "locked", "read_only"})
"""Problems a store goes on with; any other may have cost a record, or will."""


def examine_store(case: Case) -> Iterator[Finding]:
    """Look through everything that is stored.

    Yields
    ------
    Finding
        One per problem, whether it was met before or is met now.
    """
    check, store = "store", case.store
    if not store.is_durable:
        text = f"records are kept {'in memory' if store.name == 'memory' else f'in {store.where}'}, not on a disk"
        step = "%lango open FOLDER, or Lab(home=FOLDER), keeps what comes from now on"
        yield Finding(check, "skip", text, next_step=step)
    elif case.settings.store.durability == "none":
        text = "store.durability is none: a power cut may lose turns that were answered"
        yield Finding(check, "warn", text, next_step="set store.durability to turn")
    unsaved: Sequence[Trace] = getattr(case.engine.traces, "unsaved", ())
    if unsaved:
        numbers = [f"turn {trace.turn.number} (session {trace.turn.session_id})" for trace in unsaved]
        latest = unsaved[-1].turn
        yield Finding(
            check,
            "fail",
            f"{counted(len(unsaved), 'finished turn')} could not be written and {_is(unsaved)} only in this process",
            latest.id,
            latest.number,
            latest.session_id,
            "make room or give leave to write; the next turn writes them as well",
            listed(numbers),
        )
    problems = _together(store.problems, store.check())
    for problem in problems:
        text = f"{problem.where}: {problem.detail}" if problem.where else problem.detail
        yield Finding(check, _status(problem), text, next_step=problem.next_step)
    if store.is_durable and not problems and not unsaved:
        yield Finding(check, "ok", f"{store.name} store with {counted(case.log.count(), 'turn')}, all sound")


def examine_space(case: Case) -> Iterator[Finding]:
    """Look at the free space where records lie."""
    check, folder = "disk", _folder(case.store)
    if folder is None:
        yield Finding(check, "skip", "records are not on a disk of this machine")
        return
    free = shutil.disk_usage(folder).free
    if free < LEAST_FREE_BYTES:
        text = f"only {free / 2**20:,.0f} MB are free where records lie"
        step = "make room: a turn that cannot be written ahead does not run"
        yield Finding(check, "warn", text, next_step=step, evidence=(case.store.where,))
    else:
        yield Finding(check, "ok", "there is room where records lie")


def _folder(store: Store) -> Path | None:
    """Return the folder of a store, or the nearest one above it that is there."""
    if store.name != "sqlite":
        return None
    place = Path(store.where).expanduser().absolute()
    return next((folder for folder in (place, *place.parents) if folder.is_dir()), None)


def _together(before: Iterable[Problem], now: Iterable[Problem]) -> list[Problem]:
    """Put what was met before and what is met now together; the same thing at the same place is told once."""
    told: dict[tuple[str, str], list[Problem]] = {}
    for problem in dict.fromkeys(before):
        told.setdefault((problem.code, problem.where), []).append(problem)
    seen: dict[tuple[str, str], list[Problem]] = {}
    for problem in dict.fromkeys(now):
        seen.setdefault((problem.code, problem.where), []).append(problem)
    several = (max(told.get(key, []), seen.get(key, []), key=len) for key in {**told, **seen})
    return [problem for problems in several for problem in problems]


def _status(problem: Problem) -> Status:
    return "warn" if problem.code in _MENDED else "fail"


def _is(several: Sequence[object]) -> str:
    return "is" if len(several) == 1 else "are"


def rescued(source: Path, target: Path) -> Finding:
    """Copy what can be read of records into a new file.

    Parameters
    ----------
    source, target : Path

    Returns
    -------
    Finding
        With how many rows there are of each kind.

    Raises
    ------
    StoreError
        Nothing can be read, or the target is there already.
    """
    copied = rescue(source, target)
    rows = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in copied.items() if count)
    text = f"copied what can be read of {shown_path(source)} into {shown_path(target)}: {rows}"
    step = f"look at it with --settings store.url=sqlite:///{target}, then put it in the place of {source.name}"
    return Finding("rescue", "ok", text, next_step=step)
