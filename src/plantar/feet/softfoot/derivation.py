"""Derivation and references of the SoftFoot."""

DERIVATION = (
    "Masses, centres of mass, inertias and joint positions are those of the model released by Crotti et al. "
    "(BSD-3-Clause), turned to axes x forward, z up.",
    "The meshes were replaced by primitives drawn from the description; boxes or capsules touch the ground.",
    "Each coupling of two modules is a pair of hinges tied 1:1 by an equality, as two rollers roll on each other.",
    "The stiffness of the hinges follows from the rubber bands: hardness to Young's modulus by Gent's "
    "relation, times section and stretch to tension, times lever to joint stiffness.",
    "The plantar tendons run over massless pulleys; a limit on their length makes them nearly inextensible.",
    "A position-only equality at the metatarsal joint of every chain closes the loop with the anterior arch.",
    "The foot's contact masks keep modules from touching each other.",
)

CITATIONS = (
    "M. Crotti, L. Rossini, B. K. Hodossy, A. Pace, G. Grioli, A. Bicchi, M. G. Catalano, *Soft Adaptive Feet"
    " for Legged Robots: An Open-Source Model for Locomotion Simulation*, arXiv:2412.03191, 2024.",
    "C. Piazza, C. Della Santina, G. Grioli, A. Bicchi, M. G. Catalano, *Analytical Model and Experimental "
    "Testing of the SoftFoot: An Adaptive Robot Foot for Walking Over Obstacles and Irregular Terrains*, IEEE"
    " Transactions on Robotics 40, 2024, doi:10.1109/TRO.2024.3415237.",
)
