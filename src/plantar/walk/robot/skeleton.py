"""A robot reduced to its masses and joints: no geoms, no meshes, nothing that touches."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from plantar.walk.robot.lock import moved_pose

_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)


def skeleton(source: mujoco.MjModel, rigid: Mapping[str, float], sites: Mapping[str, np.ndarray]) -> mujoco.MjModel:
    """A model with the same bodies and joints as `source`, but for joints that are held rigid.

    Args:
        source: The robot.
        rigid: Joints to leave out, with the values they are held at [rad, m].
        sites: Sites to keep, and how far to move them along their own axes (3,) [m].

    Returns:
        The model; bodies that have become rigid parts of others are merged with them.
    """
    spec = mujoco.MjSpec()
    spec.compiler.degree, spec.compiler.fusestatic = False, True
    spec.compiler.autolimits = False
    spec.option.gravity = source.opt.gravity
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    wanted: dict[int, list[str]] = {}
    for name in sites:
        wanted.setdefault(int(source.site(name).bodyid[0]), []).append(name)
    bodies = {0: spec.worldbody}
    for b in range(1, source.nbody):
        body = bodies[int(source.body_parentid[b])].add_body(name=source.body(b).name or f"body{b}")
        bodies[b] = body
        body.pos, body.quat = _pose(source, b, rigid)
        _add_mass(body, source, b)
        for j in range(source.body_jntadr[b], source.body_jntadr[b] + source.body_jntnum[b]):
            if source.joint(j).name not in rigid:
                _add_joint(body, source, j)
        for name in wanted.get(b, ()):
            site, moved = source.site(name), np.zeros(3)
            mujoco.mju_rotVecQuat(moved, sites[name], site.quat)
            body.add_site(name=name, pos=site.pos + moved, quat=site.quat)
    return spec.compile()


def _pose(source: mujoco.MjModel, b: int, rigid: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    position, quat = source.body_pos[b].copy(), source.body_quat[b].copy()
    for j in range(source.body_jntadr[b], source.body_jntadr[b] + source.body_jntnum[b]):
        name = source.joint(j).name
        if name in rigid:
            value = rigid[name] - float(source.qpos0[source.jnt_qposadr[j]])
            slide = int(source.jnt_type[j]) == _SLIDE
            position, quat = moved_pose(position, quat, source.jnt_pos[j], source.jnt_axis[j], value, slide)
    return position, quat


def _add_mass(body: mujoco.MjsBody, source: mujoco.MjModel, b: int) -> None:
    if source.body_mass[b] <= 0:
        return
    body.explicitinertial = True
    body.mass = float(source.body_mass[b])
    body.ipos, body.iquat, body.inertia = source.body_ipos[b], source.body_iquat[b], source.body_inertia[b]


def _add_joint(body: mujoco.MjsBody, source: mujoco.MjModel, j: int) -> None:
    if source.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
        body.add_freejoint(name=source.joint(j).name)
        return
    v = source.jnt_dofadr[j]
    body.add_joint(
        name=source.joint(j).name,
        type=mujoco.mjtJoint(int(source.jnt_type[j])),
        pos=source.jnt_pos[j],
        axis=source.jnt_axis[j],
        limited=int(source.jnt_limited[j]),
        range=source.jnt_range[j],
        armature=float(source.dof_armature[v]),
        frictionloss=float(source.dof_frictionloss[v]),
        damping=[float(source.dof_damping[v]), 0, 0],
        stiffness=[float(source.jnt_stiffness[j]), *source.jnt_stiffnesspoly[j]],
        springref=float(source.qpos_spring[source.jnt_qposadr[j]]),
        ref=float(source.qpos0[source.jnt_qposadr[j]]),
    )
