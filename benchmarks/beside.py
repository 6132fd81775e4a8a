"""A benchmark of this version beside the same one of another version, in turns, with the ratio of every figure.

    python benchmarks/beside.py OTHER walk_cost.py [ARGS ...] [--rounds 5]

OTHER is the root of another checkout. The script is run there and here by turns, each with its own `src`, so that a
busy machine slows both alike. Rows are matched by their words, figures by their place; a ratio is that of here over
there, the median over rounds with the least and the greatest.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
Rows = dict[str, list[float]]


def read(text: str) -> Rows:
    """Rows of a printed table that hold figures, by the words that come before the first of them."""
    found: Rows = {}
    for line in text.splitlines():
        words = line.split()
        values = [float(word) for word in words if NUMBER.fullmatch(word)]
        label = " ".join(words[: next((i for i, word in enumerate(words) if NUMBER.fullmatch(word)), 0)])
        if label and values:
            found[label] = values
    return found


def run(root: Path, script: str, args: list[str]) -> str:
    """What the script prints, run with the package of its own checkout on one core."""
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, str(root / "benchmarks" / script), *args]
    return subprocess.run(line, env=env, cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="root of another checkout")
    parser.add_argument("script", help="a script of benchmarks/ that both have")
    parser.add_argument("--rounds", type=int, default=5)
    given, args = parser.parse_known_args()
    rounds: list[tuple[Rows, Rows]] = []
    for k in range(given.rounds):
        texts = {}
        for root in (given.other.resolve(), HERE)[:: 1 if k % 2 else -1]:  # whoever is first is so by turns
            texts[root] = run(root, given.script, args)
        rounds.append((read(texts[given.other.resolve()]), read(texts[HERE])))
        print(f"round {k + 1} of {given.rounds}, here:\n{texts[HERE]}", file=sys.stderr, flush=True)
    print("here over there, median (least to greatest), figure by figure")
    for label in (row for row in rounds[0][1] if all(row in a and row in b for a, b in rounds)):
        ratios = zip(
            *([y / x if x else float("nan") for x, y in zip(a[label], b[label], strict=True)] for a, b in rounds),
            strict=True,
        )
        print(f"{label:40s}" + "".join(f"  {statistics.median(r):5.2f} ({min(r):.2f}-{max(r):.2f})" for r in ratios))


if __name__ == "__main__":
    main()
