"""The Flexo: a slender manipulator of printed plastic, modelled by beams."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar.soft.fem.beam import BeamBody, Section
from plantar.soft.mesh.mesh import Floats, Ints
from plantar.soft.robots.robot import Published, SoftRobot, ramp
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.scene import Scene

SIDES = 3


@dataclass(frozen=True, kw_only=True)
class Flexo(SoftRobot):
    """A column of printed forked ribs, three per section; its tip follows a circle, cables by the inverse."""

    name: ClassVar[str] = "flexo"
    published: ClassVar[Published] = Published("P", "C", False, "inverse", 912, 4.5)
    duration: ClassVar[float] = 5.0
    modes: ClassVar[int] = 30
    shaken: ClassVar[float] = 0.0

    sections: int = 12
    """Sections along the column."""
    pitch: float = 0.020
    """Height of a section [m]."""
    radius: float = 0.022
    """Distance of the ribs from the axis [m]."""
    bulge: float = 0.012
    """How far the forks stand out [m]."""
    strip: tuple[float, float] = (0.0030, 0.0016)
    """Width and thickness of the branches [m]."""
    young: float = 1.6e9
    """Young's modulus of the plastic [Pa]."""
    circle: float = 0.020
    """Radius of the circle that the tip follows [m]."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        require_positive(self, "", ("sections", "pitch", "radius", "bulge", "young", "circle"))

    def net(self) -> tuple[Floats, Ints]:
        """Nodes and beams: rings of three corners and three middles, joined by forks that stand out."""
        nodes: list[list[float]] = []
        edges: list[tuple[int, int]] = []
        angles = 2 * math.pi * np.arange(SIDES) / SIDES
        for level in range(self.sections + 1):
            z, first = level * self.pitch, len(nodes)
            nodes += [[self.radius * math.cos(a), self.radius * math.sin(a), z] for a in angles]
            middle = self.radius * 0.55
            nodes += [
                [middle * math.cos(a + math.pi / SIDES), middle * math.sin(a + math.pi / SIDES), z] for a in angles
            ]
            for i in range(SIDES):
                edges += [(first + i, first + SIDES + i), (first + SIDES + i, first + (i + 1) % SIDES)]
            if level == self.sections:
                break
            out = self.radius + self.bulge
            for share in (0.3, 0.7):
                nodes += [[out * math.cos(a), out * math.sin(a), z + share * self.pitch] for a in angles]
            low, high, above = first + 2 * SIDES, first + 3 * SIDES, first + 4 * SIDES
            for i in range(SIDES):
                edges += [(first + i, low + i), (low + i, high + i), (high + i, above + i)]
        return np.array(nodes), np.array(edges)

    def scene(self) -> Scene:
        """The column on its base, with cables along its corners and its tip as goal."""
        nodes, edges = self.net()
        section = Section.rectangle(*self.strip)
        column = BeamBody(
            name="column",
            nodes=nodes,
            edges=edges,
            section=section,
            young=self.young,
            density=1050.0,
            up=(0.31, 0.17, 0.93),
            fixed=tuple(range(2 * SIDES)),
        )
        step = 4 * SIDES
        cables = []
        for i in range(SIDES):
            corners = [nodes[i + step * level] for level in range(self.sections + 1)]
            inward = [(*(0.98 * c[:2]), c[2]) for c in corners]
            cables.append(
                Cable(name=f"cable{i + 1}", body="column", points=inward, stroke=(0.0, 0.06), max_force=200.0)
            )
        tip = (0.0, 0.0, self.sections * self.pitch)
        goal = Goal(name="tip", body="column", point=tuple(nodes[step * self.sections].tolist()), axes="xy")
        del tip
        return Scene([column], cables, goals=[goal], dt=self.dt, rayleigh=(0.1, 0.01))

    def target(self, scene: Scene, time: float) -> Floats:
        """Where the tip should be, in x and y [m]."""
        rest = scene.goals["tip"].map.positions(scene.system.x0, scene.system.quat0)[0]
        angle = 2 * math.pi * max(0.0, time - 1.0) / 4.0
        out = self.circle * ramp(time, 0.0, 1.0)
        return rest + np.array([out * math.cos(angle), out * math.sin(angle), 0.0])

    def act(self, scene: Scene, time: float) -> None:
        """One step of the inverse towards the target."""
        scene.solve_inverse({"tip": self.target(scene, time + self.dt).tolist()})

    def readings(self, scene: Scene) -> dict[str, float]:
        """Place of the tip, its distance from the target, cables."""
        goal = scene.goals["tip"]
        place = goal.position(scene.state.x, scene.state.quat)
        error = float(np.linalg.norm((place - goal.target)[:2]))
        return {"tip_x": place[0], "tip_y": place[1], "tip_z": place[2], "error": error, **_tensions(scene)}


def _tensions(scene: Scene) -> dict[str, float]:
    return {f"tension_{name}": value for name, value in scene.efforts.items()}
