"""Where the base is and how fast, from encoders, gyroscope, accelerometer and feet.

Attitude comes from the gyroscope, pulled towards what gravity says whenever the accelerometer feels little else
(Mahony et al., IEEE TAC 53, 2008). Position and velocity come from a Kalman filter that takes the accelerometer as
its input and soles on the ground as points that do not move (Bloesch et al., RSS 2012, in its linear form).
"""

from __future__ import annotations

import mujoco
import numpy as np

from plantar.walk.control.protocol import Observation
from plantar.walk.control.sensing import Reading
from plantar.walk.robot.kinematics import cross
from plantar.walk.robot.legged import Legged


class Estimator:
    """Turns readings into the state that a controller receives.

    Args:
        legged: The robot.
        start: Position of the robot at the start, which defines the world's origin and heading.
        rate: Control steps per second [1/s].
    """

    PULL, LEARN = 0.6, 0.05
    """Rates at which gravity corrects attitude and bias of the gyroscope [1/s]."""
    PUSH = 0.3
    """Trust in the accelerometer [m/s^2]."""
    CREEP, LEAP = 0.02, 5.0
    """How fast a sole on the ground, and one in the air, may move about [m/sqrt(s)]."""
    REACH, SPEED = 2e-3, 0.05
    """Errors of leg kinematics: place [m] and velocity [m/s] of a sole."""

    def __init__(self, legged: Legged, start: np.ndarray, rate: float):
        self.legged, self.dt = legged, 1 / rate
        self.data = mujoco.MjData(legged.model)
        self.quat = start[3:7].copy()
        self.bias = np.zeros(3)
        self.feet = len(legged.soles)
        self.x = np.zeros(6 + 3 * self.feet)
        """Position, velocity, and the middles of the soles, in the world."""
        self.x[:3] = start[:3]
        self.P = np.diag(np.repeat([1e-6, 1e-4, *[1e-6] * self.feet], 3))
        self._jac = np.zeros((6, legged.nv))
        self._spin = np.zeros(3)
        self.x[6:] = legged.points(legged.place(start)).ravel()
        self._weight = legged.mass * legged.gravity
        self.F = np.eye(len(self.x))
        self.F[0:3, 3:6] = self.dt * np.eye(3)
        self.H = np.zeros((6 * self.feet, len(self.x)))
        for i in range(self.feet):
            self.H[6 * i : 6 * i + 3, 0:3] = -np.eye(3)
            self.H[6 * i : 6 * i + 3, 6 + 3 * i : 9 + 3 * i] = np.eye(3)
            self.H[6 * i + 3 : 6 * i + 6, 3:6] = np.eye(3)

    def update(self, reading: Reading) -> Observation:
        """Process a reading and return the state."""
        turn = self._attitude(reading)
        acceleration = turn @ reading.accelerometer
        acceleration[2] -= self.legged.gravity
        trust = np.clip(reading.loads / self._weight / (0.5 / self.feet), 0.0, 1.0)
        self._predict(acceleration, trust)
        self._correct(reading, turn, trust)
        return self._observation(reading)

    def _attitude(self, reading: Reading) -> np.ndarray:
        """Turn the attitude on by the gyroscope, and a little towards gravity."""
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, self.quat)
        up = matrix[6:9]  # the world's z in the base
        felt = reading.accelerometer
        size = float(np.linalg.norm(felt))
        g = self.legged.gravity
        calm = max(0.0, 1 - abs(size - g) / (0.15 * g))
        off = cross(felt / max(size, 1e-9), up) * calm
        self.bias -= self.LEARN * off * self.dt
        self._spin = reading.gyro - self.bias
        mujoco.mju_quatIntegrate(self.quat, self._spin + self.PULL * off, self.dt)
        mujoco.mju_normalize4(self.quat)
        mujoco.mju_quat2Mat(matrix, self.quat)
        return matrix.reshape(3, 3)

    def _predict(self, acceleration: np.ndarray, trust: np.ndarray) -> None:
        dt = self.dt
        self.x[:3] += dt * self.x[3:6] + 0.5 * dt * dt * acceleration
        self.x[3:6] += dt * acceleration
        noise = np.empty(len(self.x))
        noise[:3] = 0.25 * (self.PUSH * dt**2) ** 2 + 1e-12
        noise[3:6] = (self.PUSH * dt) ** 2 * 4
        for i in range(self.feet):
            noise[6 + 3 * i : 9 + 3 * i] = dt * (trust[i] * self.CREEP + (1 - trust[i]) * self.LEAP) ** 2
        self.P = self.F @ self.P @ self.F.T
        self.P[np.diag_indices(len(self.x))] += noise

    def _correct(self, reading: Reading, turn: np.ndarray, trust: np.ndarray) -> None:
        """Leg kinematics give the soles relative to the base; soles on the ground stand still."""
        lg, d = self.legged, self.data
        d.qpos[:3], d.qpos[3:7] = 0.0, self.quat
        d.qpos[lg.q_joint] = reading.angles
        mujoco.mj_kinematics(lg.model, d)
        mujoco.mj_comPos(lg.model, d)
        rates = np.zeros(lg.nv)
        rates[3:6], rates[lg.v_joint] = self._spin, reading.rates
        z, r = np.empty(6 * self.feet), np.empty(6 * self.feet)
        for i, sole in enumerate(lg.soles):
            mujoco.mj_jacSite(lg.model, d, self._jac[:3], self._jac[3:], sole.site)
            z[6 * i : 6 * i + 3] = d.site_xpos[sole.site]
            z[6 * i + 3 : 6 * i + 6] = -self._jac[:3] @ rates
            doubt = 1 + 1e4 * (1 - trust[i]) ** 2
            r[6 * i : 6 * i + 3] = self.REACH**2
            r[6 * i + 3 : 6 * i + 6] = self.SPEED**2 * doubt
        S = self.H @ self.P @ self.H.T
        S[np.diag_indices(6 * self.feet)] += r
        K = np.linalg.solve(S, self.H @ self.P).T
        self.x += K @ (z - self.H @ self.x)
        self.P -= K @ self.H @ self.P
        self.P = 0.5 * (self.P + self.P.T)

    def _observation(self, reading: Reading) -> Observation:
        lg = self.legged
        qpos, qvel = np.empty(lg.model.nq), np.empty(lg.nv)
        qpos[:3], qpos[3:7], qpos[lg.q_joint] = self.x[:3], self.quat, reading.angles
        qvel[:3], qvel[3:6], qvel[lg.v_joint] = self.x[3:6], self._spin, reading.rates
        return Observation(time=reading.time, qpos=qpos, qvel=qvel, loads=reading.loads, pressure=reading.pressure)
