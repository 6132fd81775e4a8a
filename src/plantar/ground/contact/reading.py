"""What contacts between a ground and some geoms carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np


class Contacts(NamedTuple):
    """Contacts of the feet with the ground; arrays with one entry per contact."""

    geom: np.ndarray
    """Geom of the foot."""
    depth: np.ndarray
    """Penetration beyond the margin [m]."""
    force: np.ndarray
    """Normal force [N]."""
    inverse_inertia: np.ndarray
    """Ahat, the engine's efc_diagA of the normal row [1/kg]."""
    compliance: np.ndarray
    """Acceleration that a unit of normal force costs, R of the whole contact [1/kg]."""
    friction_compliance: np.ndarray
    """R of the first friction row [1/kg]; infinite without friction or with pyramidal cones."""

    place: np.ndarray
    """x in the world [m]."""

    @property
    def centre(self) -> float:
        """Centre of pressure along x [m]."""
        total = float(self.force.sum())
        return float((self.force * self.place).sum() / total) if total > 0 else 0.0

    @property
    def load_depth(self) -> float:
        """Load-weighted mean depth of the contacts [m]."""
        total = float(self.force.sum())
        return float((self.force * self.depth).sum() / total) if total > 0 else 0.0


def read_contacts(model: mujoco.MjModel, data: mujoco.MjData, ground: int, geoms: Sequence[int]) -> Contacts:
    """The active contacts between `ground` and `geoms`."""
    rows = []
    pyramidal = model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    for contact in data.contact:
        pair = (int(contact.geom[0]), int(contact.geom[1]))
        other = pair[0] if pair[1] == ground else pair[1]
        start, dim = int(contact.efc_address), int(contact.dim)
        if ground not in pair or other not in geoms or start < 0:
            continue
        edges = pyramidal and dim > 1
        normal = slice(start, start + (2 * (dim - 1) if edges else 1))
        tangent = float(data.efc_R[start + 1]) if dim > 1 and not edges else math.inf
        compliance = 1 / float((1 / data.efc_R[normal]).sum())
        depth, force = contact.includemargin - contact.dist, data.efc_force[normal].sum()
        rows.append((other, depth, force, data.efc_diagA[start], compliance, tangent, contact.pos[0]))
    columns = np.array(rows, dtype=float).reshape(-1, 7).T
    return Contacts(columns[0].astype(int), *columns[1:])
