"""The genome: agents in a git repository, and what was changed in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Word, whole
from lango_nb.core.errors import UnknownNameError, UsageError, shorten

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


def _learn(lab: Lab, _words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.learn()


def _accept(lab: Lab, words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.proposals.accept(_number("accept", words))


def _refuse(lab: Lab, words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.proposals.refuse(_number("refuse", words))


def _stumbles(lab: Lab, _words: tuple[str, ...], _limit: int) -> View[Any]:
    return lab.genome.stumbles()


def _number(action: str, words: tuple[str, ...]) -> int:
    """Return the number of the proposal that is meant."""
    if not words or not words[0].isdecimal():
        said = f", not {shorten(words[0], 40)!r}" if words else ""
        raise UsageError(f"%lango genome {action} takes the number of a proposal{said}; %lango genome learn shows them")
    return int(words[0])


_ACTIONS: dict[str, tuple[Callable[[Lab, tuple[str, ...], int], Any], int]] = {
    "init": (_init, 2),
    "sync": (_sync, 1),
    "log": (_log, 0),
    "diff": (_diff, 2),
    "rollback": (_rollback, 1),
    "stumbles": (_stumbles, 0),
    "learn": (_learn, 0),
    "accept": (_accept, 1),
    "refuse": (_refuse, 1),
}
"""What is done, and how many words it takes at most."""


_WORDS = Word(
    "words",
    "ACTION",
    "genome",
    "init FOLDER [AGENTS], sync [AGENTS], log, diff [A [B]], rollback ID, stumbles, learn, accept N or refuse N; shows "
    "it when absent",
    is_many=True,
)


def genome_words(lab: Lab) -> tuple[str, ...]:
    """Return what may be written after ``%lango genome``: actions, and changes of the genome in use."""
    if lab.engine.genome is None:
        return tuple(_ACTIONS)
    return (*_ACTIONS, *(commit.short_id for commit in lab.engine.genome.history()))


@Command(
    "genome",
    "show the genome, start one in a folder, sync it, list, compare or roll back its changes, or learn from stumbles",
    "%lango genome log --limit 5",
    _WORDS,
    options=(Option("--limit", "show at most this many changes (20)", metavar="NUMBER", type=whole(1)),),
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
