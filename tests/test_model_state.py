"""What can be asked of the state of a simulation."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar.model.state import blown_up


@pytest.mark.parametrize("where", ["qpos", "qvel", "qfrc_applied"])
def test_a_simulation_that_mujoco_put_back_has_blown_up(where):
    """A position, a velocity or an acceleration that is not a number: afterwards all of them are fine."""
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body()
    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE)
    body.add_geom(size=[0.1, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert not blown_up(data)
    getattr(data, where)[0] = np.nan
    mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()
    assert blown_up(data)
