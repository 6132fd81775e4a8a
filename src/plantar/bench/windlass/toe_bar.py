"""The simulations of the windlass bench: one for each toe angle, and what is read from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import mujoco
import numpy as np
from mujoco.batch import Batch

from plantar.bench.press.rig import PREFIX
from plantar.bench.windlass.rig import WindlassRig
from plantar.bench.windlass.toes import find_toes
from plantar.feet.contact import footprint
from plantar.feet.foot import Foot
from plantar.settle import FINE_REST, Progress, Settled, settle, speeds

Arrays = dict[str, np.ndarray]

ANGLE_TOLERANCE = math.radians(0.02)
"""How near a simulation must come to its toe angle [rad]."""
BAR_SPEED = 0.03
"""Fastest rise of the bar [m/s]; slow beside every motion of the foot."""
BAR_RATE = 4.0
"""Rate at which the bar closes the gap to its angle [1/s]."""
TICK = 0.01
"""The bar is moved this often [s]."""


class ToeBar:
    """A foot over a bar, many times at once; every reading has one value for each simulation."""

    def __init__(self, foot: Foot, rig: WindlassRig, count: int, threads: int):
        self.foot, self.rig, self.parts = foot, rig, find_toes(foot)
        self.model = rig.spec(foot).compile()
        self.batch = Batch(self.model, nsim=count, nthread=threads)
        self.at_target = np.ones(count, dtype=bool)
        self.bar_start = np.zeros(count)
        self.straight = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.straight)
        for name in ("xpos", "xmat", "sensordata"):
            self.batch.bind(name)

    def settle(self, duration: float) -> None:
        """Let one foot come to rest, copy it to all, and bring the bars just under the toe tips."""
        alone = Batch(self.model, nsim=1, nthread=1)
        alone.bind("ctrl")[:] = self.rig.stand or 0.0
        settle(alone, duration, rest=FINE_REST)
        self.batch.state[:] = alone.state[0]
        self.batch.forward()
        low, high = self._box(self.parts.tip.body)
        ends = [self._follow(self.parts.tip.body, np.array([x, 0.0, low[2]])) for x in (low[0], high[0])]
        self.bar_start = np.minimum(ends[0][:, 2], ends[1][:, 2]) - self.rig.bar_radius
        self.batch.bind("mocap_pos")[:, 0, 2] = self.bar_start

    def raise_toes(
        self,
        angles: np.ndarray,
        duration: float,
        progress: Progress | None = None,
        watch: Callable[[], object] | None = None,
    ) -> Settled:
        """Move each bar until its toe tip has turned up by its angle from now, and wait there; see `settle`."""
        zero, tip = self.pitch(self.parts.tip.body), self.parts.tip.body
        lever = self.rig.place(self.foot) - self.foot.stations.front
        height, most = self.batch.bind("mocap_pos")[:, 0, 2], BAR_SPEED * TICK

        def move(time: float) -> np.ndarray:
            gap = angles - (zero - self.pitch(tip))
            height[:] += np.clip(BAR_RATE * TICK * lever * gap, -most, most)
            return np.abs(gap) > ANGLE_TOLERANCE / 4

        settled = settle(self.batch, duration, drive=move, tick=TICK, rest=FINE_REST, progress=progress, watch=watch)
        self.at_target = np.abs(angles - (zero - self.pitch(tip))) < ANGLE_TOLERANCE
        return settled

    def vertical_stiffness(self, probe: float, duration: float) -> np.ndarray:
        """Change of load by change of the ankle's height, with the bar held [N/m]."""
        held, load = self.batch.state.copy(), self.rig.stand or 0.0
        slider = self.model.joint("slider").qposadr[0]
        heights = []
        for change in (probe, -probe):
            self.batch.state[:] = held
            self.batch.bind("ctrl")[:] = load + change
            settle(self.batch, duration, rest=FINE_REST)
            heights.append(self.batch.bind("qpos")[:, slider].copy())
        self.batch.state[:] = held
        return 2 * probe / (heights[1] - heights[0])

    def read(self) -> Arrays:
        """All quantities as they are now, angles front down from the straight foot."""
        parts, tensions, stations = self.parts, self.tensions(), self.foot.stations
        rear, front = self._underside(parts.heel, stations.rear), self._underside(parts.metatarsus, stations.front)
        middle = np.mean([self._underside(body, x) for body, x in parts.middle], axis=0)
        heel = self.straight.body(PREFIX + parts.heel).xpos
        joint = np.array([stations.front, heel[1], heel[2]])
        span = self._follow(parts.metatarsus, joint) - self._follow(parts.heel, heel)
        return {
            "toe_pitch": self.pitch(parts.tip.body),
            "metatarsus_pitch": self.pitch(parts.metatarsus),
            "heel_pitch": self.pitch(parts.heel),
            "ankle_pitch": self.pitch("ankle"),
            "arch_height": arch_height(rear, middle, front),
            "heel_to_metatarsus": np.hypot(span[:, 0], span[:, 2]),
            "tension": tensions.max(axis=1, initial=0.0) * self.foot.tension_share,
            "tension_total": tensions.sum(axis=1),
            "toe_force": self._carried(parts.toes),
            "bar_force": -self._sensor("bar_force")[:, 2],
            "heel_force": self._carried((parts.heel,)),
            "metatarsus_force": self._carried(parts.metatarsi),
            "ankle_height": self.batch.bind("xpos")[:, self.model.body(f"{PREFIX}ankle").id, 2].copy(),
            "bar_rise": self.batch.bind("mocap_pos")[:, 0, 2] - self.bar_start,
            "settled": Settled(speeds(self.batch)).each & self.at_target,
        }

    def tensions(self) -> np.ndarray:
        """Tension of every tendon [N], (simulations, tendons)."""
        columns = [self._sensor(PREFIX + name) for name in self.foot.tension_sensors]
        return np.hstack([np.zeros((self.batch.nsim, 0)), *columns])

    def pitch(self, body: str) -> np.ndarray:
        """Pitch of a body, front down [rad]."""
        frames = self.batch.bind("xmat")[:, self.model.body(PREFIX + body).id]
        return np.arctan2(-frames[:, 6], frames[:, 0])

    def _box(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest corner of a part's colliders in the straight foot [m]."""
        view = self.model.body(PREFIX + body)
        geoms = range(view.geomadr[0], view.geomadr[0] + view.geomnum[0])
        touching = [g for g in geoms if self.model.geom_contype[g] or self.model.geom_conaffinity[g]]
        boxes = np.array([footprint(self.model, self.straight, g) for g in touching])
        return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)

    def _underside(self, body: str, x: float) -> np.ndarray:
        """Where the underside of a part is now, of what was at `x` from the ankle in the straight foot [m]."""
        low, high = self._box(body)
        return self._follow(body, np.array([x, (low + high)[1] / 2, low[2]]))

    def _follow(self, body: str, point: np.ndarray) -> np.ndarray:
        """Where a point of a body, given by its place in the straight foot, is now [m]."""
        i = self.model.body(PREFIX + body).id
        local = self.straight.xmat[i].reshape(3, 3).T @ (point - self.straight.xpos[i])
        return self.batch.bind("xpos")[:, i] + self.batch.bind("xmat")[:, i].reshape(-1, 3, 3) @ local

    def _carried(self, bodies: Sequence[str]) -> np.ndarray:
        """Vertical force on some parts of the sole together [N]."""
        return np.sum([self._sensor(f"{PREFIX}{body}_force")[:, 2] for body in bodies], axis=0)

    def _sensor(self, name: str) -> np.ndarray:
        sensor = self.model.sensor(name)
        return self.batch.bind("sensordata")[:, sensor.adr[0] : sensor.adr[0] + sensor.dim[0]]


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
