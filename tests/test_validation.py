"""Pages of docs/validation say what the committed result files say."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that makes the pages."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("validation.pages")


@pytest.fixture
def records(pages: ModuleType) -> ModuleType:
    """The module that reads and writes results."""
    return importlib.import_module("validation.records")


def test_pages_and_files_agree(pages: ModuleType) -> None:
    assert pages.differences() == []


def test_a_changed_figure_or_a_lost_picture_is_found(
    pages: ModuleType, records: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in records.FOLDER.rglob("*.json"):
        data = json.loads(file.read_text(encoding="utf-8"))
        if file.parent.name == "ground":
            data["rows"][0]["ours"] += "1"
            data["pictures"] = [{"file": "lost.png", "caption": "lost"}]
        copy = tmp_path / file.relative_to(records.FOLDER)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    wrong = "\n".join(pages.differences())
    assert "docs/validation/ground.md" in wrong
    assert "docs/validation.md" in wrong
    assert "lost.png is lost" in wrong


def test_every_record_says_where_it_comes_from(records: ModuleType) -> None:
    found = [records.read(file) for file in records.FOLDER.rglob("*.json")]
    assert found
    assert all(record.origin in records.ORIGINS and record.date and record.version for record in found)
    assert all(row.command and row.ours for record in found for row in record.rows)
    with pytest.raises(ValueError, match="verdict"):
        records.Row(what="x", ours="1", verdict="good", command="y")


def test_only_what_a_command_made_is_called_measured_or_read(records: ModuleType) -> None:
    papers = importlib.import_module("validation.papers").PAPERS
    for name, paper in papers.items():
        for key in paper.measures:
            file = records.path_of(name, key)
            assert file.is_file(), f"{name}/{key} was never measured: python tools/validate.py {name} --only {key}"
    for file in records.FOLDER.rglob("*.json"):
        record, paper = records.read(file), file.parent.name
        made = record.origin in ("measured", "read", "recorded")
        assert made == (file.stem in papers[paper].measures), f"{file.name}: {record.origin}"
        assert not made or f"validate.py {paper} --only {file.stem}" in record.command


def test_every_table_and_figure_of_the_papers_has_a_row_or_a_reason(pages: ModuleType, records: ModuleType) -> None:
    index = importlib.import_module("validation.index")
    assert index.places("Table I, Figures 5 and 6") == {"Table I", "Figure 5", "Figure 6"}
    assert index.places("Section V-C, Figures 7 to 9") == {"Figure 7", "Figure 8", "Figure 9"}
    for paper, several in index.SHOWN.items():
        rows = [row for record in records.read_all(paper, []).values() for row in record.rows]
        for shown in several:
            assert index.standing_for(shown, rows) or shown.instead, f"{paper}: {shown.place} has neither"


def test_commands_of_rows_name_files_that_exist(records: ModuleType) -> None:
    for file in records.FOLDER.rglob("*.json"):
        for row in records.read(file).rows:
            for path in re.findall(r"(?:tests|benchmarks|tools)/[\w/]+\.py", row.command):
                assert (ROOT / path).is_file(), f"{file.parent.name}/{file.stem}: {path}"


def test_long_cells_are_cut_between_words_and_rows_keep_their_order(pages: ModuleType, records: ModuleType) -> None:
    cells = importlib.import_module("validation.cells")
    assert cells.cut("short ([how](x.md))", 40) == "short"
    assert cells.cut("one, two and three (four, five six", 25) == "one, two and three …"
    rows = [
        records.Row(what=what, ours="1", n=n, verdict="reported", command="`c`")
        for what, n in (("a", ""), ("b", ""), ("c", ""), ("d", "5"), ("e", ""))
    ]
    text = cells.blocks_and_table(records.Record(title="t", rows=rows))
    assert text.index("| a |") < text.index("| c |") < text.index("**D**") < text.index("**E**")
    summary = [line for line in pages.summary_table().splitlines() if line.startswith("|")]
    assert max(len(cell) for line in summary for cell in line.split(" | ")) < 120


def test_stored_tables_decide_the_verdict(pages: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    stored, heel = (importlib.import_module(f"validation.{name}") for name in ("stored", "softfoot_heel"))
    rows = [{"level": "0.0150", "foot": "own"}, {"level": "0.03", "foot": "own"}]
    assert stored.where(rows, level="0.015", foot="own") == rows[:1]
    assert stored.difference({"difference": "-0.1", "low": "-0.25", "high": "0.05"}) == "-10 % (-25 to +5)"
    assert heel.heel().rows[0].verdict == "confirmed"

    def worse(*place: str) -> list[dict[str, str]]:
        """The tables as they are, but for soft feet that fall once more."""
        found = stored.read(*place)
        for row in found:
            if place[-1] == "summary.csv" and row["foot"] == "softfoot:fast" and row["mode"] == "impedance":
                row["successes"] = str(int(row["successes"]) - 1)
        return found

    monkeypatch.setattr(heel, "read", worse)
    assert heel.heel().rows[0].verdict == "not confirmed"


def test_no_claim_is_told_twice(records: ModuleType) -> None:
    for folder in {file.parent for file in records.FOLDER.rglob("*.json")}:
        told = [row.what for file in folder.glob("*.json") for row in records.read(file).rows]
        assert len(told) == len(set(told)), folder.name


def test_a_name_that_is_not_known_is_refused() -> None:
    command = [sys.executable, str(ROOT / "tools" / "validate.py"), "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "give softfoot" in done.stderr
