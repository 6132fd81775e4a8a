"""Presses on a GPU: one launch for all trials whose feet and rigs differ in numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from plantar import settle
from plantar.bench.press.press import Trial, initial_state, trial_row
from plantar.bench.press.rig import PREFIX, PressRig
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.sweep.engines.warp_batch import End, Start, run_worlds, share_launch
from plantar.table import Row


@dataclass(frozen=True)
class Bench:
    """A foot on a rig, compiled for the GPU."""

    foot: Foot
    rig: PressRig
    model: mujoco.MjModel

    @staticmethod
    def build(foot: Foot, rig: PressRig, child: mujoco.MjSpec | None = None) -> Bench:
        """Compile the rig without the force sensors that nobody reads, a third of the cost of a step in Warp."""
        spec = rig.spec(foot) if child is None else rig.spec(foot, child)
        unread = {f"{PREFIX}{body}_force" for body in foot.contact_bodies} if not rig.flat else set()
        for sensor in [s for s in spec.sensors if s.name in unread]:
            spec.delete(sensor)
        # Warp's own collider of boxes; its general one finds other points under a nearly flat heel than the CPU's
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
        return Bench(foot, rig, spec.compile())


@dataclass
class _Launch:
    """Benches whose worlds can be stepped together, and the trials on them."""

    benches: list[Bench]
    trials: list[tuple[int, Trial, int]] = field(default_factory=list)
    """Number of a trial, the trial, and number of its bench."""


def press_on_gpu(
    todo: Sequence[tuple[Trial, Bench]], steps: Sequence[int], *, read: Callable[..., Row] = trial_row
) -> list[Row | Exception]:
    """Run trials, each on its bench for its steps; a trial that diverges or cannot begin has its error in place.

    Args:
        todo: The trials and their benches.
        steps: Steps of each.
        read: Makes the row of a trial, as `plantar.bench.press.trial_row` does.
    """
    found: list[Row | Exception] = [InvalidInput("not run")] * len(todo)
    for launch, count in _launches(todo, steps):
        try:
            rows = _run_launch(launch, count, read)
        except NotImplementedError as error:
            # Warp names what it cannot do: that is so for every world of the launch
            reason = InvalidInput(f"MuJoCo Warp cannot run this model ({error}): give engine='threads'")
            rows = {i: reason for i, _, _ in launch.trials}
        for i, row in rows.items():
            found[i] = row
    return found


def _launches(todo: Sequence[tuple[Trial, Bench]], steps: Sequence[int]) -> list[tuple[_Launch, int]]:
    launches: list[tuple[_Launch, int]] = []
    places: dict[tuple[int, int], tuple[_Launch, int]] = {}
    for i, ((trial, bench), count) in enumerate(zip(todo, steps, strict=True)):
        key = (id(bench), count)
        if key not in places:
            launch = next((one for one, n in launches if n == count and _fits(one, bench)), None)
            if launch is None:
                launch = _Launch([])
                launches.append((launch, count))
            places[key] = launch, len(launch.benches)
            launch.benches.append(bench)
        launch, place = places[key]
        launch.trials.append((i, trial, place))
    return launches


def _fits(launch: _Launch, bench: Bench) -> bool:
    return share_launch(launch.benches[0].model, bench.model) is not None


def _run_launch(launch: _Launch, steps: int, read: Callable[..., Row]) -> dict[int, Row | Exception]:
    rows: dict[int, Row | Exception] = {}
    ready: list[tuple[int, Trial, int]] = []
    begins = []
    for i, trial, place in launch.trials:
        bench = launch.benches[place]
        try:
            begins.append(initial_state(bench.foot, bench.rig, trial))
            ready.append((i, trial, place))
        except InvalidInput as error:
            rows[i] = error
    if not ready:
        return rows
    end = _step(launch, ready, begins, steps)
    for world, (i, trial, place) in enumerate(ready):
        bench = launch.benches[place]
        if world in end.diverged:
            rows[i] = end.diverged[world]
            continue
        values = (end.sensordata[world].astype(float), end.xmat[world].astype(float), end.qvel[world].astype(float))
        rows[i] = read(bench.model, bench.foot, trial, i, *values)
    return rows


def _step(launch: _Launch, ready: Sequence[tuple[int, Trial, int]], begins: Sequence[tuple], steps: int) -> End:
    models = [bench.model for bench in launch.benches]
    base, worlds = models[0], len(ready)
    qpos = np.stack([models[place].qpos0 for _, _, place in ready])
    qpos[:, base.joint("slider").qposadr[0]] = [height for height, _ in begins]
    ctrl = np.array([[trial.load] for _, trial, _ in ready])
    mocap = np.zeros((worlds, base.nmocap, 3))
    mocap[:, 0] = [place for _, place in begins]
    start = Start(qpos=qpos, ctrl=ctrl, mocap_pos=mocap)
    model_of = np.array([place for _, _, place in ready])
    return run_worlds(models, model_of, start, steps, speed_limit=settle.SPEED_LIMIT)
