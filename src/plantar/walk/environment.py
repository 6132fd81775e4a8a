"""A Gymnasium environment for your own controller: `plantar/Walk-v0`.

    import gymnasium
    import plantar.walk
    env = gymnasium.make("plantar/Walk-v0", robot="biped", foot="softfoot:fast", obstacle=0.01)

`import plantar.walk` registers the name, or `gymnasium.make("plantar.walk:plantar/Walk-v0")` in one line. The agent
moves the angles that the joints pull to, or the torques, of a robot with any feet on any ground, and is rewarded for
walking at the commanded speed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import mujoco
import numpy as np

from plantar import feet, robots
from plantar._checks import require, require_choice
from plantar._extras import require_extra
from plantar.ground.soil.yielding import YieldingGround
from plantar.model.state import blown_up
from plantar.walk.embodiment import as_velocity, standing, strength_of
from plantar.walk.robot.legged import Legged
from plantar.walk.sim.obstacles import Bar
from plantar.walk.sim.parts import gap, height_of
from plantar.walk.sim.scene import TIMESTEP, Scene
from plantar.walk.sim.simulation import substeps

require_extra("gym")

import gymnasium  # noqa: E402  (only once it is known to be there)
from gymnasium import spaces  # noqa: E402

if TYPE_CHECKING:
    from plantar.ground.terrain.terrain import Terrain

FURTHEST = 0.5
"""How far an action of 1 moves the angle that a joint is pulled to [rad]."""
YIELD = 0.25
"""How far a joint is from the angle it is pulled to when it gives all its torque [rad]."""
LARGEST = 100.0
"""Observations are clipped to this."""


class WalkEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """A robot on its feet that should walk at a given velocity.

    Observation, all of order one: up in the base's frame (3), turn rate (3) and velocity (3) of the base in its
    frame [rad/s, m/s], desired velocity (ahead, left, turn) [m/s, m/s, rad/s], angles of the joints from the stance
    [rad], a tenth of their velocities [rad/s], load on each sole over the robot's weight, last action.

    Reward per second: `exp(-error^2 / 0.1)` of the velocity and half as much of the turn rate, 0.5 for being up, less
    the cost of transport times 0.1, less 0.05 of the squared change of action; -5 once for a fall.

    Args:
        robot: What `plantar.robots.load` takes.
        foot: What `plantar.feet.get` takes, as in `softfoot:fast`, a foot, or None for the robot's own.
        action: `position` moves the angles that joints are pulled to, `torque` gives fractions of the torque limits.
        velocity: Desired velocity ahead, to the left, and turn rate; None draws one in every episode.
        obstacle: Height of bars across the path, one per metre, at random places [m].
        terrain: The ground; None is level.
        push: Largest push, drawn every three seconds, for a robot of 60 kg; it scales with the mass [N s].
        rate: Actions per second, each for a whole number of time steps [1/s].
        timestep: Time step of the simulation [s].
        render_mode: `rgb_array`, or None.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        robot: str | robots.Robot = "biped",
        foot: str | feet.Foot | None = "softfoot:fast",
        *,
        action: Literal["position", "torque"] = "position",
        velocity: tuple[float, float, float] | None = None,
        obstacle: float = 0.0,
        terrain: Terrain | None = None,
        push: float = 0.0,
        rate: float = 50.0,
        timestep: float = TIMESTEP,
        render_mode: str | None = None,
    ):
        require_choice("action", action, ("position", "torque"))
        require_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        require(0 <= obstacle <= 0.2, "obstacle", obstacle, "a height in metres from 0 to 0.2")
        require(0 <= push <= 1000, "push", push, "an impulse in newton seconds from 0 to 1000")
        self.substeps = substeps(rate, timestep)
        require(not isinstance(terrain, YieldingGround), "terrain", terrain, "a terrain that does not yield")
        self.velocity = None if velocity is None else as_velocity(velocity)
        self.render_mode, self.obstacle, self.push = render_mode, obstacle, push
        self.action = action
        self.walker = _walker(robot, foot)
        self.legged = Legged(self.walker)
        self.stance, self._lying = standing(self.legged)
        self.scene = Scene(self.walker, self.legged, terrain=terrain, timestep=timestep, bars=3 if obstacle else 0)
        self.model, self.data = self.scene.world()
        self.metadata = {**self.metadata, "render_fps": round(1 / (self.substeps * timestep))}
        self._weight = self.legged.mass * self.legged.gravity
        self._middle = self.stance.qpos[self.legged.q_joint]
        self._limit = strength_of(self.legged)
        self._stiffen()
        self.data.qpos[self.scene.q_index] = self.stance.qpos
        mujoco.mj_forward(self.model, self.data)
        self._tall = height_of(self.model, self.data, self.scene.base)
        n = len(self.legged.joints)
        self.action_space = spaces.Box(-1.0, 1.0, (n,), np.float32)
        self.observation_space = spaces.Box(-LARGEST, LARGEST, (12 + 3 * n + len(self.legged.soles),), np.float64)

    def _stiffen(self) -> None:
        """Give the joints the stiffness with which they pull to an angle, and a matching damping."""
        m, motors = self.model, self.scene.motors
        self._stiffness = self._limit / YIELD if self.action == "position" else np.zeros(len(self._limit))
        m.actuator_biasprm[motors, 1] = -self._stiffness
        m.actuator_biasprm[motors, 2] = -self._stiffness / 25

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Stand, slightly off the stance, and draw what is random; `options["velocity"]` sets the desired velocity."""
        super().reset(seed=seed)
        lg, d, rng = self.legged, self.data, self.np_random
        mujoco.mj_resetData(self.model, d)
        qpos = self.stance.qpos.copy()
        qpos[lg.q_joint] += rng.uniform(-0.02, 0.02, len(lg.joints))
        d.qpos[self.scene.q_index] = qpos
        d.qpos[self.scene.q_index[2]] += gap(lg, self.scene.elevation, qpos) + 0.002
        d.qvel[self.scene.v_index[:6]] = rng.uniform(-0.05, 0.05, 6)
        wish = (options or {}).get("velocity", self.velocity)
        if wish is None:
            wish = (rng.uniform(0.0, 0.5), rng.uniform(-0.1, 0.1), rng.uniform(-0.3, 0.3))
        self.wish = as_velocity(wish)
        self._place_bars()
        self._shove, self._next_push = np.zeros(3), 3.0
        self._last = np.zeros(self.action_space.shape or (0,))
        self._energy, self._fallen = 0.0, False
        mujoco.mj_forward(self.model, d)
        self._start = d.qpos[self.scene.q_index[:2]].copy()
        return self._observe(), self._info()

    def _place_bars(self) -> None:
        if not self.obstacle:
            return
        places = 0.5 + np.arange(3) + self.np_random.uniform(0.0, 0.8, 3)
        self.scene.set_bars(self.model, self.data, [Bar(height=self.obstacle, x=float(x)) for x in places])

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Act for one control period."""
        action = np.clip(np.asarray(action, float), -1.0, 1.0)
        control = self._limit * action
        if self.action == "position":
            control = self._stiffness * (self._middle + FURTHEST * action)
        d = self.data
        d.ctrl[self.scene.motors] = control
        work = 0.0
        for _ in range(self.substeps):
            self._push_robot()
            mujoco.mj_step(self.model, d)
            power = d.actuator_force[self.scene.motors] * d.qvel[self.scene.v_index[self.legged.v_joint]]
            work += float(np.maximum(power, 0.0).sum()) * self.model.opt.timestep
        self._energy += work
        self._fallen = self._has_fallen()
        reward = self._reward(action, work)
        self._last = action
        return self._observe(), reward, self._fallen, False, self._info()

    def _push_robot(self) -> None:
        if not self.push:
            return
        d = self.data
        if d.time >= self._next_push:
            turn, size = self.np_random.uniform(-math.pi, math.pi), self.np_random.uniform(0, self.push)
            force = size * self.legged.mass / 60.0 / 0.1  # over a tenth of a second
            self._shove = force * np.array([math.cos(turn), math.sin(turn), 0.0])
            self._next_push = d.time + 3.0
        d.xfrc_applied[self.scene.base, :3] = self._shove if d.time < self._next_push - 2.9 else 0.0

    def _base(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Up, turn rate and velocity of the base, in its frame as it stands upright."""
        d, q, v = self.data, self.scene.q_index, self.scene.v_index
        back, turn = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, self.stance.attitude)
        mujoco.mju_mulQuat(turn, d.qpos[q[3:7]], back)
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, turn)
        matrix = matrix.reshape(3, 3)
        spin = np.zeros(3)
        mujoco.mju_rotVecQuat(spin, d.qvel[v[3:6]], self.stance.attitude)
        return matrix[2], spin, matrix.T @ d.qvel[v[:3]]

    def _observe(self) -> np.ndarray:
        d, lg = self.data, self.legged
        angles = d.qpos[self.scene.q_index[lg.q_joint]] - self._middle
        speeds = d.qvel[self.scene.v_index[lg.v_joint]]
        loads = d.sensordata[self.scene.lift_index] / self._weight
        whole = np.concatenate([*self._base(), self.wish, angles, 0.1 * speeds, loads, self._last])
        return np.clip(np.nan_to_num(whole), -LARGEST, LARGEST)

    def _reward(self, action: np.ndarray, work: float) -> float:
        period = self.substeps * self.model.opt.timestep
        _, spin, velocity = self._base()
        walking = math.exp(-float(np.sum((velocity[:2] - self.wish[:2]) ** 2)) / 0.1)
        turning = 0.5 * math.exp(-float((spin[2] - self.wish[2]) ** 2) / 0.1)
        effort = 0.1 * work / period / self._weight  # power over weight, a velocity
        rough = 0.05 * float(np.sum((action - self._last) ** 2))
        return period * (walking + turning + 0.5 - effort - rough) - 5.0 * self._fallen

    def _has_fallen(self) -> bool:
        d, q = self.data, self.scene.q_index
        if blown_up(d):  # MuJoCo has set the robot back
            return True
        level = self.scene.elevation(float(d.qpos[q[0]]), float(d.qpos[q[1]]))
        height = d.qpos[q[2]] - (level if math.isfinite(level) else 0.0)
        up = self._base()[0][2]
        low, tilt = self._lying
        if height >= low * self.stance.qpos[2] and up >= math.cos(tilt):
            return False
        self.scene.check_carried(d)
        return True

    def _info(self) -> dict[str, Any]:
        way = self.data.qpos[self.scene.q_index[:2]] - self._start
        return {"time": float(self.data.time), "way": way, "energy": self._energy, "fallen": self._fallen}

    def render(self) -> np.ndarray | None:  # type: ignore[override]
        """The robot from its side, as an image (480, 640, 3)."""
        if self.render_mode is None:
            return None
        from plantar.show.picture import draw  # noqa: PLC0415  (only who looks pays for it)
        from plantar.show.view import View  # noqa: PLC0415

        x, y, _ = self.data.qpos[self.scene.q_index[:3]]
        view = View(azimuth=110.0, elevation=-10.0, distance=1.6 * self._tall, centre=(x, y, 0.48 * self._tall))
        return (255 * draw(self.model, self.data, view, (640, 480))).astype(np.uint8)


def _walker(robot: str | robots.Robot, foot: str | feet.Foot | None) -> robots.Robot:
    loaded = robots.load(robot) if isinstance(robot, str) else robot
    return loaded if foot is None else robots.mount(loaded, foot)
