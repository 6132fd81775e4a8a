"""How far the light twins are from the full foot, over the whole sole, on hard and on yielding ground.

Random presses on a vertical slider: loads of 10 to 500 N that grow for a second, boxes 20 mm long and up to 20 mm high
anywhere from the heel's edge to the tip of the toes (a seventh of the presses have none), tilts within 5 degrees,
friction 1, MuJoCo's default options. On `yielding` ground there are no boxes; in `stones` they lie fixed in yielding
ground, around which the sole sinks in. Errors are those of the force on the heel, on the modules and on the metatarsus
with the toes, as shares of the load. With `--why`, each press in which a part is off by more than 5 % is made again
with the full foot in slightly different ways: where one of them moves the full foot itself by as much, or it never
comes to rest, the press has more than one equilibrium and no one answer.

    python benchmarks/fast_accuracy.py --seed 2718 --why
    python benchmarks/fast_accuracy.py --seed 2718 --grounds default --presses 100 --strips 3
    python benchmarks/fast_accuracy.py --seed 4242 --grounds default --presses 60 --fidelities fast --held module3
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import mujoco
import numpy as np

from plantar.feet import Foot, SoftFoot, readings, set_contact
from plantar.feet.slider import PREFIX, Slider
from plantar.ground import YieldingGround

GROUNDS = ("default", "hard", "yielding", "stones")
HARD = {"solref": [0.005, 1.0], "solimp": [0.99, 0.995, 0.001, 0.5, 2.0]}
RIGID = {"solref": [0.004, 1.0], "solimp": [0.999, 0.9999, 0.001, 0.5, 2.0]}
"""Constraint that holds a joint of a light build, as if it had fewer."""
PARTS = ("heel", "modules", "metatarsus, toes")
FAR = 0.05
"""A part that is off by more than this share of the load is looked into."""
RAMP, DURATION, REST = 1.0, 4.0, 1e-6


@dataclass(frozen=True)
class Press:
    """One press."""

    load: float
    height: float
    x: float
    tilt: float
    timestep: float = 0.002
    ramp: float = RAMP


class Reading(NamedTuple):
    """Force on each part [N], and the fastest joint at the end [rad/s]."""

    force: np.ndarray
    speed: float


OTHER_WAYS: dict[str, Any] = {
    "half the step": lambda p: replace(p, timestep=p.timestep / 2),
    "slow ramp": lambda p: replace(p, ramp=2.0),
    "fast ramp": lambda p: replace(p, ramp=0.3),
    "2 % more load": lambda p: replace(p, load=1.02 * p.load),
    "2 % less load": lambda p: replace(p, load=0.98 * p.load),
    "0.3 mm ahead": lambda p: replace(p, x=p.x + 3e-4),
    "0.3 mm behind": lambda p: replace(p, x=p.x - 3e-4),
    "0.1 degrees more tilt": lambda p: replace(p, tilt=p.tilt + math.radians(0.1)),
    "0.1 degrees less tilt": lambda p: replace(p, tilt=p.tilt - math.radians(0.1)),
}


def drawn(seed: int, i: int) -> Press:
    rng = np.random.default_rng([seed, i])
    sole = SoftFoot().sole
    height = rng.uniform(0, 0.020) if rng.uniform() > 1 / 7 else 0.0
    place, tilt = rng.uniform(sole.rear, sole.front), rng.uniform(-5, 5)
    return Press(float(rng.uniform(10, 500)), float(height), float(place), math.radians(tilt))


def pressed(press: Press, foot: Foot, ground: str, held: tuple[str, ...] = ()) -> Reading:
    spec = Slider(tilt=press.tilt, timestep=press.timestep).spec(foot)
    for joint in (joint for joint in spec.joints if joint.name.endswith(held)) if held else ():
        spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name, **RIGID)
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL  # MuJoCo's default
    floor = HARD if ground == "hard" else {}
    soil = ground in ("yielding", "stones")
    if not soil:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], **floor)
    if press.height > 0 and ground != "yielding":
        half, box = 0.02 if soil else press.height / 2, mujoco.mjtGeom.mjGEOM_BOX
        place = [press.x, 0, press.height - half]
        spec.worldbody.add_geom(type=box, size=[0.01, 0.1, half], pos=place, **floor)
    set_contact(spec, foot, PREFIX)
    model = spec.compile()
    data = mujoco.MjData(model)
    reach = max(-x * math.sin(-press.tilt) for x in (foot.sole.rear, foot.sole.front))
    data.qpos[0] = foot.sole_height + press.height + max(reach, 0.0) + 0.001
    soles = [PREFIX + body for body in foot.contact_bodies]
    tracks = YieldingGround().attach(model, soles) if soil else None
    found: list[np.ndarray] = []
    while data.time < DURATION:
        data.ctrl[0] = press.load * min(1.0, data.time / press.ramp)
        tracks.step(data, 5) if tracks else mujoco.mj_step(model, data, 5)
        if not np.abs(data.qvel).max() < 1e4:
            return Reading(np.full(3, np.nan), np.inf)
        still = data.time > press.ramp and np.abs(data.qvel).max() < REST
        if data.time > DURATION - 0.3 or still:
            found.append(on_parts(model, data, tracks))
        if still:
            found = found[-1:]
            break
    return Reading(np.mean(found, axis=0), float(np.abs(data.qvel).max()))


def on_parts(model: mujoco.MjModel, data: mujoco.MjData, tracks: Any) -> np.ndarray:
    """Vertical force on heel, modules, and metatarsus with toes [N]."""
    points = readings.contact_points(model, data, PREFIX)
    rows = list(zip(points.body, points.force[:, 2], strict=True))
    if tracks:
        rows += [
            (model.body(b).name.removeprefix(PREFIX), f[2]) for b, f in zip(tracks.bodies, tracks.force, strict=True)
        ]
    total = np.zeros(3)
    for body, force in rows:
        if body != "ankle" and "arch" not in body:
            total[0 if body == "heel" else 1 if "module" in body else 2] += force
    return total


def vary(press: Press, ground: str, usual: Reading) -> tuple[float, str]:
    """Largest change of a part of the full foot, as a share of the load, and the way of pressing that made it."""
    found = []
    for name, changed in OTHER_WAYS.items():
        other = changed(press)
        force = pressed(other, SoftFoot(), ground).force * press.load / other.load
        found.append((float(np.abs(force - usual.force).max() / press.load), name))
    return max(found)


def compare(
    pool: ProcessPoolExecutor,
    presses: list[Press],
    twin: SoftFoot,
    ground: str,
    full: Any,
    *,
    why: bool,
    held: tuple[str, ...],
) -> None:
    light = list(pool.map(partial(pressed, foot=twin, ground=ground, held=held), presses))
    load = np.array([p.load for p in presses])
    errors = np.array([np.abs(a.force - b.force) for a, b in zip(full, light, strict=True)]) / load[:, None]
    for k, part in enumerate(PARTS):
        mean, p95, most = errors[:, k].mean(), np.percentile(errors[:, k], 95), errors[:, k].max()
        print(f"{ground:9s} {twin.fidelity:6s} {part:17s} {mean:7.2%} {p95:7.2%} {most:7.2%}")
    worst = errors.max(axis=1)
    far = [int(i) for i in np.argsort(-worst) if worst[i] > FAR]
    print(
        f"{ground:9s} {twin.fidelity:6s} {len(far)} of {len(presses)} presses have a part beyond {FAR:.0%}", flush=True
    )
    if not why:
        return
    several = 0
    cases = ([presses[i] for i in far], [ground] * len(far), [full[i] for i in far])
    for i, (most, way) in zip(far, pool.map(vary, *cases), strict=True):
        several += most >= worst[i]
        p = presses[i]
        print(
            f"  press {i + 1} ({p.load:.0f} N, {1e3 * p.height:.1f} mm at {1e3 * p.x:.0f} mm, "
            f"{math.degrees(p.tilt):+.1f} degrees): off by {worst[i]:.1%}; the full foot moves by {most:.1%} ({way})"
        )
    print(f"  more than one equilibrium: {several} of {len(presses)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=2718)
    parser.add_argument("--presses", type=int, default=500)
    parser.add_argument("--grounds", nargs="+", default=GROUNDS, choices=GROUNDS)
    parser.add_argument("--fidelities", nargs="+", default=("fast", "hinge"), choices=("fast", "hinge"))
    parser.add_argument("--strips", type=int, default=1)
    parser.add_argument("--touch", default="box", choices=("box", "rod"))
    parser.add_argument("--held", nargs="*", default=[], help="links that do not turn (module2 toe2 ...)")
    parser.add_argument("--bend", type=float, default=1.0, help="stiffness of the couplings, as a multiple")
    parser.add_argument("--why", action="store_true", help=f"look into presses beyond {FAR:.0%}")
    args = parser.parse_args()
    presses = [drawn(args.seed, i) for i in range(args.presses)]
    print(f"{'ground':9s} {'build':6s} {'part':17s} {'mean':>7s} {'95 %':>7s} {'largest':>7s}")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for ground in args.grounds:
            full = list(pool.map(partial(pressed, foot=SoftFoot(), ground=ground), presses))
            resting = sum(reading.speed < 1e-3 for reading in full)
            print(f"{ground:9s} full   slower than 0.001 rad/s at the end: {resting} of {len(presses)}")
            for fidelity in args.fidelities:
                twin = SoftFoot(fidelity=fidelity).with_(fast__strips=args.strips, fast__touch=args.touch)
                twin = twin.with_(fast__bend=args.bend)
                compare(pool, presses, twin, ground, full, why=args.why, held=tuple(args.held))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
