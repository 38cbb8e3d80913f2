"""``%lango eval``: how often the router, or a model, is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UsageError, shorten
from lango_nb.magics.line import Line

if TYPE_CHECKING:
    from lango_nb.lab import Lab
    from lango_nb.viz.view import View

Names = Mapping[str, Any]


class MeasuringCommands:
    """What a lab measures, as commands."""

    @property
    def lab(self) -> Lab:
        """The lab behind the commands."""
        raise NotImplementedError

    def do_eval(self, line: Line, names: Names) -> View[Any]:
        """Say how often the router, or a model, is right."""
        options = line.options
        try:
            view = self.lab.evaluate(
                _data(line.word or "", names),
                options.get("--model"),
                topologies=read_names(options.get("--topologies"), "--topologies"),
                at_once=_whole(options.get("--at-once"), "--at-once", 1) or 4,
                sample=_whole(options.get("--sample"), "--sample", 1),
                seed=_whole(options.get("--seed"), "--seed", 0) or 0,
                resume=options.get("--resume"),
            )
        except KeyboardInterrupt as stop:
            is_kept = "--resume" in options
            stop._render_traceback_ = _stopped_kept if is_kept else _stopped  # type: ignore[attr-defined]  # for IPython
            raise
        if "--mistakes" in options:
            return view.mistakes
        if "--timing" not in options:
            return view
        from lango_nb.magics.timing import Timed

        return Timed.of(view)


def read_names(written: str | None, option: str) -> tuple[str, ...] | None:
    """Read names separated by commas.

    Parameters
    ----------
    written : str or None
        ``None`` where the option is not given.
    option : str
        What errors call it.

    Raises
    ------
    UsageError
        There is no name, or an empty one.

    Examples
    --------
    >>> read_names("octet,quartet", "--topologies")
    ('octet', 'quartet')
    """
    if written is None:
        return None
    names = tuple(name.strip() for name in written.split(","))
    if not all(names):
        raise UsageError(f"{option} takes names with commas between them and no blanks, not {shorten(written)!r}")
    return names


def _stopped() -> list[str]:
    return ["KeyboardInterrupt: the evaluation was stopped; with --resume FILE the next run would go on from there"]


def _stopped_kept() -> list[str]:
    return ["KeyboardInterrupt: the evaluation was stopped; the answers so far are kept, the same line goes on"]


def _data(word: str, names: Names) -> object:
    """Return what a word means: a variable with requests in it, unless a set has that name; a set or a file else."""
    from lango_nb.evaluation.corpus import SETS

    value = None if word in SETS else names.get(word)
    return word if value is None or isinstance(value, str) else value


def _whole(text: str | None, option: str, least: int) -> int | None:
    """Read the whole number of an option."""
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise UsageError(f"{option} takes a whole number from {least} on, not {shorten(text)!r}")
    return int(text)
