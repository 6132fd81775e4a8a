"""How fast the fast twin is: against the released twin on the press, and under a robot of Talos' size.

Press: every contestant first finds the largest of a list of steps at which its forces stay within 1 % of
the load from those at the smallest step, in three presses; then all are timed at that step, in turns, so
that a busy machine slows all alike. Robot: Talos on its own rigid feet, on fast feet and on released feet,
all at 2 ms, standing and stepping in a soft harness that keeps it upright; costs are compared in turns.
Times are the processor's.

    python benchmarks/fast_speed.py ../shared/models/menagerie
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from plantar.bench.press.rig import SUPPORTS, PressRig
from plantar.feet import SoftFoot

STEPS = (0.001, 0.002, 0.004, 0.006, 0.008, 0.010, 0.012, 0.016, 0.020, 0.025, 0.030, 0.040)
PRESSES = ((0.015, 4, 200.0), (0.011, 2, 100.0), (0.015, 5, 400.0))
"""Obstacle height [m], module over it, load [N]."""
RAMP, DURATION = 0.5, 2.0
INTEGRATORS = {"implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST, "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE}


@dataclass
class Contestant:
    """A foot on the press with an integrator."""

    name: str
    foot: SoftFoot
    spec: Callable[[], mujoco.MjSpec]
    integrator: str
    step: float = 0.001
    error: float = 0.0

    def press(self, step: float, height: float, position: int, load: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """The foot at rest under a load that grew to its value."""
        rig = PressRig(timestep=step)
        spec = rig.spec(self.foot, self.spec())
        spec.option.integrator = INTEGRATORS[self.integrator]
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(self.foot, height)
        data.mocap_pos[0] = (rig.obstacle_x(self.foot, position), 0, height)
        while data.time < DURATION:
            data.ctrl[0] = load * min(1.0, data.time / RAMP)
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        return model, data

    def find_step(self) -> None:
        """Take the largest step up to which all forces stay within 1 % of the load."""
        true: np.ndarray | None = None
        for step in STEPS:
            found = np.array(
                [forces(self.press(step, height, position, load)[1]) / load for height, position, load in PRESSES]
            )
            true = found if true is None else true
            error = float(np.abs(found - true).max())
            if not error < 0.01:
                return
            self.step, self.error = step, error


def forces(data: mujoco.MjData) -> np.ndarray:
    """Vertical forces on the three supports [N]."""
    return np.array([-data.sensor(f"{body}_force").data[2] for body in SUPPORTS])


def press_speed(released: Path, rounds: int) -> None:
    """Print the table of the press."""
    old, full = SoftFoot.published(), SoftFoot()
    hinge, fast = full.with_(fidelity="hinge"), full.with_(fidelity="fast")
    file = str(released)
    field = []
    for kind in INTEGRATORS:
        field.append(Contestant("released", old, lambda: mujoco.MjSpec.from_file(file), kind))
        field += [Contestant(f.fidelity, f, f.spec, kind) for f in (full, hinge, fast)]
    for one in field:
        one.find_step()
    runs = [one.press(one.step, *PRESSES[0]) for one in field]
    costs = np.array([[_cost(model, data, 0.02) for model, data in runs] for _ in range(rounds)])
    paces = np.array([one.step for one in field]) / costs
    best = np.median(paces, axis=0)
    ratios = {
        f"{one.name}, {one.integrator}": float(np.median(paces[:, i] / paces[:, 0])) for i, one in enumerate(field)
    }
    print("foot      integrator    largest step  error     us a step   simulated s a proc. s  x released implicitfast")
    for i, one in enumerate(field):
        cost = 1e6 * float(np.median(costs[:, i]))
        print(
            f"{one.name:9s} {one.integrator:13s} {1e3 * one.step:6.0f} ms     {100 * one.error:5.2f} %  {cost:9.1f}"
            f"   {best[i]:12.0f}           {ratios[f'{one.name}, {one.integrator}']:8.1f}"
        )
    print(f"figure softfoot.fast_speed.press = {json.dumps(ratios)}")


def _cost(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> float:
    """Processor time of a step [s], measured over about `seconds`."""
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        mujoco.mj_step(model, data, 20)
        steps += 20
    return (time.process_time() - start) / steps


def robot(folder: Path, foot: Callable[[str], mujoco.MjSpec] | None) -> mujoco.MjModel:
    """Talos at 2 ms in a soft harness, on its own feet or on others whose soles are where its own were."""
    spec = mujoco.MjSpec.from_file(str(folder / "pal_talos" / "scene_position.xml"))
    spec.option.timestep = 0.002
    spec.geom("floor").contype = 9
    height = SoftFoot().sole_height
    for side in ("left", "right") if foot else ():
        link = spec.body(f"leg_{side}_6_link")
        sole = next(g for g in link.geoms if g.contype or g.conaffinity)
        bottom = sole.pos[2] - sole.size[2]
        spec.delete(sole)
        child = foot(side)  # type: ignore[misc]
        for geom in child.geoms:
            # The foot touches the floor and not the shank, through which its ankle cube would stick.
            geom.contype, geom.conaffinity = 0, 8 if geom.contype else 0
        spec.attach(child, frame=link.add_frame(pos=[0, 0, bottom + height]), prefix=f"{side}/")
    base = next(j for j in spec.joints if j.type == mujoco.mjtJoint.mjJNT_FREE)
    base.stiffness, base.damping = [3000, 0, 0], [300, 0, 0]
    for key in list(spec.keys):
        spec.delete(key)
    return spec.compile()


def stand(model: mujoco.MjModel, talos: mujoco.MjModel) -> mujoco.MjData:
    """Put the robot in its walking pose and let it stand for a second."""
    data = mujoco.MjData(model)
    for j in range(talos.njnt):
        width = 7 if talos.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 1
        at, to = talos.jnt_qposadr[j], model.joint(talos.joint(j).name).qposadr[0]
        data.qpos[to : to + width] = talos.key_qpos[0, at : at + width]
        model.qpos_spring[to : to + width] = data.qpos[to : to + width]
    data.ctrl[:] = talos.key_ctrl[0]
    mujoco.mj_step(model, data, 500)
    return data


def step_in_place(model: mujoco.MjModel, data: mujoco.MjData, talos: mujoco.MjModel) -> None:
    """Command one foot up and the other down, once a second."""
    for i in range(model.nu):
        name = model.actuator(i).name
        sign = 1 if "_left_" in name else -1
        lift = 0.35 * max(0.0, sign * np.sin(2 * np.pi * data.time))
        gain = next((g for part, g in (("_3", -1.0), ("_4", 2.0), ("_5", -1.0)) if part in name and "leg" in name), 0.0)
        data.ctrl[i] = talos.key_ctrl[0, i] + gain * lift


def robot_cost(folder: Path, rounds: int) -> None:
    """Print the table of the robot."""
    talos = mujoco.MjModel.from_xml_path(str(folder / "pal_talos" / "scene_position.xml"))
    released = str(folder / "iit_softfoot" / "softfoot.xml")
    feet: dict[str, Callable[[str], mujoco.MjSpec] | None] = {
        "rigid": None,
        "fast": lambda side: SoftFoot(fidelity="fast").with_(side=side).spec(),
        "fast, force sensors": lambda side: SoftFoot(fidelity="fast").with_(side=side).spec(sensors=True),
        "released": lambda side: mujoco.MjSpec.from_file(released),
    }
    models = {name: robot(folder, foot) for name, foot in feet.items()}
    states = {name: stand(model, talos) for name, model in models.items()}
    print("\nrobot     feet               us a step   x rigid   contacts   joints")
    rounds_of: dict[str, list[np.ndarray]] = {name: [] for name in models}
    for what in ("standing", "stepping"):
        costs: dict[str, list[float]] = {name: [] for name in models}
        contacts: dict[str, list[int]] = {name: [] for name in models}
        for _ in range(rounds):
            for name, model in models.items():
                spent, data = 0.0, states[name]
                for _ in range(25):
                    if what == "stepping":
                        step_in_place(model, data, talos)
                    begin = time.process_time()
                    mujoco.mj_step(model, data, 2)
                    spent += time.process_time() - begin
                    contacts[name].append(data.ncon)
                costs[name].append(spent / 50)
        for name, model in models.items():
            ratio = float(np.median(np.array(costs[name]) / np.array(costs["rigid"])))
            rounds_of[name].append(np.array(costs[name]))
            cost, touching = 1e6 * np.median(costs[name]), np.mean(contacts[name])
            print(f"{what:9s} {name:19s} {cost:8.1f}   {ratio:7.2f}   {touching:8.1f}   {model.nv}")
    together = {name: _over(np.array(rounds_of[name]), np.array(rounds_of["rigid"])) for name in models}
    for name, (ratio, low, high) in together.items():
        print(f"together  {name:19s} {'':8s}   {ratio:7.2f}   ({low:.2f} to {high:.2f})")
    print(f"figure softfoot.fast_speed.talos = {json.dumps(together)}")
    print(f"figure softfoot.fast_speed.rounds = {rounds}")


def _over(own: np.ndarray, other: np.ndarray) -> list[float]:
    """Ratio of costs (standing and stepping, rounds) together, with its 95 % interval by bootstrap over rounds."""
    picks = np.random.default_rng(0).integers(own.shape[1], size=(2000, own.shape[1]))
    drawn = (np.median(costs[:, picks], axis=2).sum(axis=0) for costs in (own, other))
    low, high = np.quantile(np.divide(*drawn), (0.025, 0.975))
    ratio = np.median(own, axis=1).sum() / np.median(other, axis=1).sum()
    return [float(ratio), float(low), float(high)]


def main() -> None:
    """Run both studies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("menagerie", type=Path, help="folder with iit_softfoot and pal_talos")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--only", choices=("press", "robot"))
    args = parser.parse_args()
    if args.only != "robot":
        press_speed(args.menagerie / "iit_softfoot" / "softfoot.xml", args.rounds)
    if args.only != "press":
        robot_cost(args.menagerie, args.rounds)


if __name__ == "__main__":
    main()
