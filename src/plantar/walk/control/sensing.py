"""What the robot senses: the true state, or sensors with noise and delay."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np

from plantar._checks import require, require_choice
from plantar._config import Checked
from plantar.walk.sim.scene import PREFIX, Scene

STATES = ("truth", "estimate")


@dataclass(frozen=True, kw_only=True)
class Sensing(Checked):
    """How the controller learns the state of the robot, and how strong the motors are."""

    state: Literal["truth", "estimate"] = "truth"
    """`truth` gives the true positions and velocities; `estimate` makes the robot estimate them from its encoders,
    gyroscope, accelerometer and foot sensors."""
    noise: float = 1.0
    """All of the noises below times this; only with `estimate`."""
    angle: float = 2e-4
    """Noise of a joint angle, standard deviation [rad]."""
    joint_rate: float = 2e-2
    """Noise of a joint velocity [rad/s]."""
    gyro: float = 5e-3
    """Noise of a turn rate [rad/s]."""
    gyro_bias: float = 2e-3
    """Bias of the turn rate, drawn once per trial [rad/s]."""
    acceleration: float = 0.1
    """Noise of an acceleration [m/s^2]."""
    force: float = 0.01
    """Noise of a foot's force, as a fraction of the weight."""
    pressure: float = 2e-3
    """Noise of the place of a foot's pressure [m]."""
    delay: float = 0.0
    """Delay of everything that the controller receives, in whole control steps [s]."""
    torque_limits: bool = True
    """Whether motors have the robot's torque limits."""

    def __post_init__(self) -> None:
        """Check every field."""
        require_choice("state", self.state, STATES)
        for name in ("noise", "angle", "joint_rate", "gyro", "gyro_bias", "acceleration", "force", "pressure"):
            value = getattr(self, name)
            require(0 <= value < 100, name, value, "a number from 0 to 100")
        require(0 <= self.delay <= 0.1, "delay", self.delay, "a time in seconds from 0 to 0.1")

    def delayed_steps(self, rate: float) -> int:
        """The delay in control steps.

        Args:
            rate: Control steps per second [1/s].

        Raises:
            InvalidInput: If it is not a whole number of them.
        """
        steps = self.delay * rate
        ok = abs(steps - round(steps)) < 1e-6
        require(ok, "delay", self.delay, f"0, or whole control steps of {1 / rate:g} s")
        return round(steps)


@dataclass(kw_only=True)
class Reading:
    """What the sensors say in one control step."""

    time: float
    """Time [s]."""
    angles: np.ndarray
    """Joint angles [rad]."""
    rates: np.ndarray
    """Joint velocities [rad/s]."""
    gyro: np.ndarray
    """Turn rate of the base in its frame [rad/s]."""
    accelerometer: np.ndarray
    """Acceleration of the base less gravity, in its frame [m/s^2]."""
    loads: np.ndarray
    """Vertical force on each sole [N]."""
    pressure: np.ndarray | None
    """Where each sole is pressed (feet, 2); None if not needed [m]."""


class Sensors:
    """Reads the sensors of a scene, with noise.

    Args:
        scene: The scene, made with `imu=True`.
        sensing: Sizes of the noises.
        rng: Random generator of the noise.
    """

    def __init__(self, scene: Scene, sensing: Sensing, rng: np.random.Generator):
        m, lg = scene.model, scene.legged
        self.scene, self.sensing, self.rng = scene, sensing, rng
        self._q, self._v = scene.q_index[lg.q_joint], scene.v_index[lg.v_joint]
        self._gyro, self._accel = (int(m.sensor(PREFIX + name).adr[0]) for name in ("gyro", "accel"))
        self._bias = rng.normal(size=3) * sensing.gyro_bias * sensing.noise
        self._weight = lg.mass * lg.gravity

    def read(self, data: mujoco.MjData, loads: np.ndarray, pressure: np.ndarray | None) -> Reading:
        """Current readings; `loads` are the true loads on the soles [N], and `pressure` where they act [m]."""
        s, n = self.sensing, len(self._q)
        noise = self.rng.normal(size=2 * n + 6 + len(loads)) * s.noise
        if pressure is not None:
            pressure = pressure + s.pressure * s.noise * self.rng.normal(size=pressure.shape)
        return Reading(
            time=data.time,
            angles=data.qpos[self._q] + s.angle * noise[:n],
            rates=data.qvel[self._v] + s.joint_rate * noise[n : 2 * n],
            gyro=data.sensordata[self._gyro : self._gyro + 3] + s.gyro * noise[2 * n : 2 * n + 3] + self._bias,
            accelerometer=data.sensordata[self._accel : self._accel + 3]
            + s.acceleration * noise[2 * n + 3 : 2 * n + 6],
            loads=loads + s.force * self._weight * noise[2 * n + 6 :],
            pressure=pressure,
        )


class Delay:
    """Delays values by a number of control steps.

    Args:
        steps: How many.
    """

    def __init__(self, steps: int):
        self._queue: deque = deque(maxlen=steps + 1)

    def pass_on(self, item):  # noqa: ANN001, ANN201  (anything goes in, the same kind comes out)
        """Store the newest and return the oldest."""
        self._queue.append(item)
        return self._queue[0]
