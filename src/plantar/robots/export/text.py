"""The texts of an exported folder."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

import plantar
from plantar.ground.contact.floor import PLAIN, add_ground, masks_for
from plantar.model.keyframes import posed
from plantar.model.shape import outlines
from plantar.robots.names import free_name
from plantar.robots.robot import Robot

LICENCE_FILES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "CITATION*")
"""Files of the source that are copied, from its folder or, if it has none, from the one above."""
FLOOR = "floor"
_SKY = 'type="skybox" builtin="gradient" rgb1="0.93 0.95 0.97" rgb2="0.62 0.7 0.79" width="256" height="256"'
_CHECKER = (
    'type="2d" builtin="checker" mark="edge" rgb1="0.83 0.85 0.87" rgb2="0.79 0.81 0.84" markrgb="0.7 0.72 0.75" '
    'width="300" height="300"'
)

SCENE = """<mujoco model="{name} scene">
  <include file="{name}.xml"/>

  <statistic center="0 0 {middle:.3g}" extent="{extent:.3g}"/>

  <visual>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.45 0.45 0.45" specular="0.1 0.1 0.1"/>
    <rgba haze="0.86 0.9 0.94 1"/>
    <global azimuth="130" elevation="-20"/>
  </visual>

  <asset>
    <texture {sky}/>
    <texture name="{floor}" {checker}/>
    <material name="{floor}" texture="{floor}" texuniform="true" texrepeat="5 5" reflectance="0.05"/>
  </asset>

  <worldbody>
    <light directional="true" dir="-0.2 -0.3 -1" diffuse="0.3 0.3 0.3"/>
    <geom name="{floor}" type="plane" size="0 0 0.05" material="{floor}"{fields}/>
  </worldbody>
</mujoco>
"""

README = """# {title} (MJCF)

> [!IMPORTANT]
> Requires MuJoCo {mujoco} or later.

![{name}]({name}.png)

{summary}

| | |
|---|---|
{facts}

`{name}.xml` is the robot without ground, `scene.xml` puts it on a floor. It stands in the keyframe `{keyframe}`:

```python
import mujoco

model = mujoco.MjModel.from_xml_path("scene.xml")
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, model.key("{keyframe}").id)
```

## Feet

| place | link | sole, length x width | site | foot's names |
|---|---|---|---|---|
{places}

{changes}## How it was made

{steps}

## License

{licence}
"""


def scene(robot: Robot, model: mujoco.MjModel) -> str:
    """A floor and light around the robot's file."""
    height, size = bounds(robot, model)
    return SCENE.format(
        name=robot.name,
        middle=height / 2,
        extent=size,
        floor=floor_name(robot.spec),
        sky=_SKY,
        checker=_CHECKER,
        fields="".join(f' {k}="{v}"' for k, v in _floor_fields(robot.spec).items()),
    )


def floor_name(spec: mujoco.MjSpec) -> str:
    """A name for the floor that the robot does not use."""
    taken = {e.name for kind in (spec.geoms, spec.textures, spec.materials) for e in kind}
    return free_name(FLOOR, taken)


def add_floor(spec: mujoco.MjSpec) -> mujoco.MjsGeom:
    """Add the floor of `scene.xml` to a spec."""
    return add_ground(spec, floor_name(spec), mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05])


def _floor_fields(spec: mujoco.MjSpec) -> dict[str, str]:
    """What the file of a floor must state: its masks, and what the robot's top defaults would otherwise override."""
    fields = {name: str(mask) for name, mask in masks_for(spec)._asdict().items()}
    for name, value in PLAIN.items():
        if name not in ("fromto", "material") and not np.array_equal(getattr(spec.default.geom, name), value):
            fields[name] = " ".join(f"{v:.17g}" for v in np.atleast_1d(value).astype(float))
    return fields


def readme(robot: Robot, model: mujoco.MjModel) -> str:
    """What the robot is, what it stands on and how it was made."""
    height, _ = bounds(robot, model)
    foot = robot.places[0].foot
    facts = {
        "mass": f"{model.body_subtreemass[model.body(robot.base).id]:.3f} kg",
        "height": f"{height:.3f} m",
        "degrees of freedom": str(model.nv),
        "actuators, sensors": f"{model.nu}, {model.nsensor}",
        "keyframes": ", ".join(model.key(i).name or f"#{i}" for i in range(model.nkey)),
    }
    steps = [f"Read from `{robot.source.name}`." if robot.source else "Built by Plantar from a table of numbers."]
    if foot is not None:
        steps += ["Removed the geoms of the old feet and the mass of their soles; the links stay."]
        steps += [f"Attached copies of the foot `{foot.name}`, left and right, and lifted every keyframe."]
    steps += [f"Written by Plantar {plantar.__version__}; every number is exact."]
    return README.format(
        title=f"{robot.name} on {foot.name}" if foot else robot.name,
        name=robot.name,
        mujoco=".".join(mujoco.__version__.split(".")[:2]),
        summary=f"The robot {robot.name} with the foot {foot.name}." if foot else f"The robot {robot.name}.",
        facts="\n".join(f"| {name} | {value} |" for name, value in facts.items()),
        keyframe=robot.keyframe,
        places="\n".join(_place_row(robot)),
        changes=f"## What changed\n\n```\n{robot.change.text}\n```\n\n" if robot.change else "",
        steps="\n".join(f"{i}. {step}" for i, step in enumerate(steps, start=1)),
        licence=_licence_note(robot),
    )


def _place_row(robot: Robot) -> list[str]:
    rows = []
    for p in robot.places:
        back, front, right, left = p.extent
        size = f"{1e3 * (back + front):.0f} x {1e3 * (right + left):.0f} mm"
        names = f"`{p.prefix}...`" if p.prefix else "its own"
        rows.append(f"| {p.name} | `{p.body}` | {size} | `{p.site}` | {names} |")
    return rows


def licences(robot: Robot) -> dict[str, str]:
    """Licence files of the source, by name."""
    return {file.name: file.read_text(encoding="utf-8", errors="replace") for file in licence_files(robot)}


def licence_files(robot: Robot) -> list[Path]:
    """Licence files beside the file a robot was read from, or one folder above."""
    if robot.source is None:
        return []
    home, above = robot.source.parent, robot.source.parent.parent
    for folder in (home, above):
        files = {f for pattern in LICENCE_FILES for f in folder.glob(pattern) if f.is_file()}
        # a link out of the robot's folders may lead to anything on this machine
        found = sorted(f for f in files if f.resolve().is_relative_to(above.resolve()))
        if found:
            return found
    return []


def _licence_note(robot: Robot) -> str:
    found = [file.name for file in licence_files(robot)]
    if robot.source is None:
        return "The robot and its feet were built by Plantar (Apache-2.0)."
    if not found:
        return f"The robot has the licence of `{robot.source.name}`, beside which no licence file was found."
    links = ", ".join(f"[{name}]({name})" for name in found)
    return f"The robot keeps the licence of its source: {links}. The feet were built by Plantar (Apache-2.0)."


def bounds(robot: Robot, model: mujoco.MjModel) -> tuple[float, float]:
    """Height of the robot in its standing keyframe, and its largest dimension [m]."""
    data = posed(model, mujoco.MjData(model), model.key(robot.keyframe).qpos)
    points = outlines(model, data, range(model.ngeom))
    return float(np.ptp(points[:, 2])), float(np.ptp(points, axis=0).max())
