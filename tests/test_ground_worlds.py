"""Yielding ground in worlds of MuJoCo Warp: the law of the CPU, in single precision."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.ground.soil.yielding import YieldingGround
from plantar.sweep.engines import gpu

mjw = pytest.importorskip("mujoco_warp", reason="MuJoCo Warp (extra `gpu`) is not installed")

SAND = YieldingGround.of("testbed_sand", size=(0.6, 0.4), origin=(-0.3, -0.2))
SOFT = YieldingGround.of("snow", size=(0.6, 0.4), origin=(-0.3, -0.2))


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """Warp's CPU device where there is no GPU."""
    if not gpu.count_gpus():
        monkeypatch.setenv(gpu.DEVICE, "cpu")


def sole():
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    body = spec.worldbody.add_body(name="foot", pos=[0, 0, 0.03], quat=[0.98, 0.15, 0.1, 0.05])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.025, 0.02, 0.01], mass=0.9)
    return spec.compile()


def test_worlds_follow_the_cpu_and_each_has_its_own_soil():
    from plantar.ground.soil.worlds import SoilWorlds

    wp = gpu.quiet_warp()
    model = sole()
    data = mujoco.MjData(model)
    data.qvel[:3] = [0.6, 0.2, 0.0]
    runs = [mujoco.MjData(model) for _ in range(2)]
    for run in runs:
        run.qvel[:] = data.qvel
    tracks = [ground.attach(model, ["foot"]) for ground in (SAND, SOFT)]
    with wp.ScopedDevice(gpu.chosen_device()):
        m, d = mjw.put_model(model), mjw.put_data(model, data, nworld=2)
        soil = SoilWorlds([SAND, SOFT], model, 2, ["foot"])
        soil.install(m)
        for _ in range(250):
            mjw.step(m, d)
        places, forces, lost = d.qpos.numpy(), soil.forces(), soil.lost_energy()
    for i, (run, ground) in enumerate(zip(runs, tracks, strict=True)):
        ground.step(run, 250)
        assert places[i] == pytest.approx(run.qpos, abs=2e-4)
        assert forces[i].sum(axis=0) == pytest.approx(ground.wrench(), abs=0.2)
        assert lost[i] == pytest.approx(ground.lost_energy, rel=0.01)
    assert places[1, 2] < places[0, 2] - 0.01
    assert soil.elevation(0).heights.shape == SAND.shape


def test_grounds_and_worlds_must_fit():
    from plantar.ground.soil.worlds import SoilWorlds

    with pytest.raises(InvalidInput, match="3 worlds"):
        SoilWorlds([SAND, SOFT], sole(), 3, ["foot"])
    with pytest.raises(InvalidInput, match="same grid"):
        SoilWorlds([SAND, YieldingGround()], sole(), 2, ["foot"])
    assert np.isfinite(SAND.numbers()).all()
