"""Stages import only from stages above them, every foreign library has its door, and importing does nothing.

The first rule is import-linter's, configured in ``pyproject.toml``; the others are looked up in the sources, or seen in
a fresh interpreter.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "lango_nb"
README = ROOT / "README.md"

_FITTING = tuple(f"evaluation/fitting{name}.py" for name in ("", "_described", "_reader", "_semantic", "_words"))
DOORS = {
    "yaml": ("specs/",),
    "pandas": ("frames/", "evaluation/", "viz/frame.py"),
    "numpy": ("frames/", "evaluation/"),
    "scipy": _FITTING,
    "sklearn": _FITTING,
    "tokenizers": ("evaluation/minilm.py",),
    "tqdm": ("evaluation/",),
    "IPython": ("commands/notebook/", "viz/register.py"),
    "traitlets": ("commands/notebook/", "widgets/keys.py"),
    "ipywidgets": ("widgets/",),
    "matplotlib": ("plots/",),
    "anywidget": ("widgets/keys.py",),
    "tinydb": ("lab/shelf/",),
    "dulwich": ("specs/genome/",),
    "filelock": ("core/locks.py",),
    "sqlite3": ("stores/",),
    "psycopg": ("stores/postgresql.py",),
    "opentelemetry": ("records/otel.py",),
    "pydantic_ai": ("models/clients.py", "models/providers.py"),
    "networkx": ("tools/builtin/graph.py", "tools/builtin/ontology.py"),
    "jupyter_core": ("commands/terminal/jupyter.py",),
    "jupyter_server": ("commands/terminal/jupyter_server.py",),
    "tornado": ("commands/terminal/jupyter_server.py",),
    "jupyterlab": ("commands/terminal/jupyter.py",),
    "sphinx": ("commands/site.py",),
}
"""Where a library may be imported; a library that is not named here may not be imported at all."""
EVERYWHERE = {"pydantic", "pydantic_core", "orjson", "lango_nb"}
_TYPE_CHECKING = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
HEAVY = ("pandas", "numpy", "IPython", "ipywidgets")


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def _run(code: str, folder: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("LANGO_HOME", None)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _statements(node: ast.AST, for_types: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """All statements below a node, each with whether it is there for type checkers alone."""
    is_guard = isinstance(node, ast.If) and ast.unparse(node.test) in _TYPE_CHECKING
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, block, ()):
            is_guarded = for_types or (is_guard and block == "body")
            yield inner, is_guarded
            yield from _statements(inner, is_guarded)


@cache
def _import_statements(file: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Imports of a file, wherever they stand, each with whether it is there for type checkers alone."""
    found = _statements(ast.parse(file.read_text(encoding="utf-8")))
    return [(node, for_types) for node, for_types in found if isinstance(node, ast.Import | ast.ImportFrom)]


def _imports(file: Path) -> Iterator[tuple[str, int]]:
    """Top-level names of what a file imports when it runs; imports for type checkers alone do not count."""
    for node, for_types in _import_statements(file):
        if for_types:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno


def test_layers_hold() -> None:
    done = _lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("core/ids.py", "import lango_nb.engine", "folders are stages"),
        ("specs/agent.py", "def late() -> None:\n    import pandas", "the engine runs without a notebook"),
        ("unplanned.py", '"""A module that is in no layer."""', "folders are stages"),
    ],
)
def test_layers_would_notice(tmp_path: Path, file: str, line: str, broken: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "lango_nb", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "lango_nb" / file).open("a", encoding="utf-8") as source:
        source.write(f"\n\n{line}\n")
    done = _lint(tmp_path)
    assert done.returncode != 0
    assert broken in done.stdout + done.stderr


def test_every_foreign_library_has_its_door() -> None:
    strangers = []
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        for name, line in _imports(file):
            if (name in sys.stdlib_module_names and name not in DOORS) or name in EVERYWHERE:
                continue
            if not place.startswith(DOORS.get(name, ())):
                strangers.append(f"{place}:{line} imports {name}; its door: {', '.join(DOORS.get(name, ('none',)))}")
    assert strangers == []


def _imported(package: Path) -> dict[str, set[str]]:
    """Return every module of a package with those that run when it is imported, wherever the import stands.

    Importing a module runs the packages that it lies in as well, except those that the importer lies in itself
    and the outermost, which imports nothing before it is asked for a name.
    """
    files = {".".join(file.relative_to(package.parent).with_suffix("").parts): file for file in package.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): file for name, file in files.items()}
    found: dict[str, set[str]] = {}
    for module, file in modules.items():
        names: set[str] = set()
        for node, _ in _import_statements(file):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        around = {outer for name in names for outer in _packages(name) if outer not in _packages(module)}
        found[module] = ((names | around) & modules.keys()) - {module, package.name}
    return found


def _packages(module: str) -> set[str]:
    """Return the packages that a module lies in."""
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts))}


def _circles(imported: dict[str, set[str]]) -> set[frozenset[str]]:
    reached: dict[str, set[str]] = {}
    for module in imported:
        seen, waiting = set[str](), [module]
        while waiting:
            new = imported[waiting.pop()] - seen
            seen |= new
            waiting.extend(new)
        reached[module] = seen
    return {
        frozenset({other for other in reached[module] if module in reached[other]})
        for module in imported
        if module in reached[module]
    }


def test_no_modules_import_each_other_in_a_circle() -> None:
    """No module can be reached from what it imports, so that each can be read with only what stands before it.

    Imports for type checkers count: the reader needs these modules as well. So do imports inside functions: they are
    there to start up faster, and a circle that hides behind one is still a circle.
    """
    assert not _circles(_imported(PACKAGE))


@pytest.mark.parametrize(
    "back",
    [
        "import odd.one",
        "from odd import one",
        "from odd.one import ONE",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from odd.one import ONE",
        "def late() -> object:\n    from odd import one\n    return one",
        "from odd.inner.leaf import LEAF",
    ],
)
def test_circles_would_be_noticed(tmp_path: Path, back: str) -> None:
    sources = {
        "__init__": "",
        "inner/__init__": "from odd.one import ONE",
        "inner/leaf": "LEAF = 1",
        "one": "from odd.two import TWO\nONE = TWO",
        "two": "import odd.three\nTWO = 2",
    }
    package = tmp_path / "odd"
    (package / "inner").mkdir(parents=True)
    for name, source in {**sources, "three": back}.items():
        (package / f"{name}.py").write_text(source)
    inner = {"odd.inner"} if "inner" in back else set()
    assert _circles(_imported(package)) == {frozenset({"odd.one", "odd.two", "odd.three"} | inner)}


_WATCH = """
import json, os, sys
seen = []
def watch(event, args):
    if event == "open":
        path, mode, flags = args
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) if isinstance(flags, int) else 0
        if writes and str(path) != os.devnull:
            seen.append(f"open {path}")
    elif event.startswith(("os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink", "os.putenv", "os.system",
                           "os.exec", "os.fork", "subprocess.Popen", "socket.", "_thread.start")):
        seen.append(f"{event} {args}")
sys.addaudithook(watch)
before = set(sys.modules)
{code}
print(json.dumps({"seen": seen, "modules": sorted(set(sys.modules) - before)}))
"""


def _watched(code: str, folder: Path) -> tuple[list[str], set[str]]:
    lines = _run(_WATCH.replace("{code}", code), folder).splitlines()
    found = json.loads(lines[-1])
    assert lines[:-1] == [], "it printed something"
    return found["seen"], set(found["modules"])


def test_importing_does_nothing(tmp_path: Path) -> None:
    seen, modules = _watched("import lango_nb", tmp_path)
    assert seen == []
    assert list(tmp_path.iterdir()) == []
    heavy = {*HEAVY, "pydantic", "yaml", "asyncio", "rich", "tinydb"}
    assert modules & heavy == set()
    assert {name for name in modules if name.startswith("lango_nb")} == {"lango_nb"}


@pytest.mark.parametrize(
    "code",
    [
        "from lango_nb import Engine; Engine()",
        "from lango_nb import Engine; Engine(topology='octet').route('hello')",
        "from lango_nb import Lab; lab = Lab(); lab.route('read a file'); lab.partition; lab.tree",
    ],
)
def test_engine_and_lab_load_nothing_heavy_and_write_nothing(tmp_path: Path, code: str) -> None:
    seen, modules = _watched(code, tmp_path)
    assert {name for name in modules if name in HEAVY} == set()
    assert "lango_nb.engine" in modules
    assert seen == []
    assert list(tmp_path.iterdir()) == []


def test_a_turn_needs_no_notebook(tmp_path: Path) -> None:
    code = (
        "from lango_nb import Engine\n"
        "trace = Engine(topology='sextet').run_sync('hello')\n"
        "assert trace.turn.is_ok, trace.turn\n"
        "import sys\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert _run(code, tmp_path).strip() == "[]"
    assert list(tmp_path.iterdir()) == []


def test_a_delegated_turn_routes_nothing_until_its_decision_is_looked_at(tmp_path: Path) -> None:
    code = (
        "import sys; from lango_nb import Engine; from lango_nb.models.scripted import ScriptedModel\n"
        "model = ScriptedModel([('transfer_to_agent', {'agent_name': 'operator'}), 'done'])\n"
        "decision, = Engine(topology='sextet', model=model).run_sync('read the file a.md').decisions\n"
        "loaded = 'lango_nb.routing.router' in sys.modules\n"
        "print(loaded, decision.chosen, decision.router_choice, 'lango_nb.routing.router' in sys.modules)"
    )
    assert _run(code, tmp_path).strip() == "False operator operator True"


_ONLY = """
import contextlib, io, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ModuleNotFoundError(f"{name} is not installed", name=name)
sys.meta_path.insert(0, Refuse())
from lango_nb.commands.terminal.main import main
for words in commands:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(words)
    print(code, words[0], said.getvalue() if code else "")
"""


def test_engine_and_terminal_need_only_what_the_readme_names(tmp_path: Path) -> None:
    line = re.search(
        r"<!-- command: slim -->\n```sh\n.*pip install -q ([\w ]+) && ", README.read_text(encoding="utf-8")
    )
    assert line
    waiting, names = line[1].split(), set[str]()
    while waiting:
        name = canonicalize_name(waiting.pop())
        needed = [Requirement(one) for one in requires(name) or ()]
        waiting += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
        names.add(name)
    installed = packages_distributions()
    others = {module for module, owners in installed.items() if not names & set(map(canonicalize_name, owners))}
    (tmp_path / "notes.md").write_text("milk, bread\n")
    commands = [
        ["ask", "what is in notes.md"],
        ["trace", "show", "1"],
        ["route", "read notes.md"],
        ["tree"],
        ["partition"],
        ["eval", "held-out", "--sample", "20"],
        ["sql", "SELECT count(*) FROM events"],
        ["note", "1", "worth a look"],
        ["shelf"],
        ["doctor"],
    ]
    code = f"others = {others - {'lango_nb'}!r}\ncommands = {commands!r}\n{_ONLY}"
    assert _run(code, tmp_path).split("\n")[:-1] == [f"0 {words[0]} " for words in commands]
