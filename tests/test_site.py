"""The documentation as a site: it builds without a warning, and no link in it or in the README leads nowhere."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


class Page(HTMLParser):
    """Places in a page that can be linked to, and what the page links to."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            elif name in ("href", "src") and value:
                self.links.add(value)


def dead_links(site: Path) -> list[str]:
    """Links of a built site, to pages, places in pages, pictures and files, that lead nowhere."""
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if urllib.parse.urlparse(link).scheme:
                continue
            goal = (path.parent / urllib.parse.unquote(target.partition("?")[0])).resolve() if target else path
            goal = goal / "index.html" if goal.is_dir() else goal
            lost = anchor and goal in pages and urllib.parse.unquote(anchor) not in pages[goal].anchors
            if not goal.is_file() or (lost and anchor != "__skip"):
                dead.append(f"{path.relative_to(site)}: {link}")
    return sorted(dead)


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site in a folder that holds docs and settings."""
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy of the pages."""
    pytest.importorskip("zensical", reason="needs the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    os.symlink(ROOT / "src", folder / "src", target_is_directory=True)
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()
    return folder / "site"


def test_the_site_builds_without_a_warning_and_has_no_dead_link(
    site: Path, record_property: Callable[[str, object], None]
) -> None:
    pages = [Page(path) for path in site.rglob("*.html")]
    record_property("site.pages", len(pages))
    record_property("site.links", sum(len(page.links) for page in pages))
    record_property("site.dead_links", len(dead_links(site)))
    assert dead_links(site) == []


def test_the_reference_is_filled_from_docstrings(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "api" / "feet" / "index.html").read_text(encoding="utf-8"))
    assert "Lateral distance between chains [m]." in text, "fields come with their units"


def test_a_page_needs_no_address_of_the_network_to_be_shown(site: Path) -> None:
    pattern = re.compile(r"<(?:script|img|link rel=\"stylesheet\")[^>]*(?:src|href)=\"https?:")
    assert [path.name for path in site.rglob("*.html") if pattern.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "text",
    ["[page](nowhere.md)", "[place](other.md#nowhere)", "::: tiny.nothing"],
)
def test_a_mistake_stops_the_build(tmp_path: Path, text: str) -> None:
    pytest.importorskip("zensical", reason="needs the extra `docs`")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Home\n\n{text}\n")
    (tmp_path / "docs" / "other.md").write_text("# Other\n")
    settings = re.sub(r"nav = \[.*?\n\]\n", "", (ROOT / "zensical.toml").read_text(), flags=re.DOTALL)
    (tmp_path / "zensical.toml").write_text(settings)
    (tmp_path / "src" / "tiny").mkdir(parents=True)
    (tmp_path / "src" / "tiny" / "__init__.py").write_text('"""Something."""\n')
    assert build(tmp_path).returncode != 0


def test_dead_pictures_files_and_places_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text('<p id="here"></p><a href="#here">x</a><img src="../no.png">')
    (tmp_path / "index.html").write_text('<a href="a/#here">x</a><a href="a/#there">x</a><a href="b.csv">x</a>')
    assert dead_links(tmp_path) == ["a/index.html: ../no.png", "index.html: a/#there", "index.html: b.csv"]


def test_every_page_is_in_the_navigation() -> None:
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    listed = set(re.findall(r"'([^']+\.md)'", str(settings["project"]["nav"])))
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if "results" not in path.parts}
    assert listed == pages


def tool(name: str) -> ModuleType:
    """A script of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_lists_what_the_rooms_offer() -> None:
    pages = tool("api_pages")
    for room in pages.ROOMS:
        text = (DOCS / "api" / f"{room}.md").read_text(encoding="utf-8")
        assert text == pages.page(room), "run `python tools/api_pages.py`"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "tools/README.md"])
def test_links_between_files_of_the_repository_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    lost = [link for link in links if "://" not in link and not ((ROOT / page).parent / link).exists()]
    assert lost == []
