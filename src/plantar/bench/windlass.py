"""Raise the toes of a foot step by step and see what its plantar tendons do to its arch."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar._checks import require
from plantar.bench._run import Progress, _check
from plantar.bench.press import SETTLED_SPEED
from plantar.bench.rig import PREFIX
from plantar.bench.windlass_rig import WindlassRig
from plantar.feet._layout import chain_layout
from plantar.feet.softfoot import SoftFoot
from plantar.table import Row, Table

ANGLES = tuple(math.radians(a) for a in range(26))
"""Toe angles of the default study [rad]: 0 to 25 degrees."""
LARGEST_ANGLE = math.radians(45)
"""Beyond this the bar slides off the toe tips [rad]."""
ANGLE_TOLERANCE = math.radians(0.02)
"""How near a row must come to its toe angle [rad]."""
BAR_SPEED = 0.03
"""Fastest rise of the bar [m/s]; slow beside every motion of the foot."""

_TICK = 0.01  # the bar is moved this often [s]
_GAIN = 4.0  # of the bar's rise: it closes the gap to the wanted angle at this rate [1/s]


def windlass(
    foot: SoftFoot | None = None,
    *,
    stand: float | None = None,
    angles: Sequence[float] = ANGLES,
    friction: float = 0.0,
    probe: float | None = None,
    duration: float = 4.0,
    rig: WindlassRig | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Table:
    """Raise the toes by a bar to each of a list of angles and read the foot at rest there.

    Every angle is a simulation of its own, from the same start: the foot at rest, the bar just
    under its toe tips. The bar rises until the tip has turned by the angle, and waits.

    Args:
        foot: The foot; by default `SoftFoot()` with its five chains.
        stand: Load on the ankle of a foot that stands on flat ground [N]; None holds the ankle fixed
            in the air.
        angles: Toe angles [rad], each 0 to 45 degrees.
        friction: Sliding friction of the ground.
        probe: Change of load, up and down, by which the vertical stiffness in stance is measured [N];
            None takes 5 % of the load.
        duration: Simulated time in which the toes are raised and the foot comes to rest [s].
        rig: The rig; it replaces `stand` and `friction`.
        threads: Threads to use; 0 takes all cores.
        progress: Called with the number of angles finished since the last call.

    Returns:
        A row an angle; SI units, geometry of the middle chain. `toe_angle`: pitch of the toe tip, front
        up, from the start; `toe_angle_relative`: the same against the metatarsus; `arch_height`: see
        `arch_height`; `arch_lift`: its change from the start; `heel_to_metatarsus`: from joint to joint;
        `shortening`: its decrease from the start; `tension`: the largest of all tendons,
        `tension_total`: their sum; `toe_force`: vertical force of the bar on the toes; `heel_force`,
        `metatarsus_force`: of the floor on these parts; `vertical_stiffness`: in stance, with the bar
        held (NaN in the air); `ankle_rise` from the start; `heel_pitch` and `metatarsus_pitch`: front
        down, from the straight foot; `bar_rise`: from the touch of the toes; `settled`.

    Raises:
        InvalidInput: If an angle or the rig is not allowed.
        Diverged: If a simulation blows up.
    """
    foot = SoftFoot() if foot is None else foot
    rig = WindlassRig(stand=stand, friction=friction) if rig is None else rig
    wanted = np.array(angles, dtype=float)
    limit = f"one or more angles in radians from 0 to {LARGEST_ANGLE:.3f} (45 degrees)"
    require(wanted.ndim == 1 and wanted.size > 0, "angles", angles, limit)
    require(bool(((wanted >= 0) & (wanted <= LARGEST_ANGLE)).all()), "angles", angles, limit)
    require(duration > 0, "duration", duration, "a time in seconds above 0")
    if rig.stand is not None:
        probe = 0.05 * rig.stand if probe is None else probe
        require(0 < probe < rig.stand, "probe", probe, f"a force above 0 and below the load, {rig.stand:g} N")

    bench = _Bench(foot, rig, len(wanted), threads)
    bench.settle(duration)
    start = bench.read()
    bench.raise_toes(wanted, start["toe_pitch"], duration, progress)
    end = bench.read()
    stiffness = bench.vertical_stiffness(probe, duration / 2) if probe and rig.standing else np.full(len(wanted), np.nan)
    return Table(_row(start, end, stiffness, i) for i in range(len(wanted)))


def arch_height(heel: np.ndarray, middle: np.ndarray, metatarsus: np.ndarray) -> np.ndarray:
    """Height of the middle of the sole over the line on which the foot would stand [m].

    The line joins the centres of the undersides of the heel and of the metatarsus; the height is that
    of `middle`, the mean of the centres of the undersides of the two middle modules, square to the
    line in the sagittal plane, upwards positive. Points are (..., 3) in the world [m].
    """
    along = (metatarsus - heel)[..., [0, 2]]
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    out = (middle - heel)[..., [0, 2]]
    return along[..., 0] * out[..., 1] - along[..., 1] * out[..., 0]


class _Bench:
    """One simulation an angle, and what is read from them: arrays with one value a simulation."""

    def __init__(self, foot: SoftFoot, rig: WindlassRig, count: int, threads: int):
        self.foot, self.rig = foot, rig
        self.spec = rig.spec(foot)
        self.model = self.spec.compile()
        self.batch = Batch(self.model, nsim=count, nthread=threads)
        self.chain = (foot.chains + 1) // 2
        self.layout = chain_layout(foot)
        self.at_target = np.ones(count, dtype=bool)
        for name in ("xpos", "xmat", "site_xpos", "sensordata"):
            self.batch.bind(name)

    def settle(self, duration: float) -> None:
        """Let the foot come to rest, once for all, and bring the bar just under the toe tips."""
        self.batch.bind("ctrl")[:] = self.rig.stand or 0.0
        alone = Batch(self.model, nsim=1, nthread=1)
        alone.state[:] = self.batch.state[:1]
        self._advance(duration, alone)
        self.batch.state[:] = alone.state[0]
        self.batch.forward()
        tip = self.layout.links[-1]
        length, _, height = tip.half_size
        corners = [self._point(self._link(tip.name), (tip.centre + s * length, 0, -height)) for s in (-1, 1)]
        lowest = np.minimum(*(corner[:, 2] for corner in corners))
        self.batch.bind("mocap_pos")[:, 0, 2] = self.bar_start = lowest - self.rig.bar_radius

    def raise_toes(self, angles: np.ndarray, zero: np.ndarray, duration: float, progress: Progress | None) -> None:
        """Move each bar until its toe tip has turned by its angle, and wait there."""
        lever = self.rig.place(self.foot) - self.layout.metatarsal_joint[0]
        most = BAR_SPEED * _TICK
        ticks = max(1, round(duration / _TICK))
        height = self.batch.bind("mocap_pos")[:, 0, 2]
        for tick in range(1, ticks + 1):
            gap = angles - (zero - self.pitch(self._tip))
            height += np.clip(_GAIN * _TICK * lever * gap, -most, most)
            self._advance(_TICK)
            if progress:
                progress(len(angles) * tick // ticks - len(angles) * (tick - 1) // ticks)
        self.at_target = np.abs(angles - (zero - self.pitch(self._tip))) < ANGLE_TOLERANCE

    def vertical_stiffness(self, probe: float, duration: float) -> np.ndarray:
        """Change of load by change of the ankle's height, with the bar held [N/m]."""
        held, load = self.batch.state.copy(), self.rig.stand
        heights = []
        for change in (probe, -probe):
            self.batch.state[:] = held
            self.batch.bind("ctrl")[:] = load + change
            self._advance(duration)
            heights.append(self.batch.bind("qpos")[:, self.model.joint("slider").qposadr[0]].copy())
        return 2 * probe / (heights[1] - heights[0])

    def read(self) -> dict[str, np.ndarray]:
        """All quantities as they are now."""
        foot, metatarsus = self.foot, self._link("metatarsus")
        names = [self._link(f"module{k}") for k in ((foot.modules + 1) // 2, foot.modules // 2 + 1)]
        middle = np.mean([self._underside(name) for name in names], axis=0)
        heel = self._heel_underside()
        joint = self.batch.bind("site_xpos")[:, self.model.site(f"{PREFIX}loop{self.chain}_arch").id]
        chains = range(1, foot.chains + 1)
        tensions = [self._sensor(f"{PREFIX}tendon{c}_tension")[:, 0] for c in chains if foot.tendon.present]
        return {
            "toe_pitch": self.pitch(self._tip),
            "metatarsus_pitch": self.pitch(metatarsus),
            "heel_pitch": self.pitch(f"{PREFIX}heel"),
            "arch_height": arch_height(heel, middle, self._underside(metatarsus)),
            "heel_to_metatarsus": np.linalg.norm((joint - self._point(f"{PREFIX}heel", (0, 0, 0)))[:, [0, 2]], axis=1),
            "tension": np.max(tensions, axis=0) if tensions else np.zeros(self.batch.nsim),
            "tension_total": np.sum(tensions, axis=0) if tensions else np.zeros(self.batch.nsim),
            "toe_force": self._carried([f"toe{k}" for k in range(1, foot.toe_modules + 1)]),
            "bar_force": -self._sensor("bar_force")[:, 2],
            "heel_force": self._sensor(f"{PREFIX}heel_force")[:, 2].copy(),
            "metatarsus_force": self._carried(["metatarsus"]),
            "ankle_height": self._point(f"{PREFIX}ankle", (0, 0, 0))[:, 2],
            "bar_rise": self.batch.bind("mocap_pos")[:, 0, 2] - self.bar_start,
            "settled": (np.abs(self.batch.bind("qvel")).max(axis=1) < SETTLED_SPEED) & self.at_target,
        }

    def pitch(self, body: str) -> np.ndarray:
        """Pitch of a body, front down [rad]."""
        frames = self.batch.bind("xmat")[:, self.model.body(body).id]
        return np.arctan2(-frames[:, 6], frames[:, 0])

    @property
    def _tip(self) -> str:
        return self._link(self.layout.links[-1].name)

    def _link(self, name: str) -> str:
        return f"{PREFIX}chain{self.chain}_{name}"

    def _underside(self, body: str) -> np.ndarray:
        link = next(link for link in self.layout.links if body == self._link(link.name))
        return self._point(body, (link.centre, 0, -link.half_size[2]))

    def _heel_underside(self) -> np.ndarray:
        (x, z), height, pitch = self.foot.heel_centre, self.foot.heel_half_size[2], self.foot.heel_pitch
        return self._point(f"{PREFIX}heel", (x - height * math.sin(pitch), 0, z - height * math.cos(pitch)))

    def _point(self, body: str, local: tuple[float, float, float]) -> np.ndarray:
        i = self.model.body(body).id
        frames = self.batch.bind("xmat")[:, i].reshape(-1, 3, 3)
        return self.batch.bind("xpos")[:, i] + frames @ np.array(local)

    def _carried(self, links: list[str]) -> np.ndarray:
        """Vertical force on some links of every chain [N]."""
        bodies = [f"chain{c}_{link}" for c in range(1, self.foot.chains + 1) for link in links]
        return np.sum([self._sensor(f"{PREFIX}{body}_force")[:, 2] for body in bodies], axis=0)

    def _sensor(self, name: str) -> np.ndarray:
        sensor = self.model.sensor(name)
        return self.batch.bind("sensordata")[:, sensor.adr[0] : sensor.adr[0] + sensor.dim[0]]

    def _advance(self, time: float, batch: Batch | None = None) -> None:
        batch = self.batch if batch is None else batch
        before = batch.state.copy()
        batch.step(nstep=max(1, round(time / self.rig.timestep)))
        _check(batch, before, self.spec)


def _row(start: dict[str, np.ndarray], end: dict[str, np.ndarray], stiffness: np.ndarray, i: int) -> Row:
    values = {name: float(value[i]) for name, value in end.items()}
    change = {name: values[name] - float(start[name][i]) for name in start}
    return {
        "toe_angle": -change["toe_pitch"],
        "toe_angle_relative": change["metatarsus_pitch"] - change["toe_pitch"],
        "arch_height": values["arch_height"],
        "arch_lift": change["arch_height"],
        "heel_to_metatarsus": values["heel_to_metatarsus"],
        "shortening": -change["heel_to_metatarsus"],
        "tension": values["tension"],
        "tension_total": values["tension_total"],
        "toe_force": values["toe_force"],
        "bar_force": values["bar_force"],
        "heel_force": values["heel_force"],
        "metatarsus_force": values["metatarsus_force"],
        "vertical_stiffness": float(stiffness[i]),
        "ankle_rise": change["ankle_height"],
        "heel_pitch": values["heel_pitch"],
        "metatarsus_pitch": values["metatarsus_pitch"],
        "bar_rise": values["bar_rise"],
        "settled": bool(end["settled"][i]),
    }
