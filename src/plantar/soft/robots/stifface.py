"""The Stifface: a silicone pad whose felt stiffness can be commanded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar.soft.fem.material import NeoHookean
from plantar.soft.mesh.mesh import Floats, Mesh
from plantar.soft.mesh.shapes import lattice
from plantar.soft.robots.robot import CONTACT, Published, SoftRobot, ramp
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.bond import FixedPosition
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.load import Load
from plantar.soft.scene.obstacle import Ball
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene

CABLES = 4
RADIUS, MASS, GRAVITY = 0.012, 0.010, 9.81
"""Radius [m] and mass [kg] of the finger, whose weight its user bears, and gravity [m/s^2]."""


@dataclass(frozen=True, kw_only=True)
class Stifface(SoftRobot):
    """A Neo-Hookean pad under a finger; cables let it yield as far as a spring of the desired stiffness would."""

    name: ClassVar[str] = "stifface"
    published: ClassVar[Published] = Published("S", "C", True, "inverse", 2285, 30.0)
    duration: ClassVar[float] = 4.0
    modes: ClassVar[int] = 30
    shaken: ClassVar[float] = 0.0

    dt: float = 0.04
    """Time step [s]."""
    side: float = 0.080
    """Edge of the pad [m]."""
    height: float = 0.034
    """Height of its arch [m]."""
    thickness: float = 0.012
    """Thickness of the silicone [m]."""
    young: float = 100e3
    """Young's modulus of the silicone [Pa]."""
    poisson: float = 0.43
    """Poisson's ratio."""
    stiffness: float = 120.0
    """Stiffness that a finger should feel [N/m]; less than the pad's own."""
    press: float = 0.8
    """Largest force of the finger [N]."""
    cells: tuple[int, int, int] = (14, 14, 3)
    """Cells along x, y and through the thickness."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        require_positive(self, "", ("side", "height", "thickness", "young", "stiffness", "press"))

    def mesh(self) -> Mesh:
        """An arch over a square: high in the middle, its rim on the table."""
        a, b, c = self.cells

        def arch(nodes: Floats) -> Floats:
            x, y, w = nodes.T
            crown = (np.cos(np.pi * x / 2) * np.cos(np.pi * y / 2)) ** 0.7
            z = (self.height - self.thickness) * np.maximum(crown, 0.0) + w * self.thickness
            return np.column_stack([self.side / 2 * x, self.side / 2 * y, z])

        mesh = lattice(np.linspace(-1, 1, a + 1), np.linspace(-1, 1, b + 1), np.linspace(0, 1, c + 1), warp=arch)
        rim = np.unique(np.concatenate([mesh.region(name) for name in ("x0", "x1", "y0", "y1")]))
        top = mesh.region("z1")
        crown = top[np.hypot(mesh.nodes[top, 0], mesh.nodes[top, 1]) < RADIUS]
        return mesh.with_region("rim", rim).with_region("crown", crown)

    def scene(self) -> Scene:
        """The pad, its rim held, and a finger that touches its crown."""
        material = NeoHookean(young=self.young, poisson=self.poisson)
        pad = SoftBody(name="pad", mesh=self.mesh(), material=material, density=1080.0, fixed="rim")
        cables = []
        for i in range(CABLES):
            angle = 2 * math.pi * i / CABLES + math.pi / 4
            out = 0.012
            crown = (math.cos(np.pi / 2 * out * math.cos(angle) / (self.side / 2))
                     * math.cos(np.pi / 2 * out * math.sin(angle) / (self.side / 2))) ** 0.7  # fmt: skip
            z = (self.height - self.thickness) * crown + 0.5 * self.thickness
            point = (out * math.cos(angle), out * math.sin(angle), z)
            anchor = (0.6 * point[0], 0.6 * point[1], -0.02)
            cables.append(
                Cable(
                    name=f"cable{i + 1}",
                    body="pad",
                    points=[point],
                    anchor=anchor,
                    stroke=(-0.005, 0.02),
                    max_force=20.0,
                )
            )
        middle = (0.0, 0.0, self.height + RADIUS + 1e-4)
        finger = RigidBody.ball(name="finger", radius=RADIUS, mass=MASS, position=middle)
        press = Load(name="press", body="finger", points=[middle], force=(0, 0, 0))
        guide = FixedPosition(name="guide", body="finger", points=[middle], axes="xy")
        tip = Ball(centre=middle, radius=RADIUS)
        touch = Contact(name="touch", body="pad", points="crown", against=tip, carrier="finger", margin=0.003)
        goal = Goal(name="crown", body="pad", point=(0, 0, self.height - 0.001), axes="z")
        scene = Scene(
            [pad, finger],
            cables,
            goals=[goal],
            loads=[press],
            bonds=[guide],
            contacts=[touch],
            dt=self.dt,
            rayleigh=(0.1, 0.05),
        )
        scene.contact_tolerance, scene.contact_rounds = CONTACT
        return scene

    def force(self, time: float) -> float:
        """Force of the finger [N]."""
        return self.press * (ramp(time, 0.5, 2.0) - ramp(time, 2.5, 4.0))

    def act(self, scene: Scene, time: float) -> None:
        """Sense the finger, and yield by force over stiffness."""
        force = self.force(time + self.dt)
        scene.loads["press"].force = np.array([0.0, 0.0, MASS * GRAVITY - force])
        goal = scene.goals["crown"]
        rest = goal.map.positions(scene.system.x0, scene.system.quat0)[0]
        scene.solve_inverse({"crown": (rest - (0, 0, 0.002 + force / self.stiffness)).tolist()})

    def readings(self, scene: Scene) -> dict[str, float]:
        """Force of the finger, displacement of the crown, and the felt stiffness."""
        goal = scene.goals["crown"]
        rest = goal.map.positions(scene.system.x0, scene.system.quat0)[0, 2] - 0.002
        way = float(rest - goal.position(scene.state.x, scene.state.quat)[2])
        force = MASS * GRAVITY - float(scene.loads["press"].force[2])
        felt = force / way if force > 0.2 * self.press and way > 0 else math.nan
        tension = max(scene.efforts.values())
        return {"force": force, "way": way, "stiffness_felt": felt, "tension": tension}
