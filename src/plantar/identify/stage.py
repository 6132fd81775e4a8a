"""A robot in a posture above a plane: place it at a height and read its contacts."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from plantar.errors import InvalidInput
from plantar.ground.contact.floor import add_ground, check_carries, masks_for
from plantar.ground.contact.ground import Ground
from plantar.ground.contact.reading import Contacts, read_contacts
from plantar.ground.laws.law import root_between
from plantar.identify.extent import rectangle, top_of
from plantar.identify.sources import load_spec
from plantar.model.feet import find_feet, foot_geoms
from plantar.model.tree import below
from plantar.robots import Robot
from plantar.robots.ground import open_pairs

AnyRobot = str | Path | mujoco.MjSpec | mujoco.MjModel | Robot
"""A robot by its name, its file, its spec or model, or as `plantar.robots` loads and mounts it."""
Posture = str | Sequence[float] | np.ndarray | None
GROUND = "plantar_ground"
"""Name of the plane that is added to robots without one."""


class Stage:
    """A robot in a fixed posture over level ground.

    Args:
        robot: Built-in name, path, spec, model or `plantar.robots.Robot`; it is copied. A model must have a plane.
        feet: Names of the feet's bodies or geoms, or None to find them; nothing else touches the ground.
        posture: Keyframe by name, or qpos; None takes that of a `Robot`, `stand` or `home`, else the reference pose.

    Attributes:
        model: Compiled model.
        data: Its data, in the posture.
        spec: Editable scene, or None for a model.
        feet: Bodies of the feet.
        weight: Weight of the robot [N].
    """

    def __init__(self, robot: AnyRobot, feet: Sequence[str] | None, posture: Posture):
        self.name = name_of(robot)
        if isinstance(robot, Robot):
            feet = [place.body for place in robot.places] if feet is None else feet
            posture = robot.keyframe if posture is None else posture
        self.spec: Any = None
        self.model: Any = None
        if isinstance(robot, mujoco.MjModel):
            self.model = copy.copy(robot)
            _refuse_pairs(self.model, self.name)
        else:
            self.spec = load_spec(robot)
            open_pairs(self.spec)  # their parameters would override the ground's
            _add_plane(self.spec)
            self.model = _compile(self.spec, self.name)
        self.ground = _plane_of(self.model, self.name)
        self.feet = find_feet(self.model, feet, self.name)
        self.geoms = sorted({g for foot in self.feet for g in foot_geoms(self.model, foot)})
        if not self.geoms:
            raise InvalidInput(f"feet of {self.name!r} have no geom that collides: name others as feet")
        feet_of = {self.model.body(foot).name: [foot, *below(self.model, foot)] for foot in self.feet}
        check_carries(self.model, self.name, feet_of, [self.ground])
        self._only_feet_touch()
        self.root, joint = _base(self.model, self.feet, self.name)
        self.free_base = self.model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        skip = 2 if self.free_base else 0
        self.height_address = int(self.model.jnt_qposadr[joint]) + skip
        self.vertical_dof = int(self.model.jnt_dofadr[joint]) + skip
        self.data = mujoco.MjData(self.model)
        self.posture = _posture(self.model, posture, self.name)
        gravity = self.model.opt.gravity
        upright = gravity[2] < 0 and math.hypot(gravity[0], gravity[1]) <= 1e-9 * abs(gravity[2])
        if not upright:
            raise InvalidInput(f"gravity = {gravity.tolist()} is not allowed: identification needs it along -z")
        self.gravity = float(abs(gravity[2]))
        self.weight = float(self.model.body_subtreemass[self.root] * self.gravity)

    @property
    def single_body(self) -> bool:
        """Whether it is one free body; on equal contacts, eqs. 29-30 hold."""
        return self.model.nv == 6 and self.model.nbody == 2

    @property
    def soft_feet(self) -> bool:
        """Whether a foot has internal joints."""
        return any(self.model.body_dofnum[b] > 0 for foot in self.feet for b in below(self.model, foot))

    def use(self, ground: Ground) -> None:
        """Give the plane these parameters."""
        ground.apply_to_model(self.model, self.ground)

    def place(self, height: float) -> Contacts:
        """Put the base at `height` [m], at rest, and read what the contacts carry with zero acceleration."""
        self.data.qpos[:] = self.posture
        self.data.qpos[self.height_address] = height
        self.data.qvel[:] = 0
        self.data.qacc[:] = 0
        mujoco.mj_inverse(self.model, self.data)
        return read_contacts(self.model, self.data, self.ground, self.geoms)

    def settle(self, qpos: np.ndarray) -> None:
        """Take the joints within the feet from `qpos`; the posture of the rest stays as commanded."""
        inside = {b for foot in self.feet for b in below(self.model, foot)}
        for j in range(self.model.njnt):
            if int(self.model.jnt_bodyid[j]) in inside:
                start = int(self.model.jnt_qposadr[j])
                wide = {int(mujoco.mjtJoint.mjJNT_BALL): 4}.get(int(self.model.jnt_type[j]), 1)
                self.posture[start : start + wide] = qpos[start : start + wide]

    def touch_height(self) -> float:
        """Height of the base at which the lowest foot just touches [m]."""
        self.data.qpos[:] = self.posture
        mujoco.mj_kinematics(self.model, self.data)
        lowest = float(self.data.geom_xpos[self.geoms, 2].min())
        height = float(self.posture[self.height_address]) - lowest + self._plane_height()
        for _ in range(3):  # from a geom's middle upwards; again, as another geom may reach lower
            depth = self.place(height).depth
            if len(depth) == 0 or depth.max() < 1e-12:
                break
            height += float(depth.max())
        return height

    def foot_height(self) -> float:
        """From the sole to the top of the feet or to the joint above, whichever is higher [m]."""
        self.place(self.touch_height())
        tops = [top_of(self.model, self.data, foot) for foot in self.feet]
        return max(tops) - self._plane_height()

    def sole(self) -> tuple[float, float, float]:
        """Length, width and area of the rectangles around what touches, summed over the feet [m, m, m^2].

        Length and width are those of the first foot.
        """
        sides = [rectangle(self.model, self.data, foot_geoms(self.model, foot)) for foot in self.feet]
        return *sides[0], sum(a * b for a, b in sides)

    def vertical_force(self, height: float) -> float:
        """Force that the ground gives at `height`, by inverse dynamics of the base [N]."""
        self.place(height)
        return self.weight - float(self.data.qfrc_inverse[self.vertical_dof])

    def height_for(self, force: float) -> float:
        """Height at which the ground gives `force`, the posture held level [m]."""
        high = self.touch_height()
        low = high - 1e-4
        while self.vertical_force(low) < force:
            low = high - 2 * (high - low)
            if high - low > 1.0:
                raise InvalidInput(f"the ground does not carry {force:g} N within 1 m: give stiffer parameters")
        return root_between(lambda h: self.vertical_force(h) - force, low, high)

    def _plane_height(self) -> float:
        return float(self.model.geom_pos[self.ground, 2])

    def _only_feet_touch(self) -> None:
        model, keep = self.model, {self.ground, *self.geoms}
        for g in set(range(model.ngeom)) - keep:
            model.geom_contype[g] = model.geom_conaffinity[g] = 0
        for b in range(model.nbody):
            mine = [g for g in keep if model.geom_bodyid[g] == b]
            model.body_contype[b] = int(np.bitwise_or.reduce(model.geom_contype[mine])) if mine else 0
            model.body_conaffinity[b] = int(np.bitwise_or.reduce(model.geom_conaffinity[mine])) if mine else 0


def _add_plane(spec: mujoco.MjSpec) -> None:
    """Add a plane to a robot without one; an existing one touches what the robot allows."""
    plane, masks = mujoco.mjtGeom.mjGEOM_PLANE, masks_for(spec)
    brought = [g for g in spec.worldbody.geoms if g.type == plane]
    if not brought:
        add_ground(spec, GROUND, plane, size=[0, 0, 1])
    for geom in brought:
        geom.contype, geom.conaffinity = geom.contype | masks.contype, geom.conaffinity | masks.conaffinity


def _compile(spec: mujoco.MjSpec, name: str) -> mujoco.MjModel:
    try:
        return spec.compile()
    except ValueError as error:
        raise InvalidInput(f"robot {name!r} cannot be compiled by MuJoCo: {error}") from error


def _refuse_pairs(model: mujoco.MjModel, name: str) -> None:
    if any(model.geom_bodyid[g] == 0 for g in (*model.pair_geom1, *model.pair_geom2)):
        raise InvalidInput(
            f"model {name!r} touches its plane by contact pairs, which override the ground: give the MjSpec or the file"
        )


def _plane_of(model: mujoco.MjModel, name: str) -> int:
    for g in range(model.ngeom):
        if model.geom_bodyid[g] == 0 and model.geom_type[g] == mujoco.mjtGeom.mjGEOM_PLANE:
            level = abs(model.geom_quat[g][1]) + abs(model.geom_quat[g][2]) < 1e-9
            if not level:
                raise InvalidInput(f"plane {model.geom(g).name!r} of {name!r} is tilted: give level ground")
            return g
    raise InvalidInput(f"model {name!r} has no plane to stand on: give the MjSpec or the file, and a plane is added")


def _base(model: mujoco.MjModel, feet: Sequence[int], name: str) -> tuple[int, int]:
    """Root body and its free or vertically sliding joint."""
    roots = {int(model.body_rootid[foot]) for foot in feet}
    if len(roots) != 1:
        raise InvalidInput(f"feet of {name!r} belong to {len(roots)} bases: give feet of one robot")
    root = roots.pop()
    for j in range(model.njnt):
        vertical = model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE and model.jnt_axis[j][2] > 1 - 1e-9
        if model.jnt_bodyid[j] == root and (vertical or model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE):
            return root, j
    raise InvalidInput(f"robot {name!r} is fixed to the world: its base needs a free joint or a slide along z")


def _posture(model: mujoco.MjModel, posture: Posture, name: str) -> np.ndarray:
    keys = [model.key(i).name for i in range(model.nkey)]
    if posture is None:
        posture = next((key for key in ("stand", "home") if key in keys), None)
        return model.qpos0.copy() if posture is None else model.key(posture).qpos.copy()
    if isinstance(posture, str):
        if posture not in keys:
            raise InvalidInput(f"keyframe {posture!r} is not in {name!r}: it has {', '.join(keys) or 'none'}")
        return model.key(posture).qpos.copy()
    qpos = np.asarray(posture, dtype=float)
    if qpos.shape != (model.nq,) or not np.isfinite(qpos).all():
        raise InvalidInput(f"posture of shape {qpos.shape} is not allowed: give {model.nq} finite numbers")
    return qpos.copy()


def name_of(robot: AnyRobot) -> str:
    """Name of a robot."""
    if isinstance(robot, Robot):
        return robot.name
    if isinstance(robot, str | Path):
        return Path(robot).stem
    return getattr(robot, "modelname", "") or "robot"
