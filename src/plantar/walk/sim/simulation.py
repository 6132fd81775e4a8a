"""A robot, its controller and the world, stepped together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from plantar._checks import require
from plantar.errors import Diverged, InvalidInput
from plantar.model.state import blown_up
from plantar.walk.control.estimator import Estimator
from plantar.walk.control.protocol import Controller, Observation
from plantar.walk.control.sensing import Delay, Sensing, Sensors
from plantar.walk.plans.plan import Plan
from plantar.walk.robot.kinematics import cross
from plantar.walk.sim.obstacles import Bar
from plantar.walk.sim.parts import gap, settle_feet, subtree
from plantar.walk.sim.pushes import Push, Pusher
from plantar.walk.sim.scene import Scene

PRESSED = 0.01
"""Fraction of the weight above which a sole senses where it is pressed."""


def substeps(rate: float, timestep: float) -> int:
    """Time steps in a control step.

    Raises:
        InvalidInput: If it is not a whole number of them.
    """
    require(1e-5 <= timestep <= 0.05, "timestep", timestep, "a time in seconds from 1e-5 to 0.05")
    require(1 <= rate <= 1e5, "rate", rate, "a number from 1 to 100000 per second")
    count = 1 / rate / timestep
    whole = round(count)
    allowed = f"{1 / timestep:g} per second, a half, a third ... of it: whole time steps of {timestep:g} s"
    require(whole >= 1 and abs(count - whole) < 1e-6 * count, "rate", rate, allowed)
    return whole


class Simulation:
    """Steps a scene under a controller, in its own model and state.

    Args:
        scene: The world; it is not changed.
        controller: The controller.
        sensing: What the controller measures.
        bars: Bars on the ground.
        pushes: Pushes against the robot.
        seed: Random seed.
        scatter: How far the start is from the planned stance: 1 is a centimetre and a few hundredths of a radian.
        rate: Control steps per second [1/s].
    """

    def __init__(
        self,
        scene: Scene,
        controller: Controller,
        *,
        sensing: Sensing | None = None,
        bars: Sequence[Bar] = (),
        pushes: Sequence[Push] = (),
        seed: int = 0,
        scatter: float = 1.0,
        rate: float = 500.0,
    ):
        self.scene, self.controller = scene, controller
        self.sensing = sensing or Sensing()
        self.model, self.data = scene.world(bars)
        self.rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
        self.substeps = substeps(rate, scene.model.opt.timestep)
        self._sink_in()
        self.pusher = Pusher(self.model, scene.base, pushes, scene.legged.mass)
        self._start(scatter)
        self._stiffen()
        self._sensors = self._estimator = None
        if self.sensing.state == "estimate":
            if not scene.imu:
                raise InvalidInput("sensing.state = 'estimate' is not allowed here: give a scene with imu=True")
            self._sensors = Sensors(scene, self.sensing, self.rng)
            self._estimator = Estimator(scene.legged, self.data.qpos[scene.q_index], rate)
        self._delay = Delay(self.sensing.delayed_steps(rate))
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, controller.stance.attitude)
        self._up = matrix[6:9]
        self._fallen = getattr(getattr(controller, "plan", None), "fallen", Plan.fallen)
        mujoco.mj_forward(self.model, self.data)
        self.observation = self.observe()
        self._fresh = True
        controller.reset(self.observation)

    def _sink_in(self) -> None:
        """Let the soles press yielding ground; it starts untouched."""
        scene = self.scene
        soles = [place.body for place in scene.legged.places]
        self.tracks = scene.yielding.attach(self.model, soles) if scene.yielding else None
        if self.tracks is not None:
            bodies = self.tracks.bodies
            self._tracks_of = [np.isin(bodies, subtree(self.model, self.model.body(name).id)) for name in soles]

    def loads(self) -> np.ndarray:
        """Vertical force on each sole, of contacts and of ground that yields [N]."""
        loads = self.data.sensordata[self.scene.lift_index]
        if self.tracks is None:
            return loads
        return loads + [self.tracks.force[mine, 2].sum() for mine in self._tracks_of]

    def pressure(self, loads: np.ndarray | None = None) -> np.ndarray:
        """Where each sole is pressed, ahead and to the left of its middle (feet, 2); 0 where it is not [m].

        Args:
            loads: Result of `loads`, if already computed.
        """
        d, scene, loads = self.data, self.scene, self.loads() if loads is None else loads
        found = np.zeros((len(loads), 2))
        for i in np.flatnonzero(loads > PRESSED * scene.legged.mass * scene.legged.gravity):
            axes = d.site_xmat[scene.sole_sites[i]].reshape(3, 3)
            middle = d.site_xpos[scene.sole_sites[i]] + axes @ scene.sole_middles[i]
            force, torque, place = d.sensordata[scene.load_index[i] : scene.load_index[i] + 9].reshape(3, 3)
            moment = torque + cross(place - middle, force)
            if self.tracks is not None:
                bodies = self.tracks.bodies[self._tracks_of[i]]
                forces, arms = d.xfrc_applied[bodies, :3], d.xipos[bodies] - middle
                force = force + forces.sum(axis=0)
                moment = moment + (d.xfrc_applied[bodies, 3:] + np.cross(arms, forces)).sum(axis=0)
            (_, _, up), (x, y, _) = force @ axes, moment @ axes
            found[i] = (-y / up, x / up) if up > 0 else 0.0
        return found

    def _start(self, scatter: float) -> None:
        """Put the robot on the ground, a little off its stance."""
        scene, d, rng = self.scene, self.data, self.rng
        lg = scene.legged
        draw = rng.uniform(-1, 1, size=8) * scatter
        upper = rng.uniform(-0.03, 0.03, size=len(lg.joints)) * scatter
        plan = getattr(self.controller, "plan", None)
        qpos = self.controller.stance.qpos.copy() if plan is None else plan.start(draw, upper)
        settle_feet(self.model, d, lg)
        d.qpos[scene.q_index] = qpos
        d.qpos[scene.q_index[2]] += gap(lg, scene.elevation, qpos)
        d.qvel[scene.v_index[:2]] = 0.03 * draw[2:4]
        d.qvel[scene.v_index[3:6]] = 0.03 * draw[4:7]

    def _stiffen(self) -> None:
        """Give the motors the controller's joint impedance."""
        m, c, motors = self.model, self.controller, self.scene.motors
        m.actuator_biasprm[motors, 1] = -c.stiffness
        m.actuator_biasprm[motors, 2] = -c.damping

    def observe(self) -> Observation:
        """What the controller receives now."""
        d, scene, loads = self.data, self.scene, self.loads()
        pressure = self.pressure(loads) if getattr(self.controller, "feels", True) else None
        if self._sensors is not None and self._estimator is not None:
            now = self._estimator.update(self._sensors.read(d, loads, pressure))
        else:
            qpos, qvel = d.qpos[scene.q_index], d.qvel[scene.v_index]
            now = Observation(time=d.time, qpos=qpos, qvel=qvel, loads=loads, pressure=pressure)
        return self._delay.pass_on(now)

    def tick(self) -> None:
        """One control step: observe, act, and simulate until the next one.

        Raises:
            Diverged: If the command is not a number, or the simulation blew up.
        """
        self.act()
        self.advance()

    def act(self) -> None:
        """Observe, and set the motors."""
        c = self.controller
        if not self._fresh:  # what the controller began with has been observed, and estimated, already
            self.observation = self.observe()
        self._fresh = False
        command = c.act(self.observation)
        control = command.torque
        if command.position is not None and command.velocity is not None:
            control = control + c.stiffness * command.position + c.damping * command.velocity
        self._check(control)
        self.data.ctrl[self.scene.motors] = control

    def advance(self) -> None:
        """Simulate until the next control step."""
        m, d = self.model, self.data
        at_once = 1 if self.pusher.pushes or self.tracks is not None else self.substeps
        for _ in range(self.substeps // at_once):
            self.pusher.apply(d)
            if self.tracks is None:
                mujoco.mj_step(m, d, at_once)
            else:
                self.tracks.step(d)
        if blown_up(d):
            fastest = int(np.argmax(np.abs(d.cvel[:, 3:]).max(axis=1)))
            raise Diverged("the walk blew up: try a shorter timestep", time=d.time, body=m.body(fastest).name)

    def _check(self, control: np.ndarray) -> None:
        """Refuse a command that is not a number: MuJoCo would take it as zero."""
        if np.isfinite(control).all():
            return
        joint = self.scene.legged.joints[int(np.flatnonzero(~np.isfinite(control))[0])]
        body = self.model.body(int(self.model.joint(joint).bodyid[0])).name
        raise Diverged(
            f"the controller's command for joint {joint!r} is not a number: check its inputs and its plan",
            time=self.data.time,
            body=body,
        )

    @property
    def fallen(self) -> bool:
        """Whether the robot lies on the ground, or is about to.

        Raises:
            Diverged: If it is below the ground, which is not a fall.
        """
        height, tilt = self._fallen
        if self._is_low(height * self.controller.stance.qpos[2]) or self.tilt > tilt:
            self.scene.check_carried(self.data)
            return True
        return False

    def _is_low(self, least: float) -> bool:
        """Whether the base is lower than that above the ground: the terrain's, or the feet's if these are higher."""
        x, y, z = self.data.qpos[self.scene.q_index[:3]].tolist()
        if self.scene.terrain is None:
            return z < least
        soles = sorted(self.data.site_xpos[self.scene.sole_sites, 2].tolist())
        middle = (soles[(len(soles) - 1) // 2] + soles[len(soles) // 2]) / 2
        if z - max(self.scene.highest, middle) >= least:  # whatever the ground below, which takes time to find
            return False
        ground = self.scene.elevation(x, y)
        return z - (max(ground, middle) if math.isfinite(ground) else middle) < least

    @property
    def tilt(self) -> float:
        """Angle of the base from upright [rad]."""
        # how much of the world's z is along what was up in the base when it stood
        up = float(self.data.xmat[self.scene.base, 6:9] @ self._up)
        return math.acos(min(1.0, max(-1.0, up)))
