"""One walk of one robot."""

from __future__ import annotations

import dataclasses
import time as clock
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from plantar._checks import require
from plantar.walk.control.controllers import make
from plantar.walk.control.protocol import Controller
from plantar.walk.control.sensing import Sensing
from plantar.walk.control.timed import Timed
from plantar.walk.control.tuning import Tuning
from plantar.walk.plans.footsteps import Foothold, plan_footsteps
from plantar.walk.plans.gait import Gait
from plantar.walk.result import WalkRecord, WalkResult, WalkStatus
from plantar.walk.robot.legged import Legged
from plantar.walk.sim.metrics import Recorder, measure
from plantar.walk.sim.obstacles import STEP, Bar, Place, draw_bar
from plantar.walk.sim.pushes import Push
from plantar.walk.sim.scene import TIMESTEP, Scene
from plantar.walk.sim.simulation import Simulation

if TYPE_CHECKING:
    from plantar.ground.soil.yielding import YieldingGround
    from plantar.ground.terrain.terrain import Terrain
    from plantar.robots import Robot

STRAY = 0.15
"""Distance from the end of the path, as a share of its length, from which on a robot has strayed."""


class Course:
    """A robot on a ground, built once and walked over as often as wanted.

    Args:
        walker: The robot with its feet on.
        gait: The walk.
        mode: `torque`, `impedance` or any other of `plantar.walk.control.controllers`.
        terrain: The ground; None is level and hard. In a `YieldingGround` the feet leave tracks.
        tuning: Weights and gains of the controller.
        sensing: What the controller is told, and how strong the motors are.
        timestep: Time step of the simulation [s].
        controller: A controller of your own instead of that of the mode.
    """

    def __init__(
        self,
        walker: Robot,
        *,
        gait: Gait | None = None,
        mode: str = "torque",
        terrain: Terrain | YieldingGround | None = None,
        tuning: Tuning | None = None,
        sensing: Sensing | None = None,
        timestep: float = TIMESTEP,
        controller: Controller | None = None,
    ):
        self.walker, self.mode, self.sensing = walker, mode, sensing or Sensing()
        self.tuning = tuning or Tuning()
        limits = self.sensing.torque_limits
        legged = controller.legged if controller is not None else Legged(walker)
        self.controller = controller or make(mode, legged, gait or Gait(), self.tuning, limits)
        self.gait = (gait or Gait()).for_legs(self.controller.stance.leg)
        estimate = self.sensing.state == "estimate"
        self.scene = Scene(walker, legged, terrain=terrain, timestep=timestep, torque_limits=limits, imu=estimate)

    def on(self, terrain: Terrain | YieldingGround) -> Course:
        """The same robot and controller on another ground."""
        timestep = float(self.scene.model.opt.timestep)
        return Course(
            self.walker,
            gait=self.gait,
            mode=self.mode,
            terrain=terrain,
            tuning=self.tuning,
            sensing=self.sensing,
            timestep=timestep,
            controller=self.controller,
        )

    def footsteps(self) -> list[Foothold]:
        """Footholds of the walk as planned from a perfect start."""
        half = self.controller.stance.width / 2
        stance = [Foothold(side=i, position=(0.0, y, 0.0), yaw=0.0) for i, y in enumerate((half, -half))]
        return plan_footsteps(stance, self.gait)

    def bars(self, obstacle: float, place: Place, seed: int, step: int = STEP) -> tuple[Bar, ...]:
        """The bar that a seed puts on the way; the same one for every foot where `place` is `random`."""
        require(0 <= obstacle <= 0.2, "obstacle", obstacle, "a height in metres from 0 to 0.2")
        if obstacle == 0:
            return ()
        chance = float(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))).uniform())
        extents = [sole.outline for sole in self.scene.legged.soles]
        return (draw_bar(obstacle, place, self.footsteps(), extents, chance, step),)

    def run(
        self,
        *,
        obstacle: float = 0.0,
        place: Place = "random",
        bars: Sequence[Bar] | None = None,
        pushes: Sequence[Push] = (),
        seed: int = 0,
        scatter: float = 1.0,
        rest: float = 1.5,
        record: bool = False,
        frames: bool = False,
    ) -> WalkResult:
        """Walk once.

        Args:
            obstacle: Height of a bar of square section across the way; 0 is none [m].
            place: Part of the sole that is to meet it.
            bars: Bars instead of that one.
            pushes: Pushes against the robot.
            seed: Seed of the start, the bar and the noise.
            scatter: How far the start is off; 0 is the perfect stance.
            rest: Time of standing after the last step [s].
            record: Whether the result holds the time series.
            frames: Whether they hold positions of the whole model, for films and pictures.
        """
        require(isinstance(seed, int) and seed >= 0, "seed", seed, "a whole number, 0 or more")
        require(rest >= 0, "rest", rest, "a time in seconds, 0 or more")
        on_way = tuple(self.bars(obstacle, place, seed) if bars is None else bars)
        sim = Simulation(
            self.scene,
            self.controller,
            sensing=self.sensing,
            bars=on_way,
            pushes=pushes,
            seed=seed,
            scatter=scatter,
            rate=self.tuning.rate,
        )
        recorder = Recorder(sim, frames=frames)
        status, spent = self._walk(sim, recorder, rest)
        if sim.tracks is not None:
            sim.tracks.paint()  # so that pictures show them
        path = self._path()
        metrics = measure(recorder, path)
        kept = None
        if record or frames:
            kept = WalkRecord(
                table=recorder.table(),
                frames=np.array(recorder.frames or []),
                frame_times=np.array(recorder.frame_times),
            )
        end = sim.data.subtree_com[self.scene.base][:2]
        way = path[1] - path[0]
        length = float(np.linalg.norm(way))
        if status is WalkStatus.WALKED and length > 0.05 and np.linalg.norm(end - path[1]) > STRAY * length + 0.05:
            status = WalkStatus.STRAYED
        stepper = getattr(self.controller, "stepper", None)
        return WalkResult(
            robot=self.walker.name,
            foot=_foot_name(self.walker),
            mode=self.mode,
            seed=seed,
            obstacle=obstacle if bars is None else max((b.height for b in on_way), default=0.0),
            place=place if on_way else "",
            bars=on_way,
            bar_under=self._under(on_way),
            status=status,
            steps=stepper.taken if stepper else 0,
            recoveries=stepper.recoveries if stepper else 0,
            distance=float(end @ way / length) if length > 1e-6 else float(np.linalg.norm(end)),
            duration=float(sim.data.time),
            metrics=metrics,
            failures=getattr(self.controller, "failures", 0),
            control_s=spent[0],
            physics_s=spent[1],
            record=kept,
        )

    def _walk(self, sim: Simulation, recorder: Recorder, rest: float) -> tuple[WalkStatus, tuple[float, float]]:
        """Tick until the robot stands, falls, or the time is over."""
        g = self.gait
        most = g.settle + 2 * g.start + 1.3 * g.steps * (g.single_support + g.double_support) + rest + 2.0
        stood = None
        start = clock.perf_counter()
        controller = Timed(sim.controller)
        sim.controller = controller  # type: ignore[assignment]
        try:
            while True:
                sim.tick()
                recorder(sim)
                now = float(sim.data.time)
                if sim.fallen:
                    status = WalkStatus.FELL
                    break
                stood = (now if stood is None else stood) if controller.done else None
                if stood is not None and now - stood >= rest:
                    status = WalkStatus.WALKED
                    break
                if now > most:
                    status = WalkStatus.STUCK
                    break
        finally:
            sim.controller = controller.inner
        total = clock.perf_counter() - start
        return status, (controller.spent, total - controller.spent)

    def _under(self, bars: Sequence[Bar]) -> float | None:
        """Where the first bar lies under the sole that it is meant for [m]."""
        steps = self.footsteps()
        return bars[0].x - float(steps[STEP].xy[0]) if bars and len(steps) > STEP else None

    def _path(self) -> np.ndarray:
        """Start and end of the planned path."""
        steps = self.footsteps()
        if len(steps) < 2:
            return np.zeros((2, 2))
        return np.array([np.zeros(2), (steps[-1].xy + steps[-2].xy) / 2])


def _foot_name(walker: Robot) -> str:
    foot = walker.places[0].foot
    if foot is None:
        return "own"
    return foot.name if foot.fidelity == "full" else f"{foot.name}:{foot.fidelity}"


def trial(
    walker: Robot,
    *,
    obstacle: float = 0.0,
    seed: int = 0,
    gait: Gait | None = None,
    mode: str = "torque",
    place: Place = "random",
    terrain: Terrain | YieldingGround | None = None,
    pushes: Sequence[Push] = (),
    sensing: Sensing | None = None,
    tuning: Tuning | None = None,
    timestep: float = TIMESTEP,
    record: bool = False,
    frames: bool = False,
    **more,  # noqa: ANN003
) -> WalkResult:
    """Let a robot walk once; see `Course` for many walks of one robot.

    Args:
        walker: The robot with its feet on, from `plantar.robots.load` or `mount`.
        obstacle: Height of a bar across the way; 0 is none [m].
        seed: Seed of the start, the bar and the noise; the same one gives the same bits.
        gait: The walk; by default 8 steps with an obstacle and 20 without.
        mode: `torque`, or `impedance` for stiff joints about the planned motion as well.
        place: Part of the sole that is to meet the bar.
        terrain: The ground; None is level and hard. In a `YieldingGround` the feet leave tracks.
        pushes: Pushes against the robot.
        sensing: What the controller is told: the truth, or an estimate from noisy sensors.
        tuning: Weights and gains of the controller.
        timestep: Time step of the simulation [s].
        record: Whether the result holds time series.
        frames: Whether they hold positions for films.
        **more: Passed to `Course.run`.
    """
    if gait is None:
        gait = Gait(steps=8 if obstacle else 20)
    course = Course(walker, gait=gait, mode=mode, terrain=terrain, tuning=tuning, sensing=sensing, timestep=timestep)
    return course.run(obstacle=obstacle, place=place, pushes=pushes, seed=seed, record=record, frames=frames, **more)


def no_walk(seconds: float) -> Gait:
    """A gait that only stands, for pushes and standing tests."""
    return dataclasses.replace(Gait(), steps=0, settle=seconds)
