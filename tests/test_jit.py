"""Compiled code is kept on disk where that can be done, and nothing about that ends the work."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")
SOURCE = """
from plantar._jit import njit

@njit()
def twice(x):
    return 2 * x
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports the same module anew, as another process would, with its cache in a folder of the test."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE)

    def load() -> Any:
        spec = importlib.util.spec_from_file_location("kernels", source)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.twice

    return load


def hits(function: Any) -> int:
    """How often the code came from the disk."""
    return sum(function.stats.cache_hits.values())


def test_code_is_compiled_once(made: Any) -> None:
    first, again = made(), made()
    assert first(2) == again(2) == 4
    assert (hits(first), hits(again)) == (0, 1)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [b"", b"\x80\x05", b"noise" * 50])
def test_a_damaged_cache_is_made_anew(made: Any, tmp_path: Path, suffix: str, left: bytes) -> None:
    """As a power cut leaves it."""
    assert made()(2) == 4
    for file in (tmp_path / "cache").rglob(f"*.{suffix}"):
        file.write_bytes(left)
    assert made()(2) == 4
    mended = made()
    assert mended(2) == 4 and hits(mended) == 1


def test_without_a_folder_for_it_code_is_compiled_each_time(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a user without a home, where Plantar belongs to another."""
    monkeypatch.setattr("numba.core.caching.CompileResultCacheImpl._locator_classes", [])
    again = made()
    assert made()(2) == again(2) == 4
    assert hits(again) == 0


def test_a_full_disk_keeps_no_code(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._save_data", full)
    assert made()(2) == 4


def test_no_kernel_of_plantar_goes_without() -> None:
    from plantar import _jit

    package = Path(_jit.__file__).parent
    texts = {file: file.read_text(encoding="utf-8") for file in package.rglob("*.py")}
    assert [file for file, text in texts.items() if re.search(r"njit\([^)]*cache=True", text)] == []
