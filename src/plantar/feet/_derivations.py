"""How each foot came about, for the README of an exported folder."""

from __future__ import annotations

from plantar.feet.foot import Foot

TITLES = {
    "softfoot": "SoftFoot",
    "softfoot_q": "SoftFoot-Q",
    "flat": "Flat foot",
    "ball": "Ball foot",
}

DERIVATIONS = {
    "softfoot": (
        "Masses, centres of mass, inertias and joint places are those of the twin that Crotti et al. released "
        "(BSD-3-Clause), turned to axes x forward, z up.",
        "The meshes were replaced by primitives drawn from the description; boxes or capsules touch the ground.",
        "Each coupling of two modules is a pair of hinges tied 1:1 by an equality, as two rollers roll on each other.",
        "The stiffness of the hinges follows from the rubber bands: hardness to Young's modulus by Gent's relation, "
        "times section and stretch to tension, times lever to joint stiffness.",
        "The plantar tendons run over massless pulleys; a limit on their length makes them nearly inextensible.",
        "A position-only equality at the metatarsal joint of every chain closes the loop with the anterior arch.",
        "The foot's contact masks keep modules from touching each other.",
    ),
    "softfoot_q": (
        "Masses, centres of mass, inertias, joint places and limits are those of the CAD sheets in the description "
        "that the Centro Piaggio published (BSD-3-Clause), turned to axes x forward, z up; the meshes were replaced "
        "by primitives.",
        "Each chain starts at the back roll link, one hinge a pin, and a position-only equality closes it at the "
        "front roll link; in the zero pose the chains are straight.",
        "Play: each pin may twist and yaw a little, and a slide at a chain's first pin is as long as all pins' play "
        "along it; its end stop is what makes the loaded sole stiff.",
        "A spring acts on the sum of the turns of both arches, as in the published description.",
        "The foot's contact masks keep links from touching each other.",
    ),
    "flat": (
        "The sole is a uniform solid plate; its inertia follows from its size and mass.",
        "One box, or two capsules along the sides, touch the ground.",
    ),
    "ball": (
        "Ball and shank are uniform solids that share the mass by volume; their inertias follow.",
        "A sphere touches the ground; the shank collides as a cylinder.",
    ),
    "all": (
        "Sensors were added for the force of the ground on every body of the sole.",
        "The file was written by Plantar {version} from the fields below with every number in full, so that it "
        "compiles to the same model bit for bit.",
    ),
}
"""Numbered steps; those under `all` come last for every foot."""


CITATIONS = {
    "all": ("The Plantar authors, *Plantar: soft adaptive feet of legged robots in MuJoCo*.",),
    "softfoot_q": (
        "J. Bednarek, N. Maalouf, M. J. Pollayil, M. Garabini, M. G. Catalano, G. Grioli, D. Belter, *CNN-based "
        "Foothold Selection for Mechanically Adaptive Soft Foot*, IEEE/RSJ IROS, 2020.",
    ),
    "softfoot": (
        "M. Crotti, L. Rossini, B. K. Hodossy, A. Pace, G. Grioli, A. Bicchi, M. G. Catalano, *Soft Adaptive Feet for "
        "Legged Robots: An Open-Source Model for Locomotion Simulation*, arXiv:2412.03191, 2024.",
        "C. Piazza, C. Della Santina, G. Grioli, A. Bicchi, M. G. Catalano, *Analytical Model and Experimental Testing "
        "of the SoftFoot: An Adaptive Robot Foot for Walking Over Obstacles and Irregular Terrains*, IEEE Transactions "
        "on Robotics 40, 2024, doi:10.1109/TRO.2024.3415237.",
    ),
}


def title_of(foot: Foot) -> str:
    """What people call a foot."""
    return TITLES.get(foot.name, foot.name)
