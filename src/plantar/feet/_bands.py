"""The elastic bands as tension-only tendons that follow the band from module to module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco

from plantar.feet._layout import Chain
from plantar.feet._looks import HELPER_GROUP

if TYPE_CHECKING:
    from plantar.feet.softfoot import SoftFoot


def add_band_tendons(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain, *, chain: int, y: float) -> None:
    """Add one tendon for the bands of each coupling of a chain.

    The path has two ends, anchored inside the two modules behind the exit points, and crosses
    the coupling from exit point to exit point. Only the crossing changes in length.
    """
    band, d = foot.band, foot.coupling_length
    behind, at = spec.body("heel"), [foot.chain_start[0], y, foot.chain_start[1]]
    for link in layout.links:
        name = f"chain{chain}_{link.name}"
        body = spec.body(name)
        # The stretched band, less its crossing, is hidden half and half inside the modules.
        hidden = max(band.free_length * (1 + band.stretch) - (d - 2 * band.exit_offset), 0.002) / 2
        exit_behind = [at[0] + band.exit_offset, at[1], at[2]]
        end_behind = [exit_behind[0] - hidden, at[1], at[2]]
        points = [
            _site(behind, f"{name}_band_end1", end_behind),
            _site(behind, f"{name}_band_exit1", exit_behind),
            _site(body, f"{name}_band_exit2", [-band.exit_offset, 0, 0]),
            _site(body, f"{name}_band_end2", [hidden - band.exit_offset, 0, 0]),
        ]
        length = 2 * hidden + d - 2 * band.exit_offset
        natural = length - band.tension / band.axial_stiffness
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


def _site(body: mujoco.MjsBody, name: str, pos: list[float]) -> mujoco.MjsSite:
    return body.add_site(name=name, pos=pos, size=[0.0008] * 3, group=HELPER_GROUP, material="band")
