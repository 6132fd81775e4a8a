"""The foothold to take: c_final = c_f + k d_n."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from plantar._arguments import checks_arguments
from plantar._checks import require
from plantar._notebook import Shown
from plantar.foothold.cost import CostMap

PULL = 200.0
"""Default k, cost per metre from the nominal foothold."""


class Status(Enum):
    """Outcome of a choice; the text says what to do."""

    FOUND = "a foothold was found"
    NONE = "no cell of the map is a foothold: move the body, look further, or stop"

    @property
    def ok(self) -> bool:
        """Whether there is a foothold."""
        return self is Status.FOUND


@dataclass(frozen=True, kw_only=True)
class Choice(Shown):
    """The best foothold of a map."""

    status: Status
    x: float
    """Place in the map's frame [m]; NaN if there is none."""
    y: float
    z: float
    """Height of the ground there [m]."""
    row: int
    """Its cell; -1 if there is none."""
    column: int
    yaw: float
    """Yaw of the foot [rad]."""
    cost: float
    """c_f, 255 if there is none."""
    distance: float
    """d_n, from the nominal foothold [m]."""
    total: float
    """c_final = c_f + k d_n."""
    nominal_cost: float
    """c_f of the nominal foothold's own cell, 255 if it is not a foothold."""


@checks_arguments
def choose(costs: CostMap | Sequence[CostMap], nominal: tuple[float, float], k: float = PULL) -> Choice:
    """Choose the foothold of least c_f + k d_n.

    Among equals the one nearer to the nominal foothold is taken, then the lower row and column, then the earlier
    map, so that the result is deterministic.

    Args:
        costs: Costs of a map, or of the same ground at several yaws.
        nominal: Where the foot would go on flat ground, x and y in the map's frame [m].
        k: Cost per metre from it.

    Raises:
        InvalidInput: If the nominal foothold is off the map, or k is not allowed.
    """
    require(np.isfinite(k) and k >= 0, "k", k, "a cost per metre, 0 or more")
    maps = [costs] if isinstance(costs, CostMap) else list(costs)
    require(len(maps) > 0, "costs", maps, "at least one cost map")
    found = [_best(one, nominal, k) for one in maps]
    return min(found, key=lambda choice: (not choice.status.ok, choice.total))


def _best(costs: CostMap, nominal: tuple[float, float], k: float) -> Choice:
    grid = costs.elevation
    row, column = grid.index(*nominal)
    distance = np.hypot(grid.x[None, :] - nominal[0], grid.y[:, None] - nominal[1])
    total = np.where(costs.feasible, costs.cost + k * distance, np.inf)
    least = float(total.min())
    here = float(costs.cost[row, column])
    own = {"yaw": costs.yaw, "total": least, "nominal_cost": here}
    if not np.isfinite(least):
        nowhere = dict.fromkeys(("x", "y", "z", "distance"), float("nan"))
        return Choice(status=Status.NONE, row=-1, column=-1, cost=255.0, **nowhere, **own)
    ties = np.flatnonzero(total == least)
    j, i = (int(v) for v in np.unravel_index(ties[np.argmin(distance.ravel()[ties])], total.shape))
    x, y = grid.position(j, i)
    own |= {"z": float(grid.heights[j, i]), "cost": float(costs.cost[j, i]), "distance": float(distance[j, i])}
    return Choice(status=Status.FOUND, x=x, y=y, row=j, column=i, **own)
