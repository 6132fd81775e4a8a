"""Spaces over the fields of feet, measures, rounding, sensitivity, parts lists and whole searches on the bench."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import mujoco
import numpy as np
import pytest

pytest.importorskip("optuna", reason="needs the extra design")

from plantar import InvalidInput, bench, design, feet
from plantar.design import Dimension, Space, make_space
from plantar.design.evaluate import Evaluation
from plantar.design.measure import parse_asked, parse_goal, parse_limit
from plantar.design.parts import check_parts, parts_list
from plantar.design.rounding import rounded
from plantar.design.search import own_values
from plantar.design.sensitivity import sensitivity
from plantar.design.subject import Ground, Setting, Subject, share_walked
from plantar.feet import registry
from plantar.table import Table

FAST = feet.get("softfoot:fast")


def test_a_space_reads_ranges_choices_conditions_and_scale():
    texts = ["tendon.present=true|false", "tendon.arm=0.0036..0.006 if tendon.present=true", "modules=4..8"]
    space = make_space(FAST, [*texts, "contact.stiffness=3e8..3e9:log", "scale=0.6..1.2"])
    present, arm, modules, contact, _ = space.dimensions
    assert present.values == (True, False) and arm.when == ("tendon.present", True)
    assert modules.kind == "int" and contact.at(0.5) == pytest.approx(math.sqrt(3e8 * 3e9))
    values = space.at([0.0, 0.5, 1.0, 0.0, 0.0])
    foot = space.build(values)
    assert foot.modules == 8 and foot.tendon.arm == pytest.approx(0.0048)  # type: ignore[attr-defined]
    assert foot.pitch == pytest.approx(0.6 * FAST.pitch)  # type: ignore[attr-defined]
    assert "tendon.arm" not in space.at([1.0, 0.5, 1.0, 0.0, 0.0])
    assert make_space(FAST, [dimension.text() for dimension in space.dimensions]) == space


def test_a_field_alone_is_varied_as_far_as_can_be_built():
    hardness, offset, chains = make_space(FAST, ["band.hardness", "band.exit_offset", "chains"]).dimensions
    assert (hardness.low, hardness.high) == pytest.approx((20, 80), rel=2e-3)
    assert offset.high < FAST.coupling_length / 2 < 1.01 * offset.high  # type: ignore[attr-defined]
    assert (chains.low, chains.high) == (2, 5)


def test_one_number_of_a_field_with_several_is_varied():
    space = make_space(FAST, ["heel_half_size.1=0.0107..0.015", "tendon.start.0"])
    width, start = space.dimensions
    assert (start.low, start.high) == pytest.approx(sorted((3 * FAST.tendon.start[0], FAST.tendon.start[0] / 3)))  # type: ignore[attr-defined]
    wide = space.build({width.name: 0.015})
    assert wide.sole.width == pytest.approx(10 * 0.015) and wide.heel_half_size[::2] == FAST.heel_half_size[::2]  # type: ignore[attr-defined]
    assert own_values(space) == {width.name: 0.01072, start.name: FAST.tendon.start[0]}  # type: ignore[attr-defined]
    assert rounded(space, {width.name: 0.0136})[width.name] == 0.0135
    with pytest.raises(InvalidInput, match="0 to 2"):
        make_space(FAST, ["heel_half_size.3=0.01..0.02"])


@pytest.mark.parametrize("name", ["softfoot_q", "ball", "flat", "solid"])
def test_any_foot_has_fields_to_vary(name: str):
    if name not in feet.names():
        pytest.skip("needs the extra soft")
    foot = feet.get(name)
    field = {"softfoot_q": "arch_stiffness", "ball": "radius", "flat": "length", "solid": "thickness"}[name]
    space = make_space(foot, [field])
    assert space.build(space.at([1.0])) != space.build(space.at([0.0]))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("band.hardness=1..", "give FIELD=LOW..HIGH"),
        ("band.hardness=nan..60", "finite"),
        ("band.hardness=60..40", "LOW below HIGH"),
        ("band.hardnes=40..60", "did you mean band.hardness"),
        ("modules=4.5..8", "two integers"),
        ("side=1..2", "has no range"),
        ("tendon.slack=-0.1..0.1:log", "LOW above 0"),
        ("band.hardness=200..300", "no foot in these ranges can be built"),
        ("band.hardness=soft|hard", "none of these values|can be built"),
        ("tendon.arm=0.004..0.006 if chains=3", "varied before it"),
        ("=1..2", "give FIELD=LOW..HIGH"),
    ],
)
def test_what_cannot_be_varied_is_one_line(text: str, match: str):
    with pytest.raises(InvalidInput, match=match) as error:
        make_space(FAST, [text])
    assert "\n" not in str(error.value)


def test_a_foot_that_cannot_be_built_is_a_row_with_its_reason():
    evaluation = Evaluation(foot=FAST.to_dict(), goals=("mass",), limits=("length<=0.2",))
    unbuilt = evaluation({"values": {"coupling_length": 0.03}}, 0)
    assert unbuilt["violation"] > 1 and "coupling_length" in unbuilt["reason"] and math.isnan(unbuilt["mass"])
    long = evaluation({"values": {}}, 0)
    assert long["violation"] == pytest.approx(long["length"] / 0.2 - 1) and "length<=0.2" in long["reason"]
    assert evaluation({"values": {"modules": 2}}, 0)["violation"] == 0


def test_measures_are_those_of_the_rooms():
    subject = Subject(FAST)
    assert parse_asked("mass").of(subject) == pytest.approx(float(FAST.model().body_subtreemass[0]))
    assert parse_asked("parts").of(subject) == 49
    pressed = bench.stiffness(FAST, loads=(0.0, 10.0, 20.0, 40.0, 80.0, 160.0), threads=1)
    expected = 150 / (pressed.column("deflection")[-1] - pressed.column("deflection")[1])
    assert parse_asked("stiffness").of(subject) == pytest.approx(expected)
    bar = parse_asked("contact_area:over=bar").of(subject)
    assert parse_asked("contact_area:over=bar:level=0.03").of(Subject(FAST.locked())) < bar
    assert parse_goal("max:mass").sign == -1 and parse_goal("mass").sign == 1
    assert parse_limit("mass<=0.9").excess(1.8) == pytest.approx(1.0)
    assert parse_limit("lift:angle=15>=0.002").asked.options == {"angle": 15.0}


def test_stress_and_strain_of_bands_follow_from_their_stretch():
    band = FAST.band  # type: ignore[attr-defined]
    strain = parse_asked("band_strain").of(Subject(FAST.with_(flexion_limit=1e-6)))
    assert strain == pytest.approx(band.stretch, rel=1e-6)
    stress = parse_asked("band_stress").of(Subject(FAST.with_(flexion_limit=1e-6)))
    assert stress == pytest.approx(feet.young_from_shore_a(band.hardness) * band.stretch, rel=1e-6)
    with pytest.raises(InvalidInput, match="no elastic bands"):
        parse_asked("band_stress").of(Subject(feet.BallFoot()))


def test_rounding_takes_steps_that_can_be_bought():
    space = make_space(FAST, ["band.hardness=41..79", "pitch=0.0201..0.0259", "modules=4..8", "scale=0.5..1"])
    values = {"band.hardness": 62.6, "pitch": 0.02213, "modules": 5, "scale": 0.73}
    assert rounded(space, values) == {"band.hardness": 65.0, "pitch": 0.022, "modules": 5, "scale": 0.73}
    assert rounded(space, values, {"band.hardness": 10, "scale": 0.05})["band.hardness"] == 60
    assert rounded(space, {"band.hardness": 78.9}, {"band.hardness": 10}) == {"band.hardness": 70}
    with pytest.raises(InvalidInput, match="step pitch"):
        rounded(space, values, {"pitch": 0.0})
    with pytest.raises(InvalidInput, match="not a field that is varied"):
        rounded(space, values, {"chains": 1.0})


def test_sensitivity_is_that_of_a_known_polynomial():
    """3 x + 2 y z with x, y, z evenly in +-1: variances 9/3 and 4/9, so shares 27/31 and 4/31; w does nothing."""
    dimensions = tuple(Dimension(name=name, low=-1.0, high=1.0) for name in "xyzw")
    space = Space(foot=FAST, dimensions=dimensions)
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = [{**space.draw(rng), "violation": 0.0} for _ in range(60)]
    for row in rows:
        row["m"] = 3 * row["x"] + 2 * row["y"] * row["z"] + 5
    found = {(row["field"], row["with"]): row for row in sensitivity(space, rows, "m")}
    assert found["x", ""]["share"] == pytest.approx(27 / 31, abs=1e-3)
    assert found["y", "z"]["share"] == pytest.approx(4 / 31, abs=1e-3)
    assert found["w", ""]["share"] < 1e-6 and found["x", ""]["slope"] == pytest.approx(6, rel=1e-3)
    assert found["x", ""]["trusted"]
    for row in rows:
        row["m"] = rng.normal()
    assert not sensitivity(space, rows, "m")[0]["trusted"]


@pytest.mark.parametrize(
    "foot",
    [
        feet.SoftFoot(),
        feet.SoftFoot(chains=3, modules=7, pitch=0.024, tendon=feet.Tendon(slack=-0.001, arm=0.005)),
        feet.SoftFoot(chains=2).scaled(0.6),
        feet.get("softfoot_q"),
    ],
    ids=["default", "long", "small", "q"],
)
def test_a_parts_list_fits_the_compiled_model(
    foot: feet.Foot, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
):
    checks, name = check_parts(foot), request.node.callspec.id
    record_property(f"design.parts.{name}.good", [sum(row["good"] for row in checks), len(checks)])
    for row in checks:
        if row["check"] == "largest strain of a band [-]":
            record_property(f"design.parts.{name}.strain", [row["value"], row["allowed"]])
    assert [row["check"] for row in checks if not row["good"]] == []
    rows, model = parts_list(foot), foot.model()
    masses = {(row["part"], row["value"]): row["count"] * row["value"] for row in rows if row["what"] == "mass"}
    assert sum(masses.values()) == pytest.approx(float(model.body_subtreemass[0]), rel=1e-6)
    if isinstance(foot, feet.SoftFoot):
        listed = {(row["part"], row["what"]): row for row in rows}
        joints = [model.joint(j).name for j in range(model.njnt)]
        couplings = listed["coupling", "distance of its two hinges"]["count"]
        assert couplings == sum(name.endswith("_a") for name in joints)
        cord = listed["tendon", "length between its ends, taut"]
        lengths = [model.tendon_range[t, 1] for t in range(model.ntendon) if model.tendon(t).name.startswith("tendon")]
        assert cord["count"] == len(lengths) and np.allclose(lengths, cord["value"])
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        arch = data.site("loop1_arch").xpos
        assert listed["anterior arch", "ankle to metatarsal joint"]["value"] == pytest.approx(
            np.hypot(arch[0], arch[2])
        )


def test_a_parts_list_that_does_not_fit_is_told():
    overstretched = feet.SoftFoot(chains=1, band=feet.Band(stretch=3.5))
    assert [row["check"] for row in check_parts(overstretched) if not row["good"]] == ["largest strain of a band [-]"]
    for hardness, good in ((60.0, True), (80.0, False)):  # hard rubber breaks sooner: 350 and 250 %
        foot = feet.SoftFoot(chains=1, band=feet.Band(stretch=2.6, hardness=hardness))
        assert all(row["good"] for row in check_parts(foot)) is good


def test_a_fall_counts_by_its_time_not_by_where_the_robot_lands():
    fell = {"success": False, "status": "fell", "duration": 6.0, "distance": -0.4}
    assert share_walked(fell, 8.0, 0.6) == 0.75 == share_walked({**fell, "distance": 0.8}, 8.0, 0.6)
    assert share_walked({**fell, "status": "strayed", "distance": 0.3}, 8.0, 0.6) == 0.5
    assert share_walked({**fell, "success": True}, 8.0, 0.6) == 1.0


def test_a_bench_search_chooses_writes_and_resumes(tmp_path: Path):
    ask: dict[str, Any] = {
        "foot": FAST,
        "vary": ["band.hardness=40..80", "chains=3..5", "pitch=0.020..0.026"],
        "objectives": ["mass", "stiffness"],
        "limits": ["length<=0.28"],
        "budget": design.Budget(evaluations=10, batch=5),
        "out": tmp_path / "runs",
        "workers": 1,
    }
    result = design.search(**ask)
    assert result.foot is not None and result.front
    assert all(row["length"] <= 0.28 for row in result.front)
    assert {"start", "chosen", "rounded"} <= {row["foot"] for row in result.verified}
    again = design.search(**ask)
    assert again.rows == result.rows and again.verified == result.verified
    report = result.write(tmp_path / "report")
    text = report.read_text()
    for title in ("The front", "side by side", "price of available parts", "Parts list", "could not determine"):
        assert title in text
    chosen = feet.load(tmp_path / "report" / "rounded.json")
    assert chosen.band.hardness % 5 == 0  # type: ignore[attr-defined]
    assert mujoco.MjModel.from_xml_path(str(next((tmp_path / "report" / "model").glob("softfoot.xml")))).nq > 0
    with (tmp_path / "report" / "parts.csv").open() as file:
        assert {row["part"] for row in csv.DictReader(file)} >= {"elastic band", "tendon", "pulley", "module"}


@dataclass(frozen=True, kw_only=True)
class Hoof(feet.BallFoot):
    """A foot of somebody else."""

    name: ClassVar[str] = "hoof"
    horn: float = 0.004
    """Thickness of the horn [m]."""

    def build(self) -> mujoco.MjSpec:
        """A ball whose horn weighs something."""
        spec = super().build()
        spec.bodies[1].mass += 10 * self.horn
        return spec


def test_a_foot_that_somebody_registered_is_searched_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_CLASSES", dict(registry._CLASSES))
    feet.register(Hoof)
    ask: dict[str, Any] = {"foot": "hoof", "vary": ["horn=0.002..0.008", "radius=0.02..0.04"], "workers": 1}
    result = design.search(**ask, objectives=["mass"], budget=design.Budget(evaluations=24), out=tmp_path / "runs")
    assert result.foot is not None and result.foot.horn < 0.003  # type: ignore[attr-defined]
    result.write(tmp_path / "report")
    assert isinstance(feet.load(tmp_path / "report" / "rounded.json"), Hoof)
    assert "horn" in (tmp_path / "report" / "parts.csv").read_text()


def test_a_start_that_breaks_a_limit_is_told(tmp_path: Path):
    ask: dict[str, Any] = {"foot": FAST, "vary": ["scale=0.6..0.9"], "objectives": ["lift"], "workers": 1}
    result = design.search(**ask, limits=["length<=0.25"], budget=design.Budget(evaluations=2), out=tmp_path / "runs")
    assert "start cannot be used: breaks length<=0.25" in result.text()
    said = result.write(tmp_path / "report").read_text()
    assert "the start cannot be used, as it breaks length" in said and "start nan" not in said


def test_a_wanted_curve_pulls_towards_the_foot_it_came_from(tmp_path: Path):
    hidden = FAST.with_(band__hardness=66.0)
    table = bench.stiffness(hidden, loads=(20.0, 80.0), threads=1)
    file = tmp_path / "curve.csv"
    rows = "\n".join(f"{row['load']},{row['deflection']}" for row in table)
    file.write_text(f"load,deflection\n{rows}\n")
    asked = parse_asked(f"curve:file={file}")
    assert asked.of(Subject(hidden)) == pytest.approx(0.0, abs=1e-12)
    assert asked.of(Subject(FAST.with_(band__hardness=62.0))) < asked.of(Subject(FAST.with_(band__hardness=50.0)))
    result = design.search(
        foot=FAST,
        vary=["band.hardness=40..80"],
        objectives=[f"curve:file={file}"],
        budget=design.Budget(evaluations=3),
        out=tmp_path / "runs",
        workers=1,
    )
    assert "The desired curve" in result.write(tmp_path / "report").read_text()
    assert (tmp_path / "report" / "curve.png").stat().st_size > 5000
    file.write_text("load,deflection\n20,none\n")
    with pytest.raises(InvalidInput, match="is not a curve"):
        asked.of(Subject(hidden))


def test_finalists_are_not_chosen_by_luck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The start is lucky on the draws of the search, and on no others."""

    def lucky(subject: Subject) -> float:
        hardness = subject.foot.band.hardness  # type: ignore[attr-defined]
        return abs(hardness - 70) - (15 if hardness == 60 and subject.setting.seed == 0 else 0)

    about: dict[str, Any] = {"name": "lucky", "summary": "", "unit": "", "better": "min", "level": "model"}
    monkeypatch.setitem(design.MEASURES, "lucky", design.Measure(**about, value=lucky, options={}))
    ask: dict[str, Any] = {"foot": FAST, "vary": ["band.hardness=40..80"], "objectives": ["lucky"]}
    ask |= {"sampler": "random", "workers": 1}
    once = design.search(**ask, budget=design.Budget(evaluations=16), out=tmp_path / "once")
    twice = design.search(**ask, budget=design.Budget(evaluations=16, finalists=4), out=tmp_path / "twice")
    assert once.values["chosen"]["band.hardness"] == 60
    assert abs(twice.values["chosen"]["band.hardness"] - 70) < 2.5


def test_no_foot_walks_twice_because_it_was_pressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Presses and walks were proposed by the same dice, so that the best of the presses walked again and again."""
    for name, level in (("walked", "walk"), ("pressed", "press")):
        about: dict[str, Any] = {"name": name, "summary": "", "unit": "", "better": "min", "level": level}
        monkeypatch.setitem(design.MEASURES, name, design.Measure(**about, value=_hardness))
    result = design.search(
        "biped",
        FAST,
        vary=["band.hardness=40..80", "pitch=0.02..0.025"],
        objectives=["walked"],
        screen=["pressed"],
        grounds=["flat"],
        sampler="tpe",
        budget=design.Budget(evaluations=16, presses=16),
        out=tmp_path,
        workers=1,
    )
    assert len({row["pitch"] for row in result.rows}) == 16


def _hardness(subject: Subject) -> float:
    return subject.foot.band.hardness  # type: ignore[attr-defined]


def test_walks_are_those_of_the_walking_room():
    pytest.importorskip("daqp")
    with pytest.raises(InvalidInput, match="COURSE:LEVEL"):
        Ground.parse("bars")
    with pytest.raises(InvalidInput, match="not known"):
        Ground.parse("moon:1")
    with pytest.raises(InvalidInput, match="give ROBOT and grounds"):
        parse_asked("held").of(Subject(FAST))
    setting = Setting(robot="biped", grounds=("flat:0",), footsteps=6)
    subject = Subject(FAST, setting)
    assert parse_asked("held").of(subject) == 1.0 == parse_asked("way").of(subject)
    assert 0.01 < parse_asked("transport").of(subject) < 2 and len(subject.walks) == 1


def test_figures_per_metre_are_of_walks_that_arrived():
    """A robot that falls back onto its start has gone nowhere, and its cost a metre is beyond all bounds."""
    subject = Subject(FAST)
    walked = {"success": True, "transport": 0.3, "slip": 0.01, "force_peak": 1.0}
    subject.walks = [walked, {"success": False, "transport": 900.0, "slip": 400.0, "force_peak": 3.0}]
    assert (parse_asked("transport").of(subject), parse_asked("slip").of(subject)) == (0.3, 0.01)
    assert parse_asked("force_peak").of(subject) == 2.0
    subject.walks = subject.walks[1:]
    assert math.isnan(parse_asked("slip").of(subject))


def test_a_foot_that_never_arrives_says_so(monkeypatch: pytest.MonkeyPatch):
    """Its slip a metre is not known; what it did before it fell still is."""
    fallen = {"success": False, "way": 0.4, "slip": 9.0}
    monkeypatch.setattr(Subject, "walks", property(lambda self: [fallen]))
    row = Evaluation(foot=FAST.to_dict(), goals=("way", "slip"))({"values": {}}, 0)
    assert row["way"] == 0.4 and row["violation"] > 0
    assert row["reason"] == "slip is not known for this foot: none of its walks arrived"


def test_near_falls_count_in_the_excursion():
    """One fall of a metre must not drown out what the other walks say."""
    subject = Subject(FAST)
    subject.walks = [{"com_excursion": 0.01}, {"com_excursion": 1.0}]
    calm = parse_asked("excursion").of(subject)
    assert calm == pytest.approx(0.1)
    subject.walks = [{"com_excursion": 0.04}, {"com_excursion": 1.0}]
    assert parse_asked("excursion").of(subject) == pytest.approx(2 * calm)


def test_controls_walk_alone_over_the_same_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    walked: list[dict[str, Any]] = []

    def run(study: Any, trials: list[dict[str, Any]], *_: Any, **__: Any) -> Table:
        walked.extend(trials)
        return Table([{**trial, "success": True, "trial": i} for i, trial in enumerate(trials)])

    monkeypatch.setattr(sys.modules["plantar.design.judge"], "run_trials", run)
    setting = Setting(robot="biped", grounds=("bars:0.02",))
    both = design.judge({"designed": FAST}, setting, tmp_path, draws=2, first=3)
    alone = design.judge(
        {"designed": FAST}, setting, tmp_path, draws=2, first=3, controls=("locked",), only_controls=True, own=False
    )
    assert {row["foot"] for row in both.table} == {"designed", "own"}
    assert {row["foot"] for row in alone.table} == {"locked designed"}
    assert {row["draw_seed"] for row in both.table} == {row["draw_seed"] for row in alone.table}


@pytest.mark.long
def test_a_search_with_walks_presses_first_and_judges_on_held_out_ground(tmp_path: Path):
    pytest.importorskip("daqp")
    result = design.search(
        "biped",
        FAST,
        vary=["band.hardness=40..80", "chain_spacing=0.014..0.024"],
        objectives=["way", "force_rate"],
        screen=["contact_area"],
        grounds=["bars:0.015"],
        held_out=["flat"],
        budget=design.Budget(evaluations=3, presses=4, keep=2, batch=2, judged=2, judge="fast"),
        footsteps=6,
        out=tmp_path / "runs",
        workers=1,
    )
    assert len(result.pressed) == 4 and len(result.rows) == 3
    pressed = sorted((row["contact_area"], row["band.hardness"]) for row in result.pressed)
    assert result.rows[1]["band.hardness"] == pressed[-1][1]  # after the start, the best of the presses walks first
    judged = result.judgement
    assert judged is not None and {row["course"] for row in judged.summary} == {"flat"}
    assert {row["foot"] for row in judged.summary} == {"chosen", "start", "rounded", "own"}
    assert all(row["trials"] == 2 for row in judged.summary)
    assert "Confidence" in result.write(tmp_path / "report").read_text()
