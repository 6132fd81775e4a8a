"""Numbers of the Kondo KHR-3HV: links of the left side, the middle, and what the right side does not mirror.

From the model of S. Gora in SIP2HumnWalking (github.com/sunilgora, Apache-2.0), which Gora and Dutta simulate: boxes
of 1000 kg/m^3, hinges with 0.08 N m of dry friction. Lengths in m, angles in degrees.
"""

from __future__ import annotations

from typing import NamedTuple

Vector = tuple[float, float, float]


class Box(NamedTuple):
    """A box of a link."""

    half: Vector
    """Half sizes along x, y, z."""
    centre: Vector
    """Centre in the link."""
    pitch: float = 0.0
    """Turn about y [degrees]."""
    roll: float = 0.0
    """Turn about x [degrees]."""


class Link(NamedTuple):
    """A link and the hinge at its origin."""

    name: str
    parent: str
    origin: Vector
    """Hinge in the parent."""
    axis: str
    """Axis of the hinge."""
    boxes: tuple[Box, ...]


WAIST = (Box((0.02525, 0.038, 0.018), (-0.00275, 0.0, -0.022)),)

MIDDLE = (
    Link("torso", "waist", (0.02425, 0.0, 0.04715), "z", (Box((0.04025, 0.0445, 0.03025), (-0.00475, 0.0, -0.022)),)),
    Link("head", "torso", (-0.00395, 0.0, 0.0134), "z", (Box((0.02475, 0.016, 0.019), (0.00225, 0.0, 0.02475)),)),
)

LEG = (
    Link(
        "hip_bracket",
        "waist",
        (0.00875, 0.02145, -0.03995),
        "z",
        (Box((0.0235, 0.012, 0.0155), (0, -0.0015, -0.0155)),),
    ),
    Link(
        "pelvis",
        "hip_bracket",
        (0.0, -0.00455, -0.02235),
        "x",
        (
            Box((0.016, 0.02125, 0.01175), (0.0, 0.01125, -0.00025)),
            Box((0.010, 0.02325, 0.018), (0.0, 0.01125, -0.03)),
        ),
    ),
    Link(
        "thigh",
        "pelvis",
        (-0.0008, 0.0113, -0.0387),
        "y",
        (
            Box((0.01175, 0.016, 0.021), (0.00075, 0.0, -0.011)),
            Box((0.01125, 0.016, 0.021), (0.006, 0.0, -0.054), pitch=29.679),
            Box((0.010, 0.016, 0.0108), (0.003, 0.0, -0.037), pitch=-26.974),
        ),
    ),
    Link(
        "shin",
        "thigh",
        (0.00015, 0.0, -0.06375),
        "y",
        (
            Box((0.010, 0.02325, 0.018), (0.00425, 0.0, -0.008), pitch=-28.648),
            Box((0.0115, 0.016, 0.021), (0.004, 0.0, -0.054), pitch=20.627),
            Box((0.0108, 0.016, 0.010), (0.0115, 0.0, -0.028)),
        ),
    ),
    Link(
        "ankle",
        "shin",
        (0.0003, -0.0002, -0.06435),
        "y",
        (
            Box((0.016, 0.02125, 0.01175), (0.0, 0.0, -0.037)),
            Box((0.010, 0.02325, 0.018), (0.0, 0.0, -0.007)),
        ),
    ),
    Link("foot", "ankle", (0.0, -0.01125, -0.037), "x", (Box((0.025, 0.020, 0.00825), (0.0, 0.01125, -0.01825)),)),
)

ARM = (
    Link(
        "shoulder_bracket", "torso", (-0.0041, 0.04725, -0.0009), "y", (Box((0.02325, 0.018, 0.010), (0, 0.0175, 0)),)
    ),
    Link(
        "upper_arm",
        "shoulder_bracket",
        (0.0, 0.02645, 0.0),
        "x",
        (
            Box((0.017775, 0.0125, 0.02125), (0.00025, 0.0, -0.01125)),
            Box((0.02125, 0.01125, 0.015775), (-0.01175, -0.00025, -0.04825)),
            Box((0.02525, 0.016775, 0.00475), (-0.01125, -0.00025, -0.06875)),
        ),
    ),
    Link(
        "elbow_bracket",
        "upper_arm",
        (0.00225, -0.00025, -0.07365),
        "z",
        (Box((0.0211, 0.016, 0.012), (-0.009, 0, -0.012)),),
    ),
    Link(
        "forearm",
        "elbow_bracket",
        (0.0022, 0.0, -0.0117),
        "y",
        (
            Box((0.010, 0.02325, 0.009), (0.0, 0.0, -0.018)),
            Box((0.0105, 0.016, 0.020), (0.001, 0.0, -0.0465)),
            Box((0.0145, 0.01175, 0.012), (0.003, -0.00175, -0.0785)),
            Box((0.012, 0.00325, 0.00875), (0.0, 0.001, -0.094), roll=-45.0),
        ),
    ),
)

RIGHT_ORIGINS = {"foot": (0.0, 0.01125, -0.0375), "shoulder_bracket": (-0.0041, -0.0475, -0.0009)}
"""Origins of the right side that are not the mirror image of the left: its leg is 0.5 mm longer."""
RIGHT_BOXES = {
    "hip_bracket": (Box((0.0235, 0.012, 0.0155), (0.0, -0.0015, -0.0155)),),
    "ankle": (Box((0.016, 0.02125, 0.01175), (0.0, 0.0, -0.0375)), Box((0.010, 0.02325, 0.018), (0.0, 0.0, -0.007))),
}
"""Boxes of the right side that are not the mirror image of the left."""
