"""The loop of a search: propose a round of feet, run them on a sweep, report the results, repeat.

Rounds have a fixed size whatever the number of workers, and results are reported in the order proposed. A run that
was stopped makes the same proposals again from the start and finds the results in the sweeps of its rounds, so that it
ends where it would have ended; there is no state to lose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plantar import sweep
from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar.design.evaluate import NOT_BUILT, VIOLATION
from plantar.design.measure import Goal
from plantar.design.sampler import Proposer, SamplerName
from plantar.design.space import Space
from plantar.progress import Progress

BATCH = 8
"""Feet per round: as many as may run at once."""


@checks_arguments
def explore(
    function: Any,
    space: Space,
    goals: Sequence[Goal] | Mapping[str, float],
    *,
    evaluations: int,
    out: str | Path,
    batch: int = BATCH,
    seed: int = 0,
    sampler: SamplerName = "auto",
    first: Sequence[Mapping[str, Any]] = (),
    engine: sweep.EngineName = "threads",
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[dict[str, Any]]:
    """Search a space with a budget of evaluations; see this module on kills and engines.

    Args:
        function: Takes (config, seed), where `config["values"]` are the values of a proposal, and returns a record with
            every goal, `violation` (0 if all limits are kept) and `reason`.
        space: What may be proposed.
        goals: Goals, or by column 1 (small is good) or -1.
        evaluations: How many proposals are run.
        out: Folder of the rounds; one that holds this very search is continued.
        batch: Proposals of a round.
        seed: Seed of the sampler and, by the number of the round, of the sweeps.
        sampler: What proposes; see `plantar.design.sampler`.
        first: Values that are tried before all others.
        engine: Engine of `plantar.sweep`; the table does not depend on it.
        workers: How many run at once.
        progress: Called with the number of evaluations that ended; by default a bar with the time left.

    Returns:
        One row per evaluation in order: `trial`, `round`, the values, what was measured, `violation` and `reason`.
    """
    require(1 <= evaluations <= 10**6, "evaluations", evaluations, "an integer from 1 to a million")
    require(1 <= batch <= 10**4, "batch", batch, "an integer from 1 to 10000")
    signs = dict(goals) if isinstance(goals, Mapping) else {goal.label: goal.sign for goal in goals}
    proposer = Proposer(space, list(signs.values()), sampler, seed=seed, population=max(3 * batch, 12), first=first)
    rows: list[dict[str, Any]] = []
    folder = Path(out)
    with Progress(evaluations, "designing") as bar:
        while len(rows) < evaluations:
            number = len(rows) // batch
            asked = proposer.ask(min(batch, evaluations - len(rows)))
            configs = [{"values": values} for _, values in asked]
            ran = sweep.run(
                function,
                configs,
                engine,
                out=folder / f"round{number:04d}",
                seed=sweep.trial_seed(seed, number),
                workers=workers,
                progress=progress or bar.advance,
            )
            there = len(asked) - ran.ran
            (progress or bar.advance)(there)  # those of an earlier run
            for (trial, values), row in zip(asked, ran.load(), strict=True):
                record = record_of(row, signs)
                parts = record.get(f"{next(iter(signs))}.parts") if len(signs) == 1 else None
                proposer.tell(trial, [record[label] for label in signs], record[VIOLATION], parts)
                rows.append({"trial": len(rows), "round": number, **values, **record})
    return rows


def record_of(row: Mapping[str, Any], labels: Iterable[str]) -> dict[str, Any]:
    """What an evaluation returned, from its row of a sweep; one that failed counts as a foot that cannot be built."""
    own = {k: v for k, v in row.items() if k not in ("trial", "seed", "status", "error_type", "error")}
    own = {k: v for k, v in own.items() if not k.startswith("config.")}
    if row["status"] != "ok":
        nothing = dict.fromkeys(labels, float("nan"))
        return {**nothing, **own, **nothing, VIOLATION: NOT_BUILT, "reason": f"{row['error_type']}: {row['error']}"}
    return own
