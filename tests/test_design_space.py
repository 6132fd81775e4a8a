"""Which feet are proposed, rounded, told apart and listed: spaces, steps, effects of fields, sizes of parts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

pytest.importorskip("optuna", reason="needs the extra design")

from plantar import InvalidInput, design, feet
from plantar.design import Dimension, Space, make_space
from plantar.design.parts import _ends, parts_list
from plantar.design.report import _curves, _files
from plantar.design.rounding import rounded
from plantar.design.search import own_values
from plantar.design.sensitivity import functions, sensitivity

FAST = feet.get("softfoot:fast")


def test_integers_are_rounded_to_the_steps_given_for_them():
    space = make_space(FAST, ["modules=4..9", "chains=1|3|5"])
    assert rounded(space, {"modules": 7}, {"modules": 4}) == {"modules": 8}
    assert rounded(space, {"modules": 7}, {"modules": 5}) == {"modules": 5}
    assert rounded(space, {"modules": 7}) == {"modules": 7}
    with pytest.raises(InvalidInput, match="step modules = 1.5 .* an integer"):
        rounded(space, {}, {"modules": 1.5})
    with pytest.raises(InvalidInput, match="no step, as chains is one of"):
        rounded(space, {}, {"chains": 2})


def test_a_rounded_foot_can_be_built():
    """Couplings are 13 mm long, and modules must be further apart: 13.1 mm is rounded to 13.5, not to 13."""
    space = make_space(FAST, ["pitch=0.0125..0.016", "coupling_length=0.0125..0.0135"])
    assert rounded(space, {"pitch": 0.01310, "coupling_length": 0.013}) == {"pitch": 0.0135, "coupling_length": 0.013}
    near = rounded(space, {"pitch": 0.01349, "coupling_length": 0.01348})
    assert space.why_not(near) is None


def test_a_rounded_foot_that_breaks_a_limit_is_told_beside_the_wanted_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The report of a whole search was lost, as there was no curve of the rounded foot."""
    file = tmp_path / "wanted.csv"
    file.write_text("load,deflection\n10,0.015\n40,0.017\n")
    told = replace(design.MEASURES["curve"], value=lambda subject, **_: np.array([0.1, -0.2]))
    monkeypatch.setitem(design.MEASURES, "curve", told)
    result = design.search(
        foot=FAST,
        vary=["band.hardness=53..56"],
        objectives=[f"curve:file={file}"],
        limits=["band_stress<=3.6e6"],
        steps={"band.hardness": 56},
        sampler="random",
        budget=design.Budget(evaluations=4),
        out=tmp_path / "runs",
        workers=1,
    )
    assert result.values["rounded"] == {"band.hardness": 56} and result.verified[-1]["violation"] > 0
    [section] = _curves(tmp_path, result)
    assert "was not measured" in section.text and "chosen [mm]" in (section.table or [{}])[0]


def test_the_start_is_tried_first_where_all_of_its_fields_that_count_are_in_the_space():
    """It was left out in silence where a field is a list, and where one that does not count is out of its range."""
    bare = feet.SoftFoot(tendon=feet.Tendon(present=False))
    conditional = make_space(bare, ["tendon.present=true|false", "tendon.arm=0.005..0.006 if tendon.present=true"])
    assert own_values(conditional) == {"tendon.present": False}
    listed = make_space(bare, ["heel_joint=[-0.053,-0.07274]|[-0.055,-0.07]"])
    own = own_values(listed)
    assert own == {"heel_joint": bare.heel_joint} and listed.dimensions[0].place(own["heel_joint"]) == 0
    assert own_values(make_space(bare, ["tendon.arm=0.005..0.006"])) == {}


def test_a_condition_that_never_holds_is_refused():
    for wanted in ("yes", "1", "[true]"):
        with pytest.raises(InvalidInput, match="tendon.arm if tendon.present"):
            make_space(FAST, ["tendon.present=true|false", f"tendon.arm=0.0036..0.006 if tendon.present={wanted}"])
    with pytest.raises(InvalidInput, match="pitch if modules"):
        make_space(FAST, ["modules=4..8", "pitch=0.02..0.024 if modules=9"])
    assert make_space(FAST, ["modules=4..8", "pitch=0.02..0.024 if modules=6"])


@pytest.mark.parametrize("high", [1, 2, 5])
def test_effects_of_integers_are_shares_of_the_variance_over_their_values(high: int):
    """y = 3 n + 2 x with n evenly from 0 to `high` and x in +-1: variances 9 (high^2 + 2 high) / 12 and 4 / 3."""
    n, x = Dimension(name="n", kind="int", low=0, high=high), Dimension(name="x", low=-1.0, high=1.0)
    space = Space(foot=FAST, dimensions=(n, x))
    rng = np.random.default_rng(5)
    rows: list[dict[str, Any]] = [{**space.draw(rng), "violation": 0.0} for _ in range(80)]
    for row in rows:
        row["y"] = 3 * row["n"] + 2 * row["x"]
    found = {(row["field"], row["with"]): row for row in sensitivity(space, rows, "y")}
    of_n, of_x = 9 * (high**2 + 2 * high) / 12, 4 / 3
    assert found["n", ""]["share"] == pytest.approx(of_n / (of_n + of_x), abs=1e-3)
    assert found["n", ""]["slope"] == pytest.approx(3 * high, rel=1e-3)
    assert found["x", ""]["slope"] == pytest.approx(4, rel=1e-3)


def test_functions_of_a_field_are_orthonormal_over_its_values():
    for dimension in (
        Dimension(name="n", kind="int", low=4, high=5),
        Dimension(name="n", kind="int", low=3, high=40, log=True),
    ):
        values = range(round(dimension.low), round(dimension.high) + 1)
        basis = functions(dimension, np.array([dimension.place(v) for v in values]))
        full = np.column_stack([np.ones(len(basis)), basis])
        assert full.T @ full / len(full) == pytest.approx(np.eye(full.shape[1]), abs=1e-9)


def test_feet_that_are_best_in_two_goals_of_one_measure_have_their_own_files():
    labels = ["chosen", "best lift:angle=15", "best mass", "best lift:angle=25", "rounded"]
    assert _files(labels) == ["chosen.json", "best_lift.json", "best_mass.json", "best_lift_2.json", "rounded.json"]


@pytest.mark.parametrize(
    ("geom", "half"),
    [
        ('type="capsule" size="0.01 0.03" euler="90 0 0"', (0.01, 0.04, 0.01)),
        ('type="cylinder" size="0.01 0.03" euler="0 45 0"', (0.04 / math.sqrt(2), 0.01, 0.04 / math.sqrt(2))),
        ('type="ellipsoid" size="0.01 0.02 0.03" euler="0 90 0"', (0.03, 0.02, 0.01)),
        ('type="box" size="0.01 0.02 0.03" euler="0 0 90"', (0.02, 0.01, 0.03)),
        ('type="sphere" size="0.02" euler="10 20 30"', (0.02, 0.02, 0.02)),
        ('type="mesh" mesh="m" euler="0 0 90"', (0.02, 0.01, 0.03)),
    ],
)
def test_a_part_is_as_large_as_it_stands_in_the_foot(geom: str, half: tuple[float, float, float]):
    vertices = " ".join(f"{x} {y} {z}" for x in (-0.01, 0.01) for y in (-0.02, 0.02) for z in (-0.03, 0.03))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" vertex="{vertices}"/></asset><worldbody><body>'
        f'<geom pos="0.1 0.2 0.3" {geom}/></body></worldbody></mujoco>'
    )
    low, high = _ends(model, 0)
    assert (high - low) / 2 == pytest.approx(half, abs=1e-6) and (high + low) / 2 == pytest.approx([0.1, 0.2, 0.3])


def test_rolls_that_lie_across_are_wide_and_not_high():
    """Sizes were those along the axes of a capsule, whose length is its z, and of the first of several geoms."""
    listed = {(row["part"], row["what"]): row["value"] for row in parts_list(feet.get("softfoot_q"))}
    assert listed["front roll", "outer width"] == pytest.approx(0.051)
    for across in ("outer length", "outer height"):
        assert listed["front roll", across] == pytest.approx(0.016)
