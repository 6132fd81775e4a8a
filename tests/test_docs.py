"""What the pages show works: every block of Python runs by itself, every command is one that the command line knows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
import typer
from typer._click.exceptions import BadOptionUsage, MissingParameter, UsageError

from plantar.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

ELSEWHERE = {
    "feet.md": "test_feet_examples",
    "foothold.md": "test_foothold_cli",
    "own_foot.md": "test_own_foot",
    "own_soft_foot.md": "test_own_soft_foot",
    "robots.md": "test_robots_mount",
    "soft.md": "test_soft_files",
}
"""Pages whose blocks another test runs, and which."""
NOT_RUN = {
    "bench_compare.md 1": "needs measurements; examples/04_compare_with_measurement.py does the same with a stand-in",
    "calibrate.md 0": "needs measurements; test_bench_calibrate and examples/06_calibrate.py do the same",
    "design.md 0": "an hour of walks; test_design_search and test_design_foot search with the same words",
    "foothold_walk.md 0": "`my_costs` is the reader's; test_foothold_walk walks with a score of its own",
    "ground_soil.md 0": "`spec` and `data` are the reader's robot; test_ground_yielding does the same",
    "ground_soil.md 1": "needs MuJoCo Warp; test_ground_worlds",
    "learn.md 0": "needs PyTorch and mjlab; test_learn_training",
    "serial.md 0": "needs a board; test_soft_serial streams to a simulated one",
    "solid_foot.md 0": "`foot.vtu` is the reader's; test_own_soft_foot makes one",
    "solid_foot.md 1": "`model` and `data` are the reader's robot; test_soft_cosim",
    "walk.md 1": "needs a released robot; test_walk_environment makes both on the built-in biped",
}
"""Blocks that are not run, and why."""
LONG = {
    "bench_compare.md 2",
    "fast.md 0",
    "foothold_physics.md 0",
    "soft_robots.md 0",
    "terrain.md 1",
    "walk.md 0",
    "windlass.md 0",
}
"""Blocks that take minutes."""


def blocks() -> Iterator[tuple[str, str]]:
    """Name and text of every block of Python."""
    for page in PAGES:
        for k, text in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)):
            yield f"{page.name} {k}", text


def cases() -> list:
    """Blocks to run; those that take minutes are marked."""
    return [
        pytest.param(text, id=name, marks=[pytest.mark.long] if name in LONG else [])
        for name, text in blocks()
        if name not in NOT_RUN and name.split()[0] not in ELSEWHERE
    ]


@pytest.mark.parametrize("text", cases())
def test_a_block_runs_by_itself(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    exec(compile(text, "block", "exec"), {"__name__": "__main__"})


def test_the_lists_name_blocks_and_pages_that_are_there(record_property: Callable[[str, object], None]) -> None:
    names = {name for name, _ in blocks()}
    record_property("site.blocks", len(names))
    record_property("site.blocks_not_run", len(NOT_RUN))
    assert {*NOT_RUN, *LONG} <= names
    assert {*ELSEWHERE} <= {page.name for page in PAGES}
    for page, test in ELSEWHERE.items():
        assert page in (ROOT / "tests" / f"{test}.py").read_text(encoding="utf-8"), f"{test} runs {page}"


def commands(text: str) -> Iterator[tuple[str, bool]]:
    """Commands of a page, and whether they are whole: lines of shell are, words in a sentence need not be."""
    for block in re.findall(r"```sh\n(.*?)```|((?:^    plantar [^\n]*\n)+)", text, re.DOTALL | re.MULTILINE):
        for line in "".join(block).replace("\\\n", " ").splitlines():
            yield line.strip(), True
    for words in re.findall(r"(?<!`)`(plantar [^`]+)`(?!`)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        yield " ".join(words.split()), False


def calls(line: str) -> Iterator[list[str]]:
    """What a line gives to `plantar`; comments, other programs and what is left out do not count."""
    plain = line.replace(";", " ; ").replace("[--", "--").replace("] ", " ").removesuffix("]")
    words = shlex.split(plain, comments=True)
    for start in [k for k, word in enumerate(words) if word == "plantar" or word.endswith("start.py")]:
        stops = (k for k in range(start + 1, len(words)) if words[k] in ("|", ">", "&&", "&", ";"))
        yield words[start + 1 : next(stops, len(words))]


def parse(words: list[str], whole: bool) -> None:
    """Let the command line read its words, as if it were to run them.

    Raises:
        UsageError: If it has no such command, option or kind of value.
    """
    command: Any = typer.main.get_command(app)
    context = command.make_context("plantar", [], resilient_parsing=True)
    if words[0] in {name for option in command.get_params(context) for name in option.opts}:
        return  # of `plantar` itself, as `--version`
    while words and hasattr(command, "table"):
        found = command.get_command(context, words[0])
        if found is None:
            raise UsageError(f"no command {words[0]!r}")
        command, words = found, words[1:]
        if not words and not whole:
            return
    try:
        command.make_context(command.name or "", [word for word in words if word not in ("...", "--help")])
    except (MissingParameter, BadOptionUsage):
        if whole:
            raise


SKIPPED = ("ROOM", "...", "test", "docs", "--help")
"""First words that stand for any command, or that are start.py's own."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_is_known_with_its_options(
    page: Path, record_property: Callable[[str, object], None]
) -> None:
    wrong, known = [], 0
    for line, whole in commands(page.read_text(encoding="utf-8")):
        for words in calls(line):
            if words and words[0] not in SKIPPED:
                try:
                    parse(words, whole)
                    known += 1
                except UsageError as error:
                    wrong.append(f"{line}: {error.format_message()}")
    record_property(f"site.commands.{page.stem.lower()}", known)
    assert wrong == []


@pytest.mark.parametrize(
    "line", ["plantar feet shew", "plantar bench press --lod 3", "plantar walk trial", "plantar nothing"]
)
def test_a_wrong_command_is_found(line: str) -> None:
    with pytest.raises(UsageError):
        parse(shlex.split(line)[1:], whole=True)
