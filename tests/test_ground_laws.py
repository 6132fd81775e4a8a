"""Contact laws: equal to MuJoCo, exact derivatives, there and back between SI units and the solver."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.ground import BekkerLaw, ContactLaw, HuntCrossley, MujocoLaw
from plantar.ground.laws.impedance import case_of

BALLS, ROUNDS, TIMESTEP = 500, 28, 0.002


def balls() -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Free balls of different mass far apart over a plane; each has its own solref and solimp."""
    spec = mujoco.MjSpec()
    spec.option.timestep = TIMESTEP
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    masses = np.geomspace(0.01, 100, BALLS)
    for i, mass in enumerate(masses):
        body = spec.worldbody.add_body(pos=[i % 50, i // 50, 1])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0], mass=mass, priority=1, condim=1)
    model = spec.compile()
    return model, mujoco.MjData(model)


def random_parameters(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both formats, time constants below the limit, and numbers that the engine clamps."""
    standard = np.c_[rng.uniform(0.001, 0.1, BALLS), rng.uniform(0.1, 3, BALLS)]
    direct = -np.c_[rng.uniform(10, 1e4, BALLS), rng.uniform(0, 300, BALLS)]
    solref = np.where(rng.random((BALLS, 1)) < 0.5, standard, direct)
    power = np.where(rng.random(BALLS) < 0.2, 1.0, rng.uniform(0.8, 6, BALLS))
    d0, dw, middle = rng.uniform(-0.05, 1.05, (3, BALLS))
    flat = rng.random(BALLS) < 0.1
    return solref, np.c_[d0, np.where(flat, d0, dw), rng.uniform(0.001, 0.03, BALLS), middle, power]


def test_the_law_is_mujocos_over_ten_thousand_random_contacts():
    model, data = balls()
    rng = np.random.default_rng(5)
    cases = np.zeros(4, dtype=int)
    worst, pushing = {"forward": 0.0, "inverse": 0.0}, {"forward": 0, "inverse": 0}
    for _ in range(ROUNDS):
        solref, solimp = random_parameters(rng)
        model.geom_solref[1:], model.geom_solimp[1:] = solref, solimp
        depth, speed = rng.uniform(1e-5, 0.04, BALLS), rng.uniform(-1, 1, BALLS)
        mujoco.mj_resetData(model, data)
        data.qpos.reshape(BALLS, 7)[:, 2] = 0.1 - depth
        data.qvel.reshape(BALLS, 6)[:, 2] = -speed
        mujoco.mj_forward(model, data)
        assert data.nefc == BALLS
        forward = data.efc_force.copy()
        data.qacc[:] = 0
        mujoco.mj_inverse(model, data)
        inverse = data.efc_force.copy()
        cases += np.bincount(case_of(solimp, depth), minlength=4)
        for i in range(BALLS):
            law = MujocoLaw(
                solref=tuple(solref[i]),
                solimp=tuple(solimp[i]),
                effective_mass=float(model.body_mass[i + 1]),
                timestep=TIMESTEP,
            )
            for kind, want, got in (
                ("forward", forward[i], law.forward_force(depth[i], speed[i], 9.81)),
                ("inverse", inverse[i], law.force(depth[i], speed[i])),
            ):
                pushing[kind] += want > 0
                worst[kind] = max(worst[kind], abs(got - want) / max(abs(want), 1e-9) if want or got else 0.0)
    assert cases[1:].min() > 500, "all three cases of r take part"
    assert min(pushing.values()) >= 10_000, "zeros that agree are not counted"
    assert worst["forward"] < 1e-6 and worst["inverse"] < 1e-6, worst


LAWS = [
    MujocoLaw(solref=(-2060.1, -90.8), solimp=(0, 0.95, 0.02, 0.5, 2), effective_mass=1.3, contacts=4),
    MujocoLaw(solref=(0.03, 0.7), solimp=(0.2, 0.9, 0.015, 0.3, 3.5), effective_mass=0.4),
    ContactLaw(stiffness=5e4, damping=120),
    HuntCrossley(stiffness=9810, damping=19620),
    BekkerLaw(k_c=990, k_phi=1.528e6, n=1.1, width=0.04, area=0.002),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_derivatives_are_those_of_the_force(law):
    rng = np.random.default_rng(0)
    depth, speed = rng.uniform(5e-4, 0.03, 400), rng.uniform(-0.5, 0.5, 400)
    step = 1e-7
    # not across the kinks, where the force ends or the impedance stops growing
    same = (law.force(depth - step, speed) > 0) == (law.force(depth + step, speed) > 0)
    if isinstance(law, MujocoLaw):
        same &= law.case(depth - step) == law.case(depth + step)
    stiffness = (law.force(depth + step, speed) - law.force(depth - step, speed)) / (2 * step)
    damping = (law.force(depth, speed + step) - law.force(depth, speed - step)) / (2 * step)
    assert np.allclose(law.stiffness_at(depth, speed)[same], stiffness[same], rtol=1e-5, atol=1e-3)
    assert np.allclose(law.damping_at(depth, speed)[same], damping[same], rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_ground_never_pulls(law):
    depth, speed = np.meshgrid(np.linspace(-0.01, 0.03, 41), np.linspace(-30, 5, 36))
    force = law.force(depth, speed)
    assert force.shape == depth.shape
    assert (force >= 0).all()
    assert (force[depth <= 0] == 0).all()
    idle = force == 0
    assert (law.stiffness_at(depth, speed)[idle] == 0).all() and (law.damping_at(depth, speed)[idle] == 0).all()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_static_depth_carries_the_load(law):
    assert float(law.force(law.static_depth(25.0))) == pytest.approx(25.0, rel=1e-9)
    with pytest.raises(InvalidInput, match="load"):
        law.static_depth(-1.0)


@pytest.mark.parametrize("impedance", [0.001, 0.01, 0.5, 0.95])
@pytest.mark.parametrize("contacts", [1, 4])
def test_si_to_solver_and_back(impedance, contacts):
    law = ContactLaw(stiffness=37e3, damping=410)
    solref, solimp = law.to_mujoco(effective_mass=0.067, contacts=contacts, impedance=impedance)
    back = ContactLaw.from_mujoco(solref, solimp, effective_mass=0.067, contacts=contacts)
    assert back.stiffness == pytest.approx(law.stiffness, rel=1e-12)
    assert back.damping == pytest.approx(law.damping, rel=1e-12)
    again = back.to_mujoco(effective_mass=0.067, contacts=contacts, impedance=impedance)
    assert np.allclose(again.solref, solref, rtol=1e-12) and again.solimp == solimp
    realised = MujocoLaw(solref=solref, solimp=solimp, effective_mass=0.067, contacts=contacts)
    depth = np.linspace(1e-4, 0.02, 50)
    assert np.allclose(realised.force(depth, 0.1), law.force(depth, 0.1), rtol=1e-12)


def test_a_varying_impedance_needs_a_depth():
    solref, solimp = (-858.4, -87.9), (0, 0.95, 0.012, 0.5, 2)
    with pytest.raises(InvalidInput, match="depth"):
        ContactLaw.from_mujoco(solref, solimp, effective_mass=1.0, contacts=4)
    law = ContactLaw.from_mujoco(solref, solimp, effective_mass=1.0, contacts=4, depth=0.006)
    assert law.stiffness == pytest.approx(9.81 / 0.006, rel=1e-3)


def test_a_converted_law_bounces_like_its_spring():
    """The period of a ball on MuJoCo's contact is that of the SI spring, up to the added 1 % of mass."""
    law, mass = ContactLaw(stiffness=1000.0), 0.5
    solref, solimp = law.to_mujoco(effective_mass=mass)
    realised = MujocoLaw(solref=solref, solimp=solimp, effective_mass=mass)
    moving = mass + float(realised.added_mass(0.01))
    assert moving == pytest.approx(mass * 1.0101, rel=1e-4)
    # near rest the forward law pushes with (k x + m_added g) m / (m + m_added)
    force = float(realised.forward_force(0.01, 0.0, 9.81))
    assert force == pytest.approx((1000 * 0.01 + (moving - mass) * 9.81) * mass / moving, rel=1e-9)


def test_hunt_crossley_of_the_paper_has_exponent_three_halves():
    assert float(HuntCrossley(stiffness=9810, damping=19620).force(0.01)) == pytest.approx(9.81, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: MujocoLaw(solref=(0.02, -1.0), effective_mass=1.0), "solref"),
        (lambda: MujocoLaw(effective_mass=0.0), "effective_mass"),
        (lambda: MujocoLaw(effective_mass=1.0, contacts=0), "contacts"),
        (lambda: ContactLaw(stiffness=-1.0), "stiffness"),
        (lambda: HuntCrossley(stiffness=1.0, exponent=0.5), "exponent"),
        (lambda: ContactLaw(stiffness=1.0).to_mujoco(effective_mass=1.0, impedance=1.0), "impedance"),
    ],
)
def test_bad_laws_name_the_field(make, field):
    with pytest.raises(InvalidInput, match=field) as error:
        make()
    assert "\n" not in str(error.value)
