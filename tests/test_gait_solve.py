"""Optimal hoppers: derivatives, both contact models from one crude guess, proof by integration, order, failures."""

from __future__ import annotations

import numpy as np
import pytest

from plantar.errors import InvalidInput

ca = pytest.importorskip("casadi")

from plantar.gait import Effort, Hopper, Motor, Request, Status, check, solve  # noqa: E402
from plantar.gait._dynamics import Dynamics  # noqa: E402
from plantar.gait._guess import crude, pack, stances  # noqa: E402
from plantar.gait._layout import Phase  # noqa: E402
from plantar.gait._mesh import defects, finer  # noqa: E402
from plantar.gait._program import Program  # noqa: E402
from plantar.gait.footfalls import contacts  # noqa: E402
from plantar.gait.plots import plot_diagram, plot_gaits  # noqa: E402

SOFT = (Phase("soft"),)
HARD = (Phase("hard"), Phase("hard", (0,)), Phase("hard"))


@pytest.fixture(scope="module")
def soft():
    return solve(Hopper(), "soft")


@pytest.fixture(scope="module")
def hard():
    return solve(Hopper(), "hard")


@pytest.mark.parametrize("phases", [SOFT, HARD], ids=["soft", "hard"])
def test_the_assembled_matrices_equal_casadis_own_derivatives(phases):
    program = Program(Hopper(), phases, Request(), [np.array([0.3, 0.3, 0.4])] * len(phases))
    built, rng = program.build(), np.random.default_rng(3)
    x = pack(program, crude(Hopper(), phases, Request())) + 0.1 * rng.normal(size=program.unknowns)
    nlp, weight = built["nlp"], rng.normal(size=program.constraints)
    symbol, scale = ca.MX.sym("m", program.constraints), ca.MX.sym("s")
    slope = ca.Function("j", [nlp["x"]], [ca.jacobian(nlp["g"], nlp["x"])])(x)
    assert np.abs(np.asarray(built["jac_g"](x, [])[1]) - np.asarray(slope)).max() < 1e-9
    lagrangian = scale * nlp["f"] + ca.dot(symbol, nlp["g"])
    hessian = ca.Function("h", [nlp["x"], scale, symbol], [ca.hessian(lagrangian, nlp["x"])[0]])
    curve = np.asarray(hessian(x, 1.7, weight))
    got = np.asarray(built["hess_lag"](x, [], 1.7, weight))
    assert np.abs(got - np.triu(curve)).max() < 1e-9 * np.abs(curve).max()
    steep = np.asarray(ca.Function("f", [nlp["x"]], [ca.gradient(nlp["f"], nlp["x"])])(x))
    assert np.abs(np.asarray(built["grad_f"](x, [])[1]) - steep).max() < 1e-12
    assert built["grad_f"](x, [])[1].is_dense(), "IPOPT reads a gradient without its zeros as garbage"


def test_a_flying_hopper_keeps_momentum_and_falls_freely():
    model, rng = Dynamics(Hopper()), np.random.default_rng(0)
    q, v = rng.normal(0, 0.3, (5, 7)), rng.normal(0, 0.5, (5, 7))
    q[:, 1], q[:, 4] = 3.0, 1.0
    a, rate, force = model.soft(q, v, np.zeros((5, 1)), rng.normal(size=(5, 2)))
    terms = model.terms(q, v)
    assert (force == 0).all()
    # rows x and y of the equations are the total momentum: their springs cancel
    total = np.einsum("nij,nj->ni", terms["mass"], a[:, :5]) + terms["bias"]
    assert np.abs(total[:, :2]).max() < 1e-10
    assert np.allclose(terms["mass"][:, 0, 0], 1.0) and np.allclose(terms["mass"][:, 1, 1], 1.0), "the mass is 1"


def test_an_impact_leaves_no_slip_and_takes_energy():
    model, q = Dynamics(Hopper()), np.array([0, 1.0, 0, 0.2, 0.95, 0.2, 0])
    v = np.array([0.5, -0.6, 0.1, 0.3, -0.2, 0.0, 0.0])
    after = model.impact(q, v, (0,))
    terms = model.terms(q[None], v[None])
    assert np.abs(terms["jacobian"][0] @ after[:5]).max() < 1e-12
    mass = terms["mass"][0]
    assert after[:5] @ mass @ after[:5] < v[:5] @ mass @ v[:5]
    assert (after[5:] == v[5:]).all(), "rotors do not feel it"


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_the_hopper_converges_from_the_crude_guess_and_is_a_motion(kind, request):
    result = request.getfixturevalue(kind)
    assert result.status is Status.SOLVED
    assert result.violation < 1e-6
    assert result.defect < 1e-5
    proof = check(result, rtol=1e-9)
    assert proof.return_error < 1e-3
    assert proof.cost_error < 0.01
    assert result.speed == pytest.approx(0.5, abs=1e-6)
    assert result.q[0, 1] == pytest.approx(1.2, abs=1e-6) and abs(result.v[0, 1]) < 1e-6
    assert result.q[:, 1].max() < 1.2 + 1e-6, "the apex is the highest point"


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_limits_of_motors_legs_and_friction_hold(kind, request):
    result, robot = request.getfixturevalue(kind), Hopper()
    for i, motor in enumerate((robot.hip_motor, robot.leg_motor)):
        assert np.abs(result.torque[:, i]).max() <= motor.force_limit + 1e-6
        assert np.abs(result.v[:, 5 + i]).max() <= motor.speed_limit + 1e-6
    along, across = result.force.T
    assert across.min() >= -1e-7
    assert (np.abs(along) <= robot.contact.friction * across + 1e-6).all()


@pytest.mark.parametrize("seed", [3, 5])
def test_softer_feet_lead_random_guesses_to_the_gait(seed, soft):
    """Without them these two guesses ran out of time in IPOPT's restoration."""
    found = solve(Hopper(), "soft", guess=seed, effort=Effort(refinements=1, explain=False))
    assert found.ok and found.violation < 1e-6
    assert found.cost == pytest.approx(soft.cost, rel=0.01)


def test_rigid_feet_obey_complementarity(hard):
    gap, force = hard.feet[:, 1], hard.force[:, 1]
    assert np.abs(np.minimum(gap, force)).max() < 1e-4, "a foot that carries force does not leave the ground"
    stance = hard.segments[1]
    assert stance.phase.stance == (0,) and hard.segments[0].phase.stance == ()


def test_both_models_agree_as_the_paper_says(soft, hard):
    """The paper calls them highly similar; here that is a number."""
    share = np.linspace(0, 1, 300) * (1 - 1e-9)
    a, b = (r.at(share * r.stride_time) for r in (hard, soft))
    for i, least in ((1, 0.99), (2, 0.97), (3, 0.95)):
        assert np.corrcoef(a["q"][:, i], b["q"][:, i])[0, 1] > least
    assert 0.7 < soft.cost / hard.cost < 1.1
    assert soft.stride_time == pytest.approx(hard.stride_time, rel=0.05)


def test_halving_the_mesh_divides_the_defect_by_sixteen(hard):
    count = np.array([4, 5, 4])
    coarse, largest, back = None, [], []
    for _ in range(3):
        even = [np.full(n, 1 / n) for n in count]
        coarse = solve(Hopper(), "hard", guess=coarse or hard, effort=Effort(refinements=0), meshes=even)
        assert coarse.violation < 1e-6
        largest.append(max(defects(coarse.robot, s).max() for s in coarse.segments))
        back.append(check(coarse).return_error)
        count = 2 * count
    rates = np.log2(np.array(largest[:-1]) / largest[1:])
    assert rates[-1] > 3.5, f"the scheme's order is 4, measured {rates}"
    assert np.log2(back[-2] / back[-1]) > 3.5, "so does the error of the end state"


def test_a_soft_solution_starts_the_hard_one(soft, hard):
    phases, durations = stances(soft)
    assert [p.stance for p in phases] == [(), (0,), ()]
    assert sum(durations) == pytest.approx(soft.stride_time)
    warm = solve(Hopper(), "hard", guess=soft, effort=Effort(refinements=0))
    assert warm.ok and warm.cost == pytest.approx(hard.cost, rel=0.02)


def test_a_mesh_is_cut_where_it_must():
    cut = finer(np.array([0.5, 0.5]), np.array([1e-6, 1.6e-4]), 1e-5)
    assert cut[0] == 0.5 and len(cut) == 4 and cut.sum() == pytest.approx(1)


def test_a_speed_beyond_the_motors_is_explained():
    request = Request(speed=5.0)
    found = solve(Hopper(), "hard", request, effort=Effort(intervals=12, iterations=150, seconds=20))
    assert found.status is Status.INFEASIBLE and not found.ok
    assert "average speed 5" in found.violated[0] and "nearest" in found.violated[0]
    assert found.cpu_seconds < 60


def test_an_apex_below_the_leg_is_explained():
    found = solve(Hopper(), "soft", Request(apex=0.7), effort=Effort(intervals=12, iterations=150, seconds=20))
    assert found.status is Status.INFEASIBLE
    assert any("apex" in line for line in found.violated)


def test_a_failure_without_explanation_names_the_constraints():
    effort = Effort(intervals=8, iterations=3, explain=False)
    found = solve(Hopper(), "soft", effort=effort)
    assert found.status is Status.NOT_CONVERGED and found.violated


def test_weaker_motors_cost_more_or_fail():
    """A slower gear has more torque and inertia; the optimum must change with it."""
    other = Hopper(leg_motor=Motor(no_load_speed=0.6))
    found = solve(other, "hard", effort=Effort(refinements=0))
    assert found.ok and found.cost != pytest.approx(0.0396, rel=0.01)


def test_the_table_and_plots_hold_the_motion(hard, soft):
    table = hard.table()
    assert len(table) == len(hard.times) and "force_across" in table.columns
    fig = plot_gaits([hard, soft])
    dashed = [line for line in fig.axes[0].lines if line.get_linestyle() == "--"]
    assert len(dashed) == 2, "two lines where the rigid phases meet"
    assert len(plot_diagram([hard, soft]).axes) == 2
    times, on = contacts(hard)
    share = hard.segments[1].duration / hard.stride_time
    assert on.mean() == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(
    ("field", "value"), [("speed", 0.0), ("apex", -1.0), ("objective", "joy"), ("stride_time", (2, 1))]
)
def test_a_bad_request_is_named(field, value):
    with pytest.raises(InvalidInput, match=field):
        Request(**{field: value})
