"""Resistive force theory fitted to wheels driven through soil, and to plates dragged through it at angles.

Forces are sums over surfaces of `k * depth^n * stress(direction, motion) * area`, at the measured sinkage. With the
published coefficients one scale is free. If there are enough measurements the coefficients themselves may leave the
published ones: how far is chosen on held-out data (ridge regression about them).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from plantar._checks import require
from plantar._config import Checked
from plantar.errors import InvalidInput
from plantar.ground.soil import rft
from plantar.ground.soil.fitted import SoilFit, untold
from plantar.ground.soil.measured import SoilData
from plantar.ground.soil.yielding import YieldingGround
from plantar.table import Table

DEPTH = 0.02
"""Depth at which the scale is a pressure [m]."""
POWERS = (0.3, 0.5, 0.7, 1.0, 1.3)
"""Exponents of depth that are compared."""
LOOSE = (np.inf, 1e4, 1e3, 1e2, 1e1, 1e0)
"""Weights that shrink coefficients towards the published ones, the first infinite; relative to forces of 20 N."""
ENOUGH = 60
"""Conditions from which coefficients may leave the published ones."""
FINE = 0.004
"""Side of the pieces of a wheel's surface [m]."""


Piece = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Outward directions, motions, areas and depths of surfaces."""


@dataclass(frozen=True, kw_only=True)
class Wheel(Checked):
    """A drum."""

    radius: float = 0.058
    """Radius of the rim [m]."""
    width: float = 0.05
    """Width [m]."""
    grousers: float = 0.005
    """Height of the grousers of wheels whose name has that word; such a wheel pushes as one that is larger [m]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require(self.radius > 0, "radius", self.radius, "a length above 0 [m]")
        require(self.width > 0, "width", self.width, "a length above 0 [m]")
        require(self.grousers >= 0, "grousers", self.grousers, "a length of 0 or above [m]")

    def surface(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places about the axle, outward directions and areas; x where it rolls, y along the axle."""
        radius = self.radius + (self.grousers if "grouser" in name else 0.0)
        around, across = round(2 * np.pi * radius / FINE), max(1, round(self.width / FINE))
        angle, side = np.meshgrid(
            2 * np.pi * (np.arange(around) + 0.5) / around, ((np.arange(across) + 0.5) / across - 0.5) * self.width
        )
        rim = np.stack([np.cos(angle), np.zeros_like(angle), np.sin(angle)], axis=-1).reshape(-1, 3)
        places = [radius * rim + side.reshape(-1, 1) * [0.0, 1.0, 0.0]]
        steps = np.arange(-radius + FINE / 2, radius, FINE)
        x, z = (part.ravel() for part in np.meshgrid(steps, steps))
        x, z = x[np.hypot(x, z) < radius], z[np.hypot(x, z) < radius]
        normals, areas = [rim], [np.full(len(rim), 2 * np.pi * radius * self.width / len(rim))]
        for sign in (-1.0, 1.0):
            places.append(np.stack([x, np.full(len(x), sign * self.width / 2), z], axis=1))
            normals.append(np.tile([0.0, sign, 0.0], (len(x), 1)))
            areas.append(np.full(len(x), np.pi * radius**2 / len(x)))
        return np.concatenate(places), np.concatenate(normals), np.concatenate(areas)


@dataclass(frozen=True, eq=False)
class _Trials:
    """Conditions with their mean forces, and what multiplies the coefficients in each, by exponent of depth."""

    force: np.ndarray
    """(c, 3), not a number where a direction was not measured."""
    basis: dict[float, np.ndarray]
    """(c, 3, 60)."""
    parts: dict[str, np.ndarray]
    """Ways to hold out data: one label per condition."""
    names: list[str]


def fit_flow(
    data: SoilData, check: SoilData | None = None, *, wheel: Wheel | None = None, name: str = "fitted soil"
) -> SoilFit:
    """Fit resistive force theory, and choose exponent and freedom on held-out data.

    Args:
        data: Wheels or dragged plates.
        check: Others, not used in the fit, to be predicted.
        wheel: Size of the wheels, which is not in the rows.
        name: Name of the soil.
    """
    trials = _trials(data, wheel)
    if len(trials.names) < 3:
        raise InvalidInput("there are fewer than three conditions: give more angles, speeds or depths")
    rows, best = [], None
    for power in POWERS:
        for loose in LOOSE if len(trials.names) >= ENOUGH else LOOSE[:1]:
            blind = {key: _blind(trials, power, loose, part) for key, part in trials.parts.items()}
            errors = {key: _error(forces, trials.force) for key, forces in blind.items()}
            free = 1 if np.isinf(loose) else 61
            law = f"n = {power:g}, " + ("published" if np.isinf(loose) else f"shrunk by {loose:g}")
            own = _error(_forces(trials, power, *_solve(trials, power, loose)), trials.force)
            row = {"law": law, "parameters": free, "own": own, "left_out": float(np.mean(list(errors.values())))}
            rows.append({**row, **{f"left_out_{key}": value for key, value in errors.items()}})
            if best is None or row["left_out"] < best[0]:
                best = (row["left_out"], law, power, loose)
    assert best is not None
    fit = _result(trials, data, rows, best[1:], name)
    if check is None:
        return fit
    return dataclasses.replace(fit, checked=_checked(trials, _trials(check, wheel), best[2], best[3], fit))


def _trials(data: SoilData, wheel: Wheel | None) -> _Trials:
    return _wheels(data, wheel or Wheel()) if data.kind == "wheel" else _plates(data)


def _checked(trials: _Trials, others: _Trials, power: float, loose: float, fit: SoilFit) -> Table:
    """Other conditions, predicted by the whole fit."""
    forces = _forces(others, power, *_solve(trials, power, loose))
    known = {axis: fit.samples.where(direction=axis) for axis in "xyz"}
    wide = [rows.column("high") - rows.column("low") if len(rows) else np.array([np.nan]) for rows in known.values()]
    reach = [float(np.median(whole)) / 2 for whole in wide]
    inside = np.where(np.isfinite(others.force), np.abs(forces - others.force) <= reach, np.nan)
    rows = [{"part": "all", "runs": len(others.names), "error": _error(forces, others.force)}]
    for key, part in others.parts.items():
        for value in np.unique(part):
            mine = part == value
            label = others.names[int(np.argmax(mine))] if key == "condition" else f"{key} {value}"
            error = _error(forces[mine], others.force[mine])
            rows.append({"part": label, "runs": int(mine.sum()), "error": error})
            rows[-1]["inside"] = float(np.nanmean(inside[mine]))
    rows[0]["inside"] = float(np.nanmean(inside))
    return Table(rows)


def _wheels(data: SoilData, wheel: Wheel) -> _Trials:
    kind = data.names.get("wheel", np.full(len(data), "smooth"))
    angle = data["slip_angle_measured_deg"] if "slip_angle_measured_deg" in data.columns else data["slip_angle_deg"]
    setting = data["rim_speed_set"] if "rim_speed_set" in data.columns else data["rim_speed"].round(4)
    words = zip(kind, data["slip_angle_deg"], 1e3 * setting, strict=True)
    label = np.array([f"{k} {a:g} deg {r:g} mm/s" for k, a, r in words])
    names = list(dict.fromkeys(label))
    columns = (angle, data["speed"], data["rim_speed"], data["sinkage"], *(data[f"force_{a}"] for a in "xyz"))
    means = np.array([[column[label == name].mean() for column in columns] for name in names])
    first = [int(np.argmax(label == name)) for name in names]
    surfaces = {k: wheel.surface(k) for k in np.unique(kind)}
    pieces: list[Piece] = []
    for row, i in zip(means, first, strict=True):
        place, normal, area = surfaces[kind[i]]
        turn, spin = np.radians(row[0]), row[2] / wheel.radius
        moves = np.stack([spin * place[:, 2], 0 * spin * place[:, 0], -spin * place[:, 0]], axis=1)
        moves = moves + row[1] * np.array([np.cos(turn), -np.sin(turn), 0.0])
        pieces.append((normal, moves, area, row[3] - wheel.radius - place[:, 2]))
    angles, speeds = data["slip_angle_deg"][first], setting[first]
    parts = {"condition": np.arange(len(names)), "rim_speed": speeds, "angle": angles}
    return _Trials(means[:, 4:], {p: np.array([_basis(*piece, p) for piece in pieces]) for p in POWERS}, parts, names)


def _plates(data: SoilData) -> _Trials:
    tilt, below = np.radians(data["tilt_deg"]), np.radians(data["motion_deg"])
    zero = np.zeros(len(data))
    normal = np.stack([np.sin(tilt), zero, -np.cos(tilt)], axis=1)
    moves = np.stack([np.cos(below), zero, -np.sin(below)], axis=1)
    # a plate has two sides; the one that moves into the soil counts
    normal = normal * np.where((normal * moves).sum(axis=1, keepdims=True) >= 0, 1.0, -1.0)
    side = data["force_y"] if "force_y" in data.columns else np.full(len(data), np.nan)
    every = [slice(i, i + 1) for i in range(len(data))]
    pieces: list[Piece] = [(normal[i], moves[i], data["area"][i], data["depth"][i]) for i in every]
    label = data.label("tilt_deg", "motion_deg")
    parts = {"angles": label} if len(set(label)) > 1 else {"row": np.arange(len(data))}
    basis = {p: np.array([_basis(*piece, p) for piece in pieces]) for p in POWERS}
    return _Trials(np.stack([data["force_x"], side, data["force_z"]], axis=1), basis, parts, list(label))


def _basis(normal: np.ndarray, moves: np.ndarray, area: np.ndarray, depth: np.ndarray, power: float) -> np.ndarray:
    """What multiplies the coefficients of surfaces that lead and lie below the surface (3, 60)."""
    moves = moves / np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-12)
    on = (depth > 0) & ((normal * moves).sum(axis=1) > 0)
    weight = area[on] * (depth[on] / DEPTH) ** power
    return np.einsum("n,nki->ik", weight, rft.basis(normal[on], moves[on]))


def _solve(trials: _Trials, power: float, loose: float, use: np.ndarray | None = None) -> tuple[float, np.ndarray]:
    """Scale [Pa] and what is added to the scaled coefficients."""
    use = np.ones(len(trials.names), bool) if use is None else use
    basis, force = trials.basis[power][use].reshape(-1, 3 * rft.TERMS), trials.force[use].ravel()
    seen = np.isfinite(force)
    basis, force = basis[seen], force[seen]
    known = basis @ rft.UNIT.T.ravel()
    scale = float(known @ force / (known @ known))
    if np.isinf(loose):
        return scale, np.zeros(basis.shape[1])
    both = np.column_stack([known, basis])
    weight = np.concatenate([[0.0], np.full(basis.shape[1], loose * len(force) / 252 / scale**2)])
    solved = np.linalg.solve(both.T @ both + np.diag(weight), both.T @ force)
    return float(solved[0]), solved[1:]


def _forces(trials: _Trials, power: float, scale: float, added: np.ndarray) -> np.ndarray:
    return trials.basis[power] @ (scale * rft.UNIT.T.ravel() + added)


def _blind(trials: _Trials, power: float, loose: float, part: np.ndarray) -> np.ndarray:
    """Forces of every condition by a fit that has not seen its part."""
    forces = np.zeros_like(trials.force)
    for value in np.unique(part):
        mine = part == value
        forces[mine] = _forces(trials, power, *_solve(trials, power, loose, ~mine))[mine]
    return forces


def _error(forces: np.ndarray, seen: np.ndarray) -> float:
    """Root of the mean square of wrong forces over that of the forces."""
    return float(np.sqrt(np.nansum((forces - seen) ** 2) / np.nansum(seen**2)))


def _result(trials: _Trials, data: SoilData, rows: list, best: tuple[str, float, float], name: str) -> SoilFit:
    law, power, loose = best

    def solved(use: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """Coefficients times their scale, and the pressure on a level plate that goes straight down."""
        scale, added = _solve(trials, power, loose, use)
        flat = scale * rft.UNIT.T.ravel() + added
        down = rft.basis([0.0, 0.0, -1.0], [0.0, 0.0, -1.0])
        return flat.reshape(3, rft.TERMS).T, float(np.einsum("k,nki->ni", flat, down)[0, 2])

    coefficients, level = solved()
    count = len(trials.names)
    without = np.array([solved(np.arange(count) != i)[1] for i in range(count)])
    half = student.ppf(0.975, count - 1) * np.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum())
    told = bool(half < abs(level))
    parameters = [
        {"parameter": "k_phi_pressure", "value": level, "low": level - half, "high": level + half, "told": told},
        {"parameter": "n", "value": power, "low": np.nan, "high": np.nan, "told": True},
    ]
    left, samples = [], []
    for key, part in trials.parts.items():
        forces = _blind(trials, power, loose, part)
        wrong = np.abs(forces - trials.force)
        for value in np.unique(part) if key != "condition" else ():
            mine = part == value
            error = _error(forces[mine], trials.force[mine])
            left.append({"part": f"{key} {value}", "runs": int(mine.sum()), "error": error})
        if key == next(iter(trials.parts)):
            samples = _samples(trials, forces, wrong)
    fixed = None if np.isinf(loose) else tuple(map(tuple, (coefficients / level).tolist()))
    modulus = level / DEPTH**power
    return SoilFit(
        kind=data.kind,
        law=law,
        ground=YieldingGround(name=name, k_c=0.0, k_phi=float(modulus), n=power, cohesion=0.0, coefficients=fixed),
        laws=Table(rows),
        parameters=Table(parameters),
        left_out=Table(left),
        samples=Table(samples),
        notes=_notes(data.kind, trials, loose),
    )


def _samples(trials: _Trials, forces: np.ndarray, wrong: np.ndarray) -> list[dict]:
    """Measured and predicted, with the interval of the errors of all other conditions left out."""
    rows = []
    for i, label in enumerate(trials.names):
        for axis in range(3):
            if np.isfinite(trials.force[i, axis]):
                others = np.delete(wrong[:, axis], i)
                half = float(np.nanquantile(others, min(1.0, 0.95 * (1 + 1 / len(others)))))
                row = {"condition": label, "direction": "xyz"[axis], "measured": float(trials.force[i, axis])}
                value = float(forces[i, axis])
                rows.append({**row, "predicted": value, "low": value - half, "high": value + half})
    return rows


def _notes(kind: str, trials: _Trials, loose: float) -> tuple[str, ...]:
    notes = []
    if kind == "wheel":
        notes.append("forces are predicted at the measured sinkage: the load of these runs differs and is not set")
        notes.append("all wheels have the same size: how pressure depends on size (m, k_c) is not determined")
        notes.append("soil counts as level at its old height: trenches, heaps and soil carried round are not modelled")
    if np.isinf(loose) and len(trials.names) < ENOUGH:
        notes.append(f"fewer than {ENOUGH} conditions: coefficients are the published ones, one scale is fitted")
    if not np.isinf(loose):
        notes.append("coefficients left the published ones; motions unlike the measured ones are extrapolated")
    notes.append(untold("rebound", "damping", "shear_stiffness", "cohesion", "friction"))
    return tuple(notes)
