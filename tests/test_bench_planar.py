"""The planar model: its derivatives, its statics, and what the simulation says to the same trials."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest
from scipy.optimize import brentq

from plantar.bench import PressRig, Trial, planar, run_trials, trials
from plantar.bench.planar.kinematics import ARCH, FIRST, SLIDER, build_linkage
from plantar.bench.planar.model import PlanarModel, build_model
from plantar.bench.planar.qp import solve_qp
from plantar.bench.planar.tendon import build_tendon
from plantar.errors import InvalidInput
from plantar.feet import SoftFoot
from plantar.ground import Ground
from plantar.table import Table

FOOT = SoftFoot(chains=1)
RIG = PressRig()
PARTS = ("force_heel", "force_module", "force_metatarsus")


LONG_PLATES = PressRig(support_radius=0.010, tilt=math.radians(3))
"""Supports on whose front edge a corner of the metatarsus can come to lie."""


@pytest.fixture(scope="module")
def tables() -> tuple[Table, Table]:
    """The 48 trials simulated, and by the planar model."""
    return run_trials(FOOT, RIG, trials()), planar.press().table


def largest(simulated: Table, solved: Table) -> np.ndarray:
    return np.abs(planar.differences(simulated, solved).block(PARTS)).max(axis=1)


def test_forces_agree_with_the_simulation_within_5_percent_of_the_load(tables):
    simulated, solved = tables
    assert largest(simulated, solved).max() < 5
    assert np.median(largest(simulated, solved)) < 1
    assert planar.differences(simulated, solved).column("rotation").max() < 0.02


def test_on_long_plates_there_are_two_equilibria_and_the_planar_model_knows_both():
    trial = Trial(12.0, 0.019, 4)
    simulated = run_trials(FOOT, LONG_PLATES, [trial])[0]
    first = planar.solve_trial(FOOT, LONG_PLATES, trial)
    # With the support moved a little, the corner of the metatarsus stays on top of its edge.
    shifted = dataclasses.replace(LONG_PLATES, metatarsus_shift=-0.0005)
    second = planar.solve_trial(FOOT, LONG_PLATES, trial, start=planar.solve_trial(FOOT, shifted, trial).q)
    assert first.settled and second.settled
    supports = ("heel_support", "obstacle", "metatarsus_support")
    found = [[result.force(bench=part) for part in supports] for result in (first, second)]
    assert np.abs(np.subtract(found[0], found[1])).max() > 0.05 * trial.load
    assert found[1] == pytest.approx([simulated[part] for part in PARTS], abs=0.02 * trial.load)


def test_what_is_left_is_the_softness_of_simulated_contacts():
    todo = trials(heights=(0.007,), positions=(1, 2, 4, 6))
    solved = planar.run_trials(FOOT, RIG, todo)
    soles = [FOOT.with_(contact__stiffness=stiffness) for stiffness in (1e8, 3e8, 1e9)]
    worst = [largest(run_trials(sole, RIG, todo), solved).max() for sole in soles]
    assert worst[0] > 5
    assert worst[1] < worst[0] / 2
    assert worst[2] < worst[1] / 2


def test_every_trial_is_in_stable_equilibrium(tables):
    simulated, solved = tables
    assert solved.columns == simulated.columns
    assert solved.column("settled").all()
    assert solved.column("force_total") == pytest.approx(solved.column("load") + solved.column("weight"), abs=1e-6)
    assert solved.column("weight") == pytest.approx(simulated.column("weight"), rel=1e-9)
    assert solved.column("residual").max() < 1e-9
    assert solved.block(PARTS).min() >= 0


FIVE = SoftFoot()
HARD_TENDON = {"tendon__solref": (0.005, 1.0), "tendon__solimp": (0.99, 0.995, 0.001, 0.5, 2.0)}


@pytest.mark.parametrize(
    ("foot", "rig", "load"),
    [
        (FIVE, {}, 80.0),
        (FOOT, {"flat": True}, 24.0),
        (FOOT, {"shape": "box", "radius": 0.006}, 24.0),
        (FOOT, {"support_shape": "cylinder"}, 24.0),
        (FOOT, {"heel_shift": 0.004, "metatarsus_shift": -0.004}, 24.0),
        (FOOT.with_(coupling="hinge"), {}, 24.0),
        (FOOT.with_(band_model="tendon"), {}, 24.0),
        (FOOT.with_(coupling="hinge", band_model="tendon"), {}, 24.0),
        (FOOT.with_(tendon__slack=-0.002, contact__stiffness=1e10, **HARD_TENDON), {}, 24.0),
    ],
    ids=[
        "five chains",
        "flat",
        "box",
        "cylinders",
        "shifted",
        "hinge",
        "band tendons",
        "hinge with bands",
        "taut tendon",
    ],
)
def test_other_feet_and_rigs_agree_too(foot, rig, load):
    todo = [Trial(load, 0.011, 3), Trial(load, 0.015, 2)]
    simulated = run_trials(foot, PressRig(**rig), todo)
    solved = planar.run_trials(foot, PressRig(**rig), todo)
    assert largest(simulated, solved).max() < 3
    assert solved.column("tension") == pytest.approx(simulated.column("tension"), rel=0.03, abs=0.1)


def random_posture(model: PlanarModel, seed: int) -> np.ndarray:
    q = np.random.default_rng(seed).normal(scale=0.1, size=model.linkage.size)
    q[SLIDER] = 0.09
    return q


def slopes(function, q: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences, the coordinates last."""
    return np.stack([(function(q + step * e) - function(q - step * e)) / (2 * step) for e in np.eye(len(q))], axis=-1)


@pytest.mark.parametrize("coupling", ["rolling", "hinge"])
@pytest.mark.parametrize("bands", ["joint", "tendon"])
@pytest.mark.parametrize("shape", ["cylinder", "box"])
def test_derivatives_are_those_of_the_functions(coupling, bands, shape):
    foot = SoftFoot(chains=2, coupling=coupling, band_model=bands, heel_pitch=0.05)
    model = build_model(foot, PressRig(shape=shape), Trial(24.0, 0.015, 3))
    random = np.random.default_rng(0)
    for seed in range(3):
        q = random_posture(model, seed)
        loop, slope = model.linkage.gaps(q)
        assert slope == pytest.approx(slopes(lambda q: model.linkage.gaps(q)[0], q), abs=1e-7)
        assert model.gradient(q) == pytest.approx(slopes(model.energy_of, q), abs=1e-6)
        g, G = model.inequalities(q)
        assert pytest.approx(slopes(lambda q: model.inequalities(q)[0], q), abs=1e-6) == G
        equal, above = random.normal(size=len(loop)), random.uniform(size=len(g))

        def lagrangian_slope(q, equal=equal, above=above):
            return model.gradient(q) - equal @ model.linkage.gaps(q)[1] - above @ model.inequalities(q)[1]

        H = model.hessian(q, equal, above)
        assert pytest.approx(slopes(lagrangian_slope, q), abs=1e-5 * np.abs(H).max()) == H


@pytest.mark.parametrize("foot", [FOOT, SoftFoot.published(), FOOT.with_(coupling="hinge")])
def test_places_and_tendon_length_are_those_of_the_simulated_foot(foot):
    model = foot.spec().compile()
    data = mujoco.MjData(model)
    linkage = build_linkage(foot, tilt=0.0)
    tendon = build_tendon(foot, linkage)
    assert tendon is not None
    random = np.random.default_rng(1)
    for scale in (0.0, 0.1, 0.2):
        q = scale * random.uniform(-1, 1, linkage.size)
        q[SLIDER] = 0.0
        set_posture(model, data, foot, linkage, q)
        bodies = [data.body(f"chain1_{link.name}").xpos for link in linkage.layout.links]
        points, _ = linkage.points(np.array([link.origin for link in linkage.links]), q)
        assert points == pytest.approx(np.array([x + 1j * z for x, _, z in bodies]), abs=1e-9)
        length = tendon.limit - tendon.room(q)[0]
        assert length == pytest.approx(data.tendon("tendon1").length[0], abs=2e-6)
    assert tendon.limit == pytest.approx(model.tendon_range[0, 1], abs=1e-7)


def set_posture(model, data, foot, linkage, q):
    data.joint("heel").qpos, data.joint("anterior_arch").qpos = q[1], q[ARCH]
    for i, link in enumerate(linkage.layout.links):
        names = ("_a", "_b") if foot.coupling == "rolling" else ("",)
        for name in names:
            data.joint(f"chain1_{link.name}{name}").qpos = q[FIRST + i] / len(names)
    mujoco.mj_forward(model, data)


def test_the_toe_tip_hangs_from_its_band_as_a_lever_does():
    """Band torque k theta / 2 balances the tip's weight about the two hinges it rolls on."""
    result = planar.solve_trial(FOOT, RIG, Trial(12.0, 0.011, 3))
    assert not any(touch.body == "toe2" for touch in result.touches)
    tip, k, d = FOOT.parts.tip, FOOT.band.hinge_stiffness, FOOT.coupling_length
    behind = result.rotations[-2]

    def torque(theta: float) -> float:
        lever = d / 2 * math.cos(behind + theta / 2)
        lever += tip.com[0] * math.cos(behind + theta) + tip.com[2] * math.sin(behind + theta)
        return k * theta / 2 - tip.mass * RIG.gravity * lever

    assert result.q[-1] == pytest.approx(brentq(torque, -1, 1, xtol=1e-14), abs=1e-9)


def test_the_anterior_arch_is_a_lever_between_ankle_and_metatarsal_joint():
    """Its weight and the force at its front joint have no moment about the ankle."""
    result = planar.solve_trial(FOOT, RIG, Trial(24.0, 0.015, 2))
    turn = np.exp(-1j * (RIG.tilt + result.q[ARCH]))
    linkage = build_linkage(FOOT, RIG.tilt)
    joint = complex(*linkage.layout.metatarsal_joint) * turn
    part = FOOT.parts.anterior_arch
    centre = complex(part.com[0], part.com[2]) * turn
    on_sole = complex(*result.loop)
    moment = (np.conj(joint) * -on_sole).imag - part.mass * RIG.gravity * centre.real
    assert moment == pytest.approx(0, abs=1e-6)
    assert on_sole.imag < -1


def test_a_foot_too_stiff_to_bend_stands_on_its_lower_end():
    """Bands so stiff turn the foot into a rigid triangle, and the slider keeps it from tipping."""
    rigid = FOOT.with_(band__stiffness=1e5)
    for tilt, lower in ((math.radians(3), "metatarsus_support"), (-math.radians(3), "heel_support")):
        result = planar.solve_trial(rigid, PressRig(tilt=tilt), Trial(24.0, 0.0, 1))
        assert result.settled
        assert result.force(bench=lower) == pytest.approx(24 + result.weight, abs=1e-6)
        assert np.abs(result.rotations - tilt).max() < 1e-3


def test_energy_is_least_among_postures_that_the_bench_allows():
    trial = Trial(24.0, 0.011, 3)
    model = build_model(FOOT, RIG, trial)
    result = planar.solve_trial(FOOT, RIG, trial)
    least = model.energy_of(result.q)
    random = np.random.default_rng(2)
    for scale in (1e-3, 1e-2, 3e-2):
        for _ in range(20):
            change = scale * random.normal(size=len(result.q))
            change[SLIDER] = 0.0
            assert model.energy_of(on_the_bench(model, result.q + change)) > least


def on_the_bench(model: PlanarModel, q: np.ndarray) -> np.ndarray:
    """Close the loop of a posture and lower it until it touches."""
    q = q.copy()
    for _ in range(20):
        gap, slope = model.linkage.gaps(q)
        q -= np.linalg.lstsq(slope, gap, rcond=None)[0]

    def clearance(z: float) -> float:
        q[SLIDER] = z
        return model.contacts.gaps(q)[0].min()

    q[SLIDER] = brentq(clearance, q[SLIDER] - 0.02, q[SLIDER] + 0.02, xtol=1e-12)
    return q


def test_a_quadratic_programme_ends_where_its_conditions_hold():
    random = np.random.default_rng(3)
    for _ in range(50):
        A = random.normal(size=(6, 6))
        H, f = A @ A.T + np.eye(6), random.normal(size=6)
        C, c = random.normal(size=(2, 6)), random.normal(size=2)
        G, g = random.normal(size=(8, 6)), random.uniform(0, 1, size=8)
        g += G @ np.linalg.lstsq(C, c, rcond=None)[0]
        step = solve_qp(H, f, C, c, G, g)
        assert step is not None
        assert pytest.approx(C.T @ step.equal + G.T @ step.above, abs=1e-9) == H @ step.p + f
        assert C @ step.p + c == pytest.approx(0, abs=1e-9)
        room = G @ step.p + g
        assert room.min() > -1e-9
        assert step.above.min() >= 0
        assert step.above * room == pytest.approx(0, abs=1e-9)


def test_a_quadratic_programme_without_room_has_no_answer():
    H, C = np.eye(2), np.zeros((0, 2))
    G = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert solve_qp(H, np.zeros(2), C, np.zeros(0), G, np.array([-1.0, -1.0])) is None


def test_a_solution_that_ran_out_of_steps_says_so():
    result = planar.solve_trial(FOOT, RIG, Trial(24.0, 0.015, 3), iterations=5)
    assert result.status is planar.Status.SLOW
    assert not result.settled
    assert "iterations" in result.status.value


@pytest.mark.parametrize(
    ("foot", "rig", "names"),
    [
        (FOOT, {"friction": 0.5}, "friction = 0.5"),
        (FOOT, {"shape": "sphere"}, "shape = 'sphere'"),
        (FOOT, {"support_shape": "sphere"}, "support_shape = 'sphere'"),
        (FOOT.with_(collider="capsule"), {}, "collider = 'capsule'"),
        (FOOT, {"ground_stiffness": 1e7}, "ground_stiffness = 1"),
        (FOOT, {"ground": Ground()}, "ground = Ground"),
        (FIVE, {"obstacle_width": 0.02}, "obstacle_width"),
        (FIVE, {"obstacle_y": 0.06}, "obstacle_y"),
    ],
)
def test_what_is_not_planar_is_refused_by_name(foot, rig, names):
    with pytest.raises(InvalidInput, match=names) as caught:
        planar.press(foot, loads=(12.0,), heights=(0.007,), positions=(1,), rig=PressRig(**rig))
    assert "\n" not in str(caught.value)


def test_tables_of_other_trials_are_not_compared():
    a = planar.press(loads=(12.0,), heights=(0.007,), positions=(1,))
    b = planar.press(loads=(12.0,), heights=(0.007,), positions=(2,))
    with pytest.raises(InvalidInput, match="same 1 trials"):
        planar.compare(a, b)
    assert set(planar.compare(a, a).values()) == {0.0}


def test_progress_counts_every_trial():
    done: list[int] = []
    planar.press(loads=(12.0,), heights=(0.011,), positions=(1, 2, 3), progress=done.append)
    assert sum(done) == 3
