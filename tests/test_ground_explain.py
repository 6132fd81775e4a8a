"""Mixing rules as MuJoCo applies them, and what they mean in SI units."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar.errors import InvalidInput
from plantar.ground import Ground, explain
from plantar.ground.contact.mixing import mixed, why_apart

FLOOR = mujoco.mjtGeom.mjGEOM_PLANE


def scene(shape=mujoco.mjtGeom.mjGEOM_BOX, size=(0.05, 0.05, 0.05), mass=1.0, **geom) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(name="floor", type=FLOOR, size=[0, 0, 1])
    body = spec.worldbody.add_body(name="thing", pos=[0, 0, 0.04])
    body.add_freejoint()
    body.add_geom(name="thing", type=shape, size=size, mass=mass, **geom)
    return spec


def random_geom(geom, rng: np.random.Generator) -> None:
    direct = rng.random() < 0.4
    geom.solref = -rng.uniform(1, 1000, 2) if direct else rng.uniform(0.01, 1, 2)
    geom.solimp = [*rng.uniform(0.1, 0.9, 2), rng.uniform(0.001, 0.1), rng.uniform(0.1, 0.9), rng.uniform(1, 4)]
    geom.friction = rng.uniform(0.01, 1, 3)
    geom.condim, geom.priority = int(rng.choice([1, 3, 4, 6])), int(rng.integers(0, 3))
    geom.solmix = float(rng.choice([0.0, 0.5, 1.0, 3.0]))
    geom.margin, geom.gap = rng.uniform(0, 0.01, 2)


@pytest.mark.parametrize("seed", range(40))
def test_mixing_is_mujocos(seed):
    rng = np.random.default_rng(seed)
    spec = scene()
    for geom in spec.geoms:
        random_geom(geom, rng)
    if seed % 5 == 0:
        pair = spec.add_pair(geomname1="floor", geomname2="thing")
        pair.solref, pair.friction, pair.condim = [0.07, 0.8], [0.3, 0.4, 0.01, 0.002, 0.003], 4
    model = spec.compile()
    if seed % 7 == 0:
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
        model.opt.o_margin, model.opt.o_solref[:] = 0.002, [0.05, 1.5]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    contact, found = data.contact[0], mixed(model, 0, 1)
    assert found.condim == contact.dim
    assert found.friction == pytest.approx(contact.friction)
    assert found.solref == pytest.approx(contact.solref[:2])
    assert found.solimp == pytest.approx(contact.solimp)
    assert found.margin == pytest.approx(contact.includemargin)


@pytest.mark.parametrize("cone", [mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtCone.mjCONE_PYRAMIDAL])
@pytest.mark.parametrize(("condim", "slide", "impratio"), [(1, 1.0, 1.0), (3, 0.4, 1.0), (3, 1.0, 10.0), (4, 1.5, 1.0)])
def test_the_static_depth_is_where_mujoco_settles(cone, condim, slide, impratio):
    spec = scene(mass=2.5)
    floor = spec.geom("floor")
    floor.solref, floor.solimp = [-900, -90], [0.1, 0.95, 0.012, 0.5, 2]
    floor.priority, floor.condim, floor.friction = 1, condim, [slide, 0.01, 0.001]
    spec.option.cone, spec.option.impratio, spec.option.timestep = cone, impratio, 1e-3
    model = spec.compile()
    told = explain(model, "floor", "thing")
    data = mujoco.MjData(model)
    data.qpos[2] = 0.05 - told.depth
    mujoco.mj_step(model, data, 4000)
    assert told.depth == pytest.approx(0.05 - data.qpos[2], rel=1e-3)
    assert told.load == pytest.approx(2.5 * 9.81)
    seen = explain(model, "floor", "thing", data=data)
    assert seen.law.effective_mass == pytest.approx(told.law.effective_mass, rel=1e-3)
    assert seen.law.contacts == told.law.contacts == 4


def test_the_explanation_names_the_winner_and_the_catches():
    spec = scene(mass=1.0)
    Ground(solref=(-858.4, -87.9), solimp=(0, 0.95, 0.012, 0.5, 2), cone="pyramidal", impratio=1.0).apply(spec, "floor")
    told = explain(spec.compile(), "floor", "thing")
    text = told.text()
    assert "of floor, whose priority is higher" in text and "collide" in text
    assert "friction creeps" in text and "heavier body" in text
    assert told.depth == pytest.approx(0.006, rel=1e-3)
    assert told.stiffness == pytest.approx(float(told.law.stiffness_at(told.depth)))
    assert told.to_dict()["parameters"][3]["result"] == "-858.4 -87.9"


def test_a_time_constant_below_two_steps_is_told():
    told = explain(scene(solref=[0.001, 1.0], priority=1).compile(), "floor", "thing")
    assert any("refsafe" in note for note in told.notes)
    assert told.law.gains == pytest.approx((1 / (0.95 * 0.004) ** 2, 2 / (0.95 * 0.004)))


def test_sphere_and_box_differ_by_their_contacts():
    box = explain(scene().compile(), "floor", "thing")
    ball = explain(scene(mujoco.mjtGeom.mjGEOM_SPHERE, [0.05, 0, 0]).compile(), "floor", "thing")
    assert (ball.law.contacts, box.law.contacts) == (1, 4)
    assert ball.depth > box.depth


@pytest.mark.parametrize(("kind", "mass"), [(FLOOR, 0.0), (mujoco.mjtGeom.mjGEOM_BOX, 0.1)])
def test_a_body_without_joints_is_no_load(kind, mass):
    """A table of 100 g that stands in the world does not weigh on what stands on it."""
    spec = scene(mass=20.0)
    table = spec.worldbody.add_body(name="table")
    table.add_geom(name="top", type=kind, size=[1, 1, 0.01], mass=mass)
    assert explain(spec.compile(), "top", "thing").load == pytest.approx(20.0 * 9.81)


def test_why_geoms_do_not_touch():
    spec = scene(contype=0, conaffinity=0)
    assert "share no bit" in why_apart(spec.compile(), 0, 1)
    assert "do not collide" in explain(spec.compile(), "floor", "thing").text()
    spec = scene()
    spec.add_exclude(bodyname1="world", bodyname2="thing")
    assert "excludes" in why_apart(spec.compile(), 0, 1)
    spec = scene()
    for name in ("a", "b"):
        spec.body("thing").add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0])
    model = spec.compile()
    assert "do not move" in why_apart(model, model.geom("a").id, model.geom("b").id)
    child = spec.body("thing").add_body(name="child")
    child.add_joint()
    child.add_geom(name="c", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0])
    model = spec.compile()
    assert "parent" in why_apart(model, model.geom("a").id, model.geom("c").id)


@pytest.mark.parametrize(("pair", "words"), [(("floor", "wall"), "geom 'wall'"), (("floor", "floor"), "geom_b")])
def test_bad_geoms_are_named(pair, words):
    with pytest.raises(InvalidInput, match=words):
        explain(scene().compile(), *pair)
