"""Steps a second of pressed feet on a GPU in MuJoCo Warp, against the number of worlds.

Two stages, because a GPU machine need not have Plantar. Write the models where Plantar is, measure where the GPU is:

    python benchmarks/gpu_speed.py models FOLDER
    python benchmarks/gpu_speed.py measure FOLDER --worlds 1024 8192 32768 > gpu_speed.jsonl

Each model is a foot pressed with 100 N on a box under module 3, on a floor. A line is printed for each number of
worlds: steps a second, and the forces at the end beside those of the CPU. Random pushes on the slider make the worlds
differ, so that no work is shared.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import mujoco
import numpy as np

STEPS = 500
"""Steps that are timed."""
SETTLE = 1000
"""Steps before, until the foot is at rest."""


def write_models(folder: Path, sensors: bool) -> None:
    from plantar.bench.rig import PREFIX, PressRig  # noqa: PLC0415  (the GPU machine may have no Plantar)
    from plantar.feet import SoftFoot, get  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    # Warp has a primitive for box on box; cylinders go through its general convex collider, twice as slow
    rig = PressRig(flat=True, tilt=0.0, shape="box")
    feet = {name: get("softfoot", fidelity=name) for name in ("fast", "hinge", "full")}
    for name, foot in {**feet, "published": SoftFoot.published()}.items():
        spec = rig.spec(foot)
        if not sensors:
            for sensor in [s for s in spec.sensors if s.name.startswith(PREFIX)]:
                spec.delete(sensor)
        size = spec.compile().nq
        start = [rig.start_height(foot, 0.012), *[0.0] * (size - 1)]
        spec.add_key(name="press", qpos=start, ctrl=[100.0], mpos=[rig.obstacle_x(foot, 3), 0, 0.012])
        spec.compile()
        spec.compiler.savecompiled = False
        (folder / f"{name}.xml").write_text(spec.to_xml(), encoding="utf-8")


def on_cpu(model: mujoco.MjModel, steps: int) -> np.ndarray:
    """Sensor readings after `steps` on the CPU."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, steps)
    return data.sensordata.copy()


def measure(path: Path, worlds: int) -> dict[str, object]:
    import mujoco_warp as mjw  # noqa: PLC0415  # pyright: ignore[reportMissingImports]  (extra `gpu`)
    import warp as wp  # noqa: PLC0415  # pyright: ignore[reportMissingImports]

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    m = mjw.put_model(model)
    d = mjw.put_data(model, data, nworld=worlds, nconmax=48, njmax=160)
    pushes = np.random.default_rng(0).normal(scale=0.5, size=(worlds, model.nu)) + 100.0
    wp.copy(d.ctrl, wp.array(pushes.astype(np.float32), dtype=wp.float32))
    mjw.step(m, d)  # compiles the kernels
    with wp.ScopedCapture() as capture:
        mjw.step(m, d)
    for _ in range(SETTLE):
        wp.capture_launch(capture.graph)
    wp.synchronize()
    start = time.perf_counter()
    for _ in range(STEPS):
        wp.capture_launch(capture.graph)
    wp.synchronize()
    seconds = time.perf_counter() - start
    obstacle = model.sensor("obstacle_force").adr[0] + 2
    forces = -d.sensordata.numpy()[:, obstacle]
    cpu = -float(on_cpu(model, SETTLE + STEPS)[obstacle])
    # the pushes are small and even, so that their mean effect on the mean force is nil
    return {
        "foot": path.stem,
        "worlds": worlds,
        "steps_per_second": round(worlds * STEPS / seconds),
        "obstacle_force_gpu": float(np.mean(forces)),
        "obstacle_force_cpu": cpu,
        "finite": bool(np.isfinite(d.qpos.numpy()).all()),
        "device": wp.get_device().name,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("models", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sensors", action="store_true", help="keep the sole's own force sensors")
    parser.add_argument("--worlds", type=int, nargs="+", default=[1024, 8192, 32768])
    parser.add_argument("--feet", nargs="+", default=["fast", "hinge", "full", "published"])
    args = parser.parse_args()
    if args.stage == "models":
        write_models(args.folder, args.sensors)
        return
    for foot in args.feet:
        for worlds in args.worlds:
            print(json.dumps(measure(args.folder / f"{foot}.xml", worlds)), flush=True)


if __name__ == "__main__":
    main()
