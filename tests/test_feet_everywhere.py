"""Every registered foot with every verb that takes one: a result or a refusal in one line, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
from test_cli import verbs

from plantar import feet
from plantar.cli.app import run
from plantar.feet import export as feet_export
from plantar.robots.export import export as robots_export

VERBS = {
    "feet show": "{foot}",
    "feet fields": "{foot}",
    "feet export": "{foot} {out}",
    "feet check": "{foot} --no-verify",
    "feet reduce": "{foot} --presses 0 --checks 1 --no-mechanism --strips 1 --out {out}",
    "robots mount": "biped --foot {foot} --out {out}",
    "walk trial": "biped --foot {foot} --steps 0 --stand 0.05 --no-pictures --out {out}",
    "ground identify": "--robot biped --foot {foot} --depth 0.003 --no-stand --out {out}",
    "foothold map": "stairs --foot {foot} --cells 12 --no-beside --out {out}",
    "foothold choose": "stairs --foot {foot} --cells 12 --out {out}",
    "foothold data": "--foot {foot} --grounds 4 --patches 1 --config-set cells=8 --kinds flat --out {out}",
    "foothold press": "--foot {foot} --tiles 1 --footholds 1 --directions 4 --kinds flat --out {out}",
    "soft foot": "{foot} --load 20 --tolerance 1 --out {out}",
    "bench press": "--foot {foot} --loads 12 --heights 0.007 --positions 3 --duration 0.1 --out {out}",
    "bench windlass": "--foot {foot} --angles 0 --no-beside --out {out}",
    "bench stiffness": "--foot {foot} --loads 5 --no-beside --out {out}",
    "sweep press": "load=12 height=0.007 position=3 --foot {foot} --duration 0.1 --workers 1 --out {out}",
}
"""Verbs that take one foot, with little to do."""
MORE = {("soft foot", "solid"): "--set cell=0.03 --set pads=[4,2]"}
"""What makes one of them quicker still."""
ELSEWHERE = {
    "bench compare": "needs measured data, takes its foot as `bench press` does",
    "bench sensitivity": "minutes; takes its foot as `bench press` does",
    "bench calibrate": "needs measured data, takes its foot as `bench press` does",
    "sweep bench": "times machines",
    "foothold train": "needs PyTorch; test_foothold_training",
    "foothold calibrate": "needs pressed data; takes a name",
    "foothold walk": "minutes; test_foothold_walk",
    "walk study": "minutes; takes its feet as `walk trial` does",
    "ground tracks": "a walk; takes its foot as `walk trial` does; test_ground_tracks",
    "learn train": "needs PyTorch; test_learn_training",
    "learn evaluate": "needs a trained policy; test_learn_training",
    "learn play": "needs the robot that its policy was trained on; test_learn_controller",
}
"""Verbs that take feet and are not run here."""
PRINTED = {"feet show", "feet export", "feet reduce", "robots mount", "walk trial", "ground identify"}
PRINTED |= {"foothold press", "soft foot"}
"""Verbs that print the whole foot, to be given to another command; benches change its chains first."""
FAILS: dict[tuple[str, str], str] = {}
"""What fails today, with the reason; one that passes must be taken off."""


def test_no_verb_that_takes_a_foot_is_forgotten():
    takes = {f"{room} {verb}" for room, verb in verbs() if takes_feet(room, verb)}
    assert takes == {*VERBS, *ELSEWHERE}


def takes_feet(room: str, verb: str) -> bool:
    from test_cli import _command

    params = _command(room, verb).params
    return any({"--foot", "--feet"} & set(p.opts) or p.metavar == "FOOT" for p in params)


def cases() -> list:
    marked = []
    for verb in VERBS:
        for foot in feet.names():
            reason = FAILS.get((verb, foot))
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            marked.append(pytest.param(verb, foot, marks=marks, id=f"{verb} {foot}"))
    return marked


@pytest.mark.parametrize(("verb", "foot"), cases())
def test_a_result_or_one_line(verb: str, foot: str, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(feet_export, "draw", lambda *_: None)  # pictures are another test's
    monkeypatch.setattr(robots_export, "_draw", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    words = f"{verb} {VERBS[verb]} {MORE.get((verb, foot), '')}".format(foot=foot, out=out).split()
    code = run([*words, "--json"])
    said = capsys.readouterr()
    if code == 2:
        assert said.out == ""
        assert said.err.startswith("plantar: error: ") and said.err.count("\n") == 1
        assert not out.exists(), "what is refused writes nothing"
        return
    assert code == 0 or (code == 1 and said.err), (
        "the work was done; 1 says that the robot fell or a press did not settle"
    )
    read_back(verb, foot, said.out, out / "config.json")
    if verb in ("feet export", "robots mount"):
        model = stands(out / "scene.xml")
        assert model.nbody > 1


def read_back(verb: str, foot: str, printed: str, config: Path) -> None:
    """What a command prints and writes of its foot is that foot again."""
    assert (verb in PRINTED) == ("foot" in json.loads(printed))
    found = [feet.parse(printed)] if verb in PRINTED else []
    if config.exists() and "foot" in json.loads(config.read_text()):
        found.append(feet.load(config))
    for one in found:
        twin = verb == "feet reduce" or (verb, foot) in MORE or verb.startswith("bench")
        assert one == feet.get(foot) or (twin and one.name == feet.get(foot).name)


def stands(path: Path) -> mujoco.MjModel:
    """The model of a scene that plain MuJoCo opens and steps for 2 s."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(round(2 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all() and not data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number
    return model
