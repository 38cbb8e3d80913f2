"""The extension of IPython: register the magic, its completion and its renderers, and take them away again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lango_nb.core.progress import hush
from lango_nb.core.visible import visible

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.commands.notebook.magics import LangoMagics
    from lango_nb.lab import Lab

MAGIC = "lango"
_KEPT: WeakKeyDictionary[InteractiveShell, Lab] = WeakKeyDictionary()
"""The lab of a shell whose extension was unloaded: loading it again, or reloading it, goes on with the same."""


def load(shell: InteractiveShell) -> None:
    """Register the magic, its completion and the renderers; a second time it changes nothing.

    Parameters
    ----------
    shell : InteractiveShell
    """
    if loaded(shell) is not None:
        return
    from lango_nb.commands.notebook.cells import TRANSFORMERS, Showing
    from lango_nb.commands.notebook.completion import make_matcher
    from lango_nb.viz.register import register

    magics = _made(shell)
    magics.go_on_with(_KEPT.pop(shell, None))
    shell.register_magics(magics)
    shell.input_transformer_manager.token_transformers.extend(TRANSFORMERS)
    shell.ast_transformers.append(Showing(shell, MAGIC))
    if shell.Completer is not None:
        shell.Completer.custom_matchers.append(make_matcher(magics))
    register(shell)


def unload(shell: InteractiveShell) -> None:
    """Take everything away again.

    Parameters
    ----------
    shell : InteractiveShell
    """
    magics: Any = loaded(shell)
    if magics is None:
        return
    from lango_nb.commands.notebook.cells import TRANSFORMERS, Showing
    from lango_nb.commands.notebook.completion import IDENTIFIER
    from lango_nb.viz.register import unregister

    if (lab := magics.kept()) is not None:
        _KEPT[shell] = lab
    manager = shell.magics_manager
    for kind in ("line", "cell"):
        manager.magics[kind].pop(MAGIC, None)
    manager.registry.pop(type(magics).__name__, None)
    _take_off(shell)
    transformers = shell.input_transformer_manager.token_transformers
    transformers[:] = [item for item in transformers if item not in TRANSFORMERS]
    shell.ast_transformers[:] = [item for item in shell.ast_transformers if not isinstance(item, Showing)]
    if shell.Completer is not None:
        matchers = shell.Completer.custom_matchers
        matchers[:] = [item for item in matchers if getattr(item, "matcher_identifier", "") != IDENTIFIER]
    unregister(shell)
    hush(False)


def _made(shell: InteractiveShell) -> LangoMagics:
    """Make the magics; a wrong setting, from a file or an earlier ``%config``, is told and left out."""
    from traitlets import TraitError
    from traitlets.config import Config

    from lango_nb.commands.notebook.magics import LangoMagics

    try:
        return LangoMagics(shell)
    except TraitError as error:
        _take_off(shell)  # IPython has already put the half-made object on its list
        print(visible(f"LangoMagics: {error}; its defaults are used instead"), file=sys.stderr)  # noqa: T201 - as IPython does
        return LangoMagics(shell, config=Config())


def _take_off(shell: InteractiveShell) -> None:
    """Take the magics off the list of things that can be configured."""
    from lango_nb.commands.notebook.magics import LangoMagics

    shell.configurables[:] = [item for item in shell.configurables if not isinstance(item, LangoMagics)]


def loaded(shell: InteractiveShell) -> LangoMagics | None:
    """Return the magics of a shell, ``None`` when the extension is not loaded there."""
    from lango_nb.commands.notebook.magics import LangoMagics

    return next((item for item in shell.configurables if isinstance(item, LangoMagics)), None)
