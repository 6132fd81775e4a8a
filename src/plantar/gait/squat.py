"""Open-loop squats of a RAMone-like robot through hard and soft feet."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from plantar._arguments import checks_arguments
from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.errors import Diverged
from plantar.gait.ramone import Ramone, rest
from plantar.gait.rigid import RigidContact
from plantar.gait.rubber import RubberContact

Inputs = Callable[[float], tuple[np.ndarray, np.ndarray]]
"""Time to motor angles and speeds: hip, knee of each leg."""


@dataclass(frozen=True, kw_only=True)
class Squat(Checked):
    """What the motors do: knees bend and stretch as a cosine, hips keep the feet below them."""

    straight: float = 0.4
    """Smallest angle of the knee motors [rad]."""
    bent: float = 1.1
    """Largest [rad]."""
    period: float = 1.0
    """Duration of one squat [s]."""
    count: int = 3
    """Squats."""
    settle: float = 1.0
    """Time at rest before [s]."""
    shift: float = 0.0
    """Delay of the hind legs behind the front ones, as a fraction of the period; makes the body pitch."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("straight", "period", "count", "settle"))
        for name in ("period", "settle"):
            require(1e-3 <= (time := getattr(self, name)) <= 1e3, name, time, "a time of 0.001 to 1000 s")
        require(self.straight >= 0.01, "straight", self.straight, "an angle of at least 0.01 rad: straight legs lock")
        require(self.straight < self.bent < 2.8, "bent", self.bent, "an angle above `straight` and below 2.8 rad")

    @property
    def duration(self) -> float:
        """Settling and squats together [s]."""
        return self.settle + self.count * self.period

    def inputs(self, robot: Ramone) -> Inputs:
        """Motor angles and speeds over time."""
        behind = np.array([self.shift if hip < 0 else 0.0 for hip in robot.hips])

        def motors(time: float) -> tuple[np.ndarray, np.ndarray]:
            u, rate = np.empty(2 * robot.legs), np.empty(2 * robot.legs)
            for i in range(robot.legs):
                u[2 * i : 2 * i + 2] = robot.bent(self._knee(time, behind[i]), robot.knees[i])
                more = robot.bent(self._knee(time + 1e-6, behind[i]), robot.knees[i])
                rate[2 * i : 2 * i + 2] = (np.array(more) - u[2 * i : 2 * i + 2]) / 1e-6
            return u, rate

        return motors

    def _knee(self, time: float, behind: float) -> float:
        phase = min(max((time - self.settle) / self.period - behind, 0.0), float(self.count))
        return self.straight + (self.bent - self.straight) * (1 - math.cos(2 * math.pi * phase)) / 2


@dataclass(frozen=True, kw_only=True)
class SquatMotion:
    """A simulated squat after settling."""

    time: np.ndarray
    """Times from the first squat on [s]."""
    feet: np.ndarray
    """Foot centres (times, legs, x and z) [m]."""
    force: np.ndarray
    """Ground forces (times, legs, along and across) [N]."""
    body: np.ndarray
    """x, y and pitch of the body [m, m, rad]."""


class _Robot:
    """Equations of a robot with its motor angles given."""

    def __init__(self, robot: Ramone, inputs: Inputs) -> None:
        self.robot, self.inputs, self.terms, self.free = robot, inputs, robot.terms(), robot.free
        self.stiffness = np.tile([robot.hip_stiffness, robot.knee_stiffness], robot.legs)
        self.damping = np.tile([robot.hip_damping, robot.knee_damping], robot.legs)

    def __call__(self, time: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Mass matrix and force of the free coordinates without ground; Jacobian and places of the feet."""
        mass, bias, jacobian, _, place = (np.asarray(o) for o in self.terms(q, v))
        u, rate = self.inputs(time)
        force = -bias[:, 0]
        force[3:] += self.stiffness * (u - q[3:]) + self.damping * (rate - v[3:])
        free = self.free
        return mass[np.ix_(free, free)], force[free], jacobian[:, free], place[:, 0]


@checks_arguments
def simulate(
    robot: Ramone, squat: Squat, contact: RubberContact | RigidContact, *, samples: int = 400, step: float = 5e-4
) -> SquatMotion:
    """Squat open loop from rest.

    Args:
        robot: What squats.
        squat: What its motors do.
        contact: Rubber feet are integrated with an implicit scheme of variable order; rigid feet step through
            Moreau's scheme, complementarity solved at every step.
        samples: Number of times in the result.
        step: Time step for rigid feet [s].

    Raises:
        Diverged: If the robot falls or the integration fails.
    """
    model = _Robot(robot, squat.inputs(robot))
    run = _soft if isinstance(contact, RubberContact) else _hard
    return run(model, squat, contact, samples, step)  # type: ignore[arg-type]


def _soft(model: _Robot, squat: Squat, law: RubberContact, samples: int, step: float) -> SquatMotion:
    robot, n, free = model.robot, model.robot.size, model.free
    q0 = rest(robot, squat.straight)
    q0[1] -= law.static_depth(robot.mass * 9.81 / robot.legs)

    def ground(q: np.ndarray, v: np.ndarray, deflection: np.ndarray, jacobian: np.ndarray, place: np.ndarray) -> tuple:
        speed = jacobian @ v[free]
        depth, sink, slip = -place[1::2], -speed[1::2], speed[::2]
        force = np.empty(2 * robot.legs)
        force[::2], force[1::2] = law.tangential_force(depth, sink, slip, deflection), law.force(depth, sink)
        return force, law.deflection_rate(depth, sink, slip, deflection)

    def slope(time: float, y: np.ndarray) -> np.ndarray:
        q, v, deflection = y[:n], y[n : 2 * n], y[2 * n :]
        mass, force, jacobian, place = model(time, q, v)
        push, rate = ground(q, v, deflection, jacobian, place)
        a = np.zeros(n)
        a[free] = np.linalg.solve(mass, force + jacobian.T @ push)
        return np.concatenate([v, a, rate])

    times = np.linspace(squat.settle, squat.duration, samples)
    start = np.concatenate([q0, np.zeros(n + robot.legs)])
    found = solve_ivp(slope, (0, squat.duration), start, method="LSODA", t_eval=times, rtol=1e-6, atol=1e-8)
    _standing(found.success, found.y[:n].T, found.t)
    feet, forces = [], []
    for time, y in zip(found.t, found.y.T, strict=True):
        _, _, jacobian, place = model(time, y[:n], y[n : 2 * n])
        feet.append(place)
        forces.append(ground(y[:n], y[n : 2 * n], y[2 * n :], jacobian, place)[0])
    return _motion(robot, found.t - squat.settle, found.y[:n].T, np.array(feet), np.array(forces))


def _hard(model: _Robot, squat: Squat, law: RigidContact, samples: int, step: float) -> SquatMotion:
    """Moreau's midpoint scheme: velocities jump by impulses of the feet that touch."""
    robot, free = model.robot, model.free
    q, v = rest(robot, squat.straight), np.zeros(model.robot.size)
    count = round(squat.duration / step)
    keep = set(np.unique(np.linspace(round(squat.settle / step), count - 1, samples).astype(int)).tolist())
    last: dict[int, np.ndarray] = {}
    times, path, feet, forces = [], [], [], []
    for i in range(count):
        half = q + step / 2 * v
        mass, force, jacobian, place = model((i + 0.5) * step, half, v)
        # springs and dampers of the joints are stiff for so light shanks: they enter implicitly
        mass = mass + _joint_matrix(model, step)
        touching = [f for f in range(robot.legs) if place[2 * f + 1] <= 1e-5]
        rows = [2 * f + k for f in touching for k in (0, 1)]
        j = jacobian[rows]
        across = np.linalg.solve(mass, np.column_stack([step * force, j.T]))
        loose = v[free] + across[:, 0]
        push = np.zeros(2 * robot.legs)
        if rows:
            begin = np.concatenate([last.get(f, np.zeros(2)) for f in touching])
            wanted = j @ loose
            # what rounding let a foot sink by is taken back a tenth at a time
            wanted[1::2] += 0.1 / step * np.minimum(place[1::2][touching], 0.0)
            impulse = law.impulses(j @ across[:, 1:], wanted, begin)
            loose = loose + across[:, 1:] @ impulse
            push[rows] = impulse / step
            last = {f: impulse[2 * k : 2 * k + 2] for k, f in enumerate(touching)}
        v[free] = loose
        q = half + step / 2 * v
        if i in keep:
            times.append((i + 1) * step)
            path.append(q.copy())
            feet.append(np.asarray(model.terms(q, v)[4])[:, 0])
            forces.append(push)
    _standing(bool(np.isfinite(q).all()), np.array(path), np.array(times))
    return _motion(robot, np.array(times) - squat.settle, np.array(path), np.array(feet), np.array(forces))


def _joint_matrix(model: _Robot, step: float) -> np.ndarray:
    extra = np.zeros(model.robot.size)
    extra[3:] = step * model.damping + step**2 / 2 * model.stiffness
    return np.diag(extra[model.free])


def _standing(ok: bool, path: np.ndarray, times: np.ndarray) -> None:
    fallen = not ok or not len(path) or abs(path[:, 2]).max() > 1.2 or path[:, 1].min() < 0.05
    if fallen:
        raise Diverged(
            "the robot falls over in its squat: bend less or slower",
            time=float(times[-1]) if len(times) else 0.0,
            body="body",
        )


def _motion(robot: Ramone, time: np.ndarray, q: np.ndarray, place: np.ndarray, force: np.ndarray) -> SquatMotion:
    feet = place.reshape(len(time), robot.legs, 2).copy()
    feet[..., 1] += robot.foot_radius
    return SquatMotion(time=time, feet=feet, force=force.reshape(len(time), robot.legs, 2), body=q[:, :3])
