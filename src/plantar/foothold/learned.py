"""Footholds by a network: load a model file, score maps, choose. Needs ONNX Runtime, not PyTorch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from plantar._checks import require, require_choice
from plantar._fields import from_record
from plantar._onnx import open_network
from plantar.errors import InvalidInput
from plantar.foothold.cost import INFEASIBLE, CostMap
from plantar.foothold.networks.physics_heads import untransformed
from plantar.foothold.networks.readout import Reading, read_classes, read_costs
from plantar.foothold.reach import Reason
from plantar.ground.terrain.elevation_map import ElevationMap
from plantar.walk.robot.legs import LEGS, LegName, Quadruped, Stance

NAME = "plantar foothold network"
SHIPPED = ("softfoot_q",)
"""Networks shipped with Plantar, by name."""


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network and what it was trained for.

    It looks at a square map below the hip, x along the robot's heading, heights from the hip; one network serves all
    four legs, since left and hind legs are mirror images of the right front one.
    """

    session: Any
    """ONNX Runtime's session."""
    card: dict[str, Any]
    """Metadata: kind, classes, data, training and figures."""
    source: str
    """Name or file it came from."""

    @classmethod
    def load(cls, model: str | Path = "softfoot_q", *, threads: int = 0) -> Network:
        """Load a network: a shipped one by name, or an .onnx file written by `plantar foothold train`.

        Args:
            model: Name or path.
            threads: Threads to use; 0 leaves it to ONNX Runtime.

        Raises:
            InvalidInput: If there is no such network, or the file is not one.
            MissingExtra: If ONNX Runtime is not installed.
        """
        require(0 <= threads <= 1024, "threads", threads, "a number of threads, 0 for all cores")
        path = _shipped(str(model)) if str(model) in SHIPPED else Path(model)
        if not path.is_file():
            known = ", ".join(SHIPPED)
            raise InvalidInput(f"model {str(model)!r} does not exist: give a file (.onnx) or one of {known}")
        session = open_network(path, threads, what="network", made_by="plantar foothold train")
        return cls(session, _card(session, path), str(model))

    @property
    def kind(self) -> str:
        """Which network: unet (ours), erf, erf_difference or erf_mrf (the paper's)."""
        return self.card["kind"]

    @property
    def cells(self) -> int:
        """Cells along each side of its maps."""
        return int(self.card["cells"])

    @property
    def cell(self) -> float:
        """Side of a cell [m]."""
        return float(self.card["cell"])

    @property
    def robot(self) -> Quadruped:
        """The robot it was trained for."""
        return from_record(Quadruped, self.card["robot"])

    def run(self, heights: ArrayLike) -> np.ndarray:
        """Raw output for maps below the right front hip (n, cells, cells) [m from the hip; NaN: not seen]."""
        maps = np.asarray(heights, np.float32)
        good = maps.ndim == 3 and maps.shape[1:] == (self.cells, self.cells)
        require(good, "heights", maps.shape, f"maps (n, {self.cells}, {self.cells})")
        require(not np.isinf(maps).any(), "heights", "infinite cells", "finite heights in metres, NaN where unknown")
        return self.session.run(None, {"heights": np.ascontiguousarray(maps)})[0]

    def read(self, heights: ArrayLike, leg: LegName = "RF", edges: np.ndarray | None = None) -> Reading:
        """Classes, costs and footholds of maps below a leg's hip (n, cells, cells).

        Args:
            heights: The maps.
            leg: Whose hip.
            edges: Right ends of the classes in which our network's costs are told; those of its training if None.
        """
        turn = mirror_of(leg)
        return self.reading(self.run(turn(np.asarray(heights, np.float32))), leg, edges)

    def heads(self, heights: ArrayLike, leg: LegName = "RF") -> dict[str, np.ndarray]:
        """Predictions of a network trained on pressed footholds for maps below a hip (n, cells, cells).

        Returns:
            hold (largest push over the load), slip [m], tilt [rad] and area [m^2]; nothing for other networks.
        """
        turn = mirror_of(leg)
        out = self.run(turn(np.asarray(heights, np.float32)))
        found = {}
        for number, (name, (mean, scale)) in enumerate(self.card.get("heads", {}).items(), start=2):
            found[name] = np.ascontiguousarray(turn(untransformed(mean + scale * out[:, number], name)))
        return found

    def reading(self, out: np.ndarray, leg: LegName = "RF", edges: np.ndarray | None = None) -> Reading:
        """What raw output means, turned back to a leg's own side; see `read`."""
        turn = mirror_of(leg)
        if self.kind == "unet":
            ends = np.array(self.card["class_edges"]) if edges is None else edges
            found = read_costs(out, ends, float(self.card["threshold"]))
        else:
            found = read_classes(out, np.array(self.card["class_costs"]))
        return Reading(*(np.ascontiguousarray(turn(v)) for v in (found.classes, found.cost, found.feasible)))

    def cost_map(
        self, elevation: ElevationMap, *, leg: LegName, stance: Stance | None = None, robot: Quadruped | None = None,
        unseen: bool = False,
    ) -> CostMap:  # fmt: skip
        """Score a map by the network, for `choose`.

        The foot stands along the robot's heading. Cells further from the leg's nominal place than the network looks are
        `Reason.UNKNOWN`; a network gives no reasons, what it refuses is `Reason.REACH`.

        Args:
            elevation: The ground, cells of any size.
            leg: LF, RF, LH or RH.
            stance: Where the robot is; as in `plantar.foothold.cost_map`.
            robot: The robot's legs; those it was trained for by default.
            unseen: Whether cells that were not seen may be footholds, from what is around them.
        """
        require_choice("leg", leg, LEGS)
        robot = robot or self.robot
        stance = stance or Stance.under_hip(robot, leg)
        local = self._below(elevation, leg, robot, stance)
        found = self.read(local[None], leg)
        j, i, inside = self._cells_of(elevation, leg, robot, stance)
        cost = np.where(inside, found.cost[0][j, i], INFEASIBLE)
        reason = np.where(found.feasible[0][j, i], Reason.OK, Reason.REACH)
        hidden = ~inside if unseen else ~inside | np.isnan(elevation.heights)
        reason = np.where(hidden, Reason.UNKNOWN, reason).astype(np.uint8)
        nothing = np.full(elevation.shape, np.nan)
        cost = np.where(reason == Reason.OK, cost, INFEASIBLE).astype(float)
        return CostMap(elevation=elevation, cost=cost, reason=reason, terrain=nothing, yaw=stance.yaw, leg=leg)

    def _below(self, elevation: ElevationMap, leg: LegName, robot: Quadruped, stance: Stance) -> np.ndarray:
        """Heights from the hip around the leg's nominal place, along the heading (cells, cells)."""
        x, y, _ = stance.to_map(robot.nominal(leg))
        axis = (np.arange(self.cells) - (self.cells - 1) / 2) * self.cell
        c, s = np.cos(stance.yaw), np.sin(stance.yaw)
        ahead, left = np.meshgrid(axis, axis)
        heights = elevation.at(x + c * ahead - s * left, y + s * ahead + c * left)
        return heights - (stance.position[2] + robot.hip[2])

    def _cells_of(
        self, elevation: ElevationMap, leg: LegName, robot: Quadruped, stance: Stance
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row and column of the network's map for every cell of an elevation map, and whether it is on it."""
        x, y, _ = stance.to_map(robot.nominal(leg))
        dx, dy = np.meshgrid(elevation.x - x, elevation.y - y)
        c, s = np.cos(stance.yaw), np.sin(stance.yaw)
        middle = (self.cells - 1) / 2
        # half a cell more or less is decided the same way on both sides of the middle
        i = np.floor((c * dx + s * dy) / self.cell + middle + 0.5 + 1e-9).astype(int)
        j = np.floor((c * dy - s * dx) / self.cell + middle + 0.5 + 1e-9).astype(int)
        inside = (i >= 0) & (j >= 0) & (i < self.cells) & (j < self.cells)
        return np.where(inside, j, 0), np.where(inside, i, 0), inside


def mirror_of(leg: LegName) -> Callable[[np.ndarray], np.ndarray]:
    """What turns maps (..., rows, columns) of a leg into those of the right front one, and back."""
    require_choice("leg", leg, LEGS)
    rows, columns = (-1 if leg[0] == "L" else 1), (-1 if leg[1] == "H" else 1)
    return lambda maps: maps[..., ::rows, ::columns]


def _shipped(name: str) -> Path:
    return Path(str(resources.files("plantar.foothold") / "networks" / f"{name}.onnx"))


def _card(session: Any, path: Path) -> dict[str, Any]:
    text = session.get_modelmeta().custom_metadata_map.get("plantar", "")
    try:
        card = json.loads(text)
    except json.JSONDecodeError:
        card = {}
    wanted = {"kind", "cells", "cell", "robot", "class_edges", "class_costs", "threshold"}
    if not isinstance(card, dict) or card.get("what") != NAME or not wanted <= card.keys():
        raise InvalidInput(
            f"model {str(path)!r} is not a foothold network: give the .onnx file of `plantar foothold train`"
        )
    return card
