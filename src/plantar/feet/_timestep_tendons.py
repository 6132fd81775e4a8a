"""Springs of tendons as bounds on the time step: by the stiffest motion that each of them resists."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

TURN = 1e-5
"""Turn of a joint by which the change of a tendon's moment arms is measured [rad, m]."""


def stiff_motions(model: mujoco.MjModel, data: mujoco.MjData, mass: np.ndarray) -> Iterator[tuple[int, float, float]]:
    """Of each tendon with a spring its number, square of frequency [1/s^2] and damping per mass [1/s] where most.

    A spring of stiffness k and tension F has the stiffness `k J' J + F dJ/dq`; bands that are stretched along a chain
    resist its bending by the second part alone.
    """
    springs = [t for t in range(model.ntendon) if np.ravel(model.tendon_stiffness[t])[0] > 0]
    if not springs:
        return
    arms, turned = _arms(model, data), _turned_arms(model, data)
    root = np.linalg.inv(np.linalg.cholesky(mass))
    own = np.diag(np.reshape(model.dof_damping, (model.nv, -1))[:, 0])
    for tendon in springs:
        k, c = (float(np.ravel(column[tendon])[0]) for column in (model.tendon_stiffness, model.tendon_damping))
        low, high = model.tendon_lengthspring[tendon]
        length = float(data.ten_length[tendon])
        along = np.outer(arms[tendon], arms[tendon])
        stiffness = k * along + k * (length - np.clip(length, low, high)) * turned[tendon]
        squares, motions = np.linalg.eigh(root @ (stiffness + stiffness.T) @ root.T / 2)
        motion = root.T @ motions[:, -1]
        yield tendon, float(squares[-1]), float(motion @ (own + c * along) @ motion)


def _arms(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """Moment arms of every tendon, (tendons, nv)."""
    rows, flat = np.zeros((model.ntendon, model.nv)), np.ravel(data.ten_J)
    for tendon in range(model.ntendon):
        first = int(model.ten_J_rowadr[tendon])
        where = slice(first, first + int(model.ten_J_rownnz[tendon]))
        rows[tendon, model.ten_J_colind[where]] = flat[where]
    return rows


def _turned_arms(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """How the arms change with each joint, (tendons, nv, nv)."""
    other, found = mujoco.MjData(model), np.zeros((model.ntendon, model.nv, model.nv))
    for dof in range(model.nv):
        sides = []
        for turn in (TURN, -TURN):
            step = np.zeros(model.nv)
            step[dof] = turn
            other.qpos[:] = data.qpos
            mujoco.mj_integratePos(model, other.qpos, step, 1.0)
            mujoco.mj_fwdPosition(model, other)
            sides.append(_arms(model, other))
        found[:, :, dof] = (sides[0] - sides[1]) / (2 * TURN)
    return found
