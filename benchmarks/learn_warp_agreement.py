"""MuJoCo Warp against MuJoCo's own engine: force, centre of pressure and pose of soft feet over random contacts.

A robot on soft feet stands, falls and steps about in mjlab's task under random actions. Now and then the state of
every world is taken over into plain MuJoCo, with the stiffness, friction and tendons that the world has drawn, and both
engines compute one step from it. Compared are, for feet that carry a tenth of the weight or more, the force of the
ground (as a share of it), where it acts (as a share of the sole's length), and the angles of the feet's joints after
the step [rad]. A walk is a world between two resets. Feet that differ by more than 1 % are listed with the contacts and
solver iterations of both engines.

Over bars and rough ground the engines find other contacts for boxes: between two boxes Warp takes a face's normal and
all corners of the face where MuJoCo may take another face or an edge, and of a part on a height field it keeps fewer.

    python benchmarks/learn_warp_agreement.py unitree_g1 --worlds 16 --walks 100
    python benchmarks/learn_warp_agreement.py quadruped --foot softfoot_q:fast --worlds 16 --walks 100
    python benchmarks/learn_warp_agreement.py quadruped --foot softfoot_q:fast --task bars --worlds 16 --walks 100
"""
# the extra `learn` need not be installed where types are checked
# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import json
from typing import Any

import mujoco
import numpy as np
import torch

from plantar.learn import TaskConfig
from plantar.learn.entity import prepared
from plantar.learn.subject import Subject
from plantar.learn.worlds import Worlds, device_of


class Feet:
    """The feet of the robot in the scene of the task."""

    def __init__(self, subject: Subject, model: mujoco.MjModel):
        self.model, self.length = model, subject.foot.sole.length if subject.foot else 0.2
        self.bodies = [_below(model, model.body(f"robot/{name}").id) for name in subject.bodies]
        springs = [model.joint(f"robot/{name}") for name in subject.passive]
        self.angles = np.array([int(joint.qposadr[0]) for joint in springs])

    def loads(self, geoms: np.ndarray, forces: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Force on each foot (feet, 3) and where its vertical part acts (feet, 3)."""
        owner = self.model.geom_bodyid[geoms]
        force, point = np.zeros((len(self.bodies), 3)), np.zeros((len(self.bodies), 3))
        for i, bodies in enumerate(self.bodies):
            sign = np.isin(owner[:, 1], bodies).astype(float) - np.isin(owner[:, 0], bodies)
            force[i] = (sign[:, None] * forces).sum(axis=0)
            up = np.abs(sign) * np.abs(forces[:, 2])
            point[i] = (up[:, None] * points).sum(axis=0) / max(up.sum(), 1e-9)
        return force, point


def _below(model: mujoco.MjModel, body: int) -> list[int]:
    found = [body]
    for b in range(body + 1, model.nbody):
        if int(model.body_parentid[b]) in found:
            found.append(b)
    return found


def of_mujoco(feet: Feet, model: mujoco.MjModel, data: mujoco.MjData) -> tuple[np.ndarray, np.ndarray]:
    wrench, rows = np.zeros(6), []
    for i, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, i, wrench)
        rows.append((contact.geom.copy(), contact.frame.reshape(3, 3).T @ wrench[:3], contact.pos.copy()))
    if not rows:
        return np.zeros((len(feet.bodies), 3)), np.zeros((len(feet.bodies), 3))
    geoms, forces, points = (np.array([row[k] for row in rows]) for k in range(3))
    return feet.loads(geoms, forces, points)


def of_warp(feet: Feet, data: Any, world: int) -> tuple[np.ndarray, np.ndarray]:
    """Forces from the constraint rows of pyramidal cones, as MuJoCo decodes them."""
    count = int(data.nacon.numpy()[0])
    mine = np.flatnonzero(data.contact.worldid.numpy()[:count] == world)
    rows, force = data.contact.efc_address.numpy()[mine], data.efc.force.numpy()[world]
    frames, friction = data.contact.frame.numpy()[mine], data.contact.friction.numpy()[mine]
    dims, total = data.contact.dim.numpy()[mine], []
    for at, frame, mu, dim in zip(rows, frames, friction, dims, strict=True):
        if at[0] < 0:
            total.append(np.zeros(3))
            continue
        pyramid = force[at[: 1 if dim == 1 else 2 * (dim - 1)]]
        local = np.array([pyramid.sum(), 0.0, 0.0])
        if dim >= 3:
            local[1:] = [(pyramid[2 * k] - pyramid[2 * k + 1]) * mu[k] for k in range(2)]
        total.append(frame.reshape(3, 3).T @ local)
    points = data.contact.pos.numpy()[mine]
    geoms = data.contact.geom.numpy()[mine]
    if not len(mine):
        return np.zeros((len(feet.bodies), 3)), np.zeros((len(feet.bodies), 3))
    return feet.loads(geoms, np.array(total), points)


def take_over(part: Any, world: int, model: mujoco.MjModel) -> None:
    """Give plain MuJoCo's model what a world has drawn, and what follows from it."""
    for name in part.sim.expanded_fields:
        if hasattr(model, name):
            values = getattr(part.sim.wp_model, name).numpy()
            getattr(model, name)[:] = values[world % len(values)].reshape(getattr(model, name).shape)


def compare(worlds: Worlds, subject: Subject, feet: Feet, model: mujoco.MjModel) -> list[dict[str, float]]:
    """One step of every world in both engines, from the same state."""
    part = worlds.parts[0]
    before = {
        name: getattr(part.sim.wp_data, name).numpy().copy() for name in ("qpos", "qvel", "ctrl", "qacc_warmstart")
    }
    part.sim.step()
    found, weight, warped = [], subject.mass * 9.81, part.sim.wp_data
    touching = np.bincount(warped.contact.worldid.numpy()[: int(warped.nacon.numpy()[0])], minlength=worlds.num_envs)
    taken = warped.solver_niter.numpy()
    for world in range(worlds.num_envs):
        take_over(part, world, model)
        data = mujoco.MjData(model)
        for name, values in before.items():
            getattr(data, name)[:] = values[world]
        mujoco.mj_step(model, data)
        plain, warp = of_mujoco(feet, model, data), of_warp(feet, part.sim.wp_data, world)
        after = part.sim.wp_data.qpos.numpy()[world]
        pose = np.abs(after[feet.angles] - data.qpos[feet.angles]).max()
        for k in range(len(feet.bodies)):
            size = max(float(np.linalg.norm(plain[0][k])), 0.1 * weight)
            row = {"force": float(np.linalg.norm(warp[0][k] - plain[0][k])) / size, "pose": float(pose), "world": world}
            row |= {"contacts": data.ncon, "contacts_warp": int(touching[world])}
            row |= {"iterations": int(data.solver_niter[0]), "iterations_warp": int(taken[world])}
            if plain[0][k][2] > 0.1 * weight:
                carried = warp[0][k][2] > 0  # where nothing is carried, it acts nowhere
                off = float(np.linalg.norm((warp[1][k] - plain[1][k])[:2])) / feet.length
                row["point"] = off if carried else float("nan")
                found.append(row)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default="unitree_g1")
    parser.add_argument("--foot", default="softfoot:fast")
    parser.add_argument("--task", default="flat")
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--walks", type=int, default=100, help="walks with a loaded foot to compare, at least")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    device = device_of("auto")
    torch.manual_seed(args.seed)
    subject = prepared(args.robot, args.foot)
    worlds = Worlds([subject], TaskConfig(terrain=args.task), args.worlds, device, args.seed, threads=0)
    model = worlds.parts[0].sim.mj_model
    feet, rows, walks = Feet(subject, model), [], set()
    begun = np.zeros(args.worlds, int)
    while len(walks) < args.walks:
        with torch.inference_mode():
            for _ in range(3):
                actions = 0.5 * torch.randn(worlds.num_envs, worlds.num_actions, device=device)
                begun += worlds.step(actions)[2].cpu().numpy()
        found = compare(worlds, subject, feet, model)
        walks.update((row["world"], begun[int(row["world"])]) for row in found)
        rows += found
    for what in ("force", "point", "pose"):
        values = np.array([row[what] for row in rows])
        within = float((values < 0.01).mean())
        values = values[np.isfinite(values)]
        shares = {f"p{p}": float(np.percentile(values, p)) for p in (50, 95, 99, 100)}
        ground = "" if args.task == "flat" else f"_{args.task}"
        line = {"walks": len(walks), "feet": len(rows), "mean": float(values.mean()), **shares, "within_1": within}
        print(f"figure learn.agreement.{args.robot}{ground}.{what} = {json.dumps(line)}", flush=True)
    for row in rows:
        if not max(row["force"], row["point"]) <= 0.01:
            print(json.dumps({"beyond_1": row}))


if __name__ == "__main__":
    main()
