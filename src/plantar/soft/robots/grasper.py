"""The grasper: three fingers, one motor, and a cube."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar.soft.fem.material import Corotational
from plantar.soft.mesh.mesh import Floats, Mesh
from plantar.soft.mesh.shapes import lattice
from plantar.soft.robots.robot import CONTACT, Published, SoftRobot, ramp, turned
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.obstacle import Box, Plane
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene

FINGERS = 3


@dataclass(frozen=True, kw_only=True)
class Grasper(SoftRobot):
    """Three silicone fingers, bent by three cables on one motor, that pick a cube from the floor."""

    name: ClassVar[str] = "grasper"
    published: ClassVar[Published] = Published("S, P", "C", True, "direct", 1422, 5.0)
    duration: ClassVar[float] = 4.0
    modes: ClassVar[int] = 30
    shaken: ClassVar[float] = 0.0

    length: float = 0.100
    """Length of a finger [m]."""
    width: float = 0.020
    """Width of a finger [m]."""
    thickness: float = 0.016
    """Thickness between the notches [m]."""
    notch: float = 0.45
    """Depth of the notches, as a fraction of the thickness."""
    spread: float = 0.038
    """Distance of the fingers from the middle [m]."""
    cube: float = 0.058
    """Edge of the cube [m]."""
    cube_mass: float = 0.050
    """Mass of the cube [kg]."""
    young: float = 600e3
    """Young's modulus of the silicone [Pa]."""
    pull: float = 0.014
    """Cable length pulled in by the motor [m]."""
    lift: float = 0.050
    """How far the hand goes up with the cube [m]."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        require_positive(self, "", ("length", "width", "thickness", "spread", "cube", "cube_mass", "young", "pull"))

    def finger(self, angle: float) -> Mesh:
        """A finger that hangs down at `angle` about z; its inner side has three notches."""
        planes = np.linspace(0, self.length, 17)

        def bend(nodes: Floats) -> Floats:
            along, side, depth = nodes.T
            notch = 1 - self.notch * np.clip(np.cos(2 * np.pi * (along / self.length - 0.125) * 4), 0, 1) ** 2
            inner = self.spread + self.thickness * (1 - notch)
            out = inner + depth * self.thickness * notch
            return turned(np.column_stack([out, self.width / 2 * side, -along]), angle)

        # x is along the finger, which hangs down: y and z follow it round so that volumes stay positive
        return lattice(planes, [-1, 0, 1], [0, 0.5, 1], warp=bend)

    def _grip(self, mesh: Mesh) -> Floats:
        """Points of a finger's inner side that touch: the edges of every second layer, coarser than its mesh."""
        layers, across = len(mesh.nodes) // 9, 3
        inner = mesh.nodes[mesh.region("z0")].reshape(layers, across, 3)
        return inner[1::2, ::2].reshape(-1, 3)

    def scene(self) -> Scene:
        """The hand over a cube on the floor."""
        floor = -self.length - 0.004
        fingers, cables, contacts = [], [], []
        middle = (0.0, 0.0, floor + self.cube / 2)
        half = self.cube / 2
        box = Box(centre=middle, size=(self.cube,) * 3)
        for i in range(FINGERS):
            angle = 2 * math.pi * i / FINGERS
            mesh, name = self.finger(angle), f"finger{i + 1}"
            fingers.append(
                SoftBody(name=name, mesh=mesh, material=Corotational(young=self.young), density=1080.0, fixed="x0")
            )
            z = -np.linspace(0.05, 0.97, 8) * self.length
            inside = self.spread + self.thickness * (self.notch + 0.12)
            path = turned(np.column_stack([np.full(8, inside), 0 * z, z]), angle)
            cables.append(Cable(name=f"cable{i + 1}", body=name, points=path))
            contacts.append(
                Contact(
                    name=f"grip{i + 1}",
                    body=name,
                    points=self._grip(mesh),
                    against=box,
                    carrier="cube",
                    friction=0.9,
                    margin=0.002,
                )
            )
        corners = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (-half, half)]) + middle
        cube = RigidBody.box(name="cube", size=(self.cube,) * 3, mass=self.cube_mass, position=middle)
        contacts.append(
            Contact(
                name="floor",
                body="cube",
                points=corners,
                against=Plane(point=(0, 0, floor)),
                friction=0.6,
                margin=0.004,
            )
        )
        scene = Scene([*fingers, cube], cables, contacts=contacts, dt=self.dt, rayleigh=(0.1, 0.02))
        scene.contact_tolerance, scene.contact_rounds = CONTACT
        return scene

    def act(self, scene: Scene, time: float) -> None:
        """Close, lift, hold."""
        stroke = self.pull * ramp(time, 0.1, 1.6)
        up = self.lift * (ramp(time + self.dt, 2.0, 3.5) - ramp(time, 2.0, 3.5))
        for i in range(FINGERS):
            if up:
                scene.move(f"finger{i + 1}", (0, 0, up))
        scene.step({f"cable{i + 1}": stroke for i in range(FINGERS)})

    def readings(self, scene: Scene) -> dict[str, float]:
        """Height of the cube, tensions and grip."""
        grip = sum(float(np.linalg.norm(t.force[:2])) for t in scene.touches if t.contact.startswith("grip"))
        tension = max(scene.efforts.values())
        return {"cube_z": float(scene.positions("cube")[0, 2]), "tension": tension, "grip": grip}
