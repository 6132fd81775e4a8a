"""Presses as trials of a sweep."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from plantar._config import Checked
from plantar._fields import edited
from plantar._files import to_json
from plantar.bench.press.gpu import Bench, press_on_gpu
from plantar.bench.press.press import Trial, run_trials
from plantar.bench.press.rig import PressRig
from plantar.errors import Diverged, InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Row

NAMES = ("load", "height", "position")


@dataclass(frozen=True, kw_only=True)
class PressTrials(Checked):
    """Presses of a foot, many per call, on MuJoCo's own batch.

    A config holds `load` [N], `height` [m] and `position` as in `plantar.bench.press.Trial`, and may
    change a field of the foot or of the rig for that trial: `foot.band.hardness`, `rig.tilt`. A record is
    a row of `plantar.bench.press` without what the config says. The seed plays no part.
    """

    batch_size: ClassVar[int] = 16
    """Trials of a batch: enough to share one model, few enough to lose little in a kill."""

    gpu_batch_size: ClassVar[int] = 8192
    """The same on a GPU."""

    foot: Foot = field(default_factory=lambda: SoftFoot(chains=1))
    """The foot, before a trial changes it."""
    rig: PressRig = field(default_factory=PressRig)
    """The bench, before a trial changes it."""
    duration: float = 5.0
    """Simulated time of a trial [s]."""

    def __call__(self, config: Mapping[str, Any] | Trial, seed: int = 0) -> Row:
        """Run one trial by itself; if it diverges, it leaves a dump that can be replayed."""
        trial, changes = _split(config)
        return self._press([trial], changes)[0]

    def check(self, config: Mapping[str, Any] | Trial) -> None:
        """Raise `InvalidInput` if a trial cannot be run."""
        trial, changes = _split(config)
        foot, rig = self._parts(changes)
        rig.obstacle_x(foot, trial.position)

    def run_batch(self, configs: Sequence[Mapping[str, Any] | Trial], seeds: Sequence[int]) -> list[Row | InvalidInput]:
        """Run many trials; those of equal feet and rigs share a model."""
        found: list[Row | InvalidInput] = [InvalidInput("not run")] * len(configs)
        groups: dict[str, tuple[dict[str, Any], list[tuple[int, Trial]]]] = {}
        for i, config in enumerate(configs):
            try:
                trial, changes = _split(config)
                groups.setdefault(to_json(dict(sorted(changes.items()))), (changes, []))[1].append((i, trial))
            except InvalidInput as error:
                found[i] = error
        for changes, members in groups.values():
            for (i, _), row in zip(members, self._press_quietly([t for _, t in members], changes), strict=True):
                found[i] = row
        return found

    def run_batch_gpu(
        self, configs: Sequence[Mapping[str, Any] | Trial], seeds: Sequence[int]
    ) -> list[Row | Exception]:
        """Run many trials in MuJoCo Warp; trials whose feet and rigs differ only in numbers share a launch."""
        found: list[Row | Exception] = [InvalidInput("not run")] * len(configs)
        benches: dict[str, Bench] = {}
        todo: list[tuple[int, Trial, Bench]] = []
        for i, config in enumerate(configs):
            try:
                trial, changes = _split(config)
                key = to_json(dict(sorted(changes.items())))
                if key not in benches:
                    benches[key] = Bench.build(*self._parts(changes))
                todo.append((i, trial, benches[key]))
            except InvalidInput as error:
                found[i] = error
        steps = [round(self.duration / bench.rig.timestep) for _, _, bench in todo]
        rows = press_on_gpu([(trial, bench) for _, trial, bench in todo], steps)
        for (i, _, _), row in zip(todo, rows, strict=True):
            found[i] = row if isinstance(row, Exception) else _own(row)
        return found

    def _press(self, todo: Sequence[Trial], changes: Mapping[str, Any]) -> list[Row]:
        foot, rig = self._parts(changes)
        table = run_trials(foot, rig, todo, self.duration, threads=1)
        return [_own(row) for row in table]

    def _parts(self, changes: Mapping[str, Any]) -> tuple[Foot, PressRig]:
        """Foot and rig with the changes of a trial."""
        mine: dict[str, dict[str, Any]] = {"foot": {}, "rig": {}}
        for path, value in changes.items():
            part, _, name = path.partition(".")
            mine[part][name] = value
        return edited(self.foot, mine["foot"]), edited(self.rig, mine["rig"])

    def _press_quietly(self, todo: Sequence[Trial], changes: Mapping[str, Any]) -> list[Row]:
        try:
            return self._press(todo, changes)
        except Diverged as error:
            if error.dump is None:
                raise
            # a sweep may hold thousands of these, and a path made up at random does not belong in its table
            shutil.rmtree(error.dump, ignore_errors=True)
            message = str(error).partition(" (t = ")[0]
            raise Diverged(message, time=error.time, body=error.body) from None


def _own(row: Row) -> Row:
    """A row of the bench without what the config says."""
    return {key: value for key, value in row.items() if key not in ("trial", *NAMES)}


def _split(config: Mapping[str, Any] | Trial) -> tuple[Trial, dict[str, Any]]:
    """The press itself, and the changes to foot and rig.

    Raises:
        InvalidInput: If a field is missing, unknown or not allowed.
    """
    fields = asdict(config) if isinstance(config, Trial) else dict(config)
    missing = [name for name in NAMES if name not in fields]
    if missing:
        raise InvalidInput(f"config has no {missing[0]!r}: give load, height and position")
    changes = {name: value for name, value in fields.items() if name not in NAMES}
    for name in changes:
        if not name.startswith(("foot.", "rig.")):
            raise InvalidInput(
                f"unknown field {name!r} of a press: give load, height, position, foot.FIELD or rig.FIELD"
            )
    return Trial(**{name: fields[name] for name in NAMES}), changes
