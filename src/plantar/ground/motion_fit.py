"""Contact and friction from recorded motions: what makes simulated ones follow them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import t as student

from plantar._checks import require
from plantar.ground._motion_run import Errors, compare
from plantar.ground._motion_run import Table as Floor
from plantar.ground._search import Evolution
from plantar.ground.ground import Ground
from plantar.ground.motion import Motions
from plantar.table import Table

POPULATION = 12
"""Tries a generation."""
FRICTION = 0.18
"""Sliding friction of the contact to which a fit is compared, the rest being MuJoCo's default."""


class Dial(NamedTuple):
    """A parameter of the contact that is searched for."""

    name: str
    unit: str
    low: float
    high: float
    hard: float
    """Start of a hard contact, MuJoCo's default as far as it goes."""
    soft: float
    """Start of a soft one, with friction against spinning and rolling."""
    log: bool = True

    def value(self, share: float) -> float:
        """What a place from 0 to 1 stands for."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))

    def share(self, value: float) -> float:
        """The place of a value."""
        if self.log:
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return float((value - self.low) / (self.high - self.low))


def dials(motions: Motions, substeps: int) -> tuple[Dial, ...]:
    """What is searched for, and within which bounds."""
    least = 2 * motions.dt / substeps
    side = motions.scale
    height = float(np.clip(motions.ground_height, -0.025 * side, 0.025 * side))
    return (
        Dial("time_constant", "s", least, max(0.08, 4 * least), max(0.02, 1.2 * least), max(0.02, 1.2 * least)),
        Dial("damping_ratio", "", 0.05, 4.0, 1.0, 1.0),
        Dial("d0", "", 0.02, 0.98, 0.9, 0.1, False),
        Dial("d_width", "", 0.3, 0.999, 0.95, 0.7, False),
        Dial("width", "m", 0.002 * side, 0.2 * side, 0.01 * side, 0.08 * side),
        Dial("sliding", "", 0.03, 1.0, FRICTION, FRICTION),
        Dial("torsional", "m", 1e-4 * side, 0.5 * side, 1e-3 * side, 0.05 * side),
        Dial("rolling", "m", 1e-5 * side, 0.1 * side, 1e-4 * side, 0.01 * side),
        Dial("impratio", "", 0.1, 30.0, 1.0, 1.0),
        Dial("height", "m", -0.03 * side, 0.03 * side, height, height, False),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionFit:
    """A contact fitted to motions, and how well it does on motions that it has not seen."""

    ground: Ground
    """Fitted to all motions."""
    height: float
    """Where the data have the ground [m]; of the measurement, not of the ground."""
    parameters: Table
    """Rows with parameter, value, low, high (95 %, by jackknife over the folds), unit."""
    motions: Table
    """Rows with motion, fold, and errors before and after; each after a fit without that motion."""

    def means(self) -> dict[str, float]:
        """Mean errors: position (share of the side) and rotation [rad], before and after."""
        names = ("position_before", "position_after", "rotation_before", "rotation_after")
        return {name: float(self.motions.column(name).mean()) for name in names}

    def reduction(self, kind: Literal["position", "rotation"]) -> tuple[float, float, float]:
        """Share by which the mean error falls on motions not used in the fit, and its 95 % interval (bootstrap)."""
        before, after = self.motions.column(f"{kind}_before"), self.motions.column(f"{kind}_after")
        draws = np.random.default_rng(0).integers(0, len(before), (4000, len(before)))
        ratios = 1 - after[draws].mean(axis=1) / before[draws].mean(axis=1)
        low, high = np.quantile(ratios, [0.025, 0.975])
        return float(1 - after.mean() / before.mean()), float(low), float(high)

    def text(self) -> str:
        """The result for people."""
        from plantar.ground._text import columns  # noqa: PLC0415

        means, lines = self.means(), []
        scales = {"position": (100.0, "% of the side"), "rotation": (float(np.degrees(1)), "degrees")}
        for kind, (scale, unit) in scales.items():
            share, low, high = self.reduction(kind)  # type: ignore[arg-type]
            before, after = scale * means[f"{kind}_before"], scale * means[f"{kind}_after"]
            lines.append(
                f"mean error of {kind}: {before:.3g} to {after:.3g} {unit}, "
                f"{share:.1%} less (95 %: {low:.1%} to {high:.1%})"
            )
        head = f"{len(self.motions)} motions, each predicted by a fit without it"
        return "\n".join([head, *lines, "", columns(self.parameters)])

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        cuts = {kind: self.reduction(kind) for kind in ("position", "rotation")}  # type: ignore[arg-type]
        return {
            "motions": len(self.motions),
            **self.means(),
            "reduction": {kind: dict(zip(("share", "low", "high"), cut, strict=True)) for kind, cut in cuts.items()},
            "parameters": list(self.parameters),
            "ground": self.ground.to_dict(),
            "height": self.height,
        }


def default_floor(friction: float = FRICTION) -> Floor:
    """MuJoCo's default contact with a sliding friction."""
    return Floor(ground=Ground(friction=(friction, 0.005, 0.0001), cone="pyramidal", impratio=1.0))


def floor_of(places: np.ndarray, settings: tuple[Dial, ...]) -> Floor:
    """The floor that places from 0 to 1 stand for."""
    v = {dial.name: dial.value(float(x)) for dial, x in zip(settings, places, strict=True)}
    ground = Ground(
        name="fitted to motions",
        solref=(v["time_constant"], v["damping_ratio"]),
        solimp=(v["d0"], v["d_width"], v["width"], 0.5, 2.0),
        friction=(v["sliding"], v["torsional"], v["rolling"]),
        condim=6,
        impratio=v["impratio"],
        note="plantar.ground.motion_fit",
    )
    return Floor(ground=ground, height=v["height"])


def evaluations(folds: int, generations: int) -> int:
    """Simulated sets of motions of a whole fit, for a progress bar."""
    return (folds + 1) * generations * POPULATION


def fit_motions(
    motions: Motions,
    *,
    folds: int = 5,
    generations: int = 15,
    subset: int = 120,
    substeps: int = 2,
    friction: float = FRICTION,
    threads: int = 1,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> MotionFit:
    """Search for solref, solimp, frictions, impratio and the height of the ground that lower both errors.

    Each motion is simulated from its first measured state to its end. The loss is the mean of the fourth powers of
    position and rotation errors, each over that of MuJoCo's default contact. An evolution strategy (CMA-ES) starts
    from a hard or a soft contact, whichever is better, and searches on one `subset` of the training motions.
    Cross-validated: motions are split into `folds` parts, each predicted by a fit to the others; the ground that is
    returned is fitted to all of them.

    Args:
        motions: From `Motions.load`.
        folds: Parts of the cross-validation.
        generations: Of each search.
        subset: Motions that a search looks at.
        substeps: Time steps between two rows.
        friction: Sliding friction of the default contact to compare with.
        threads: Threads of the simulation.
        seed: Seed of the folds and searches.
        progress: Called with the number of evaluations done.
    """
    require(2 <= folds <= len(motions) // 2, "folds", folds, f"2 to {len(motions) // 2}, half the motions")
    everything = np.arange(len(motions))
    run = {"substeps": substeps, "threads": threads}
    before = compare(motions, everything, default_floor(friction), **run)
    search = _Search(motions, before, run, generations, subset, progress or (lambda _: None))
    part = np.random.default_rng(seed).permutation(len(motions)) % folds
    after = Errors(np.empty(len(motions)), np.empty(len(motions)))
    found = []
    for fold in range(folds):
        places = search.best(np.flatnonzero(part != fold), seed + 1 + fold)
        left = np.flatnonzero(part == fold)
        errors = compare(motions, left, floor_of(places, search.dials), **run)
        after.position[left], after.rotation[left] = errors
        found.append(places)
    places = search.best(everything, seed)
    floor = floor_of(places, search.dials)
    return MotionFit(
        ground=floor.ground,
        height=floor.height,
        parameters=_intervals(search.dials, places, np.array(found)),
        motions=_rows(part, before, after),
    )


class _Search:
    """Searches on one set of motions."""

    def __init__(
        self,
        motions: Motions,
        before: Errors,
        run: dict[str, int],
        generations: int,
        subset: int,
        progress: Callable[[int], None],
    ):
        self.motions, self.before, self.run, self.progress = motions, before, run, progress
        self.generations, self.subset = generations, subset
        self.dials = dials(motions, run["substeps"])

    def loss(self, places: np.ndarray, which: np.ndarray) -> float:
        """Both errors, each over that of the default contact; the larger one counts more."""
        errors = compare(self.motions, which, floor_of(places, self.dials), **self.run)
        position = errors.position.mean() / self.before.position[which].mean()
        rotation = errors.rotation.mean() / self.before.rotation[which].mean()
        return float((position**4 + rotation**4) / 2) ** 0.25

    def best(self, which: np.ndarray, seed: int) -> np.ndarray:
        """Places from 0 to 1 with the least loss on `which`."""
        rng = np.random.default_rng((seed, 7))
        some = np.sort(rng.choice(which, min(self.subset, len(which)), replace=False))
        starts = [np.array([dial.share(getattr(dial, kind)) for dial in self.dials]) for kind in ("hard", "soft")]
        record = sorted(((self.loss(start, some), start) for start in starts), key=lambda item: item[0])
        evolution = Evolution(record[0][1], 0.1, POPULATION, seed)
        for _ in range(self.generations):
            points = evolution.ask()
            losses = np.array([self.loss(point, some) for point in points])
            evolution.tell(losses)
            record.append((float(losses.min()), points[losses.argmin()].copy()))
            self.progress(len(points))
        record.sort(key=lambda item: item[0])
        # the best of a search on a subset is partly luck: the middle and the first few meet on all motions
        tried = [evolution.mean.copy(), *(point for _, point in record[:4]), *starts]
        return min(tried, key=lambda point: self.loss(point, which))


def _intervals(settings: tuple[Dial, ...], places: np.ndarray, folds: np.ndarray) -> Table:
    """Delete-a-group jackknife on the scale of the search."""
    k = len(folds)
    spread = np.sqrt((k - 1) / k * ((folds - folds.mean(axis=0)) ** 2).sum(axis=0))
    half = float(student.ppf(0.975, k - 1)) * spread
    rows = []
    for dial, x, h in zip(settings, places, half, strict=True):
        low, high = dial.value(max(0.0, float(x - h))), dial.value(min(1.0, float(x + h)))
        rows.append(
            {"parameter": dial.name, "value": dial.value(float(x)), "low": low, "high": high, "unit": dial.unit}
        )
    return Table(rows)


def _rows(part: np.ndarray, before: Errors, after: Errors) -> Table:
    return Table(
        {
            "motion": i,
            "fold": int(part[i]),
            "position_before": float(before.position[i]),
            "position_after": float(after.position[i]),
            "rotation_before": float(before.rotation[i]),
            "rotation_after": float(after.rotation[i]),
        }
        for i in range(len(part))
    )
