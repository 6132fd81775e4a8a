"""Clips of the bench: a foot on the press or with its toes raised, and many presses side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar.bench.mechanism import OWN
from plantar.bench.press.press import Trial, set_initial_states, tensions, vertical_forces
from plantar.bench.press.result import PressResult
from plantar.bench.press.rig import PressRig
from plantar.bench.stiffness import StiffnessResult, growing, obstacle_place, put_down
from plantar.bench.windlass.rig import WindlassRig
from plantar.bench.windlass.toe_bar import ToeBar
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.settle import SETTLED_SPEED, settle
from plantar.show.clip import Clip
from plantar.show.recorder import ClipRecorder
from plantar.show.view import View

TICK = 0.02
"""Time between two frames [s]."""
LONGEST = 2.0
"""Longest time that is shown; feet are at rest before [s]."""
CLOSE = View(azimuth=125, elevation=-20)
"""Viewpoint of a foot."""
FOOT = (0.31, 0.25)
"""Space for each trial when many are shown side by side, along and across the foot [m]."""
BELOW = 0.055
"""Depth of the floor under the tops of the supports [m]."""


def press_clip(foot: Foot, trial: Trial, rig: PressRig | None = None) -> Clip:
    """A foot comes down on an obstacle and is loaded until it rests.

    Args:
        foot: The foot.
        trial: Load, and height and place of the obstacle.
        rig: The bench; by default the paper's.

    Raises:
        InvalidInput: If the foot cannot lie on the bench.
        Diverged: If the simulation blows up.
    """
    rig = rig or PressRig()
    model = rig.spec(foot).compile()
    batch = Batch(model, nsim=1, nthread=1)
    set_initial_states(batch, foot, rig, [trial])

    def read(data: mujoco.MjData) -> dict[str, float]:
        forces = vertical_forces(model, data.sensordata, foot)
        pull = max(tensions(model, data.sensordata, foot), default=0.0)
        named = {f"{name} [N]": forces[name] + 0.0 for name in ("heel", "module", "metatarsus")}
        return {"load [N]": trial.load, **named, "tension [N]": pull}

    film = _Film(batch, read)
    settle(batch, LONGEST, tick=TICK, watch=film.take)
    on = f"{1e3 * trial.height:.3g} mm under module {trial.position}" if trial.height > 0 else "no obstacle"
    return film.clip(f"{foot.title or foot.name}: {trial.load:g} N, {on}", floor=0.0 if rig.flat else -BELOW)


def windlass_clip(foot: Foot, angle: float, stand: float | None = None) -> Clip:
    """A bar raises the toes of a foot that stands under a load, or is held in the air.

    Args:
        foot: A foot with toes.
        angle: How far they are raised [rad].
        stand: Load [N]; None holds the ankle in the air.

    Raises:
        InvalidInput: If the foot has no toes.
        Diverged: If the simulation blows up.
    """
    bar = ToeBar(foot, WindlassRig(stand=stand), 1, 1)
    bar.settle(LONGEST)
    start = bar.read()

    def read(_: mujoco.MjData) -> dict[str, float]:
        now = bar.read()
        rise, lift, short = (float(now[n][0] - start[n][0]) for n in ("toe_pitch", "arch_height", "heel_to_metatarsus"))
        return {
            "toes up [deg]": -math.degrees(rise),
            "arch lift [mm]": 1e3 * lift,
            "shortening [mm]": -1e3 * short,
            "tension [N]": float(now["tension"][0]),
        }

    film = _Film(bar.batch, read, every=2)
    bar.raise_toes(np.array([angle]), 2 * LONGEST, watch=film.take)
    under = "in the air" if stand is None else f"under {stand:g} N"
    floor = -0.05 if stand is None else 0.0
    return film.clip(f"{foot.title or foot.name}: toes up by {math.degrees(angle):.3g}°, {under}", floor=floor)


def stiffness_clip(result: StiffnessResult) -> Clip:
    """The foot in question is pressed with the largest load, which grows as in the measurement.

    Raises:
        Diverged: If the simulation blows up.
    """
    foot, s = result.feet[OWN], result.settings
    load, rig = float(max(s["loads"])), s["rig"]
    batch, touch = put_down(foot, rig, obstacle_place(s["obstacle"], rig, s["x"]), 1, 1)
    model = batch.model
    slider = int(model.joint("slider").qposadr[0])

    def read(data: mujoco.MjData) -> dict[str, float]:
        pull = max(tensions(model, data.sensordata, foot), default=0.0)
        sunk = 1e3 * (touch - float(data.qpos[slider]))
        return {"load [N]": float(data.ctrl[0]), "deflection [mm]": sunk, "tension [N]": pull}

    film = _Film(batch, read)
    drive = growing(batch, np.array([load]), LONGEST, TICK)
    settle(batch, LONGEST, drive=drive, tick=TICK, watch=film.take)
    on = {"cylinder": "on a cylinder", "point": "on a ball", "flat": "on flat ground"}[s["obstacle"]]
    return film.clip(f"{foot.title or foot.name}: up to {load:g} N {on}", floor=0.0)


class _Film:
    """Takes frames of a batch of one, until nothing moves."""

    def __init__(self, batch: Batch, read: Callable[[mujoco.MjData], dict[str, float]], every: int = 1):
        self.batch, self.read, self.every, self.count = batch, read, every, 0
        self.recorder, self.data = ClipRecorder(batch.model), mujoco.MjData(batch.model)
        self._add(0.0)

    def take(self) -> None:
        """Add a frame, unless the foot came to rest before."""
        self.count += 1
        moving = float(np.abs(self.batch.bind("qvel")[0]).max(initial=0.0)) > SETTLED_SPEED
        if self.count % self.every == 0 and (moving or self.rested < 2):
            self._add(self.count * (TICK / self.every))
            self.rested = 0 if moving else self.rested + 1

    rested = 0
    """Frames in which nothing has moved."""

    def _add(self, time: float) -> None:
        self.batch.get_data(0, self.data)
        mujoco.mj_forward(self.batch.model, self.data)
        self.recorder.take(time, self.data, self.read(self.data))

    def clip(self, title: str, floor: float) -> Clip:
        """The film."""
        return self.recorder.clip(title, view=CLOSE, data=self.data, floor=floor)


def presses_clip(result: PressResult) -> Clip:
    """All trials of a recorded press side by side: higher obstacles at the back, positions to the right.

    Raises:
        InvalidInput: If the result has no recording.
    """
    if result.recording is None or not result.recording.times:
        raise InvalidInput("the press was not recorded: run it with recording=Recording()")
    model, table, recording = result.rig.spec(result.foot).compile(), result.table, result.recording
    places = _grid(table.column("position"), [(r["load"], r["height"]) for r in table])
    recorder = ClipRecorder(model, overlays=False)
    end = _rest(np.array(recording.positions))
    for time, positions, frames in list(zip(recording.times, recording.positions, recording.frames, strict=True))[:end]:
        recorder.take_bodies(time, positions, frames, places)
    view = _front(places)
    notes = ("from left to right: the obstacle under each module", "from front to back: higher obstacles, larger loads")
    title = f"{result.foot.title or result.foot.name} on the press: {len(table)} trials"
    return recorder.clip(title, view=view, notes=notes, floor=-BELOW)


def _front(places: np.ndarray) -> View:
    """A view in which the front row fills the window, so that feet are large, and all rows are seen."""
    wide, deep, _ = (float(v) for v in np.ptp(places, axis=0))
    middle, ahead = float(places[:, 0].mean()), float(places[:, 1].min()) + 0.4 * deep
    distance = max(0.85 * (wide + FOOT[0]), 0.75 * deep, 0.5) + 0.33 * deep
    return View(azimuth=90, elevation=-32, distance=distance, centre=(middle, ahead, 0.02))


def _grid(columns: np.ndarray, rows: Sequence[object]) -> np.ndarray:
    """Where each trial stands (trials, 3) [m]."""
    ranks = {value: k for k, value in enumerate(dict.fromkeys(rows))}
    along = np.unique(columns, return_inverse=True)[1]
    return np.array([[FOOT[0] * x, FOOT[1] * ranks[row], 0.0] for x, row in zip(along, rows, strict=True)])


def _rest(positions: np.ndarray) -> int:
    """Frames until nothing moves by more than a tenth of a millimetre any more."""
    off = np.abs(positions - positions[-1]).max(axis=(1, 2, 3))
    moving = np.flatnonzero(off > 1e-4)
    return min(int(moving[-1]) + 3, len(positions)) if len(moving) else len(positions)
