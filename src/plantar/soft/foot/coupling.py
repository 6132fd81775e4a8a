"""What a co-simulation needs from the robot, and the stiffness of the foot against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from plantar.soft.foot.condense import condense
from plantar.soft.mesh.mesh import Floats

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot

WHOLE = mujoco.mjtState.mjSTATE_INTEGRATION
"""Everything the next step of a robot depends on."""


def save(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """The state of a robot."""
    state = np.zeros(mujoco.mj_stateSize(model, WHOLE))
    mujoco.mj_getState(model, data, state, WHOLE)
    return state


def restore(model: mujoco.MjModel, data: mujoco.MjData, state: Floats) -> None:
    """Restore a saved state of a robot."""
    mujoco.mj_setState(model, data, state, WHOLE)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)


def momentum(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Linear momentum of a robot and angular momentum about the origin (6,) [kg m/s, kg m^2/s]."""
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_comVel(model, data)
    mujoco.mj_subtreeVel(model, data)
    linear = model.body_subtreemass[0] * data.subtree_linvel[0]
    return np.concatenate([linear, data.subtree_angmom[0] + np.cross(data.subtree_com[0], linear)])


def lightness(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> Floats:
    """Acceleration of a body per wrench on it, about its frame (6, 6)."""
    J, light = np.zeros((6, model.nv)), np.zeros((6, model.nv))
    mujoco.mj_jacBody(model, data, J[:3], J[3:], body)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_solveM(model, data, light, J)
    return J @ light.T


def ankle_stiffness(foot: SolidFoot) -> Floats:
    """Stiffness of the foot against its ankle with its whole sole held, in the ankle's frame (6, 6) [N/m, N m/rad]."""
    data = condense(foot)
    wide = twist(data.shape.places).reshape(-1, 6)
    return wide.T @ data.K @ wide


def twist(r: Floats) -> Floats:
    """Motion of points per motion and turn of the frame they are fixed to (n, 3, 6)."""
    cross = np.zeros((len(r), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]], cross[:, [1, 2, 0], [2, 0, 1]] = r, -r
    return np.concatenate([np.tile(np.eye(3), (len(r), 1, 1)), -cross], axis=2)
