"""What a study counts once, and what it may take from an earlier run or walk: nothing that other inputs have made."""

from __future__ import annotations

import json

import numpy as np
import pytest

from plantar import feet, robots
from plantar.errors import InvalidInput
from plantar.feet import FlatFoot, Foot
from plantar.walk.control import controllers
from plantar.walk.result import foot_name
from plantar.walk.study import study as study_module
from plantar.walk.study.claims import judge
from plantar.walk.study.feet import feet_table, find_walker
from plantar.walk.study.photos import _labels
from plantar.walk.study.search import Plan, search_thresholds
from plantar.walk.study.study import Study, run_study
from plantar.walk.study.walks import course_of


def fake_walk(config: dict, seed: int) -> dict:
    return {"success": bool(np.random.default_rng(config["draw_seed"]).uniform() < 0.5), "bar_under": None}


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(study_module, "WALKS", fake_walk)


def saved(foot: Foot, path) -> str:
    path.write_text(json.dumps(foot.to_dict()), encoding="utf-8")
    return str(path)


def test_a_search_goes_on_with_its_own_rounds_only(fake, tmp_path):
    study, plan = Study(feet=("own",), modes=("torque",), seed=1), Plan(rounds=1, batch=4)
    table = search_thresholds(study, tmp_path, plan, engine="threads")
    assert list(search_thresholds(study, tmp_path, plan, engine="threads")) == list(table)
    for other in (Study(feet=("own",), modes=("position",), seed=1), Study(feet=("own",), modes=("torque",), push=5.0)):
        with pytest.raises(InvalidInput, match="holds another search"):
            search_thresholds(other, tmp_path, plan, engine="threads")
    with pytest.raises(InvalidInput, match="holds another search"):
        search_thresholds(study, tmp_path, Plan(rounds=1, batch=6), engine="threads")


def test_a_study_of_a_file_that_has_changed_is_another_one(fake, tmp_path):
    file = tmp_path / "foot.json"
    study = Study(feet=(saved(FlatFoot(), file), "like"), modes=("torque",), levels=(0.01,), draws=2)
    run_study(study, tmp_path / "sweep", engine="threads")
    run_study(study, tmp_path / "sweep", engine="threads")
    before = [row["mass"] for row in feet_table(study.robots, study.feet)]
    saved(FlatFoot(mass=2 * FlatFoot().mass), file)
    with pytest.raises(InvalidInput, match="another sweep"):
        run_study(study, tmp_path / "sweep", engine="threads")
    after = [row["mass"] for row in feet_table(study.robots, study.feet)]
    assert all(b > a + 0.9 * FlatFoot().mass for a, b in zip(before, after, strict=True))
    config = study.trials()[0]
    assert course_of(config).scene.legged.mass == pytest.approx(find_walker("biped", str(file)).model().body_mass.sum())


def test_a_soft_foot_of_a_file_is_not_judged_as_a_rigid_one(tmp_path):
    soft, flat = (saved(foot, tmp_path / f"{foot.name}.json") for foot in (feet.get("softfoot:fast"), FlatFoot()))
    rows = [
        {"robot": "biped", "mode": "torque", "course": "bar", "level": 0.01, "foot": foot, "draw": k, "success": True}
        for foot in (soft, flat, f"locked:{soft}")
        for k in range(20)
    ]
    claims = {(row["claim"], row["foot"]) for row in judge(rows)}
    assert ("soft feet generally cross 10 mm", soft) in claims
    assert ("rigid feet consistently fall on 10 mm", soft) not in claims
    for rigid in (flat, f"locked:{soft}"):
        assert ("rigid feet consistently fall on 10 mm", rigid) in claims


def test_films_of_a_foot_and_of_its_control_are_two_files():
    assert len(set(_labels(("own", "a/foot.json", "locked:a/foot.json", "b/foot.json")))) == 4
    assert _labels(("own", "softfoot:fast")) == ["own", "softfoot_fast"]


def test_feet_that_are_locked_or_changed_are_not_named_as_the_one_they_come_from():
    soft = feet.get("softfoot:fast")
    worn = (soft, soft.locked(), soft.with_(band__hardness=70.0), FlatFoot(), FlatFoot.like(soft))
    first, locked, changed, flat, like = (foot_name(robots.mount("biped", foot)) for foot in worn)
    assert (first, locked, flat) == ("softfoot:fast", "locked:softfoot:fast", "flat")
    assert changed.startswith("softfoot:fast@") and like.startswith("flat@")
    assert foot_name(robots.load("biped")) == "own"


def stiff(setting):
    return controllers.make("impedance", setting)


def test_a_controller_registered_anew_is_the_one_that_walks(monkeypatch):
    found = []
    for maker in (controllers.CONTROLLERS["torque"], stiff):
        monkeypatch.setitem(controllers.CONTROLLERS, "mine", maker)
        config = Study(feet=("own",), modes=("mine",), levels=(0.01,), draws=1).trials()[0]
        found.append(course_of(config).controller().joints)  # type: ignore[attr-defined]
    assert found == ["torque", "impedance"]


@pytest.mark.parametrize("name", ["robots", "modes", "courses", "choose", "levels"])
def test_what_is_named_twice_is_not_counted_twice(name):
    once = {"robots": "biped", "modes": "torque", "courses": "bar", "choose": "nominal", "levels": 0.01}[name]
    with pytest.raises(InvalidInput, match=f"{name} .*each of them once"):
        Study(**{"feet": ("own",), name: (once, once)})  # type: ignore[arg-type]
