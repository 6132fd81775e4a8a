"""What rigid feet share: the root body and the masses of simple solids."""

from __future__ import annotations

import mujoco

from plantar.feet import defaults as _looks
from plantar.feet.parts import Part, Vector


def start_spec(name: str, friction: float) -> tuple[mujoco.MjSpec, mujoco.MjsBody]:
    """An empty spec with colours and classes, and its root body `ankle` with the site `ankle`."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    _looks.add_materials(spec)
    _looks.add_classes(spec, friction)
    ankle = spec.worldbody.add_body(name="ankle")
    ankle.add_site(name="ankle", size=[0.003] * 3, group=_looks.HELPER_GROUP)
    return spec, ankle


def set_mass(body: mujoco.MjsBody, part: Part) -> None:
    """Give a body the mass, centre of mass and inertia of a part."""
    body.explicitinertial = True
    body.mass = part.mass
    body.ipos = list(part.com)
    body.fullinertia = [*part.inertia, *part.products]


def solid_box(mass: float, half: Vector, com: Vector) -> Part:
    """A uniform box of half sizes `half` [m] around `com`."""
    x, y, z = (2 * h for h in half)
    return Part(mass, com, (mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)))


def solid_sphere(mass: float, radius: float, com: Vector) -> Part:
    """A uniform ball around `com`."""
    inertia = 0.4 * mass * radius**2
    return Part(mass, com, (inertia, inertia, inertia))


def solid_rod(mass: float, radius: float, length: float, com: Vector) -> Part:
    """A uniform upright cylinder around `com`."""
    across = mass / 12 * (3 * radius**2 + length**2)
    return Part(mass, com, (across, across, mass * radius**2 / 2))
