"""Steps of feet a second on yielding ground in many worlds of MuJoCo Warp, and how far they are from the CPU's.

    python benchmarks/soil_gpu.py [--cpu] [WORLDS ...]

A rig of two feet that tread by turns while it is drawn forward: 10 x 6 cm soles under 20 N and 60 N each, prints in a
grid of 10 mm for each world. Every world has a phase of its own, the first one that of the CPU. With --cpu
Warp runs the same kernels, in single precision, on the processor: they are compared with the CPU's, and timed only
where WORLDS are given. Writes one line of JSON a size, and figures.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import mujoco
import mujoco_warp as mjw  # type: ignore[import-not-found]
import numpy as np

from plantar.ground.soil.worlds import SoilWorlds
from plantar.ground.soil.yielding import YieldingGround
from plantar.sweep.engines.gpu import DEVICE, chosen_device, quiet_warp

wp = quiet_warp()
PERIOD, SPEED, TIMESTEP = 0.6, 0.1, 1e-3
EVERY = 100
"""Steps between two comparisons."""
SAND = YieldingGround.of("testbed_sand", origin=(-0.2, -0.2), size=(0.8, 0.4), cell=0.01)


def rig() -> mujoco.MjModel:
    """A trunk that slides along x, z, with two feet on legs that push up and down."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = TIMESTEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    trunk = spec.worldbody.add_body(name="trunk", pos=[0, 0, 0.12])
    trunk.add_joint(name="x", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0])
    trunk.add_joint(name="z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    trunk.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.02], mass=4.0, contype=0, conaffinity=0)
    spec.add_actuator(name="draw", target="x", trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_velocity(kv=400.0)
    for side, y in (("left", 0.08), ("right", -0.08)):
        foot = trunk.add_body(name=f"{side}_foot", pos=[0, y, -0.1])
        foot.add_joint(name=side, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
        foot.add_joint(name=f"{side}_x", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0], stiffness=[400, 0, 0])
        foot.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.03, 0.01], mass=0.3)
        spec.add_actuator(name=side, target=side, trntype=mujoco.mjtTrn.mjTRN_JOINT).set_to_position(kp=8e3, kv=80.0)
    return spec.compile()


@wp.kernel
def tread(at: wp.array(dtype=float), phase: wp.array(dtype=float), ctrl: wp.array2d(dtype=float)):  # type: ignore[valid-type]
    """What the legs are to do."""
    w = wp.tid()
    turn = wp.sin(6.2831853 * (at[w] / PERIOD + phase[w]))
    ctrl[w, 0] = SPEED
    ctrl[w, 1] = 0.02 * wp.max(turn, 0.0)
    ctrl[w, 2] = 0.02 * wp.max(-turn, 0.0)


def on_cpu(model: mujoco.MjModel, steps: int) -> tuple[np.ndarray, float, float]:
    """Places of the joints after every step, what the ground took, and microseconds a step."""
    data, tracks = mujoco.MjData(model), SAND.attach(model, ["left_foot", "right_foot"])
    rows, start = [], time.perf_counter()
    for _ in range(steps):
        turn = np.sin(2 * np.pi * data.time / PERIOD)
        data.ctrl[:] = SPEED, 0.02 * max(turn, 0.0), 0.02 * max(-turn, 0.0)
        tracks.step(data)
        rows.append(data.qpos.copy())
    return np.array(rows), tracks.lost_energy, 1e6 * (time.perf_counter() - start) / steps


class Worlds:
    """The rig in many worlds."""

    def __init__(self, model: mujoco.MjModel, worlds: int):
        self.m, self.d = mjw.put_model(model), mjw.make_data(model, nworld=worlds, nconmax=8, njmax=16)
        self.soil = SoilWorlds(SAND, model, worlds, ["left_foot", "right_foot"])
        self.soil.install(self.m)
        self.phase = wp.array(np.linspace(0, 1, worlds, endpoint=False, dtype=np.float32), dtype=float)
        self.graph: Any = None

    def step(self) -> None:
        wp.launch(tread, dim=self.soil.worlds, inputs=[self.d.time, self.phase, self.d.ctrl])
        mjw.step(self.m, self.d)

    def run(self, steps: int) -> None:
        if not wp.get_device().is_cuda:
            for _ in range(steps):
                self.step()
            return
        if self.graph is None:
            with wp.ScopedCapture() as capture:
                self.step()
            self.graph = capture.graph
        for _ in range(steps):
            wp.capture_launch(self.graph)
        wp.synchronize()


def followed(model: mujoco.MjModel, rows: np.ndarray, lost: float) -> dict[str, Any]:
    """How far one world is from the CPU's, every `EVERY` steps: all joints, and the height of the trunk alone [m]."""
    world, joints, trunk = Worlds(model, 1), [], []
    for step, row in enumerate(rows, start=1):
        world.step()
        if step % EVERY == 0:
            apart = abs(world.d.qpos.numpy()[0] - row)
            joints.append(float(apart.max()))
            trunk.append(float(apart[1]))
    told = {"every": EVERY, "joints": joints, "trunk": trunk, "trunk_sinks": float(-rows[-1][1])}
    return told | {"energy": float(abs(world.soil.lost_energy()[0] / lost - 1))}


def main(sizes: list[int], steps: int = 1200) -> None:
    model = rig()
    rows, lost, cost = on_cpu(model, steps)
    print(json.dumps({"device": str(wp.get_device()), "cpu_us_a_step": round(cost, 1), "cpu_lost_J": lost}), flush=True)
    kind, rates = "gpu" if wp.get_device().is_cuda else "cpu", {}
    print(f"figure ground.worlds.{kind}_agreement = {json.dumps(followed(model, rows, lost))}", flush=True)
    for worlds in sizes:
        few = Worlds(model, worlds)
        few.step()
        few = Worlds(model, worlds)  # compiled by now
        few.step()
        few.run(1)
        wp.synchronize()
        start = time.perf_counter()
        few.run(steps - 2)
        wp.synchronize()
        wall = time.perf_counter() - start
        place = few.d.qpos.numpy()[0]
        start = time.perf_counter()
        for _ in range(200):
            few.soil.apply(few.d)
        wp.synchronize()
        alone = time.perf_counter() - start
        taken = few.soil.lost_energy()
        record = {
            "worlds": worlds,
            "points": int(len(few.soil.soles.of)),
            "foot_steps_per_s": round(2 * worlds * (steps - 2) / wall),
            "soil_alone_foot_steps_per_s": round(2 * worlds * 200 / alone),
            "worst_joint_error_mm": float(1e3 * abs(place - rows[-1]).max()),
            "trunk_sinks_mm": float(-1e3 * rows[-1][1]),
            "energy_error": float(abs(taken[0] / lost - 1)),
            "finite": bool(np.isfinite(few.d.qpos.numpy()).all()),
        }
        print(json.dumps(record), flush=True)
        if not record["finite"]:
            raise SystemExit(f"{worlds} worlds: places that are no numbers")
        rates[worlds] = record["foot_steps_per_s"]
    if rates:
        print(f"figure ground.worlds.{kind}_rates = {json.dumps(rates)}")


if __name__ == "__main__":
    words = sys.argv[1:]
    cpu = "--cpu" in words
    if cpu:
        os.environ[DEVICE] = "cpu"
    counts = [int(word) for word in words if word != "--cpu"]
    with wp.ScopedDevice(chosen_device()):
        main(counts or ([] if cpu else [1024, 4096, 8192, 16384]))
