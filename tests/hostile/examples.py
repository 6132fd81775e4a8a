"""A good one of every configuration that has no defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plantar.design.dimension import Dimension
from plantar.feet import BallFoot
from plantar.ground import ElevationMap, Flat
from plantar.ground.terrain.patches import Patch
from plantar.learn import TaskConfig, TrainConfig
from plantar.learn.drives import Drive
from plantar.soft.fem.beam import Section
from plantar.soft.fem.material import Corotational
from plantar.soft.mesh.mesh import Mesh
from plantar.soft.scene.obstacle import Plane

CORNERS = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]])
TETS = np.array([[0, 1, 2, 3]])
POINT = [[0.02, 0.02, 0.02]]
SECTION: dict[str, Any] = {"area": 1e-4, "inertia_y": 1e-9, "inertia_z": 1e-9, "torsion": 2e-9}
MATERIAL: dict[str, Any] = {"young": 1e5}
ENDS: dict[str, Any] = {"start": (0.0, 0.0, 0.0), "end": (0.1, 0.0, 0.0), "radius": 0.01}
NET: dict[str, Any] = {"nodes": CORNERS, "edges": np.array([[0, 1], [1, 2], [2, 3]])}
FIELD: dict[str, Any] = {"name": "radius", "low": 0.01, "high": 0.05}
PART: dict[str, Any] = {"name": "part", "body": "body"}
CARD: dict[str, Any] = {
    "robot": "biped",
    "feet": ("softfoot:fast",),
    "seen": ("joint_pos", "foot"),
    "foot": 2,
    "drives": (Drive(joint="hip", stiffness=50.0, damping=5.0, effort=80.0, armature=0.02),),
    "posture": {"hip": 0.1},
    "period": 0.02,
    "timestep": 0.005,
    "task": TaskConfig(),
    "training": TrainConfig(),
}


def motions() -> dict[str, Any]:
    """Four rows of a box that lies still."""
    still = np.zeros((4, 3))
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    return {
        "position": still,
        "quaternion": turns,
        "velocity": still,
        "angular_velocity": still,
        "offset": np.array([0, 4]),
        "dt": 0.01,
        "mass": 1.0,
        "inertia": np.full(3, 1e-3),
        "size": np.full(3, 0.1),
    }


EXAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "show.clip.Clip": lambda: {"title": "still", "times": np.zeros(1), "shapes": ()},
    "Trial": lambda: {"load": 12.0, "height": 0.01, "position": 1},
    "Press": lambda: {
        **{"load": 12.0, "height": 0.01, "x": 0.05, "tilt": 0.0, "shape": "cylinder", "radius": 0.01, "flat": True}
    },
    "StepTrials": lambda: {"foot": BallFoot()},
    "Part": lambda: {"mass": 0.1, "com": (0.0, 0.0, 0.0), "inertia": (1e-4, 1e-4, 1e-4)},
    "Motor": lambda: {"no_load_speed": 10.0},
    "Pattern": lambda: {"phases": (0.0, 0.5), "duty": 0.4},
    "Motions": motions,
    "FootLog": lambda: dict.fromkeys(("step", "depth", "speed", "force"), np.ones(4)) | {"area": 0.01, "diameter": 0.1},
    "BekkerLaw": lambda: {"k_c": 1e3, "k_phi": 1e6, "n": 1.0, "width": 0.1, "area": 0.01},
    "HuntCrossley": lambda: {"stiffness": 1e4},
    "ContactLaw": lambda: {"stiffness": 1e4},
    "MujocoLaw": lambda: {"effective_mass": 1.0},
    "ElevationMap": lambda: {"cell": 0.1, "heights": np.zeros((3, 3))},
    "Way": lambda: {"start": 0.0, "end": 1.0},
    "HeightField": lambda: {"grid": ElevationMap(cell=0.1, heights=np.zeros((3, 3)))},
    "Course": lambda: {"parts": (Flat(), Flat())},
    "Patch": lambda: {"x": (0.0, 1.0)},
    "Patches": lambda: {"patches": (Patch(x=(0.0, 1.0)),)},
    "soft.fit.beam.Beam": lambda: {"density": 1e3},
    "BeamBody": lambda: {**NET, "name": "beam", "section": Section(**SECTION), "young": 1e6, "density": 1e3},
    "Section": lambda: SECTION,
    "SpringBody": lambda: {**NET, "name": "net", "stiffness": 10.0, "mass": 0.1},
    "Mesh": lambda: {"nodes": CORNERS, "tets": TETS},
    "SoftBody": lambda: {
        "name": "b",
        "mesh": Mesh(CORNERS, TETS),
        "material": Corotational(**MATERIAL),
        "density": 1e3,
    },
    "FixedDistance": lambda: {"name": "bond", "bodies": ("a", "b"), "points": [*POINT, [0.0, 0.0, 0.0]]},
    "FixedPosition": lambda: {**PART, "points": POINT},
    "Cable": lambda: {**PART, "points": [*POINT, [0.05, 0.02, 0.02]]},
    "Cavity": lambda: {**PART, "surface": "inside"},
    "Goal": lambda: {**PART, "point": POINT[0]},
    "Load": lambda: {**PART, "points": POINT, "force": (0.0, 0.0, -1.0)},
    "Barycentric": lambda: {"nodes": TETS, "weights": np.full((1, 4), 0.25)},
    "Ball": lambda: {"radius": 0.1},
    "Box": lambda: {"size": (0.1, 0.1, 0.1)},
    "Capsule": lambda: ENDS,
    "Cylinder": lambda: ENDS,
    "Surface": lambda: {"nodes": CORNERS, "triangles": [[0, 1, 2]]},
    "RigidBody": lambda: {"name": "rigid", "mass": 1.0, "inertia": (1e-3, 1e-3, 1e-3)},
    "Skin": lambda: {**PART, "nodes": POINT},
    "Channel": lambda: {"name": "valve"},
    "Dimension": lambda: FIELD,
    "Space": lambda: {"foot": BallFoot(), "dimensions": (Dimension(**FIELD),)},
    "Bar": lambda: {"x": 0.3, "height": 0.01},
    "Push": lambda: {"impulse": 1.0},
    "Card": lambda: CARD,
    "soft.scene.contact.Contact": lambda: {**PART, "against": Plane()},
    **dict.fromkeys(
        ("Corotational", "Material", "NeoHookean", "StVenantKirchhoff", "StableNeoHookean"), lambda: MATERIAL
    ),
}
"""Fields by the name of the class, with its module where that name is taken."""
