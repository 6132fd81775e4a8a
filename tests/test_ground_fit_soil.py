"""Laws of soil fitted to presses, wheels and dragged plates, and what they say of data that they have not seen."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.ground import load_ground, materials
from plantar.ground.soil import rft
from plantar.ground.soil.fit_flow import fit_flow
from plantar.ground.soil.fit_press import fit_press
from plantar.ground.soil.measured import read_soil
from plantar.ground.soil.yielding import YieldingGround

REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "real"
needs_data = pytest.mark.skipif(not REAL.is_dir(), reason="needs the measured sand of ../shared, which is not here")


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    return path


def presses(seed=0, m=0.8, n=1.2, sizes=(0.04, 0.06, 0.09), spread=0.05):
    """Plates with a law that is known; every press is off by a factor of its own."""
    rng, rows = np.random.default_rng(seed), []
    for size in sizes:
        for repeat in range(3):
            own = np.exp(spread * rng.normal())
            for depth in np.linspace(0.0005, 0.025, 60):
                pressure = 1e4 * own * (size / 0.1) ** m * (depth / 0.01) ** n * (1 + 0.02 * rng.normal())
                force = pressure * np.pi * size**2 / 4
                rows.append({"run": f"{size}-{repeat}", "diameter": size, "depth": depth, "force": force})
    return rows


def test_a_known_law_lies_in_the_intervals_and_the_right_form_wins(tmp_path):
    inside = []
    for seed in range(20):
        fit = fit_press(read_soil(write(tmp_path / "plates.csv", presses(seed))))
        assert fit.law == "size"
        truth = {"k_phi_pressure": 1e4, "m": 0.8, "n": 1.2}
        inside += [row["low"] <= truth[row["parameter"]] <= row["high"] for row in fit.parameters]
        assert fit.covered > 0.7
    assert np.mean(inside) > 0.88
    flat = fit_press(read_soil(write(tmp_path / "flat.csv", presses(m=0.0, spread=0.01))))
    assert abs(flat.ground.m) < 0.1


def unloaded(rows):
    """The presses with their unloading, along a steep line as soil has it."""
    found = []
    for name in dict.fromkeys(row["run"] for row in rows):
        mine = [row for row in rows if row["run"] == name]
        top = mine[-1]
        for share in np.linspace(1, 0, 40):
            mine.append({**top, "depth": (0.7 + 0.3 * share) * top["depth"], "force": share * top["force"]})
        found += mine
    return found


def shallow_parts(rows):
    """Some of the presses begin where others are already deep."""
    return [row for row in rows if row["depth"] > 0.008 or not row["run"].endswith("1")]


def as_one(rows):
    return [{k: v for k, v in row.items() if k != "run"} for row in rows]


@pytest.mark.parametrize(
    "change",
    [unloaded, shallow_parts, as_one, lambda rows: as_one(unloaded(rows)), lambda rows: rows[::-1]],
    ids=["unloaded", "shallow", "one", "one unloaded", "backwards"],
)
def test_a_law_of_first_loading_is_fitted_to_nothing_else(change, tmp_path):
    """Up to 16 mm, so that unloading lies in the middle of the window."""
    rows = [row for row in presses(spread=0.02) if row["depth"] < 0.016]
    fit = fit_press(read_soil(write(tmp_path / "plates.csv", change(rows))))
    found = {row["parameter"]: row["value"] for row in fit.parameters}
    assert found["n"] == pytest.approx(1.2, abs=0.03) and found["m"] == pytest.approx(0.8, abs=0.1)
    assert found["k_phi_pressure"] == pytest.approx(1e4, rel=0.05)
    assert max(row["error"] for row in fit.left_out) < 0.1


@pytest.mark.parametrize("name", ["depth", "diameter"])
def test_lengths_in_millimetres_are_refused(name, tmp_path):
    rows = [{**row, name: 1e3 * row[name]} for row in presses()]
    with pytest.raises(InvalidInput, match=f"{name} .* metres"):
        read_soil(write(tmp_path / "plates.csv", rows))


def test_one_size_does_not_tell_the_exponent_of_size(tmp_path):
    rows = [{**row, "box": row["run"][-1]} for row in presses(sizes=(0.06,))]
    fit = fit_press(read_soil(write(tmp_path / "one.csv", rows)))
    assert fit.law == "plain" and any("have the same size" in note for note in fit.notes)
    with pytest.raises(InvalidInput, match="at least two"):
        fit_press(read_soil(write(tmp_path / "none.csv", presses(sizes=(0.06,)))))


def test_dragged_plates_tell_one_scale(tmp_path):
    rng, rows = np.random.default_rng(2), []
    for tilt in (0, 30, 60):
        for below in (90, 60, 30):
            for depth in (0.02, 0.04):
                a, b = np.radians([tilt, below])
                normal, motion = [np.sin(a), 0, -np.cos(a)], [np.cos(b), 0, -np.sin(b)]
                force = 3e5 * depth * 1e-3 * rft.stress(normal, motion)[0] * (1 + 0.03 * rng.normal())
                row = {"tilt_deg": tilt, "motion_deg": below, "depth": depth, "area": 1e-3}
                rows.append({**row, "force_x": force[0], "force_z": force[2]})
    fit = fit_flow(read_soil(write(tmp_path / "plates.csv", rows)))
    assert fit.law == "n = 1, published" and fit.error < 0.05
    assert fit.ground.k_phi == pytest.approx(0.875 * 3e5, rel=0.03) and fit.ground.n == 1.0


@needs_data
def test_each_size_and_box_of_measured_sand_is_predicted_from_the_others():
    fit = fit_press(read_soil(REAL / "sand_plates_loading.csv"))
    assert fit.law == "size"
    assert max(row["error"] for row in fit.left_out) < 0.06
    assert max(row["worst_run"] for row in fit.left_out) < 0.12
    assert next(row["left_out"] for row in fit.laws if row["law"] == "bekker") > 0.2
    assert fit.covered > 0.85
    listed = materials.get("testbed_sand")
    assert listed.k_phi == pytest.approx(fit.ground.k_phi, rel=1e-3)
    assert listed.m == pytest.approx(fit.ground.m, abs=1e-3)
    assert "left out" in listed.fitted


@needs_data
def test_wheels_at_conditions_left_out():
    fit = fit_flow(read_soil(REAL / "sand_wheel_runs.csv"))
    best = next(row for row in fit.laws if row["law"] == fit.law)
    assert best["left_out_condition"] < 0.15 and best["left_out_rim_speed"] < 0.2
    angles = {row["part"]: row["error"] for row in fit.left_out if row["part"].startswith("angle")}
    # a whole angle between others; at 90 degrees, where the axle is buried, it fails, and says so
    assert max(angles[f"angle {a}"] for a in ("0.0", "15.0", "30.0", "60.0", "75.0")) < 0.2
    assert angles["angle 90.0"] > 0.3
    published = next(row for row in fit.laws if row["law"] == "n = 1, published")
    assert published["left_out"] > 0.3
    assert fit.covered > 0.9


def test_the_command_fits_checks_and_writes(tmp_path, capsys):
    data, other = write(tmp_path / "a.csv", presses(1)), write(tmp_path / "b.csv", presses(2))
    out = tmp_path / "out"
    assert run(["ground", "fit-soil", str(data), "--check", str(other), "--out", str(out), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["law"] == "size" and record["checked"] and record["notes"]
    assert {"fit.png", "ground.json", "laws.csv", "left_out.csv", "checked.csv"} <= {p.name for p in out.iterdir()}
    soil = load_ground(out / "ground.json")
    assert isinstance(soil, YieldingGround) and soil.m == pytest.approx(record["ground"]["m"])
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    assert run(["ground", "fit-soil", str(tmp_path / "bad.csv"), "--out", str(tmp_path / "x")]) == 2
    assert "press: depth, force, diameter" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
