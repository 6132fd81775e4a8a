"""Raise the toes of a foot step by step and measure what its plantar tendons do to its arch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plantar._checks import require
from plantar.bench.mechanism import MechanismResult, measure_all
from plantar.bench.windlass.rig import WindlassRig
from plantar.bench.windlass.toe_bar import Arrays, ToeBar
from plantar.errors import InvalidInput
from plantar.feet.foot import Foot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.settle import Progress
from plantar.table import Row, Table

ANGLES = tuple(math.radians(degrees) for degrees in range(26))
"""Toe angles of the default study [rad]: 0 to 25 degrees."""
LARGEST_ANGLE = math.radians(45)
"""Beyond this the bar slides off the toe tips [rad]."""
PROBE = 0.05
"""Fraction of the load by which the vertical stiffness is measured."""
TAUT = 0.1
"""A tendon pulls from this tension on [N]."""


@dataclass(frozen=True, kw_only=True)
class WindlassResult(MechanismResult):
    """What raising the toes does; see `windlass`."""

    name: ClassVar[str] = "windlass"
    shown: ClassVar[tuple[str, ...]] = (
        "toe_angle", "arch_lift", "shortening", "tension", "toe_force", "vertical_stiffness", "settled",
    )  # fmt: skip

    @staticmethod
    def verdict(table: Table) -> Row:
        """When the tendons pull, how far the arch lifts, and how hard the toes resist; SI units."""
        taut = [row["toe_angle"] for row in table if row["tension"] > TAUT]
        last = table[-1]
        return {
            "taut_from_angle": taut[0] if taut else None,
            "tension_at_last": last["tension"],
            "highest_lift": float(table.column("arch_lift").max()),
            "lift_at_last": last["arch_lift"],
            "shortening_at_last": last["shortening"],
            "toe_force_at_last": last["toe_force"],
        }

    def found(self) -> str:
        """How far the arch rises and how hard the tendons pull at the last angle."""
        own, angle = self.summary[0], math.degrees(self.table[-1]["toe_angle"])

        def length(value: float) -> str:
            return f"{1e3 * value:+.1f} mm"

        return (
            f"toes up by {angle:.3g} degrees: the arch rises by {length(own['lift_at_last'])}"
            f"{self.beside('lift_at_last', length)}, the tightest tendon pulls with {own['tension_at_last']:.3g} N "
            f"and the toes push back with {own['toe_force_at_last']:.3g} N"
        )


def windlass(
    foot: Foot | None = None,
    *,
    stand: float | None = None,
    angles: Sequence[float] = ANGLES,
    ankle_free: bool = True,
    friction: float = 0.0,
    probe: float | None = None,
    duration: float = 4.0,
    rig: WindlassRig | None = None,
    beside: Mapping[str, Foot] | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> WindlassResult:
    """Raise the toes with a bar to each of a list of angles and read the settled foot there.

    Every angle is a separate simulation from the same start: the foot at rest, the bar just
    under its toe tips. The bar rises until the tip has turned by the angle, and waits.

    Args:
        foot: A foot with toes; by default `SoftFoot()` with its five chains.
        stand: Load on the ankle of a foot that stands on flat ground [N]; None holds the ankle fixed
            in the air.
        angles: Toe angles [rad], each 0 to 45 degrees.
        ankle_free: Whether the ankle of a standing foot may pitch; see `WindlassRig`.
        friction: Sliding friction of the ground.
        probe: Change of load, up and down, by which the vertical stiffness in stance is measured [N];
            None takes 5 % of the load.
        duration: Simulated time in which the toes are raised and the foot comes to rest, at most [s].
        rig: The rig; it replaces `stand`, `ankle_free` and `friction`.
        beside: Other feet to measure in the same way, by name, such as `plantar.bench.mechanism.references`.
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of angles finished since the last call.

    Returns:
        One row per angle, SI units, geometry of the middle of the sole; "from the start" is from the row of angle
        0. `toe_angle`: pitch of the toe tip, front up, from the start; `toe_angle_relative`: the same
        against the metatarsus; `arch_height`: of the middle of the sole over the line from heel to
        metatarsus (docs/windlass.md says how); `arch_lift`: its rise from the start;
        `heel_to_metatarsus`: distance of the two arch joints, or of what is at the height of the heel's joint over the
        front support; `shortening`: its decrease from the start;
        `tension`: the largest of all tendons; `tension_total`: their sum; `toe_force`: vertical force
        on all toes, `bar_force`: the bar's share of it; `heel_force`, `metatarsus_force`: vertical
        forces on these parts; `vertical_stiffness`: of the standing foot with the bar held (NaN in
        the air); `ankle_rise`: from the start; `heel_pitch`, `metatarsus_pitch`, `ankle_pitch`: front
        down, from the straight foot; `bar_rise`: from the touch of the toes; `settled`.

    Raises:
        InvalidInput: If the foot has no toes, or an angle, the probe or the rig is not allowed.
        Diverged: If a simulation blows up.
    """
    foot = SoftFoot() if foot is None else foot
    rig = WindlassRig(stand=stand, ankle_free=ankle_free, friction=friction) if rig is None else rig
    wanted = _checked_angles(angles)
    change = _checked_probe(probe, rig.stand)

    def measure(one: Foot) -> Table:
        bar = ToeBar(one, rig, len(wanted), threads)
        bar.settle(duration)
        start = bar.read()
        bar.raise_toes(wanted, duration, progress)
        end = bar.read()
        softness = bar.vertical_stiffness(change, duration / 2) if change else np.full(len(wanted), np.nan)
        return Table(_row(start, end | {"vertical_stiffness": softness}, i) for i in range(len(wanted)))

    settings = {"angles": wanted.tolist(), "rig": rig}
    return WindlassResult(**measure_all(foot, beside, measure), settings=settings)


def _checked_angles(angles: Sequence[float]) -> np.ndarray:
    allowed = f"one or more angles in radians from 0 to {LARGEST_ANGLE:.3f} (45 degrees)"
    try:
        wanted = np.array(angles, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"angles = {angles!r} is not allowed: give {allowed}") from error
    ok = wanted.ndim == 1 and wanted.size > 0 and bool(((wanted >= 0) & (wanted <= LARGEST_ANGLE)).all())
    require(ok, "angles", angles, allowed)
    return wanted


def _checked_probe(probe: float | None, stand: float | None) -> float | None:
    if stand is None:
        require(probe is None, "probe", probe, "None for a foot in the air, which has no load to change")
        return None
    probe = PROBE * stand if probe is None else probe
    require(0 < probe < stand, "probe", probe, f"a force above 0 and below the load of {stand:g} N")
    return probe


def _row(start: Arrays, end: Arrays, i: int) -> Row:
    now = {name: float(values[i]) for name, values in end.items()}
    change = {name: now[name] - float(start[name][i]) for name in start}
    return {
        "toe_angle": -change["toe_pitch"],
        "toe_angle_relative": change["metatarsus_pitch"] - change["toe_pitch"],
        "arch_height": now["arch_height"],
        "arch_lift": change["arch_height"],
        "heel_to_metatarsus": now["heel_to_metatarsus"],
        "shortening": -change["heel_to_metatarsus"],
        **{name: now[name] for name in ("tension", "tension_total", "toe_force", "bar_force")},
        **{name: now[name] for name in ("heel_force", "metatarsus_force", "vertical_stiffness")},
        "ankle_rise": change["ankle_height"],
        **{name: now[name] for name in ("heel_pitch", "metatarsus_pitch", "ankle_pitch", "bar_rise")},
        "settled": bool(end["settled"][i]),
    }
