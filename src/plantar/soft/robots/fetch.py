"""The Fetch: a pneumatic manipulator of two stacked platforms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar.soft.fem.material import Corotational
from plantar.soft.mesh.mesh import Floats, Mesh
from plantar.soft.mesh.shapes import revolved
from plantar.soft.robots.robot import Published, SoftRobot, ramp
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.cavity import Cavity
from plantar.soft.scene.goal import Goal
from plantar.soft.scene.rigid import RigidBody
from plantar.soft.scene.scene import Scene

BELLOWS, FLOORS = 3, 2


@dataclass(frozen=True, kw_only=True)
class Fetch(SoftRobot):
    """Two platforms, each on three silicone bellows; pressures that bring the top to a target come from the inverse."""

    name: ClassVar[str] = "fetch"
    published: ClassVar[Published] = Published("S, P", "C, P", False, "inverse", 12, 7.5)
    duration: ClassVar[float] = 4.0
    modes: ClassVar[int] = 24

    dt: float = 0.05
    """Time step [s]."""
    height: float = 0.060
    """Height of a bellows [m]."""
    radius: float = 0.0125
    """Mean radius of a bellows [m]."""
    wave: float = 0.0025
    """Depth of its folds, from the mean [m]."""
    folds: int = 4
    """Folds along a bellows."""
    wall: float = 0.0025
    """Thickness of its wall [m]."""
    spread: float = 0.030
    """Distance of the bellows from the axis [m]."""
    young: float = 300e3
    """Young's modulus of the silicone [Pa]."""
    rings: int = 3
    """Cells from a bellows' axis to its side."""
    layers: int = 24
    """Cells along a bellows."""
    circle: float = 0.012
    """Radius of the circle that the top follows [m]."""
    pressure: float = 15e3
    """Highest pressure [Pa]."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        require_positive(self, "", ("height", "radius", "wall", "spread", "young", "rings", "layers", "pressure"))

    def bellows(self) -> Mesh:
        """One bellows along z with a closed cavity."""

        def side(z: Floats) -> Floats:
            return self.radius - self.wave * np.cos(2 * np.pi * self.folds * z / self.height)

        zs = np.linspace(0, self.height, self.layers + 1)
        cap = max(1, round(0.06 * self.layers))
        return revolved(
            zs,
            side,
            self.rings,
            inner=lambda z: side(z) - self.wall,
            hollow=(cap, self.layers - cap),
            core=self.rings - 1,
        )

    def scene(self) -> Scene:
        """Both platforms, the lower one on the ground."""
        mesh, bodies, cavities = self.bellows(), [], []
        material = Corotational(young=self.young)
        gap = 0.008
        for floor in range(FLOORS):
            low = floor * (self.height + gap)
            plate = RigidBody.box(
                name=f"plate{floor + 1}",
                size=(0.08, 0.08, gap),
                mass=0.020,
                position=(0, 0, low + self.height + gap / 2),
            )
            bodies.append(plate)
            for i in range(BELLOWS):
                angle = 2 * math.pi * i / BELLOWS + math.pi / BELLOWS * floor
                name = f"bellows{floor + 1}{i + 1}"
                place = (self.spread * math.cos(angle), self.spread * math.sin(angle), low)
                rigid = {f"plate{floor + 1}": "z1", **({f"plate{floor}": "z0"} if floor else {})}
                bodies.append(
                    SoftBody(
                        name=name,
                        mesh=mesh.moved(translation=place),
                        material=material,
                        density=1080.0,
                        fixed="z0" if floor == 0 else (),
                        rigid=rigid,
                    )
                )
                cavities.append(
                    Cavity(
                        name=f"air{floor + 1}{i + 1}",
                        body=name,
                        surface="cavity1",
                        drive="pressure",
                        unilateral=True,
                        max_pressure=self.pressure,
                    )
                )
        top = FLOORS * (self.height + gap)
        goal = Goal(name="top", body=f"plate{FLOORS}", point=(0, 0, top))
        return Scene(bodies, cavities, goals=[goal], dt=self.dt, rayleigh=(0.1, 0.02))

    def target(self, scene: Scene, time: float) -> Floats:
        """Where the middle of the top plate should be [m]."""
        rest = scene.goals["top"].map.positions(scene.system.x0, scene.system.quat0)[0]
        angle = 2 * math.pi * max(0.0, time - 1.0) / 3.0
        out = self.circle * ramp(time, 0.0, 1.0)
        return rest + np.array([out * math.cos(angle), out * math.sin(angle), 0.006 * ramp(time, 0.0, 1.0)])

    def act(self, scene: Scene, time: float) -> None:
        """One step of the inverse towards the target."""
        scene.solve_inverse({"top": self.target(scene, time + self.dt).tolist()})

    def readings(self, scene: Scene) -> dict[str, float]:
        """Place of the top, its distance from the target, pressures."""
        goal = scene.goals["top"]
        place = goal.position(scene.state.x, scene.state.quat)
        error = float(np.linalg.norm(place - goal.target))
        pressures = {f"pressure_{name}": value for name, value in scene.efforts.items()}
        return {"top_x": place[0], "top_y": place[1], "top_z": place[2], "error": error, **pressures}
