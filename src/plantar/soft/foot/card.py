"""The error card of a condensed foot: its press curve against that of finite elements."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from plantar._notebook import Shown
from plantar.soft.foot.press import LOADS, Ground, PressCurve, fe_scene, mujoco_rig, press_fe, press_mujoco
from plantar.table import Table

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot


TRUST = 0.10
"""Largest relative difference of the depth with which a condensed foot may replace the finite elements."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SolidCard(Shown):
    """A condensed foot against finite elements on one ground."""

    ground: str
    """What it was pressed on."""
    fe: PressCurve
    """The finite-element foot."""
    condensed: PressCurve
    """The MuJoCo foot."""
    fe_dof: int
    """Degrees of freedom of the finite elements."""
    dof: int
    """Degrees of freedom of the MuJoCo foot."""
    ms_fe: float
    """Best time of a dynamic step of the pressed finite-element foot [ms]."""
    ms_condensed: float
    """Best time of a step of the pressed MuJoCo foot, same time step [ms]."""

    @property
    def error(self) -> float:
        """Largest relative difference of the depth over all loads."""
        return float(np.abs(self.condensed.depth / self.fe.depth - 1).max())

    @property
    def trusted(self) -> bool:
        """Whether the condensed foot may replace the finite elements on this ground, at all these loads."""
        return self.error <= TRUST

    @property
    def trusted_from(self) -> float:
        """Load above which it may [N]; infinite if it may at none."""
        good = np.abs(self.condensed.depth / self.fe.depth - 1) <= TRUST
        last = np.flatnonzero(~good)
        first = 0 if not len(last) else int(last[-1]) + 1
        return float(self.fe.loads[first]) if first < len(good) else float("inf")

    @property
    def verdict(self) -> str:
        """One line for display."""
        if self.trusted:
            return f"on {self.ground} ground the condensed foot is within {100 * self.error:.1f} %"
        start = self.trusted_from
        where = "at no load" if start == float("inf") else f"only from {start:g} N on"
        return (
            f"refused on {self.ground} ground: the condensed foot is off by {100 * self.error:.0f} %, and within "
            f"{100 * TRUST:g} % {where}; use more pads, form='flex' or co-simulation there"
        )

    @property
    def curve_ratio(self) -> float:
        """How many times faster the whole curve is."""
        return self.fe.seconds / self.condensed.seconds

    @property
    def step_ratio(self) -> float:
        """How many times faster a time step is."""
        return self.ms_fe / self.ms_condensed

    def table(self) -> Table:
        """One row per load, SI units."""
        rows = zip(self.fe.loads, self.fe.depth, self.condensed.depth, strict=True)
        return Table(
            {"ground": self.ground, "load": a, "depth_fe": b, "depth_condensed": c, "difference": c / b - 1}
            for a, b, c in rows
        )

    def row(self) -> dict[str, Any]:
        """The card as one row."""
        return {
            "ground": self.ground,
            "load_N": float(self.fe.loads[-1]),
            "depth_fe_mm": 1e3 * float(self.fe.depth[-1]),
            "depth_condensed_mm": 1e3 * float(self.condensed.depth[-1]),
            "error_percent": 100 * self.error,
            "trusted": self.trusted,
            "trusted_from_N": self.trusted_from,
            "dof_fe": self.fe_dof,
            "dof_condensed": self.dof,
            "curve_s_fe": self.fe.seconds,
            "curve_s_condensed": self.condensed.seconds,
            "curve_times_faster": self.curve_ratio,
            "step_ms_fe": self.ms_fe,
            "step_ms_condensed": self.ms_condensed,
            "step_times_faster": self.step_ratio,
        }


def solid_card(
    foot: SolidFoot,
    ground: Ground = "flat",
    *,
    loads: Sequence[float] = LOADS,
    progress: Callable[[int], object] | None = None,
) -> SolidCard:
    """Press both feet on the same ground and time them."""
    curves = [press_mujoco(foot, loads, ground) for _ in range(3)]
    condensed = min(curves, key=lambda curve: curve.seconds)
    fe = press_fe(foot, loads, ground, progress)
    ms_fe, fe_dof = _time_fe(foot, ground, float(fe.depth[-1]))
    ms, dof = _time_mujoco(foot, ground, loads[-1])
    return SolidCard(ground=ground, fe=fe, condensed=condensed, fe_dof=fe_dof, dof=dof, ms_fe=ms_fe, ms_condensed=ms)


def _time_fe(foot: SolidFoot, ground: Ground, depth: float, steps: int = 8) -> tuple[float, int]:
    scene = fe_scene(foot, ground, mode="dynamic")
    times = []
    for _ in range(steps):
        scene.move("foot", (0, 0, -depth / steps))
        start = time.perf_counter()
        scene.step()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times[2:]), scene.dofs


def _time_mujoco(foot: SolidFoot, ground: Ground, load: float, steps: int = 200) -> tuple[float, int]:
    model = mujoco_rig(foot, ground).compile()
    data = mujoco.MjData(model)
    times = []
    for k in range(steps):
        data.ctrl[0] = load * (k + 1) / steps
        start = time.perf_counter()
        mujoco.mj_step(model, data)
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.percentile(times, 25)), model.nv - 1
