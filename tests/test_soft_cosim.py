"""Co-simulation: one motion of robot and foot together, with the momentum and energy it must have."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

pytest.importorskip("numba")

from plantar.errors import InvalidInput
from plantar.soft.foot.cosim import CoSimulation
from plantar.soft.foot.solid import SolidFoot

FOOT = SolidFoot(cell=0.03, hardness=20, friction=0.0, pads=(2, 1))
G = 9.81


def on_block(
    foot: SolidFoot = FOOT, *, mass: float = 20.0, timestep: float = 0.001, height: float = 0.002, free: bool = False
) -> CoSimulation:
    """A block on a foot, `height` over the floor, on a slide or free to turn."""
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    shank = spec.worldbody.add_body(name="shank", pos=[0, 0, foot.sole_height + height])
    if free:
        shank.add_freejoint()
    else:
        shank.add_joint(name="z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    shank.explicitinertial, shank.mass, shank.inertia = True, mass, [0.1 * mass] * 3
    model = spec.compile()
    data = mujoco.MjData(model)
    return CoSimulation(model, data, "shank", foot)


def total_mass(both: CoSimulation, foot: SolidFoot, mass: float) -> float:
    return mass + foot.mount_mass + float(both.scene.system.mass.sum())


@pytest.mark.parametrize("mass", [20.0, 1.0, 0.1])
def test_free_fall_is_that_of_everything(mass, record_property):
    both = on_block(mass=mass, height=0.2)
    for _ in range(50):
        both.step()
    record_property(f"soft.cosim.fall_{round(1000 * mass)}_g", float(-both.data.qvel[0] / 0.05))
    assert both.data.qvel[0] == pytest.approx(-G * 0.05, rel=1e-3)
    # falling together, they have nothing to tell each other: no force but what the rubber's own swinging needs
    assert abs(both.wrench[2]) < 1e-3 * G * mass


@pytest.mark.parametrize(("foot_mass", "mass"), [(0.4, 1.0), (5.0, 1.0), (0.001, 20.0)])
def test_the_mount_is_as_heavy_as_it_is_said_to_be(foot_mass, mass):
    """A push on the block: it, the mount and the rubber are set going together."""
    foot = FOOT.with_(mount_mass=foot_mass)
    both = on_block(foot, mass=mass, height=0.2)
    both.model.opt.gravity[:] = 0
    both = CoSimulation(both.model, both.data, "shank", foot)
    both.data.qfrc_applied[0] = 10.0
    for _ in range(100):
        both.step()
    assert both.data.qvel[0] == pytest.approx(10.0 * 0.1 / total_mass(both, foot, mass), rel=2e-3)


@pytest.mark.parametrize(("mass", "timestep"), [(20.0, 0.002), (1.0, 0.002), (0.1, 0.002), (1.0, 0.0005)])
def test_it_comes_to_rest_on_its_weight(mass, timestep):
    both = on_block(mass=mass, timestep=timestep)
    for _ in range(round(0.15 / timestep)):
        both.step()
    assert abs(both.data.qvel[0]) < 1e-3
    ground = sum(touch.force[2] for touch in both.scene.touches)
    assert ground == pytest.approx(total_mass(both, FOOT, mass) * G, rel=0.01)
    assert both.wrench[2] == pytest.approx(mass * G, rel=0.01)


def bounce(timestep: float) -> tuple[np.ndarray, float]:
    """Energy of robot and foot over a fall of 1 mm at 1 m/s, a bounce off rubber without loss and the rise after it.

    The rubber is light: nodes that meet the ground stop there, and what they had is lost, as in any plastic impact.

    Returns:
        Energy gained since the start of each step, as a fraction of that of the fall, and how fast it leaves the
        ground.
    """
    foot = FOOT.with_(loss_time=1e-7, density=50.0, thickness=0.08, cell=0.08)
    first = on_block(foot, mass=40.0, timestep=timestep, height=0.001)
    first.data.qvel[0] = -1.0
    both = CoSimulation(first.model, first.data, "shank", foot)
    start, energies, touched = both.energy(), [], False
    while not touched or both.scene.touches:
        energies.append(both.step()["energy"])
        touched = touched or bool(both.scene.touches)
    for _ in range(round(0.002 / timestep)):
        energies.append(both.step()["energy"])
    return (np.array(energies) - start) / (0.5 * total_mass(both, foot, 40.0)), float(both.data.qvel[0])


def test_energy_is_lost_to_the_length_of_the_step_alone(record_property):
    """Backward Euler loses in proportion to its step: what is left over as steps get shorter is nothing."""
    (coarse, _), (fine, speed) = bounce(1.6e-4), bounce(8e-5)
    record_property("soft.cosim.energy_160_us", largest(coarse))
    record_property("soft.cosim.energy_80_us", largest(fine))
    assert coarse.max() < 1e-3 and fine.max() < 1e-3 and speed > 0.95
    assert coarse[-1] / fine[-1] == pytest.approx(2, rel=0.1)
    assert abs(2 * fine[-1] - coarse[-1]) < 0.004


def largest(drift: np.ndarray) -> float:
    """The change that is largest in size, with its sign."""
    return float(drift[np.abs(drift).argmax()])


@pytest.mark.long
def test_energy_is_kept_to_a_hundredth_over_a_bounce(record_property):
    drift, speed = bounce(2e-5)
    record_property("soft.cosim.energy_20_us", largest(drift))
    assert np.abs(drift).max() < 0.01 and speed > 0.98


def test_momentum_is_what_gravity_and_ground_gave(record_property):
    """Free in space, tilted and turning, onto the ground: linear and angular momentum of robot and foot together."""
    foot = FOOT.with_(friction=0.6)
    first = on_block(foot, mass=5.0, timestep=2e-4, height=0.003, free=True)
    model, data = first.model, first.data
    data.qpos[3:7] = [np.cos(0.02), np.sin(0.02), 0, 0]
    data.qvel[:] = [0.3, -0.1, -0.2, 0.5, -0.4, 0.8]
    both = CoSimulation(model, data, "shank", foot)
    before, impulse, spin = both.momentum(), np.zeros(3), np.zeros(3)
    h = model.opt.timestep
    hardest = 0.0
    for _ in range(100):
        both.step()
        force = np.array([t.force for t in both.scene.touches]).reshape(-1, 3)
        place = np.array([t.position for t in both.scene.touches]).reshape(-1, 3)
        weight = both.mass * np.array([0, 0, -G])
        impulse += h * (force.sum(axis=0) + weight)
        spin += h * (np.cross(place, force).sum(axis=0) + np.cross(both.centre(), weight))
        hardest = max(hardest, np.abs(force).max(initial=0))
    assert hardest > 50  # it did hit the ground
    now = both.momentum()
    turning = max(np.abs(spin).max(), np.abs(before[3:]).max())
    record_property("soft.cosim.momentum", float(np.abs(now[:3] - before[:3] - impulse).max() / np.abs(impulse).max()))
    record_property("soft.cosim.turning", float(np.abs(now[3:] - before[3:] - spin).max() / turning))
    np.testing.assert_allclose(now[:3] - before[:3], impulse, atol=1e-3 * np.abs(impulse).max())
    np.testing.assert_allclose(now[3:] - before[3:], spin, atol=0.01 * turning)


@pytest.mark.parametrize("rounds", [500, 1])
def test_contact_of_the_foot_that_did_not_converge_is_told(rounds):
    both = on_block(FOOT.with_(friction=0.6), height=0.0)
    both.scene.contact_rounds = rounds
    rows = [both.step() for _ in range(3)]
    assert all(row["converged"] for row in rows) == (rounds > 1)
    assert (max(row["residual"] for row in rows) < 1e-5) == (rounds > 1)


def test_a_robot_that_moves_takes_its_foot_along():
    first = on_block(height=0.3)
    first.data.qvel[0] = 1.0
    both = CoSimulation(first.model, first.data, "shank", FOOT)
    both.step()
    assert both.scene.state.v[:, 2] == pytest.approx(np.full(len(both.scene.state.v), 1.0 - G * 0.001), rel=1e-3)


def test_what_cannot_be_coupled_is_refused():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body name='shin'><geom size='.1'/></body></worldbody></mujoco>"
    )
    with pytest.raises(InvalidInput, match="unknown body 'shank': the robot has shin"):
        CoSimulation(model, mujoco.MjData(model), "shank", FOOT)
    with pytest.raises(InvalidInput, match="integrator"):
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        CoSimulation(model, mujoco.MjData(model), "shin", FOOT)
