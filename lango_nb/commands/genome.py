"""The genome: agents in a git repository, and what was changed in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Word, whole
from lango_nb.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from lango_nb.lab import Lab
    from lango_nb.viz.view import View

_FOLDER = "genome"
"""Where a genome is made when nobody says where: below the working folder."""


def _init(lab: Lab, words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.open_genome(*(words or (_FOLDER,)))


def _sync(lab: Lab, words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.sync(*words)


def _log(lab: Lab, _words: tuple[str, ...], limit: int) -> View[Any]:
    return lab.genome.log(limit)


def _diff(lab: Lab, words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.diff(*words)


def _rollback(lab: Lab, words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.rollback(*words)


_ACTIONS: dict[str, tuple[Callable[[Lab, tuple[str, ...], int], Any], int]] = {
    "init": (_init, 2),
    "sync": (_sync, 1),
    "log": (_log, 0),
    "diff": (_diff, 2),
    "rollback": (_rollback, 1),
}
"""What is done, and how many words it takes at most."""


_WORDS = Word(
    "words",
    "ACTION …",
    "genome",
    "init FOLDER [AGENTS], sync [AGENTS], log, diff [A [B]] or rollback ID; shows it when absent",
    is_many=True,
)


def genome_words(lab: Lab) -> tuple[str, ...]:
    """Return what may be written after ``%lango genome``: actions, and changes of the genome in use."""
    if lab.engine.genome is None:
        return tuple(_ACTIONS)
    return (*_ACTIONS, *(commit.short_id for commit in lab.engine.genome.history()))


@Command(
    "genome",
    "show the genome, or init one in a folder, sync it, list its log, diff or rollback a change",
    "%lango genome log --limit 5",
    _WORDS,
    options=(Option("--limit", "at most so many changes (20)", metavar="NUMBER", type=whole(1)),),
    group="change",
    where="notebook",
)
def genome(lab: Lab, words: tuple[str, ...] = (), *, limit: int = 20) -> View[Any]:
    """Show the genome, or do something with it."""
    if not words:
        return lab.genome
    action, *rest = words
    if action not in _ACTIONS:
        raise UnknownNameError("action", action, _ACTIONS, where="%lango genome")
    act, most = _ACTIONS[action]
    if len(rest) > most:
        raise UsageError(f"%lango genome {action} takes {most} words at most, not {len(rest)}")
    shown: View[Any] = act(lab, tuple(rest), limit)
    return shown
