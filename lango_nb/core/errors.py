"""Every error lango_nb raises on purpose.

    LangoError
    ├── UsageError         what was typed cannot be understood: command, option, argument (exit 2)
    ├── UnknownNameError   a name that is not there: agent, tool, topology, turn, command (exit 2)
    │   └── ForgottenError a turn that was there until a setting made the store forget it (exit 2)
    ├── NoAttributeError   an attribute that a Lab or a result does not have (exit 2)
    ├── SettingsError      a settings file, key or value is wrong (exit 3)
    ├── DefinitionError    an agent, topology or tool is described wrongly (exit 3)
    ├── RefusedError       a guard said no: path outside the workspace, approval denied (exit 4)
    ├── ToolError          a tool cannot do what it was asked; the model reads the sentence (exit 1)
    ├── ModelError         a model call failed (exit 1)
    │   └── ScriptError    a scripted model was asked something its script does not hold (exit 1)
    ├── TurnError          a turn cannot start or go on (exit 1)
    └── StoreError         records cannot be read or written (exit 5)

A message says what happened, to which thing, and what to do next, in one line. In a notebook a ``LangoError`` shows
just that line; the traceback stays available through ``%tb``.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class LangoError(Exception):
    """Root of every error of this package."""

    exit_code: ClassVar[int] = 1
    """What the terminal command exits with."""
    code: str = "error"
    """Short word stored in traces and frames."""

    def __str__(self) -> str:
        """Return the message without secrets and control characters: it often repeats what was typed or read."""
        from lango_nb.core.masking import mask
        from lango_nb.core.visible import visible

        return visible(mask(super().__str__()))

    def _render_traceback_(self) -> list[str]:
        """Give IPython one line instead of a stack; ``%tb`` still has the stack."""
        return [f"{type(self).__name__}: {self}"]


class UsageError(LangoError):
    """A command, option or argument that cannot be understood."""

    exit_code = 2
    code = "usage"


class UnknownNameError(LangoError):
    """A name that does not exist where it was looked up.

    Parameters
    ----------
    noun : str
        What was looked for, ``agent`` or ``topology`` for instance.
    name : str
        The name as it was given.
    options : iterable of str
        The names that do exist.
    where : str, optional
        Where it was looked for, ``octet`` for instance.

    Examples
    --------
    >>> print(UnknownNameError("agent", "libarian", ["librarian", "vault"], where="octet"))
    agent 'libarian' not found in octet; did you mean 'librarian'?
    """

    exit_code = 2
    code = "unknown_name"

    def __init__(self, noun: str, name: str, options: Iterable[str], where: str = "") -> None:
        self.noun, self.name, self.options = noun, name, tuple(options)
        place = f" in {where}" if where else ""
        super().__init__(f"{noun} {shorten(name)!r} not found{place}; {suggest(name, self.options)}")


class ForgottenError(UnknownNameError):
    """A turn that was there until a setting made the store forget it.

    Parameters
    ----------
    number : int
    why : str
        Which turns are gone, when and by which setting.

    Examples
    --------
    >>> print(ForgottenError(3, "maxTraces is 9"))
    turn 3 was forgotten: maxTraces is 9; look among those that are left, and raise the setting to keep more
    """

    code = "forgotten"

    def __init__(self, number: int, why: str) -> None:
        self.noun, self.name, self.options = "turn", str(number), ()
        left = "look among those that are left, and raise the setting to keep more"
        LangoError.__init__(self, f"turn {number} was forgotten: {why}; {left}")


class NoAttributeError(LangoError, AttributeError):
    """An attribute that a Lab or a result does not have: one line in a notebook, an ``AttributeError`` for Python.

    Parameters
    ----------
    owner : str
        What was asked.
    name : str
    options : iterable of str
        Its public attributes.
    meant : str, optional
        The one that does what the name promises elsewhere.

    Examples
    --------
    >>> print(NoAttributeError("a Lab", "rout", ["route", "ask"]))
    attribute 'rout' not found in a Lab; did you mean 'route'?
    >>> print(NoAttributeError("a Lab", "settings", ["route", "sessions"], "config"))
    attribute 'settings' not found in a Lab; did you mean 'config'?
    """

    exit_code = 2
    code = "no_attribute"

    def __init__(self, owner: str, name: str, options: Iterable[str], meant: str = "") -> None:
        advice = f"did you mean {meant!r}?" if meant else suggest(name, options)
        super().__init__(f"attribute {shorten(name)!r} not found in {owner}; {advice}")


class SettingsError(LangoError):
    """A settings file, key or value is wrong."""

    exit_code = 3
    code = "settings"


class DefinitionError(LangoError):
    """An agent, topology or tool is described wrongly."""

    exit_code = 3
    code = "definition"


class RefusedError(LangoError):
    """A guard refused the operation."""

    exit_code = 4
    code = "refused"


class ToolError(LangoError):
    """A tool cannot do what it was asked; becomes an error result the model can read.

    Parameters
    ----------
    message : str
        What the model reads.
    code : str
        Short word kept in the result, ``missing_argument`` for instance.
    """

    def __init__(self, message: str, code: str = "tool_error") -> None:
        super().__init__(message)
        self.code = code


class ModelError(LangoError):
    """A model call failed."""

    code = "model_error"
    was_tried_again: bool = False
    """Whether whoever made the call has tried it again already, as often as it may be."""


class ScriptError(ModelError):
    """A scripted model was asked something its script does not hold."""

    code = "script"


class TurnError(LangoError):
    """A turn cannot start or go on."""

    code = "turn"


class StoreError(LangoError):
    """Records cannot be read or written: disk full, folder read-only, a newer version than this one knows.

    Parameters
    ----------
    message : str
    code : str
        Short word: ``store`` in general, ``locked``, ``newer_schema``, ``damaged``, ``conflict`` for an id that is
        taken, ``closed`` for a turn that has ended or a store that was closed.
    """

    exit_code = 5
    code = "store"

    def __init__(self, message: str, code: str = "store") -> None:
        super().__init__(message)
        self.code = code


def shorten(text: str, limit: int = 80) -> str:
    """Cut a text for use inside a message.

    Examples
    --------
    >>> shorten("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


def closest(name: str, options: Iterable[str]) -> str | None:
    """Name the option nearest in spelling, or ``None`` when none is near; letters that changed places are nearest.

    Examples
    --------
    >>> closest("libarian", ["librarian", "vault"]), closest("aks", ["tasks", "ask"])
    ('librarian', 'ask')
    """
    by_folded = {option.casefold(): option for option in options}
    given = name[:200].casefold()
    letters = sorted(given)
    turned = [option for folded, option in by_folded.items() if sorted(folded) == letters]
    if turned:
        return turned[0]
    near = difflib.get_close_matches(given, by_folded, n=1, cutoff=0.6)
    return by_folded[near[0]] if near else None


def suggest(name: str, options: Iterable[str]) -> str:
    """Word what to do about a name that is not there.

    Examples
    --------
    >>> suggest("zzz", ["librarian", "vault"])
    'there is: librarian, vault'
    """
    names = list(options)
    near = closest(name, names)
    if near is not None:
        return f"did you mean {near!r}?"
    if not names:
        return "there is none yet"
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""  # noqa: PLR2004 - a line has room for a dozen names
    return f"there is: {', '.join(names[:12])}{more}"
