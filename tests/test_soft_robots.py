"""The seven soft robots: they are sound, do what they are for, and say how large they are."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("numba")

from plantar.cli.app import run as plantar_cli  # noqa: E402
from plantar.errors import InvalidInput  # noqa: E402
from plantar.soft import robots  # noqa: E402
from plantar.soft.mesh.check import find_faults  # noqa: E402
from plantar.soft.mesh.quality import quality  # noqa: E402
from plantar.soft.robots.report import unit_of  # noqa: E402
from plantar.soft.scene.body import SoftBody  # noqa: E402

DOF = {"grasper": 1422, "octopus": 360, "diamond": 4884, "flexo": 912, "stifface": 2285, "sofia": 7818}


def test_all_seven_are_there_with_their_published_rows():
    assert robots.names() == ("grasper", "octopus", "diamond", "fetch", "flexo", "stifface", "sofia")
    for name, dof in DOF.items():
        assert robots.get(name).published.dof == dof
    assert robots.get("fetch").published.dof == 12


@pytest.mark.parametrize("name", [*DOF, "fetch"])
def test_meshes_are_sound_and_as_large_as_the_published_ones(name):
    scene = robots.get(name).scene()
    for body in scene.bodies.values():
        if isinstance(body, SoftBody):
            assert find_faults(body.mesh) == []
            assert quality(body.mesh)["mean_ratio_worst"] > 0.05
    wanted = 15456 if name == "fetch" else DOF[name]
    assert scene.dofs == pytest.approx(wanted, rel=0.15)


def test_the_octopus_leg_curls_round_the_rod_and_holds_it():
    done = robots.run(robots.get("octopus"), duration=3.0)
    first, last = done.table[0], done.table[-1]
    assert last["tip_x"] < 0.65 * first["tip_x"] and last["tip_z"] < -0.04
    assert last["rod_force"] > 0.1 and last["tension"] > 1
    rod = np.array([0.085, -0.048])
    nodes = done.scene.positions("arm")[:, [0, 2]]
    assert np.linalg.norm(nodes - rod, axis=1).min() > 0.018 - 5e-4  # nothing is inside the rod


def test_the_flexo_follows_its_circle():
    done = robots.run(robots.get("flexo"), duration=3.0)
    late = done.table.block(["error"])[-50:]
    assert late.max() < 1e-4
    tensions = done.table.block([c for c in done.table.columns if c.startswith("tension")])
    assert tensions.min() >= 0  # cables only pull


def test_the_stifface_feels_as_stiff_as_it_should():
    for stiffness in (100.0, 140.0):
        robot = robots.get("stifface", stiffness=stiffness, cells=(8, 8, 2))
        done = robots.run(robot, duration=2.2)
        assert done.table[-1]["stiffness_felt"] == pytest.approx(stiffness, rel=0.02)


def test_the_diamond_follows_its_circle_within_a_tenth_of_a_millimetre():
    robot = robots.get("diamond", spacing=0.010)
    done = robots.run(robot, duration=3.0)
    settled = done.table.column("error")[done.table.column("time") > 1.0]
    assert settled.max() < 1e-4


def test_the_grasper_lifts_the_cube():
    done = robots.run(robots.get("grasper"), duration=3.6)
    z = done.table.column("cube_z")
    assert z[-1] - z[0] > 0.03
    assert done.table[-1]["grip"] > 0.1
    tally = done.scene.tally
    assert tally.converged == tally.steps == 180 and tally.rounds < 100


@pytest.mark.long
def test_sofia_walks_forward_and_the_floor_bears_it():
    done = robots.run(robots.get("sofia", cells=(2, 2, 8)), duration=4.5)
    assert done.table[-1]["plate_x"] > 0.03 and abs(done.table[-1]["plate_y"]) < 0.01
    weight = 9.81 * sum(p.mass.sum() for p in done.scene.system.parts.values())
    assert np.median(done.table.column("floor_force")) == pytest.approx(weight, rel=0.05)


@pytest.mark.long
def test_a_reduced_diamond_follows_the_whole_one():
    from plantar.soft.robots.reduced import reduce_robot, robot_cards

    robot = robots.get("diamond")
    cards = {card.run: card for card in robot_cards(robot, reduce_robot(robot, samples=4), seconds=0.8)}
    assert set(cards) == {"demonstration", "same commands", "unseen commands"}
    assert cards["same commands"].relative < 0.02 and cards["demonstration"].relative < 0.02
    assert cards["unseen commands"].relative < 0.1


def test_the_fetch_reaches_its_target_without_vacuum():
    done = robots.run(robots.get("fetch"), duration=1.0)
    assert done.table[-1]["error"] < 1e-4
    pressures = done.table.block([c for c in done.table.columns if c.startswith("pressure")])
    assert pressures.min() >= 0 and pressures.max() <= 15e3 * (1 + 1e-9)


def test_names_and_fields_that_do_not_exist_are_answered():
    with pytest.raises(
        InvalidInput, match="unknown soft robot 'diamnod': choose one of grasper.*did you mean 'diamond'"
    ):
        robots.get("diamnod")
    with pytest.raises(InvalidInput, match="unknown field 'colour' of Diamond"):
        robots.get("diamond", colour=1)
    with pytest.raises(InvalidInput, match="young = -1"):
        robots.get("diamond", young=-1.0)


def test_every_reading_of_a_robot_has_its_unit():
    assert [unit_of(n) for n in ("tip_x", "error", "stroke2")] == ["m"] * 3
    assert [unit_of(n) for n in ("pressure_a", "tension", "floor_force", "grip", "stiffness_felt")] == [
        "Pa",
        "N",
        "N",
        "N",
        "N/m",
    ]


def test_the_command_writes_a_table_a_plot_a_picture_and_a_film(tmp_path, capsys):
    out = tmp_path / "flexo"
    args = ["soft", "robot", "flexo", "--duration", "0.1", "--film", "6", "--out", str(out), "--json"]
    assert plantar_cli(args) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["dof"] == 864 and record["dof_paper"] == 912 and record["ms"] > 0
    assert {p.name for p in out.iterdir()} >= {
        "flexo.csv",
        "flexo.png",
        "flexo.gif",
        "flexo_readings.png",
        "config.json",
        "card.csv",
    }
    with Image.open(out / "flexo.gif") as film:
        steps = len((out / "flexo.csv").read_text().splitlines()) - 1
        assert getattr(film, "n_frames", 1) == min(6, steps) and film.size == (480, 400)
    assert plantar_cli(["soft", "robot", "flexo", "--out", str(out)]) == 2  # nothing is overwritten
    assert plantar_cli(["soft", "robot", "nobody"]) == 2
    assert plantar_cli(["soft", "robot", "flexo", "--duration", "-1"]) == 2


def test_the_command_lists_the_robots(capsys):
    assert plantar_cli(["soft", "robot", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["robots"]) == 7


@pytest.mark.parametrize("duration", [0.0, -1.0, math.nan, math.inf, 1e300])
def test_times_that_cannot_be_simulated_are_refused(duration):
    with pytest.raises(InvalidInput, match=r"duration = .*a time in seconds above 0"):
        robots.run(robots.get("diamond"), duration=duration)
