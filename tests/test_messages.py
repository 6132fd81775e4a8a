"""Messages of the package speak to who calls it from Python, too: they name no option of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import plantar

SOURCE = Path(plantar.__file__).parent
ALLOWED = {
    ("learn/versions.py", "--no-deps"): "an option of pip",
    ("ground/fit/contact_space.py", "--motion"): "where a ground's numbers came from, no message",
}
"""Files and options that may stand in a string, with the reason; one that no longer does fails the test."""


def strings(tree: ast.Module) -> Iterator[str]:
    """Every string of a module that is not a docstring."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


def named_flags(source: Path) -> set[tuple[str, str]]:
    """Files outside the command line, and the options that their strings name."""
    found = set()
    for path in sorted(source.rglob("*.py")):
        name = path.relative_to(source).as_posix()
        if not name.startswith("cli/"):
            for text in strings(ast.parse(path.read_text(encoding="utf-8"))):
                found |= {(name, word) for word in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)}
    return found


def test_no_message_names_an_option_of_the_command_line() -> None:
    assert named_flags(SOURCE) - set(ALLOWED) == set()
    assert set(ALLOWED) - named_flags(SOURCE) == set(), "take these off the list"


def test_an_option_in_a_message_is_found(tmp_path: Path) -> None:
    text = '"""Write --this."""\n\ndef f():\n    """As `--that`."""\n    raise ValueError(f"{1}: give --more")\n'
    (tmp_path / "a.py").write_text(text)
    assert named_flags(tmp_path) == {("a.py", "--more")}
