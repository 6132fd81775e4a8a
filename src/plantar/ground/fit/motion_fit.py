"""Contact and friction from recorded motions: what makes simulated ones follow them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import qmc
from scipy.stats import t as student

from plantar._checks import require
from plantar._rows import table_text
from plantar.ground.contact.ground import Ground
from plantar.ground.fit.motion_run import Errors, compare
from plantar.ground.fit.motion_run import Table as Floor
from plantar.ground.fit.motions import Motions
from plantar.ground.fit.search import Evolution
from plantar.table import Table

DESIGNS, POPULATION = 256, 12
"""Contacts that a fit looks at first, and tries a generation of each search."""
FRICTION = 0.18
"""Sliding friction of the contact to which a fit is compared, the rest being MuJoCo's default."""
TURNED = math.radians(30)
"""Rotation error above which a motion is simply wrong, for the loss [rad]."""


class Dial(NamedTuple):
    """A parameter of the contact that is searched for."""

    name: str
    unit: str
    low: float
    high: float
    log: bool = True

    def value(self, share: float) -> float:
        """What a place from 0 to 1 stands for."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return float(self.low + share * (self.high - self.low))


def dials(motions: Motions, substeps: int, friction: float = FRICTION) -> tuple[Dial, ...]:
    """What is searched for, and within which bounds.

    Lengths are in proportion to the body's side, as given for one of 104.8 mm; sliding friction is known within a
    factor of two.
    """
    least, scale = 2 * motions.dt / substeps, motions.scale / 0.1048
    return (
        Dial("time_constant", "s", least, max(0.08, 4 * least)),
        Dial("damping_ratio", "", 0.1, 3.0),
        Dial("d0", "", 0.02, 0.95, False),
        Dial("d_width", "", 0.4, 0.99, False),
        Dial("width", "m", 2e-4 * scale, 0.02 * scale),
        Dial("midpoint", "", 0.1, 0.9, False),
        Dial("power", "", 1.0, 4.0, False),
        Dial("sliding", "", friction * 0.08 / 0.18, friction * 0.35 / 0.18),
        Dial("torsional", "m", 1e-5 * scale, 0.05 * scale),
        Dial("rolling", "m", 1e-6 * scale, 0.01 * scale),
        Dial("impratio", "", 0.2, 30.0),
        Dial("height", "m", -0.002 * scale, 0.002 * scale, False),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionFit:
    """A contact fitted to motions, and how well it does on motions that it has not seen."""

    ground: Ground
    """Fitted to all motions."""
    height: float
    """Where the data have the ground [m]; of the measurement, not of the ground."""
    parameters: Table
    """Rows with parameter, value, low, high (95 %, by jackknife over the folds or bootstrap, the wider), unit."""
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
        return "\n".join([head, *lines, "", table_text(self.parameters)])

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
        solimp=(v["d0"], v["d_width"], v["width"], v["midpoint"], v["power"]),
        friction=(v["sliding"], v["torsional"], v["rolling"]),
        condim=6,
        impratio=v["impratio"],
        note="plantar.ground.motion_fit",
    )
    return Floor(ground=ground, height=v["height"])


def evaluations(folds: int, generations: int, designs: int = DESIGNS) -> int:
    """Simulated sets of motions of a whole fit, for a progress bar."""
    return designs + (folds + 1) * generations * POPULATION


def fit_motions(
    motions: Motions,
    *,
    folds: int = 5,
    designs: int = DESIGNS,
    generations: int = 15,
    subset: int = 120,
    substeps: int = 2,
    friction: float = FRICTION,
    threads: int = 1,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> MotionFit:
    """Search for solref, solimp, frictions, impratio and the height of the ground that lower both errors.

    Each motion is simulated from its first measured state to its end. The loss is the mean of the eighth powers of
    position and rotation errors, each over that of MuJoCo's default contact: the larger one counts. Rotation errors
    count up to 30 degrees: beyond, a body has come to lie on another side, by chance more than by contact. A search
    knows its bounds and its training motions only: it looks at contacts that are spread evenly between the bounds
    (Sobol's sequence), takes the best one, and goes on from there by an evolution strategy (CMA-ES) on one `subset` of
    the training motions. Cross-validated: motions are split into `folds` parts, each predicted by a whole search on
    the others; the ground that is returned comes from a search on all of them.

    Args:
        motions: From `Motions.load`.
        folds: Parts of the cross-validation.
        designs: Contacts to look at first, spread between the bounds.
        generations: Of each search from there; 0 takes the best of the first look.
        subset: Motions that a search looks at.
        substeps: Time steps between two rows.
        friction: Sliding friction of the default contact to compare with; the search stays within a factor of two.
        threads: Threads of the simulation.
        seed: Seed of the folds and searches.
        progress: Called with the number of evaluations done.
    """
    require(2 <= folds <= len(motions) // 2, "folds", folds, f"2 to {len(motions) // 2}, half the motions")
    require(designs >= 1, "designs", designs, "a whole number from 1")
    everything = np.arange(len(motions))
    run = {"substeps": substeps, "threads": threads}
    before = compare(motions, everything, default_floor(friction), **run)
    settings = dials(motions, substeps, friction)
    search = _Search(motions, before, run, (generations, subset), settings, progress or (lambda _: None))
    search.look(designs, seed)
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
        parameters=_intervals(search.dials, places, np.array(found), search.drawn(everything, seed)),
        motions=_rows(part, before, after),
    )


class _Search:
    """Searches on one set of motions."""

    def __init__(
        self,
        motions: Motions,
        before: Errors,
        run: dict[str, int],
        effort: tuple[int, int],
        settings: tuple[Dial, ...],
        progress: Callable[[int], None],
    ):
        self.motions, self.before, self.run, self.progress = motions, before, run, progress
        self.generations, self.subset = effort
        self.dials = settings

    def look(self, designs: int, seed: int) -> None:
        """Simulate all motions on contacts spread between the bounds; a search then sees those of its motions."""
        # `rng` in place of `seed` is of newer SciPy than ours must be
        self.design = qmc.Sobol(len(self.dials), seed=seed).random(designs)  # pyright: ignore[reportCallIssue]
        self.seen: list[Errors] = []
        for places in self.design:
            self.seen.append(compare(self.motions, np.arange(len(self.motions)), self.floor(places), **self.run))
            self.progress(1)

    def floor(self, places: np.ndarray) -> Floor:
        """The floor at places from 0 to 1."""
        return floor_of(places, self.dials)

    def loss(self, errors: Errors, which: np.ndarray) -> float:
        """Both errors on `which`, each over that of the default contact; the larger one counts."""
        position = errors.position.mean() / self.before.position[which].mean()
        rotation = np.minimum(errors.rotation, TURNED).mean() / np.minimum(self.before.rotation[which], TURNED).mean()
        return float((position**8 + rotation**8) / 2) ** 0.125

    def best(self, which: np.ndarray, seed: int) -> np.ndarray:
        """Places from 0 to 1 with the least loss on `which`."""
        first = [self.loss(Errors(e.position[which], e.rotation[which]), which) for e in self.seen]
        start = self.design[int(np.argmin(first))]
        if not self.generations:
            return start
        rng = np.random.default_rng((seed, 7))
        some = np.sort(rng.choice(which, min(self.subset, len(which)), replace=False))
        evolution = Evolution(start, 0.1, POPULATION, seed)
        for _ in range(self.generations):
            points = evolution.ask()
            evolution.tell(np.array([self.loss(self._errors(point, some), some) for point in points]))
            self.progress(len(points))
        # the best point of a search is the luckiest one, since tosses are chaotic; its middle is not
        return min((evolution.mean, start), key=lambda point: self.loss(self._errors(point, which), which))

    def drawn(self, which: np.ndarray, seed: int, draws: int = 200) -> np.ndarray:
        """Best places of the first look for motions drawn anew, with repeats (draws, dials)."""
        rng, found = np.random.default_rng((seed, 11)), []
        for _ in range(draws):
            some = rng.choice(which, len(which))
            losses = [self.loss(Errors(e.position[some], e.rotation[some]), some) for e in self.seen]
            found.append(self.design[int(np.argmin(losses))])
        return np.array(found)

    def _errors(self, places: np.ndarray, which: np.ndarray) -> Errors:
        return compare(self.motions, which, self.floor(places), **self.run)


def _intervals(settings: tuple[Dial, ...], places: np.ndarray, folds: np.ndarray, drawn: np.ndarray) -> Table:
    """The wider of a delete-a-group jackknife and a bootstrap of the first look, on the scale of the search."""
    k = len(folds)
    spread = np.sqrt((k - 1) / k * ((folds - folds.mean(axis=0)) ** 2).sum(axis=0))
    half = float(student.ppf(0.975, k - 1)) * spread
    lows = np.minimum(places - half, np.quantile(drawn, 0.025, axis=0))
    highs = np.maximum(places + half, np.quantile(drawn, 0.975, axis=0))
    rows = []
    for dial, x, low, high in zip(settings, places, lows, highs, strict=True):
        ends = {"low": dial.value(max(0.0, float(low))), "high": dial.value(min(1.0, float(high)))}
        rows.append({"parameter": dial.name, "value": dial.value(float(x)), **ends, "unit": dial.unit})
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
