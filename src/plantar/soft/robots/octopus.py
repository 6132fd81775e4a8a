"""The octopus leg: a tapering arm that a cable curls around a rod."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require_positive
from plantar.soft.fem.material import Corotational
from plantar.soft.mesh.mesh import Floats, Mesh
from plantar.soft.mesh.shapes import lattice
from plantar.soft.robots.robot import CONTACT, Published, SoftRobot, ramp
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.cable import Cable
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.obstacle import Capsule
from plantar.soft.scene.scene import Scene


@dataclass(frozen=True, kw_only=True)
class OctopusLeg(SoftRobot):
    """A silicone tentacle, thick at its root and thin at its tip, that one cable curls around a rod."""

    name: ClassVar[str] = "octopus"
    published: ClassVar[Published] = Published("S", "C", True, "direct", 360, 1.7)
    duration: ClassVar[float] = 4.0
    modes: ClassVar[int] = 30
    shaken: ClassVar[float] = 0.0

    length: float = 0.180
    """Length [m]."""
    root: float = 0.026
    """Thickness at the root [m]."""
    tip: float = 0.008
    """Thickness at the tip [m]."""
    young: float = 150e3
    """Young's modulus of the silicone [Pa]."""
    pull: float = 0.055
    """Cable length pulled in at the end [m]."""
    layers: int = 12
    """Cells along the arm."""

    def __post_init__(self) -> None:
        """Check every field."""
        super().__post_init__()
        require_positive(self, "", ("length", "root", "tip", "young", "pull", "layers"))

    def mesh(self) -> Mesh:
        """The arm along x, its cable side below."""

        def taper(nodes: Floats) -> Floats:
            half = (self.root + (self.tip - self.root) * nodes[:, 0] / self.length) / 2
            return np.column_stack([nodes[:, 0], half * nodes[:, 1], half * nodes[:, 2]])

        return lattice(np.linspace(0, self.length, self.layers + 1), [-1, 0, 1], [-1, 0, 1], warp=taper)

    def scene(self) -> Scene:
        """The arm, held at its root, over a rod."""
        arm = SoftBody(
            name="arm", mesh=self.mesh(), material=Corotational(young=self.young), density=1080.0, fixed="x0"
        )
        x = np.linspace(0.04, 0.97, 12) * self.length
        half = (self.root + (self.tip - self.root) * x / self.length) / 2
        cable = Cable(
            name="cable", body="arm", points=np.column_stack([x, 0 * x, -0.7 * half]), anchor=(-0.01, 0, -0.009)
        )
        rod = Capsule(start=(0.085, -0.05, -0.048), end=(0.085, 0.05, -0.048), radius=0.018)
        touch = Contact(name="rod", body="arm", against=rod, friction=0.4, margin=0.004)
        scene = Scene([arm], [cable], contacts=[touch], dt=self.dt, rayleigh=(0.1, 0.02))
        scene.contact_tolerance, scene.contact_rounds = CONTACT
        return scene

    def act(self, scene: Scene, time: float) -> None:
        """Pull the cable in, hold, and let go."""
        scene.step({"cable": self.pull * (ramp(time, 0.2, 2.4) - ramp(time, 3.2, 4.0))})

    def readings(self, scene: Scene) -> dict[str, float]:
        """Place of the tip, tension, and force on the rod."""
        tip = scene.positions("arm")[scene.bodies["arm"].mesh.region("x1")].mean(axis=0)
        force = float(np.linalg.norm(sum((np.array(t.force) for t in scene.touches), np.zeros(3))))
        return {"tip_x": tip[0], "tip_z": tip[2], "tension": scene.efforts["cable"], "rod_force": force}
