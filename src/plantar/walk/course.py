"""A robot on a ground, for any number of walks."""

from __future__ import annotations

import copy
import dataclasses
import time as clock
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plantar._checks import require, require_choice
from plantar.walk.control.controllers import Maker, Setting, find, plan_of
from plantar.walk.control.protocol import Controller
from plantar.walk.control.sensing import Sensing
from plantar.walk.control.timed import Timed
from plantar.walk.control.tuning import Tuning
from plantar.walk.footholds import Chooser, find_chooser
from plantar.walk.plans.footsteps import Foothold
from plantar.walk.plans.gait import Gait
from plantar.walk.plans.gaits import Crawl
from plantar.walk.plans.known_ground import known_ground
from plantar.walk.plans.plan import Plan
from plantar.walk.result import WalkResult, WalkStatus, foot_name, walk_on
from plantar.walk.robot.legged import Legged
from plantar.walk.sim.metrics import measure
from plantar.walk.sim.obstacles import STEP, Bar, Place, draw_bar
from plantar.walk.sim.path import Path
from plantar.walk.sim.pushes import Push
from plantar.walk.sim.record import Recorder
from plantar.walk.sim.scene import TIMESTEP, Scene
from plantar.walk.sim.simulation import Simulation, substeps

if TYPE_CHECKING:
    from plantar.ground import ElevationMap, Terrain, YieldingGround
    from plantar.robots import Robot

STRAY = 0.15
"""Distance from the end of the path, as a fraction of its length, beyond which a robot has strayed."""
AHEAD = 0.55
"""Distance from the start of a quadruped to the first obstacle; its front feet begin at about 0.40 [m]."""
SPARE = 2.0
"""Time that a walk may take beyond its plan, and beyond the last push, before it is given up [s]."""
BIPED = 2
"""Number of feet of a robot that walks by a `Gait` by default; with more it crawls."""


class Course:
    """A robot on a ground, built once for any number of walks, in many threads at a time.

    What is built is shared by all walks and changed by none: each has its own controller, model and state.

    Args:
        walker: The robot with its feet on.
        gait: The walk: `Gait` of a biped, `Crawl` or `Trot` of a quadruped; None: the usual one of the robot.
        mode: `torque`, `impedance`, `predictive` or any other of `plantar.walk.control.controllers`.
        plan: Name of a plan of `plantar.walk.control.controllers.PLANS`; None: the one of the gait.
        terrain: The ground; None is level and hard. In a `YieldingGround` the feet leave tracks.
        choose: Foothold chooser, by name or a function of `Question`; `nominal` is blind.
        elevation: The map that the robot knows; None: the true one of the terrain, for those that look at it.
        tuning: Weights and gains of the controller; None: those that go with the gait.
        sensing: What the controller measures, and how strong the motors are.
        timestep: Time step of the simulation [s].
        controller: Makes your own controller instead of that of the mode, one for each walk.
    """

    def __init__(
        self,
        walker: Robot,
        *,
        gait: Any = None,
        mode: str = "torque",
        plan: str | None = None,
        terrain: Terrain | YieldingGround | None = None,
        choose: str | Chooser = "nominal",
        elevation: ElevationMap | None = None,
        tuning: Tuning | None = None,
        sensing: Sensing | None = None,
        timestep: float = TIMESTEP,
        controller: Maker | None = None,
    ):
        self.walker, self.mode, self.sensing, self.timestep = walker, mode, sensing or Sensing(), timestep
        self.choose = choose if isinstance(choose, str) else getattr(choose, "__name__", "own")
        self._maker = controller or find(mode)
        asked: Any = gait or (Gait() if len(walker.places) <= BIPED else Crawl())
        self.tuning = tuning or (asked.tuning() if hasattr(asked, "tuning") else Tuning())
        substeps(self.tuning.rate, timestep)
        self.sensing.delayed_steps(self.tuning.rate)
        self._setting = Setting(
            legged=getattr(self._maker, "legged", Legged)(walker),  # some makers choose which joints move
            gait=asked,
            tuning=self.tuning,
            plan=plan,
            torque_limits=self.sensing.torque_limits,
            chooser=find_chooser(choose) if isinstance(choose, str) else choose,
        )
        self._build(terrain, elevation)

    def _build(self, terrain: Terrain | YieldingGround | None, elevation: ElevationMap | None) -> None:
        """Compile the scene, and make a first controller to see that everything fits."""
        ground = known_ground(self._setting, terrain, elevation)
        self._setting = dataclasses.replace(self._setting, ground=ground)
        first = self.controller()
        self.stance = first.stance
        """How the robot stands at the start."""
        self.plan: Any = _plan(first)
        self.gait = getattr(self.plan, "gait", self._setting.gait)
        """The walk, in the lengths and times of this robot."""
        limits, imu = self.sensing.torque_limits, self.sensing.state == "estimate"
        made = {"terrain": terrain, "timestep": self.timestep, "torque_limits": limits, "imu": imu}
        self.scene = Scene(self.walker, self._setting.legged, **made)

    def on(self, terrain: Terrain | YieldingGround | None, elevation: ElevationMap | None = None) -> Course:
        """The same robot and walk on another ground, of which it knows a map or the truth."""
        other = copy.copy(self)
        other._build(terrain, elevation)
        return other

    def controller(self) -> Controller:
        """A controller for one walk."""
        return self._maker(self._setting)

    def simulation(
        self, *, bars: Sequence[Bar] = (), pushes: Sequence[Push] = (), seed: int = 0, scatter: float = 1.0
    ) -> Simulation:
        """A walk that is about to begin; see `run`."""
        how = {"sensing": self.sensing, "rate": self.tuning.rate, "seed": seed, "scatter": scatter}
        return Simulation(self.scene, self.controller(), bars=bars, pushes=pushes, **how)

    @property
    def seconds(self) -> float:
        """Duration of an undisturbed walk, without resting at the end [s]."""
        return self.plan.seconds if self.plan is not None else 20.0

    def footsteps(self) -> list[Foothold]:
        """Footholds of a biped's walk as planned from a perfect start; none for other robots."""
        return self.plan.footsteps() if hasattr(self.plan, "footsteps") else []

    def bars(self, obstacle: float, place: Place, seed: int, step: int = STEP) -> tuple[Bar, ...]:
        """The bar that a seed places on the path; the same for every foot if `place` is `random`."""
        require(0 <= obstacle <= 0.2, "obstacle", obstacle, "a height in metres from 0 to 0.2")
        if obstacle == 0:
            return ()
        chance = float(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,))).uniform())
        extents = [sole.outline for sole in self.scene.legged.soles]
        steps = self.footsteps()
        if not steps:  # anywhere within a quarter of the way ahead of the front feet
            require_choice("place", place, ("random",))
            return (Bar(x=AHEAD + 0.25 * self._path().length * chance, height=obstacle),)
        return (draw_bar(obstacle, place, steps, extents, chance, step),)

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
        progress: Callable[[float], None] | None = None,
    ) -> WalkResult:
        """Walk once.

        Args:
            obstacle: Height of a bar of square section across the path; 0 is none [m].
            place: Part of the sole that should meet it.
            bars: Bars instead of that one.
            pushes: Pushes against the robot.
            seed: Seed of the start, the bar and the noise.
            scatter: How far the start is off; 0 is the perfect stance.
            rest: Standing time after the last step [s].
            record: Whether the result holds the time series.
            frames: Whether they hold positions of the whole model, for films and pictures.
            progress: Called with the time simulated since the last call, about ten times per simulated second [s].
        """
        require(isinstance(seed, int) and seed >= 0, "seed", seed, "an integer, 0 or more")
        require(rest >= 0, "rest", rest, "a time in seconds, 0 or more")
        most = (self.plan.patience if self.plan is not None else 1.0) * self.seconds + SPARE
        latest = max((push.time for push in pushes), default=0.0)
        require(latest <= most + rest, "push time", latest, f"a time up to {most + rest:.3g} s, when the walk is over")
        on_way = tuple(self.bars(obstacle, place, seed) if bars is None else bars)
        sim = self.simulation(bars=on_way, pushes=pushes, seed=seed, scatter=scatter)
        sim.controller = controller = Timed(sim.controller)  # type: ignore[assignment]
        recorder, start = Recorder(sim, frames=frames), clock.perf_counter()
        status = walk_on(sim, recorder, max(most, sim.pusher.over + SPARE), rest, progress)
        spent = clock.perf_counter() - start
        path, plan = self._path(), _plan(controller.inner)
        metrics, way = measure(recorder, path)
        end = sim.data.subtree_com[self.scene.base][:2]
        exact = plan is None or plan.arrives
        far = exact and path.length > 0.05 and np.linalg.norm(end - path.end) > STRAY * path.length + 0.05
        return WalkResult(
            robot=self.walker.name,
            foot=foot_name(self.walker),
            mode=self.mode,
            plan=self._plan_name(plan),
            terrain=getattr(self.scene.terrain, "kind", "flat"),
            choose=self.choose,
            seed=seed,
            obstacle=obstacle if bars is None else max((b.height for b in on_way), default=0.0),
            place=place if on_way else "",
            bars=on_way,
            bar_under=self._under(on_way),
            status=_judged(status, stood=path.length == 0.0 and not getattr(plan, "taken", 0), far=bool(far)),
            steps=plan.taken if plan is not None else 0,
            recoveries=plan.recoveries if plan is not None else 0,
            distance=way,
            duration=float(sim.data.time),
            metrics=metrics,
            failures=getattr(controller.inner, "failures", 0) + getattr(plan, "failures", 0),
            control_s=controller.spent,
            physics_s=spent - controller.spent,
            footholds=tuple(plan.steps) if plan is not None else (),
            collisions=tuple(recorder.collisions),
            record=recorder.record() if record or frames else None,
        )

    def _under(self, bars: Sequence[Bar]) -> float | None:
        """Where the first bar lies under the sole that it is meant for [m]."""
        steps = self.footsteps()
        return bars[0].x - float(steps[STEP].xy[0]) if bars and len(steps) > STEP else None

    def _plan_name(self, plan: Plan | None) -> str:
        """Name of the plan of a walk; empty if a controller has none."""
        if plan is None:
            return ""
        return getattr(plan, "name", None) or self._setting.plan or plan_of(self._setting.gait)

    def _path(self) -> Path:
        """The planned path."""
        return Path(self.plan.path() if self.plan is not None else np.zeros((2, 2)))


def _judged(status: WalkStatus, *, stood: bool, far: bool) -> WalkStatus:
    """Status of a walk that ended on its feet."""
    if status is not WalkStatus.WALKED:
        return status
    return WalkStatus.STOOD if stood else WalkStatus.STRAYED if far else status


def _plan(controller: Controller) -> Plan | None:
    """The plan of a controller that has one."""
    return getattr(controller, "plan", None)
