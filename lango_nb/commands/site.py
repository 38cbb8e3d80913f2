"""A site of pages made from what there is: tables of the product, docstrings, notebooks with their outputs.

    notebooks/*.ipynb        as they were saved
    reference/*.md           a page per table: what ``%lango help`` explains, and tools and topologies
    python/*.rst             a page per public name, and per module that notebooks import from
    architecture, changelog  as they lie in the package

Sphinx makes HTML of it (extra ``docs``). The pages need no server, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import metadata
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import lango_nb
from lango_nb.commands.reference import TOPICS
from lango_nb.commands.terminal.notebooks import shipped_notebooks
from lango_nb.core.errors import LangoError, UsageError
from lango_nb.core.paths import path_of

if TYPE_CHECKING:
    from lango_nb.commands.command import Command

_NEEDED = ("sphinx", "furo", "myst_nb", "numpydoc")
_MARK = ".buildinfo"
"""What Sphinx leaves in a folder of pages."""
_MODULES = ("lab.view_types", "frames", "core.errors", "core.events", "records.turns", "records.moments", "testing")
"""Where the types of what a lab gives back are, and what notebooks and tests import."""
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_CONFIGURATION: Mapping[str, Any] = {
    "project": "lango_nb",
    "version": lango_nb.__version__,
    "html_title": f"lango_nb {lango_nb.__version__}",
    "extensions": ["sphinx.ext.autodoc", "numpydoc", "myst_nb"],
    "html_theme": "furo",
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "html_show_search_summary": False,
    "html_static_path": ["_static"],
    "html_css_files": ["site.css"],
    "autodoc_member_order": "bysource",
    "autodoc_typehints_format": "short",
    "numpydoc_show_class_members": False,
    "nb_execution_mode": "off",
    "nb_ipywidgets_js": {},
    "nb_mime_priority_overrides": [["html", "application/vnd.jupyter.widget-view+json", None]],
    "suppress_warnings": ["myst.header", "mystnb.unknown_mime_type"],
}
"""Outputs are shown as they were saved: what widgets would need comes from elsewhere. A search names pages and no
more: one that was opened as a file may not read others."""
_CSS = """article table.docutils { width: 100%; font-size: .875em; }
article table.docutils td:first-child { min-width: 11em; }
article table.docutils th { text-align: left; }
article table.docutils td { vertical-align: top; overflow-wrap: anywhere; }
article table.docutils td code { white-space: normal; }
article table.docutils :is(td, th):has(img) { width: 33%; }
"""
"""Tables of names and sentences fit beside the contents."""
_ALIAS = "Alias for field number"
"""What Python says of a field that needs no sentence."""


class Site(NamedTuple):
    """What was written."""

    start: Path
    """The page to open first."""
    pages: int
    remarks: tuple[str, ...]
    """What Sphinx had to say: a line each."""


def write_site(out: str, commands: Mapping[str, Command]) -> Site:
    """Write the site.

    Parameters
    ----------
    out : str
        A folder: a new one, an empty one, or one that holds such a site.
    commands : mapping of str to Command
        All there are.

    Returns
    -------
    Site

    Raises
    ------
    LangoError
        What makes pages is not installed, or cannot make them.
    UsageError
        The folder holds something else, or cannot be written.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise LangoError(f"{missing[0]} is missing, and it helps to write the site; pip install 'lango-nb[docs]'")
    folder = path_of(out).absolute()
    try:
        if folder.exists() and not (folder / _MARK).is_file() and any(folder.iterdir()):
            raise UsageError(f"the folder {str(out)!r} holds other files; name a new or an empty one with --out")
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as made:
            for name, text in _pages(commands):
                page = Path(made) / "pages" / name
                page.parent.mkdir(parents=True, exist_ok=True)
                page.write_text(text, encoding="utf-8")
            shutil.copytree(shipped_notebooks() / "pictures", Path(made) / "pages" / "notebooks" / "pictures")
            remarks = _build(Path(made) / "pages", folder, Path(made) / "trees")
    except OSError as error:
        raise UsageError(f"the site cannot be written to {str(out)!r}: {error.strerror or error}") from error
    return Site(folder / "index.html", sum(1 for _ in folder.rglob("*.html")), remarks)


def _build(pages: Path, folder: Path, trees: Path) -> tuple[str, ...]:
    """Make HTML of pages, and return what Sphinx says about them."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    nocolor()
    said = StringIO()
    try:
        with patch_docutils(), docutils_namespace():
            site = Sphinx(pages, None, folder, trees, "html", dict(_CONFIGURATION), None, said, freshenv=True)
            site.connect("autodoc-process-docstring", _tidy)
            site.build(force_all=True)
    except SphinxError as error:
        raise LangoError(f"Sphinx cannot write the site: {' '.join(str(error).split())}") from error
    return tuple(line for line in said.getvalue().splitlines() if line.strip())


# -- what the pages say ------------------------------------------------------------------------------------------------


def _pages(commands: Mapping[str, Command]) -> Iterator[tuple[str, str]]:
    """Write every page that is made, with its place."""
    package = Path(lango_nb.__file__).parent
    tables = {name: read(commands) for name, read in TOPICS.items()} | {"tools": _tools(), "topologies": _topologies()}
    names = [name for name in lango_nb.__all__ if name.isidentifier() and not name.startswith(("_", "load", "unload"))]
    python = [*sorted(names), *(f"lango_nb.{name}" for name in _MODULES)]
    yield "_static/site.css", _CSS
    yield "index.md", _index()
    for notebook in sorted(shipped_notebooks().glob("*.ipynb")):
        yield f"notebooks/{notebook.name}", _with_magics(notebook.read_text(encoding="utf-8"))
    yield "notebooks/index.md", _contents("Notebooks", ["*"], is_glob=True)
    yield "reference/index.md", _contents("Reference", sorted(tables))
    yield "python/index.md", _contents("Python", python)
    for name, (heads, rows) in tables.items():
        yield f"reference/{name}.md", f"# {name.capitalize()}\n\n{_table(heads, rows)}"
    for name in names:
        directive = "autoclass" if isinstance(getattr(lango_nb, name), type) else "autofunction"
        yield f"python/{name}.rst", _documented(name, directive, f"lango_nb.{name}")
    for module in _MODULES:
        yield f"python/lango_nb.{module}.rst", _documented(f"lango_nb.{module}", "automodule", f"lango_nb.{module}")
    for name in ("ARCHITECTURE", "CHANGELOG"):
        yield f"{name.lower()}.md", (package / f"{name}.md").read_text(encoding="utf-8")


def _with_magics(notebook: str) -> str:
    """Say that cells are IPython's, which a saved notebook does not."""
    made = json.loads(notebook)
    made["metadata"]["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return json.dumps(made)


def _tidy(_site: object, what: str, _name: str, _of: object, _options: object, lines: list[str]) -> None:
    """Leave out what says nothing, and let what a module's docstring draws stay as it is drawn."""
    if lines[0].startswith(_ALIAS):
        lines.clear()
    if what != "module":
        return
    for place in range(len(lines) - 1, 1, -1):
        before, blank, line = lines[place - 2 : place + 1]
        is_drawing = line.startswith(" ") and not blank and before[:1].strip() and not before.endswith("::")
        if is_drawing:
            lines[place - 1 : place] = ["", "::", ""]


def _index() -> str:
    said = metadata("lango-nb")["Summary"]
    return _contents(
        "lango_nb", ["notebooks/index", "reference/index", "python/index", "architecture", "changelog"], said
    )


def _contents(title: str, pages: Sequence[str], said: str = "", *, is_glob: bool = False) -> str:
    glob = ":glob:\n" if is_glob else ""
    return f"# {title}\n\n{_escaped(said)}\n\n```{{toctree}}\n:maxdepth: 2\n{glob}\n" + "\n".join(pages) + "\n```\n"


def _documented(title: str, directive: str, name: str) -> str:
    members = "" if directive == "autofunction" else "   :members:\n"
    return f"{title}\n{'=' * len(title)}\n\n.. {directive}:: {name}\n{members}"


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; the first cell of a row is a name."""
    lines = [tuple(map(_escaped, heads)), *((_code(name), *map(_escaped, rest)) for name, *rest in rows)]
    lines.insert(1, ("---",) * len(lines[0]))
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _escaped(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def _code(name: str) -> str:
    return f"`{name}`" if name and "`" not in name and "|" not in name else _escaped(name)


def _tools() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    from lango_nb.tools.builtin import builtin_tools
    from lango_nb.tools.by_name import spec_families

    tools = sorted((*builtin_tools(), *spec_families()), key=lambda tool: tool.name)
    rows: list[tuple[str, ...]] = [
        (tool.name, tool.family, tool.safety, "known by name" if tool.is_by_name else "runs", tool.description)
        for tool in tools
    ]
    return ("tool", "family", "safety", "here", "what it does"), rows


def _topologies() -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    from lango_nb.specs.topologies import load_topology, topology_names

    made = map(load_topology, topology_names())
    rows: list[tuple[str, ...]] = [
        (one.name, one.title, one.control, ", ".join(agent.name for agent in one.agents), one.description)
        for one in made
    ]
    return ("topology", "title", "control", "agents", "what it is"), rows
