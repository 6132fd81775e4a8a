"""Derivation and references of the SoftFoot-Q."""

DERIVATION = (
    "Masses, centres of mass, inertias, joint places and limits are those of the CAD sheets in the "
    "description that the Centro Piaggio published (BSD-3-Clause), turned to axes x forward, z up; the meshes"
    " were replaced by primitives.",
    "Each chain starts at the back roll link, with one hinge per pin, and a position-only equality closes it at the "
    "front roll link; in the zero pose the chains are straight.",
    "Play: each pin may twist and yaw a little, and a slide at a chain's first pin is as long as all pins' "
    "play along it; its end stop is what makes the loaded sole stiff.",
    "A spring acts on the sum of the turns of both arches, as in the published description.",
    "The foot's contact masks keep links from touching each other.",
)

CITATIONS = (
    "J. Bednarek, N. Maalouf, M. J. Pollayil, M. Garabini, M. G. Catalano, G. Grioli, D. Belter, *CNN-based "
    "Foothold Selection for Mechanically Adaptive Soft Foot*, IEEE/RSJ IROS, 2020.",
)
