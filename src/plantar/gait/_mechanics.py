"""Equations of motion of a legged robot as CasADi functions, derived by differentiation and not by hand."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from plantar.gait._casadi import casadi
from plantar.gait.legged import LeggedRobot


@dataclass(frozen=True)
class Mechanics:
    """Symbols and expressions of one robot; `functions` are compiled from them."""

    robot: LeggedRobot
    """The robot."""
    q: Any
    """Coordinates with motors (SX)."""
    v: Any
    """Velocities."""
    a: Any
    """Accelerations."""
    deflection: Any
    """Deflection of each foot's anchor."""
    force: Any
    """Ground force on each foot: along, across; two per foot."""
    residual: Any
    """Body equations of motion with `force` as the feet's load; zero in motion."""
    torque: Any
    """Motor forces that go with the accelerations."""
    joint: Any
    """Series-spring forces on the joints."""
    mass: Any
    """Mass matrix of the body coordinates."""
    bias: Any
    """Body terms without accelerations: gravity, velocity products, minus spring forces."""
    place: Any
    """Foot centre x, and gap to the ground; two per foot."""
    jacobian: Any
    """Slip and lift velocity of each foot's lowest point by body velocities; two rows per foot."""
    drift: Any
    """What of those points' acceleration is there without any of the coordinates'."""
    soft: Any
    """Ground force of the rubber law; two per foot."""
    soft_rate: Any
    """Deflection rate of the rubber law."""
    speed: Any
    """Motor speeds."""
    factor: Any
    """Thermal loss over squared force of each motor."""

    @property
    def bodies(self) -> int:
        """Coordinates without motors."""
        return 3 + 2 * self.robot.legs

    @property
    def size(self) -> int:
        """All coordinates."""
        return self.bodies + 2 * self.robot.legs


@functools.lru_cache(maxsize=16)
def mechanics(robot: LeggedRobot) -> Mechanics:
    """Derive the equations of `robot`."""
    ca = casadi()
    legs, bodies = robot.legs, 3 + 2 * robot.legs
    q, v, a = (ca.SX.sym(name, bodies + 2 * legs) for name in ("q", "v", "a"))
    deflection, force = ca.SX.sym("deflection", legs), ca.SX.sym("force", 2 * legs)
    qb, vb, ab = q[:bodies], v[:bodies], a[:bodies]

    kinetic, potential, place, slip = _energies(robot, ca, qb, vb)
    momentum = ca.gradient(kinetic, vb)
    joint = _springs(robot, ca, q, v)
    on_body = ca.vertcat(ca.SX(3, 1), joint)
    bias = ca.jtimes(momentum, qb, vb) - ca.gradient(kinetic - potential, qb) - on_body
    mass = ca.jacobian(momentum, vb)
    jacobian = ca.jacobian(slip, vb)
    residual = mass @ ab + bias - jacobian.T @ force
    law, soft, rate = robot.law, [], []
    for i in range(legs):
        normal, along, change = law.symbolic(-place[2 * i + 1], -slip[2 * i + 1], slip[2 * i], deflection[i])
        soft += [along, normal]
        rate.append(change)
    inertia = ca.vertcat(*[m.inertia for _ in range(legs) for m in (robot.hip_motor, robot.leg_motor)])
    factor = ca.vertcat(*[m.loss_factor for _ in range(legs) for m in (robot.hip_motor, robot.leg_motor)])
    torque = inertia * a[bodies:] + joint
    return Mechanics(
        robot=robot,
        q=q,
        v=v,
        a=a,
        deflection=deflection,
        force=force,
        residual=residual,
        torque=torque,
        joint=joint,
        mass=mass,
        bias=bias,
        place=place,
        jacobian=jacobian,
        drift=ca.jtimes(slip, qb, vb),
        soft=ca.vertcat(*soft),
        soft_rate=ca.vertcat(*rate),
        speed=v[bodies:],
        factor=factor,
    )


def _energies(robot: LeggedRobot, ca: Any, q: Any, v: Any) -> tuple[Any, Any, Any, Any]:
    """Kinetic and potential energy, foot places (x, gap), and velocities of the feet's lowest points."""
    points, angles = [(robot.torso_mass, q[0], q[1])], [(robot.torso_inertia, q[2])]
    place, turn = [], []
    for i, hip in enumerate(robot.hips):
        x, y = q[0] + hip * ca.cos(q[2]), q[1] + hip * ca.sin(q[2])
        angle, length = q[2] + q[3 + 2 * i], q[4 + 2 * i]
        for mass, inertia, along in (
            (robot.upper_mass, robot.upper_inertia, robot.upper_centre),
            (robot.lower_mass, robot.lower_inertia, length - robot.lower_centre),
        ):
            points.append((mass, x + along * ca.sin(angle), y - along * ca.cos(angle)))
            angles.append((inertia, angle))
        place += [x + length * ca.sin(angle), y - length * ca.cos(angle) - robot.foot_radius]
        turn += [robot.foot_radius * angle, ca.SX(0)]
    kinetic, potential = 0, 0
    for mass, x, y in points:
        speed = ca.jtimes(ca.vertcat(x, y), q, v)
        kinetic += mass / 2 * ca.dot(speed, speed)
        potential += mass * y
    for inertia, angle in angles:
        kinetic += inertia / 2 * ca.jtimes(angle, q, v) ** 2
    # a ball that turns with the leg touches with a point that runs ahead of its centre
    slip = ca.jtimes(ca.vertcat(*place) + ca.vertcat(*turn), q, v)
    return kinetic, potential, ca.vertcat(*place), slip


def _springs(robot: LeggedRobot, ca: Any, q: Any, v: Any) -> Any:
    """Force of each series spring on its joint, motors being the last coordinates."""
    bodies, forces = 3 + 2 * robot.legs, []
    for i in range(robot.legs):
        hip, leg, motor_hip, motor_leg = 3 + 2 * i, 4 + 2 * i, bodies + 2 * i, bodies + 2 * i + 1
        forces.append(robot.hip_stiffness * (q[motor_hip] - q[hip]) + robot.hip_damping * (v[motor_hip] - v[hip]))
        forces.append(robot.leg_stiffness * (1 + q[motor_leg] - q[leg]) + robot.leg_damping * (v[motor_leg] - v[leg]))
    return ca.vertcat(*forces)
