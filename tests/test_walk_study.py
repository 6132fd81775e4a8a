"""Studies of walks: fair feet, the same courses for all, paired verdicts, searches, workers, folders."""

from __future__ import annotations

import functools
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from plantar import walk
from plantar.cli.app import run
from plantar.errors import InvalidInput, MissingExtra
from plantar.walk import courses
from plantar.walk.control import controllers
from plantar.walk.robot.legged import Legged
from plantar.walk.sim.obstacles import BANDS
from plantar.walk.study import study as study_module
from plantar.walk.study.claims import judge, overall
from plantar.walk.study.feet import feet_table, find_walker, named_feet
from plantar.walk.study.report import write_search, write_study
from plantar.walk.study.search import Plan, level_of, search_thresholds, threshold_differences, thresholds
from plantar.walk.study.study import Study, run_study
from plantar.walk.study.summary import largest_levels, paired, pooled, summarise, verdicts
from plantar.walk.study.walks import laid, way_of

SOFT = "softfoot:fast"
HALVES = {"own": 0.012, SOFT: 0.03, f"locked:{SOFT}": 0.015, f"like:{SOFT}": 0.02}
"""Levels at which half of the fake walks fail."""


def fake_walk(config: dict, seed: int) -> dict:
    """A walk that falls by a logistic curve; its luck comes from the draw, as that of a real one."""
    luck = np.random.default_rng(config["draw_seed"]).uniform()
    share = 1 / (1 + (config["level"] / HALVES[config["foot"]]) ** 8) if config["level"] else 1.0
    return {"success": bool(luck < share), "energy": 1.0, "bar_under": None}


def broken_walk(config: dict, seed: int) -> dict:
    raise MissingExtra("no solver")


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(study_module, "WALKS", fake_walk)


def row(foot: str, level: float, draw: int, success: bool, course: str = "bar") -> dict:
    cell = {"robot": "biped", "foot": foot, "mode": "torque", "choose": "nominal", "course": course, "level": level}
    return cell | {"draw": draw, "success": success, "energy": 1.0}


def test_controls_are_of_the_first_foot_that_is_named():
    assert named_feet(("own", SOFT, "locked", "like")) == ("own", SOFT, f"locked:{SOFT}", f"like:{SOFT}")
    assert Study(feet=("like:flat", "ball")).feet == ("like:flat", "ball")
    for wrong in (("own", "locked"), (SOFT, SOFT), ()):
        with pytest.raises(InvalidInput, match="feet"):
            named_feet(wrong)


def test_controls_differ_from_their_foot_in_nothing_but_joints(record_property):
    table = {r["foot"]: r for r in feet_table(("biped",), named_feet(("own", SOFT, "locked", "like")))}
    soft = table.pop(SOFT)
    assert soft["joints"] == 10 and table["own"]["length"] != pytest.approx(soft["length"], rel=0.1)
    alike = ("length", "width", "mass", "height", "told_length", "told_width", "contact")
    for control in (f"locked:{SOFT}", f"like:{SOFT}"):
        found = table[control]
        apart = {name: abs(found[name] / soft[name] - 1) for name in alike}
        record_property(f"softfoot.controls.{control.partition(':')[0]}", apart)
        assert found["joints"] == 0
        for name in alike:
            assert found[name] == pytest.approx(soft[name], rel=1e-3), name
    one, other, free = (find_walker("biped", foot) for foot in (SOFT, f"like:{SOFT}", f"plate:{SOFT}"))
    assert (one.report().offset, one.report().pitch) == (other.report().offset, other.report().pitch)
    assert other.places[0].support == one.places[0].support != free.places[0].support


def test_courses_are_the_same_for_every_foot_and_rise_with_their_level():
    built = [walk.Course(find_walker("biped", foot), gait=walk.Gait(steps=8)) for foot in ("own", f"like:{SOFT}")]
    ways = [way_of(course) for course in built]
    assert (ways[0].start, ways[0].end, ways[0].holds) == (ways[1].start, ways[1].end, ways[1].holds)
    for name, kind in courses.COURSES.items():
        middle = math.sqrt(kind.low * kind.high)
        one, other = (courses.lay(name, middle, 3, way, push=4.0) for way in ways)
        if name not in BANDS:  # those are meant for a part of each sole
            assert one == other, name
        assert len(one.pushes) == 1 + (name == "push")
        if name == "flat":
            assert one.terrain is None and not one.bars
            continue
        assert courses.lay(name, middle, 4, ways[0]) != courses.lay(name, middle, 3, ways[0])
        if one.terrain is not None:
            x, y = np.meshgrid(np.linspace(ways[0].start, ways[0].end, 60), np.linspace(-0.3, 0.3, 20))
            tall, low = (courses.lay(name, level, 3, ways[0]).terrain for level in (kind.high, kind.low))
            assert tall is not None and low is not None
            assert np.ptp(tall.elevation(x, y)) > 2 * np.ptp(low.elevation(x, y)) > 0
            heights = one.terrain.elevation(*np.meshgrid([-0.1, 0.0, 0.1], [-0.1, 0.0, 0.1]))
            assert name == "across" or np.abs(heights).max() < 1e-9  # level where the robot starts
    with pytest.raises(InvalidInput, match="did you mean 'cobbles'"):
        courses.find("cobles")


def test_choosers_are_compared_each_with_each():
    ways = ("nominal", "slope", "analytic")
    rows = [{**row("ball", 1.0, k, k < 8 + 6 * i), "choose": way} for i, way in enumerate(ways) for k in range(20)]
    found = paired(rows, by="choose")
    couples = [(r["choose"], r["against"], r["sure"]) for r in found]
    assert couples == [("nominal", "slope", True), ("nominal", "analytic", True), ("slope", "analytic", True)]
    assert "nominal walks less often than slope, 8 against 14 of 20" in verdicts(found, by="choose")[0]


def test_choosers_are_known_in_worker_processes(monkeypatch):
    import plantar.foothold.choosers

    study = Study(robots=("quadruped",), feet=("ball",), courses=("flat",), choose=("nominal", "slope", "network"))
    homes = {t["choose"]: t.get("chooser") for t in study.trials()}
    assert homes == {"nominal": None, "slope": "plantar.foothold.choosers", "network": "plantar.foothold.choosers"}
    assert plantar.foothold.choosers.find("slope") is not None


def test_quadrupeds_are_studied_too():
    study = Study(robots=("quadruped",), feet=("ball",), modes=("torque",), courses=("bar",), levels=(0.02,), draws=1)
    study.check()
    with pytest.raises(InvalidInput, match="'heel' is under a part"):
        Study(robots=("quadruped",), feet=("ball",), courses=("heel",)).check()
    course, layout = laid(study.trials()[0])
    assert layout.bars[0].x > 0.5 and way_of(course).end > 1.5 and course.tuning.rate == 250


def test_study_shares_draws():
    study = Study(feet=("own", SOFT), courses=("bar", "toe"), levels=(0.0, 0.01), draws=3)
    trials = study.trials()
    assert len(trials) == 2 * 2 * (3 + 2 * 3)  # level ground once, not once a course
    cells: dict[tuple, list[int]] = {}
    for t in trials:
        cells.setdefault((t["foot"], t["mode"], t["level"], t["course"]), []).append(t["draw_seed"])
    assert len({tuple(s) for s in cells.values()}) == 1
    for wrong in ({"modes": ("fly",)}, {"courses": ("lava",)}, {"steps": 3}, {"rate": 300.0}, {"levels": (math.nan,)}):
        with pytest.raises(InvalidInput, match=next(iter(wrong)).rstrip("s")):
            Study(**wrong)


def test_a_verdict_needs_an_interval():
    two = [row(foot, 0.01, k, foot == SOFT) for foot in ("own", SOFT) for k in range(2)]
    assert verdicts(paired(two, reference=SOFT)) == [] and {r["verdict"] for r in judge(two)} <= {
        "not decided by these walks",
        "not tried",
    }
    many = [row(foot, 0.01, k, foot == SOFT or k < 6) for foot in ("own", SOFT, f"like:{SOFT}") for k in range(20)]
    many = [{**r, "success": True} if r["foot"].startswith("like") and r["draw"] < 19 else r for r in many]
    found = {r["against"]: r for r in paired(many, reference=SOFT)}
    assert found["own"]["sure"] and not found[f"like:{SOFT}"]["sure"]
    assert found["own"]["pairs"] == 20 and found["own"]["low"] < 0.7 < found["own"]["high"]
    said = verdicts(paired(many, reference=SOFT))
    assert len(said) == 1 and "20 against 6 of 20" in said[0]


def test_claims_know_plates_beside_own_feet():
    shares = {("own", 0.005): 10, ("own", 0.01): 0, (SOFT, 0.005): 20, (SOFT, 0.01): 20, (f"like:{SOFT}", 0.01): 20}
    rows = [row(foot, level, k, k < won) for (foot, level), won in shares.items() for k in range(20)]
    assert {r["foot"]: r["largest_level"] for r in largest_levels(summarise(rows))} == {
        "own": 0.0,
        SOFT: 0.01,
        f"like:{SOFT}": 0.01,
    }
    found = {(r["claim"], r["foot"]): r["verdict"] for r in judge(rows)}
    assert found["rigid feet consistently fall on 10 mm", "own"] == "confirmed"
    assert found["rigid feet consistently fall on 10 mm", f"like:{SOFT}"] == "refuted"
    assert found["soft feet generally cross 10 mm", SOFT] == "confirmed"
    better = "soft feet cross bars more often than rigid ones"
    assert found[better, f"{SOFT} against own"] == "confirmed"
    assert found[better, f"{SOFT} against like:{SOFT}"] == "not decided by these walks"
    counts = {r["claim"]: r for r in overall(judge(rows))}
    assert (counts[better]["tried"], counts[better]["confirmed"], counts[better]["open"]) == (2, 1, 1)


def test_cells_are_pooled_by_whole_draws():
    rows = [
        {**row(foot, 0.01, k, foot == SOFT or k % 2 == 0), "robot": robot}
        for robot in ("a", "b", "c")
        for foot in ("own", SOFT)
        for k in range(30)
    ]
    one, three = pooled([r for r in rows if r["robot"] == "a"])[0], pooled(rows)[0]
    assert three["pairs"] == 90 and three["draws"] == 30 and three["sure"]
    assert (three["low"], three["high"]) == pytest.approx((one["low"], one["high"]))


def test_search_finds_thresholds_and_goes_on_where_it_stopped(fake, tmp_path):
    study = Study(modes=("torque",), courses=("bars",), seed=3)
    plan = Plan(rounds=4, batch=8)
    table = search_thresholds(study, tmp_path / "a", plan, engine="threads", workers=2)
    assert len(table) == plan.walks(study) == 4 * 4 * 8
    draws = {r["foot"]: [] for r in table}
    for r in table:
        draws[r["foot"]].append(r["draw_seed"])
    assert len({tuple(d) for d in draws.values()}) == 1 and len(set(draws["own"])) == 32
    for found in thresholds(table):
        assert found["low"] <= HALVES[found["foot"]] <= found["high"] and found["walks"] == 32
    apart = {r["against"]: r for r in threshold_differences(table, SOFT)}
    assert apart["own"]["sure"] and apart["own"]["low"] < 0.018 < apart["own"]["high"]
    assert level_of(table)["biped", "torque", "nominal", "bars"] == pytest.approx(0.012, rel=0.25)
    first = search_thresholds(study, tmp_path / "b", Plan(rounds=2, batch=8), engine="threads")
    again = search_thresholds(study, tmp_path / "b", plan, engine="threads")
    assert [dict(r) for r in again] == [dict(r) for r in table] and list(again[: len(first)]) == list(first)
    report, _ = write_search(tmp_path, study, table)
    names = ("thresholds.csv", "threshold_differences.csv", "feet.csv", "thresholds_bars.png", "trials.csv")
    assert report.exists() and all((tmp_path / name).exists() for name in names)


def test_failed_trials_are_told_from_done_ones_and_run_again(monkeypatch, tmp_path):
    study = Study(feet=("own",), modes=("torque",), levels=(0.01,), draws=3)
    monkeypatch.setattr(study_module, "WALKS", broken_walk)
    table = run_study(study, tmp_path / "sweep", engine="threads")
    assert [r.get("success") for r in table] == [None] * 3 and summarise(table)[0]["trials"] == 0
    broken_walk.__code__, kept = fake_walk.__code__, broken_walk.__code__
    try:
        assert [r.get("success") for r in run_study(study, tmp_path / "sweep", engine="threads")] == [None] * 3
        mended = run_study(study, tmp_path / "sweep", engine="threads", retry=True)
    finally:
        broken_walk.__code__ = kept
    assert all(r["success"] is not None for r in mended)


def test_missing_extra_is_found_before_the_first_trial(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "daqp", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: None)
    out = tmp_path / "out"
    assert run(["walk", "study", "biped", "--out", str(out)]) == 1
    assert "daqp" in capsys.readouterr().err and not out.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["biped", "--modes", "fly"],
        ["biped", "--modes", "no.such:maker"],
        ["biped", "--levels", "tall"],
        ["biped", "--courses", "lava"],
        ["biped", "--feet", "own,locked"],
        ["biped", "--feet", ""],
        ["biped", "--steps", "1"],
        ["biped", "--steps", "0"],
        ["biped", "--half", "--rounds", "0"],
        ["nobody"],
    ],
)
def test_bad_commands_end_with_2_one_line_and_nothing_written(words, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["walk", "study", *words, "--out", str(out)]) == 2
    text = capsys.readouterr().err.strip()
    assert text.count("\n") == 0 and text.startswith("plantar: error: ")
    assert not out.exists()


def test_study_replaces_nothing_unasked(tmp_path, capsys):
    out = tmp_path / "mine"
    out.mkdir()
    (out / "report.html").write_text("mine")
    assert run(["walk", "study", "biped", "--out", str(out)]) == 2
    assert (out / "report.html").read_text() == "mine" and [p.name for p in out.iterdir()] == ["report.html"]
    assert run(["walk", "study", "biped", "--out", ""]) == 2


def test_study_walks_is_reported_and_goes_on(tmp_path, capsys):
    out = tmp_path / "study"
    words = ["walk", "study", "biped", "--feet", "own,like:flat", "--modes", "torque", "--courses", "heel"]
    words += ["--levels", "0.005", "--draws", "1", "--steps", "5", "--rate", "250", "--no-photos", "--processes", "1"]
    words += ["--out", str(out), "--json"]
    assert run(words) == 0
    record = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert [r["trials"] for r in record["summary"]] == [1, 1] and record["pairs"][0]["pairs"] == 1
    names = {p.name for p in out.iterdir()}
    assert names >= {"trials.csv", "summary.csv", "pairs.csv", "largest_levels.csv", "claims.csv", "feet.csv"}
    assert names >= {"config.json", "report.html", "success.png", "pairs.png", "places.png", "figures.png"}
    back, front, _, _ = Legged(find_walker("biped")).soles[0].outline
    low, high = (back + share * (front - back) for share in BANDS["heel"])
    rows = (out / "trials.csv").read_text().splitlines()
    under = float(rows[1].split(",")[rows[0].split(",").index("bar_under")])
    assert low <= under <= high
    assert run(words) == 0  # the same study: nothing is walked again
    assert run([*words, "--draws", "2"]) == 2  # another one is refused there


def patient(setting):
    """A controller of a user: the torque mode under another name."""
    return controllers.make("torque", setting)


def test_a_users_controller_is_known_in_worker_processes(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}:{sys.path[0]}")
    monkeypatch.setitem(controllers.CONTROLLERS, "patient", patient)
    study = Study(feet=("own",), modes=("patient", "torque"), levels=(0.0,), draws=1, steps=5, rate=250.0)
    table = run_study(study, tmp_path / "sweep", workers=1)
    assert [r.get("error") for r in table] == [None, None]
    one, other = ({k: v for k, v in r.items() if k in ("energy", "distance", "duration")} for r in table)
    assert one == other
    monkeypatch.setitem(controllers.CONTROLLERS, "lost", functools.partial(patient))
    with pytest.raises(InvalidInput, match="lost"):
        Study(modes=("lost",)).trials()


def cells_apart(found) -> dict:
    """How many cells of two tables differ, and how many there are."""
    rows = [[dict(row) for row in table] for table in found]
    assert [list(row) for row in rows[0]] == [list(row) for row in rows[1]]
    cells = [(one[name], other[name]) for one, other in zip(*rows, strict=True) for name in one]
    return {"cells": len(cells), "apart": sum(repr(a) != repr(b) for a, b in cells)}


def test_threads_and_processes_give_the_same_bits(tmp_path, record_property):
    study = Study(feet=("own",), modes=("torque",), courses=("bars",), levels=(0.01,), draws=2, steps=5, rate=250.0)
    found = [run_study(study, tmp_path / e, engine=e, workers=2) for e in ("threads", "processes")]  # type: ignore[arg-type]
    record_property("softfoot.same_bits.processes", cells_apart(found))
    assert [dict(r) for r in found[0]] == [dict(r) for r in found[1]]
    assert all(r["success"] is not None for r in found[0])


@pytest.mark.long
def test_ray_gives_the_same_bits_as_threads(tmp_path, record_property):
    pytest.importorskip("ray")
    study = Study(feet=("own", SOFT), modes=("impedance",), levels=(0.01,), draws=2, steps=5, rate=250.0)
    found = [run_study(study, tmp_path / e, engine=e, workers=2) for e in ("threads", "ray")]  # type: ignore[arg-type]
    record_property("softfoot.same_bits.ray", cells_apart(found))
    assert [dict(r) for r in found[0]] == [dict(r) for r in found[1]]


def test_the_papers_claims_are_of_bipeds(fake, monkeypatch, tmp_path):
    monkeypatch.setitem(HALVES, "ball", 0.02)
    study = Study(robots=("quadruped",), feet=("ball",), modes=("torque",), levels=(0.01, 0.02), draws=5)
    write_study(tmp_path, study, run_study(study, tmp_path / "sweep", engine="threads"))
    assert not (tmp_path / "claims.csv").exists() and (tmp_path / "summary.csv").exists()


def test_study_of_fake_walks_is_reported(fake, tmp_path):
    study = Study(modes=("torque",), levels=(0.01, 0.02), draws=20)
    table = run_study(study, tmp_path / "sweep", engine="threads")
    report, summary = write_study(tmp_path, study, table)
    assert len(summary) == 8 and "walks more often" in report.read_text()


def test_a_study_of_one_foot_and_one_without_a_single_walk_are_reported(fake, monkeypatch, tmp_path):
    for name in ("one", "none"):
        (tmp_path / name).mkdir()
    study = Study(feet=("own",), modes=("torque",), levels=(0.01, 0.02), draws=3)
    report, _ = write_study(tmp_path / "one", study, run_study(study, tmp_path / "sweep", engine="threads"))
    assert report.exists() and not (tmp_path / "one" / "pairs.csv").exists()
    monkeypatch.setattr(study_module, "WALKS", broken_walk)
    table = run_study(study, tmp_path / "broken", engine="threads")
    report, summary = write_study(tmp_path / "none", study, table)
    assert report.exists() and [r["trials"] for r in summary] == [0, 0]
    searched = search_thresholds(study, tmp_path / "lost", Plan(rounds=1, batch=2), engine="threads")
    assert write_search(tmp_path / "lost", study, searched)[0].exists()
