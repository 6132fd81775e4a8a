"""The elastic bands as tension-only tendons that follow the band from module to module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco

from plantar.feet.defaults import add_guide
from plantar.feet.softfoot.bands import Band
from plantar.feet.softfoot.layout import Chain

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import SoftFoot


def add_band_tendons(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, *, chain: int, y: float) -> None:
    """Add one tendon for the bands of each coupling of a chain.

    The path has two ends, anchored inside the two modules behind the exit points, and crosses
    the coupling from exit point to exit point. Only the crossing changes in length.
    """
    band = foot.band
    hidden, length, natural = band_lengths(band, foot.coupling_length)
    behind, at = spec.body("heel"), [foot.chain_start[0], y, foot.chain_start[1]]
    for link in layout.links:
        name = f"chain{chain}_{link.name}"
        body = spec.body(name)
        exit_behind = [at[0] + band.exit_offset, at[1], at[2]]
        end_behind = [exit_behind[0] - hidden, at[1], at[2]]
        points = [
            add_guide(spec, behind, f"{name}_band_end1", end_behind),
            add_guide(spec, behind, f"{name}_band_exit1", exit_behind),
            add_guide(spec, body, f"{name}_band_exit2", [-band.exit_offset, 0, 0]),
            add_guide(spec, body, f"{name}_band_end2", [hidden - band.exit_offset, 0, 0]),
        ]
        tendon = spec.add_tendon(
            name=f"{name}_band",
            stiffness=[band.axial_stiffness, 0, 0],
            springlength=[0, natural],
            width=0.0008,
            material="band",
        )
        for point in points:
            tendon.wrap_site(point.name)
        behind, at = body, [link.length, 0, 0]


def band_lengths(band: Band, coupling_length: float) -> tuple[float, float, float]:
    """Length inside each module, of the path in the straight foot, and without force [m]."""
    crossing = coupling_length - 2 * band.exit_offset
    # The stretched band, less its crossing, is hidden half and half inside the modules.
    hidden = max(band.free_length * (1 + band.stretch) - crossing, 0.002) / 2
    length = 2 * hidden + crossing
    return hidden, length, length - band.tension / band.axial_stiffness
