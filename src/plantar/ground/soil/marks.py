"""Footprints: where the soil of a sole's points goes in the grid."""

from __future__ import annotations

import numpy as np

from plantar.ground.soil.sole_points import SolePoints
from plantar.ground.soil.tracks_loop import DATUM, DEEPEST

OVERLAP = 1.3
"""What is seen of a point's print reaches a little further than its share of the sole: neighbours may press at other
moments, and a foot that moves a little in between would leave ridges that a whole sole does not."""


class Grid:
    """Columns of soil: what feet have left behind.

    Args:
        origin: Corner with the smallest x and y [m].
        cell: Side of a column [m].
        shape: Rows along y and columns along x.
        rebound: Share of the sinkage that springs back.

    Attributes:
        surface: Heights of columns before they yielded [m]; one more than the grid has, for all that is outside.
        deepest: Their deepest sinkage [m].
        shown: Heights of what is seen [m].
    """

    def __init__(self, origin: tuple[float, float], cell: float, shape: tuple[int, int], rebound: float):
        self.corner, self.shape, self._rebound = np.array([*origin, cell]), np.array(shape), rebound
        count = shape[0] * shape[1] + 1
        self.surface, self.deepest, self.shown = np.zeros(count), np.zeros(count), np.zeros(count)

    def copy(self) -> Grid:
        """Another grid with the same soil."""
        made = Grid((float(self.corner[0]), float(self.corner[1])), float(self.corner[2]), (1, 1), self._rebound)
        made.shape = self.shape
        made.surface, made.deepest, made.shown = self.surface.copy(), self.deepest.copy(), self.shown.copy()
        return made

    def _columns(self, places: np.ndarray, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of the places lie in the grid and below its surface, and their columns."""
        cell = np.floor((places - self.corner[:2]) / self.corner[2]).astype(int)
        keep = ((cell >= 0) & (cell < self.shape[::-1])).all(axis=1) & (depth > 0)
        return keep, (cell[:, 1] * self.shape[1] + cell[:, 0])[keep]

    def press(self, places: np.ndarray, datum: np.ndarray, depth: np.ndarray) -> None:
        """Give columns the mean of the soils at places (n, 2), unless what they hold has a lower floor."""
        keep, column = self._columns(places, depth)
        column, back, count = np.unique(column, return_inverse=True, return_counts=True)
        datum, depth = (np.bincount(back, part[keep], len(column)) / count for part in (datum, depth))
        lower = datum - depth < (self.surface - self.deepest)[column]
        self.surface[column[lower]], self.deepest[column[lower]] = datum[lower], depth[lower]

    def show(self, places: np.ndarray, datum: np.ndarray, depth: np.ndarray) -> None:
        """Lower what is seen at places (n, 2) to where the soil comes to rest."""
        keep, column = self._columns(places, depth)
        np.minimum.at(self.shown, column, (datum - (1 - self._rebound) * depth)[keep])


class Marks:
    """Spots on soles, closer than the columns of the grid, each of which belongs to the nearest point that presses.

    Args:
        points: Points that press.
        spots: The marks, finer.
    """

    def __init__(self, points: SolePoints, spots: SolePoints):
        from scipy.spatial import KDTree  # noqa: PLC0415  (slow to load)

        spots = spots.pick(np.isin(spots.body, points.body))
        owner = np.empty(len(spots.body), int)
        for body in np.unique(points.body):
            mine, theirs = np.flatnonzero(points.body == body), np.flatnonzero(spots.body == body)
            owner[theirs] = mine[KDTree(points.place[mine]).query(spots.place[theirs])[1]]
        # points mark themselves as well, however coarse the columns are
        owner = np.concatenate([owner, np.arange(len(points.body))])
        offset = np.concatenate([spots.place, points.place]) - points.place[owner]
        order = np.argsort(owner, kind="stable")
        self._offset = offset[order]
        self._start = np.searchsorted(owner[order], np.arange(len(points.body) + 1))

    def write(self, points: np.ndarray, memory: np.ndarray, pose: np.ndarray, grid: Grid) -> None:
        """Write the soil of some points into the grid; where there is another print, the lower floor stays.

        Args:
            points: Which.
            memory: Of all points.
            pose: Of all points, when their soil last gave way: xmat (9), place (3); not a number where it never did.
            grid: Written.
        """
        points = points[np.isfinite(pose[points, 9])]
        count = self._start[points + 1] - self._start[points]
        owner = np.repeat(points, count)
        marks = self._start[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        offset = np.einsum("nij,nj->ni", pose[owner, :9].reshape(-1, 3, 3), self._offset[marks])
        depth, datum = memory[owner, DEEPEST] - offset[:, 2], memory[owner, DATUM]
        grid.press(pose[owner, 9:11] + offset[:, :2], datum, depth)
        grid.show(pose[owner, 9:11] + OVERLAP * offset[:, :2], datum, depth)
