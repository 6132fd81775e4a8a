"""Force against deformation: a body dropped on a ground, and the same ground at rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np

from plantar._checks import require, require_choice, require_positive
from plantar._config import Checked
from plantar.errors import Diverged
from plantar.ground.contact.ground import Ground
from plantar.ground.contact.reading import read_contacts
from plantar.ground.laws.law import Law
from plantar.ground.laws.mujoco_law import MujocoLaw
from plantar.identify.sources import BALL_RADIUS, BOX_HALF, ball, box
from plantar.identify.stage import AnyRobot, Posture, Stage
from plantar.model.state import blown_up
from plantar.table import Table

GRAVITY = 9.81
"""Acceleration of free fall [m/s^2]."""


@dataclass(frozen=True, kw_only=True)
class Drop(Checked):
    """A ball or a box that falls flat on level ground, as in Gora and Dutta."""

    shape: Literal["ball", "box"] = "ball"
    """Body that falls."""
    mass: float = 1.0
    """Its mass [kg]."""
    height: float = 0.01
    """Free fall from its lowest point to the ground [m]; the paper's ball falls 10 mm."""
    duration: float = 0.5
    """Simulated time [s]."""
    timestep: float = 1e-4
    """Time step [s]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_choice("shape", self.shape, ("ball", "box"))
        require_positive(self, "", ("mass", "duration", "timestep"))
        require(math.isfinite(self.height) and self.height >= 0, "height", self.height, "0 or above [m]")

    @property
    def contacts(self) -> int:
        """Points in which it touches."""
        return 1 if self.shape == "ball" else 4

    @property
    def weight(self) -> float:
        """Its weight [N]."""
        return self.mass * GRAVITY

    def spec(self) -> mujoco.MjSpec:
        """The body alone."""
        return ball(self.mass) if self.shape == "ball" else box(self.mass)

    def law(self, ground: Ground) -> MujocoLaw:
        """The force law between it and `ground`."""
        return ground.law(effective_mass=self.mass, contacts=self.contacts, timestep=self.timestep)


def forward_curve(drop: Drop, ground: Ground) -> Table:
    """Drop it in MuJoCo; one row per time step in contact.

    Columns: time, depth, speed [m/s, sinking], force (of MuJoCo), force_law (the forward law at that depth and
    speed). The state is that at which MuJoCo computed the force.

    Raises:
        Diverged: If the motion does not stay finite.
    """
    stage = Stage(drop.spec(), None, None)
    stage.use(ground)
    model, data = stage.model, stage.data
    model.opt.timestep, model.opt.integrator = drop.timestep, mujoco.mjtIntegrator.mjINT_EULER
    model.opt.tolerance = 1e-12
    law = drop.law(ground)
    mujoco.mj_resetData(model, data)
    data.qpos[2] = drop.height + (BALL_RADIUS if drop.shape == "ball" else BOX_HALF[2])
    rows = []
    for _ in range(round(drop.duration / drop.timestep)):
        mujoco.mj_step1(model, data)
        speed, now = -float(data.qvel[2]), float(data.time)
        mujoco.mj_step2(model, data)
        contacts = read_contacts(model, data, stage.ground, stage.geoms)
        if blown_up(data):
            raise Diverged("the drop does not stay finite: use a shorter time step", time=now, body=drop.shape)
        if len(contacts.depth):
            rows.append((now, contacts.depth.mean(), speed, contacts.force.sum()))
    if not rows:
        return Table([])
    time, depth, speed, force = np.array(rows).T
    analytic = law.forward_force(depth, speed, GRAVITY)
    names = ("time", "depth", "speed", "force", "force_law")
    return Table(
        dict(zip(names, map(float, row), strict=True)) for row in zip(time, depth, speed, force, analytic, strict=True)
    )


def fall_on(law: Law, drop: Drop) -> Table:
    """The same drop on any law of depth and speed, integrated here: time, depth, speed, force."""
    depth, speed, h = -drop.height, 0.0, drop.timestep
    rows = []
    for i in range(round(drop.duration / h)):
        force = float(law.force(depth, speed))
        if depth > 0:
            rows.append({"time": i * h, "depth": depth, "speed": speed, "force": force})
        # semi-implicit, as MuJoCo's Euler integrator
        speed += h * (GRAVITY - force / drop.mass)
        depth += h * speed
    return Table(rows)


def inverse_curve(drop: Drop, ground: Ground, deepest: float, points: int = 101) -> Table:
    """Force at rest against depth: depth, force (MuJoCo's inverse dynamics), force_law (analytic)."""
    require(math.isfinite(deepest) and deepest > 0, "deepest", deepest, "a depth above 0 [m]")
    require(points >= 2, "points", points, "an integer from 2")
    stage = Stage(drop.spec(), None, None)
    stage.use(ground)
    stage.model.opt.timestep = drop.timestep
    touch, law = stage.touch_height(), drop.law(ground)
    rows = []
    for depth in np.linspace(0, deepest, points)[1:]:
        force = float(stage.place(touch - depth).force.sum())
        rows.append({"depth": float(depth), "force": force, "force_law": float(law.force(depth))})
    return Table(rows)


def law_curve(law: Law, deepest: float, points: int = 101) -> Table:
    """Any law at rest: depth, force."""
    return Table({"depth": float(x), "force": float(law.force(x))} for x in np.linspace(0, deepest, points)[1:])


def robot_curve(
    robot: AnyRobot,
    ground: Ground,
    *,
    feet: Sequence[str] | None = None,
    posture: Posture = None,
    deepest: float,
    points: int = 101,
) -> Table:
    """A whole robot at rest with its posture held, lowered step by step (Gora and Dutta, Figure 5).

    Columns: depth (of the base below the first touch), load_depth (load-weighted mean over the contacts), force (of the
    ground, by inverse dynamics of the base), contacts.
    """
    require(math.isfinite(deepest) and deepest > 0, "deepest", deepest, "a depth above 0 [m]")
    stage = Stage(robot, feet, posture)
    stage.use(ground)
    touch = stage.touch_height()
    rows = []
    for depth in np.linspace(0, deepest, points)[1:]:
        force = stage.vertical_force(touch - depth)
        contacts = stage.place(touch - depth)
        row = {
            "depth": float(depth),
            "load_depth": contacts.load_depth,
            "force": force,
            "contacts": len(contacts.depth),
        }
        rows.append(row)
    return Table(rows)
