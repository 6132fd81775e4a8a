"""Every kind of foot with every verb of the bench: a result, or one line that names the foot and what it lacks."""

from __future__ import annotations

import functools
import json

import pytest

from plantar import bench
from plantar.bench import planar
from plantar.bench.press.random_press import Press, random_presses, run_presses
from plantar.bench.result import Result
from plantar.cli.app import run
from plantar.errors import Diverged, InvalidInput
from plantar.feet import BallFoot, FlatFoot, Foot, SoftFoot, SoftFootQ
from plantar.ground import Ground
from plantar.settle import replay

FEET: dict[str, Foot] = {
    "full": SoftFoot(chains=1),
    "hinge": SoftFoot(chains=1, fidelity="hinge"),
    "fast": SoftFoot(fidelity="fast"),
    "locked": SoftFoot().locked(),
    "locked fast": SoftFoot(fidelity="fast").locked(),
    "softfoot_q": SoftFootQ(fidelity="fast"),
    "flat": FlatFoot(),
    "ball": BallFoot(),
}
LIGHT = {"loads": (24.0,), "heights": (0.011,), "positions": (3,)}
ONE = [bench.Trial(24.0, 0.011, 3)]


@functools.cache
def measured(name: str):
    return bench.press(FEET[name], **LIGHT).table


VERBS = {
    "press": lambda name: bench.press(FEET[name], **LIGHT),
    "floor": lambda name: bench.press(FEET[name], rig=bench.PressRig(flat=True), **LIGHT),
    "planar": lambda name: planar.press(FEET[name], **LIGHT),
    "stiffness": lambda name: bench.stiffness(FEET[name], loads=(20.0, 100.0)),
    "on flat": lambda name: bench.stiffness(FEET[name], obstacle="flat", loads=(20.0, 100.0)),
    "windlass": lambda name: bench.windlass(FEET[name], angles=(0.0, 0.05)),
    "sensitivity": lambda name: bench.sensitivity(FEET[name], todo=ONE, tilts=(0.05,)),
    "compare": lambda name: bench.compare(measured(name), FEET[name]),
    "reduce": lambda name: bench.reduce(FEET[name], presses=0, checks=1, strips=1, mechanism=False),
    "calibrate": lambda name: bench.calibrate(measured(name), FEET[name], parameters=("band.stiffness",), folds=0),
    "random": lambda name: run_presses(FEET[name], random_presses(FEET[name], 2)),
}
SOFT = {"full", "hinge", "fast"}
REFUSED = {("ball", verb) for verb in VERBS if verb not in ("stiffness", "on flat")}
REFUSED |= {(foot, verb) for foot in FEET if foot not in SOFT for verb in ("planar", "windlass", "reduce", "calibrate")}
REFUSED -= {("locked", "calibrate"), ("locked fast", "calibrate")}  # its bands are there, and change nothing
REFUSED |= {("flat", "floor")}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("foot", FEET)
def test_a_result_or_a_refusal_by_name(foot: str, verb: str):
    if verb == "calibrate":
        pytest.importorskip("mujoco.sysid")
    if (foot, verb) in REFUSED:
        with pytest.raises(InvalidInput, match=f"foot '{FEET[foot].name}'") as error:
            VERBS[verb](foot)
        assert "\n" not in str(error.value)
        return
    found = VERBS[verb](foot)
    assert len(found) > 0
    if isinstance(found, Result):
        assert found.text() and json.loads(json.dumps(found.record(), default=str))
        assert list(found) == list(found.table) and found.columns == found.table.columns


@pytest.mark.parametrize("verb", ["press", "stiffness", "on flat", "windlass", "sensitivity", "compare"])
def test_a_result_writes_itself(verb: str, tmp_path):
    report = VERBS[verb]("full").write(tmp_path / "out")
    assert report.stat().st_size > 10_000 and (tmp_path / "out" / "config.json").is_file()
    with pytest.raises(InvalidInput, match="already holds files"):
        VERBS[verb]("full").write(tmp_path / "out")


WILD = SoftFoot(chains=1, armature=1e-9).with_(band__damping=0.0)
"""A foot that blows up with long steps."""
LONG = bench.PressRig(timestep=0.05)


@pytest.mark.parametrize(
    "blow",
    [
        lambda: bench.press(WILD, rig=LONG, **LIGHT),
        lambda: bench.stiffness(WILD, rig=LONG, loads=(100.0, 400.0)),
        lambda: run_presses(
            WILD, [Press(load=400.0, height=0.02, x=0.0, tilt=0.0, shape="box", radius=0.01, flat=True)], rig=LONG
        ),
    ],
    ids=["press", "stiffness", "random"],
)
def test_what_diverges_leaves_a_dump_that_can_be_replayed(blow):
    with pytest.raises(Diverged) as caught:
        blow()
    assert caught.value.dump is not None
    assert str(caught.value.dump) in str(caught.value)
    again = replay(caught.value.dump, seconds=5.0)
    assert again is not None and again.body


def test_the_dump_of_a_command_is_in_its_folder(tmp_path, capsys):
    words = "bench press --set armature=1e-9 --set band.damping=0 --rig timestep=0.05 --loads 24 --out".split()
    assert run([*words, str(tmp_path / "out")]) == 1
    assert str(tmp_path / "out" / "diverged") in capsys.readouterr().err
    assert run(["bench", "replay", str(tmp_path / "out" / "diverged"), "--json"]) == 0


def test_work_of_no_length_is_refused():
    for verb in (bench.press, bench.stiffness, bench.windlass):
        with pytest.raises(InvalidInput, match="^duration = 0.0009") as error:
            verb(SoftFoot(chains=1), duration=0.0009)
        assert "one step, 0.002" in str(error.value)


def sunk(foot: Foot, **rig: object) -> Result:
    bed = bench.PressRig(flat=True, tilt=0.0, **rig)  # type: ignore[arg-type]
    return bench.stiffness(foot, obstacle="flat", loads=(150.0, 300.0), rig=bed)


def test_a_ground_in_series_lets_a_foot_sink_deeper():
    foot = FlatFoot()
    rigid, soft = (sunk(foot, ground_stiffness=k)[1]["stiffness"] for k in (None, 1e9))
    assert foot.contact is not None and foot.contact.stiffness == 1e9
    assert soft == pytest.approx(rigid / 2, rel=0.02)
    assert rigid == pytest.approx(1e9 * foot.length * foot.width, rel=0.02)


def test_a_ground_with_a_law_of_its_own_overrules_the_sole():
    soles = [FlatFoot().with_(contact__stiffness=k) for k in (1e8, 1e9)]
    own = [sunk(sole)[1]["deflection"] for sole in soles]
    soft = Ground(solref=(0.02, 1.0), solimp=(0.5, 0.5, 0.001, 0.5, 2.0))
    overruled = [sunk(sole, ground=soft)[1]["deflection"] for sole in soles]
    assert own[0] > 5 * own[1]
    assert overruled[0] == pytest.approx(overruled[1], rel=1e-6)
