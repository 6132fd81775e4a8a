"""Every kind of terrain goes through the bench, footholds, walks and pictures: one test over the registry."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from plantar import bench, feet, foothold, robots, walk
from plantar.ground import ElevationMap, Stairs, Terrain, kinds, make
from plantar.ground.terrain.plots import draw_terrain
from plantar.show.film import outlines
from plantar.walk.plans.gait import Gait

_RAMP = ElevationMap.from_function(lambda x, y: 0.02 * x + 0 * y, x=(-1, 2), y=(-1, 1), cell=0.05)
NEEDED = {
    "heightfield": {"grid": _RAMP.to_dict(), "floor": -0.05},
    "patches": {"patches": [{"x": [0.5, 0.8], "height": 0.01}]},
    "course": {"parts": [Stairs(rise=0.02).to_dict()]},
    "stones": {"gap": [0.03, 0.03], "jitter": 0.0},
    "trenches": {"difficulty": 0.2},
    "slope": {"angle": 0.05, "cross": 0.05},
    "relief": {"side": 2.0, "flat": 0.4, "pattern": "rough"},
    "rough": {"rms": 0.004, "flat": 0.4, "border": 0.2},
}
"""Fields of kinds that have no defaults, or whose defaults are no ground to stand on at 0, 0."""
KINDS = sorted(kinds())
STANDING = 0.2
"""How long a robot stands [s]."""


def terrain_of(kind: str) -> Terrain:
    return make(kind, **NEEDED.get(kind, {}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_foot_is_pressed_on_it(kind, record_property):
    """The ground carries load and weight, wherever the foot comes down."""
    terrain, foot = terrain_of(kind), feet.FlatFoot()
    (x0, x1), _ = terrain.extent()
    weight = 9.81 * sum(body.mass for body in map(foot.spec().compile().body, range(1, foot.spec().compile().nbody)))
    table = bench.press_terrain(foot, terrain, places=[((x0 + x1) / 2, 0.03)], loads=(60.0,), duration=1.0)
    row = table[0]
    error = float(row["force"] / (60 + float(np.sum(weight))) - 1)
    record_property(f"ground.pressed.{kind}", error)
    assert abs(error) < 0.01
    assert row["sole"] < 1e-3
    assert (row["contacts"] == 0) == (kind == "yielding")


@pytest.mark.parametrize("kind", KINDS)
def test_footholds_are_chosen_on_it(kind, record_property):
    terrain = terrain_of(kind)
    (x0, x1), _ = terrain.extent()
    middle = (x0 + x1) / 2
    grid = terrain.elevation_map(cell=0.02, x=(middle - 0.3, middle + 0.3), y=(-0.3, 0.3), pit=-0.5)
    costs = foothold.cost_map(grid, foothold.BallSole())
    assert np.isfinite(costs.cost).any()
    best = np.unravel_index(np.nanargmin(costs.cost), costs.cost.shape)
    steep = np.nanquantile(grid.slope(), 0.9)
    record_property(f"ground.chosen.{kind}", bool(grid.slope()[best] <= max(steep, 0.2)))
    assert grid.slope()[best] <= max(steep, 0.2), "the best foothold is none of the steepest places"


@pytest.fixture(scope="module")
def biped() -> robots.Robot:
    return robots.mount("biped", feet.FlatFoot())


@pytest.mark.parametrize("kind", KINDS)
def test_a_robot_stands_on_it(kind, biped, record_property):
    """The walking scene of a biped and its controller, on every kind."""
    result = walk.Course(biped, gait=Gait(steps=0, settle=STANDING), terrain=terrain_of(kind)).run(seed=0)
    record_property(f"ground.stood.{kind}", result.status is walk.WalkStatus.STOOD)
    assert result.status is walk.WalkStatus.STOOD, result.text()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_robot_walks_on_it(kind):
    """Six steps; some kinds are too much for a walker that does not see them, but none breaks the simulation."""
    robot = robots.mount("biped", feet.SoftFoot(fidelity="fast"))
    result = walk.trial(robot, terrain=terrain_of(kind), gait=Gait(steps=6))
    print(kind, result.status)
    if kind in ("flat", "slope", "patches", "yielding", "heightfield"):
        assert result.status is walk.WalkStatus.WALKED


def test_every_kind_is_drawn(tmp_path, record_property):
    paths = {kind: draw_terrain(terrain_of(kind), tmp_path / f"{kind}.png", size=(96, 54)) for kind in KINDS}
    record_property("ground.kinds.drawn", [kind for kind, path in paths.items() if path is not None])
    for kind, path in paths.items():
        assert path is None or path.stat().st_size > 300, kind


def test_every_kind_becomes_a_scene_that_plain_mujoco_reads(record_property):
    read = []
    for kind in KINDS:
        spec = mujoco.MjSpec()
        terrain_of(kind).add(spec)
        spec.compile()
        model = mujoco.MjModel.from_xml_string(spec.to_xml())
        assert model.ngeom > 0, kind
        flat = np.isin(model.geom_type, [mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD])
        seen = len(outlines(model))
        assert seen >= np.count_nonzero(~flat), "films show every block"
        read.append(kind)
    record_property("ground.kinds.scenes", read)
