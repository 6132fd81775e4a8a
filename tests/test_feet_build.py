"""Feet as models: every variant runs, left mirrors right, and feet go where frames put them."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest
from feet_scenes import PREFIX, VARIETY, add_box, add_floor, add_slider, new_spec, settle, warnings

from plantar.feet import FlatFoot, SoftFoot, readings

CHAINS = (1, 2, 3, 4, 5)
CHOICES = list(itertools.product(("joint", "tendon"), ("box", "capsule"), ("rolling", "hinge"), ("left", "right")))


@pytest.mark.parametrize(("bands", "collider", "coupling", "side"), CHOICES)
@pytest.mark.parametrize("chains", CHAINS)
def test_every_variant_runs_on_a_floor_without_a_warning(chains, bands, collider, coupling, side):
    foot = SoftFoot(chains=chains, band_model=bands, collider=collider, coupling=coupling, side=side)
    spec = new_spec()
    add_floor(spec)
    add_slider(spec, foot, foot.sole_height + 0.001)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = 50.0
    for _ in range(100):
        mujoco.mj_step(model, data)
    assert warnings(data) == 0
    assert np.isfinite(data.qpos).all()
    assert abs(data.qvel).max() < 5
    assert readings.ground_force(model, data, PREFIX)[2] > 20


@pytest.mark.parametrize(("chains", "dof", "equalities"), [(1, 20, 10), (3, 56, 30), (5, 92, 50)])
def test_degrees_of_freedom_and_loops(chains, dof, equalities):
    model = SoftFoot(chains=chains).model()
    assert (model.nv, model.neq, model.ntendon) == (dof, equalities, chains)
    assert SoftFoot(chains=chains, coupling="hinge").model().nv == 2 + 9 * chains


@pytest.mark.parametrize(("modules", "toes"), [(1, 1), (3, 2), (9, 4)])
def test_any_number_of_modules(modules, toes):
    foot = SoftFoot(chains=1, modules=modules, toe_modules=toes)
    model = foot.model()
    assert model.nbody == 1 + 4 + modules + 1 + toes
    assert len(foot.contact_bodies) == 1 + modules + 1 + toes
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert readings.loop_residuals(model, data) == pytest.approx([0], abs=1e-12)


@pytest.mark.parametrize("kind", VARIETY)
def test_names_that_every_foot_has(kind):
    foot = VARIETY[kind]
    model = foot.spec(sensors=True).compile()
    assert model.body("ankle").parentid[0] == 0
    assert np.all(model.body("ankle").pos == 0)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert np.allclose(data.site("ankle").xpos, 0)
    for body in foot.contact_bodies:
        assert model.geom(f"{body}_collision").group[0] == 3
        assert model.sensor(f"{body}_force").dim[0] == 3


SHAPES = {
    **VARIETY,
    "pitched heel": SoftFoot(chains=1, heel_pitch=0.1),
    "thick reverse": SoftFoot(chains=1, reverse_half_size=(0.012, 0.0055, 0.014)),
    "short": SoftFoot(chains=1, modules=1, toe_modules=1),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_sole_height_is_where_the_colliders_of_the_sole_end(kind):
    foot = SHAPES[kind]
    for height, touches in ((foot.sole_height + 1e-6, False), (foot.sole_height - 1e-6, True)):
        spec = new_spec()
        add_floor(spec)
        add_slider(spec, foot, height)
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        assert (data.ncon > 0) == touches


def test_the_spec_is_fresh_every_time():
    foot = SoftFoot(chains=1)
    spec = foot.spec()
    spec.body("heel").mass = 5.0
    assert foot.model().body("heel").mass[0] != 5.0


def test_modules_do_not_touch_each_other_nor_another_foot():
    spec = new_spec()
    for prefix in ("left/", "right/"):
        spec.attach(SoftFoot().spec(), frame=spec.worldbody.add_frame(), prefix=prefix)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


def test_two_feet_on_one_parent_have_their_ankles_at_their_frames():
    spec = new_spec()
    pelvis = spec.worldbody.add_body(name="pelvis", pos=[0.1, 0.2, 1.0], quat=[0.9, 0.1, -0.3, 0.2])
    places = {"left/": ([0, 0.1, -0.9], [1, 0, 0, 0]), "right/": ([0, -0.1, -0.9], [0.8, 0, 0.6, 0])}
    frames = {}
    for prefix, (pos, quat) in places.items():
        pelvis.add_site(name=f"{prefix}goal", pos=pos, quat=quat)
        frames[prefix] = pelvis.add_frame(pos=pos, quat=quat)
        foot = SoftFoot(side="left" if prefix == "left/" else "right")
        spec.attach(foot.spec(), frame=frames[prefix], prefix=prefix)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for prefix in places:
        goal = data.site(f"{prefix}goal")
        for ankle in (data.body(f"{prefix}ankle"), data.site(f"{prefix}ankle")):
            assert np.allclose(ankle.xpos, goal.xpos, atol=1e-15)
            assert np.allclose(ankle.xmat, goal.xmat, atol=1e-15)
    assert (model.nv, model.neq, model.ntendon) == (184, 100, 10)
    # x forward, z up: the toes of the unrotated left foot are in front of and below its ankle
    toe = data.body("left/chain3_toe2").xpos - data.body("left/ankle").xpos
    in_pelvis = data.body("pelvis").xmat.reshape(3, 3).T @ toe
    assert in_pelvis[0] > 0.1 and in_pelvis[2] < -0.05


MIRROR = np.array([1, -1, 1])


def pressed(side: str, load: float = 80.0) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A foot pressed on a floor with a box under the lateral half of its middle."""
    foot = SoftFoot(side=side)  # type: ignore[arg-type]
    lateral = 1 if side == "left" else -1
    spec = new_spec()
    add_floor(spec)
    add_box(spec, (0.03, 0.03 * lateral, 0.0), (0.02, 0.02, 0.01))
    add_slider(spec, foot, foot.sole_height + 0.012)
    model = spec.compile()
    return model, settle(model, load, seconds=3.0)


def test_the_right_foot_is_the_mirror_image_of_the_left():
    (model, left), (other, right) = pressed("left"), pressed("right")
    names = [model.body(b).name for b in range(model.nbody) if model.body(b).name.startswith(PREFIX)]
    assert len(names) >= 49
    for name in names:
        a, b = left.body(name), right.body(name)
        assert np.allclose(a.xpos, MIRROR * b.xpos, atol=1e-6), name
        assert np.allclose(a.xipos, MIRROR * b.xipos, atol=1e-6), name
        assert np.allclose(model.body(name).mass, other.body(name).mass)
    sites = [model.site(s).name for s in range(model.nsite)]
    for name in sites:
        assert np.allclose(left.site(name).xpos, MIRROR * right.site(name).xpos, atol=1e-6), name
    ours, theirs = readings.body_forces(model, left, PREFIX), readings.body_forces(other, right, PREFIX)
    for name, force in ours.items():
        assert force[2] == pytest.approx(theirs[name][2], abs=0.02), name
    # and the load is not symmetric, so that the test could fail
    medial, lateral = (sum(ours[f"chain{c}_module3"][2] for c in pair) for pair in ((1, 2), (4, 5)))
    assert lateral > medial + 5
    assert np.allclose(
        readings.tendon_tensions(model, left, PREFIX), readings.tendon_tensions(other, right, PREFIX), atol=0.05
    )


def test_inertia_of_the_right_foot_is_mirrored_too():
    def tensor(side):
        model = SoftFoot(side=side).model()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        total = np.zeros((3, 3))
        for b in range(1, model.nbody):
            turn = data.ximat[b].reshape(3, 3)
            r = data.xipos[b]
            total += turn @ np.diag(model.body_inertia[b]) @ turn.T
            total += model.body_mass[b] * (r @ r * np.eye(3) - np.outer(r, r))
        return total

    left, right = tensor("left"), tensor("right")
    assert abs(left[0, 1]) > 1e-8
    assert np.allclose(np.diag(MIRROR) @ left @ np.diag(MIRROR), right, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("collider", ["box", "capsule"])
def test_a_flat_foot_of_any_size_has_the_mass_and_place_it_is_given(collider):
    foot = FlatFoot(
        length=0.2,
        width=0.08,
        thickness=0.01,
        ankle_height=0.05,
        ankle_offset=(-0.02, 0.015),
        mass=0.4,
        collider=collider,
    )
    model = foot.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.body_subtreemass[0] == pytest.approx(0.4)
    assert np.allclose(data.subtree_com[0], [0.02, -0.015, -0.045])
    assert np.allclose(
        np.sort(model.body("sole").inertia),
        np.sort([0.4 / 12 * s for s in (0.08**2 + 0.01**2, 0.2**2 + 0.01**2, 0.2**2 + 0.08**2)]),
    )
