"""Write the pages of the reference: for every room, the names that it offers.

    python tools/api_pages.py

The pages hold names alone; the site fills them from the docstrings. A test tells when they must be written again.
"""

from __future__ import annotations

import ast
from pathlib import Path

import plantar

FOLDER = Path(__file__).parents[1] / "docs" / "api"
SOURCE = Path(plantar.__file__).parent
ROOMS = (*plantar.ROOMS, "learn")


def public_names(room: str) -> list[str]:
    """Names that a room passes on, as in `from plantar.feet.foot import Foot as Foot`, other than its modules."""
    imports = (node for node in ast.walk(_tree(room)) if isinstance(node, ast.ImportFrom))
    return sorted(
        alias.asname
        for node in imports
        for alias in node.names
        if alias.asname and not _is_module(f"{node.module}.{alias.name}")
    )


def _tree(room: str) -> ast.Module:
    return ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8"))


def _is_module(name: str) -> bool:
    path = SOURCE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def page(room: str) -> str:
    """The page of a room: its docstring and every name."""
    entries = "\n\n".join(f"::: plantar.{room}.{name}" for name in public_names(room))
    words = ast.get_docstring(_tree(room)) or ""
    return f"# plantar.{room}\n\n{words}\n\n{entries}\n"


def main() -> None:
    """Write every page."""
    FOLDER.mkdir(exist_ok=True)
    for room in ROOMS:
        (FOLDER / f"{room}.md").write_text(page(room), encoding="utf-8")


if __name__ == "__main__":
    main()
