"""``lango docs``: a site of everything there is, whose links lead somewhere and which loads nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import lango_nb
from lango_nb.commands.reference import TOPICS
from lango_nb.commands.table import COMMANDS
from lango_nb.commands.terminal.main import main
from lango_nb.commands.terminal.notebooks import shipped_notebooks
from lango_nb.specs.topologies import load_topology, topology_names


class Page(HTMLParser):
    """What a page links to, what it loads, and what can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.words: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links, sources and names."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id":
                self.places.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value)
            elif name in {"src", "href", "srcset", "poster", "data"} and not value.startswith("data:"):
                self.loaded.append(value)
            elif name == "style":
                self.loaded += re.findall(r"url\(['\"]?((?!data:)[^)'\"]+)", value)

    def handle_data(self, data: str) -> None:
        """Note words."""
        self.words.append(data)


@pytest.fixture(scope="module", params=["one module", pytest.param("all modules", marks=pytest.mark.slow)])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site: with the page of one module the suite has a page of each sort."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    with pytest.MonkeyPatch.context() as patched:
        if request.param == "one module":
            patched.setattr("lango_nb.commands.site._MODULES", ("records.moments",))
        assert main(["docs", "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in site.rglob("*.html")}


def test_every_link_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            is_there = target in pages or target.is_file()
            if not is_there or (
                parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places
            ):
                broken.append(f"{file.relative_to(site)}: {link}")
    assert broken == []
    assert sum(len(page.links) for page in pages.values()) > 1000


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    wanted = [(file, name) for file, page in pages.items() for name in page.loaded]
    assert len(wanted) > 100
    for file, name in wanted:
        parts = urlsplit(name)
        assert not parts.scheme, f"{file.relative_to(site)} loads {name}"
        assert not parts.netloc, f"{file.relative_to(site)} loads {name}"
        if parts.path:
            assert (file.parent / unquote(parts.path)).exists(), f"{file.relative_to(site)} loads {name}"
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import\s)['\"]?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_all_there_is_has_its_place(site: Path) -> None:
    def words(place: str) -> str:
        return "".join(Page(site / place).words)

    for name, read in TOPICS.items():
        said = words(f"reference/{name}.html")
        assert all(row[0] in said for row in read(COMMANDS)[1])
    agents = words("reference/topologies.html")
    assert all(agent.name in agents for name in topology_names() for agent in load_topology(name).agents)
    assert "fs_read" in words("reference/tools.html")
    lab = words("python/Lab.html")
    assert all(name in lab for name in vars(lango_nb.Lab) if not name.startswith("_"))
    for notebook in shipped_notebooks().glob("*.ipynb"):
        assert "Question" in words(f"notebooks/{notebook.stem}.html")
    assert "Hello! Ask me about the files here" in words("notebooks/03_turns_and_traces.html")


def test_a_site_is_written_anew_and_other_files_stay(
    tmp_path: Path, site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "diary.txt").write_text("mine")
    assert main(["docs", "--out", str(tmp_path)]) == 2
    assert "holds other files" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["diary.txt"]
    monkeypatch.setattr("lango_nb.commands.site.find_spec", lambda name: None if name == "furo" else object())
    assert main(["docs", "--out", str(site)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "pip install 'lango-nb[docs]'" in line
    assert (site / "index.html").is_file()
