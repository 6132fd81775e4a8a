"""Beams that sag, against what is known of beams, and the command that fits them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from plantar.cli.app import run
from plantar.errors import InvalidInput
from plantar.soft.fit.beam import Beam, Line, fit_young, read_line, sag, shape, tell

BEAM = Beam(density=1070.0)


def test_the_centre_line_leaves_the_clamp_at_the_angle_that_was_measured() -> None:
    # a soft beam shears by some degrees there: the angle of its section is not that of its line
    x, z = shape(BEAM, sag(BEAM, 2e5, 0.3), np.array([0.0, 1e-4]))
    assert np.arctan2(-(z[1] - z[0]), x[1] - x[0]) == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("head", [(0.03, 0.06), (0.0, 0.0)])
def test_a_stiff_beam_sags_as_timoshenko_says(head: tuple[float, float]) -> None:
    beam, young = Beam(density=1000.0, head_length=head[0], head_height=head[1]), 1e8
    line, end = beam.density * 9.81 * beam.height, beam.density * 9.81 * head[0] * head[1]
    length, bending, shear = beam.length, young * beam.height**3 / 12, 5 / 6 * young / 3 * beam.height
    moment = end * head[0] / 2
    by_hand = line * length**4 / (8 * bending) + end * length**3 / (3 * bending) + moment * length**2 / (2 * bending)
    # shear adds its sag, less what the line's slope at the clamp already holds of it
    by_hand += line * length**2 / (2 * shear) + end * length / shear - length * (line * length + end) / shear
    z = shape(beam, sag(beam, young, 0.0), np.array([length]))[1, 0]
    assert -z == pytest.approx(by_hand, rel=1e-3)


def test_a_head_is_straight_beyond_the_shaft() -> None:
    places = np.array([BEAM.length, BEAM.length + 0.01, BEAM.length + 0.03])
    x, z = shape(BEAM, sag(BEAM, 2e5, 0.3), places)
    assert np.hypot(x[2] - x[0], z[2] - z[0]) == pytest.approx(0.03)
    assert (z[2] - z[0]) / (x[2] - x[0]) == pytest.approx((z[1] - z[0]) / (x[1] - x[0]))


@pytest.mark.parametrize("young", [1.5e5, 6e5, 3e6])
def test_the_modulus_of_a_line_is_found_again(young: float) -> None:
    s = np.linspace(0, 0.17, 9)
    line = Line(s, tell(BEAM, young, Line(s, np.zeros((2, 9)), 0.2)), 0.2)
    assert fit_young(BEAM, line) == pytest.approx(young, rel=5e-3)
    assert fit_young(BEAM, line, s < 0.1) == pytest.approx(young, rel=5e-3)


def _write(path: Path, s: np.ndarray, places: np.ndarray, head: str = "s,x,z,angle") -> Path:
    cells = {"s": s, "x": places[0], "z": places[1], "angle": 0.2 + 0 * s, "note": 7 + 0 * s}
    rows = zip(*(cells[name] for name in head.split(",")), strict=True)
    path.write_text(f"# made\n{head}\n" + "\n".join(",".join(f"{v:.9g}" for v in row) for row in rows))
    return path


def test_the_command_fits_a_line_and_tells_other_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    s = np.linspace(0, 0.17, 18)
    places = tell(BEAM, 2e5, Line(s, np.zeros((2, 18)), 0.2))
    here = _write(tmp_path / "here.csv", s[::2], places[:, ::2], "z,s,note,angle,x")
    there = _write(tmp_path / "there.csv", s[1::2], places[:, 1::2], "s,x,z")
    args = ["soft", "fit-beam", str(here), "--density", "1070", "--young", "3e5", "--json"]
    assert run([*args, "--check", str(there), "--out", str(tmp_path / "out")]) == 0
    said = {row["line"]: row for row in json.loads(capsys.readouterr().out)["moduli"]}
    assert said["fitted"]["young"] == pytest.approx(2e5, rel=5e-3)
    assert said["fitted"]["error_checked_most"] < 2e-4
    assert said["predicted"]["error_checked_most"] > 5e-3
    assert said["fitted without the tip"]["tip_error"] < 2e-4
    assert (tmp_path / "out" / "line.png").is_file() and (tmp_path / "out" / "places.csv").is_file()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("s,x,z\n0,0,0\n", "no column 'angle'"),
        ("s,x,z,angle\n0.1,0,0,0\n0.2,0,0,0\n0.3,0,0,0\n", "first at the clamp"),
        ("s,x,z,angle\n0,0,0,0.1\n0.05,50,0,0\n0.1,100,0,0\n", "in metres"),
        ("s,x,z,angle\n0,0,0,0\n1e200,1e200,0,0\n2e200,2e200,0,0\n", "in metres"),
        ("s,x,z,angle\n0,0,0,10\n0.05,0.05,0,0\n0.1,0.1,0,0\n", "radians"),
        ("s,x,z,angle\n0,0,0,0\n0.05,a,0,0\n0.1,0.1,0,0\n", "x = 'a'"),
        ("beam,s,x,z,angle\na,0,0,0,0\nb,0,0,0,0\n", "several beams: choose one of a, b"),
    ],
)
def test_bad_lines_are_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InvalidInput, match=says):
        read_line(tmp_path / "t.csv")


def test_measured_beams_end_where_one_modulus_says(shared: Path) -> None:
    for name, density in (("mold_star_15", 1180.0), ("ecoflex_00_50", 1070.0)):
        beam, line = Beam(density=density), read_line(shared / "data" / "real" / "silicone_beams.csv", name)
        off = np.hypot(*(tell(beam, fit_young(beam, line), line) - line.places))
        assert off[-1] < 0.003 and np.sqrt(np.mean(off**2)) < 0.0015


@pytest.mark.parametrize("z", [0.0, 0.2])
def test_a_line_that_does_not_sag_has_no_modulus(z):
    """Flat, or z counted downwards: the end of the search would pass for a modulus."""
    s = np.linspace(0, 0.16, 5)
    with pytest.raises(InvalidInput, match="sags less .* z is up"):
        fit_young(Beam(density=1000.0), Line(s, np.stack([s, z * s**2 / 0.16]), 0.0))
