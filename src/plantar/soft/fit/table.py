"""Tables of stress against stretch."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plantar._read import read_csv
from plantar.errors import InvalidInput
from plantar.soft.fit.columns import find_columns
from plantar.soft.fit.laws import LAWS, MODES, Floats

NAMES = {
    **dict.fromkeys(("uniaxial", "tension", "compression", "tensile", "uniaxial tension", "ut"), "uniaxial"),
    **dict.fromkeys(("uniaxial compression", "simple tension", "simple compression"), "uniaxial"),
    **dict.fromkeys(("equibiaxial", "biaxial", "equibiaxial tension", "equi biaxial", "et", "ebt"), "equibiaxial"),
    **dict.fromkeys(("biaxial tension", "equi biaxial tension"), "equibiaxial"),
    **dict.fromkeys(("planar", "pure shear", "planar tension", "ps"), "planar"),
}
"""Names of tests that tables may use; simple shear is another test, whose stress is not a principal one."""
SOFTEST, STIFFEST = 5e3, 1e9
"""Shear moduli between which stresses without a unit are taken as Pa [Pa]: softer rubbers must name theirs."""
NEAR_REST = 0.01
"""Strain below which the sign of a stress says nothing."""


@dataclass(frozen=True, eq=False)
class Stretched:
    """Measured nominal stress against stretch."""

    mode: np.ndarray
    """Kind of test of each row: `uniaxial`, `equibiaxial` or `planar` (n,)."""
    stretch: Floats
    """Length over length at rest (n,)."""
    stress: Floats
    """Force over area at rest (n,) [Pa]."""

    def part(self, which: np.ndarray) -> Stretched:
        """Some of its rows."""
        return Stretched(self.mode[which], self.stretch[which], self.stress[which])

    @property
    def modes(self) -> list[str]:
        """Kinds of tests there are."""
        return [mode for mode in MODES if (self.mode == mode).any()]


def read_stretches(path: str | Path, rubber: str | None = None, *, least: int = 5, named: bool = True) -> Stretched:
    """Rows of a CSV file with columns of stretch and stress and optionally of the kind of test and the rubber.

    Args:
        path: The file; lines that start with # are left out. Stretches may come as `strain` or `true_strain`, stresses
            as `true_stress`; names may end with a unit (`strain_percent`, `stress_mpa`), else stresses are Pa.
        rubber: Rows to take where there is a column `rubber`.
        least: Number of rows away from rest that there must be.
        named: Refuse a rubber where there is no such column; else all rows are taken as its own.

    Raises:
        InvalidInput: If the file cannot be read, a column or the rubber is missing, or a cell makes no sense.
    """
    path = Path(path)
    rows = read_csv(path, "give a table of stretch and stress")
    columns = find_columns([name for name in (rows[0] if rows else {}) if name], path)
    if columns.rubber is not None:
        rows = _of_rubber(path, rows, columns.rubber, rubber)
    elif rubber is not None and named:
        raise InvalidInput(f"{path} has no column 'rubber': leave out {rubber!r}")
    said = columns.mode or _holds_modes(rows, columns.rubber)
    modes = np.array([_mode(path, (row[said] if said else "") or "uniaxial") for row in rows])
    name, unit, to_stretch = columns.stretch
    stretch = to_stretch(unit * np.array([_number(path, row, name) for row in rows]))
    bad = np.flatnonzero(~((stretch > 0) & (stretch <= 20)))
    if len(bad):
        raise InvalidInput(
            f"{path}: {name} = {rows[bad[0]][name]} is not allowed: give length over length at rest as `stretch`, "
            "elongation over it as `strain` or `strain_percent`"
        )
    name, unit, to_nominal = columns.stress
    stress = to_nominal(unit * np.array([_number(path, row, name) for row in rows]), stretch)
    # at rest every law is right
    keep = np.abs(stretch - 1) > 1e-6
    if keep.sum() < least:
        raise InvalidInput(f"{path} has {int(keep.sum())} rows away from rest: give {least} or more")
    table = Stretched(modes[keep], stretch[keep], stress[keep])
    _check_signs(path, table, name)
    if not columns.unit_named:
        _check_unit(path, table, name)
    return table


def _of_rubber(path: Path, rows: list[dict[str, str]], column: str, rubber: str | None) -> list[dict[str, str]]:
    rubbers = list(dict.fromkeys(row[column] for row in rows))
    if rubber is None and len(rubbers) > 1:
        raise InvalidInput(f"{path} holds several rubbers: choose one of {', '.join(rubbers)}")
    if rubber is not None and rubber not in rubbers:
        raise InvalidInput(f"{path} has no rubber {rubber!r}: it has {', '.join(rubbers)}")
    return [row for row in rows if rubber is None or row[column] == rubber]


def _check_signs(path: Path, table: Stretched, name: str) -> None:
    away = np.abs(table.stretch - 1) > NEAR_REST
    against = away & ((table.stretch - 1) * table.stress < 0)
    if 5 * against.sum() > away.sum():
        k = np.flatnonzero(against)[0]
        raise InvalidInput(
            f"{path}: {name} is {table.stress[k]:g} Pa at stretch {table.stretch[k]:g}: give stress below 0 in "
            "compression and above 0 in tension; where the numbers are strains, name their column `strain`"
        )


def _check_unit(path: Path, table: Stretched, name: str) -> None:
    law, half = LAWS["neo_hookean"], np.array([0.5])
    shapes = np.concatenate([law.stress(m, table.stretch[table.mode == m], half) for m in table.modes])
    stresses = np.concatenate([table.stress[table.mode == m] for m in table.modes])
    shear = float(np.median(np.abs(stresses / shapes)))
    if not SOFTEST <= shear <= STIFFEST:
        raise InvalidInput(
            f"{path}: {name} makes a shear modulus of {shear:g} Pa: give Pa, not MPa or kPa, or name the unit, as in "
            "`stress_mpa`"
        )


def _holds_modes(rows: list[dict[str, str]], rubber: str | None) -> str | None:
    """A column whose cells are all names of tests, whatever it is called."""
    for name in rows[0] if rows else ():
        if name and name != rubber and all(_plain(row[name] or "") in NAMES for row in rows):
            return name
    return None


def _plain(text: str) -> str:
    return " ".join(re.split(r"[\s_-]+", text.strip().lower()))


def _mode(path: Path, text: str) -> str:
    mode = NAMES.get(_plain(text))
    if mode is None:
        raise InvalidInput(f"{path}: mode {text!r} is not allowed: give one of {', '.join(MODES)} (pure shear)")
    return mode


def _number(path: Path, row: dict, name: str) -> float:
    try:
        value = float(row[name])
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"{path}: {name} = {row[name]!r} is not a finite number")
    return value
