"""Walking on ground of a file: hard with other contact, and ground that keeps footprints."""

import numpy as np
import pytest

from plantar import robots, walk
from plantar.cli.app import run
from plantar.ground import Ground
from plantar.ground.yielding import YieldingGround
from plantar.walk.environment import WalkEnv
from plantar.walk.simulation import Simulation


@pytest.fixture(scope="module")
def course():
    soil = YieldingGround.of("upland_loam", origin=(-0.4, -0.4), size=(1.4, 0.8))
    return walk.Course(robots.load("biped"), gait=walk.Gait(steps=4), terrain=soil)


def test_a_robot_that_walks_leaves_tracks_and_loses_energy(course):
    sim = Simulation(course.scene, course.controller, scatter=0.0)
    assert sim.tracks is not None
    lost = []
    while not (course.controller.done and sim.data.time > 2) and sim.data.time < 12:
        sim.tick()
        lost.append(sim.tracks.lost_energy)
        assert not sim.fallen
    assert course.controller.stepper.taken == 4
    assert np.diff(lost).min() > -1e-4 * lost[-1] and lost[-1] > 1.0
    grid = sim.tracks.elevation()
    assert -0.05 < grid.heights.min() < -0.002
    # both feet have left marks, each on its side, and the last ones lie ahead of the first
    marks = np.argwhere(grid.heights < -0.001)
    x, y = grid.x[marks[:, 1]], grid.y[marks[:, 0]]
    assert y.min() < -0.05 and y.max() > 0.05 and np.ptp(x) > 0.3


def test_the_soles_feel_the_weight_though_nothing_touches_in_mujoco(course):
    sim = Simulation(course.scene, course.controller, scatter=0.0)
    for _ in range(400):
        sim.tick()
    weight = course.scene.legged.mass * course.scene.legged.gravity
    assert sim.data.sensordata[course.scene.load_index + 2].sum() == 0
    assert sim.loads().sum() == pytest.approx(weight, rel=0.05)


def test_every_run_begins_on_untouched_ground(course):
    first, again = course.run(seed=3), course.run(seed=3)
    assert first.success and first.metrics.dcm_error == again.metrics.dcm_error


def test_the_command_takes_a_ground_file(tmp_path, capsys):
    Ground(name="mat", solref=(-40000.0, -400.0)).save(tmp_path / "mat.json")
    code = run(["walk", "trial", "biped", "--steps", "2", "--ground", str(tmp_path / "mat.json"), "--no-pictures"]
               + ["--out", str(tmp_path / "out"), "--json"])
    assert code == 0 and '"mat"' in (tmp_path / "out" / "config.json").read_text()


def test_ground_that_yields_has_no_other_shape(tmp_path, capsys):
    YieldingGround().save(tmp_path / "sand.json")
    code = run(["walk", "trial", "biped", "--terrain", "slope", "--ground", str(tmp_path / "sand.json")])
    assert code == 2 and "leave --terrain out" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["sand.json"]


def test_the_environment_refuses_it():
    from plantar.errors import InvalidInput

    with pytest.raises(InvalidInput, match="terrain"):
        WalkEnv("biped", None, terrain=YieldingGround())
