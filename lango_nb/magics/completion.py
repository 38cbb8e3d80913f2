"""Tab after ``%lango``: commands, options and their values, and the names that exist right now.

:func:`complete` is a pure function of the line and a :class:`World`; :func:`make_matcher` hands it to IPython.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lango_nb.core.errors import LangoError
from lango_nb.magics.commands import COMMANDS, HELP, OUT, Command, Kind

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
    >>> complete("x = %lango pa", Nothing()).candidates
    ('partition',)
    """
    found = _BEGIN.match(before)
    if found is None:
        return None
    *done, fragment = re.split(r"[ \t]+", found[2])
    if not done:
        return _matching(fragment, _commands_for(found[1]), "command")
    command = COMMANDS.get(done[0])
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
    return [*(name for name, command in COMMANDS.items() if command.cell in cells), HELP.name]


def _complete_arguments(command: Command, done: Sequence[str], fragment: str, world: World) -> Completions | None:
    if "--" in done:
        return _complete_word(command, [], fragment, world)
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
        left = [o.name for o in options.values() if o.name not in done and o.group not in groups]
        return _matching(fragment, left, "option")
    return _complete_word(command, words, fragment, world)


def _complete_word(command: Command, words: Sequence[str], fragment: str, world: World) -> Completions | None:
    if command.word is None or (words and not command.word.is_many):
        return None
    return _matching(fragment, world.names(command.word.kind), command.word.kind)


def _matching(fragment: str, names: Iterable[str], kind: str) -> Completions:
    return Completions(fragment, tuple(name for name in names if name.startswith(fragment)), kind)
