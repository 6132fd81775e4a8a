"""Costs other than heat, legs in pairs, gaits on disk, sweeps that go on: what families over speed are made of."""

from __future__ import annotations

import dataclasses
import importlib

import numpy as np
import pytest

ca = pytest.importorskip("casadi")

from plantar.cli.app import run  # noqa: E402
from plantar.errors import InvalidInput  # noqa: E402
from plantar.gait import (  # noqa: E402
    Biped,
    Effort,
    Hopper,
    Quadruped,
    Request,
    check,
    family,
    gait_name,
    load_gait,
    replay,
    save_gait,
    solve,
)
from plantar.gait._dynamics import Dynamics  # noqa: E402
from plantar.gait._guess import crude, pack  # noqa: E402
from plantar.gait._layout import Phase  # noqa: E402
from plantar.gait._program import Program  # noqa: E402
from plantar.gait.families import _order, parted  # noqa: E402
from plantar.gait.pairs import PAIRS, alike, folded, paired, unpaired  # noqa: E402

families = importlib.import_module("plantar.gait.families")
QUICK = Effort(intervals=14, tolerance=1e-2, refinements=2, explain=False)


def asked(speed: float, **fields) -> Request:
    return Request(speed=speed, apex=None, objective="transport", symmetric=True, **fields)


@pytest.fixture(scope="module")
def walk():
    return solve(Biped(), "soft", asked(0.3, cost="electrical"), guess="walk", effort=QUICK)


@pytest.fixture(scope="module")
def bound():
    return solve(Quadruped(), "soft", asked(0.5, cost="electrical"), guess="bound", effort=QUICK)


@pytest.mark.parametrize("cost", ["work", "electrical"])
def test_derivatives_with_positive_parts_equal_casadis_own(cost):
    robot, request, phases = Hopper(), Request(cost=cost), (Phase("soft"),)
    program = Program(robot, phases, request, [np.array([0.4, 0.6])])
    built, rng = program.build(), np.random.default_rng(1)
    x = pack(program, crude(robot, phases, request)) + 0.1 * rng.normal(size=program.unknowns)
    nlp, weight = built["nlp"], rng.normal(size=program.constraints)
    slope = ca.Function("j", [nlp["x"]], [ca.jacobian(nlp["g"], nlp["x"])])(x)
    assert np.abs(np.asarray(built["jac_g"](x, [])[1]) - np.asarray(slope)).max() < 1e-9
    curve = ca.hessian(nlp["f"] + ca.dot(ca.DM(weight), nlp["g"]), nlp["x"])[0]
    wanted = np.asarray(ca.Function("h", [nlp["x"]], [curve])(x))
    got = np.asarray(built["hess_lag"](x, [], 1.0, weight))
    assert np.abs(got - np.triu(wanted)).max() < 1e-9 * np.abs(wanted).max()


def test_costs_by_hand():
    model = Dynamics(Hopper())
    torque, speed = np.array([[0.5, -0.2], [0.1, 0.3]]), np.array([[0.4, 0.3], [-2.0, 0.1]])
    heat = (torque**2 * model.loss_factor).sum(axis=1)
    power = (torque * speed).sum(axis=1)
    assert model.drawn("thermal", torque, speed) == pytest.approx(heat)
    assert model.drawn("work", torque, speed) == pytest.approx([0.2, 0.03]), "braking gives nothing back"
    assert power[1] + heat[1] < 0
    assert model.drawn("electrical", torque, speed) == pytest.approx([power[0] + heat[0], 0.0])


def test_electrical_energy_makes_a_slow_biped_walk(walk):
    assert walk.ok and gait_name(walk) == "walk" and walk.violation < 1e-6
    speed = walk.v[:, 3 + 2 * 2 :]
    drawn = Dynamics(walk.robot).drawn("electrical", walk.torque, speed)
    heat = Dynamics(walk.robot).drawn("thermal", walk.torque, speed)
    assert np.trapezoid(drawn, walk.times) == pytest.approx(walk.cost, rel=0.05)
    assert np.trapezoid(heat, walk.times) < walk.cost, "nothing is won back, so heat is only a part"
    assert check(walk).cost_error < 0.02


def test_heat_alone_makes_it_walk_only_with_light_rotors():
    """Heavy rotors even motor forces out at any duty, and heat counts nothing else."""
    motor = Biped().leg_motor
    assert motor.inertia == pytest.approx(1.0, rel=0.01), "as heavy as the robot"
    light = Biped(leg_motor=dataclasses.replace(motor, rotor=motor.inertia / 20))
    names = [gait_name(solve(robot, "soft", asked(0.3), guess="walk", effort=QUICK)) for robot in (light, Biped())]
    assert names[0] == "walk" and names[1] in ("run", "skip"), "with flight"


def test_two_legs_that_stand_for_four_move_exactly_alike():
    robot, pairs, rng = Quadruped(), PAIRS["bound"], np.random.default_rng(2)
    two = paired(robot, pairs)
    assert alike(robot, pairs) and two.mass == pytest.approx(robot.mass)
    q, v = rng.normal(0, 0.1, (6, 11)), rng.normal(0, 0.3, (6, 11))
    q[:, 1], q[:, [4, 6]] = 1.0, 0.95 + rng.uniform(0, 0.006, (6, 2))
    q[:, [2, 3, 5]] *= 0.05
    d, torque = rng.normal(0, 1e-3, (6, 2)), rng.normal(0, 0.2, (6, 4))
    a, rate, force = Dynamics(two).soft(q, v, d, torque)
    assert (force[:, 1::2] > 0).any(), "some feet are down"
    share = np.hstack([torque[:, [0, 1]]] * 2 + [torque[:, [2, 3]]] * 2) / 2
    wide = [unpaired(part, robot, pairs) for part in (q, v)]
    a4, rate4, _ = Dynamics(robot).soft(wide[0], wide[1], d[:, [0, 0, 1, 1]], share)
    assert np.abs(a4 - unpaired(a, robot, pairs)).max() < 1e-9 * np.abs(a).max()
    assert np.abs(rate4 - rate[:, [0, 0, 1, 1]]).max() < 1e-9
    for cost in ("thermal", "work", "electrical"):
        both = Dynamics(two).drawn(cost, torque, v[:, 7:]), Dynamics(robot).drawn(cost, share, wide[1][:, 11:])
        assert both[0] == pytest.approx(both[1])


def test_a_trot_guess_from_pairs_keeps_its_feet_where_they_were():
    robot, pairs = Quadruped(), PAIRS["trot"]
    q = np.array([[0.0, 1.0, 0.04, 0.1, 0.96, -0.2, 0.9, 0.1, 0.0, -0.2, 0.0]])
    wide, zero = unpaired(q, robot, pairs), np.zeros((1, 19))
    two = Dynamics(paired(robot, pairs)).terms(q, np.zeros((1, 11)))["place"][0]
    four = Dynamics(robot).terms(wide, zero)["place"][0]
    assert four[1::2] == pytest.approx(two[[1, 3, 3, 1]], abs=1e-12), "as high as the leg that stood for them"
    assert four[::2] - robot.hips == pytest.approx(two[[0, 2, 2, 0]], abs=1e-12)


def test_a_bound_of_two_legs_is_one_of_four(bound):
    assert bound.ok and gait_name(bound) == "bound" and bound.violation < 1e-6 and bound.defect < 0.05
    assert bound.robot == Quadruped() and bound.q.shape[1] == 19
    pair = folded(bound)
    assert pair is not None and pair[0].cost == bound.cost
    assert replay(bound, step=2e-4).error < 0.1
    other = dataclasses.replace(bound.segments[0], points=bound.segments[0].points + np.eye(65)[3] * 1e-3)
    assert folded(dataclasses.replace(bound, segments=(other,))) is None, "legs that differ are not one"


def test_a_gait_comes_back_from_its_file(tmp_path, walk):
    found = load_gait(save_gait(walk, tmp_path / "walk.npz"))
    assert found.robot == walk.robot and found.request == walk.request and found.status is walk.status
    assert (found.q == walk.q).all() and (found.force == walk.force).all() and found.cost == walk.cost
    (tmp_path / "no.npz").write_text("nothing")
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_gait(tmp_path / "no.npz")


def test_a_family_goes_up_and_down_from_its_start():
    order = _order([0.2, 0.4, 0.6, 0.8], 0.4)
    assert order == [(0.4, None), (0.6, 0.4), (0.8, 0.6), (0.2, 0.4)]
    assert parted(Biped(), "run@0.6", [0.2, 0.6]) == ("run", 0.6) and parted(Biped(), "run", [0.2]) == ("run", 0.2)
    with pytest.raises(InvalidInput, match="run@0.5"):
        parted(Biped(), "run@0.5", [0.2, 0.6])


def test_a_family_that_was_cut_off_goes_on(tmp_path, walk, monkeypatch):
    """Solving is stood in for: what counts is what is solved, from what, and what is on the disk."""
    asked_for = []

    def stand_in(robot, contact, request, *, guess, effort):
        asked_for.append((request.speed, guess if isinstance(guess, str) else guess.request.speed))
        if len(asked_for) == 3:
            raise KeyboardInterrupt
        return dataclasses.replace(walk, request=request)

    monkeypatch.setattr(families, "solve", stand_in)
    speeds, folder = [0.2, 0.3, 0.4, 0.5], tmp_path / "gaits"
    with pytest.raises(KeyboardInterrupt):
        family(Biped(), speeds, starts=["walk@0.3"], folder=folder)
    assert sorted(f.name for f in folder.iterdir()) == ["walk@0.3_0.3.npz", "walk@0.3_0.4.npz"]
    found = family(Biped(), speeds, starts=["walk@0.3"], folder=folder)
    assert asked_for == [(0.3, "walk"), (0.4, 0.3), (0.5, 0.4), (0.5, 0.4), (0.2, 0.3)]
    assert len(found.results) == 4
    again = family(Biped(), speeds, starts=["walk@0.3"], folder=folder)
    assert len(asked_for) == 5 and [r.cost for r in again.results] == [r.cost for r in found.results]
    with pytest.raises(InvalidInput, match="another request"):
        family(Biped(), speeds, starts=["walk@0.3"], folder=folder, cost="thermal")
    with pytest.raises(InvalidInput, match="another effort"):
        family(Biped(), speeds, starts=["walk@0.3"], folder=folder, effort=QUICK)


def test_one_pattern_from_two_speeds_is_two_families(tmp_path, walk, monkeypatch):
    asked_for = []

    def stand_in(robot, contact, request, *, guess, effort):
        asked_for.append((request.speed, guess if isinstance(guess, str) else guess.request.speed))
        return dataclasses.replace(walk, request=request)

    monkeypatch.setattr(families, "solve", stand_in)
    speeds, starts = [0.2, 0.4], ["walk", "walk@0.4", "walk@0.2", "walk"]
    found = family(Biped(), speeds, starts=starts, folder=tmp_path / "gaits")
    assert asked_for == [(0.2, "walk"), (0.4, 0.2), (0.4, "walk"), (0.2, 0.4)]
    assert len(found.results) == 4, "what is said twice is one start"
    family(Biped(), speeds, starts=starts, folder=tmp_path / "gaits")
    assert len(asked_for) == 4


def test_a_sweep_is_written_and_goes_on_only_with_the_same_settings(tmp_path, walk, monkeypatch, capsys):
    count = []

    def stand_in(robot, contact, request, *, guess, effort):
        count.append(request.speed)
        return dataclasses.replace(walk, request=request)

    monkeypatch.setattr(families, "solve", stand_in)
    out = tmp_path / "sweep"
    command = ["gait", "sweep", "--speeds", "0.3,0.35", "--starts", "walk", "--out", str(out), "--json"]
    assert run(command) == 0
    files = {f.name for f in out.iterdir()}
    assert {"gaits", "gaits.csv", "family.png", "diagrams.png", "config.json", "settings.json"} <= files
    (out / "gaits" / "walk_0.35.npz").unlink()
    assert run(command) == 0 and count == [0.3, 0.35, 0.35], "only what is missing is solved again"
    capsys.readouterr()
    assert run([*command, "--cost", "work"]) == 2
    assert "was started with different settings" in capsys.readouterr().err and len(count) == 3
    assert run([*command, "--cost", "work", "--overwrite"]) == 0 and len(count) == 5
