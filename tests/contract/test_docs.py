"""What is written down is complete and true: docstrings, README, ARCHITECTURE; and no file knows its machine."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from lango_nb.commands.notebook.line import parse_line
from lango_nb.commands.table import MAGICS, TERMINAL
from lango_nb.commands.terminal.parser import find_command, parse
from lango_nb.config.keys import settings_by_key
from lango_nb.core import errors
from lango_nb.specs.topologies import topology_names

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "lango_nb"
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
CHANGELOG = (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


# -- docstrings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Documented:
    """Something public, and where it stands."""

    place: str
    node: Definition | ast.Module
    owner: ast.ClassDef | None = None

    @property
    def text(self) -> str:
        return ast.get_docstring(self.node) or ""


@cache
def _public() -> list[Documented]:
    """Find everything public: modules, their functions and classes, their methods."""
    tasks = PACKAGE / "data" / "tasks"  # files that tasks are about, as their authors wrote them
    found: list[Documented] = []
    for file in sorted(file for file in PACKAGE.rglob("*.py") if not file.is_relative_to(tasks)):
        name = file.relative_to(ROOT).as_posix()
        module = ast.parse(file.read_text(encoding="utf-8"))
        found += [Documented(name, module), *_within(name, module.body, None)]
    return found


def _within(name: str, body: list[ast.stmt], owner: ast.ClassDef | None) -> Iterator[Documented]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _within(name, [*node.body, *node.orelse], owner)
        if not isinstance(node, Definition) or node.name.startswith("_") or _is_overload(node):
            continue
        if node.name.startswith("test_"):  # lango_nb.testing: a test's name says what it is about
            continue
        yield Documented(f"{name}:{node.lineno} {node.name}", node, owner)
        if isinstance(node, ast.ClassDef):
            yield from _within(name, node.body, node)


def _is_overload(node: Definition) -> bool:
    return any(ast.unparse(mark) in {"overload", "typing.overload"} for mark in node.decorator_list)


def _is_setter(node: Definition) -> bool:
    return any(ast.unparse(mark).endswith((".setter", ".deleter")) for mark in node.decorator_list)


def _section(text: str, title: str) -> list[str] | None:
    """Return the lines of a section of a numpy docstring; ``None`` when there is no such section."""
    lines = text.splitlines()
    starts = [
        number + 2
        for number, (line, rule) in enumerate(pairwise(lines))
        if line == title and rule and set(rule) == {"-"}
    ]
    if not starts:
        return None
    end = next((n for n in range(starts[0], len(lines) - 1) if lines[n + 1] and set(lines[n + 1]) == {"-"}), len(lines))
    return lines[starts[0] : end]


def _listed(section: list[str]) -> set[str]:
    """Names a Parameters section lists; ``a, b : int`` lists two."""
    heads = [line.partition(" : ")[0] for line in section if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def _taken(node: Definition) -> set[str]:
    """Names a function takes, or a class when it is called."""
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and inner.name == "__init__":
                return _taken(inner)
        fields = [inner.target for inner in node.body if isinstance(inner, ast.AnnAssign)]
        return {field.id for field in fields if isinstance(field, ast.Name) and not field.id.startswith("_")}
    every = node.args
    given = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    names = {arg.arg for arg in given if arg is not None}
    return {name for name in names if name not in {"self", "cls"} and not name.startswith("_")}


def _given(node: Definition) -> set[str]:
    """Names the engine gives to a tool: models read its docstring, and must not try to fill them."""
    if isinstance(node, ast.ClassDef) or not any(ast.unparse(mark).startswith("tool") for mark in node.decorator_list):
        return set()
    every = (*node.args.args, *node.args.kwonlyargs)
    return {arg.arg for arg in every if arg.annotation is not None and ast.unparse(arg.annotation) == "ToolContext"}


def _decorated(found: Documented) -> Callable[..., object] | None:
    """Return what a decorator made of a function: it may have changed its parameters, and added to its words."""
    if found.owner is None and isinstance(found.node, ast.FunctionDef) and found.node.decorator_list:
        module = importlib.import_module(found.place.partition(".py:")[0].replace("/", "."))
        made = getattr(module, found.node.name)
        return made if inspect.isroutine(made) else None
    return None


def _parameters(found: Documented) -> set[str]:
    """Names that can be given."""
    assert not isinstance(found.node, ast.Module)
    made = _decorated(found)
    return _taken(found.node) if made is None else set(inspect.signature(made).parameters)


def test_everything_public_is_described() -> None:
    silent = [
        found.place
        for found in _public()
        if not found.text.strip() and not (isinstance(found.node, Definition) and _is_setter(found.node))
    ]
    assert silent == []


def test_parameters_sections_name_every_parameter_and_no_other() -> None:
    wrong = []
    for found in _public():
        made = _decorated(found)
        section = _section(found.text if made is None else inspect.getdoc(made) or "", "Parameters")
        if section is None or isinstance(found.node, ast.Module):
            continue
        listed, taken = _listed(section), _parameters(found)
        wrong += [f"{found.place}: {name} is not described" for name in sorted(taken - listed - _given(found.node))]
        wrong += [f"{found.place}: {name} is no parameter" for name in sorted(listed - taken)]
    assert wrong == []


_LACKING = '''
def work(tools, *, order, **rest):
    """Work.

    Parameters
    ----------
    tools, oder : list
        What.
    """
'''


def test_the_check_of_parameters_would_notice() -> None:
    source = ast.parse(_LACKING).body[0]
    assert isinstance(source, ast.FunctionDef)
    section = _section(ast.get_docstring(source) or "", "Parameters")
    assert section is not None
    assert _taken(source) - _listed(section) == {"order", "rest"}
    assert _listed(section) - _taken(source) == {"oder"}


def test_raises_sections_name_errors_that_can_be_found() -> None:
    known = {*dir(builtins), *dir(errors)}
    strangers = []
    for found in _public():
        heads = [line for line in _section(found.text, "Raises") or [] if line and not line.startswith(" ")]
        names = [name.strip() for line in heads for name in line.split(",")]
        strangers += [f"{found.place}: {name}" for name in names if "." not in name and name not in known]
    assert strangers == []


# -- README ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """One fenced block: its language and its text."""

    language: str
    text: str


def _blocks(text: str) -> list[Block]:
    return [
        Block(match[1], match[2]) for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def _inline(text: str) -> list[str]:
    """Code between single backticks, outside fenced blocks."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\n]+)`", prose)


def _command(marker: str) -> str:
    match = re.search(rf"^<!-- command: {marker} -->\n```sh\n(.+)\n```$", README, re.MULTILINE)
    assert match, f"the README has no command marked {marker!r}, one line in a block of its own"
    return match[1]


def test_the_two_commands_are_what_ci_runs() -> None:
    assert (
        _command("users")
        == "python3 -m venv .venv && .venv/bin/pip install -q '.[genome,plots]' && .venv/bin/lango lab"
    )
    tests = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/python -m pytest"
    assert _command("tests") == tests
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_line tests" in ci
    assert "readme_line users" in ci


def test_magics_in_the_documents_exist() -> None:
    """Whole cells parse; what is named inline is a command."""
    for block in _blocks(README):
        for line in block.text.splitlines() if block.language == "python" else ():
            match = re.match(r"(?:\w+ = )?%lango\b ?(.*)", line)
            if match:
                parse_line(match[1])
    for code in _inline(README + ARCHITECTURE + CHANGELOG):
        match = re.fullmatch(r"(%%?)lango(?: (.+))?", code)
        if match and match[2]:
            name = match[2].split()[0]
            assert name in MAGICS, f"`{code}`: there is no command {name!r}"
            assert match[1] == "%" or MAGICS[name].cell != "no", f"`{code}`: {name} takes no cell"


def test_the_readme_names_every_magic() -> None:
    named = {
        word for code in _inline(README) for word in [code.removeprefix("%%lango ").removeprefix("%lango ").split()[0]]
    }
    assert set(MAGICS) - named == set()


def test_commands_in_the_documents_exist() -> None:
    seen, nouns = set(), {name.split()[0] for name in TERMINAL}
    for code in _inline(README + ARCHITECTURE + CHANGELOG):
        words = shlex.split(code) if code.startswith("lango ") else []
        if not words:
            continue
        seen.add(words[1])
        assert words[1] in nouns, f"`{code}`: there is no command {words[1]!r}"
        if len(words) > 2:
            found = find_command(words[1:])
            assert not isinstance(found, str), code
            parse(*found)
    assert nouns - seen == set(), "the README does not name every command"


def test_settings_in_the_documents_exist() -> None:
    keys = settings_by_key()
    groups = {key.partition(".")[0] for key in keys}
    named = [code for code in _inline(README + ARCHITECTURE + CHANGELOG) if re.fullmatch(r"[a-z]\w*(\.\w+)+", code)]
    found = [
        code
        for code in named
        if code.partition(".")[0] in groups and not code.endswith((".db", ".json", ".toml", ".py"))
    ]
    assert found, "no setting is named any more: this test looks at nothing"
    assert [code for code in found if code not in keys] == []


def test_topologies_in_the_readme_exist() -> None:
    line = next(line for line in README.splitlines() if line.startswith("- Topologies:"))
    assert set(topology_names()) == set(re.findall(r"`([a-z]+)`", line))


def test_links_and_pictures_lead_somewhere() -> None:
    for name, text, folder in (("README", README, ROOT), ("ARCHITECTURE", ARCHITECTURE, PACKAGE)):
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            if not target.startswith("https://"):
                assert (folder / target).exists(), f"{name} links to {target}, which is not there"


_PLAYER = """
import json, sys
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

class PlainHook(DisplayHook):
    def write_output_prompt(self): pass

InteractiveShell.displayhook_class = PlainHook
shell = InteractiveShell.instance(colors="nocolor")
said = []
for cell in json.load(sys.stdin):
    with capture_output() as captured:
        done = shell.run_cell(cell)
    shown = captured.stdout + "".join(output.data.get("text/plain", "") for output in captured.outputs)
    failed = done.error_in_exec or done.error_before_exec
    said.append((shown.strip("\\n"), repr(failed) if failed else ""))
json.dump(said, sys.stdout)
"""


def test_the_walk_shows_what_really_comes_out(tmp_path: Path) -> None:
    """Every cell of the README runs, in order, in a fresh IPython; each output is exactly what stands below it."""
    blocks = [block for block in _blocks(README) if block.language in {"python", "text"}]
    cells = [block.text for block in blocks if block.language == "python"]
    expected = [
        after.text.rstrip() if after.language == "text" else ""
        for block, after in zip(blocks, [*blocks[1:], Block("", "")], strict=True)
        if block.language == "python"
    ]
    assert len(cells) > 5
    said = _play(cells, tmp_path)
    assert [error for _, error in said if error] == []
    assert [text for text, _ in said] == expected


def _play(cells: list[str], folder: Path) -> list[tuple[str, str]]:
    """Run cells in a fresh IPython in a folder; return what each printed or showed, and its error."""
    private = folder / ".private"
    private.mkdir()
    env = {**os.environ, "LANGO_HOME": str(private), "IPYTHONDIR": str(private), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", _PLAYER],
        cwd=folder,
        env=env,
        input=json.dumps(cells),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return [(text, error) for text, error in json.loads(done.stdout)]


# -- ARCHITECTURE and CHANGELOG ----------------------------------------------------------------------------------------


def _drawn_stages() -> set[str]:
    """Files and folders of the drawing, relative to the package."""
    drawing = next(block.text for block in _blocks(ARCHITECTURE) if block.text.startswith("lango_nb/"))
    found, above = set(), ""
    for line in drawing.splitlines()[1:]:
        match = re.match(r"( +)([\w.]+/?)  ", line)
        assert match, f"a line of the drawing names nothing: {line!r}"
        if len(match[1]) == 2:
            above = match[2]
        found.add(match[2] if len(match[1]) == 2 else above + match[2])
    return found


def test_architecture_is_short() -> None:
    assert len(ARCHITECTURE.splitlines()) < 150


def test_architecture_draws_every_stage_and_no_other() -> None:
    drawn = _drawn_stages()
    missing = [name for name in drawn if not (PACKAGE / name).exists()]
    assert missing == []
    stages = {
        path.name + ("/" if path.is_dir() else "")
        for path in PACKAGE.iterdir()
        if not path.name.startswith("_") and (path.is_dir() or path.suffix == ".py")
    }
    assert stages - drawn == set()


def test_architecture_draws_the_stages_in_the_order_of_the_layers() -> None:
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][
        0
    ]
    order = [name.strip() for layer in reversed(layers["layers"]) for name in layer.split(":")]
    drawing = next(block.text for block in _blocks(ARCHITECTURE) if block.text.startswith("lango_nb/"))
    drawn = [match[1] for match in re.finditer(r"^  ([a-z]\w*)(?:/|\.py) ", drawing, re.MULTILINE)]
    assert drawn == [name for name in order if name not in {"topologies", "data", "__main__"}] + ["topologies", "data"]


def test_architecture_names_only_what_exists() -> None:
    strangers = []
    for code in _inline(ARCHITECTURE):
        path = code.partition(" ")[0]
        if not re.fullmatch(r"[\w./-]+(/|\.py|\.yaml|\.md|\.toml)", path) or path == "AGENT.md":
            continue
        if not any((base / path).exists() for base in (ROOT, PACKAGE)):
            strangers.append(code)
    assert strangers == []


def test_changelog_keeps_a_changelog() -> None:
    assert CHANGELOG.startswith("# Changelog\n")
    headings = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", heading) for heading in headings[1:])
    kinds = set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


# -- the machine it was made on ----------------------------------------------------------------------------------------

_TREE = ("lango_nb", "tests", "notebooks", "binder", ".ci", "README.md", "pyproject.toml", ".pre-commit-config.yaml")
_TRACES = [  # a letter in brackets, so that this file does not find itself
    re.compile(r"/wor[k]/(main|shared|\.library)"),
    re.compile(r"\.\./share[d]"),
    re.compile(r"/tm[p]/(farm|frame|bash_jobs)"),
    re.compile(r"/roo[t]/\.?\w"),
    re.compile(r"/opt/py[p]i|pytho[n]hosted|py[p]i\.org/simple|registry\.np[m]js|deb\.debia[n]"),
]


def _text_files() -> Iterator[Path]:
    for name in _TREE:
        for path in sorted([ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*")):
            hidden = {part for part in path.relative_to(ROOT).parts if part.startswith(".") and part not in _TREE}
            if (
                path.is_file()
                and "__pycache__" not in path.parts
                and not hidden & {".ipynb_checkpoints", ".hypothesis"}
            ):
                yield path


def test_no_file_knows_the_machine_it_was_made_on() -> None:
    found, count = [], 0
    for path in _text_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        count += 1
        for trace in _TRACES:
            found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in trace.finditer(text)]
    assert found == []
    assert count > 100
