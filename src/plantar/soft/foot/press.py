"""The press curve of a solid foot: by finite elements, and in MuJoCo."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import mujoco
import numpy as np
from mujoco.batch import Batch
from scipy.interpolate import PchipInterpolator

from plantar._checks import require
from plantar.feet.contact import set_contact
from plantar.feet.slider import PREFIX, Slider, add_floor
from plantar.settle import settle
from plantar.soft.fem.material import Corotational
from plantar.soft.foot.condense import condense
from plantar.soft.foot.flex import RADIUS
from plantar.soft.foot.shape import SolidShape, solid_shape
from plantar.soft.mesh.mesh import Floats
from plantar.soft.scene.body import SoftBody
from plantar.soft.scene.contact import Contact
from plantar.soft.scene.obstacle import Box, Capsule, Obstacle, Plane
from plantar.soft.scene.scene import Scene

if TYPE_CHECKING:
    from plantar.soft.foot.solid import SolidFoot

Ground = Literal["flat", "rod", "edge", "tilted"]
GROUNDS: tuple[Ground, ...] = ("flat", "rod", "edge", "tilted")
ROD = 0.010
"""Radius of the rod that lies across under the middle of the sole, its axis in the floor [m]."""
TILT = math.radians(2)
"""Pitch of the floor on which a foot stands `tilted`, rising to the front [rad]."""
LOADS = (50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0, 450.0, 500.0)
"""Loads of a press curve [N]."""
HOLD = 0.06
"""Time for which the MuJoCo foot holds each load [s]."""


@dataclass(frozen=True, eq=False)
class PressCurve:
    """How far the ankle comes down under each load."""

    loads: Floats
    """Vertical forces on the ankle [N]."""
    depth: Floats
    """Displacement of the ankle from the first touch [m]."""
    seconds: float
    """Wall time it took [s]."""
    steps: int
    """Equilibria or time steps computed."""


def fe_body(foot: SolidFoot, shape: SolidShape | None = None) -> SoftBody:
    """The foot as a body of finite elements whose mount is held."""
    shape = solid_shape(foot) if shape is None else shape
    return SoftBody(
        name="foot",
        mesh=shape.mesh,
        material=Corotational(young=foot.young, poisson=foot.poisson),
        density=foot.density,
        fixed="mount",
        rayleigh=(0.0, foot.loss_time),
        check=False,
    )


def fe_scene(foot: SolidFoot, ground: Ground = "flat", *, mode: Literal["static", "dynamic"] = "static") -> Scene:
    """The foot by finite elements over the ground that it just touches, without weight."""
    contacts = [
        Contact(name=f"ground{i}", body="foot", points="sole", against=obstacle, friction=foot.friction, margin=0.002)
        for i, obstacle in enumerate(_obstacles(foot, ground))
    ]
    scene = Scene([fe_body(foot)], contacts=contacts, gravity=(0, 0, 0), mode=mode, dt=0.002)
    # a hundred-millionth of the gap is beyond what a press curve shows, and several times faster than the default
    scene.contact_tolerance, scene.contact_rounds = 1e-8, 500
    return scene


def press_fe(
    foot: SolidFoot,
    loads: Sequence[float] = LOADS,
    ground: Ground = "flat",
    progress: Callable[[int], object] | None = None,
) -> PressCurve:
    """Press the finite-element foot down step by step, an equilibrium each, until it bears the largest load."""
    _check_loads(loads)
    scene = fe_scene(foot, ground)
    forces, depths = [0.0], [0.0]
    guess = loads[-1] / stiffness_guess(foot) / len(loads)
    start = time.perf_counter()
    while forces[-1] < loads[-1]:
        require(len(forces) < 200, "loads", loads[-1], "a load that the sole can bear")
        scene.move("foot", (0, 0, -guess))
        scene.step()
        depths.append(depths[-1] + guess)
        forces.append(sum(touch.force[2] for touch in scene.touches))
        if progress:
            progress(1)
        # steps of equal force: the length of the next follows from the last slope
        slope = (forces[-1] - forces[-2]) / guess
        guess = min(2 * guess, loads[-1] / len(loads) / slope) if slope > 0 else guess
    took = time.perf_counter() - start
    rising = np.concatenate([[True], np.diff(forces) > 0])
    curve = PchipInterpolator(np.array(forces)[rising], np.array(depths)[rising])
    return PressCurve(np.asarray(loads, dtype=float), curve(loads), took, len(forces) - 1)


def press_mujoco(foot: SolidFoot, loads: Sequence[float] = LOADS, ground: Ground = "flat") -> PressCurve:
    """Press the MuJoCo foot: a slider loads its ankle, each load held until it rests."""
    _check_loads(loads)
    model = mujoco_rig(foot, ground).compile()
    batch = Batch(model, nsim=1, nthread=1)
    tick = HOLD / 30
    depth, before = [], 0.0
    start = time.perf_counter()
    for load in loads:

        def grow(passed: float, low: float = before, high: float = load) -> bool:
            share = min(1.0, 2 * (passed + tick) / HOLD)
            batch.bind("ctrl")[0, 0] = low + (high - low) * share
            return share < 1

        settle(batch, HOLD, drive=grow, tick=tick)
        depth.append(-float(batch.bind("qpos")[0, model.joint("slider").qposadr[0]]))
        before = load
    took = time.perf_counter() - start
    steps = round(HOLD / model.opt.timestep) * len(loads)
    return PressCurve(np.asarray(loads, dtype=float), np.array(depth), took, steps)


def mujoco_rig(foot: SolidFoot, ground: Ground = "flat", *, timestep: float = 0.002) -> mujoco.MjSpec:
    """The foot on a vertical slider over the ground that it just touches; the control is the load [N]."""
    skin = RADIUS if foot.form == "flex" else 0.0
    spec = Slider(height=foot.sole_height + skin, timestep=timestep, gravity=0.0).spec(foot)
    for obstacle in _obstacles(foot, ground):
        if isinstance(obstacle, Capsule):
            line = [*np.add(obstacle.start, (0, 0, foot.sole_height)), *np.add(obstacle.end, (0, 0, foot.sole_height))]
            kind, size = mujoco.mjtGeom.mjGEOM_CAPSULE, [obstacle.radius, 0, 0]
            spec.worldbody.add_geom(name="rod", type=kind, fromto=line, size=size, rgba=[0.95, 0.62, 0.18, 1])
        elif isinstance(obstacle, Box):
            place = np.add(obstacle.centre, (0, 0, foot.sole_height)).tolist()
            half = (np.array(obstacle.size) / 2).tolist()
            kind = mujoco.mjtGeom.mjGEOM_BOX
            spec.worldbody.add_geom(name="step", type=kind, pos=place, size=half, rgba=[0.95, 0.62, 0.18, 1])
        elif isinstance(obstacle, Plane):
            pitch = math.atan2(obstacle.normal[0], obstacle.normal[2])
            quat = [math.cos(pitch / 2), 0, math.sin(pitch / 2), 0]
            add_floor(spec, pos=np.add(obstacle.point, (0, 0, foot.sole_height)).tolist(), quat=quat)
    set_contact(spec, foot, PREFIX)
    return spec


def _check_loads(loads: Sequence[float]) -> None:
    """Raise `InvalidInput` unless loads rise from above 0: the last one ends the press."""
    steps = np.diff([0.0, *loads])
    require(len(steps) > 0 and bool((steps > 0).all()), "loads", list(loads), "forces above 0 that rise, in N")


def stiffness_guess(foot: SolidFoot) -> float:
    """Stiffness of the sole when all pads come down alike [N/m]."""
    return float(condense(foot).K[2::3, 2::3].sum())


def _obstacles(foot: SolidFoot, ground: Ground) -> list[Obstacle]:
    """What the foot just touches, in the ankle's frame."""
    sole = solid_shape(foot).mesh
    low = sole.nodes[sole.region("sole")]
    if ground == "rod":
        middle, width = float(low[:, 0].mean()), 0.2
        z = float(low[:, 2].min()) - ROD
        return [Capsule(start=(middle, -width, z), end=(middle, width, z), radius=ROD)]
    if ground == "edge":
        # a step whose edge runs across under the middle, its top under the front half
        middle, top, size = float(low[:, 0].mean()), float(low[:, 2].min()), (0.3, 0.4, 0.1)
        return [Box(centre=(middle + size[0] / 2, 0.0, top - size[2] / 2), size=size)]
    if ground == "tilted":
        normal = np.array([-math.sin(TILT), 0.0, math.cos(TILT)])
        first = low[(low @ normal).argmin()]
        return [Plane(point=tuple(first.tolist()), normal=tuple(normal.tolist()))]
    return [Plane(point=(0, 0, float(low[:, 2].min())), normal=(0, 0, 1))]
