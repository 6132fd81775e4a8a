"""Contact belongs to the sole: the same depth under the same pressure, whatever the build, the mass and the step."""

from __future__ import annotations

import re
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from plantar import feet, robots
from plantar.errors import InvalidInput
from plantar.feet import BallFoot, Contact, FlatFoot, SoftFoot, SoftFootQ, readings, set_contact
from plantar.feet.parts import Part
from plantar.walk.robot.legged import Legged
from plantar.walk.sim.scene import Scene

LOAD = 60.0
"""Load for each chain [N]."""


def press(
    foot, load, *, timestep=0.002, floor=None, elliptic=False, ground_stiffness=None, seconds=2.5, bar=(0.0, 0.0)
):
    """Press a foot on a floor by a slider; returns model and data at rest."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = timestep, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.gravity = [0, 0, 0]  # what a foot weighs does not grow with its chains
    if elliptic:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], **(floor or {}))
    height, x = bar
    if height:
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.01, 0.1, height / 2], pos=[x, 0, height / 2], **(floor or {})
        )
    slider = spec.worldbody.add_body(name="slider", pos=[0, 0, foot.sole_height + height + 1e-4])
    slider.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=[100, 0, 0])
    spec.attach(foot.spec(), frame=slider.add_frame(), prefix="foot/")
    set_contact(spec, foot, "foot/", ground_stiffness=ground_stiffness)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = -load
    mujoco.mj_step(model, data, round(seconds / timestep))
    mujoco.mj_forward(model, data)
    return model, data


def sunk(foot, load, **rig) -> float:
    """Depth of the sole's contacts, mean by load [m]."""
    points = readings.contact_points(*press(foot, load, **rig), "foot/")
    return float(points.depth @ points.force[:, 2] / points.force[:, 2].sum())


def heavier(foot, by):
    """A foot whose parts weigh `by` times as much."""
    names = [f for f in vars(foot.parts) if isinstance(getattr(foot.parts, f), Part)]
    return replace(foot, parts=replace(foot.parts, **{n: getattr(foot.parts, n).scaled(by) for n in names}))


VARIANTS = {
    **{f"{c} chains": (SoftFoot(chains=c), {}) for c in (1, 2, 3, 4)},
    "hinge": (SoftFoot(fidelity="hinge"), {}),
    "fast": (SoftFoot(fidelity="fast"), {}),
    "fast, one chain": (SoftFoot(fidelity="fast", chains=1), {}),
    "fast, rods": (SoftFoot(fidelity="fast").with_(fast__touch="rod"), {}),
    "three strips": (SoftFoot(fidelity="fast").with_(fast__strips=3), {}),
    "0.5 ms": (SoftFoot(), {"timestep": 0.0005}),
    "4 ms": (SoftFoot(), {"timestep": 0.004}),
    "fast, 4 ms": (SoftFoot(fidelity="fast"), {"timestep": 0.004}),
    "half the mass": (heavier(SoftFoot(), 0.5), {}),
    "twice the mass": (heavier(SoftFoot(), 2.0), {}),
    "fast, twice the mass": (heavier(SoftFoot(fidelity="fast"), 2.0), {}),
    "elliptic": (SoftFoot(), {"elliptic": True}),
    "rough floor": (SoftFoot(), {"floor": {"friction": [2.0, 0.005, 0.0001]}}),
    "rough floor, elliptic": (SoftFoot(), {"floor": {"friction": [2.0, 0.005, 0.0001]}, "elliptic": True}),
    "smooth sole": (SoftFoot(friction=0.5), {}),
    "sole without friction on a rough floor": (SoftFoot(friction=0.0), {"floor": {"friction": [2.0, 0.005, 0.0001]}}),
    "fast, smooth sole": (SoftFoot(friction=0.5, fidelity="fast"), {}),
    "hard floor": (SoftFoot(), {"floor": {"solref": [0.005, 1.0], "solimp": [0.99, 0.995, 0.001, 0.5, 2.0]}}),
    "soft floor": (SoftFoot(), {"floor": {"solref": [0.1, 1.0], "solimp": [0.5, 0.6, 0.01, 0.5, 2.0]}}),
}


@pytest.fixture(scope="module")
def depth() -> float:
    return sunk(SoftFoot(), 5 * LOAD)


@pytest.mark.parametrize("kind", VARIANTS)
def test_a_sole_sinks_as_deep_under_the_same_pressure(kind, depth, record_property):
    foot, rig = VARIANTS[kind]
    found = sunk(foot, foot.chains * LOAD, **rig)
    record_property(f"softfoot.depth.{re.sub(r'[^a-z0-9]+', '_', kind)}", found / depth)
    assert found == pytest.approx(depth, rel=0.05)


FEET = {
    "full": SoftFoot(),
    "fast": SoftFoot(fidelity="fast"),
    "locked": SoftFoot().locked(),
    "capsules": SoftFoot(collider="capsule"),
    "flat": FlatFoot(),
    "like": FlatFoot.like(SoftFoot()),
    "ball": BallFoot(),
    "softfoot_q": SoftFootQ(),
    "softfoot_q fast": SoftFootQ(fidelity="fast"),
    "hard": SoftFoot(fidelity="fast", contact=Contact(stiffness=1e10)),
    "soft": SoftFoot(fidelity="fast", contact=Contact(stiffness=5e7)),
}


@pytest.mark.parametrize("kind", FEET)
def test_every_part_follows_the_law_of_its_area(kind):
    foot = FEET[kind]
    points = readings.contact_points(*press(foot, 200.0), "foot/")
    areas, checked = foot.contact_areas(), 0
    for body in set(points.body):
        own = np.array([name == body for name in points.body])
        force = points.force[own, 2]
        if kind == "capsules" or own.sum() not in (1, 2, 4) or force.sum() < 5:
            continue  # a part that touches with some of its points only is as stiff as those
        number = {"ball": 1}.get(kind, 2 if "softfoot_q" in kind else 4)
        if own.sum() != number:
            continue
        mean = float(points.depth[own].mean())
        assert force.sum() == pytest.approx(foot.contact.stiffness * areas[body] * mean, rel=0.05), body
        checked += 1
    assert checked > 0 or kind == "capsules"
    assert points.force[:, 2].sum() == pytest.approx(200, rel=1e-3)


@pytest.mark.parametrize(("height", "x"), [(0.0, 0.0), (0.015, 0.04)], ids=["flat", "front"])
def test_rods_carry_what_boxes_carry_with_fewer_contacts(height, x):
    """Forces on heel, modules and metatarsus with toes within 3 % of the load."""
    found, counts = [], []
    for touch in ("box", "rod"):
        foot = SoftFoot(fidelity="fast").with_(fast__touch=touch)
        model, data = press(foot, 300.0, bar=(height, x))
        points = readings.contact_points(model, data, "foot/")
        parts = np.array([0 if b == "heel" else 1 if "module" in b else 2 for b in points.body])
        found.append(np.array([points.force[parts == k, 2].sum() for k in range(3)]))
        counts.append(len(parts))
    assert found[0].sum() == pytest.approx(300, rel=0.01)
    assert np.abs(found[1] - found[0]).max() < 0.03 * 300
    assert counts[1] < counts[0]


def test_a_ground_gives_way_in_series():
    foot = FlatFoot()
    rigid, soft = sunk(foot, 300.0), sunk(foot, 300.0, ground_stiffness=5e8)
    assert soft == pytest.approx(3 * rigid, rel=0.03)


def test_a_ground_with_priority_overrules_the_sole():
    floor = {"priority": 1, "solref": [0.1, 1.0], "solimp": [0.5, 0.6, 0.01, 0.5, 2.0]}
    assert sunk(FlatFoot(), 300.0, floor=floor) > 10 * sunk(FlatFoot(), 300.0)


@pytest.mark.parametrize("elliptic", [False, True])
@pytest.mark.parametrize("friction", [0.0, 0.02, 0.2, 2.0])
def test_smooth_and_rough_soles_are_carried(friction, elliptic):
    floor = {"friction": [friction, 0.0, 0.0], "condim": 3 if friction else 1}
    for foot in (FlatFoot(friction=friction), SoftFoot(friction=friction, fidelity="fast")):
        deep = sunk(foot, 200.0, floor=floor, elliptic=elliptic)
        assert 0 < deep < 2.5e-4
        if elliptic and isinstance(foot, FlatFoot):
            assert deep == pytest.approx(sunk(FlatFoot(), 200.0), rel=0.05)


def test_a_foot_alone_is_right_on_a_slider():
    foot = SoftFoot()
    model, data = press(foot, 300.0)
    own = foot.model()
    for body in foot.contact_bodies:
        a, b = model.geom(f"foot/{body}_collision"), own.geom(f"{body}_collision")
        assert np.allclose(a.solref, b.solref) and np.allclose(a.solimp, b.solimp, rtol=1e-6)


def test_a_walk_keeps_the_contact_of_its_soles():
    """The scene of a walk has another friction cone than the robot, which changes MuJoCo's contact."""
    robot = robots.load("biped")
    robot.spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    foot = FlatFoot(friction=0.5)
    walker = robots.mount(robot, foot)
    scene = Scene(walker, Legged(walker))
    ours = scene.model.geom("left/sole_collision")
    other = scene.spec.copy()
    set_contact(other, foot, *(place.prefix for place in walker.places))
    right = other.compile().geom("left/sole_collision")
    assert scene.model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert np.allclose(ours.solref, right.solref) and np.allclose(ours.solimp, right.solimp, rtol=1e-6)


def test_pads_are_a_modulus_over_a_thickness():
    assert Contact.pad(modulus=2.5e6, thickness=0.0025).stiffness == pytest.approx(1e9)
    with pytest.raises(InvalidInput, match="thickness = 2.5 is not allowed: give a length in metres"):
        Contact.pad(modulus=2.5e6, thickness=2.5)
    with pytest.raises(InvalidInput, match=r"contact\.stiffness = 1000\.0"):
        Contact(stiffness=1e3)
    assert feet.get("softfoot", contact__stiffness=2e9).contact == Contact(stiffness=2e9)
    published = SoftFoot.published()
    assert published.contact is None and np.allclose(published.model().geom("heel_collision").solref, [0.02, 1])


LOCKED = {name: feet.get(name) for name in feet.names()} | {"fast": SoftFoot(fidelity="fast")}


@pytest.mark.parametrize("name", LOCKED)
def test_a_locked_foot_has_the_same_geometry_mass_and_contact(name):
    foot = LOCKED[name]
    model, locked = foot.model(), foot.locked().model()
    assert locked.nv == locked.neq == locked.ntendon == 0
    assert locked.nbody == model.nbody and locked.ngeom == model.ngeom
    assert np.allclose(locked.body_mass, model.body_mass) and np.allclose(locked.body_inertia, model.body_inertia)
    a, b = mujoco.MjData(model), mujoco.MjData(locked)
    mujoco.mj_forward(model, a)
    mujoco.mj_forward(locked, b)
    assert np.allclose(a.geom_xpos, b.geom_xpos, atol=1e-9) and np.allclose(model.geom_size, locked.geom_size)
    assert foot.locked().contact == foot.contact and foot.locked().sole == foot.sole
    assert type(foot).from_dict(foot.locked().to_dict()) == foot.locked()


@pytest.mark.parametrize("name", LOCKED)
def test_a_plate_like_a_foot_has_its_outline_height_and_mass(name):
    foot = LOCKED[name]
    plate = FlatFoot.like(foot)
    for field in ("rear", "front", "right", "left", "height"):
        assert getattr(plate.sole, field) == pytest.approx(getattr(foot.sole, field), abs=1e-6), field
    assert plate.sole_height == pytest.approx(foot.sole_height, abs=1e-6)
    assert plate.model().body_mass.sum() == pytest.approx(foot.model().body_mass.sum())
    assert plate.contact == foot.contact


def test_a_plate_like_a_small_foot_lies_below_its_ankle():
    plate = FlatFoot.like(SoftFoot().scaled(0.2))
    assert plate.thickness < plate.ankle_height
    assert FlatFoot.like(SoftFoot()).thickness == FlatFoot().thickness


@pytest.mark.parametrize("name", ["softfoot", "softfoot_q", "flat", "ball", "solid"])
def test_a_scaled_foot_is_built_from_the_same_materials(name):
    foot = feet.get(name)
    small = foot.scaled(0.6)
    assert small.sole.length == pytest.approx(0.6 * foot.sole.length, rel=0.01)
    assert small.sole_height == pytest.approx(0.6 * foot.sole_height, rel=0.01)
    assert small.model().body_mass.sum() == pytest.approx(0.6**3 * foot.model().body_mass.sum(), rel=0.01)
    assert feet.get(name, scale=0.6) == small
    with pytest.raises(InvalidInput, match="scale = 60 is not allowed"):
        foot.scaled(60)


@pytest.mark.parametrize("name", ["softfoot", "softfoot:fast", "softfoot_published", "softfoot_q", "flat", "ball"])
@pytest.mark.parametrize("factor", [0.3, 2.0])
def test_all_that_touches_of_a_scaled_foot_is_scaled(name, factor):
    """An ankle or rails of their old size would reach the ground before a small sole does."""
    models = feet.get(name).model(), feet.get(name, scale=factor).model()
    one, other = ((m.geom_size[m.geom_contype > 0], m.geom_pos[m.geom_contype > 0]) for m in models)
    assert other[0] == pytest.approx(factor * one[0], abs=1e-9)
    assert other[1] == pytest.approx(factor * one[1], abs=1e-9)


def test_a_scaled_foot_bends_alike():
    """From the same materials, forces grow with the square of the length: the same angles under load x factor^2."""
    angles = []
    for factor in (1.0, 0.5):
        foot = SoftFoot(chains=1, contact=None).scaled(factor)
        model = foot.model()
        joint = model.joint("chain1_toe1_a")
        angles.append(joint.stiffness[0] / factor**3)
        assert model.opt.timestep == 0.002
    assert angles[0] == pytest.approx(angles[1])


def test_every_unit_of_a_foot_has_a_rule_of_scaling():
    from plantar._fields import _UNIT, SCALING, field_rows

    for name in feet.names():
        for row in field_rows(feet.get(name)):
            unit = _UNIT.search(row.doc)
            assert unit is None or unit[1] in SCALING or unit[1] == "-", (name, row.name, row.doc)


def test_the_default_outline_is_that_of_the_prototype():
    sole = SoftFoot().sole
    assert sole.width == pytest.approx(0.1072, abs=5e-4)  # the heel's; its mesh is 107.2 mm wide
    assert sole.length == pytest.approx(0.265, abs=5e-4)
    front = SoftFoot(heel_half_size=(0.0229, 0.005, 0.0126)).sole
    assert front.width == pytest.approx(0.0876, abs=5e-4)  # the chains'; the paper says 9 cm
    assert SoftFoot.published().sole.width == pytest.approx(0.116, abs=1e-6)
