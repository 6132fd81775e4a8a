"""The measures shipped with Plantar; each uses the room that provides it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plantar import bench, ground
from plantar._checks import require
from plantar._read import read_csv, reason
from plantar.bench.stiffness import secant
from plantar.design.measure import measure
from plantar.design.subject import Subject
from plantar.errors import InvalidInput
from plantar.feet.softfoot.band_tendons import band_lengths
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.foothold import physics
from plantar.walk import courses
from plantar.walk.courses import Way

LOADS = (0.0, 10.0, 20.0, 40.0, 80.0, 160.0)
"""Default loads of a stiffness curve [N]."""
ADVICE = "give a CSV file with the columns load [N] and deflection [m]"
WAY = Way(start=0.2, end=2.0)
"""Where grounds that a foot is pressed on lie [m]."""
PLACES = (0.9, 1.03)
"""Where on them it comes down [m]."""


@measure("mass", "kg", "min", "model")
def mass(subject: Subject) -> float:
    """Mass of the foot."""
    return float(subject.model.body_subtreemass[0])


@measure("length", "m", "min", "model")
def length(subject: Subject) -> float:
    """Length of the sole."""
    return subject.foot.sole.length


@measure("width", "m", "min", "model")
def width(subject: Subject) -> float:
    """Width of the sole."""
    return subject.foot.sole.width


@measure("height", "m", "min", "model")
def height(subject: Subject) -> float:
    """Height of the ankle above the sole."""
    return float(subject.foot.sole_height)


@measure("parts", "", "min", "model")
def parts(subject: Subject) -> float:
    """Rigid parts of the full foot that have a mass."""
    full = subject.foot if subject.foot.fidelity == "full" else subject.foot.with_(fidelity="full")
    return float(np.count_nonzero(full.model().body_mass))


def _bands(subject: Subject) -> Any:
    foot = subject.foot
    if not isinstance(foot, SoftFoot):  # only there are bands described
        raise InvalidInput(f"{foot.name} has no elastic bands to measure")
    return foot


@measure("band_strain", "", "min", "model")
def band_strain(subject: Subject) -> float:
    """Largest strain of a rubber band, with a coupling at its flexion limit."""
    foot = _bands(subject)
    # a coupling that has turned by its limit has turned by half of it at each hinge
    longer = 2 * foot.band.exit_offset * (1 - math.cos(foot.flexion_limit / 2))
    _, straight, free = band_lengths(foot.band, foot.coupling_length)
    return (straight + longer) / free - 1


@measure("band_stress", "Pa", "min", "model")
def band_stress(subject: Subject) -> float:
    """Largest pull of a band over its section without load, with a coupling at its flexion limit."""
    foot = _bands(subject)
    band = foot.band
    longer = 2 * band.exit_offset * (1 - math.cos(foot.flexion_limit / 2))
    return (band.tension + band.axial_stiffness * longer) / (band.count * band.width * band.thickness)


def curve_of(subject: Subject, loads: Sequence[float], obstacle: str = "cylinder") -> Any:
    """The stiffness curve of a foot at these loads, measured once."""
    key = (tuple(loads), obstacle)
    if key not in subject.curves:
        subject.curves[key] = bench.stiffness(subject.foot, obstacle=obstacle, loads=list(loads), threads=1)  # type: ignore[arg-type]
    return subject.curves[key]


@measure("stiffness", "N/m", "max", "press", low=10.0, high=160.0, obstacle="cylinder")
def stiffness(subject: Subject, low: float, high: float, obstacle: str) -> float:
    """Secant stiffness between two loads on an obstacle (`plantar bench stiffness`)."""
    loads = sorted({*LOADS, float(low), float(high)})
    return secant(curve_of(subject, loads, obstacle), low, high)


@measure("curve", "", "min", "press", True, file=None, obstacle="cylinder")
def curve(subject: Subject, file: str, obstacle: str) -> np.ndarray:
    """Root mean square relative distance from a desired deflection curve, a CSV with columns load and deflection."""
    loads, wanted = read_curve(file)
    have = curve_of(subject, loads, obstacle).column("deflection")
    return (have - wanted) / wanted


def read_curve(file: str | Path) -> tuple[list[float], np.ndarray]:
    """Loads [N] and desired deflections [m] of a CSV file.

    Raises:
        InvalidInput: If the file cannot be read, or lacks a column or a number.
    """
    rows = read_csv(file, ADVICE)
    try:
        numbers = np.array([[float(row["load"]), float(row["deflection"])] for row in rows]).reshape(-1, 2)
    except (KeyError, ValueError, TypeError) as error:
        raise InvalidInput(f"{file} is not a curve ({reason(error)}): {ADVICE}") from error
    good = len(numbers) > 1 and bool(np.isfinite(numbers).all()) and bool((numbers[:, 1] > 0).all())
    require(good, str(file), f"{len(numbers)} rows", "two or more rows of a load and a deflection above 0")
    return numbers[:, 0].tolist(), numbers[:, 1]


@measure("tension", "N", "min", "press", load=200.0)
def tension(subject: Subject, load: float) -> float:
    """Largest tension of a tendon or chain of the foot under a load on a cylinder of 25 mm."""
    return float(curve_of(subject, (0.0, load)).column("tension")[-1])


@measure("lift", "m", "max", "press", angle=25.0)
def lift(subject: Subject, angle: float) -> float:
    """Lift of the arch with the toes raised in the air by an angle in degrees (`plantar bench windlass`)."""
    table = bench.windlass(subject.foot, angles=(0.0, math.radians(angle)), threads=1)
    return float(table.column("arch_lift")[-1])


@measure("contact_area", "m^2", "max", "press", over="bar+cobbles", level=0.012, load=200.0, seed=0)
def contact_area(subject: Subject, over: str, level: float, load: float, seed: int) -> float:
    """Mean area of the hull of the contacts when pressed onto a bar and other grounds, joined by +, of a height."""
    found: list[float] = []
    for k, name in enumerate(str(over).split("+")):
        terrain = _terrain(name, level, seed + k)
        rows = bench.press_terrain(
            subject.foot, terrain, places=[(x, 0.0) for x in PLACES], loads=(load,), duration=1.5
        )
        found += list(rows.column("support"))
    return float(np.mean(found))


def _terrain(name: str, level: float, seed: int) -> ground.Terrain:
    if name == "bar":
        x = float(np.random.default_rng(seed).uniform(-0.02, 0.08))
        return ground.Bars(height=level, positions=tuple(place + x for place in PLACES[:1]))
    terrain = courses.lay(name, level, seed, WAY).terrain
    if terrain is None:
        raise InvalidInput(f"contact_area:over={name} has no ground: give bar, or a course of stones, edges or relief")
    return terrain


@measure("sinkage", "m", "min", "press", soil="dry_sand", load=300.0)
def sinkage(subject: Subject, soil: str, load: float) -> float:
    """How deep the sole sinks into a soil of `plantar ground materials` under a load."""
    terrain = ground.YieldingGround.of(soil)
    rows = bench.press_terrain(subject.foot, terrain, places=[(0.0, 0.0)], loads=(load,), duration=1.5)
    return -float(rows[0]["sole"])


@measure("hold", "", "max", "press", tiles=2, footholds=2, seed=0)
def hold(subject: Subject, tiles: int, footholds: int, seed: int) -> float:
    """Mean push over load that footholds on mixed ground resist in the worst direction (`foothold press`)."""
    config = physics.PhysicsConfig(
        mosaic=physics.MosaicConfig(tiles=tiles, seed=seed), plan=physics.PressPlan(footholds=footholds, seed=seed)
    )
    data = physics.Presser(subject.foot, config, threads=1).footholds(0)
    return float(np.nanmean(data.labels.hold))


def _mean(subject: Subject, name: str, arrived: bool = False) -> float:
    """Mean of a figure over all walks, or over those that arrived: a figure per metre means nothing in a fall."""
    values = np.array([row[name] for row in subject.walks if row["success"] or not arrived], float)
    return float(np.nanmean(values)) if np.isfinite(values).any() else math.nan


@measure("held", "", "max", "walk")
def held(subject: Subject) -> float:
    """Fraction of the walks in which the robot took all of its steps and stood at the end."""
    return _mean(subject, "success")


@measure("way", "", "max", "walk")
def way(subject: Subject) -> float:
    """Mean fraction of the walk, in time, completed before a fall; 1 if the robot arrived."""
    return _mean(subject, "way")


@measure("transport", "", "min", "walk")
def transport(subject: Subject) -> float:
    """Cost of transport: work of all joints over weight and distance, mean of the walks that arrived."""
    return _mean(subject, "transport", arrived=True)


@measure("force_peak", "weights", "min", "walk")
def force_peak(subject: Subject) -> float:
    """Largest vertical force on a foot, mean of all walks."""
    return _mean(subject, "force_peak")


@measure("force_rate", "weights/s", "min", "walk")
def force_rate(subject: Subject) -> float:
    """Largest rate of the force on a foot over 10 ms, mean of all walks."""
    return _mean(subject, "force_rate")


@measure("slip", "", "min", "walk")
def slip(subject: Subject) -> float:
    """Slip of loaded feet per metre walked, mean of the walks that arrived."""
    return _mean(subject, "slip", arrived=True)


@measure("excursion", "m", "min", "walk")
def excursion(subject: Subject) -> float:
    """Largest distance of the centre of mass from its plan, geometric mean of all walks: near falls count too."""
    values = np.array([row["com_excursion"] for row in subject.walks], float)
    return float(np.exp(np.mean(np.log(np.maximum(values, 1e-4)))))


@measure("dcm_error", "m", "min", "walk")
def dcm_error(subject: Subject) -> float:
    """How far the divergent component of motion strays from its plan, root mean square, mean of all walks."""
    return _mean(subject, "dcm_error")
