"""Numbers of the built-in humanoid, left side; lengths in m, masses in kg, angles in rad, torques in N m.

Joints, limits, torques, masses and centres of mass are those of COMAN+ in its public description (COGIMON,
ADVR Humanoids, Istituto Italiano di Tecnologia, BSD-3), rounded; the shapes are our own.
"""

from __future__ import annotations

from plantar.robots.built_in.links import Link, Solid

WAIST = (Solid("box", (0.08, 0.12, 0.07), (-0.057, 0.0, -0.038), 3.47, "light"),)

MIDDLE = (
    Link("waist_roll", "waist", (0.012, 0, 0), "x", (-0.524, 0.524), 140,
         (Solid("capsule", (0.06, 0.05, 0), (-0.014, 0, 0.092), 1.711),)),
    Link("torso", "waist_roll", (-0.0541, 0, 0.2316), "z", (-1.745, 1.745), 120,
         (Solid("box", (0.10, 0.13, 0.14), (-0.048, 0, 0.042), 12.513, "light"),
          Solid("capsule", (0.035, 0.06, 0), (-0.02, 0, 0.24), 0.56),
          Solid("sphere", (0.085, 0, 0), (0.0, 0, 0.36), 1.26, "accent"))),
)  # fmt: skip

LEG = (
    Link("left_hip", "waist", (0.0154, 0.112, -0.05), "x", (-0.524, 1.658), 200,
         (Solid("capsule", (0.055, 0.05, 0), (-0.041, 0, -0.067), 2.094),)),
    Link("left_upper_thigh", "left_hip", (-0.059, 0.0787, -0.1185), "y", (-1.92, 1.553), 200,
         (Solid("capsule", (0.055, 0, 0), (0.0, -0.05, 0.0), 1.612, "light", end=(0.0, -0.085, -0.2)),)),
    Link("left_lower_thigh", "left_upper_thigh", (0, -0.09, -0.2564), "z", (-0.559, 1.571), 120,
         (Solid("capsule", (0.055, 0.03, 0), (-0.021, -0.004, -0.038), 1.745),)),
    Link("left_shank", "left_lower_thigh", (-0.039, 0.0641, -0.0607), "y", (0.0, 2.443), 200,
         (Solid("capsule", (0.048, 0, 0), (0.01, -0.055, -0.03), 3.701, "light", end=(0.039, -0.0616, -0.37)),)),
    Link("left_ankle", "left_shank", (0.039, -0.0616, -0.4253), "y", (-0.873, 0.698), 200,
         (Solid("sphere", (0.03, 0, 0), (0.001, 0, 0), 0.177),)),
    Link("left_foot", "left_ankle", (0, 0, 0), "x", (-0.262, 0.262), 60,
         (Solid("box", (0.05, 0.03, 0.025), (-0.0204, 0, -0.02), 0.907),
          Solid("box", (0.105, 0.055, 0.0075), (0.0018, 0, -0.061), 1.160, "accent", sole=True))),
)  # fmt: skip

ARM = (
    Link("left_shoulder_pitch", "torso", (0.0457, 0.1691, 0.1551), "y", (-3.352, 1.603), 140,
         (Solid("capsule", (0.05, 0, 0), (0.0, -0.04, 0), 1.963, end=(-0.03, 0.06, 0)),)),
    Link("left_shoulder_roll", "left_shoulder_pitch", (-0.0902, 0.062, 0), "x", (0.0, 3.517), 140,
         (Solid("capsule", (0.045, 0, 0), (0.04, 0, -0.02), 1.86, "light", end=(0.09, 0, -0.18)),)),
    Link("left_shoulder_yaw", "left_shoulder_roll", (0.0902, 0, -0.2182), "z", (-2.55, 2.55), 120,
         (Solid("capsule", (0.045, 0.02, 0), (0.015, 0.001, -0.028), 1.668),)),
    Link("left_elbow", "left_shoulder_yaw", (0.045, 0.0552, -0.074), "y", (-2.492, 0.298), 120,
         (Solid("capsule", (0.04, 0, 0), (0.0, -0.03, 0.0), 1.316, "light", end=(-0.015, -0.055, -0.08)),)),
    Link("left_forearm", "left_elbow", (-0.015, -0.0552, -0.095), "z", (-2.55, 2.55), 35,
         (Solid("capsule", (0.036, 0, 0), (0, 0.0, 0.0), 1.491, end=(0, 0.02, -0.14)),)),
    Link("left_wrist", "left_forearm", (0, 0.049, -0.156), "y", (-1.562, 1.478), 35,
         (Solid("capsule", (0.033, 0, 0), (0, -0.03, 0.0), 1.126, "light", end=(0, -0.049, -0.14)),)),
    Link("left_hand", "left_wrist", (0, -0.049, -0.174), "z", (-2.55, 2.55), 20,
         (Solid("sphere", (0.05, 0, 0), (0, 0, 0.0), 1.55, "accent"),)),
)  # fmt: skip
