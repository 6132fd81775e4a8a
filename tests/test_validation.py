"""Pages of docs/validation say what the committed result files say."""

from __future__ import annotations

import importlib
import json
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


def test_every_measurement_is_on_its_page_and_none_is_carried_over(records: ModuleType) -> None:
    papers = importlib.import_module("validation.papers").PAPERS
    for name, paper in papers.items():
        for key in paper.measures:
            file = records.path_of(name, key)
            assert file.is_file(), f"{name}/{key} was never measured: python tools/validate.py {name} --only {key}"
            record = records.read(file)
            assert record.origin in ("measured", "read")
            assert f"validate.py {name} --only {key}" in record.command


def test_no_claim_is_told_twice(records: ModuleType) -> None:
    for folder in {file.parent for file in records.FOLDER.rglob("*.json")}:
        told = [row.what for file in folder.glob("*.json") for row in records.read(file).rows]
        assert len(told) == len(set(told)), folder.name


def test_a_name_that_is_not_known_is_refused() -> None:
    command = [sys.executable, str(ROOT / "tools" / "validate.py"), "nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "give softfoot" in done.stderr
