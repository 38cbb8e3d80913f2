"""Models, settings, and trust in those of a folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Output, Word
from lango_nb.core.errors import UnknownNameError

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.lab import Lab
    from lango_nb.viz.table import Table
    from lango_nb.viz.view import View

NARROWEST = 140
"""Columns of the table of settings where the terminal has fewer: keys are never broken."""

_SWITCH = ("on", "off")


@Command(
    "model",
    "list the models that can be used here and what is missing for the rest, or choose one",
    "%lango model openai:gpt-5",
    Word("name", "NAME", "model"),
    options=(Option("--record", "keep every call on a cassette; play it with cassette:FILE", "FILE", group="make"),),
    group="change",
    acts=True,
).in_notebook
def model(notebook: Notebook, name: str | None = None, *, record: str | None = None) -> View[Any]:
    """List the models, or take one; keep its calls on a cassette where that is wanted."""
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    lab = notebook.lab
    if name is not None:
        lab.engine.models.keys.ask = notebook.ask_key
        lab.model = name
    if record is not None:
        lab.record(record)
    if name is None and record is None:
        return lab.models
    used, cassette = lab.model, lab.engine.cassette
    rows = [("model", used.name)]
    rows += [("cassette", repr(cassette).strip("<>"))] if cassette is not None else []
    return listing(used, Table("model", ("what", "value"), tuple(rows)))


@Command(
    "quiet",
    "stop displaying results and progress; off: display them again. Errors and questions are always displayed",
    "%lango quiet off",
    Word("switch", "on|off", "switch"),
    group="change",
).in_notebook
def quiet(notebook: Notebook, switch: str = "on") -> View[Any]:
    """Show results by themselves, or no longer."""
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    if switch not in _SWITCH:
        raise UnknownNameError("switch", switch, _SWITCH, where="%lango quiet")
    notebook.quiet = switch == "on"
    said = (
        "x = %lango … keeps a result, and x on its own line displays it" if notebook.quiet else "results are displayed"
    )
    return listing(notebook.quiet, Table("quiet", ("what", "value"), (("quiet", switch), ("so", said))))


@Command(
    "config",
    "list the settings, their values and where each came from; with a word, those that fit",
    "%lango config agent",
    Word("key", "KEY", "setting"),
    where="notebook",
)
def config(lab: Lab, key: str | None = None) -> View[Any]:
    """List the settings, or those that fit."""
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    view = lab.config
    if key is None:
        return view
    rows = view.record.rows()
    found = tuple(row for row in rows if key.casefold() in row.key.casefold())
    if not found:
        raise UnknownNameError("setting", key, [row.key for row in rows])
    return listing(found, Table(f"settings with {key!r}", found[0]._fields, found))


@Command(
    "settings",
    "show every setting and where its value comes from",
    note="Later wins: default, lango.json in the home folder, [tool.lango] in pyproject.toml, lango.json of the "
    "workspace, LANGO_… variables, --settings.",
).in_terminal
def settings(terminal: Terminal) -> Output:
    """Show every setting."""
    loaded = terminal.settings()

    def text() -> str:
        import shutil

        from lango_nb.viz.text import table

        total = max(NARROWEST, shutil.get_terminal_size().columns)
        rows = loaded.rows()
        return table(rows[0]._fields, rows, total=total)

    def data() -> list[dict[str, Any]]:
        from lango_nb.config.keys import setting_infos

        values = loaded.settings.model_dump(mode="json", by_alias=True)
        defaults = type(loaded.settings)().model_dump(mode="json", by_alias=True)
        return [
            {
                "key": info.key,
                "value": _at(values, info.key),
                "default": _at(defaults, info.key),
                "origin": loaded.origins[info.key],
                "env": info.env,
                "sentence": info.sentence,
            }
            for info in setting_infos()
        ]

    return Output(text, data)


def _at(values: object, key: str) -> object:
    for part in key.split("."):
        values = values[part] if isinstance(values, dict) else None
    return values


@Command(
    "trust",
    "see what the settings of a folder would change, and trust them; without a name, those of the workspace",
    "%lango trust .",
    Word("folder", "FOLDER", "file", "whose settings are meant (.)", may_be_path=True),
    options=(
        Option("--list", "list the folders that are trusted", group="what", parameter="is_list"),
        Option("--remove", "trust the folder no longer", group="what", parameter="is_removal"),
    ),
    takes_settings=False,
    note="Until a folder is trusted, its lango.json and pyproject.toml may only make things stricter or say what is "
    "harmless. Trust holds until the settings change.",
    group="change",
    acts=True,
).in_notebook
def trust(
    notebook: Notebook, folder: str | None = None, *, is_list: bool = False, is_removal: bool = False
) -> View[Any] | str:
    """Trust the settings of a folder, list the folders that are trusted, or take trust away."""
    from lango_nb.commands.text import Text
    from lango_nb.lab.view_types import listing

    found = _trust(folder or notebook.workspace, print, None, is_list=is_list, is_removal=is_removal)
    return Text(found) if isinstance(found, str) else listing(found, found)


@trust.in_terminal
def _trust_in_terminal(
    _terminal: Terminal, folder: str = ".", *, is_list: bool = False, is_removal: bool = False
) -> str:
    from lango_nb.commands.terminal.output import ask, say
    from lango_nb.viz import to_text

    found = _trust(folder, say, ask, is_list=is_list, is_removal=is_removal)
    return found if isinstance(found, str) else to_text(found)


def _trust(
    folder: str, show: Callable[[str], None], read: Callable[[str], str] | None, *, is_list: bool, is_removal: bool
) -> Table | str:
    from lango_nb.config.loading import home_folder
    from lango_nb.core.paths import path_of
    from lango_nb.lab.trust import distrust_folder, trust_folder, trusted_folders

    place, home = path_of(folder), home_folder()
    if is_list:
        return trusted_folders(home)
    return distrust_folder(place, home) if is_removal else trust_folder(place, home, show, read)
