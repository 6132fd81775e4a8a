"""Soft bodies: time of a step beside SOFA's and against size, as benchmarks have recorded it."""

from __future__ import annotations

from typing import Any

from validation.figures import Figures
from validation.records import Record, Row

SMALLEST = 9_000
"""Unknowns from which sizes are shown."""
HUNDRED = 1e5
"""Unknowns that the expectation is about: the size that is nearest is held against it."""
LIMIT, POWER, MEMORY = 1.5, 1.5, 24.0
"""Time of a step [s], power of its growth with the unknowns, and memory [GB] that are expected at most."""
SHORT = {
    "finger, one cable": "finger",
    "diamond, direct": "diamond",
    "diamond, inverse": "diamond inverse",
    "springy, 3x3-block LDL": "springy",
    "beam, corotational": "beam",
    "beam, Neo-Hookean": "Neo-Hookean",
    "beam on a floor, frictionless": "on a floor",
    "beam, corotational, fine": "fine beam",
}
SOLVERS = {
    "pcg_diagonal_s": "conjugate gradients, diagonal",
    "pcg_ilu_s": "ILU",
    "superlu_s": "SuperLU",
    "pcg_pyamg_s": "PyAMG with rigid motions",
}


def speed() -> Record:
    """How long a step takes, beside others and by size."""
    f = Figures("soft")
    rows = [_beside_sofa(f), _size(f, 0.0), _size(f, 0.6), _solvers(f)]
    text = "Processor time of one core; times of other machines are scaled by a calibration where the row says so."
    return f.record("Soft bodies: speed and size", rows, text)


def _beside_sofa(f: Figures) -> Row:
    scaled, plain = f["speed.faster"], f["speed.faster_plain"]
    finger = scaled["finger, one cable"]
    return f.row(
        "speed.faster",
        good=min(scaled.values()) >= 2 and finger >= 2.5,
        otherwise="only in a regime" if min(plain.values()) >= 2 else "not confirmed",
        what="soft: processor time of a step against SOFA's, scaled by SuperLU on both machines",
        published="at least twice as fast, the finger 2.5 times",
        ours=", ".join(f"{SHORT[name]} {ratio:.1f}" for name, ratio in scaled.items())
        + f" times; not scaled {min(plain.values()):.1f} to {max(plain.values()):.1f}",
        n=f"the least of {f['speed.rounds']} rounds",
        controls=f"SuperLU of the same matrix takes {f['speed.calibration']:.2f} s here, "
        f"{f['speed.calibration_there']:.2f} s on the machine of SOFA's figures",
    )


def _size(f: Figures, friction: float) -> Row:
    name = f"size.friction_{round(100 * friction)}"
    found: dict[str, Any] = f[name]
    rows = [row for row in found["rows"] if row["dofs"] > SMALLEST]
    held = min(rows, key=lambda row: abs(row["dofs"] - HUNDRED))
    power = found["powers"]["step_s"]
    settled = held["worst_s"] < LIMIT and power <= POWER and rows[-1]["gigabytes"] < MEMORY
    late = [word for word in ("landing", "first") if held[f"{word}_s"] >= LIMIT]
    failed = sum(row["failed"] for row in rows)
    machine = (
        f"a core whose SuperLU calibration takes {found['calibration']:.2f} s ({found['calibration_there']:.2f} s on "
        "the machine of SOFA's figures)"
    )
    rounds = (
        f": there the search for nodes that stick, slide and are open takes {held['landing_rounds']:.0f} and "
        f"{held['first_rounds']:.0f} rounds, in settled steps {held['rounds']:.0f}"
    )
    steps = {
        (): "every step",
        ("first",): "all but the very first step",
        ("landing",): "all but the landing",
        ("landing", "first"): "settled steps, not the landing nor the first step" + (rounds if friction else ""),
    }[tuple(late)]
    sizes = ", ".join(f"{1e-3 * row['dofs']:.3g} k" for row in rows)
    return f.row(
        name,
        good=settled and not late and not failed,
        otherwise="only in a regime" if settled and not failed else "not confirmed",
        what=f"soft: processor time of a step with contact ({f'friction {friction:g}' if friction else 'no friction'}) "
        f"and a cable, {sizes} unknowns, one core; memory",
        published=f"{1e-3 * held['dofs']:.0f} k under {LIMIT:g} s; {MEMORY:g} GB; power at most {POWER:g}",
        ours="median " + ", ".join(f"{row['step_s']:.2f}" for row in rows) + " s (worst settled step at "
        f"{1e-3 * held['dofs']:.0f} k {held['worst_s']:.2f}, landing {held['landing_s']:.2f}, first "
        f"{held['first_s']:.1f} s); {rows[-1]['gigabytes']:.1f} GB at {1e-3 * rows[-1]['dofs']:.0f} k; "
        f"{'all steps converged' if not failed else f'{failed:.0f} steps did not converge'}; power {power:.2f}",
        n="median of five settled steps",
        regime=f"{steps}; on {machine}",
    )


def _solvers(f: Figures) -> Row:
    rows: list[dict[str, float]] = f["size.solvers"]
    behind = [row for row in rows if row["multigrid_s"] > min(row[key] for key in SOLVERS if key in row)]
    told = [
        f"at {1e-3 * row['dofs']:.3g} k {row['multigrid_s']:.2g} s beside "
        + ", ".join(f"{row[key]:.2g} ({name})" for key, name in SOLVERS.items() if key in row)
        for row in rows
    ]
    return f.row(
        "size.solvers",
        good=not behind,
        otherwise="only in a regime" if len(behind) < len(rows) else "not confirmed",
        what="soft: one right side with the matrix of the bar, coarse levels made anew, beside scikit-fem's solvers",
        published="no slower than its best",
        ours="; ".join(told),
        n=" and ".join(f"{1e-3 * row['dofs']:.3g} k" for row in rows) + " unknowns, once each",
        controls="to 1e-6; what prepares a solver counts",
        regime=", ".join(f"not at {1e-3 * row['dofs']:.3g} k" for row in behind),
    )
