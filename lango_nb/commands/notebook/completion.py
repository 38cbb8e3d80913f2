"""Tab after ``%lango``: commands, options and their values, and the names that exist right now.

:func:`complete` is a pure function of the line and a :class:`World`; :func:`make_matcher` hands it to IPython.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from lango_nb.commands.command import HELP, OUT, Command, Kind
from lango_nb.commands.table import MAGICS
from lango_nb.core.errors import LangoError
from lango_nb.core.paths import path_of

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

IDENTIFIER = "lango_nb"
_BEGIN = re.compile(r"^[ \t]*(?:[^\W\d][\w.\[\]'\", \t]*=[ \t]*)?(%%?)lango[ \t]+(.*)$", re.DOTALL)


class World(Protocol):
    """What there is to name."""

    def names(self, kind: Kind) -> Iterable[str]:
        """Return the names of one kind, in the order to offer them."""
        ...


@dataclass(frozen=True, slots=True)
class Completions:
    """What fits at the cursor."""

    fragment: str
    """The part before the cursor that a candidate replaces."""
    candidates: tuple[str, ...]
    kind: str
    """What the candidates are, for the menu."""


def complete(before: str, world: World) -> Completions | None:
    """Find what fits at the cursor.

    Parameters
    ----------
    before : str
        The cursor's line up to the cursor.
    world : World

    Returns
    -------
    Completions or None
        ``None`` where the completion is not ours: another line, or inside a text.

    Examples
    --------
    >>> class Nothing:
    ...     def names(self, kind):
    ...         return ()
    >>> complete("x = %lango par", Nothing()).candidates
    ('partition',)
    """
    found = _BEGIN.match(before)
    if found is None:
        return None
    *done, fragment = re.split(r"[ \t]+", found[2])
    if not done:
        return _matching(fragment, _commands_for(found[1]), "command")
    command = MAGICS.get(done[0])
    return None if command is None else _complete_arguments(command, done[1:], fragment, world)


def make_matcher(world: World) -> Any:
    """Make IPython's matcher (version 2 of its interface).

    Parameters
    ----------
    world : World
        Asked at each Tab.

    Returns
    -------
    callable
        To be put into ``shell.Completer.custom_matchers``.
    """
    from IPython.core.completer import SimpleCompletion, completion_matcher

    def lango_matcher(context: CompletionContext) -> SimpleMatcherResult:
        try:
            found = complete(context.text_until_cursor, world)
        except LangoError:  # a Tab never complains; the command itself will
            found = None
        if found is None:
            return {"completions": [], "suppress": False}
        return {
            "completions": [SimpleCompletion(text=text, type=found.kind) for text in found.candidates],
            "suppress": True,
            "matched_fragment": found.fragment,
            "ordered": True,
        }

    return completion_matcher(identifier=IDENTIFIER, api_version=2, priority=100)(lango_matcher)


def _commands_for(percent: str) -> list[str]:
    """Commands that can stand on a line, or above a cell."""
    cells = {"text", "only"} if percent == "%%" else {"no", "text"}
    return [*(name for name, command in MAGICS.items() if command.cell in cells), HELP.name]


def _complete_arguments(command: Command, done: Sequence[str], fragment: str, world: World) -> Completions | None:
    if "--" in done:
        return _complete_word(command, [], fragment, world, None)
    options = {option.name: option for option in command.all_options}
    words: list[str] = []
    waiting = None
    for token in done:
        if waiting is not None:
            waiting = None
        elif token in options and options[token].metavar:
            waiting = options[token]
        elif not token.startswith("--"):
            words.append(token)
    if waiting is not None:
        if waiting is OUT:
            return None
        names = waiting.choices if waiting.kind is None else world.names(waiting.kind)
        return _matching(fragment, names, waiting.kind or waiting.metavar.lower())
    if command.has_text and words:
        return None
    if fragment.startswith("-"):
        groups = {options[token].group for token in done if token in options} - {""}
        left = [o.name for o in options.values() if (o.is_many or o.name not in done) and o.group not in groups]
        return _matching(fragment, left, "option")
    kind = next((options[token].word for token in done if token in options and options[token].word), None)
    found = _complete_word(command, words, fragment, world, kind)
    if found is None or fragment or found.candidates:
        return found
    # an empty list would bring up whatever IPython knows, its magics for instance
    return _matching("", [option.name for option in options.values() if option.name not in done], "option")


def _complete_word(
    command: Command, words: Sequence[str], fragment: str, world: World, kind: Kind | None
) -> Completions | None:
    if command.word is None or (words and not command.word.is_many):
        return None
    kind = kind or command.word.kind
    found = _matching(fragment, world.names(kind), kind)
    if command.word.may_be_path:
        found = replace(found, candidates=(*found.candidates, *_paths(fragment)))
    return found


def _paths(fragment: str) -> list[str]:
    """List folders and files that a path may go on with; hidden ones where it says so."""
    head, cut, tail = fragment.rpartition("/")
    folder = path_of(f"{head}{cut}" or ".")
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    shown = [entry for entry in entries if entry.name.startswith(tail) and (tail or not entry.name.startswith("."))]
    return [f"{head}{cut}{entry.name}{'/' if entry.is_dir() else ''}" for entry in shown]


def _matching(fragment: str, names: Iterable[str], kind: str) -> Completions:
    return Completions(fragment, tuple(name for name in names if name.startswith(fragment)), kind)
