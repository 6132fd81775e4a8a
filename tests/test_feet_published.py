"""`SoftFoot.published()` beside the model that the authors of the SoftFoot released."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import mujoco
import numpy as np
import pytest

from plantar.feet import SoftFoot


@pytest.fixture(scope="module")
def path(shared: Path) -> Path:
    return shared / "models" / "menagerie" / "iit_softfoot" / "softfoot.xml"


@pytest.fixture(scope="module")
def released(path: Path) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(path))


@pytest.fixture(scope="module")
def ours() -> mujoco.MjModel:
    return SoftFoot.published().model()


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    file = Path(__file__).parents[1] / "benchmarks" / "compare_released.py"
    spec = importlib.util.spec_from_file_location("compare_released", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["compare_released"] = module
    spec.loader.exec_module(module)
    return module


def test_size_and_mass(released, ours):
    for model in (released, ours):
        assert (model.nv, model.neq, model.ntendon, model.nbody) == (92, 50, 5, 50)
    assert ours.body_subtreemass[0] == pytest.approx(0.937, rel=1e-3)
    assert ours.body_subtreemass[0] == pytest.approx(released.body_subtreemass[0], rel=1e-3)


def test_bodies_have_the_same_masses_inertias_and_places(released, ours):
    def bodies(model):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        # the released ankle is the parent of all else, as ours is
        origin = data.xpos[1]
        rows = np.column_stack([data.xipos[1:] - origin, model.body_mass[1:], np.sort(model.body_inertia[1:], axis=1)])
        return rows[np.lexsort(np.round(rows[:, [2, 0, 1]], 4).T)]

    a, b = bodies(released), bodies(ours)
    assert np.allclose(a[:, :3], b[:, :3], atol=2e-5)
    assert np.allclose(a[:, 3], b[:, 3], rtol=1e-4)
    assert np.allclose(a[:, 4:], b[:, 4:], rtol=1e-3, atol=1e-12)


def test_joints_and_tendons_have_the_same_parameters(released, ours):
    solver = ("eq_solref", "eq_solimp", "tendon_solref_lim", "tendon_solimp_lim", "jnt_solref", "jnt_solimp")
    for field in ("jnt_stiffness", "dof_damping", "dof_armature", "tendon_range", "tendon_length0", *solver):
        a, b = (np.sort(np.asarray(getattr(m, field)).ravel()) for m in (released, ours))
        assert np.allclose(a, b, rtol=1e-4, atol=2e-6), field
    spans = [np.sort(np.diff(m.jnt_range, axis=1).ravel()) for m in (released, ours)]
    assert np.allclose(*spans, atol=1e-6)


def test_pressed_forces_are_within_one_percent_of_the_load(benchmark, path):
    rows = benchmark.compare(path)
    assert len(rows) == 10
    carried = SoftFoot.published().model().body_subtreemass[0] * 9.81
    for row in rows:
        assert row.speed < 1e-3, "has not settled"
        assert row.ours.sum() == pytest.approx(row.load + carried, rel=1e-3)
        assert abs(row.error).max() < 1.0, (row.ground, row.load, row.error)
    loaded = [row for row in rows if row.ground == "cylinder"]
    assert all(row.ours[1] > 0.4 * row.load for row in loaded), "the cylinder carries the middle"
