"""Bands: from hardness to modulus, to band stiffness, to joint stiffness; and as tendons."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.feet import Band, SoftFoot, band_stiffness, young_from_shore_a


@pytest.mark.parametrize(
    ("hardness", "megapascal"), [(30, 1.14), (40, 1.69), (50, 2.46), (60, 3.61), (70, 5.52), (80, 9.35)]
)
def test_gent_gives_the_tabulated_moduli(hardness, megapascal):
    assert young_from_shore_a(hardness) == pytest.approx(megapascal * 1e6, abs=0.005e6)


@pytest.mark.parametrize("hardness", [19.9, 80.1, math.nan])
def test_gent_is_refused_where_it_does_not_hold(hardness):
    with pytest.raises(InvalidInput, match="hardness"):
        young_from_shore_a(hardness)


def test_stiffness_of_a_band_is_ea_over_l():
    assert band_stiffness(2e6, 20e-6, 0.016) == pytest.approx(2500.0)


def test_default_band_gives_the_stiffness_of_the_released_twin():
    assert Band().hinge_stiffness == pytest.approx(0.8, rel=0.002)


def energy(band: Band, theta: float) -> float:
    stretch = band.tension / band.axial_stiffness + 2 * band.exit_offset * (1 - math.cos(theta))
    return 0.5 * band.axial_stiffness * stretch**2


@pytest.mark.parametrize("band", [Band(), Band(hardness=45, stretch=0.5, exit_offset=0.004), Band(stiffness=0.5)])
def test_joint_stiffness_is_half_of_the_curvature_of_the_bands_energy(band):
    h = 1e-3
    curvature = (energy(band, h) - 2 * energy(band, 0) + energy(band, -h)) / h**2
    assert band.hinge_stiffness == pytest.approx(curvature / 2, rel=1e-4)


def bent(bands: str, theta: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A chain whose second coupling is bent by `theta` at each of its two hinges."""
    model = SoftFoot(chains=1, band_model=bands).without_tendons().model()  # type: ignore[arg-type]
    model.opt.gravity[:] = 0
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    data.joint("chain1_module2_a").qpos = theta
    data.joint("chain1_module2_b").qpos = theta
    mujoco.mj_forward(model, data)
    return model, data


def moment(bands: str, theta: float) -> float:
    """Moment that the bands give to both hinges of the pair together [N m]."""
    model, data = bent(bands, theta)
    joints = [model.joint(f"chain1_module2_{end}").dofadr[0] for end in "ab"]
    return float(data.qfrc_passive[joints].sum())


@pytest.mark.parametrize("theta", [-0.15, 0.0, 0.1, 0.4, 0.78])
def test_band_tendons_have_the_length_of_the_formula(theta):
    band = Band()
    model, straight = bent("tendon", 0.0)
    _, data = bent("tendon", theta)
    tendon = model.tendon("chain1_module2_band").id
    grown = data.ten_length[tendon] - straight.ten_length[tendon]
    assert grown == pytest.approx(2 * band.exit_offset * (1 - math.cos(theta)), abs=1e-12)


@pytest.mark.parametrize("theta", [-0.15, 0.1, 0.4, 0.78])
def test_band_tendons_push_back_with_the_slope_of_their_energy(theta):
    h = 1e-4
    slope = (energy(Band(), theta + h) - energy(Band(), theta - h)) / (2 * h)
    assert moment("tendon", theta) == pytest.approx(-slope, rel=1e-6)
    _, straight = bent("tendon", 0.0)
    _, data = bent("tendon", theta)
    assert data.energy[0] - straight.energy[0] == pytest.approx(energy(Band(), theta) - energy(Band(), 0), rel=1e-6)


def test_joint_bands_and_tendon_bands_agree_at_small_angles():
    assert moment("joint", 0.05) == pytest.approx(-2 * Band().hinge_stiffness * 0.05, rel=1e-9)
    assert moment("tendon", 0.05) == pytest.approx(moment("joint", 0.05), rel=0.01)


def test_a_five_chain_foot_has_45_band_tendons_with_90_ends_that_only_pull():
    model = SoftFoot(band_model="tendon").model()
    bands = [t for t in range(model.ntendon) if model.tendon(t).name.endswith("_band")]
    ends = [s for s in range(model.nsite) if "_band_end" in model.site(s).name]
    assert (len(bands), len(ends)) == (45, 90)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    low, high = model.tendon_lengthspring[bands].T
    assert np.all(low == 0)
    assert np.all(data.ten_length[bands] > high)


def test_a_chain_left_alone_comes_back_straight():
    for bands in ("joint", "tendon"):
        model, data = bent(bands, 0.3)
        for _ in range(2500):
            mujoco.mj_step(model, data)
        assert abs(data.qpos).max() < 2e-3


@pytest.mark.parametrize("turn", [-0.3, 0.1, 0.6, 1.2])
def test_bands_of_one_hinge_push_back_like_those_of_a_rolling_pair(turn):
    """Turned by an angle, the hinge has the moment with which the pair's bands work against that turn."""
    model = SoftFoot(chains=1, band_model="tendon", coupling="hinge").without_tendons().model()
    model.opt.gravity[:] = 0
    data = mujoco.MjData(model)
    data.joint("chain1_module2").qpos = turn
    mujoco.mj_forward(model, data)
    found = float(data.qfrc_passive[model.joint("chain1_module2").dofadr[0]])
    assert found == pytest.approx(moment("tendon", turn / 2) / 2, rel=0.02)
