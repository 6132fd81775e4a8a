"""Laws of rubber by I1 and I2: stress against energy, moduli at rest, stability, and what a fit finds again."""

from __future__ import annotations

import json

import numpy as np
import pytest

from plantar.cli.app import run
from plantar.soft.fit.fit import fit_laws, told_errors
from plantar.soft.fit.kinds import MODES, stretches
from plantar.soft.fit.laws import LAWS, drucker_range
from plantar.soft.fit.search import best_constants
from plantar.soft.fit.table import Stretched, read_stretches
from plantar.soft.fit.zero import own_zeros

TRUE = {
    "gent": [3.5e5, 60.0],
    "gent_gent": [2.6e5, 80.0, 1.8e5],
    "carroll": [1.5e5, 0.31, 1.2e5],
    "lopez_pamies": [3.6e5, 0.7, 4e3, 2.6],
}
FILE = ("data", "real", "rubber_stretch_stress.csv")


def energy(name: str, c: list[float], three: np.ndarray) -> float:
    """Strain energy of three principal stretches, as the papers print it."""
    i1, i2 = (three**2).sum(), (three**-2.0).sum()
    if name == "carroll":
        return c[0] * i1 + c[1] * i1**4 + c[2] * np.sqrt(i2)
    if name == "lopez_pamies":
        return sum(3 ** (1 - a) / (2 * a) * m * (i1**a - 3**a) for m, a in np.reshape(c, (-1, 2)))
    gent = -c[0] * c[1] / 2 * np.log(1 - (i1 - 3) / c[1])
    return gent + (c[2] * np.log(i2 / 3) if name == "gent_gent" else 0.0)


def made(name: str, modes: tuple[str, ...] = MODES) -> Stretched:
    grid = np.concatenate([np.linspace(0.6, 0.95, 5), np.linspace(1.05, 4.0, 14)])
    stress = np.concatenate([LAWS[name].stress(m, grid, np.array(TRUE[name])) for m in modes])
    return Stretched(np.repeat(modes, len(grid)), np.tile(grid, len(modes)), stress)


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("mode", MODES)
def test_stress_is_the_derivative_of_the_published_energy(name: str, mode: str) -> None:
    loaded = {"uniaxial": 1, "equibiaxial": 2, "planar": 1}[mode]
    for stretch in (0.7, 1.3, 2.5):
        ends = [energy(name, TRUE[name], stretches(mode, np.array([s]))[0]) for s in (stretch - 1e-5, stretch + 1e-5)]
        slope = (ends[1] - ends[0]) / 2e-5 / loaded
        assert LAWS[name].stress(mode, np.array([stretch]), np.array(TRUE[name]))[0] == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("name", TRUE)
def test_small_strains_have_the_moduli_of_incompressible_rubber(name: str) -> None:
    law, constants = LAWS[name], np.array(TRUE[name])
    for mode, factor in (("uniaxial", 3), ("equibiaxial", 6), ("planar", 4)):
        slope = np.diff(law.stress(mode, np.array([1 - 1e-5, 1 + 1e-5]), constants))[0] / 2e-5
        assert slope == pytest.approx(factor * law.shear(constants), rel=1e-4)


@pytest.mark.parametrize("name", TRUE)
def test_positive_constants_make_stable_laws_and_are_found_again(name: str) -> None:
    for span in drucker_range(LAWS[name], np.array(TRUE[name]), 0.3, 4.0).values():
        assert span == pytest.approx((0.3, 4.0))
    found = fit_laws(made(name), [name], draws=0)[0]
    np.testing.assert_allclose(found.constants, TRUE[name], rtol=5e-3)
    assert found.error < 1e-3 and found.stable_in_data and max(found.left_out.values()) < 5e-3


def test_an_unstable_law_is_seen() -> None:
    # -C2 ln(I2 / 3) with a large negative C2 lets the equibiaxial stress fall
    span = drucker_range(LAWS["gent_gent"], np.array([2e5, 80.0, -2.5e5]), 0.5, 4.0)
    assert span["equibiaxial"][1] < 1.5


def test_carroll_keeps_its_moduli_from_falling_below_zero() -> None:
    table = made("gent")
    falling = Stretched(table.mode, table.stretch, table.stress / np.maximum(table.stretch, 1.0))
    assert (best_constants(LAWS["carroll"], falling) >= 0).all()


def test_of_laws_that_are_equal_the_simplest_is_chosen() -> None:
    # as stiff at large stretches as at small ones: Gent's limit goes to the end of its range, where it is Neo-Hookean
    table, noise = made("gent", ("uniaxial",)), np.random.default_rng(1).normal(size=19)
    stress = LAWS["neo_hookean"].stress("uniaxial", table.stretch, np.array([2e5])) * (1 + 0.02 * noise)
    fits = fit_laws(Stretched(table.mode, table.stretch, stress), ["gent", "neo_hookean"], draws=0)
    assert fits[0].law.name == "neo_hookean"
    assert fits[0].held_out == pytest.approx(fits[1].held_out, rel=0.05)
    # where the limit is reached it is not equal
    assert fit_laws(table, ["neo_hookean", "gent"], draws=0)[0].law.name == "gent"


def test_a_test_through_rest_keeps_its_zero_and_a_shifted_one_is_found() -> None:
    stretch = np.concatenate([np.linspace(0.75, 0.97, 6), np.linspace(1.03, 1.28, 6)])
    # Mooney-Rivlin: softer in tension than in compression, which rows of tension alone take for a wrong zero
    stress = LAWS["mooney_rivlin"].stress("uniaxial", stretch, np.array([1.2e5, 6e4]))
    both = own_zeros(Stretched(np.repeat("uniaxial", 12), stretch, stress))["uniaxial"]
    tension = own_zeros(Stretched(np.repeat("uniaxial", 6), stretch[6:], stress[6:]))["uniaxial"]
    assert abs(both) < 0.75 * abs(tension)
    shifted = own_zeros(Stretched(np.repeat("uniaxial", 12), stretch - 0.02, stress))["uniaxial"]
    assert shifted - both == pytest.approx(0.02, abs=0.004)


def test_the_tube_tells_measured_kinds_that_were_not_fitted(shared) -> None:
    fit = fit_laws(read_stretches(shared.joinpath(*FILE), "kawabata_1981"), ["extended_tube"], draws=0)[0]
    assert max(fit.left_out.values()) < 0.10
    fit = fit_laws(read_stretches(shared.joinpath(*FILE), "treloar_1944"), ["extended_tube"], draws=0)[0]
    assert max(fit.left_out["uniaxial"], fit.left_out["planar"]) < 0.10 < fit.left_out["equibiaxial"] < 0.13


def test_rows_that_were_not_fitted_are_checked(tmp_path, capsys) -> None:
    table, other = made("gent_gent", ("uniaxial", "planar")), made("gent_gent", ("equibiaxial",))
    for name, rows in (("fitted", table), ("other", other)):
        lines = [f"{a},{b},{m}" for m, a, b in zip(rows.mode, rows.stretch, 1.1 * rows.stress, strict=True)]
        factor = "stretch,stress,mode"
        (tmp_path / f"{name}.csv").write_text(factor + "\n" + "\n".join(lines))
    fit = fit_laws(table, ["gent_gent"], draws=0)[0]
    # stresses a tenth above the law's are 1 - 1 / 1.1 off
    ten = told_errors(fit, Stretched(other.mode, other.stretch, 1.1 * other.stress))[0]
    assert ten["error_percent"] == pytest.approx(9.1, abs=0.2) and ten["mode"] == "equibiaxial"
    args = ["soft", "fit", str(tmp_path / "fitted.csv"), "--laws", "gent_gent,neo_hookean", "--bootstrap", "0"]
    args += ["--check", str(tmp_path / "other.csv"), "--rubber", "mine", "--json", "--out", str(tmp_path / "out")]
    assert run(args) == 2, "the fitted table has no column of rubbers"
    capsys.readouterr()
    assert run([a for a in args if a not in ("--rubber", "mine")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {row["law"] for row in said["check"]} == {"gent_gent", "neo_hookean"}
    assert next(r for r in said["check"] if r["law"] == "gent_gent")["error_percent"] < 0.5
    assert (tmp_path / "out" / "check.csv").is_file()


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        ("test type,stretch,stress", ("uniaxial", "pure_shear", "equi-biaxial")),
        ("loading,stretch,stress", ("UT", "PS", "ET")),
        ("mode,stretch ratio (-),stress [N/mm^2]", ("simple tension", "planar tension", "biaxial_tension")),
        ("Deformation,stretch,PK1 stress (MPa)", ("tension", "planar", "biaxial")),
    ],
)
def test_kinds_of_test_are_found_in_whatever_column_names_them(tmp_path, names, kinds) -> None:
    table = made("carroll", ("uniaxial", "planar", "equibiaxial"))
    called = dict(zip(("uniaxial", "planar", "equibiaxial"), kinds, strict=True))
    unit = 1e6 if "mm" in names or "MPa" in names else 1.0
    rows = zip(table.mode, table.stretch, table.stress, strict=True)
    lines = [f"{called[m]},{a},{b / unit:.9g},1.5" for m, a, b in rows]
    (tmp_path / "t.csv").write_text(f"{names},stress_sd\n" + "\n".join(lines))
    read = read_stretches(tmp_path / "t.csv")
    assert (read.mode == table.mode).all() and read.stress == pytest.approx(table.stress)
