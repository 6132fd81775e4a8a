from __future__ import annotations

import importlib.util
import math
import os
from pathlib import Path

import numpy as np
import pytest

from plantar.bench.compare.compare import BODIES, PAPER_TABLE_I, compare, compare_tables, filtered, in_percent
from plantar.bench.compare.measured import CONDITIONS, FORCES, Measured, read_measured, write_measured, write_template
from plantar.bench.compare.plots import load_groups, plot_all, plot_relative_errors, plot_rotation_box
from plantar.bench.press.press import HEIGHTS, LOADS, POSITIONS, Trial, press, run_trials, trials
from plantar.bench.press.rig import PressRig
from plantar.errors import InvalidInput
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Table

ROTATIONS = [f"rotation_{k}" for k in range(1, 7)]
ALL = (*BODIES, "total")


@pytest.fixture(scope="module")
def simulated() -> Table:
    return press(loads=(24.0,), heights=(0.011, 0.015), positions=(2, 3, 4), duration=2.0).table


def as_measured(simulated: Table, scale: float = 1.0) -> Measured:
    """The simulation taken for a measurement, its forces scaled."""
    names = (*CONDITIONS, *FORCES, *ROTATIONS)
    return Measured({c: r[c] * (scale if c in FORCES else 1) for c in names} for r in simulated)


# --- the errors of the paper -------------------------------------------------------------------


def test_simulation_has_no_error_against_itself(simulated: Table) -> None:
    found = compare_tables(as_measured(simulated), simulated)
    for b in ALL:
        assert found.errors.column(f"absolute_{b}") == pytest.approx(0, abs=1e-12)
        assert found.errors.column(f"relative_{b}") == pytest.approx(0, abs=1e-12)
    assert found.errors.block([f"rotation_error_{k}" for k in range(1, 7)]) == pytest.approx(0, abs=1e-12)
    assert [found.summary[0][b] for b in ALL] == pytest.approx([0] * 4, abs=1e-12)
    assert found.notes == ()


def test_scaled_measurement_gives_the_error_known_in_advance(simulated: Table) -> None:
    found = compare_tables(as_measured(simulated, 1.1), simulated)
    for b in ALL:
        assert found.errors.column(f"relative_{b}") == pytest.approx(1 / 1.1 - 1, abs=1e-12)
    for b in BODIES:
        assert found.errors.column(f"absolute_{b}") == pytest.approx(-0.1 * simulated.column(f"force_{b}"))
    for row in found.summary[:2]:
        assert [row[b] for b in ALL] == pytest.approx([1 - 1 / 1.1] * 4)
        assert [row[f"count_{b}"] for b in ALL] == [6] * 4


def test_total_error_is_of_the_sums_not_the_mean_of_the_errors() -> None:
    measured = Measured([trial(force_heel=10.0, force_module=2.0, force_metatarsus=8.0)])
    simulated = Table([trial(force_heel=11.0, force_module=4.0, force_metatarsus=6.0)])
    row = compare_tables(measured, simulated).errors[0]
    assert [row[f"relative_{b}"] for b in ALL] == pytest.approx([0.1, 1.0, -0.25, 0.05])
    assert [row[f"absolute_{b}"] for b in ALL] == pytest.approx([1, 2, -2, 1])


def test_rotation_offset_is_removed_exactly(simulated: Table) -> None:
    offsets = [0.3, -0.2, 0.1, 0.05, -0.4, 0.7]
    rows = [row | {c: row[c] - o for c, o in zip(ROTATIONS, offsets, strict=True)} for row in as_measured(simulated)]
    found = compare_tables(Measured(rows), simulated)
    assert list(found.offsets.values()) == pytest.approx(offsets)
    assert found.errors.block([f"rotation_error_{k}" for k in range(1, 7)]) == pytest.approx(0, abs=1e-12)


def test_rotation_error_of_one_trial_is_spread_by_the_offset(simulated: Table) -> None:
    rows = list(as_measured(simulated))
    rows[0] = rows[0] | {"rotation_3": rows[0]["rotation_3"] - 0.06}
    found = compare_tables(Measured(rows), simulated)
    assert found.errors.column("rotation_error_3") == pytest.approx([0.05] + [-0.01] * 5)
    assert found.rotations[2]["offset"] == pytest.approx(0.01)
    assert found.rotations[2]["largest"] == pytest.approx(0.05)
    assert found.rotations[2]["median"] == pytest.approx(-0.01)
    assert found.rotations[2]["mean_absolute"] == pytest.approx(0.1 / 6)


def test_filter_by_hand() -> None:
    # mean 4, deviation sqrt((9 + 4 + 1 + 36) / 4) = 3.54, limit 7.54
    assert filtered([1, 2, 3, 10]).tolist() == [1, 2, 3]
    # mean 2, deviation 1: a value at the limit stays
    assert filtered([1, 3]).tolist() == [1, 3]
    assert len(filtered([0.1] * 48)) == 48
    assert len(filtered([])) == 0


def test_filtered_row_of_the_summary_is_the_filter_of_each_body() -> None:
    errors = (0.1, -0.2, 0.3, -1.0)
    measured = Measured(trial(position=i + 1) for i in range(4))
    simulated = Table(trial(position=i + 1, force_module=5 * (1 + e)) for i, e in enumerate(errors))
    plain, kept = compare_tables(measured, simulated).summary[:2]
    assert plain["module"] == pytest.approx(0.4)
    assert kept["module"] == pytest.approx(0.2)
    assert (plain["count_module"], kept["count_module"], kept["count_heel"]) == (4, 3, 4)


def test_no_measured_force_has_no_relative_error_and_is_counted() -> None:
    measured = Measured([trial(position=1, force_metatarsus=0.0), trial(position=2, force_metatarsus=4.0)])
    simulated = Table([trial(position=1, force_metatarsus=1.0), trial(position=2, force_metatarsus=5.0)])
    found = compare_tables(measured, simulated)
    assert found.errors[0]["relative_metatarsus"] is None
    assert found.errors[0]["absolute_metatarsus"] == 1.0
    assert (found.summary[0]["metatarsus"], found.summary[0]["count_metatarsus"]) == (0.25, 1)
    assert any("metatarsus: 1 of 2 relative errors are undefined" in note for note in found.notes)
    stricter = compare_tables(measured, simulated, least_force=4.5)
    assert stricter.summary[0]["metatarsus"] is None
    assert stricter.summary[0]["count_metatarsus"] == 0


def test_paper_rows_are_those_of_the_paper(shared: Path) -> None:
    (paper,) = (shared / "papers").glob("000_*.txt")
    text = paper.read_text(encoding="utf-8")
    names = ("MuJoCo", "MuJoCo Filtered", "Analytical", "Analytical Filtered")
    for name, row in zip(names, PAPER_TABLE_I, strict=True):
        cells = "\t".join(f"{100 * float(row[b]):.1f}%".replace(".", ",") for b in BODIES)
        assert f"{name}\t{cells}" in text


def test_summary_reads_in_percent(simulated: Table) -> None:
    rows = in_percent(compare_tables(as_measured(simulated, 1.1), simulated).summary)
    assert rows[0]["heel"] == "9.1 %"
    assert [rows[2][b] for b in ALL] == ["14.6 %", "33.2 %", "21.7 %", ""]


def test_compare_simulates_exactly_the_measured_trials(tmp_path: Path) -> None:
    foot, rig = SoftFoot(chains=1), PressRig(tilt=math.radians(4), heel_shift=0.002)
    odd = [Trial(load=17.3, height=0.0123, position=5), Trial(load=11.8, height=0.016, position=2)]
    path = write_measured(tmp_path / "measured.csv", run_trials(foot, rig, odd, 1.0))
    found = compare(path, foot, rig=rig, duration=1.0)
    assert [row[c] for row in found.errors for c in CONDITIONS] == [17.3, 0.0123, 5, 11.8, 0.016, 2]
    assert found.errors.block([f"relative_{b}" for b in ALL]) == pytest.approx(0, abs=1e-9)
    elsewhere = compare(path, foot, rig=PressRig(tilt=math.radians(2)), duration=1.0)
    assert elsewhere.summary[0]["metatarsus"] > 0.05


def test_a_note_of_the_reader_is_said_once(tmp_path: Path) -> None:
    file = write_measured(tmp_path / "measured.csv", [trial()])
    file.write_text(file.read_text().replace("position,", "position,operator,").replace("0.007,1,", "0.007,1,me,"))
    assert compare(file, duration=0.5).notes.count("columns ignored: operator") == 1


def test_measured_trial_without_simulation_is_named(simulated: Table) -> None:
    with pytest.raises(InvalidInput, match=r"load = 12, height = 0.007, position = 1 was not simulated"):
        compare_tables(Measured([trial()]), simulated)


def test_notes_say_what_looks_wrong(simulated: Table) -> None:
    rows = [row | {c: -row[c] for c in ROTATIONS} for row in as_measured(simulated)]
    weight = float(simulated.column("weight")[0])
    rows = [row | {"force_heel": row["force_heel"] - weight} for row in rows]
    notes = compare_tables(Measured(rows, ["columns ignored: date"]), simulated).notes
    assert notes[0] == "columns ignored: date"
    assert any("about the foot's weight" in note for note in notes)
    assert any("opposite directions" in note for note in notes)


# --- the figures -------------------------------------------------------------------------------


def test_figures_show_the_errors(simulated: Table) -> None:
    found = compare_tables(as_measured(simulated, 1.1), simulated)
    figures = plot_all(found)
    assert [name[:7] for name in figures] == ["figure5", "figure6", "figure7", "figure8"]
    shown = figures["figure5_relative_errors"].axes[0].images[0].get_array()
    assert np.asarray(shown) == pytest.approx(100 * (1 - 1 / 1.1))
    assert {t.get_text() for t in figures["figure5_relative_errors"].axes[0].texts} == {"9"}
    heel = figures["figure6_force_errors"].axes[0].images[0].get_array()
    assert np.asarray(heel) == pytest.approx(-0.1 * simulated.column("force_heel").reshape(2, 3))


def test_box_plot_has_green_medians_and_circles_for_outliers(simulated: Table) -> None:
    rows = list(as_measured(simulated))
    rows[0] = rows[0] | {"rotation_3": rows[0]["rotation_3"] - 0.06}
    axis = plot_rotation_box(compare_tables(Measured(rows), simulated)).axes[0]
    medians = [line for line in axis.lines if line.get_color() == "#1f9d4d"]
    assert [np.asarray(line.get_ydata())[0] for line in medians] == pytest.approx([0, 0, -0.01, 0, 0, 0], abs=1e-12)
    circles = [y for line in axis.lines if line.get_marker() == "o" for y in np.asarray(line.get_ydata())]
    assert circles == pytest.approx([0.05])


def test_without_rotations_two_figures_are_left(simulated: Table) -> None:
    rows = [{c: row[c] for c in (*CONDITIONS, *FORCES)} for row in simulated]
    found = compare_tables(Measured(rows), simulated)
    assert len(found.rotations) == 0
    assert len(plot_all(found)) == 2
    with pytest.raises(InvalidInput, match="rotation_1"):
        plot_rotation_box(found)


def test_cells_without_a_value_are_drawn_empty() -> None:
    measured = Measured([trial(position=1), trial(position=2, height=0.011, force_heel=0.0)])
    axis = plot_relative_errors(compare_tables(measured, Table(measured))).axes[0]
    assert sorted(t.get_text() for t in axis.texts) == ["0", "–", "–", "–"]


def test_loads_that_vary_a_little_are_one_group() -> None:
    groups = load_groups([24.1, 11.8, 12.2, 23.7, 12.0])
    assert [sorted(group.tolist()) for group in groups] == [[1, 2, 4], [0, 3]]
    assert [group.tolist() for group in load_groups([0.0, 12.0])] == [[0], [1]]


# --- the file ----------------------------------------------------------------------------------


def trial(**changes: float) -> dict[str, float]:
    row = {"load": 12.0, "height": 0.007, "position": 1}
    return row | {"force_heel": 6.0, "force_module": 5.0, "force_metatarsus": 7.0} | changes


HEADER = "load,height,position,force_heel,force_module,force_metatarsus,rotation_1,rotation_2"
GOOD = ["12", "0.007", "1", "6.2", "2.1", "10.0", "-0.08", "0.01"]


def csv_file(tmp_path: Path, *rows: list[str], header: str = HEADER) -> Path:
    path = tmp_path / "measured.csv"
    path.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n", encoding="utf-8")
    return path


def changed(column: str, cell: str) -> list[str]:
    return [cell if name == column else value for name, value in zip(HEADER.split(","), GOOD, strict=True)]


def test_good_file_is_read_in_si(tmp_path: Path) -> None:
    table = read_measured(csv_file(tmp_path, GOOD))
    assert table.columns == HEADER.split(",")
    assert list(table[0].values()) == [float(c) for c in GOOD]
    assert isinstance(table[0]["position"], int)
    assert table.notes == ()


def test_what_spreadsheets_do_to_a_file_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "measured.csv"
    header = "Date,Load,Height,Position,Force_heel,Force_module,Force_metatarsus,Rotation_2"
    lines = [
        '"# a comment, with ""quotes""",,,',
        header,
        "",
        "# more",
        ",,,,,,,",
        'x,"12",0.007,1.0, 6.2 ,2.1,1e1,-0.1,,',
    ]
    path.write_bytes(("\ufeff" + "\r\n".join(lines)).encode())
    table = read_measured(path)
    assert table[0] == {"load": 12, "height": 0.007, "position": 1, "force_heel": 6.2, "force_module": 2.1,
                        "force_metatarsus": 10, "rotation_2": -0.1}  # fmt: skip
    assert table.notes == ("columns ignored: date",)


BAD_CELLS = [
    ("load", "twelve", "'twelve' is not a number"),
    ("force_heel", "6,2", "decimal point"),
    ("force_heel", "1_000", "is not a number"),
    ("force_module", "nan", "finite"),
    ("rotation_1", "inf", "finite"),
    ("force_metatarsus", "", "is empty"),
    ("load", "12000", "millinewtons"),
    ("load", "0.012", "kilonewtons"),
    ("load", "-12", "negative"),
    ("height", "7", "millimetres"),
    ("height", "0.000007", "1000 times too small"),
    ("height", "-0.007", "negative"),
    ("force_heel", "6200", "millinewtons"),
    ("force_module", "-6.2", "positive down"),
    ("rotation_2", "12.5", "degrees"),
    ("position", "0", "1 (next to the heel) to 6"),
    ("position", "7", "1 (next to the heel) to 6"),
    ("position", "1.5", "not an integer"),
    ("position", "p1", "is not a number"),
]


@pytest.mark.parametrize(("column", "cell", "said"), BAD_CELLS)
def test_bad_cell_is_named_in_one_line(tmp_path: Path, column: str, cell: str, said: str) -> None:
    bad = changed(column, f'"{cell}"')
    message = refusal(csv_file(tmp_path, changed("load", "24"), bad, changed("load", "25")))
    assert f"row 3, column {column!r}" in message
    assert said in message


BAD_FILES = [
    (b"", "is empty"),
    (b"\n \n", "is empty"),
    (b"# only a comment\n", "only comments"),
    (HEADER.encode(), "no rows"),
    (b"\xff\xfe\x00l\x00o", "not UTF-8 text"),
    (b"load\x00,height", "not UTF-8 text"),
    (b"PK\x03\x04 rest of a workbook", "spreadsheet"),
    ("gewicht,\xb0\n1,2".encode("latin-1"), "not UTF-8 text"),
    (HEADER.replace(",", ";").encode() + b"\n12;0,007;1;6,2;2,1;10;0;0", "separated by semicolons"),
    (HEADER.replace(",", "\t").encode() + b"\n12\t7", "separated by tabs"),
    (HEADER.replace("force_module", "force module").encode() + b"\n1,2,3,4,5,6,7,8", "'force_module' is missing"),
    (HEADER.replace("force_module", "force_heel").encode() + b"\n1,2,3,4,5,6,7,8", "'force_module' is missing"),
    (HEADER.replace("rotation_2", "rotation_1").encode() + b"\n1,2,3,4,5,6,7,8", "'rotation_1' appears 2 times"),
    (HEADER.replace("rotation_2", "rotation_9").encode() + b"\n1,2,3,4,5,6,7,8", "the foot has 6 modules"),
    (HEADER.encode() + b"\n12,0.007,1,6.2", "row 2 has 4 cells"),
    (HEADER.encode() + b"\n12,0.007,1,6.2,2.1,10,0,0,9", "row 2 has 9 cells"),
    (HEADER.encode() + b'\n12,0.007,"1,6.2,2.1,10,0,0', "is not CSV"),
    (HEADER.encode() + b"\n12,0.007,1,0.0062,0.0021,0.01,0,0", "not kilonewtons"),
    (HEADER.encode() + b"\n12,0.007,1,,,,,\n", "no row has a measured value"),
]


@pytest.mark.parametrize(("content", "said"), BAD_FILES)
def test_bad_file_is_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "measured.csv"
    path.write_bytes(content)
    assert said in refusal(path)
    assert path.read_bytes() == content


def test_missing_column_lists_what_is_there(tmp_path: Path) -> None:
    message = refusal(csv_file(tmp_path, ["1", "2"], header="load,weight of sample"))
    assert "column 'height' is missing: the columns are load, weight of sample" in message


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "nothing.csv")
    assert "is a folder" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "a\nb.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_refused(tmp_path: Path) -> None:
    path = csv_file(tmp_path, GOOD)
    path.chmod(0)
    assert "cannot be read" in refusal(path)


def test_repeated_trial_names_both_rows(tmp_path: Path) -> None:
    rows = [GOOD, changed("load", "24"), changed("force_heel", "6.3")]
    assert "rows 2 and 4 are the same trial" in refusal(csv_file(tmp_path, *rows))


def refusal(path: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_measured(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_template_has_the_48_trials_and_takes_values(tmp_path: Path, simulated: Table) -> None:
    path = write_template(tmp_path / "template.csv")
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines[0] == [*CONDITIONS, *FORCES, *ROTATIONS]
    assert [[float(c) for c in line[:3]] for line in lines[1:]] == [[t.load, t.height, t.position] for t in trials()]
    assert len(lines) - 1 == len(LOADS) * len(HEIGHTS) * len(POSITIONS) == 48
    assert "no row has a measured value" in refusal(path)

    text = path.read_text(encoding="utf-8")
    for row in simulated:
        cells = ",".join(repr(row[c]) for c in FORCES)
        empty = f"{row['load']},{row['height']},{row['position']},,,,"
        assert empty in text
        text = text.replace(empty, empty[:-3] + cells + ",")
    path.write_text(text, encoding="utf-8")
    table = read_measured(path)
    assert [dict(row) for row in table] == [{c: row[c] for c in (*CONDITIONS, *FORCES)} for row in simulated]
    assert "42 rows without any measured value are skipped" in table.notes
    assert any(note.startswith("empty columns are skipped: rotation_1") for note in table.notes)


def test_written_trials_come_back_bit_for_bit(tmp_path: Path, simulated: Table) -> None:
    table = read_measured(write_measured(tmp_path / "a.csv", simulated))
    names = [*CONDITIONS, *FORCES, *ROTATIONS]
    assert table.columns == names
    assert (table.block(names) == simulated.block(names)).all()


def test_template_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(InvalidInput, match="exists"):
        write_template(path)
    assert path.read_text(encoding="utf-8") == "precious"
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_template(tmp_path / "no" / "folder.csv")


def test_example_finds_what_was_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[1] / "examples" / "04_compare_with_measurement.py"
    spec = importlib.util.spec_from_file_location("example_04", path)
    assert spec
    assert spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    file = example.stand_in(tmp_path / "stand_in.csv", loads=(24.0,), heights=(0.015,), positions=(2, 4, 5))
    found = example.main(file, tmp_path)
    # Tilted front down by half a degree more than the stand-in, the simulation has less force on the heel.
    assert (found.errors.column("absolute_heel") < 0).all()
    assert list(found.offsets.values()) == pytest.approx([-0.1 * k for k in range(6)], abs=0.05)
    assert len(list(tmp_path.glob("figure*.png"))) == 4
    assert "paper, MuJoCo" in capsys.readouterr().out
