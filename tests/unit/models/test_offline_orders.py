"""What the offline model changes: everything that is asked for plainly, and nothing else, whatever is allowed to it.

``data/offline_unasked.tsv`` holds questions, statements, descriptions, mentions of commands, and what only looks like
an order. ``data/offline_asked.tsv`` holds orders, with the file that each is about and what it holds afterwards: ``-``
when it is gone, ``/`` for a folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath

import pytest

from lango_nb import Lab
from lango_nb.models.offline.orders import read_order

DATA = Path(__file__).parents[2] / "data"
FILES = {
    "notes.md": "# Notes\nmilk\nbread\n",
    "todo.txt": "stamps\ncall Ada\npost letter\nbuy tea\n",
    "src/utils.py": "def add(a, b):\n    return a + b\n",
    "letters/ada.txt": "Dear Ada\n",
    "letters/bob.txt": "Dear Bob\n",
    "old.txt": "old\n",
    "data.csv": "a,b\n1,2\n",
    "README.md": "# Read me\n",
    "docs/report.txt": "report\n",
    "config.toml": "port = 8080\n",
}


def rows(name: str) -> Iterator[list[str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return (line.split("\t") for line in lines)


def unasked() -> dict[str, list[str]]:
    found = defaultdict(list)
    for kind, text in rows("offline_unasked.tsv"):
        found[kind].append(text)
    return found


def held(folder: Path) -> dict[str, str | None]:
    """Return everything below a folder: the text of files, nothing for folders."""
    found = folder.rglob("*")
    return {path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else None for path in found}


def changes(before: dict[str, str | None], after: dict[str, str | None]) -> dict[str, tuple[str | None, ...]]:
    pairs = {name: (before.get(name, "-"), after.get(name, "-")) for name in before | after}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def asked_in(folder: Path, topology: str, text: str) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Ask something in a new folder, with everything allowed; return what the folder held before and after."""
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    before = held(folder)
    with closing(Lab(topology, approver="allow", workspace=folder, model="offline")) as lab:
        lab.ask(text)
    return before, held(folder)


@pytest.mark.parametrize("topology", ["solo", "octet"])
@pytest.mark.parametrize("kind", unasked())
def test_what_is_no_order_changes_nothing(kind: str, topology: str, tmp_path: Path) -> None:
    wrong = []
    for number, text in enumerate(unasked()[kind]):
        before, after = asked_in(tmp_path / str(number), topology, text)
        if before != after:
            wrong.append((text, changes(before, after)))
    assert not wrong


@pytest.mark.parametrize("topology", ["solo", "octet"])
def test_an_order_is_done_or_asked_back_and_changes_nothing_else(topology: str, tmp_path: Path) -> None:
    orders = list(rows("offline_asked.tsv"))
    wrong, undone = [], []
    for number, (text, path, content) in enumerate(orders):
        before, after = asked_in(tmp_path / str(number), topology, text)
        name, expected = path.rstrip("/"), dict(before)
        if content == "-":
            expected = {one: said for one, said in before.items() if one != name and not one.startswith(f"{name}/")}
        else:
            expected |= {str(folder): None for folder in PurePosixPath(name).parents if folder.name}
            expected[name] = None if content == "/" else content.replace("\\n", "\n")
        if after == before:
            undone.append(text)
        elif after != expected:
            wrong.append((text, changes(expected, after)))
    assert not wrong
    if topology == "solo":
        assert not undone
    assert len(undone) < len(orders) / 3, "the root hands most of them over"


def test_a_file_that_is_there_is_told_with_the_words_to_replace_it(tmp_path: Path) -> None:
    (tmp_path / "todo.txt").write_text("stamps\n")
    with closing(Lab("solo", approver="allow", workspace=tmp_path, model="offline")) as lab:
        answer = lab.ask("write 'tea' to todo.txt").answer
        assert "todo.txt is there already" in answer
        assert lab.ask("replace todo.txt with 'tea'").is_ok
    assert (tmp_path / "todo.txt").read_text() == "tea\n"


@pytest.mark.parametrize(
    "text",
    [
        "write 'x' and 'y' to a.txt",
        "write 'x' to a.txt and b.txt",
        "write 'x' to a.txt and delete b.txt",
        "create a.txt with the text buy milk and delete b.txt",
        "delete a.txt and b.txt",
        "run `ls` and `rm a.txt`",
        "run `ls`, then delete a.txt",
        "make a folder called a and write 'x' to b.txt",
        "change line 99999999999999999999999999999999999999999999 of a.txt to 'x'",
    ],
)
def test_an_order_with_more_in_it_than_can_be_done_is_none(text: str) -> None:
    assert read_order(text) is None
