"""Cassettes that come with the package: recordings for lessons, found by a plain name.

They were recorded from a stand-in on the recorder's own machine that speaks OpenAI's protocol, not from a provider's
model; ``data/cassettes/README.md`` says how. The model's name on them, ``openai_compatible:stand-in``, says so too.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from lango_nb.core.paths import path_of

_ENDING = ".json"
_FOLDER = "cassettes"


def shipped(name: str) -> Path | None:
    """Return the file of a cassette that comes with the package.

    Parameters
    ----------
    name : str
        Without a folder; ``octet-garden`` and ``octet-garden.json`` are the same.

    Returns
    -------
    Path or None
        ``None`` when there is no such one, or when what was given is a path.

    Examples
    --------
    >>> shipped("octet-garden").name, shipped("nobody-recorded-this"), shipped("tapes/octet-garden")
    ('octet-garden.json', None, None)
    """
    if not name or name != Path(name).name:
        return None
    file = Path(str(files("lango_nb.data").joinpath(_FOLDER, name.removesuffix(_ENDING) + _ENDING)))
    return file if file.is_file() else None


def shipped_names() -> tuple[str, ...]:
    """Return the names of the cassettes that come with the package.

    Examples
    --------
    >>> shipped_names()
    ('octet-garden', 'quartet-garden')
    """
    folder = files("lango_nb.data").joinpath(_FOLDER)
    return tuple(sorted(file.name.removesuffix(_ENDING) for file in folder.iterdir() if file.name.endswith(_ENDING)))


def cassette_path(name: str | Path) -> Path:
    """Return the file that the name of a cassette means: one that is there, else one that comes with the package.

    Parameters
    ----------
    name : str or Path

    Returns
    -------
    Path
        The name itself where it is neither.

    Examples
    --------
    >>> cassette_path("quartet-garden").name, cassette_path("mine.json").name
    ('quartet-garden.json', 'mine.json')
    """
    path = path_of(name)
    if path.exists():
        return path
    return shipped(str(name)) or path
