"""Small scenes that the tests of feet share."""

from __future__ import annotations

import math

import mujoco

from plantar.feet import BallFoot, FlatFoot, Foot, SoftFoot, SoftFootQ, set_contact

GRAVITY = 9.81
PREFIX = "foot/"

VARIETY: dict[str, Foot] = {
    "default": SoftFoot(),
    "tendon bands": SoftFoot(band_model="tendon"),
    "published": SoftFoot.published(),
    "one chain": SoftFoot(chains=1, collider="capsule", side="right"),
    "hinge": SoftFoot(chains=2, coupling="hinge"),
    "flat": FlatFoot(),
    "flat capsules": FlatFoot(collider="capsule", ankle_offset=(-0.03, 0.01)),
    "ball": BallFoot(),
    "softfoot_q": SoftFootQ(fidelity="hinge"),
    "softfoot_q fast": SoftFootQ(fidelity="fast"),
}
"""Feet of every kind."""


def new_spec(friction: float = 1.0) -> mujoco.MjSpec:
    """An empty spec with the options that the tests use."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.default.geom.friction = [friction, 0.005, 0.0001]
    return spec


def add_floor(spec: mujoco.MjSpec, pitch: float = 0.0) -> None:
    """A plane through the origin, its front lower by `pitch` [rad]."""
    quat = [math.cos(pitch / 2), 0, math.sin(pitch / 2), 0]
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 0.1], quat=quat)


def add_box(
    spec: mujoco.MjSpec,
    centre: tuple[float, float, float],
    half: tuple[float, float, float],
    *,
    slippery: bool = False,
) -> None:
    """A box fixed in the world, as a body of its own."""
    body = spec.worldbody.add_body(name=f"box{len(spec.bodies)}", pos=list(centre))
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=list(half), condim=1 if slippery else 3)


def add_slider(
    spec: mujoco.MjSpec,
    foot: Foot,
    height: float,
    pitch: float = 0.0,
    prefix: str = PREFIX,
    *,
    slippery: bool = False,
) -> None:
    """The foot under a vertical slider, its ankle at `height`, its front lower by `pitch`; its contact made right."""
    slider = spec.worldbody.add_body(name=f"{prefix}slider", pos=[0, 0, height])
    slider.add_joint(name=f"{prefix}slider", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, -1], damping=[100, 0, 0])
    quat = [math.cos(pitch / 2), 0, math.sin(pitch / 2), 0]
    child = foot.spec(sensors=True)
    for geom in child.geoms if slippery else ():
        geom.condim = 1
    spec.attach(child, frame=slider.add_frame(quat=quat), prefix=prefix)
    set_contact(spec, foot, prefix)


def settle(model: mujoco.MjModel, load: float = 0.0, seconds: float = 2.0) -> mujoco.MjData:
    """Run until the foot is at rest under `load` [N] on its slider, and check that it is."""
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = load
    # links with play come to rest slowly: give them ten times as long
    while data.time < seconds or (data.time < 10 * seconds and abs(data.qvel).max() >= 1e-3):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    assert abs(data.qvel).max() < 1e-3
    assert warnings(data) == 0
    return data


def warnings(data: mujoco.MjData) -> int:
    """How many warnings MuJoCo raised."""
    return sum(int(w.number) for w in data.warning)


def weight(model: mujoco.MjModel, prefix: str = PREFIX) -> float:
    """Weight of the foot [N]."""
    return float(model.body(f"{prefix}ankle").subtreemass[0]) * GRAVITY
