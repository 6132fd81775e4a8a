"""Steps a second of pressed feet on a GPU in MuJoCo Warp, against the number of worlds.

Two stages, because a GPU machine need not have all that Plantar needs. Write the models where Plantar is, measure
where the GPU is:

    python benchmarks/gpu_speed.py models FOLDER
    python benchmarks/gpu_speed.py measure FOLDER --worlds 1024 8192 32768 > gpu_speed.jsonl
    python benchmarks/gpu_speed.py sweep

Each model is a foot pressed with 100 N on an obstacle under module 3, on a floor. A line is printed for each number
of worlds: steps a second, and the forces at the end beside those of the CPU. Random pushes on the slider make the
worlds differ, so that no work is shared. `sweep` runs presses as trials of `plantar.sweep.run` on the GPU and on
threads, and compares forces and times.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

STEPS = 500
"""Steps that are timed."""
SETTLE = 1000
"""Steps before, until the foot is at rest."""
CASES = ("fast", "fast3", "hinge", "full", "published")
OBSTACLES = ("box", "cylinder")


def write_models(folder: Path) -> None:
    """Write a model for each foot and obstacle, with and without the sole's own force sensors."""
    from plantar.bench.press.rig import PREFIX, PressRig  # noqa: PLC0415  (the GPU machine may have no Plantar)
    from plantar.feet import SoftFoot  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    full = SoftFoot()
    feet = {name: full.with_(fidelity=name) for name in ("fast", "hinge", "full")}
    feet |= {"fast3": full.with_(fidelity="fast", fast__strips=3), "published": SoftFoot.published()}
    for shape in OBSTACLES:
        rig = PressRig(flat=True, tilt=0.0, shape=shape)  # type: ignore[arg-type]
        for name, foot in feet.items():
            for sensors in (False, True):
                spec = rig.spec(foot)
                if not sensors:
                    for sensor in [s for s in spec.sensors if s.name.startswith(PREFIX)]:
                        spec.delete(sensor)
                # Warp's own collider of boxes, as in plantar.sweep
                spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
                size = spec.compile().nq
                start = [rig.start_height(foot, 0.012), *[0.0] * (size - 1)]
                spec.add_key(name="press", qpos=start, ctrl=[100.0], mpos=[rig.obstacle_x(foot, 3), 0, 0.012])
                spec.compile()
                spec.compiler.savecompiled = False
                file = f"{name}-{shape}{'-sensors' if sensors else ''}.xml"
                (folder / file).write_text(spec.to_xml(), encoding="utf-8")


def on_cpu(model: mujoco.MjModel, steps: int) -> tuple[np.ndarray, int, int]:
    """Sensor readings after `steps` on the CPU, and the most contacts and constraint rows on the way."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    contacts = rows = 0
    for _ in range(steps):
        mujoco.mj_step(model, data)
        contacts, rows = max(contacts, data.ncon), max(rows, data.nefc)
    return data.sensordata.copy(), contacts, rows


def measure(path: Path, worlds: int) -> dict[str, object]:
    """Time `worlds` presses at once."""
    mjw: Any = importlib.import_module("mujoco_warp")
    wp: Any = importlib.import_module("warp")
    model = mujoco.MjModel.from_xml_path(str(path))
    readings, contacts, rows = on_cpu(model, SETTLE + STEPS)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    m = mjw.put_model(model)
    # room for more than the CPU needed; `overflow` below says whether that was enough
    room = {"nconmax": contacts + contacts // 2 + 4, "njmax": rows + rows // 2 + 8}
    d = mjw.put_data(model, data, nworld=worlds, **room)
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
    foot, shape, *rest = path.stem.split("-")
    # the pushes are small and even, so that their mean effect on the mean force is nil
    return {
        "foot": foot,
        "obstacle": shape,
        "sensors": bool(rest),
        "worlds": worlds,
        "steps_per_second": round(worlds * STEPS / seconds),
        "obstacle_force_gpu": float(np.mean(forces)),
        "obstacle_force_cpu": -float(readings[obstacle]),
        "finite": bool(np.isfinite(d.qpos.numpy()).all()),
        "overflow": bool(d.overflow.numpy().any()),
        **room,
        "device": wp.get_device().name,
    }


def sweep_presses(count: int, fewer: int, duration: float) -> dict[str, object]:
    """The same presses as a sweep on the GPU and, the first of them, on threads."""
    from plantar import sweep  # noqa: PLC0415
    from plantar.bench import PressTrials  # noqa: PLC0415
    from plantar.feet import SoftFoot  # noqa: PLC0415
    from plantar.sweep.engines.gpu import quiet_warp  # noqa: PLC0415

    axes: dict[str, Any] = {"load": (10.0, 500.0), "height": (0.0, 0.02), "position": [1, 2, 3, 4, 5, 6]}
    axes["rig.tilt"] = [round(tilt, 3) for tilt in np.linspace(-0.087, 0.087, 9)]
    trials = sweep.sample(count, 0, axes)
    function = PressTrials(foot=SoftFoot(fidelity="fast"), duration=duration)
    line: dict[str, object] = {"presses": count, "simulated_s": duration}
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        sweep.run(function, trials[:16], "gpu", out=Path(folder) / "first")
        line["first_16_s"] = round(time.perf_counter() - start, 2)
        on_gpu = sweep.run(function, trials, "gpu", out=Path(folder) / "gpu")
        on_threads = sweep.run(function, trials[:fewer], "threads", out=Path(folder) / "threads")
        a, b = on_gpu.load(), on_threads.load()
    line |= {"gpu_s": round(on_gpu.wall_s, 2), "gpu_trials_per_s": round(count / on_gpu.wall_s, 1)}
    line |= {"threads_trials": fewer, "threads_trials_per_s": round(fewer / on_threads.wall_s, 1)}
    line |= {"ok_gpu": on_gpu.counts.get("ok", 0), "ok_threads": on_threads.counts.get("ok", 0)}
    names = ["force_heel", "force_module", "force_metatarsus"]
    both = [i for i in range(fewer) if a[i]["status"] == b[i]["status"] == "ok" and b[i]["settled"]]
    gap = [max(abs(a[i][n] - b[i][n]) for n in names) / a[i]["config.load"] for i in both]
    line |= {"compared": len(both), "settled_gpu": int(sum(bool(row["settled"]) for row in a))}
    for share in (50, 90, 99, 100) if gap else ():
        line[f"force_error_p{share}"] = float(np.percentile(gap, share))
    line["columns_agree"] = a.columns == b.columns
    return {**line, "device": quiet_warp().get_device().name}


def main() -> None:
    """Run the stage that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("models", "measure", "sweep"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path("models"))
    parser.add_argument("--worlds", type=int, nargs="+", default=[1024, 8192, 32768])
    parser.add_argument("--cases", nargs="+", default=[f"{c}-{o}" for c in CASES for o in OBSTACLES])
    parser.add_argument("--presses", type=int, default=8192)
    parser.add_argument("--compare", type=int, default=256)
    parser.add_argument("--duration", type=float, default=2.0)
    args = parser.parse_args()
    if args.stage == "models":
        write_models(args.folder)
    elif args.stage == "sweep":
        print(json.dumps(sweep_presses(args.presses, args.compare, args.duration)), flush=True)
    else:
        for case in args.cases:
            for worlds in args.worlds:
                print(json.dumps(measure(args.folder / f"{case}.xml", worlds)), flush=True)


if __name__ == "__main__":
    main()
