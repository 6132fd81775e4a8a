"""Every promise of docs/promises.md names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def promises() -> list[str]:
    """Each promise with the tests that it names."""
    text = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    sections = text.partition("## How to report")[0]
    return [item for item in re.split(r"\n- ", sections)[1:]]


def functions(path: Path) -> set[str]:
    """Names of the functions of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_a_test_that_exists() -> None:
    assert len(promises()) > 15
    for promise in promises():
        named = NAMED.findall(promise)
        assert named, f"no test is named: {promise}"
        for file, test in named:
            assert (ROOT / file).is_file(), file
            assert not test or test in functions(ROOT / file), f"{file}::{test}"
