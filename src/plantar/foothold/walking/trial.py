"""One walk of one quadruped over one ground."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING

import numpy as np

from plantar._checks import require
from plantar.foothold.sole import LearnedSole, Sole
from plantar.foothold.walking.body import FourLegged
from plantar.foothold.walking.chooser import Chooser, find_chooser
from plantar.foothold.walking.controller import SETTLE, Controller
from plantar.foothold.walking.eyes import Eyes
from plantar.foothold.walking.measures import legs_of
from plantar.foothold.walking.metrics import Recorder
from plantar.foothold.walking.result import CrossRecord, CrossResult, CrossStatus
from plantar.foothold.walking.scene import FootScene
from plantar.foothold.walking.simulation import Simulation
from plantar.foothold.walking.terrains import make_terrain, map_of
from plantar.foothold.walking.trot import TrotController
from plantar.foothold.walking.tuning import Crawl, Trot, Tuning
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.ground.terrain.terrain import Terrain
from plantar.walk.sim.scene import TIMESTEP

if TYPE_CHECKING:
    from plantar.robots import Robot

DISTANCE = 1.5
"""Way of the base after which a ground is crossed; hind feet are then beyond it [m]."""
REST = 0.6
"""Time for which the robot has to stand at the end [s]."""


class Crossing:
    """A quadruped that crosses grounds, built once and walked as often as wanted.

    Args:
        walker: The robot with its feet on.
        crawl: The gait.
        trot: A trot instead of it.
        tuning: Weights and gains of the controller.
        sole: What the feet want, for choosing; None: as `plantar.foothold.sole_of` says of the feet.
        timestep: Time step of the simulation [s].
    """

    def __init__(
        self,
        walker: Robot,
        *,
        crawl: Crawl | None = None,
        trot: Trot | None = None,
        tuning: Tuning | None = None,
        sole: Sole | LearnedSole | None = None,
        timestep: float = TIMESTEP,
    ):
        self.walker, self.timestep = walker, timestep
        self.trot = trot
        self.crawl = trot.posture if trot is not None else crawl or Crawl()
        self.tuning = tuning or (Tuning() if trot is None else trot.tuning())
        self.legged = FourLegged(walker)
        if sole is not None:
            self.legged.sole = sole
        self.legs = legs_of(self.legged)

    def simulation(
        self,
        terrain: Terrain,
        chooser: Chooser,
        *,
        elevation: ElevationMap | None = None,
        distance: float = DISTANCE,
        seed: int = 0,
        scatter: float = 1.0,
    ) -> Simulation:
        """A walk that is about to begin; see `run`."""
        scene = FootScene(self.walker, self.legged, terrain=terrain, timestep=self.timestep, bars=0)
        sole = self.legged.sole
        size = (getattr(sole, "length", 2 * self.legged.ankle_height), getattr(sole, "width", 0.06))
        eyes = Eyes(elevation or map_of(terrain), *size)
        if self.trot is None:
            controller = Controller(self.legged, self.legs, eyes, chooser, self.crawl, self.tuning, distance)
        else:
            controller = TrotController(self.legged, self.legs, eyes, chooser, self.trot, self.tuning, distance)
        return Simulation(scene, controller, seed=seed, scatter=scatter)

    def run(
        self,
        terrain: str | Terrain = "flat",
        choose: str | Chooser = "analytic",
        *,
        seed: int = 0,
        difficulty: float = 1.0,
        distance: float = DISTANCE,
        elevation: ElevationMap | None = None,
        scatter: float = 1.0,
        frames: bool = False,
    ) -> CrossResult:
        """Walk once.

        Args:
            terrain: A kind of `plantar.foothold.walking.TERRAINS`, drawn by the seed, or a terrain; level to 0.55 m.
            choose: A way of the table in docs/foothold_walk.md, as `analytic` or `physics`, or a function from
                `Question` to `CostMap`.
            seed: Seed of ground and start.
            difficulty: Factor on the heights of a kind of ground.
            distance: Way of the base after which it is across [m].
            elevation: The map that the robot knows; None: the true one.
            scatter: How far the start is off; 0 is the perfect stance.
            frames: Whether positions are kept for films and pictures.
        """
        require(isinstance(seed, int) and seed >= 0, "seed", seed, "a whole number, 0 or more")
        require(0.05 <= distance <= 3.0, "distance", distance, "metres from 0.05 to 3")
        ground = make_terrain(terrain, seed, difficulty) if isinstance(terrain, str) else terrain
        chooser = find_chooser(choose) if isinstance(choose, str) else choose
        sim = self.simulation(ground, chooser, elevation=elevation, distance=distance, seed=seed, scatter=scatter)
        recorder = Recorder(sim, frames)
        status, spent = self._walk(sim, recorder, distance)
        record = CrossRecord(
            frames=np.array(recorder.frames or []),
            frame_times=np.array(recorder.times),
            path=np.array(recorder.path),
        )
        return CrossResult(
            robot=self.walker.name,
            foot=foot_name(self.walker),
            terrain=terrain if isinstance(terrain, str) else terrain.kind,
            choose=choose if isinstance(choose, str) else getattr(choose, "__name__", "own"),
            seed=seed,
            status=status,
            distance=float(sim.data.qpos[sim.scene.q_index[0]]),
            duration=float(sim.data.time),
            steps=tuple(sim.controller.steps),
            figures=recorder.figures(sim.controller.late),
            failures=sim.controller.failures,
            control_s=spent[0],
            physics_s=spent[1],
            record=record if frames else None,
        )

    def most(self, distance: float) -> float:
        """Time after which a walk is given up [s]."""
        c = self.crawl
        if self.trot is not None:
            return SETTLE + 2.5 * distance / self.trot.speed + 5.0
        cycles = distance / c.stride + 1
        return SETTLE + 2.5 * cycles * 4 * (c.shift_time + c.swing_time) + 5.0

    def _walk(self, sim: Simulation, recorder: Recorder, distance: float) -> tuple[CrossStatus, tuple[float, float]]:
        """Tick until the robot stands, falls, or the time is over; returns processor times of control and physics."""
        begun, control, physics = clock.process_time(), 0.0, 0.0
        status = None
        while status is None:
            start = clock.perf_counter()
            sim.act()
            middle = clock.perf_counter()
            sim.advance()
            physics += clock.perf_counter() - middle
            control += middle - start
            recorder()
            status = self._status(sim, distance)
        # the clock's shares of the processor's time: asking for the latter in every step would take long itself
        share = (clock.process_time() - begun) / max(control + physics, 1e-9)
        return status, (control * min(share, 1.0), physics * min(share, 1.0))

    def _status(self, sim: Simulation, distance: float) -> CrossStatus | None:
        """How the walk has ended, or None."""
        now = float(sim.data.time)
        if sim.fallen:
            return CrossStatus.FELL
        if sim.controller.done and now - sim.controller.since >= REST:
            return CrossStatus.CROSSED
        return CrossStatus.STUCK if now > self.most(distance) else None


def foot_name(walker: Robot) -> str:
    """Name of a robot's feet, with their fidelity."""
    foot = walker.places[0].foot
    if foot is None:
        return "own"
    return foot.name if foot.fidelity == "full" else f"{foot.name}:{foot.fidelity}"
