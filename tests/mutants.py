"""Plant faults in a copy of the package, one at a time, and see whether the tests notice.

    python -m tests.mutants --record map
    python -m tests.mutants --sample 100 --seed 1 --map map
    python -m tests.mutants --sample 20 --seed 2 --only lango_nb/core --whole

A fault is one small change of the source: another comparison, a condition turned round, a statement left out, a guard
such as ``escape(x)`` replaced by ``x``, another number. The sample is drawn from all places where one could stand, so
that the same seed plants the same faults in the same sources.

With a map, which ``--record`` makes by running the suite once under coverage, each fault is tried with the tests that
ran its line, those that know most of its module first. A process that has collected all tests forks for each fault and
puts it into the functions that are there: a second for a fault. Faults in what runs while modules are imported are
planted in the source and tried in processes of their own: twenty seconds. Without a map, and for lines no test was
seen to run, these try whole files of tests, those that know most of the module and function; ``--whole`` tries what
survives with the whole suite, without browser and slow tests. A failing test counts only if it passes without the
fault. Survivors whose change is often none that anybody could see, such as ``<``
for ``<=`` or a list for a tuple, are listed as suspects of being equivalent.

Only what lies in ``lango_nb`` as Python is changed, and only in a copy.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import compileall
import gc
import inspect
import json
import os
import py_compile
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from coverage import Coverage, CoverageData

ROOT = Path(__file__).parents[1]
COPIED = ("lango_nb", "tests", "notebooks", "binder", ".github", ".ci", "pyproject.toml", "README.md", ".gitignore")
"""What a copy holds; the rest of a checkout is no part of the project."""
PACKAGE = "lango_nb"
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider")
OPTIONS = " ".join(
    (
        "--import-mode=importlib --doctest-modules --strict-markers -rf",
        *(f"--ignore={name}" for name in ("tests/benchmarks", "tests/data", "lango_nb/data")),
    )
)
SUBTLE = ("boundary", "number", "conversion")
"""Kinds of faults that often change nothing anybody could see."""
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
NEAREST = 14
"""So many files of tests are tried, those that know most of the place."""
_SHOWN, _TURNS = "tests/unit/viz/test_shown.py", "tests/unit/runtime/test_whole_turns.py"
_TYPED = tuple(f"tests/unit/commands/{door}/test_transcript.py" for door in ("notebook", "terminal"))
OF_PARTS: dict[str, tuple[str, ...]] = {
    "lango_nb/models/offline/": (
        "tests/scenarios/test_requests.py",
        "tests/scenarios/test_other_requests.py",
        "tests/scenarios/test_own_tools.py",
    ),
    "lango_nb/viz/": (_SHOWN, *_TYPED),
    "lango_nb/lab/": _TYPED,
    "lango_nb/frames/": _TYPED,
    "lango_nb/commands/": _TYPED,
    "lango_nb/doctor/": _TYPED,
    "lango_nb/routing/": _TYPED,
    "lango_nb/runtime/": (_TURNS,),
    "lango_nb/records/": (_TURNS,),
    "lango_nb/engine": (_TURNS,),
}
"""Tests that carry out all of a part without naming its modules; they come last where whole files are tried."""
FIRST, MOST = 40, 300
"""So many tests that ran the line are tried first, and altogether."""
SHARE, SHARE_OF_PART = 8, 80
"""So many tests of a file come at a time, and of one that carries out all of a part."""
LEFT_OUT_OF_MAPS = ("browser", "benchmarks", "data", "notebooks", "endurance")
"""Folders of tests that take minutes, or run in processes where nothing is recorded."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.+?)?)(?: - .*)?$", re.MULTILINE)
UNKNOWN = re.compile(r"^ERROR: not found: .*?((?:tests|lango_nb)/.+)$", re.MULTILINE)

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.Lt: (ast.LtE, "boundary"),
    ast.LtE: (ast.Lt, "boundary"),
    ast.Gt: (ast.GtE, "boundary"),
    ast.GtE: (ast.Gt, "boundary"),
    ast.Eq: (ast.NotEq, "comparison"),
    ast.NotEq: (ast.Eq, "comparison"),
    ast.In: (ast.NotIn, "comparison"),
    ast.NotIn: (ast.In, "comparison"),
    ast.Is: (ast.IsNot, "comparison"),
    ast.IsNot: (ast.Is, "comparison"),
}
_SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}


@dataclass(frozen=True)
class Fault:
    """One change of one source."""

    path: str
    """Below the checkout."""
    function: str
    """The function or class it stands in; empty at the top of the module."""
    kind: str
    line: int
    start: int
    """Where the replaced text begins, in bytes of the source."""
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        """Say where it is and what it does."""
        first, second = (" ".join(text.split())[:70] for text in (self.old, self.new))
        return f"{self.path}:{self.line} {self.kind}: {first} -> {second}"


@dataclass
class Found:
    """What came of a fault."""

    fault: Fault
    by: str = ""
    """The test that noticed it; empty when none did."""
    tried: int = 0
    """How many tests, or files of tests, ran."""
    unsteady: list[str] = field(default_factory=list)
    """Tests that fail without the fault too."""

    @property
    def state(self) -> str:
        """Caught, survived, or suspected to change nothing."""
        return "caught" if self.by else "suspect" if self.fault.kind in SUBTLE else "survived"


# -- the faults --------------------------------------------------------------------------------------------------------


def faults_of(source: str, path: str) -> list[Fault]:
    r"""List the faults that can be planted in a source, in its order.

    Examples
    --------
    >>> [(fault.kind, fault.new) for fault in faults_of("def f(x):\n    return x if x < 3 else None\n", "m.py")]
    [('result', 'return None'), ('condition', '(not x < 3)'), ('boundary', '(x <= 3)'), ('number', '4')]
    """
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, function in _places(ast.parse(source), ""):
        for kind, place, changed in _changes(node):
            begin = starts[place.lineno - 1] + place.col_offset
            end = starts[(place.end_lineno or place.lineno) - 1] + (place.end_col_offset or 0)
            new = ast.unparse(changed)
            if isinstance(changed, ast.expr) and not isinstance(changed, ast.Constant | ast.Name):
                new = f"({new})"
            found.append(Fault(path, function, kind, place.lineno, begin, end, data[begin:end].decode(), new))
    return found


def planted(source: str, fault: Fault) -> str:
    """Return a source with a fault in it."""
    data = source.encode()
    return (data[: fault.start] + fault.new.encode() + data[fault.end :]).decode()


def all_faults(only: Sequence[str]) -> list[Fault]:
    """List every fault of the package, or of the folders and files named."""
    found: list[Fault] = []
    for file in sorted((ROOT / PACKAGE).rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        if path.startswith((f"{PACKAGE}/testing/", f"{PACKAGE}/data/")):  # nothing tests the tests that ship, or data
            continue
        if not only or any(path == name or path.startswith(f"{name.rstrip('/')}/") for name in only):
            found += faults_of(file.read_text(encoding="utf-8"), path)
    return found


Place = ast.expr | ast.stmt


def _places(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str]]:
    """Walk through what runs: no annotations, docstrings, decorators, and nothing only a type checker reads."""
    match node:
        case ast.JoinedStr() | ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Expr(value=ast.Constant()):
            return  # where the parts of an f-string stand is not known before Python 3.12
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            function = node.name
            defaults = [default for default in node.args.kw_defaults if default is not None]
            children: list[ast.AST] = [*node.args.defaults, *defaults, *node.body]
        case ast.ClassDef(bases=[ast.Name(id="Protocol") | ast.Subscript(value=ast.Name(id="Protocol"))]):
            return  # what it says of defaults is never run
        case ast.ClassDef():
            function = node.name
            children = [*node.body]
        case ast.AnnAssign():
            children = [] if node.value is None else [node.value]
        case _:
            children = list(ast.iter_child_nodes(node))
    yield node, function
    for child in children:
        yield from _places(child, function)


def _changes(node: ast.AST) -> Iterator[tuple[str, Place, ast.AST]]:  # noqa: C901, PLR0912 - a case per kind of fault
    """Return what a node may be replaced by: the kind of fault, the place, and what stands there then."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if not isinstance(test, ast.UnaryOp | ast.Constant):
                yield "condition", test, ast.UnaryOp(ast.Not(), test)
        case ast.Compare(ops=[operator]):
            if type(operator) in _COMPARISONS:
                other, kind = _COMPARISONS[type(operator)]
                yield kind, node, ast.Compare(node.left, [other()], node.comparators)
        case ast.BoolOp(op=op):
            yield "connective", node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "condition", node, node.operand
        case ast.BinOp(op=op) if type(op) in _SUMS:
            yield "sum", node, ast.BinOp(node.left, _SUMS[type(op)](), node.right)
        case ast.Constant(value=bool(value)):
            yield "switch", node, ast.Constant(not value)
        case ast.Constant(value=int(number)):
            yield "number", node, ast.Constant(number + 1)
        case ast.Return(value=ast.Constant(value="")):
            yield "result", node, ast.Return(ast.Constant("changed"))
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and not value.value):
            yield "result", node, ast.Return(ast.Constant(None))  # False and 0 are changed as what they are
        case ast.Raise():
            yield "guard", node, ast.Pass()
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign():
            yield "statement", node, ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement", node, ast.Pass()
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.expr() as only], keywords=[]):
            if name[:1].islower() and not isinstance(only, ast.Starred | ast.GeneratorExp) and name not in _NEEDED:
                yield "conversion" if name in _CONVERSIONS else "call", node, only


_CONVERSIONS = frozenset({"bool", "dict", "float", "int", "list", "set", "str", "tuple"})
"""Calls without which something often works alike: one that only goes through it, or looks whether it is in there."""
_NEEDED = frozenset({"all", "any", "enumerate", "frozenset", "iter", "len", "next", "range", "sum", "type"})
"""Without these calls nothing runs at all, which every test notices, or nothing else happens: a set is one unfrozen."""


# -- the tests ---------------------------------------------------------------------------------------------------------


@cache
def _test_files() -> dict[str, str]:
    """Return the files of tests that run in seconds, with their texts."""
    left_out = ("tests/benchmarks/", "tests/browser/", "tests/data/", "tests/notebooks/", "tests/endurance/")
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    paths = {file.relative_to(ROOT).as_posix(): file for file in files}
    return {path: file.read_text(encoding="utf-8") for path, file in paths.items() if not path.startswith(left_out)}


@cache
def nearest_tests(path: str, function: str) -> tuple[str, ...]:
    """Name the files of tests that know most of a module and a function, nearest first; the module's doctests first."""
    module = Path(path).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    stage, stem = path.split("/")[1].removesuffix(".py"), module.rpartition(".")[2]
    public = [
        node.name
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    word = re.compile(rf"\b{re.escape(function)}\b") if function and not function.startswith("__") else None
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, public))})\b") if public else None

    def score(test: str, text: str) -> int:
        points = 8 * (Path(test).stem == f"test_{stem}") + 4 * (f"/{stage}/" in test) + 8 * (module in text)
        points += 3 * (f"{PACKAGE}.{stage}" in text) + 4 * (stage in Path(test).stem)
        points += 6 * bool(word is not None and word.search(text))
        points += min(6, len(set(names.findall(text)))) if names is not None else 0
        return points + ("/scenarios/" in test)

    ranked = sorted(((score(test, text), test) for test, text in _test_files().items()), key=lambda row: -row[0])
    whole = of_part(path)
    return (path, *(test for points, test in ranked[:NEAREST] if points > 0 and test not in whole), *whole)


def of_part(path: str) -> list[str]:
    """Name the tests that carry out all of the part a module belongs to."""
    return [test for part, tests in OF_PARTS.items() if path.startswith(part) for test in tests]


def _known(test: str, unknown: Collection[str]) -> str:
    """Return a test, the test of which it is a case that is not there, or nothing when that is not there either."""
    whole = test.partition("[")[0]
    return "" if test in unknown else whole if whole in unknown else test


class Map:
    """Which tests ran which lines, as :func:`record` has written it.

    Parameters
    ----------
    folder : Path
        Of coverage's files of data. Modules that were changed since are as if they were not in it, and files of tests
        that were changed are tried as a whole where they are among the nearest.
    """

    def __init__(self, folder: Path) -> None:
        self._parts: list[CoverageData] = []
        for path in sorted(folder.iterdir()):
            if not path.suffix:
                part = CoverageData(str(path))
                part.read()
                self._parts.append(part)
        self._recorded_at = min(path.stat().st_mtime for path in folder.iterdir())
        self._lines = cache(self._lines_of)

    def tests(self, fault: Fault) -> tuple[str, ...]:
        """Name the tests that ran the line of a fault: those of its whole part, then those that know most of it.

        Where a line stands in the middle of a statement, the lines before it tell.
        """
        lines = self._lines(fault.path)
        found = next((lines[line] for line in range(fault.line, fault.line - 8, -1) if lines.get(line)), set())
        nearest = {path: place for place, path in enumerate(nearest_tests(fault.path, fault.function))}
        by_file: dict[str, list[str]] = {}
        for test in sorted(found):
            by_file.setdefault(test.partition("::")[0], []).append(test)
        if by_file:  # the module's own doctests come with it in any case: they take no time
            changed = (path for path in nearest if (ROOT / path).stat().st_mtime > self._recorded_at)
            by_file.update((path, [path]) for path in (fault.path, *changed))
        whole = of_part(fault.path)
        for test in whole:
            random.Random(0).shuffle(by_file.get(test, []))  # cases of all its parts come early
        first = (fault.path, *whole)
        files = sorted(
            by_file, key=lambda path: (path not in first, nearest.get(path, NEAREST + 1), len(by_file[path]))
        )
        # a few of each file in turn, so that one of hundreds of cases does not hide the others
        shares = {path: SHARE_OF_PART if path in whole else SHARE for path in files}
        rounds = max((len(by_file[path]) // shares[path] + 1 for path in files), default=0)
        return tuple(
            test
            for turn in range(rounds)
            for path in files
            for test in by_file[path][turn * shares[path] : (turn + 1) * shares[path]]
        )[:MOST]

    def _lines_of(self, path: str) -> dict[int, set[str]]:
        lines: dict[int, set[str]] = {}
        if (ROOT / path).stat().st_mtime > self._recorded_at:
            return lines
        for part in self._parts:
            for name in part.measured_files():
                if name.endswith(f"/{path}"):
                    for line, tests in part.contexts_by_lineno(name).items():
                        lines.setdefault(line, set()).update(filter(None, tests))
        return lines


class Recorder:
    """A plugin of pytest: coverage writes down which test runs."""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin with a test."""
        self._switch(nodeid)

    def pytest_runtest_logfinish(self) -> None:
        """End it."""
        self._switch("")

    def _switch(self, context: str) -> None:
        present = Coverage.current()
        assert present is not None
        present.switch_context(context)


def record(folder: Path, jobs: int) -> None:
    """Run the suite once, a process for each of its folders, and write down which test ran which line."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [part for part in sorted((ROOT / "tests").iterdir()) if part.is_dir() and part.name not in LEFT_OUT_OF_MAPS]
    parts = [path for part in parts for path in (sorted(part.iterdir()) if part.name == "unit" else [part])]
    names = [path.relative_to(ROOT).as_posix() for path in parts if path.is_dir() or path.stem.startswith("test_")]
    settings = folder / "settings.ini"
    settings.write_text(f"[run]\nsource = {ROOT / PACKAGE}\ncore = ctrace\n", encoding="utf-8")

    def run(name: str) -> None:
        code = (
            "import sys, pytest; from tests.mutants import Recorder; sys.exit(pytest.main(sys.argv[1:], [Recorder()]))"
        )
        script = folder / "run.py"
        script.write_text(code, encoding="utf-8")
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "COVERAGE_FILE": str(folder / name.replace("/", "-").removesuffix(".py")),
        }
        command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", str(script), *PYTEST[4:]]
        command += ["-o", f"addopts={OPTIONS}", "-m", "not browser and not slow", name]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        sys.stdout.write(f"{name}: {''.join(done.stdout.splitlines()[-1:])}\n")
        sys.stdout.flush()

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, [PACKAGE, *names]))


class Forks:
    """A plugin of pytest: instead of running the tests it forks for each fault, and runs those that ran its line.

    Parameters
    ----------
    sample : Path
        JSON: faults, each with its place in the sample and the tests to try.
    reports : int
        The end of a pipe into which what was found is written, a line for each fault.
    limit_s : float
        Of one fault.
    """

    def __init__(self, sample: Path, reports: int, limit_s: float) -> None:
        self._sample, self._reports, self._limit_s = sample, reports, limit_s
        self._failed = ""
        self._passing: dict[str, bool] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Write for each fault its place, the test that noticed it if any, and those that are unsteady."""
        functions = _live_functions()
        items = {item.nodeid: item for item in session.items}
        of_files: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            of_files.setdefault(item.nodeid.partition("::")[0], []).append(item)
        for place, fields, tests in json.loads(self._sample.read_text(encoding="utf-8")):
            changed = _changed_functions(Fault(**fields), functions)
            chosen = [item for test in tests for item in of_files.get(test, [items[test]] if test in items else [])]
            chosen = [*dict.fromkeys(chosen)]
            unsteady: list[str] = []
            by: str | None = None
            while changed is not None:
                by = self._forked(changed, chosen)
                if by == _LATE and self._forked([], chosen) == _LATE:
                    by = ""  # nor without the fault: there is too much to run
                if by not in items or (self._passes(items[by]) and self._forked(changed, [items[by]])):
                    break
                unsteady.append(by)
                chosen = chosen[chosen.index(items[by]) + 1 :]
            os.write(self._reports, f"{json.dumps([place, by, unsteady])}\n".encode())
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what fails."""
        if report.failed:
            self._failed = self._failed or report.nodeid

    def _passes(self, item: pytest.Item) -> bool:
        if item.nodeid not in self._passing:
            self._passing[item.nodeid] = not self._forked([], [item])
        return self._passing[item.nodeid]

    def _forked(self, changed: Sequence[Changed], items: Sequence[pytest.Item]) -> str:
        """Name the first of these tests that fails in a process with changed functions; empty when none does."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            self._run_and_end(changed, items, writer)
        os.close(writer)
        found, end = b"", time.monotonic() + self._limit_s
        while select.select([reader], [], [], max(0.0, end - time.monotonic()))[0]:
            piece = os.read(reader, 1 << 16)
            found += piece
            if not piece:
                break
        else:
            found = found or _LATE.encode()
        os.close(reader)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return found.decode()

    def _run_and_end(self, changed: Sequence[Changed], items: Sequence[pytest.Item], writer: int) -> NoReturn:
        """Be the process with changed functions, to its end."""
        os.setpgid(0, 0)
        atexit._clear()  # what this process has to do at its end, and no other
        try:
            for function, code in changed:
                function.__code__ = code
            for item, next_item in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
                if self._failed:
                    item.session._setupstate.teardown_exact(None)
                    break
        except BaseException as error:  # noqa: BLE001 - no fault may end what plants the others
            self._failed = self._failed or f"the tests ended with {type(error).__name__}"
        os.write(writer, self._failed.encode())
        os.close(writer)
        signal.alarm(20)
        try:
            atexit._run_exitfuncs()
        finally:
            os._exit(0)


_LATE = "the time was up"
Changed = tuple[types.FunctionType, types.CodeType]
"""A function, and what it runs with a fault in it."""


def _live_functions() -> dict[tuple[str, str, int], list[types.FunctionType]]:
    """Return the functions of the package that are in memory, by their files, names and lines."""
    gc.unfreeze()  # what is frozen is not listed
    found: dict[tuple[str, str, int], list[types.FunctionType]] = {}
    for value in gc.get_objects():
        if isinstance(value, types.FunctionType) and value.__code__.co_filename.startswith(str(ROOT / PACKAGE)):
            found.setdefault(_place_of(value.__code__), []).append(value)
    gc.collect()
    gc.freeze()
    return found


def _place_of(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _changed_functions(
    fault: Fault, functions: Mapping[tuple[str, str, int], Sequence[types.FunctionType]]
) -> list[Changed] | None:
    """Return the functions that a fault changes; ``None`` if it stands in what ran when its module was imported."""
    path = ROOT / fault.path
    source = path.read_text(encoding="utf-8")
    codes = (compile(text, str(path), "exec", dont_inherit=True) for text in (source, planted(source, fault)))
    found = [
        (function, new)
        for old, new in differing(*codes)
        for function in functions.get(_place_of(old), [])
        if old.co_freevars == new.co_freevars
    ]
    return found or None


def differing(old: types.CodeType, new: types.CodeType) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """Pair the functions in two forms of a module, class or function that are not the same, the outer before the inner.

    There is none where the module or a class differs itself.
    """
    inner = [[value for value in code.co_consts if isinstance(value, types.CodeType)] for code in (old, new)]
    is_function = bool(old.co_flags & inspect.CO_OPTIMIZED)
    if is_function and old != new:
        yield old, new
    if not is_function and _own(old) != _own(new):
        return
    if [code.co_name for code in inner[0]] == [code.co_name for code in inner[1]]:
        for before, after in zip(*inner, strict=True):
            yield from differing(before, after)


def _own(code: types.CodeType) -> tuple[object, ...]:
    """Return what a module or class runs itself."""
    values = [None if isinstance(value, types.CodeType) else repr(value) for value in code.co_consts]
    return code.co_code, code.co_names, values


class Copy:
    """A copy of the checkout in which faults are planted, one at a time."""

    def __init__(self, folder: Path, limit_s: float) -> None:
        self.folder, self.limit_s = folder, limit_s
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=LEFT_OUT)
            elif source.exists():
                shutil.copy2(source, folder / name)
        # checked by their content: what was compiled with a fault in it never stands for the source without
        compileall.compile_dir(folder / PACKAGE, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        self._passing: dict[str, bool] = {}

    def try_forks(self, sample: Sequence[tuple[int, Fault, Sequence[str]]]) -> Iterator[tuple[int, Found]]:
        """Try faults, each with its place in a sample and the tests that ran its line, in forks of one process.

        Those are left out that stand in what runs while modules are imported.
        """
        path = self.folder / "faults.json"
        path.write_text(json.dumps([(place, asdict(fault), tests) for place, fault, tests in sample]), encoding="utf-8")
        faults = {place: (fault, tests) for place, fault, tests in sample}
        reader, writer = os.pipe()
        code = (
            "import sys, pytest; from pathlib import Path; from tests.mutants import Forks; "
            f"sys.exit(pytest.main(sys.argv[1:], [Forks(Path({str(path)!r}), {writer}, {self.limit_s})]))"
        )
        command = [sys.executable, "-c", code, *PYTEST[4:], "-p", "no:xdist", "-m", "not browser and not slow"]
        command += ["-o", f"addopts={OPTIONS}", "-o", "faulthandler_timeout=0"]
        command += [*(f"--ignore=tests/{name}" for name in LEFT_OUT_OF_MAPS), "tests", PACKAGE]
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        with subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, pass_fds=[writer]):
            os.close(writer)
            with os.fdopen(reader, encoding="utf-8") as reports:
                for line in reports:
                    place, by, unsteady = json.loads(line)
                    if by is not None:
                        fault, tests = faults[place]
                        yield place, Found(fault, by, len(tests), unsteady)

    def try_out(self, fault: Fault, ran: Sequence[str], *, whole: bool) -> Found:
        """Plant a fault, run tests until one notices, and take the fault out again."""
        file = self.folder / fault.path
        source = file.read_text(encoding="utf-8")
        found = Found(fault)
        nearest = nearest_tests(fault.path, fault.function)
        rounds = [ran[:FIRST], ran[FIRST:]] if ran else [nearest[:4], nearest[4:]]
        if whole:
            rounds.append((PACKAGE, *_test_files()))
        for tests in filter(None, rounds):
            left_out: list[str] = []
            while not found.by:
                file.write_text(planted(source, fault), encoding="utf-8")
                try:
                    failed = self._failed(tests, left_out)
                finally:
                    file.write_text(source, encoding="utf-8")
                if failed is None:
                    break
                if not failed and self._failed(tests, left_out) == "":
                    break  # nor without the fault: a library is missing here
                if not failed or self._passes(failed):
                    found.by = failed or "no test could be collected, or the time was up"
                else:
                    left_out.append(failed)
            found.unsteady += left_out
            found.tried += len(tests)
            if found.by:
                break
        return found

    def _passes(self, test: str) -> bool:
        """Tell whether a test passes without a fault; a file stands for all its tests."""
        if test not in self._passing:
            self._passing[test] = self._failed((test,), []) is None
        return self._passing[test]

    def _failed(self, tests: Sequence[str], left_out: Sequence[str]) -> str | None:
        """Run tests and name the first that fails: nothing known about it is an empty name, none is ``None``."""
        skipped = [f"--deselect={test}" for test in left_out]
        command = [*PYTEST, "-o", f"addopts={OPTIONS}", "-m", "not browser and not slow", *skipped, *tests]
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        run = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = run.communicate(timeout=self.limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return ""
        if run.returncode in {0, 5}:  # 5: none of these files has a test that runs here
            return None
        if unknown := set(UNKNOWN.findall(output)):  # cases that are not there, of another database for instance
            known = dict.fromkeys(name for test in tests if (name := _known(test, unknown)))
            return self._failed([*known], left_out) if known else None
        match = FAILED.search(output)
        return match[1] if match is not None else ""


def _unknown(_: Fault) -> tuple[str, ...]:
    return ()


# -- the report --------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant a sample of faults and print what came of each, then the numbers as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="so many faults (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the sample (%(default)s)")
    parser.add_argument("--only", action="append", default=[], metavar="PATH", help="a folder or file; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="at once (%(default)s)")
    parser.add_argument("--limit", type=float, default=240, metavar="SECONDS", help="of one run of tests (%(default)s)")
    parser.add_argument("--record", type=Path, metavar="MAP", help="run the suite once and write down what runs what")
    parser.add_argument("--map", type=Path, metavar="MAP", help="a folder that --record has written")
    parser.add_argument("--whole", action="store_true", help="try survivors with the whole suite; minutes for each")
    options = parser.parse_args(arguments)
    if options.record:
        record(options.record.resolve(), options.jobs)
        return 0
    ran = Map(options.map).tests if options.map else _unknown
    faults = all_faults(options.only)
    sample = random.Random(options.seed).sample(faults, min(options.sample, len(faults)))
    results: dict[int, Found] = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:

        def work(job: int) -> None:
            tree = Copy(Path(folder) / str(job), options.limit)
            part = [(place, fault, ran(fault)) for place, fault in enumerate(sample) if place % options.jobs == job]
            for place, found in _tried(tree, part, whole=options.whole):
                results[place] = found
                sys.stdout.write(f"{found.state:9}{found.fault}{f'  [{found.by}]' if found.by else ''}\n")
                sys.stdout.flush()

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(work, range(options.jobs)))
    every = [results[place] for place in sorted(results)]
    counts = Counter(found.state for found in every)
    told = {"places": len(faults), "sample": len(every), "seed": options.seed, **counts}
    told["left"] = [asdict(found.fault) for found in every if not found.by]
    told["unsteady"] = sorted({test for found in every for test in found.unsteady})
    sys.stdout.write(f"{json.dumps(told, indent=2)}\n")
    return 0


def _tried(tree: Copy, part: Sequence[tuple[int, Fault, Sequence[str]]], *, whole: bool) -> Iterator[tuple[int, Found]]:
    """Try faults, each with its place: in forks where that can be, then one by one in processes of their own."""
    done = set()
    if known := [(place, fault, tests) for place, fault, tests in part if tests]:
        for place, found in tree.try_forks(known):
            if found.by or not whole:
                done.add(place)
                yield place, found
    for place, fault, tests in part:
        if place not in done:
            yield place, tree.try_out(fault, tests, whole=whole)


if __name__ == "__main__":
    sys.exit(main())
