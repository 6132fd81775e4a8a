"""Laws from measured forces: hidden parameters found under noise and outliers, and bad files named."""

from __future__ import annotations

import json

import mujoco
import numpy as np
import pytest

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.ground import BekkerLaw, ContactLaw, Ground, HuntCrossley, MujocoLaw
from plantar.ground.contact.realisation import realise
from plantar.ground.fit.models import bekker_model, hunt_crossley_model, linear_model, mujoco_model
from plantar.ground.fit.press_data import PressData, read_press
from plantar.ground.fit.press_fit import fit
from plantar.ground.fit.robust import robust_fit
from plantar.identify.contact_inertia import contact_inertia

SOFT = {"effective_mass": 1 / 15, "contacts": 4}
HIDDEN = {
    "linear": (ContactLaw(stiffness=2e4, damping=80.0), {"stiffness": 2e4, "damping": 80.0}),
    "hunt_crossley": (
        HuntCrossley(stiffness=5e5, damping=4e5),
        {"stiffness": 5e5, "damping": 4e5, "exponent": 1.5},
    ),
    "mujoco": (
        MujocoLaw(solref=(-858.4, -87.9), solimp=(0.0, 0.95, 0.012, 0.5, 2.0), **SOFT),
        {"stiffness": 858.4, "damping": 87.9, "width": 0.012},
    ),
    "bekker": (
        BekkerLaw(k_c=0.0, k_phi=1.5e6, n=1.1, width=0.05, area=0.005),
        {"k_phi": 1.5e6, "n": 1.1},
    ),
}


def measured(law, seed, samples=400, deepest=0.01, fastest=0.2, noise="share", moving=True):
    """Samples with 2 % noise and 5 % outliers, and the forces without either."""
    rng = np.random.default_rng(seed)
    depth, speed = rng.uniform(0, deepest, samples), rng.uniform(-fastest, fastest, samples)
    true = np.asarray(law.force(depth, speed if moving else 0.0))
    scale = true if noise == "share" else true.max()
    force = true + 0.02 * scale * rng.standard_normal(samples)
    wrong = rng.random(samples) < 0.05
    force[wrong] = true[wrong] * rng.uniform(0, 3, wrong.sum()) + 0.2 * true.max() * rng.uniform(-1, 1, wrong.sum())
    return PressData(depth=depth, force=force, speed=speed if moving else None), true


def model_of(name, data):
    if name == "mujoco":
        return mujoco_model(data, ("width",), (0.0, 0.95, 0.01, 0.5, 2.0), **SOFT)
    if name == "bekker":
        return bekker_model(data, 0.05, 0.005)
    return (linear_model if name == "linear" else hunt_crossley_model)(data)


def coverage(name, seeds, noise):
    """In how many seeds all hidden parameters are inside, and the worst error of the curve."""
    law, hidden = HIDDEN[name]
    inside, worst = 0, 0.0
    for seed in seeds:
        # noise of 2 % of the largest force buries most of a steep law: it takes more samples
        samples = 400 if noise == "share" else 2000
        data, true = measured(law, seed, samples=samples, noise=noise, moving=name != "bekker")
        model = model_of(name, data)
        found = robust_fit(model, data)
        truth = np.array([p.inner(hidden[p.name]) for p in model.parameters])
        inside += bool((abs(truth - found.theta) <= found.half_widths()).all())
        worst = max(worst, float(abs(found.force - true).max() / true.max()))
    return inside, worst


@pytest.mark.parametrize("noise", ["share", "constant"])
@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_parameters_are_found_under_noise_and_outliers(name, noise):
    count = 8
    inside, worst = coverage(name, range(count), noise)
    assert inside >= count - 1
    assert worst < 0.02


@pytest.mark.long
@pytest.mark.parametrize("noise", ["share", "constant"])
@pytest.mark.parametrize("name", HIDDEN)
def test_intervals_hold_in_ninety_of_a_hundred_seeds(name, noise, record_property):
    inside, worst = coverage(name, range(100), noise)
    record_property(f"ground.fit.{name}_{noise}", {"seeds": 100, "inside": inside, "worst": worst})
    assert inside >= 90
    assert worst < 0.02


def test_outliers_do_not_pull():
    law, hidden = HIDDEN["linear"]
    data, _ = measured(law, 0)
    found = robust_fit(linear_model(data), data)
    plain = np.linalg.lstsq(np.stack([data.depth, data.speeds], axis=1), data.force, rcond=None)[0]
    stiffness = float(np.exp(found.theta[0]))
    assert abs(stiffness / hidden["stiffness"] - 1) < 0.005 < abs(plain[0] / hidden["stiffness"] - 1)
    assert 10 <= found.outliers.sum() <= 40


@pytest.mark.parametrize("name", ["linear", "hunt_crossley"])
def test_the_right_law_wins_and_its_ground_follows_it(name):
    data, _ = measured(HIDDEN[name][0], 5, samples=120)
    result = fit(data, **SOFT)
    assert result.best.name == name
    assert result.best.held_out < 0.015
    assert result.realisation.rms_error < 0.05
    assert result.ground.solref[0] < 0


def test_mujoco_frees_more_of_solimp_when_the_data_ask_for_it():
    law = MujocoLaw(solref=(-2000.0, -40.0), solimp=(0.4, 0.95, 0.01, 0.5, 2.0), **SOFT)
    data, true = measured(law, 9)
    best = fit(data, "mujoco", **SOFT).best
    assert "d0" in best.parameters.column("parameter")
    row = next(row for row in best.parameters if row["parameter"] == "d0")
    assert row["low"] <= 0.4 <= row["high"]
    assert abs(best.robust.force - true).max() / true.max() < 0.02


def test_two_plates_tell_both_moduli():
    rng = np.random.default_rng(0)
    width = np.repeat([0.05, 0.15], 100)
    area, depth = width**2, rng.uniform(0.001, 0.03, 200)
    force = area * (5e3 / width + 8e5) * depth**0.9 * (1 + 0.02 * rng.standard_normal(200))
    data = PressData(depth=depth, force=force, width=width, area=area)
    rows = {row["parameter"]: row for row in fit(data, "bekker").best.parameters}
    assert rows["k_c"]["low"] <= 5e3 <= rows["k_c"]["high"]
    assert rows["k_phi"]["low"] <= 8e5 <= rows["k_phi"]["high"]


def test_what_the_data_cannot_tell_is_said():
    law = HIDDEN["mujoco"][0]
    slow, _ = measured(law, 0, moving=False)
    assert any("no speeds" in line for line in fit(slow, "mujoco", **SOFT).best.advice)
    shallow, _ = measured(law, 0, deepest=0.002)
    assert any("is extrapolation" in line for line in fit(shallow, "mujoco", free=("width",), **SOFT).best.advice)
    cubic = PressData(depth=slow.depth, force=1e9 * slow.depth**3 + 1)
    assert any("another law" in line for line in fit(cubic, "linear").best.advice)


@pytest.mark.parametrize(
    ("law", "rms"),
    [
        (ContactLaw(stiffness=2e4, damping=100.0), 1e-12),
        (BekkerLaw(k_c=990.0, k_phi=1.528e6, n=1.1, width=0.04, area=0.002), 0.01),
        (BekkerLaw(k_c=13190.0, k_phi=6.92e5, n=0.5, width=0.04, area=0.002), 0.025),
        (HuntCrossley(stiffness=5e5, damping=0.0), 0.01),
    ],
)
def test_other_laws_become_solver_parameters_with_an_error_card(law, rms):
    real = realise(law, deepest=0.02, fastest=0.1, **SOFT)
    assert real.rms_error < rms
    for row in real.card():
        if row["speed"] == 0:
            assert row["mujoco"] == pytest.approx(float(real.law.force(row["depth"])))
            assert row["wanted"] == pytest.approx(float(law.force(row["depth"])))


@pytest.mark.parametrize("solref", [(-858.4, -87.9), (0.03, 0.7)])
def test_mujocos_own_law_is_realised_under_another_mass(solref):
    law = MujocoLaw(solref=solref, solimp=(0.1, 0.9, 0.01, 0.5, 2.0), **SOFT)
    real = realise(law, deepest=0.015, fastest=0.1, effective_mass=5.0, contacts=2)
    assert real.worst_error < 1e-12 and real.law.effective_mass == 5.0 and real.law.contacts == 2
    same = realise(law, deepest=0.015, fastest=0.1, **SOFT)
    assert same.solver == (law.solref, law.solimp)


def test_a_robots_foot_tells_the_inertia():
    mass, contacts = contact_inertia("khr3hv")
    assert contacts == 4
    assert 1 / mass == pytest.approx(14.98, rel=1e-3)


@pytest.mark.parametrize(("robot", "points"), [("ball", 1), ("box", 4)])
def test_the_inertia_of_a_free_body_is_its_mass_whatever_its_own_cone(robot, points):
    """The ground of a fit is elliptic, and MuJoCo's default cone is not: its rows have a quarter of the mass."""
    assert contact_inertia(robot) == (pytest.approx(1.0), points)


def test_all_parts_of_a_foot_share_its_force():
    spec, side = mujoco.MjSpec(), {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.05, 0.03, 0.01], "mass": 0.5}
    heel = spec.worldbody.add_body(name="foot")
    heel.add_freejoint()
    heel.add_geom(**side)
    toe = heel.add_body(name="toe", pos=[0.11, 0, 0])
    toe.add_joint(axis=[0, 1, 0])
    toe.add_geom(**side)
    assert contact_inertia(spec)[1] == 8


def table(tmp_path, head, *columns, name="data.csv"):
    path = tmp_path / name
    np.savetxt(path, np.stack(columns, axis=1), delimiter=",", header=head, comments="")
    return path


def test_units_in_the_head_are_converted(tmp_path):
    data, _ = measured(HIDDEN["hunt_crossley"][0], 0, samples=40)
    path = table(tmp_path, "sinkage [mm],force (kN),speed_mm/s", 1e3 * data.depth, data.force / 1e3, 1e3 * data.speeds)
    again = read_press(path)
    assert again.depth == pytest.approx(data.depth)
    assert again.force == pytest.approx(data.force)
    assert again.speeds == pytest.approx(data.speeds)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda d, f, v: ("depth,force,speed", f, d, v), "swapped"),
        (lambda d, f, v: ("depth,force", 1e3 * d, f), "millimetres"),
        (lambda d, f, v: ("depth,force", d, f / 1e3), "kN"),
        (lambda d, f, v: ("depth,force,speed", d, v, f), "swapped"),
        (lambda d, f, v: ("depth,force", d[:6], f[:6]), "6 rows"),
        (lambda d, f, v: ("depth,force", -d, f), "positive into the ground"),
        (lambda d, f, v: ("depth,force", d, -f), "negative"),
        (lambda d, f, v: ("depth,speed", d, v), "no column 'force'"),
        (lambda d, f, v: ("depth [inch],force", d, f), "inch"),
        (lambda d, f, v: ("depth,force", d[::-1].copy(), f), "does not grow"),
        (lambda d, f, v: ("depth,force", 0.01 + 0 * d, f), "hardly differ"),
    ],
)
def test_bad_files_exit_with_one_line_and_leave_nothing(change, word, tmp_path, capsys):
    data, _ = measured(HIDDEN["hunt_crossley"][0], 0, samples=60)
    path, out = table(tmp_path, *change(data.depth, data.force, data.speeds)), tmp_path / "out"
    assert run(["ground", "fit", str(path), "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert said.count("\n") == 1
    assert not out.exists()


def test_millinewtons_are_no_meganewtons(tmp_path):
    depth, force = np.linspace(0, 0.01, 50), np.linspace(0, 5, 50)
    milli = read_press(table(tmp_path, "depth,force [mN]", depth, 1e3 * force, name="milli.csv"))
    mega = read_press(table(tmp_path, "depth,force [MN]", depth, 1e-6 * force, name="mega.csv"))
    assert milli.force == pytest.approx(force) and mega.force == pytest.approx(force)


def test_a_cell_without_a_number_is_named(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("depth,force\n0.001,5\n0.002,ten\n")
    with pytest.raises(InvalidInput, match="row 3"):
        read_press(path)


def test_the_command_writes_a_ground_that_loads(tmp_path, capsys):
    data, _ = measured(HIDDEN["linear"][0], 0, samples=60)
    path, out = table(tmp_path, "depth,force,speed", data.depth, data.force, data.speeds), tmp_path / "out"
    assert run(["ground", "fit", str(path), "--law", "linear", "--robot", "khr3hv", "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["best"] == "linear"
    ground = Ground.load(out / "ground.json")
    law = ground.law(effective_mass=1 / 14.98, contacts=4)
    assert float(law.force(0.005)) == pytest.approx(2e4 * 0.005, rel=0.02)
    assert {path.name for path in out.iterdir()} >= {"fit.png", "laws.csv", "parameters.csv", "config.json"}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "either"),
        (["x.csv", "--motion", "y.npz"], "either"),
        (["missing.csv"], "cannot be read"),
        (["--motion", "missing.npz"], "cannot be read"),
    ],
)
def test_bad_commands_say_so(arguments, word, capsys):
    assert run(["ground", "fit", *arguments]) == 2
    assert word in capsys.readouterr().err
