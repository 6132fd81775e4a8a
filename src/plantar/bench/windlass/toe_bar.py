"""The simulations of the windlass bench: one a toe angle, and what is read from them."""

from __future__ import annotations

import math

import numpy as np
from mujoco.batch import Batch

from plantar.bench.press.press import SETTLED_SPEED
from plantar.bench.press.rig import PREFIX
from plantar.bench.press.settle import Progress, check_batch
from plantar.bench.windlass.rig import WindlassRig
from plantar.feet.softfoot.layout import chain_layout
from plantar.feet.softfoot.softfoot import SoftFoot

Arrays = dict[str, np.ndarray]

ANGLE_TOLERANCE = math.radians(0.02)
"""How near a simulation must come to its toe angle [rad]."""
BAR_SPEED = 0.03
"""Fastest rise of the bar [m/s]; slow beside every motion of the foot."""
BAR_RATE = 4.0
"""Rate at which the bar closes the gap to its angle [1/s]."""
TICK = 0.01
"""The bar is moved this often [s]."""
REST = 1e-5
"""Speed below which nothing is left to wait for [rad/s, m/s]."""


class ToeBar:
    """A foot over a bar, many times at once; every reading has one value a simulation."""

    def __init__(self, foot: SoftFoot, rig: WindlassRig, count: int, threads: int):
        self.foot, self.rig = foot, rig
        self.spec = rig.spec(foot)
        self.model = self.spec.compile()
        self.batch = Batch(self.model, nsim=count, nthread=threads)
        self.chain = (foot.strands + 1) // 2
        self.layout = chain_layout(foot)
        self.at_target = np.ones(count, dtype=bool)
        self.bar_start = np.zeros(count)
        for name in ("xpos", "xmat", "site_xpos", "sensordata"):
            self.batch.bind(name)

    def settle(self, duration: float) -> None:
        """Let one foot come to rest, copy it to all, and bring the bars just under the toe tips."""
        alone = Batch(self.model, nsim=1, nthread=1)
        alone.bind("ctrl")[:] = self.rig.stand or 0.0
        self._wait(alone, duration)
        self.batch.state[:] = alone.state[0]
        self.batch.forward()
        tip = self.layout.links[-1]
        length, _, height = tip.half_size
        corners = [self._point(self._tip, (tip.centre + side * length, 0, -height)) for side in (-1, 1)]
        self.bar_start = np.minimum(corners[0][:, 2], corners[1][:, 2]) - self.rig.bar_radius
        self.batch.bind("mocap_pos")[:, 0, 2] = self.bar_start

    def raise_toes(self, angles: np.ndarray, duration: float, progress: Progress | None = None) -> None:
        """Move each bar until its toe tip has turned up by its angle from now, and wait there."""
        zero = self.pitch(self._tip)
        lever = self.rig.place(self.foot) - self.layout.metatarsal_joint[0]
        height = self.batch.bind("mocap_pos")[:, 0, 2]
        most, ticks, told = BAR_SPEED * TICK, max(1, round(duration / TICK)), 0
        gap = angles
        for tick in range(1, ticks + 1):
            height += np.clip(BAR_RATE * TICK * lever * gap, -most, most)
            self._advance(self.batch, TICK)
            gap = angles - (zero - self.pitch(self._tip))
            arrived = tick == ticks or (self._speed(self.batch) < REST and np.abs(gap).max() < ANGLE_TOLERANCE / 4)
            done = len(angles) if arrived else len(angles) * tick // ticks
            if progress:
                progress(done - told)
            told = done
            if arrived:
                break
        self.at_target = np.abs(gap) < ANGLE_TOLERANCE

    def vertical_stiffness(self, probe: float, duration: float) -> np.ndarray:
        """Change of load by change of the ankle's height, with the bar held [N/m]."""
        held, load = self.batch.state.copy(), self.rig.stand or 0.0
        slider = self.model.joint("slider").qposadr[0]
        heights = []
        for change in (probe, -probe):
            self.batch.state[:] = held
            self.batch.bind("ctrl")[:] = load + change
            self._wait(self.batch, duration)
            heights.append(self.batch.bind("qpos")[:, slider].copy())
        self.batch.state[:] = held
        return 2 * probe / (heights[1] - heights[0])

    def read(self) -> Arrays:
        """All quantities as they are now, angles front down from the straight foot."""
        foot, metatarsus, heel = self.foot, self._link("metatarsus"), f"{PREFIX}heel"
        middle = [self._underside(f"module{k}") for k in ((foot.modules + 1) // 2, foot.modules // 2 + 1)]
        joint = self.batch.bind("site_xpos")[:, self.model.site(f"{PREFIX}loop{self.chain}_arch").id]
        span = joint - self._point(heel, (0, 0, 0))
        tensions = self.tensions()
        speed = np.abs(self.batch.bind("qvel")).max(axis=1)
        return {
            "toe_pitch": self.pitch(self._tip),
            "metatarsus_pitch": self.pitch(metatarsus),
            "heel_pitch": self.pitch(heel),
            "ankle_pitch": self.pitch(f"{PREFIX}ankle"),
            "arch_height": arch_height(self._heel_underside(), np.mean(middle, axis=0), self._underside("metatarsus")),
            "heel_to_metatarsus": np.hypot(span[:, 0], span[:, 2]),
            "tension": tensions.max(axis=1, initial=0.0) * foot.strands / foot.chains,
            "tension_total": tensions.sum(axis=1),
            "toe_force": self._carried([f"toe{k}" for k in range(1, foot.toe_modules + 1)]),
            "bar_force": -self._sensor("bar_force")[:, 2],
            "heel_force": self._sensor(f"{heel}_force")[:, 2].copy(),
            "metatarsus_force": self._carried(["metatarsus"]),
            "ankle_height": self._point(f"{PREFIX}ankle", (0, 0, 0))[:, 2],
            "bar_rise": self.batch.bind("mocap_pos")[:, 0, 2] - self.bar_start,
            "settled": (speed < SETTLED_SPEED) & self.at_target,
        }

    def tensions(self) -> np.ndarray:
        """Tension of every tendon [N], (simulations, tendons)."""
        count = self.foot.strands if self.foot.tendon.present else 0
        columns = [self._sensor(f"{PREFIX}tendon{c}_tension") for c in range(1, count + 1)]
        return np.hstack([np.zeros((self.batch.nsim, 0)), *columns])

    def pitch(self, body: str) -> np.ndarray:
        """Pitch of a body, front down [rad]."""
        frames = self.batch.bind("xmat")[:, self.model.body(body).id]
        return np.arctan2(-frames[:, 6], frames[:, 0])

    @property
    def _tip(self) -> str:
        return self._link(self.layout.links[-1].name)

    def _link(self, name: str) -> str:
        return f"{PREFIX}chain{self.chain}_{name}"

    def _underside(self, name: str) -> np.ndarray:
        link = next(link for link in self.layout.links if link.name == name)
        return self._point(self._link(name), (link.centre, 0, -link.half_size[2]))

    def _heel_underside(self) -> np.ndarray:
        (x, z), height, pitch = self.foot.heel_centre, self.foot.heel_half_size[2], self.foot.heel_pitch
        return self._point(f"{PREFIX}heel", (x - height * math.sin(pitch), 0, z - height * math.cos(pitch)))

    def _point(self, body: str, local: tuple[float, float, float]) -> np.ndarray:
        i = self.model.body(body).id
        frames = self.batch.bind("xmat")[:, i].reshape(-1, 3, 3)
        return self.batch.bind("xpos")[:, i] + frames @ np.array(local)

    def _carried(self, links: list[str]) -> np.ndarray:
        """Vertical force on some links of every chain [N]."""
        bodies = [f"chain{c}_{link}" for c in range(1, self.foot.strands + 1) for link in links]
        return np.sum([self._sensor(f"{PREFIX}{body}_force")[:, 2] for body in bodies], axis=0)

    def _sensor(self, name: str) -> np.ndarray:
        sensor = self.model.sensor(name)
        return self.batch.bind("sensordata")[:, sensor.adr[0] : sensor.adr[0] + sensor.dim[0]]

    def _wait(self, batch: Batch, duration: float) -> None:
        for _ in range(max(1, round(duration / 0.1))):
            self._advance(batch, 0.1)
            if self._speed(batch) < REST:
                break

    def _advance(self, batch: Batch, time: float) -> None:
        before = batch.state.copy()
        batch.step(nstep=max(1, round(time / self.rig.timestep)))
        check_batch(batch, before, self.spec)

    @staticmethod
    def _speed(batch: Batch) -> float:
        return float(np.abs(batch.bind("qvel")).max())


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
