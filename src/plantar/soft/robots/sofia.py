"""Sofia: a walker on six silicone legs that cables bend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from plantar._checks import require_choice, require_positive
from plantar.soft.fem.material import Corotational
from plantar.soft.mesh.mesh import Floats, Mesh
from plantar.soft.mesh.shapes import lattice
from plantar.soft.robots.robot import CONTACT, Published, SoftRobot, ramp
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.obstacle import Plane
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene

LEGS = 6
TRIPODS = ((0, 3, 4), (1, 2, 5))
"""Legs that step together; even numbers are left, odd ones right, front to back."""


@dataclass(frozen=True, kw_only=True)
class Sofia(SoftRobot):
    """A plate on six silicone legs, two cables per leg, that walks with two tripods on a floor with friction."""

    name: ClassVar[str] = "sofia"
    published: ClassVar[Published] = Published("S, P", "C", True, "direct", 7818, 100.0)
    duration: ClassVar[float] = 6.0
    carrier: ClassVar[str | None] = "plate"
    modes: ClassVar[int] = 30
    shaken: ClassVar[float] = 0.0

    dt: float = 0.05
    """Time step [s]."""
    length: float = 0.060
    """Length of a leg [m]."""
    thickness: float = 0.018
    """Thickness of a leg fore and aft, and across [m]."""
    mass: float = 0.250
    """Mass of the plate with its motors [kg]."""
    young: float = 500e3
    """Young's modulus of the silicone [Pa]."""
    swing: float = 0.006
    """Cable length that swings a leg [m]."""
    lift: float = 0.0045
    """Cable length that both cables of a leg pull in to lift it [m]."""
    period: float = 2.0
    """Time of two steps [s]."""
    friction: float = 0.8
    """Friction of the floor."""
    cells: tuple[int, int, int] = (4, 4, 16)
    """Cells of a leg along x, y and z."""
    treads: Literal["corners", "nodes"] = "corners"
    """Points of a foot that touch the floor: its four corners, or all nodes of its sole."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        positive = ("length", "thickness", "mass", "young", "swing", "lift", "period", "friction")
        require_positive(self, "", positive)
        require_choice("treads", self.treads, ("corners", "nodes"))

    def leg(self, place: Floats) -> Mesh:
        """A leg that hangs down from `place` and is a little thicker at its foot."""
        a, b, c = self.cells
        half = self.thickness / 2

        def shape(nodes: Floats) -> Floats:
            x, y, z = nodes.T
            wide = half * (1 + 0.25 * np.clip(-z / self.length - 0.8, 0, None) / 0.2)
            return np.column_stack([wide * x, wide * y, z]) + place

        planes = [np.linspace(-1, 1, a + 1), np.linspace(-1, 1, b + 1), np.linspace(-self.length, 0, c + 1)]
        return lattice(*planes, warp=shape)

    def _treads(self, mesh: Mesh) -> Floats:
        """Corners of a foot's sole (4, 3) [m]."""
        foot = mesh.nodes[mesh.region("z0")]
        low, high = foot.min(axis=0), foot.max(axis=0)
        return np.array([[x, y, low[2]] for x in (low[0], high[0]) for y in (low[1], high[1])])

    def places(self) -> Floats:
        """Tops of the legs (6, 3) [m]."""
        xs, y = (0.07, 0.0, -0.07), 0.05
        return np.array([[xs[i // 2], y if i % 2 == 0 else -y, self.length] for i in range(LEGS)])

    def scene(self) -> Scene:
        """The walker on the floor."""
        plate = RigidBody.box(
            name="plate", size=(0.18, 0.12, 0.01), mass=self.mass, position=(0, 0, self.length + 0.005)
        )
        bodies: list[object] = [plate]
        cables, contacts = [], []
        for i, place in enumerate(self.places()):
            name = f"leg{i + 1}"
            mesh = self.leg(place)
            bodies.append(
                SoftBody(
                    name=name,
                    mesh=mesh,
                    material=Corotational(young=self.young),
                    density=1080.0,
                    rigid={"plate": "z1"},
                )
            )
            z = np.linspace(0.999, 0.12, 7) * self.length
            for side, word in ((1, "front"), (-1, "back")):
                x = place[0] + side * 0.36 * self.thickness
                path = np.column_stack([np.full(7, x), np.full(7, place[1]), z])
                cables.append(Cable(name=f"{word}{i + 1}", body=name, points=path))
            contacts.append(
                Contact(
                    name=f"foot{i + 1}",
                    body=name,
                    points=self._treads(mesh) if self.treads == "corners" else "z0",
                    against=Plane(),
                    friction=self.friction,
                    margin=0.0015,
                )
            )
        scene = Scene(bodies, cables, contacts=contacts, dt=self.dt, rayleigh=(0.5, 0.03))
        scene.contact_tolerance, scene.contact_rounds = CONTACT
        return scene

    def strokes(self, leg: int, time: float) -> tuple[float, float]:
        """Strokes of the front and the back cable of a leg [m]."""
        offset = 0.0 if leg in TRIPODS[0] else 0.5
        phase = (time / self.period + offset) % 1.0
        start = ramp(time, 0.0, 0.5)
        # first half: in the air, swinging forward; second half: on the floor, pushing back
        swing = -math.cos(2 * math.pi * phase)
        lift = self.lift * math.sin(2 * math.pi * phase) ** 2 if phase < 0.5 else 0.0
        front = lift + self.swing * max(0.0, swing)
        back = lift + self.swing * max(0.0, -swing)
        return start * front, start * back

    def act(self, scene: Scene, time: float) -> None:
        """Settle on the floor for half a second, then walk."""
        commands = {}
        for i in range(LEGS):
            commands[f"front{i + 1}"], commands[f"back{i + 1}"] = self.strokes(i, max(0.0, time - 0.5))
        scene.step(commands)

    def readings(self, scene: Scene) -> dict[str, float]:
        """Place of the plate and force of the floor."""
        plate = scene.positions("plate")[0]
        force = sum(t.force[2] for t in scene.touches)
        return {"plate_x": plate[0], "plate_y": plate[1], "plate_z": plate[2], "floor_force": float(force)}
