"""Press a foot on obstacles: the 48 trials of Crotti et al. (2024)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._config import Checked
from plantar.bench.press.result import PressResult
from plantar.bench.press.rig import AWAY, PREFIX, SUPPORTS, PressRig
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.settle import Progress, Recording, has_settled, settle
from plantar.table import Row, Table

LOADS = (12.0, 24.0)
"""Loads of the paper [N]."""
HEIGHTS = (0.007, 0.011, 0.015, 0.019)
"""Obstacle heights of the paper [m]."""
POSITIONS = (1, 2, 3, 4, 5, 6)
"""Modules under which the paper puts the obstacle."""


@dataclass(frozen=True)
class Trial(Checked):
    """One press."""

    load: float
    """Force of the slider on the ankle, without the foot's own weight [N]."""
    height: float
    """Top of the obstacle over the supports [m]; 0 takes the obstacle away."""
    position: int
    """Module over the obstacle, 1 next to the heel."""

    def __post_init__(self) -> None:
        """Check the trial; both limits catch newtons or millimetres given for the other."""
        require(0 <= self.load <= 2000, "load", self.load, "a force from 0 to 2000 N")
        require(0 <= self.height <= 0.1, "height", self.height, "a height in metres from 0 to 0.1")


def trials(
    loads: Sequence[float] = LOADS, heights: Sequence[float] = HEIGHTS, positions: Sequence[int] = POSITIONS
) -> list[Trial]:
    """All combinations, in the paper's order: load, height, position."""
    return [Trial(*combination) for combination in itertools.product(loads, heights, positions)]


def press(
    foot: Foot | None = None,
    *,
    loads: Sequence[float] = LOADS,
    heights: Sequence[float] = HEIGHTS,
    positions: Sequence[int] | None = None,
    rig: PressRig | None = None,
    duration: float = 5.0,
    threads: int = 0,
    progress: Progress | None = None,
    recording: Recording | None = None,
) -> PressResult:
    """Press a foot on an obstacle under each module and read forces and rotations at the end.

    Args:
        foot: The foot; by default a single-chain `SoftFoot`, as on the paper's bench.
        loads: Slider forces [N].
        heights: Obstacle heights [m].
        positions: Modules under which the obstacle stands; all of the foot's by default.
        rig: The bench; by default the paper's.
        duration: Simulated time of a trial [s].
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of trials finished since the last call.
        recording: Takes the poses of all bodies on the way, for a film.

    Returns:
        One row per trial: load, height, position, forces on heel, module (the obstacle) and
        metatarsus, their total, the weight carried, rotation of every module (front down, from the
        straight foot), the largest tendon tension and loop residual, and whether it settled. SI
        units; forces are vertical components, of the foot on the bench.

    Raises:
        InvalidInput: If the foot cannot lie on the bench, or a trial or the rig cannot be built.
        Diverged: If a simulation blows up.
    """
    foot = SoftFoot(chains=1) if foot is None else foot
    rig = PressRig() if rig is None else rig
    places = range(1, len(foot.stations.module_x) + 1) if positions is None else positions
    table = run_trials(foot, rig, trials(loads, heights, places), duration, threads, progress, recording)
    return PressResult(table=table, foot=foot, rig=rig, recording=recording)


@checks_arguments
def run_trials(
    foot: Foot,
    rig: PressRig,
    todo: Sequence[Trial],
    duration: float = 5.0,
    threads: int = 0,
    progress: Progress | None = None,
    recording: Recording | None = None,
) -> Table:
    """Run a list of trials at once on MuJoCo's own thread pool; see `press`."""
    require(len(todo) > 0, "trials", list(todo), "at least one trial")
    model = rig.spec(foot).compile()
    batch = Batch(model, nsim=len(todo), nthread=threads)
    set_initial_states(batch, foot, rig, todo)
    settle(batch, duration, progress=progress, recording=recording)
    ends = (batch.bind(name) for name in ("sensordata", "xmat", "qvel"))
    rows = zip(todo, *ends, strict=True)
    return Table(trial_row(model, foot, trial, i, *end) for i, (trial, *end) in enumerate(rows))


def set_initial_states(batch: Batch, foot: Foot, rig: PressRig, todo: Sequence[Trial]) -> None:
    """Put every simulation at its start: slider up, obstacle in place, load on."""
    slider = batch.model.joint("slider").qposadr[0]
    for i, trial in enumerate(todo):
        height, obstacle = initial_state(foot, rig, trial)
        batch.bind("qpos")[i, slider] = height
        batch.bind("ctrl")[i, 0] = trial.load
        batch.bind("mocap_pos")[i, 0] = obstacle


def initial_state(foot: Foot, rig: PressRig, trial: Trial) -> tuple[float, tuple[float, float, float]]:
    """Height of the slider and place of the obstacle when a trial begins [m]."""
    top = trial.height if trial.height > 0 else AWAY
    return rig.start_height(foot, trial.height), (rig.obstacle_x(foot, trial.position), rig.obstacle_y, top)


def trial_row(
    model: mujoco.MjModel,
    foot: Foot,
    trial: Trial,
    i: int,
    sensors: np.ndarray,
    frames: np.ndarray,
    speeds: np.ndarray,
) -> Row:
    """The row of trial `i` from the sensors, the bodies' frames and the joints' speeds at its end."""
    forces = vertical_forces(model, sensors, foot)
    rotations = module_rotations(model, frames, foot)
    row: Row = {"trial": i + 1, "load": trial.load, "height": trial.height, "position": trial.position}
    row |= {f"force_{name}": force for name, force in forces.items()}
    row["weight"] = float(model.body("slider").subtreemass[0]) * -float(model.opt.gravity[2])
    row |= {f"rotation_{k}": rotation for k, rotation in enumerate(rotations, start=1)}
    row["tension"] = max(tensions(model, sensors, foot), default=0.0)
    row["residual"] = max(foot.residuals(model, sensors, PREFIX), default=0.0)
    row["settled"] = has_settled(speeds)
    return row


def vertical_forces(model: mujoco.MjModel, sensors: np.ndarray, foot: Foot) -> dict[str, float]:
    """Vertical force of the foot on the bench: heel, module, metatarsus and total [N].

    On supports these are the readings of the three obstacles, as in the paper; on a flat floor
    the heel and the metatarsus are those parts of the sole, and the total is of the whole sole.
    """
    if _has(model, "heel_support_force"):
        heel, module, metatarsus = (-_read(model, sensors, f"{body}_force")[2] for body in SUPPORTS)
        total = heel + module + metatarsus
    else:
        on_foot = {body: _read(model, sensors, f"{PREFIX}{body}_force")[2] for body in foot.contact_bodies}
        ends = foot.stations
        if ends.rear_body == ends.front_body:
            raise InvalidInput(
                f"foot {foot.name!r} is one part: on a floor heel and front are not told apart, leave flat off"
            )
        heel = on_foot[ends.rear_body]
        module = -_read(model, sensors, "obstacle_force")[2]
        metatarsus = sum(force for body, force in on_foot.items() if body.endswith(ends.front_body))
        total = sum(on_foot.values())
    forces = {"heel": heel, "module": module, "metatarsus": metatarsus, "total": total}
    return {name: float(force) for name, force in forces.items()}


def module_rotations(model: mujoco.MjModel, xmat: np.ndarray, foot: Foot) -> list[float]:
    """Pitch of the modules of the middle chain, front down [rad]."""
    frames = [xmat[model.body(f"{PREFIX}{body}").id] for body in foot.stations.bodies]
    return [float(np.arctan2(-frame[6], frame[0])) for frame in frames]


def tensions(model: mujoco.MjModel, sensors: np.ndarray, foot: Foot) -> list[float]:
    """Tension of a chain, or of its tendon where it has one, for each chain that is built [N]."""
    return [foot.tension_share * float(_read(model, sensors, PREFIX + name)[0]) for name in foot.tension_sensors]


def _has(model: mujoco.MjModel, sensor: str) -> bool:
    return mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SENSOR, sensor) >= 0


def _read(model: mujoco.MjModel, sensors: np.ndarray, name: str) -> np.ndarray:
    sensor = model.sensor(name)
    return sensors[sensor.adr[0] : sensor.adr[0] + sensor.dim[0]]
