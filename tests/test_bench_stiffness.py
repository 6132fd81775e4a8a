"""The stiffness bench: soft under a light load, stiff under a heavy one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plantar import feet
from plantar.bench.clips import stiffness_clip
from plantar.bench.press.rig import PressRig
from plantar.bench.stiffness import OBSTACLES, secant, stiffness
from plantar.bench.windlass.plots import plot_stiffness
from plantar.errors import InvalidInput
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.show.plots import save
from plantar.table import Table

ONE = SoftFoot(chains=1)


@pytest.fixture(scope="module")
def cylinder():
    return stiffness(loads=(10, 40, 100, 200))


@pytest.fixture(scope="module")
def single():
    return {obstacle: stiffness(ONE, obstacle=obstacle, loads=(0, 2, 8, 20, 40)) for obstacle in OBSTACLES}


def test_a_cylinder_meets_a_foot_that_stiffens(cylinder):
    assert cylinder.column("settled").all()
    assert secant(cylinder, 100, 200) >= 3 * secant(cylinder, 10, 40) > 0


def test_forces_carry_load_and_weight(cylinder, single):
    for table in (cylinder, *single.values()):
        total = table.block(["force_heel", "force_middle", "force_front"]).sum(axis=1)
        assert total == pytest.approx(table.column("load") + table.column("weight"), rel=1e-3)


def test_the_obstacle_takes_its_force_in_the_middle(single):
    for obstacle in ("cylinder", "point"):
        row = single[obstacle][2]
        assert row["force_obstacle"] == pytest.approx(row["force_middle"], rel=1e-6)
        assert row["force_obstacle"] > 0
    assert single["flat"].column("force_obstacle") == pytest.approx(np.zeros(5), abs=1e-9)


def test_more_load_sinks_deeper_everywhere(single):
    for table in single.values():
        assert (np.diff(table.column("deflection")) > 0).all()
        assert table.column("settled").all()


def test_flat_ground_is_far_stiffer_than_an_obstacle(single):
    soft = max(secant(single[obstacle], 2, 8) for obstacle in ("cylinder", "point"))
    assert secant(single["flat"], 2, 8) > 5 * soft


def test_deflection_starts_at_the_first_touch(single):
    # Hardly loaded, a foot on flat ground has sunk by the overlap of its contacts only.
    # The tips reach half a millimetre lower than the rest.
    assert 0 < single["flat"][0]["deflection"] < 0.001


def test_tendons_play_no_part_on_a_cylinder(cylinder):
    # The obstacle arches the sole, which shortens the tendon's path.
    assert cylinder.column("tension").max() == 0
    bare = stiffness(SoftFoot().without_tendons(), loads=(100, 200))
    assert secant(bare, 100, 200) == pytest.approx(secant(cylinder, 100, 200), rel=1e-3)


def test_stiffness_is_the_secant_of_neighbours(cylinder):
    assert math.isnan(cylinder[0]["stiffness"])
    assert cylinder[3]["stiffness"] == pytest.approx(secant(cylinder, 100, 200))


def test_secant_of_a_straight_line():
    line = Table({"load": f, "deflection": f / 500.0} for f in (0.0, 3.0, 10.0))
    assert secant(line, 1.0, 9.0) == pytest.approx(500.0)
    with pytest.raises(InvalidInput, match="low, high"):
        secant(line, 5.0, 11.0)


@pytest.mark.parametrize("obstacle", ["cylinder", "point", "flat"])
def test_a_bench_of_ones_own_has_the_obstacle_that_is_asked_for(obstacle):
    five = SoftFoot(chains=5)
    usual = stiffness(five, obstacle=obstacle, loads=(0.0, 50.0))
    for rig in (PressRig(tilt=0.0, radius=0.025), PressRig(tilt=0.0, radius=0.025, flat=True, shape="box")):
        mine = stiffness(five, obstacle=obstacle, loads=(0.0, 50.0), rig=rig)
        assert mine.column("deflection") == pytest.approx(usual.column("deflection"), abs=1e-9)


def test_progress_counts_every_load():
    told: list[int] = []
    stiffness(ONE, loads=(5, 10, 20), progress=told.append)
    assert sum(told) == 3


def test_plot_is_drawn(single, tmp_path):
    assert save(plot_stiffness(single), tmp_path / "stiffness.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"obstacle": "cube"}, "obstacle"),
        ({"radius": 0.0}, "radius"),
        ({"radius": 25.0}, "radius"),
        ({"x": 30.0}, "x"),
        ({"loads": (10,)}, "loads"),
        ({"loads": (20, 10)}, "loads"),
        ({"loads": (-1, 10)}, "loads"),
        ({"loads": (0, math.inf)}, "loads"),
        ({"loads": ("much", 10)}, "loads"),
        ({"duration": -1.0}, "duration"),
        ({"friction": -1.0}, "friction"),
    ],
)
def test_bad_input_is_named(bad, field):
    with pytest.raises(InvalidInput, match=f"^{field} = ") as error:
        stiffness(ONE, **bad)
    assert "\n" not in str(error.value)


@pytest.mark.long
@pytest.mark.parametrize("foot", [SoftFoot(), SoftFoot.published(), SoftFoot().without_tendons()])
def test_study(foot):
    table = stiffness(foot)
    assert table.column("settled").all()
    assert secant(table, 100, 200) >= 3 * secant(table, 10, 40)


def test_the_film_ends_where_the_table_does():
    result = stiffness(feet.get("softfoot:fast"), loads=[10.0, 60.0])
    clip = stiffness_clip(result)
    assert clip.readings["load [N]"][-1] == 60.0
    assert clip.readings["deflection [mm]"][-1] == pytest.approx(1e3 * result.table[-1]["deflection"], abs=0.05)
    assert 0.5 < clip.seconds <= 2.0
