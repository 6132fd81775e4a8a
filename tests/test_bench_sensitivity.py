from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from plantar.bench.compare.compare import BODIES, compare
from plantar.bench.compare.measured import Measured
from plantar.bench.press.press import Trial, run_trials, trials
from plantar.bench.press.rig import PressRig
from plantar.bench.sensitivity.plots import plot_sensitivity
from plantar.bench.sensitivity.sensitivity import PAPER, SensitivityResult, planned, sensitivity, settings, workload
from plantar.errors import InvalidInput
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Table

TODO = trials(loads=(24.0,), heights=(0.011, 0.015), positions=(2, 3, 4))
SECONDS = 2.0


@pytest.fixture(scope="module")
def nominal() -> Table:
    return run_trials(SoftFoot(chains=1), PressRig(), TODO, SECONDS)


@pytest.fixture(scope="module")
def result(nominal: Table) -> SensitivityResult:
    """The nominal simulation taken for the measurement."""
    return sensitivity(measured=nominal, todo=TODO, duration=SECONDS)


def row(result: SensitivityResult, group: str, setting: str) -> dict[str, float]:
    return result.table.where(group=group, setting=setting)[0]


def test_settings_are_those_of_the_paper() -> None:
    plan = settings(PressRig(heel_shift=0.001))
    assert [(s.group, s.label) for s in plan] == [
        ("nominal", "nominal"),
        ("heel support", "-4 mm"),
        ("heel support", "+4 mm"),
        ("metatarsus support", "-4 mm"),
        ("metatarsus support", "+4 mm"),
        *(("tilt", f"{d} deg") for d in (1, 2, 3, 4, 5)),
    ]
    assert [s.rig.heel_shift for s in plan[:4]] == pytest.approx([0.001, -0.003, 0.005, 0.001])
    assert [s.rig.metatarsus_shift for s in plan[3:5]] == pytest.approx([-0.004, 0.004])
    assert [math.degrees(s.rig.tilt) for s in plan[5:]] == pytest.approx([1, 2, 3, 4, 5])


def test_paper_figures_are_those_of_the_discussion(shared: Path) -> None:
    (paper,) = (shared / "papers").glob("000_*.txt")
    text = paper.read_text(encoding="utf-8")
    for shares in PAPER.values():
        heel, module, metatarsus = (f"{100 * shares[b]:g}%" for b in BODIES)
        assert f"{heel} for the heel, {module} for the plantar fascia, and {metatarsus} for the metatarsus" in text


def test_nominal_bench_changes_nothing(result: SensitivityResult) -> None:
    assert [result.table[0][f"{what}_{b}"] for what in ("change", "shift", "error") for b in BODIES] == [0.0] * 9


def test_tilting_the_front_down_moves_force_from_heel_to_metatarsus(result: SensitivityResult) -> None:
    tilted = result.table.where(group="tilt")
    assert (np.diff(tilted.column("mean_heel")) < 0).all()
    assert (np.diff(tilted.column("mean_metatarsus")) > 0).all()


def test_measures_follow_their_definitions(result: SensitivityResult, nominal: Table) -> None:
    moved = run_trials(SoftFoot(chains=1), PressRig(heel_shift=0.004), TODO, SECONDS)
    back = run_trials(SoftFoot(chains=1), PressRig(heel_shift=-0.004), TODO, SECONDS)
    found = row(result, "heel support", "+4 mm")
    for b in BODIES:
        f, f0, f1 = (t.column(f"force_{b}") for t in (moved, nominal, back))
        assert found[f"mean_{b}"] == pytest.approx(f.mean())
        assert found[f"change_{b}"] == pytest.approx(f.mean() / f0.mean() - 1)
        assert found[f"shift_{b}"] == pytest.approx((np.abs(f - f0) / f0).mean())
        summary = result.summary.where(group="heel support", body=b)[0]
        means = [f.mean(), f0.mean(), f1.mean()]
        assert summary["swing"] == pytest.approx((max(means) - min(means)) / f0.mean())
        assert summary["span"] == pytest.approx((np.ptp([f, f0, f1], axis=0) / f0).mean())


def test_paper_measure_with_the_simulation_as_measurement(result: SensitivityResult) -> None:
    # The error is then the relative change itself, is 0 at nominal, and varies by its largest value.
    for entry in result.table:
        assert [entry[f"error_{b}"] for b in BODIES] == pytest.approx([entry[f"shift_{b}"] for b in BODIES])
    for entry in result.summary:
        errors = result.table.where(group=entry["group"]).column(f"error_{entry['body']}")
        assert entry["variation"] == pytest.approx(errors.max())
        # |E(p) - E(q)| <= mean |f(p) - f(q)| / f, so that the span bounds the variation.
        assert entry["variation"] <= entry["span"] + 1e-12
        assert entry["paper"] == PAPER[entry["group"]][entry["body"]]


def test_small_shifts_either_way_have_opposite_effects(nominal: Table) -> None:
    found = sensitivity(todo=TODO, shift=0.0005, tilts=(PressRig().tilt,), duration=SECONDS)
    for group, body in (("heel support", "heel"), ("metatarsus support", "metatarsus")):
        back, forward = found.table.where(group=group).column(f"change_{body}")
        assert back * forward < 0
        assert abs(back + forward) < 0.25 * abs(back - forward)
    assert {entry["variation"] for entry in found.summary} == {None}
    assert {entry["error_heel"] for entry in found.table} == {None}


def test_trials_without_nominal_force_are_left_out_and_said() -> None:
    # At height 0 the obstacle is away: no module force, so no relative change of it.
    todo = trials(loads=(24.0,), heights=(0.0,), positions=(3,))
    found = sensitivity(todo=todo, tilts=(PressRig().tilt,), duration=1.0)
    assert found.table[1]["shift_module"] is None
    assert found.table[1]["change_module"] is None
    assert found.table[1]["shift_heel"] > 0
    assert any(note.startswith("module: 1 of 1 trials without nominal force") for note in found.notes)
    plot_sensitivity(found)


def test_progress_adds_up_to_the_workload(nominal: Table) -> None:
    one = nominal[:1]
    done: list[int] = []
    sensitivity(measured=one, duration=0.02, progress=done.append)
    assert sum(done) == workload(measured=one) == 10
    assert workload() == 10 * 48
    assert len(planned()) == 48


def test_flat_floor_and_bad_shift_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no supports to move"):
        sensitivity(rig=PressRig(flat=True))
    with pytest.raises(InvalidInput, match="shift = 4 .*metres"):
        sensitivity(shift=4)


@pytest.mark.parametrize("use", [compare, lambda table: sensitivity(measured=table)])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"force_module": ...}, "with column 'force_module'"),
        ({"force_heel": math.nan}, "measured row 1, force_heel = nan"),
        ({"rotation_1": None}, "measured row 1, rotation_1 = None"),
        ({"position": 1.5}, "measured row 1, position = 1.5"),
    ],
)
def test_measured_rows_of_a_program_are_checked_as_those_of_a_file(use, change: dict, said: str) -> None:
    forces = {"force_heel": 6.0, "force_module": 3.0, "force_metatarsus": 9.5}
    row = {"load": 12.0, "height": 0.007, "position": 1, **forces, "rotation_1": 0.1} | change
    with pytest.raises(InvalidInput, match=re.escape(said)):
        use(Table([{name: value for name, value in row.items() if value is not ...}]))


def test_the_notes_of_the_reader_stay_with_the_result() -> None:
    (row,) = run_trials(SoftFoot(chains=1), PressRig(), [Trial(load=12.0, height=0.007, position=3)], 0.5)
    found = sensitivity(measured=Measured([row], notes=["columns ignored: operator"]), tilts=(), duration=0.5)
    assert "columns ignored: operator" in found.notes


def test_tornado_ends_where_the_table_says(result: SensitivityResult) -> None:
    fig = plot_sensitivity(result)
    assert len(fig.axes) == len(BODIES)
    for axis, b in zip(fig.axes, BODIES, strict=True):
        bars = [patch for patch in axis.patches if isinstance(patch, Rectangle)]
        ends = [bar.get_x() + bar.get_width() for bar in bars]
        expected = [result.table.where(group=g).column(f"error_{b}")[i] for g in PAPER for i in (0, -1)]
        assert ends == pytest.approx([100 * e for e in expected])
