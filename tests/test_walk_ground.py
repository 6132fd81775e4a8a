"""Walking on ground of a file: hard with other contact, and ground that keeps footprints."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from plantar import robots, walk
from plantar.cli.app import run
from plantar.ground import Ground
from plantar.ground.soil.law import FORCE
from plantar.ground.soil.yielding import YieldingGround
from plantar.walk.environment import WalkEnv

LENGTH, WIDTH = 0.21, 0.11
"""Sole of the built-in biped [m]."""


def sand_course(cell=0.005, material="dry_sand"):
    soil = YieldingGround.of(material, origin=(-0.4, -0.4), size=(1.4, 0.8), cell=cell)
    return walk.Course(robots.load("biped"), gait=walk.Gait(steps=4), terrain=soil)


@pytest.fixture(scope="module")
def course():
    return sand_course()


def walked(course):
    """The ground at the end of the walk, what the ground had lost by every tick, and force and place on soles."""
    sim = course.simulation(scatter=0.0)
    tracks = sim.tracks
    assert tracks is not None
    lost, loads = [], []
    while not (sim.controller.done and sim.data.time > 2) and sim.data.time < 12:
        sim.tick()
        lost.append(tracks.lost_energy)
        assert not sim.fallen
        for b in range(len(tracks.bodies)):
            mine = tracks.soles.of == b
            force, place = tracks._memory[mine, FORCE + 2], tracks.soles.points[mine, :3]
            if force.sum() > 100:
                loads.append([force.sum(), *(force @ place[:, :2] / force.sum())])
    assert sim.controller.plan.taken == 4
    return tracks, np.array(lost), np.array(loads)


def corner_depth(soil, force, along, across, parts=24):
    """Depth of the deepest corner of the rigid sole under a force off its middle, by Bekker's law, slowly, once."""
    x, y = np.meshgrid(*(((np.arange(parts) + 0.5) / parts - 0.5) for _ in range(2)))
    flat = soil.law(area=LENGTH * WIDTH, diameter=0.16).static_depth(force)

    def wrong(plane):
        modulus, depth = soil.law(area=1.0, diameter=0.16).modulus, plane[0] + plane[1] * x + plane[2] * y
        pressure = modulus * np.maximum(depth, 0.0) ** soil.n
        share = pressure * LENGTH * WIDTH / parts**2 / force
        return share.sum() - 1, (share * x).sum() - along / LENGTH, (share * y).sum() - across / WIDTH

    middle, pitch, roll = least_squares(wrong, [flat, 6 * flat * along / LENGTH, 6 * flat * across / WIDTH]).x
    return middle + abs(pitch) / 2 + abs(roll) / 2


def test_a_robot_that_walks_in_dry_sand_leaves_tracks_and_loses_energy(course, record_property):
    tracks, lost, loads = walked(course)
    record_property("ground.gain.walk", {"most": float(-np.diff(lost).min()), "taken": float(lost[-1])})
    # never a joule from the ground; what is left is of points that hardly touch
    assert np.diff(lost).min() > -1e-8
    assert lost[-1] > 50
    # 630 N on a sole of 231 cm2 are 27 kPa, 25 mm in dry sand if they press evenly, which nothing can undercut; no
    # deeper than the worst of the forces that the sole really felt, at its place, would press one corner at once
    soil, grid = tracks.ground, tracks.elevation()
    weight = course.scene.legged.mass * course.scene.legged.gravity
    least = soil.law(area=LENGTH * WIDTH, diameter=0.16).static_depth(weight)
    assert least == pytest.approx(0.0254, rel=0.01)
    middle = loads[:, 1:] - [0.0018, 0.0]
    severe = np.argsort(loads[:, 0] * (1 + 6 * abs(middle[:, 0]) / LENGTH + 6 * abs(middle[:, 1]) / WIDTH))[-40:]
    most = max(corner_depth(soil, loads[i, 0], *middle[i]) for i in severe)
    assert (1 - soil.rebound) * least < -grid.heights.min() < (1 - soil.rebound) * most
    # both feet have left marks, each on its side, and the last ones lie ahead of the first
    marks = np.argwhere(grid.heights < -0.01)
    x, y = grid.x[marks[:, 1]], grid.y[marks[:, 0]]
    assert y.min() < -0.05 and y.max() > 0.05 and np.ptp(x) > 0.3


def test_the_walk_does_not_depend_on_the_cell(course, record_property):
    cells = (0.005, 0.010, 0.015)
    walks = [walked(course), *(walked(sand_course(cell=cell)) for cell in cells[1:])]
    depths = [float(-tracks.elevation().heights.min()) for tracks, _, _ in walks]
    taken = [float(lost[-1]) for _, lost, _ in walks]
    record_property("ground.cells.walk", {"cells": cells, "depths": depths, "taken": taken})
    assert depths[1:] == pytest.approx([depths[0]] * 2, rel=0.05)
    assert taken[1:] == pytest.approx([taken[0]] * 2, rel=0.1)


def test_the_soles_feel_the_weight_though_nothing_touches_in_mujoco(course):
    sim = course.simulation(scatter=0.0)
    for _ in range(400):
        sim.tick()
    weight = course.scene.legged.mass * course.scene.legged.gravity
    assert sim.data.sensordata[course.scene.load_index + 2].sum() == 0
    assert sim.loads().sum() == pytest.approx(weight, rel=0.05)
    points, forces, _ = sim.tracks.pushes(sim.data)  # what views draw as arrows
    assert forces[:, 2].sum() == pytest.approx(sim.loads().sum()) and len(points) == 2
    soles = np.array([sim.data.xpos[body] for body in sim.tracks.bodies])
    assert np.linalg.norm(points[:, :2] - soles[:, :2], axis=1).max() < LENGTH / 2
    assert -0.1 < points[:, 2].min() < points[:, 2].max() < 0


def test_every_run_begins_on_untouched_ground(course):
    first, again = course.run(seed=3), course.run(seed=3)
    assert first.success and first.metrics.dcm_error == again.metrics.dcm_error
    # MuJoCo's contacts do not carry it, so that what they say of slip is not known
    assert np.isnan(first.metrics.slip) and np.isnan(first.metrics.support_area)


def test_the_command_takes_a_ground_file(tmp_path, capsys):
    Ground(name="mat", solref=(-40000.0, -400.0)).save(tmp_path / "mat.json")
    code = run(
        ["walk", "trial", "biped", "--steps", "2", "--ground", str(tmp_path / "mat.json"), "--no-pictures"]
        + ["--out", str(tmp_path / "out"), "--json"]
    )
    assert code == 0 and '"mat"' in (tmp_path / "out" / "config.json").read_text()


def test_ground_that_yields_has_no_other_shape(tmp_path, capsys):
    YieldingGround().save(tmp_path / "sand.json")
    code = run(["walk", "trial", "biped", "--terrain", "slope", "--ground", str(tmp_path / "sand.json")])
    assert code == 2 and "leave out --terrain" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["sand.json"]


def test_the_environment_refuses_it():
    from plantar.errors import InvalidInput

    with pytest.raises(InvalidInput, match="terrain"):
        WalkEnv("biped", None, terrain=YieldingGround())
