"""The diamond: a silicone platform on four bent legs that four cables move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar.soft.fem.material import Corotational
from plantar.soft.mesh.implicit import fill
from plantar.soft.mesh.mesh import Floats, Mesh
from plantar.soft.robots.robot import Published, SoftRobot, ramp, turned
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.scene import Scene

LEGS = 4


@dataclass(frozen=True, kw_only=True)
class Diamond(SoftRobot):
    """One piece of silicone on four bent legs; its top follows a circle, the cables are found by the inverse."""

    name: ClassVar[str] = "diamond"
    published: ClassVar[Published] = Published("S", "C", False, "inverse", 4884, 22.0)
    duration: ClassVar[float] = 6.0
    modes: ClassVar[int] = 24

    dt: float = 0.04
    """Time step [s]."""
    height: float = 0.105
    """Height of the top over the base [m]."""
    reach: float = 0.046
    """Distance of the knees from the axis [m]."""
    leg: float = 0.0085
    """Radius of the legs [m]."""
    young: float = 250e3
    """Young's modulus of the silicone [Pa]."""
    spacing: float = 0.0068
    """Edge of the mesh's lattice [m]."""
    circle: float = 0.010
    """Radius of the circle that the top follows [m]."""
    stroke: float = 0.030
    """Largest cable length that a motor can pull in [m]."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        require_positive(self, "", ("height", "reach", "leg", "young", "spacing", "circle", "stroke"))

    @property
    def knees(self) -> Floats:
        """Places of the four knees (4, 3) [m]."""
        first = [[self.reach, 0, 0.45 * self.height]]
        return np.concatenate([turned(first, math.pi / 2 * i + math.pi / 4) for i in range(LEGS)])

    def mesh(self) -> Mesh:
        """Legs, foot and head in one piece."""
        return _mesh(self.height, self.reach, self.leg, self.spacing)

    def scene(self) -> Scene:
        """The robot on its foot, with its top as goal."""
        body = SoftBody(
            name="diamond", mesh=self.mesh(), material=Corotational(young=self.young), density=1080.0, fixed="base"
        )
        cables = [
            Cable(
                name=f"cable{i + 1}",
                body="diamond",
                points=[knee],
                anchor=tuple((knee * (1.0, 1.0, 0.0)).tolist()),
                stroke=(0.0, self.stroke),
                max_force=40.0,
            )
            for i, knee in enumerate(self.knees)
        ]
        goal = Goal(name="top", body="diamond", point=(0, 0, self.height - 0.004))
        return Scene([body], cables, goals=[goal], dt=self.dt, rayleigh=(0.1, 0.03))

    def start(self, scene: Scene) -> Floats:
        """Where the circle's middle is: a little below rest, so that all cables are under tension [m]."""
        return scene.goals["top"].map.positions(scene.system.x0, scene.system.quat0)[0] - (0, 0, 0.010)

    def target(self, scene: Scene, time: float) -> Floats:
        """Where the top should be [m]."""
        angle = 2 * math.pi * max(0.0, time - 2.0) / 4.0
        out = self.circle * ramp(time, 1.0, 2.0)
        rest = self.start(scene) + (0, 0, 0.010)
        return rest - (0, 0, 0.010 * ramp(time, 0.0, 1.0)) + out * np.array([math.cos(angle), math.sin(angle), 0])

    def act(self, scene: Scene, time: float) -> None:
        """One step of the inverse towards the target."""
        scene.solve_inverse({"top": self.target(scene, time + self.dt).tolist()})

    def readings(self, scene: Scene) -> dict[str, float]:
        """Place of the top, its distance from the target, cables."""
        goal = scene.goals["top"]
        place = goal.position(scene.state.x, scene.state.quat)
        strokes = {f"stroke{i + 1}": s for i, s in enumerate(scene.strokes().values())}
        error = float(np.linalg.norm(place - goal.target))
        return {"top_x": place[0], "top_y": place[1], "top_z": place[2], "error": error, **strokes}


@lru_cache(maxsize=4)
def _mesh(height: float, reach: float, leg: float, spacing: float) -> Mesh:
    knee, foot, head = 0.45 * height, np.array([0.010, 0, 0.008]), np.array([0.010, 0, height - 0.012])
    corner = np.array([reach, 0, knee])

    def shape(p: Floats) -> Floats:
        radius, angle = np.hypot(p[:, 0], p[:, 1]), np.arctan2(p[:, 1], p[:, 0])
        # all four legs are the one at 45 degrees: look at its sector only
        folded = (angle + math.pi) % (math.pi / 2) - math.pi / 4
        q = np.column_stack([radius * np.cos(folded), radius * np.sin(folded), p[:, 2]])
        legs = np.minimum(_rod(q, foot, corner), _rod(q, corner, head)) - leg
        base = _plate(radius, p[:, 2], 0.022, 0.0, 0.016)
        top = _plate(radius, p[:, 2], 0.018, height - 0.020, height)
        return np.minimum(np.minimum(legs, base), top)

    wide = reach + leg + spacing
    mesh = fill(shape, (-wide, -wide, 0.0), (wide, wide, height), spacing)
    return mesh.with_region("base", lambda p: p[:, 2] < 0.008)


def _rod(p: Floats, a: Floats, b: Floats) -> Floats:
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(p - a - t[:, None] * (b - a), axis=1)


def _plate(radius: Floats, z: Floats, wide: float, low: float, high: float) -> Floats:
    return np.maximum(radius - wide, np.abs(z - (low + high) / 2) - (high - low) / 2)
