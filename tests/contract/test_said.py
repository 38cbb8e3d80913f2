"""What documents and lessons say in passing is checked too: options, sets, names of the API, and counts."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.commands.table import MAGICS as COMMANDS
from lango_nb.evaluation.corpus import SETS, labelled
from lango_nb.evaluation.tasks import OWN

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def _said() -> Iterator[tuple[str, str]]:
    """Yield where something is said and what: code in documents and in the texts of notebooks, and code cells."""
    for name in ("README.md", "lango_nb/ARCHITECTURE.md", "lango_nb/CHANGELOG.md", ".github/CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            yield name, block
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        yield from ((name, code) for code in re.findall(r"`([^`\n]+)`", prose))
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            parts = [text] if cell["cell_type"] == "code" else re.findall(r"`([^`\n]+)`", text)
            yield from ((path.name, part) for part in parts)


SAID = list(_said())


def _lines() -> Iterator[tuple[str, str, str]]:
    """Yield every line of the magic: where, the command and the rest."""
    for where, code in SAID:
        for match in re.finditer(r"^(?:[\w. ]+ = )?%%?lango[ \t]+(\w+)([^\n]*)", code, re.MULTILINE):
            yield where, match[1], match[2]


def test_options_of_the_magic_are_those_of_its_command() -> None:
    seen = 0
    for where, name, rest in _lines():
        assert name in COMMANDS, f"{where}: there is no command {name!r}"
        command = COMMANDS[name]
        options = re.match(r"(?:\s+--\w[\w-]*(?:[= ](?!--)\S+)?)*", rest) if command.has_text else None
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest if options is None else options[0]):
            seen += 1
            assert option in {one.name for one in command.all_options}, f"{where}: %lango {name} has no {option}"
    assert seen > 10, "this test looks at nothing"


def test_sets_that_are_evaluated_exist() -> None:
    words = [(where, rest.split()[0].rstrip(";")) for where, name, rest in _lines() if name == "eval" and rest.split()]
    words += [(where, word) for where, code in SAID for word in re.findall(r"\.evaluate\([\"']([\w-]+)[\"']", code)]
    named = [(where, word) for where, word in words if re.fullmatch(r"[a-z-]+", word)]
    assert {word for _, word in named} & set(SETS), "this test looks at nothing"
    for where, word in named:
        variable = re.compile(rf"^{re.escape(word)} = ", re.MULTILINE)
        assert word in {*SETS, OWN} or any(variable.search(code) for place, code in SAID if place == where), (
            where,
            word,
        )


def test_names_of_the_api_exist() -> None:
    lab, seen = Lab("solo", tools=["fs_read"]), 0
    for where, code in SAID:
        for name in re.findall(r"(?<![\w.\"'/])lab\.([a-z]\w*)", code):
            seen += 1
            assert name in dir(lab), f"{where}: a Lab has no {name!r}"
    assert seen > 30, "this test looks at nothing"


def test_arguments_of_a_lab_exist() -> None:
    known = set(inspect.signature(Lab.__init__).parameters)
    seen = 0
    for where, code in SAID:
        for call in re.findall(r"(?<!\w)Lab\(([^()]*)\)", code):
            for name in re.findall(r"(?:^|, ?)\s*([a-z_]+)=", call):
                seen += 1
                assert name in known, f"{where}: Lab takes no {name!r}"
    assert seen > 10, "this test looks at nothing"


@pytest.mark.parametrize(("pattern", "number"), [(r"([\d,]+) such \*\*labelled requests\*\*", len(labelled("corpus")))])
def test_counts_in_a_lesson_are_true(pattern: str, number: int) -> None:
    texts = "\n".join(path.read_text(encoding="utf-8") for path in NOTEBOOKS)
    (said,) = re.findall(pattern, texts)
    assert int(said.replace(",", "")) == number


def test_the_authors_in_a_lesson_are_counted_right() -> None:
    (said,) = re.findall(r"in (\w+) files, one per author", "\n".join(path.read_text("utf-8") for path in NOTEBOOKS))
    numbers = ("seventeen", "eighteen", "nineteen", "twenty", "twenty-one")
    assert 17 + numbers.index(said) == len({one.author for one in labelled("corpus")})
