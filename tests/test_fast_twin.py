"""The light builds of a SoftFoot: geometry they must share with the full foot, and presses on both."""

from __future__ import annotations

import json
import math

import mujoco
import numpy as np
import pytest

import plantar
from plantar.bench.press.press import press
from plantar.bench.press.random_press import random_presses, run_presses
from plantar.bench.reduce.card import error_rows, summary_rows
from plantar.bench.stiffness import secant, stiffness
from plantar.bench.windlass.windlass import windlass
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, SoftFoot
from plantar.feet.readings import loop_residuals
from plantar.feet.softfoot.fast_parts import cord_of, hinge_spring, strips
from plantar.feet.softfoot.layout import chain_layout
from plantar.table import Table

FULL = SoftFoot()
HINGE, FAST = FULL.with_(fidelity="hinge"), FULL.with_(fidelity="fast")


def test_fidelity_is_a_field_of_every_foot():
    assert plantar.feet.get("softfoot", fidelity="fast") == FAST
    flat = plantar.feet.get("flat", fidelity="fast")
    assert flat.spec().to_xml() == FlatFoot().spec().to_xml()
    with pytest.raises(InvalidInput, match="fidelity = 'quick'"):
        SoftFoot(fidelity="quick")  # type: ignore[arg-type]


def test_light_builds_are_small_and_weigh_the_same():
    models = {foot.fidelity: foot.model() for foot in (FULL, HINGE, FAST)}
    assert {name: model.nv for name, model in models.items()} == {"full": 92, "hinge": 46, "fast": 10}
    assert models["fast"].neq == 1
    mass = models["full"].body_subtreemass[0]
    for name in ("hinge", "fast"):
        assert models[name].body_subtreemass[0] == pytest.approx(mass, rel=1e-12)
        for body in (HINGE if name == "hinge" else FAST).contact_bodies:
            assert models[name].geom(f"{body}_collision").type[0] == mujoco.mjtGeom.mjGEOM_BOX


@pytest.mark.parametrize("fidelity", ["full", "hinge", "fast"])
def test_every_build_touches_with_the_collider_that_was_asked_for(fidelity):
    foot = SoftFoot(collider="capsule", heel_pitch=0.2, fidelity=fidelity)
    model = foot.model()
    sole = [g for g in range(model.ngeom) if model.geom_contype[g] and model.body(model.geom_bodyid[g]).name != "ankle"]
    assert {int(kind) for kind in model.geom_type[sole]} == {int(mujoco.mjtGeom.mjGEOM_CAPSULE)}
    assert foot.sole_height == pytest.approx(foot.sole.height, abs=1e-9)  # capsules are not pitched


def test_centre_of_mass_and_lateral_inertia_are_those_of_the_full_foot():
    com = {}
    for foot in (FULL, FAST):
        model = foot.model()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        com[foot.fidelity] = data.subtree_com[0].copy()
    # The arch's mass is lumped at its ends, which keeps it on the line between them.
    assert np.abs(com["full"] - com["fast"]).max() < 0.002


@pytest.mark.parametrize("count, sizes", [(1, [5]), (2, [2, 3]), (3, [2, 1, 2]), (5, [1] * 5)])
def test_strips_share_the_chains(count, sizes):
    found = strips(FAST.with_(fast__strips=count))
    assert [s.chains for s in found] == sizes
    assert sum(s.chains * s.y for s in found) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("angle", [0.1, 0.5, -0.3])
def test_the_path_measures_what_a_rolling_pair_would_add(angle):
    model = FAST.model()
    data = mujoco.MjData(model)
    for coupling in ("module2", "module6", "metatarsus"):
        data.qpos[:] = 0
        data.joint(f"chain1_{coupling}").qpos = angle
        mujoco.mj_forward(model, data)
        tie = model.equality("loop1").data
        x, z = chain_layout(FAST).metatarsal_joint
        folded = data.tendon("loop1_path").length[0] - model.tendon_length0[model.tendon("loop1_path").id]
        added = -FAST.coupling_length * (1 - math.cos(angle / 2))
        assert tie[1] * folded == pytest.approx(x / math.hypot(x, z) * added, rel=1e-9)


def test_one_hinge_ends_short_of_a_rolling_pair_by_exactly_that():
    angle, places = 0.6, {}
    for name, foot in {"full": FULL.with_(chains=1), "hinge": HINGE.with_(chains=1)}.items():
        model = foot.model()
        data = mujoco.MjData(model)
        for end in ("_a", "_b") if name == "full" else ("",):
            data.joint(f"chain1_module3{end}").qpos = angle / (2 if name == "full" else 1)
        mujoco.mj_forward(model, data)
        places[name] = data.body("chain1_metatarsus").xpos.copy()
    gap = places["full"] - places["hinge"]
    assert np.linalg.norm(gap) == pytest.approx(FULL.coupling_length * (1 - math.cos(angle / 2)), rel=1e-9)
    assert math.atan2(-gap[2], gap[0]) == pytest.approx(angle / 2, abs=1e-9)


def test_the_fixed_cord_is_as_long_as_the_wrapped_one_to_second_order():
    arms, slack = cord_of(FULL)
    assert slack == pytest.approx(FULL.tendon.slack, abs=1e-12)
    assert arms[0] == pytest.approx(-FULL.tendon.arm, rel=0.1)
    full = FULL.with_(chains=1).model()
    data = mujoco.MjData(full)
    rest = full.tendon_length0[full.tendon("tendon1").id]
    rng = np.random.default_rng(0)
    bodies = FULL.with_(chains=1).contact_bodies[1:]
    for size in (0.02, 0.2):
        turns = rng.uniform(-size, size, len(bodies))
        for body, turn in zip(bodies, turns, strict=True):
            data.joint(f"{body}_a").qpos = data.joint(f"{body}_b").qpos = turn / 2
        mujoco.mj_forward(full, data)
        longer = data.tendon("tendon1").length[0] - rest
        assert longer == pytest.approx(float(np.dot(arms, turns)), abs=0.3 * FULL.tendon.arm * size**2 * len(turns))


def test_bands_built_as_tendons_become_a_spring_of_the_same_energy():
    linear, cubic = hinge_spring(FULL.with_(band_model="tendon"))
    assert linear == pytest.approx(FULL.band.hinge_stiffness / 2, rel=0.1)
    assert hinge_spring(FULL) == (FULL.band.hinge_stiffness / 2, 0.0)
    assert abs(cubic) < linear


def test_presses_are_the_same_for_a_seed_whatever_their_number():
    few, many = random_presses(FULL, 3, seed=5), random_presses(FULL, 9, seed=5)
    assert few == many[:3]
    assert few != random_presses(FULL, 3, seed=6)
    assert all(10 <= p.load <= 500 and 0 <= p.height <= 0.02 and abs(p.tilt) <= math.radians(5) for p in many)
    with pytest.raises(InvalidInput, match="count = 0"):
        random_presses(FULL, 0)


def test_the_fast_twin_presses_like_the_full_foot():
    presses = random_presses(FULL, 24, seed=77)
    full, fast = run_presses(FULL, presses), run_presses(FAST, presses)
    card = Table(error_rows(full, fast))
    rows = {row["quantity"]: row for row in summary_rows(card)}
    assert full.column("settled").all() and fast.column("settled").all()
    for region in ("heel", "middle", "front"):
        assert rows[f"force {region}"]["mean"] < 0.02
        # a press that can rest in two ways may be far off
        assert np.mean(np.abs(card.column(f"force_{region}_error")) < 0.05) > 0.9
        assert np.median(np.abs(full.column(f"force_{region}") - fast.column(f"force_{region}"))) < 3.0
    assert rows["rotation"]["p95"] < 0.03 and np.mean(card.column("rotation_error") < 0.03) > 0.9
    # The total is the load and the weight, whatever the foot.
    weight = FAST.model().body_subtreemass[0] * 9.81
    total = fast.block(["force_heel", "force_middle", "force_front"]).sum(axis=1)
    rest = fast.column("settled")
    assert total[rest] == pytest.approx(fast.column("load")[rest] + weight, rel=2e-3)


def test_without_the_stretch_of_the_rod_errors_are_larger():
    presses = random_presses(FULL, 16, seed=78, heights=(0.012, 0.02))
    full = run_presses(FULL, presses)
    rest = full.column("settled")
    errors = []
    for foot in (FAST, FAST.with_(fast__stretch=0.0)):
        off = np.abs(run_presses(foot, presses).column("force_heel") - full.column("force_heel"))
        errors.append(np.median((off / full.column("load"))[rest]))
    assert errors[0] < 0.6 * errors[1]


def test_narrow_obstacles_need_strips():
    presses = random_presses(FULL, 6, seed=3, shapes=("sphere",), heights=(0.01, 0.02), loads=(10, 200))
    full = run_presses(FULL, presses)
    turns = [f"rotation_{k}" for k in range(1, 7)]
    errors = [
        np.median(np.abs(run_presses(foot, presses).block(turns) - full.block(turns)).max(axis=1))
        for foot in (FAST, FAST.with_(fast__strips=3), HINGE)
    ]
    assert errors[1] < 0.4 * errors[0] and errors[2] < 0.4 * errors[0]
    assert errors[2] < 0.03


def test_the_fast_twin_stiffens_and_lifts_its_arch(record_property):
    loads = (0.0, 20.0, 100.0, 200.0, 400.0)
    tables = {f.fidelity: stiffness(f, loads=loads) for f in (FULL, FAST)}
    low, middle, high = (secant(tables["fast"], a, b) for a, b in ((0, 20), (20, 100), (200, 400)))
    wanted = secant(tables["full"], 20, 100)
    angles = [0.0, math.radians(10)]
    full, fast = (windlass(f, angles=angles)[1] for f in (FULL, FAST))
    record_property("softfoot.twin.stiffness", middle / wanted)
    for column in ("arch_lift", "tension"):
        record_property(f"softfoot.twin.{column}", fast[column] / full[column])
    assert high > 10 * low
    assert low == pytest.approx(secant(tables["full"], 0, 20), rel=0.03)
    assert middle == pytest.approx(wanted, rel=0.05)
    for column in ("arch_lift", "tension"):
        assert fast[column] == pytest.approx(full[column], rel=0.05)
    assert fast["arch_lift"] > 0.001


def test_the_48_trials_run_on_the_twin_and_its_loop_closes():
    table = press(FAST.with_(chains=1), loads=(24.0,), heights=(0.011,), positions=(2, 4))
    full = press(FULL.with_(chains=1), loads=(24.0,), heights=(0.011,), positions=(2, 4))
    assert table.column("settled").all() and table.column("residual").max() < 1e-3
    for name in ("force_heel", "force_module", "force_metatarsus"):
        assert table.column(name) == pytest.approx(full.column(name), abs=0.03 * 24)


def test_a_foot_alone_has_closed_rods_and_no_force_sensors_unless_asked():
    model = FAST.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert loop_residuals(model, data) == pytest.approx([0.0], abs=1e-12)
    names = {model.sensor(i).name for i in range(model.nsensor)}
    assert "heel_force" not in names and "tendon1_tension" in names
    assert FAST.spec(sensors=True).compile().nsensor == model.nsensor + len(FAST.contact_bodies)


def test_the_twin_is_plain_data(tmp_path):
    foot = FAST.with_(fast__stretch=0.8, fast__strips=3, modules=8)
    path = plantar.feet.save(foot, tmp_path / "twin.json")
    assert json.loads(path.read_text())["fidelity"] == "fast"
    assert plantar.feet.load(path) == foot
    with pytest.raises(InvalidInput, match=r"fast\.strips = 9"):
        FAST.with_(fast__strips=9)


@pytest.mark.parametrize("changes", [{"modules": 3}, {"side": "right"}, {"chains": 2}, {"tendon__present": False}])
@pytest.mark.parametrize("fidelity", ["hinge", "fast"])
def test_every_kind_of_foot_has_a_light_build_that_stands(changes, fidelity):
    foot = FULL.with_(fidelity=fidelity, **changes)
    presses = random_presses(foot, 1, seed=4, loads=(50, 60), heights=(0, 0.005))
    row = run_presses(foot, presses)[0]
    assert row["force_heel"] + row["force_middle"] + row["force_front"] == pytest.approx(row["load"], rel=0.25)
