"""Peak force and its rate when one foot lands: the full SoftFoot and the hinge build against the fast one.

The ankle carries a mass and moves only up and down; it falls at random speeds, tilted forward or back, on level ground.
One line for each integrator and time step: the mean of the ratios with its bootstrapped 95 % interval, forces as
`plantar walk` takes them, every 2 ms. First comes the rate at which each part absorbs an approach [1/s], which the
contact of all parts should have in common; `--even` gives it to them.

    python benchmarks/learn_landing.py --falls 24 --seed 5150
    python benchmarks/learn_landing.py --falls 24 --seed 5150 --even
    python benchmarks/learn_landing.py --falls 12 --seed 5151 --tilt 0
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import mujoco
import numpy as np

from plantar.feet import Foot, get, set_contact
from plantar.feet.contact import RATE
from plantar.walk.study.statistics import mean_interval

FEET = ("softfoot:fast", "softfoot:hinge", "softfoot")
WAYS = (("implicitfast", 0.002), ("discrete", 0.002), ("implicitfast", 0.00025), ("discrete", 0.00025))
EVERY, SPAN, LASTS, ABOVE = 0.002, 5, 0.1, 1e-4
"""Time between two looks at the force [s], looks in 10 ms, simulated time [s], height over the ground [m]."""


class Fall(NamedTuple):
    """How a foot lands: speed [m/s] and pitch, front down [rad]."""

    speed: float
    pitch: float


def rig(foot: Foot, mass: float, pitch: float, even: bool) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], conaffinity=15)
    slider = spec.worldbody.add_body(name="slider")
    slider.add_joint(name="up", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    slider.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], mass=mass, contype=0, conaffinity=0)
    frame = slider.add_frame(quat=[math.cos(pitch / 2), 0, math.sin(pitch / 2), 0])
    spec.attach(foot.spec(), frame=frame, prefix="foot/")
    set_contact(spec, foot, "foot/")
    for geom in soles(spec, foot) if even else ():
        soft = 1 - geom.solimp[0]
        impedance = 1 / (1 + soft)
        scale = (1 - impedance) / soft
        geom.solref = [scale * value for value in geom.solref]
        geom.solimp[:2] = [impedance, impedance]
    return spec


def soles(spec: mujoco.MjSpec, foot: Foot) -> list[mujoco.MjsGeom]:
    bodies = [spec.body("foot/" + name) for name in foot.contact_bodies]
    return [geom for body in bodies for geom in body.geoms if geom.contype or geom.conaffinity]


def lowest(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    touching = [g for g in range(model.ngeom) if model.geom_bodyid[g] and model.geom_contype[g]]
    reach = [np.abs(data.geom_xmat[g].reshape(3, 3)[2]) @ model.geom_aabb[g, 3:] for g in touching]
    middle = [data.geom_xpos[g][2] + data.geom_xmat[g].reshape(3, 3)[2] @ model.geom_aabb[g, :3] for g in touching]
    return float(np.min(np.subtract(middle, reach)))


def landed(spec: mujoco.MjSpec, fall: Fall, integrator: str, timestep: float) -> np.ndarray:
    """Largest force [N] and its largest change in 10 ms [N/s]."""
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.timestep = timestep
    model = spec.compile()
    data, wrench, forces = mujoco.MjData(model), np.zeros(6), []
    mujoco.mj_forward(model, data)
    data.qpos[0], data.qvel[0] = ABOVE - lowest(model, data), -fall.speed
    for _ in range(round(LASTS / EVERY)):
        mujoco.mj_step(model, data, round(EVERY / timestep))
        total = 0.0
        for i, contact in enumerate(data.contact):
            mujoco.mj_contactForce(model, data, i, wrench)
            total += abs(float((wrench[:3] @ contact.frame.reshape(3, 3))[2]))
        forces.append(total)
    force = np.array(forces)
    return np.array([force.max(), np.abs(force[SPAN:] - force[:-SPAN]).max() / (SPAN * EVERY)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--falls", type=int, default=24)
    parser.add_argument("--seed", type=int, default=5150)
    parser.add_argument("--mass", type=float, default=15.0, help="mass over the ankle [kg]")
    parser.add_argument("--tilt", type=float, default=0.25, help="largest pitch [rad]; 0 lands flat")
    parser.add_argument("--even", action="store_true", help=f"contacts of all parts absorb at {RATE:g}/s")
    args = parser.parse_args()
    for name in FEET:
        foot = get(name)
        rates = [-geom.solref[1] / geom.solimp[0] for geom in soles(rig(foot, args.mass, 0.0, args.even), foot)]
        print(f"{name:15s} absorbs at {min(rates):.0f} to {max(rates):.0f}/s")
    rng = np.random.default_rng(args.seed)
    falls = [Fall(rng.uniform(0.1, 0.6), args.tilt * rng.uniform(-1, 1)) for _ in range(args.falls)]
    rigs = [[rig(get(name), args.mass, fall.pitch, args.even) for name in FEET] for fall in falls]
    for way in WAYS:
        found = np.array([[landed(spec, fall, *way) for spec in one] for one, fall in zip(rigs, falls, strict=True)])
        text = f"{way[0]:12s} {1e3 * way[1]:.2f} ms: fast {found[:, 0, 0].mean():.0f} N"
        for k, name in enumerate(FEET[1:], start=1):
            for i, what in enumerate(("peak", "rate")):
                ratio = 100 * (found[:, k, i] / found[:, 0, i] - 1)
                low, high = mean_interval(ratio)
                text += f"; {name} {what} {ratio.mean():+.1f} % ({low:+.1f} to {high:+.1f})"
        print(text, flush=True)


if __name__ == "__main__":
    main()
