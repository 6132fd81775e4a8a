"""Drops: a known foot is found again from noisy recordings; bad files are named."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from plantar._files import write_table
from plantar.errors import InvalidInput, PlantarError
from plantar.gait import RubberContact, synthetic_drops
from plantar.gait.drop_plots import plot_fit
from plantar.gait.drops import DropRig, fall, read_drops
from plantar.gait.fit_drops import NAMES, fit_drops

LAW, RIG = RubberContact(), DropRig()


@pytest.fixture(scope="module")
def clean() -> list[float]:
    """Peak force of each drop without noise [N]."""
    table = synthetic_drops(rig=DropRig(noise=0.0))
    return [max(r["acceleration"] for r in table.where(drop=i + 1)) * 0.5 + 0.5 * 9.81 for i in range(5)]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)])
def test_a_fit_finds_the_foot_through_two_percent_of_noise(seed, clean):
    found = fit_drops(synthetic_drops(seed=seed), RIG.mass)
    for name in NAMES:
        assert getattr(found.law, name) == pytest.approx(getattr(LAW, name), rel=0.05), name
        low, high = found.intervals[name]
        assert low < getattr(found.law, name) < high
    for row, true in zip(found.drops, clean, strict=True):
        assert row["peak_force"] == pytest.approx(true, rel=0.02)
    assert found.noise["height"] == pytest.approx(0.02, rel=0.1)


@pytest.mark.parametrize("velocity", ["position", "acceleration"])
def test_one_channel_is_enough(velocity, clean):
    found = fit_drops(synthetic_drops(seed=3), RIG.mass, velocity=velocity)
    assert found.law.stiffness == pytest.approx(LAW.stiffness, rel=0.05)
    assert found.law.damping == pytest.approx(LAW.damping, rel=0.05)
    assert found.drops[-1]["peak_force"] == pytest.approx(clean[-1], rel=0.02)


@pytest.mark.parametrize("seed", [1, 5])
def test_a_fit_to_accelerations_loses_no_drop(seed):
    found = fit_drops(synthetic_drops(seed=seed), RIG.mass, velocity="acceleration")
    assert found.noise["acceleration"] == pytest.approx(0.02, rel=0.1)
    for name, (low, high) in found.intervals.items():
        assert high / low < 1.1, name


def test_a_fit_that_loses_a_drop_is_no_fit(monkeypatch):
    def thrown_up(recording, z, v):
        return 1.0, 1.0

    monkeypatch.setattr(importlib.import_module("plantar.gait.fit_drops"), "before_contact", thrown_up)
    with pytest.raises(PlantarError, match="never lands in the fit"):
        fit_drops(synthetic_drops(seed=1), RIG.mass, velocity="acceleration")


def test_an_accelerometer_alone_in_the_file(tmp_path):
    rows = [{k: v for k, v in row.items() if k != "height"} for row in synthetic_drops(seed=2)]
    path = write_table(tmp_path, "drops", rows)
    found = fit_drops(read_drops(path), RIG.mass)
    assert found.law.stiffness == pytest.approx(LAW.stiffness, rel=0.1)


def test_free_fall_is_exact_and_contact_of_fourth_order():
    heights = np.array([1.0])
    z, v, _ = fall(LAW, 0.5, heights, np.array([0.0]), 1e-3, 200)
    assert z[100, 0] == pytest.approx(1 - 9.81 / 2 * 0.1**2, abs=1e-12)
    ends = [fall(LAW, 0.5, np.array([0.0]), np.array([-1.0]), 0.008 / n, n + 1)[0][-1, 0] for n in (40, 80, 320)]
    assert abs(ends[0] - ends[2]) > 6 * abs(ends[1] - ends[2])


def test_the_figure_has_four_panels():
    assert len(plot_fit(fit_drops(synthetic_drops(seed=1), RIG.mass)).axes) == 4


def test_bad_files_are_named(tmp_path):
    path = tmp_path / "drops.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput, match="columns a, b"):
        read_drops(path)
    path.write_text("drop,time,height\n1,0,0.1\n1,x,0.2\n")
    with pytest.raises(InvalidInput, match="line 3"):
        read_drops(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_drops(tmp_path / "none.csv")


def test_a_drop_that_never_lands_is_named():
    rows = [{"drop": 7, "time": i * 1e-4, "height": 0.1, "acceleration": -9.81} for i in range(50)]
    from plantar.table import Table

    with pytest.raises(InvalidInput, match="drop 7"):
        fit_drops(Table(rows), 0.5)
