"""Steps of one leg on yielding ground, with noisy readings of force and motion: test data for `sense`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from plantar._checks import require, require_positive
from plantar._config import Checked
from plantar.ground.soil.sense import FootLog
from plantar.ground.soil.yielding import YieldingGround

APART = 0.2
"""Distance between steps, so that each meets new soil [m]."""


@dataclass(frozen=True, kw_only=True)
class Stepping(Checked):
    """A leg that is set down, loaded and lifted, at one place after the other."""

    steps: int = 10
    """Number of steps."""
    load: float = 60.0
    """Largest force of a step, which differs by a fifth from step to step [N]."""
    period: float = 0.6
    """Time of one step on the ground [s]."""
    length: float = 0.1
    """Of the sole [m]."""
    width: float = 0.06
    """Of the sole [m]."""
    mass: float = 1.0
    """That the foot moves, half of it in the foot [kg]."""
    stiffness: float | None = None
    """Of the foot between ankle and sole [N/m]; None is rigid."""
    noise: float = 0.02
    """Of forces, of each; of depths and speeds, of the largest of the step; one standard deviation."""
    rate: float = 200.0
    """Readings per second [1/s]."""
    timestep: float = 1e-3
    """Time step [s]."""

    def __post_init__(self) -> None:
        """Check every field; the first bad one is named."""
        require_positive(self, "", ("load", "period", "length", "width", "mass", "rate", "timestep"))
        require(self.steps >= 1, "steps", self.steps, "an integer from 1")
        require(math.isfinite(self.noise) and self.noise >= 0, "noise", self.noise, "a fraction of 0 or above")
        soft = self.stiffness
        require(soft is None or soft > 0, "stiffness", soft, "a stiffness above 0 [N/m], or None")

    def model(self) -> mujoco.MjModel:
        """An ankle on slides, and the foot below it, on a spring if it is soft."""
        spec = mujoco.MjSpec()
        spec.option.timestep, spec.option.gravity = self.timestep, [0, 0, 0]
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        ankle = spec.worldbody.add_body(name="ankle")
        ankle.add_joint(name="x", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0], damping=[1e4, 0, 0])
        ankle.add_joint(name="z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=[20.0, 0, 0])
        ankle.mass, ankle.inertia, ankle.explicitinertial = self.mass / 2, [1e-3] * 3, True
        foot = ankle.add_body(name="foot")
        if self.stiffness is not None:
            damping = 0.2 * math.sqrt(self.stiffness * self.mass / 2)
            soft = {"stiffness": [self.stiffness, 0, 0], "damping": [damping, 0, 0]}
            foot.add_joint(name="sole", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], **soft)
        size = [self.length / 2, self.width / 2, 0.01]
        foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=[0, 0, 0.01], mass=self.mass / 2)
        return spec.compile()

    def walk(self, ground: YieldingGround, seed: int) -> FootLog:
        """Readings of the foot, with noise.

        Args:
            ground: The ground.
            seed: Of loads and noise.
        """
        rng, model = np.random.default_rng(seed), self.model()
        data, tracks = mujoco.MjData(model), ground.attach(model, ["foot"])
        every = max(1, round(1 / self.rate / self.timestep))
        rows: list[tuple[float, float, float, float]] = []
        for step in range(self.steps):
            data.qpos[:], data.qvel[:] = 0, 0
            data.qpos[:2] = APART * step, 1e-4
            load = self.load * (1 + 0.2 * rng.uniform(-1, 1))
            for i in range(round(self.period / self.timestep)):
                data.qfrc_applied[1] = -load * math.sin(math.pi * i * self.timestep / self.period)
                tracks.step(data)
                if i % every == 0:
                    # forces of a step belong to the place that it leads to
                    rows.append((step, -float(data.qpos[1]), -float(data.qvel[1]), float(tracks.wrench()[2])))
            data.qpos[1] = 0.2
            data.time += 1.0
            mujoco.mj_forward(model, data)
            tracks.apply(data)
        table = np.array(rows)
        for step in range(self.steps):
            mine = table[:, 0] == step
            most = np.abs(table[mine]).max(axis=0)
            table[mine, 1:3] += self.noise * most[1:3] * rng.normal(size=(mine.sum(), 2))
            table[mine, 3] *= 1 + self.noise * rng.normal(size=mine.sum())
        wide = float(tracks.diameters().max())
        return FootLog(
            step=table[:, 0],
            depth=table[:, 1],
            speed=table[:, 2],
            force=table[:, 3],
            area=self.length * self.width,
            diameter=wide,
        )
