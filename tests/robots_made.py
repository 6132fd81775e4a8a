"""Robots made for tests: legs, feet and files of many kinds, in MJCF."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np

from plantar.robots import Robot

FEET = ("box", "spheres", "capsules", "cylinder", "mesh", "toes", "fixed", "shank", "shank_mesh")
"""Kinds of feet: on an ankle, with a toe joint, as a body without joint, at the end of the shank."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a made robot is like."""

    legs: int = 2
    foot: str = "box"
    ankle: str = "pitch roll"
    """Joints of the ankle, in order from the shank."""
    keyframes: bool = True
    forward: str = "+x"
    """Where it looks in its reference posture: +x, -x, +y or -y."""
    masks: tuple[int, int] = (1, 1)
    actuators: str = "motor"
    degrees: bool = False
    main_default: str = ""
    """Content of the top default class."""
    compiler: str = ""
    extra: str = ""
    """Other sections of the file."""
    named: bool = True
    """Whether joints have names."""
    order: str = "left first"
    base_height: float = 1.0
    arms: bool = True
    spread: float = 0.12
    """Half the distance between the feet [m]."""

    def but(self, **changes: object) -> Made:
        """Another one."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def places(self) -> list[tuple[str, float, float]]:
        """Name, x and y of the hips."""
        rows = [("left", 0.0, self.spread), ("right", 0.0, -self.spread)]
        if self.legs == 4:
            rows = [(f"{side}_{end}", x, y) for end, x in (("front", 0.3), ("hind", -0.3)) for side, _, y in rows]
        if self.legs == 1:
            rows = [("left", 0.0, 0.0)]
        return rows if self.order == "left first" else rows[::-1]

    @property
    def feet(self) -> set[str]:
        """Links that carry the feet."""
        last = {"shank": "shank", "shank_mesh": "shank", "fixed": "pad"}
        return {f"{name}_{last.get(self.foot, 'foot')}" for name, _, _ in self.places}


def xml(made: Made) -> str:
    """The file of a made robot."""
    legs = "\n".join(_leg(made, name, x, y) for name, x, y in made.places)
    yaw = {"+x": 0, "-x": 180, "+y": 90, "-y": -90}[made.forward]
    half = np.radians(yaw) / 2
    unit = "degree" if made.degrees else "radian"
    arms = "".join(_arm(made, side, y) for side, y in (("left", 0.25), ("right", -0.25))) if made.arms else ""
    mesh = _mesh_asset() if "mesh" in made.foot else ""
    return f"""<mujoco model="made">
  <compiler angle="{unit}" autolimits="true" {made.compiler}/>
  <default>{made.main_default}
    <default class="robot">
      <geom contype="{made.masks[0]}" conaffinity="{made.masks[1]}"/>
      <joint damping="1" armature="0.02"/>
      <default class="look"><geom contype="0" conaffinity="0" group="2" mass="0"/></default>
      <default class="touch"><geom group="3"/>
        <default class="sole"><geom condim="4" priority="1" friction="0.7"/></default>
      </default>
    </default>
  </default>
  {mesh}
  <worldbody>
    <light pos="0 0 3"/>
    <body name="trunk" pos="0 0 {made.base_height}" quat="{np.cos(half)} 0 0 {np.sin(half)}" childclass="robot">
      <freejoint {'name="root"' if made.named else ""}/>
      <geom name="chest" type="box" size="0.1 0.12 0.1" pos="0 0 0.15" mass="20"/>
      <site name="imu"/>
      {legs}
      {arms}
    </body>
  </worldbody>
  {_actuators(made)}
  <sensor><accelerometer name="acceleration" site="imu"/>{_foot_sensors(made)}</sensor>
  {made.extra}
  {_keyframes(made)}
</mujoco>
"""


def spec(made: Made) -> mujoco.MjSpec:
    """The spec of a made robot."""
    return mujoco.MjSpec.from_string(xml(made))


UNTOUCHED = Made(
    masks=(0, 0),
    keyframes=False,
    main_default='<geom contype="0" conaffinity="0" condim="1" margin="0.002" gap="0.002" solref="0.005 1" '
    'priority="3" friction="0.01" solmix="9" group="4"/>',
)
"""A robot of Apollo's kind: its top defaults let nothing touch, its soles meet a floor by pairs of the scene alone."""


def write_untouched(folder: Path, made: Made = UNTOUCHED) -> tuple[Path, Path]:
    """The files of such a robot and of its scene."""
    robot, scene = folder / "untouched.xml", folder / "scene.xml"
    robot.write_text(xml(made))
    pairs = "".join(
        f'<pair geom1="{name}_sole" geom2="floor" condim="4" friction="0.8 0.8 0.01 0.0001 0.0001"/>'
        for name, _, _ in made.places
    )
    scene.write_text(
        f"""<mujoco model="untouched scene"><include file="untouched.xml"/>
  <worldbody><geom name="floor" type="plane" size="0 0 0.05"/></worldbody>
  <contact>{pairs}<pair geom1="left_sole" geom2="chest" condim="1"/></contact>
</mujoco>"""
    )
    return robot, scene


def _limits(made: Made, low: float, high: float) -> str:
    scale = 57.29577951308232 if made.degrees else 1
    return f'range="{low * scale} {high * scale}"'


def _joint(made: Made, name: str, axis: str) -> str:
    axes = {"roll": "1 0 0", "pitch": "0 1 0", "yaw": "0 0 1"}
    label = f'name="{name}_{axis}"' if made.named else ""
    return f'<joint {label} axis="{axes[axis]}" {_limits(made, -1.5, 1.5)}/>'


def _leg(made: Made, name: str, x: float, y: float) -> str:
    """A leg 0.8 m long with its sole 0.85 m below the hip; the ankle is 0.08 m above it."""
    shank_end = _shank_foot(made, name) if made.foot.startswith("shank") else _foot_on_ankle(made, name)
    return f"""
      <body name="{name}_hip" pos="{x} {y} 0">
        {_joint(made, f"{name}_hip", "roll")}
        <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.02" mass="1"/>
        <body name="{name}_thigh" pos="0 0 -0.05">
          {_joint(made, f"{name}_thigh", "pitch")}
          <geom class="touch" type="capsule" size="0.045" fromto="0 0 0 0 0 -0.33" mass="3"/>
          <body name="{name}_shank" pos="0 0 -0.38">
            {_joint(made, f"{name}_knee", "pitch")}
            <geom class="touch" type="capsule" size="0.03" fromto="0 0 0 0 0 -0.25" mass="2"/>
            {shank_end}
          </body>
        </body>
      </body>"""


def _shank_foot(made: Made, name: str) -> str:
    kind = 'type="mesh" mesh="brick" pos="0.0 0 -0.41"' if made.foot == "shank_mesh" else 'size="0.02" pos="0 0 -0.40"'
    return f"""
            <geom name="{name}_ball" class="sole" {kind} mass="0.1"/>
            <geom class="look" type="sphere" size="0.02" pos="0 0 -0.40" rgba="0 0 0 1"/>
            <site name="{name}_foot_site" pos="0 0 -0.42"/>"""


def _foot_on_ankle(made: Made, name: str) -> str:
    """Bodies from the end of the shank to the sole."""
    axes = made.ankle.split()
    opening, closing = "", ""
    for i, axis in enumerate(axes):
        last = i == len(axes) - 1
        label = "foot" if last else f"ankle_{axis}"
        opening += (
            f'<body name="{name}_{label}" pos="0 0 {-0.34 if i == 0 else 0}">{_joint(made, f"{name}_ankle", axis)}'
        )
        opening += "" if last else '<geom type="sphere" size="0.02" mass="0.2" contype="0" conaffinity="0"/>'
        closing += "</body>"
    drop = 0.0 if axes else -0.34
    return opening + _sole(made, name, drop) + closing


def _sole(made: Made, name: str, drop: float) -> str:  # noqa: PLR0911  (a table would be longer)
    """A foot of 200 x 80 mm, its underside 80 mm below the ankle, its middle 30 mm ahead."""
    z = drop - 0.08
    cls = 'class="sole"'
    site = f'<site name="{name}_foot_site" pos="0.03 0 {z}"/>'
    look = f'<geom class="look" type="box" size="0.1 0.04 0.03" pos="0.03 0 {z + 0.03}"/>'
    if made.foot == "box":
        box = f'type="box" size="0.1 0.04 0.01" pos="0.03 0 {z + 0.01}" mass="1"'
        return f'<geom {cls} name="{name}_sole" {box}/>{look}{site}'
    if made.foot == "mesh":
        return f'<geom {cls} type="mesh" mesh="brick" pos="0.03 0 {z + 0.01}" mass="1"/>{look}{site}'
    if made.foot == "spheres":
        return site + "".join(
            f'<geom {cls} size="0.01" pos="{0.03 + sx * 0.09} {sy * 0.03} {z + 0.01}" mass="0.25"/>'
            for sx in (-1, 1)
            for sy in (-1, 1)
        )
    if made.foot == "capsules":
        return site + "".join(
            f'<geom {cls} type="capsule" size="0.01" fromto="-0.06 {y} {z + 0.01} 0.12 {y} {z + 0.01}" mass="0.5"/>'
            for y in (-0.03, 0.03)
        )
    if made.foot == "cylinder":
        return f'<geom {cls} type="cylinder" size="0.06 0.01" pos="0 0 {z + 0.01}" mass="1"/>{site}'
    if made.foot == "toes":
        return f"""<geom {cls} type="box" size="0.065 0.04 0.01" pos="-0.005 0 {z + 0.01}" mass="0.7"/>{site}
          <body name="{name}_toe" pos="0.06 0 {z + 0.01}">{_joint(made, f"{name}_toe", "pitch")}
            <geom {cls} type="box" size="0.035 0.04 0.01" pos="0.035 0 0" mass="0.3"/>
          </body>"""
    return f"""<body name="{name}_pad" pos="0.03 0 {z}">
            <geom {cls} type="box" size="0.1 0.04 0.01" pos="0 0 0.01" mass="1"/>
            <site name="{name}_foot_site"/>
          </body>"""


def _arm(made: Made, side: str, y: float) -> str:
    return f"""
      <body name="{side}_upper_arm" pos="0 {y} 0.25">
        {_joint(made, f"{side}_shoulder", "pitch")}
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.25" mass="1.5"/>
        <body name="{side}_forearm" pos="0 0 -0.3">
          {_joint(made, f"{side}_elbow", "pitch")}
          <geom type="capsule" size="0.025" fromto="0 0 0 0 0 -0.25" mass="1"/>
        </body>
      </body>"""


def _actuators(made: Made) -> str:
    if not made.named:
        return ""
    shapes = {
        "motor": '<motor joint="{j}" ctrlrange="-100 100"/>',
        "position": '<position name="{j}" joint="{j}" kp="300" dampratio="1" ctrlrange="-1.5 1.5"/>',
        "general": '<general name="{j}" joint="{j}" dyntype="filter" dynprm="0.02" gainprm="80" ctrlrange="-1 1"/>',
    }
    return f"<actuator>{''.join(shapes[made.actuators].format(j=j) for j in leg_joints(made))}</actuator>"


def leg_joints(made: Made) -> list[str]:
    """Names of the joints of all legs, in the order of the file."""
    ankles = [] if made.foot.startswith("shank") else [f"ankle_{axis}" for axis in made.ankle.split()]
    return [f"{n}_{j}" for n, _, _ in made.places for j in ("hip_roll", "thigh_pitch", "knee_pitch", *ankles)]


def _foot_sensors(made: Made) -> str:
    return "".join(f'<force name="{n}_load" site="{n}_foot_site"/>' for n, _, _ in made.places)


def _keyframes(made: Made) -> str:
    """A crouch that is not the tallest posture, and a stand, both without names and slightly off the ground."""
    if not made.keyframes:
        return ""
    model = mujoco.MjModel.from_xml_string(xml(made.but(keyframes=False)))
    stand, crouch = model.qpos0.copy(), model.qpos0.copy()
    stand[2] += 0.03
    crouch[2] -= 0.1
    for i in range(model.njnt):
        bent = {"thigh_pitch": -0.4, "knee_pitch": 0.8, "ankle_pitch": -0.4}
        for ending, angle in bent.items():
            if model.joint(i).name.endswith(ending):
                crouch[model.jnt_qposadr[i]] = angle
    ctrl = np.linspace(-0.1, 0.1, model.nu)
    rows = [f'<key qpos="{_row(q)}" ctrl="{_row(ctrl)}" time="{t}"/>' for t, q in ((0.5, crouch), (0.0, stand))]
    return f"<keyframe>{''.join(rows)}</keyframe>"


def _row(values: np.ndarray) -> str:
    return " ".join(repr(float(v)) for v in values)


def _mesh_asset() -> str:
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.04, 0.04) for z in (-0.01, 0.01)]
    return f'<asset><mesh name="brick" vertex="{" ".join(str(v) for c in corners for v in c)}"/></asset>'


def write_stl(path: Path, half: tuple[float, float, float]) -> None:
    """A box as a binary STL file."""
    c = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, d, e in quads for t in ((a, b, d), (a, d, e))]
    with path.open("wb") as file:
        file.write(b"\0" * 80 + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            file.write(struct.pack("<12f", 0, 0, 0, *c[list(triangle)].flatten()) + b"\0\0")


def standing(robot: Robot, key: str | None = None) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A robot in a keyframe, by default the one it stands in."""
    model = robot.model()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key or robot.keyframe).id)
    mujoco.mj_forward(model, data)
    return model, data


def names(model: mujoco.MjModel, kind: str) -> set[str]:
    """Names of all elements of a kind."""
    count = {"actuator": model.nu, "joint": model.njnt}.get(kind) or getattr(model, f"n{kind}")
    return {getattr(model, kind)(i).name for i in range(count)}
