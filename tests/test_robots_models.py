"""The robots that people use: G1, Talos, JVRC1, COMAN+ (COGIMON), KHR-3HV and ANYmal C, on every foot that fits."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from plantar import feet, robots
from plantar.errors import InvalidInput
from plantar.model.shape import lowest
from plantar.robots.export import export as exporting
from plantar.robots.mount.mount import sole_geoms

ROBOTS = {
    "g1": "menagerie/unitree_g1",
    "talos": "menagerie/pal_talos",
    "talos scene": "menagerie/pal_talos/scene_position.xml",
    "jvrc1": "jvrc1/xml/jvrc1.xml",
    "cogimon": "cogimon/cogimon.urdf",
    "khr3hv": "kondo_khr3hv",
    "anymal": "menagerie/anybotics_anymal_c",
}
LINKS = {
    "g1": ["left_ankle_roll_link", "right_ankle_roll_link"],
    "talos": ["leg_left_6_link", "leg_right_6_link"],
    "talos scene": ["leg_left_6_link", "leg_right_6_link"],
    "jvrc1": ["L_ANKLE_P_S", "R_ANKLE_P_S"],
    "cogimon": ["LFoot", "RFoot"],
    "khr3hv": ["LeftFoot", "RightFoot"],
    "anymal": ["LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK"],
}
SOLES = {"g1": (0.17, 0.06), "talos": (0.2, 0.12), "cogimon": (0.21, 0.11), "khr3hv": (0.05, 0.04), "anymal": (0, 0)}
FEET = {"soft": feet.SoftFoot(fidelity="fast"), "flat": feet.FlatFoot(), "ball": feet.BallFoot()}
SMALL = feet.FlatFoot(length=0.08, width=0.045, thickness=0.008, ankle_height=0.03, ankle_offset=(0, 0), mass=0.04)


@pytest.fixture(scope="module")
def load(shared: Path):
    """Robots by their short names, each read once."""
    cache: dict[str, robots.Robot] = {}

    def get(name: str) -> robots.Robot:
        if name not in cache:
            cache[name] = robots.load(shared / "models" / ROBOTS[name])
        return cache[name]

    return get


def foot_for(robot: str, foot: str) -> feet.Foot:
    return SMALL if (robot, foot) == ("khr3hv", "flat") else FEET[foot]


@pytest.mark.parametrize("name", ROBOTS)
def test_feet_are_found(name, load):
    robot = load(name)
    assert [p.body for p in robot.places] == LINKS[name]
    for place in robot.places:
        back, front, right, left = place.extent
        if name in SOLES:
            assert (back + front, right + left) == pytest.approx(SOLES[name], abs=0.008)
    model = robot.model()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    mujoco.mj_forward(model, data)
    for place in robot.places:
        site = data.site(place.site)
        assert site.xmat[8] == pytest.approx(1, abs=1e-4), "soles are level"
        assert site.xmat[0] == pytest.approx(1, abs=1e-4), "and look along x"
        assert abs(site.xpos[2]) < 5e-3


@pytest.mark.parametrize(("name", "foot"), [(n, "soft" if n != "khr3hv" else "flat") for n in ROBOTS])
def test_feet_are_swapped_and_nothing_is_lost(name, foot, load):
    robot = load(name)
    mounted = robots.mount(robot, foot_for(name, foot))
    check_mounted(robot, mounted)


def soles_over_keyframes(mounted: robots.Robot) -> np.ndarray:
    """Height of the lowest point of each sole in each keyframe [m]."""
    model = mounted.model()
    data, rows = mujoco.MjData(model), []
    for k in range(model.nkey):
        mujoco.mj_resetDataKeyframe(model, data, k)
        mujoco.mj_forward(model, data)
        rows.append([lowest(model, data, sole_geoms(model, [p])) for p in mounted.places])
    return np.array(rows)


def check_mounted(robot: robots.Robot, mounted: robots.Robot) -> None:
    old, new, change = robot.model(), mounted.model(), mounted.report()
    assert change.lost == {}
    assert (new.nu, new.njnt >= old.njnt, new.nkey) == (old.nu, True, old.nkey)
    assert all(new.joint(old.joint(j).name).range == pytest.approx(old.jnt_range[j]) for j in range(old.njnt))
    for soles in soles_over_keyframes(mounted):
        assert min(soles) == pytest.approx(0, abs=1e-6)
        assert max(soles) < 1e-3, "every sole within a millimetre of the ground"
    places = len(robot.places)
    total = change.mass[0] + sum(p.foot_mass - p.sole_mass for p in change.places)
    assert change.mass[1] == pytest.approx(total, rel=1e-9)
    assert places == len(change.places)
    assert np.all(new.body_inertia[1:].max(axis=1) * 2 <= new.body_inertia[1:].sum(axis=1) * (1 + 1e-6))


@pytest.mark.parametrize("name", ["g1", "jvrc1"])
def test_an_exported_robot_moves_bit_for_bit(name, load, tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "_draw", lambda robot, path: None)
    apart, warned = exported(robots.mount(load(name), FEET["soft"]), tmp_path, 0.5)
    assert apart == 0 and warned == 0


def exported(robot: robots.Robot, folder: Path, seconds: float) -> tuple[float, int]:
    """How far the exported robot moves from the one in memory, and how often MuJoCo warns."""
    out = robot.export(folder / "out")
    assert (out / "LICENSE").is_file()
    runs, warned = [], 0
    for model in (exporting.scene_spec(robot).compile(), mujoco.MjModel.from_xml_path(str(out / "scene.xml"))):
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
        steps = min(round(seconds / model.opt.timestep), 10_000)
        rows = []
        for _ in range(steps):
            mujoco.mj_step(model, data)
            rows.append(np.concatenate([data.qpos, data.qvel, data.sensordata]))
        runs.append(np.array(rows))
        warned += sum(int(w.number) for w in data.warning)
    assert all(np.isfinite(run).all() for run in runs)
    return float(np.abs(runs[0] - runs[1]).max()), warned


@pytest.mark.long
@pytest.mark.parametrize("foot", FEET)
@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_on_every_foot_for_five_seconds(name, foot, load, tmp_path, monkeypatch, record_property):
    monkeypatch.setattr(exporting, "_draw", lambda robot, path: None)
    if (name, foot) == ("khr3hv", "soft"):
        with pytest.raises(InvalidInput, match="too big") as refused:
            robots.mount(load(name), FEET[foot])
        record_property(f"softfoot.mounted.{name}_{foot}", {"refused": str(refused.value)})
        return
    mounted = robots.mount(load(name), foot_for(name, foot))
    soles, lost = soles_over_keyframes(mounted), mounted.report().lost
    apart, warned = exported(mounted, tmp_path, 5.0)
    heights = {"lowest": float(np.abs(soles.min(axis=1)).max()), "highest": float(soles.max())}
    found = heights | {"apart": apart, "warnings": warned, "lost": sum(map(len, lost.values()))}
    record_property(f"softfoot.mounted.{name.replace(' ', '_')}_{foot}", found)
    check_mounted(load(name), mounted)
    assert apart == 0 and warned == 0


def test_the_paper_moves_the_ankle_of_coman_backward(load):
    """Crotti et al. shift the ankle of COMAN+ 10 mm backward on the SoftFoot; ours is solved from its posture."""
    change = robots.mount(load("cogimon"), FEET["soft"]).report()
    assert 0.005 < change.offset < 0.03


def test_the_published_khr3hv_and_the_built_in_agree(load):
    theirs, ours = load("khr3hv"), robots.load("khr3hv")
    assert [p.extent for p in theirs.places] == [pytest.approx(p.extent, abs=1e-6) for p in ours.places]
    masses = [robots.mount(r, FEET["ball"]).report().mass for r in (theirs, ours)]
    assert masses[0] == pytest.approx(masses[1], rel=1e-4)


def test_robots_by_menagerie_name(shared: Path, monkeypatch):
    monkeypatch.setenv("MENAGERIE_ROOT", str(shared / "models" / "menagerie"))
    robot = robots.load("unitree_g1")
    assert robot.source is not None
    assert (robot.name, robot.source.name) == ("unitree_g1", "g1.xml")
    with pytest.raises(InvalidInput, match="did you mean 'unitree_g1'"):
        robots.load("unitre_g1")
    with pytest.raises(InvalidInput, match="fixed base"):
        robots.load("iit_softfoot")


@pytest.mark.long
@pytest.mark.parametrize("name", ["talos", "jvrc1", "cogimon"])
def test_robots_with_stiff_joints_stand_on_solved_soft_feet(name, load):
    robot = robots.mount(load(name), FEET["soft"])
    made, reference = exporting.scene_spec(robot), robot.model()
    key = reference.key(robot.keyframe).qpos.copy()
    for joint in made.joints:
        if "/" not in joint.name and joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.stiffness, joint.damping, joint.limited = [5000, 0, 0], [200, 0, 0], False
            joint.springref = float(key[reference.joint(joint.name).qposadr[0]])
    made.option.timestep = 0.001
    model = made.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(robot.keyframe).id)
    while data.time < 5.0:
        mujoco.mj_step(model, data)
    tilt = np.degrees(np.arccos(min(1.0, data.body(robot.base).xmat[8])))
    print(f"{name}: {tilt:.2f} degrees")
    assert tilt < 0.6
    assert data.qpos[2] == pytest.approx(key[2], abs=5e-3)
