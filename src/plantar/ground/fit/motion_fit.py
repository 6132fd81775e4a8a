"""Contact and friction from recorded motions: what makes simulated ones follow them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.stats import t as student

from plantar._checks import require
from plantar._extras import require_extra
from plantar.ground.fit.contact_space import (
    FRICTION,
    ContactParameter,
    contact_space,
    default_floor,
    floor_at,
    places_of,
)
from plantar.ground.fit.motion_result import CONTACTS, MotionFit
from plantar.ground.fit.motion_run import Errors, compare
from plantar.ground.fit.motions import Motions
from plantar.table import Table

POPULATION, FRICTIONS = 12, 7
"""Tries of each generation of a search, and frictions that it looks at first."""
TURNED = math.radians(30)
"""Rotation error above which a motion is simply wrong, for the loss [rad]."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""How far to go from the default to the contact that a search found; 0 keeps the default."""


def evaluations(folds: int, generations: int) -> int:
    """Simulated sets of motions of a whole fit, for a progress bar."""
    return (1 + folds + math.comb(folds, 2)) * (FRICTIONS + generations * POPULATION)


def fit_motions(
    motions: Motions,
    *,
    folds: int = 5,
    generations: int = 10,
    substeps: int = 2,
    friction: float = FRICTION,
    threads: int = 1,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> MotionFit:
    """Search for solref, solimp, frictions, impratio and the height of the ground that lower both errors.

    Each motion is simulated from its first measured state to its end. A search starts from MuJoCo's default contact
    with an elliptic cone and goes on by an evolution strategy (CMA-ES). Its loss is the mean of the eighth powers of
    position and rotation errors, each over that of the elliptic default: the larger one counts. Rotation errors count
    up to 30 degrees: beyond, a body has come to rest on another side, more by chance than by contact. As tosses are
    chaotic, what a search finds is shrunk towards the default by a factor that is chosen on motions that the
    search has not seen.

    Cross-validated, with every choice inside the training motions: they are split into `folds` parts, each predicted
    by a search on the others, whose factor is chosen by searches that leave out one more part.

    Args:
        motions: From `Motions.load`.
        folds: Parts of the cross-validation.
        generations: Of each search.
        substeps: Time steps between two rows.
        friction: Sliding friction of the default contacts; the search stays within a factor of two.
        threads: Threads of the simulation.
        seed: Seed of the folds and searches.
        progress: Called with the number of evaluations done.

    Raises:
        MissingExtra: If `cmaes` is not installed.
    """
    require(3 <= folds <= len(motions) // 2, "folds", folds, f"3 to {len(motions) // 2}, half the motions")
    require_extra("fit")
    search = _Search(motions, friction, generations, substeps, threads, progress or (lambda _: None))
    part = np.random.default_rng(seed).permutation(len(motions)) % folds
    pairs = list(combinations(range(folds), 2))
    left_out: list[tuple[int, ...]] = [(), *((k,) for k in range(folds)), *pairs]
    found = {out: search.best(np.flatnonzero(~np.isin(part, out)), seed + i) for i, out in enumerate(left_out)}
    after = Errors(np.empty(len(motions)), np.empty(len(motions)))
    shares, fits = [], []
    for fold in range(folds):
        inner = {other: found[min(fold, other), max(fold, other)] for other in range(folds) if other != fold}
        shares.append(search.share(inner, part))
        fits.append(search.towards(found[(fold,)], shares[-1]))
        left = np.flatnonzero(part == fold)
        after.position[left], after.rotation[left] = search.errors(fits[-1], left)
    share = search.share({fold: found[(fold,)] for fold in range(folds)}, part)
    places = search.towards(found[()], share)
    floor = search.floor(places)
    errors: dict[str, Errors] = dict(zip(CONTACTS, (search.pyramidal, search.elliptic, after), strict=True))
    return MotionFit(
        ground=floor.ground,
        height=floor.height,
        share=share,
        shares=tuple(shares),
        parameters=_intervals(search.space, places, np.array(fits)),
        motions=_rows(part, errors),
    )


class _Search:
    """Searches on parts of one set of motions."""

    def __init__(
        self,
        motions: Motions,
        friction: float,
        generations: int,
        substeps: int,
        threads: int,
        progress: Callable[[int], None],
    ):
        self.motions, self.generations, self.progress = motions, generations, progress
        self.run = {"substeps": substeps, "threads": threads}
        self.space = contact_space(motions, substeps, friction)
        self.default = default_floor(friction, "elliptic")
        self.start = places_of(self.default, self.space)
        everything = np.arange(len(motions))
        self.pyramidal = compare(motions, everything, default_floor(friction), **self.run)
        self.elliptic = compare(motions, everything, self.default, **self.run)

    def towards(self, places: np.ndarray, share: float) -> np.ndarray:
        """A fraction of the step from the default."""
        return self.start + share * (places - self.start)

    def floor(self, places: np.ndarray):  # noqa: ANN201
        """The floor at places; the default itself where they are its own."""
        return self.default if np.array_equal(places, self.start) else floor_at(places, self.space)

    def errors(self, places: np.ndarray, which: np.ndarray) -> Errors:
        """Errors of motions on the floor at places from 0 to 1."""
        return compare(self.motions, which, self.floor(places), **self.run)

    def loss(self, errors: Errors, which: np.ndarray) -> float:
        """Both errors on `which`, each over that of the elliptic default; the larger one counts."""
        base = self.elliptic
        position = errors.position.mean() / base.position[which].mean()
        rotation = np.minimum(errors.rotation, TURNED).mean() / np.minimum(base.rotation[which], TURNED).mean()
        return float((position**8 + rotation**8) / 2) ** 0.125

    def best(self, which: np.ndarray, seed: int) -> np.ndarray:
        """Places from 0 to 1 with a low loss on `which`: the centre of a search, as its best point is partly luck."""
        from cmaes import CMA  # noqa: PLC0415  (an extra)

        start = self._best_friction(which)
        bounds = np.tile([0.0, 1.0], (len(start), 1))
        spread = np.diag([parameter.spread**2 for parameter in self.space])
        search = CMA(mean=start, sigma=1.0, cov=spread, bounds=bounds, seed=seed, population_size=POPULATION)
        for _ in range(self.generations):
            points = [search.ask() for _ in range(POPULATION)]
            search.tell([(point, self.loss(self.errors(point, which), which)) for point in points])
            self.progress(POPULATION)
        return np.clip(search.mean, 0.0, 1.0)

    def _best_friction(self, which: np.ndarray) -> np.ndarray:
        """The default with the best of several sliding frictions, its own among them."""
        place = [parameter.name for parameter in self.space].index("sliding")
        points = np.tile(self.start, (FRICTIONS, 1))
        points[:, place] = np.linspace(0.2, 0.8, FRICTIONS)
        losses = [self.loss(self.errors(point, which), which) for point in points]
        self.progress(FRICTIONS)
        return points[int(np.argmin(losses))]

    def share(self, found: dict[int, np.ndarray], part: np.ndarray) -> float:
        """How far to go from the default, by errors of each part on the contact that was found without it."""
        which = np.concatenate([np.flatnonzero(part == fold) for fold in found])
        losses = []
        for share in SHARES:
            errors = [self.errors(self.towards(p, share), np.flatnonzero(part == fold)) for fold, p in found.items()]
            pooled = Errors(*(np.concatenate(columns) for columns in zip(*errors, strict=True)))
            losses.append(self.loss(pooled, which))
        return SHARES[int(np.argmin(losses))]


def _intervals(space: tuple[ContactParameter, ...], places: np.ndarray, folds: np.ndarray) -> Table:
    """95 % intervals by a delete-a-group jackknife, on the scale of the search."""
    k = len(folds)
    spread = np.sqrt((k - 1) / k * ((folds - folds.mean(axis=0)) ** 2).sum(axis=0))
    half = float(student.ppf(0.975, k - 1)) * spread
    rows = []
    for parameter, x, h in zip(space, places, half, strict=True):
        low, high = (parameter.value(float(np.clip(end, 0, 1))) for end in (x - h, x + h))
        rows.append(
            {
                "parameter": parameter.name,
                "value": parameter.value(float(x)),
                "low": low,
                "high": high,
                "unit": parameter.unit,
            }
        )
    return Table(rows)


def _rows(part: np.ndarray, errors: dict[str, Errors]) -> Table:
    return Table(
        {
            "motion": i,
            "fold": int(part[i]),
            **{f"position_{name}": float(error.position[i]) for name, error in errors.items()},
            **{f"rotation_{name}": float(error.rotation[i]) for name, error in errors.items()},
        }
        for i in range(len(part))
    )
