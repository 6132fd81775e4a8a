"""The texts of an exported folder."""

from __future__ import annotations

import re
from typing import Any

import mujoco

import plantar
from plantar._fields import field_rows
from plantar.feet.describe import derived
from plantar.feet.foot import Foot

CLEARANCE = 0.002
"""Gap between sole and floor at the start of the scene [m]."""

SCENE = """<mujoco model="{name} scene">
  <compiler angle="radian"/>

  <option timestep="0.002" integrator="{integrator}" cone="elliptic"{options}/>

  <statistic center="0.03 0 0.05" extent="0.3"/>

  <visual>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.45 0.45 0.45" specular="0.1 0.1 0.1"/>
    <rgba haze="0.86 0.9 0.94 1"/>
    <quality shadowsize="4096"/>
    <global azimuth="130" elevation="-20"/>
  </visual>

  <asset>{model}
    <texture type="skybox" builtin="gradient" rgb1="0.93 0.95 0.97" rgb2="0.62 0.7 0.79" width="256" height="256"/>
    <texture type="2d" name="floor" builtin="checker" mark="edge" rgb1="0.83 0.85 0.87" rgb2="0.79 0.81 0.84" \
markrgb="0.7 0.72 0.75" width="300" height="300"/>
    <material name="floor" texture="floor" texuniform="true" texrepeat="10 10" reflectance="0.05"/>
  </asset>

  <worldbody>
    <light directional="true" dir="-0.2 -0.3 -1" diffuse="0.3 0.3 0.3" castshadow="false"/>
    <light pos="0.3 0.4 1.2" dir="-0.25 -0.3 -1" diffuse="0.35 0.35 0.35"/>
    <geom name="floor" type="plane" size="0 0 0.05" material="floor"/>
    <body name="slider" pos="0 0 {height!r}">
      <joint name="press" type="slide" axis="0 0 -1" damping="100"/>{attach}
    </body>
  </worldbody>

  <actuator>
    <motor name="press" joint="press" ctrlrange="0 400"/>
  </actuator>
</mujoco>
"""

LICENSE = """Copyright The Plantar authors

Licensed under the Apache License, Version 2.0 (the "License"); you may not use
these files except in compliance with the License. You may obtain a copy of the
License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed
under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR
CONDITIONS OF ANY KIND, either express or implied. See the License for the
specific language governing permissions and limitations under the License.
"""

README = """# {title} (MJCF)

> [!IMPORTANT]
> Requires MuJoCo {mujoco} or later.

![{name}]({name}.png)

{summary}

| | |
|---|---|
{facts}

The origin is the ankle; x is forward, y left, z up. Units are SI. `scene.xml` presses the foot on a
floor with a vertical slider; the control of its motor `press` is the load in newtons.

## Use

```xml
<asset>
  <model name="{name}" file="{name}.xml"/>
</asset>
<worldbody>
  <body name="shin">
    <attach model="{name}" body="ankle" prefix="left/"/>
  </body>
</worldbody>
```

The foot has contype 1 and conaffinity 2: it touches geoms with MuJoCo's default masks and no other
foot. {contact}

## Sensors

{sensors}

## How it was made

{steps}

## Parameters

`{name}.json` holds the same values for `plantar.feet.load`.

| field | value | meaning |
|---|---|---|
{fields}

## License

These files are released under the [Apache-2.0 License](LICENSE).

## Citation

{citation}
"""


WRITTEN = (
    "Sensors were added for the force of the ground on the bodies of the sole.",
    "The file was written by Plantar {version} from the fields below with every number in full, so that it compiles to "
    "the same model bit for bit.",
)
"""The last steps of every foot's derivation."""
OWN_CONTACT = "Its contact has the stiffness of its sole on a slider under elliptic cones; attached to other masses, "
OWN_CONTACT += "`plantar.feet.set_contact` corrects it."
NO_CONTACT = "Its contact is that of its geoms."
SENSORS = {
    "_force": "force of the ground on that body, world axes [N]",
    "_tension": "tension of a chain or its tendon [N]",
    "_residual": "gap of a closed loop [m]",
}
"""Meaning of a sensor's reading, by the suffix of its name."""
CITATION = "The Plantar authors, *Plantar: soft adaptive feet for legged robots in MuJoCo*."


def scene(foot: Foot, *, attach: bool) -> str:
    """The scene around the foot, with the foot's file attached or with an empty slider."""
    model = f'\n    <model name="{foot.name}" file="{foot.name}.xml"/>' if attach else ""
    line = f'\n      <attach model="{foot.name}" body="ankle" prefix="foot/"/>' if attach else ""
    height = foot.sole_height + CLEARANCE
    changed = foot.set_options(mujoco.MjSpec())
    own = {name: after for name, (_, after) in changed.items() if name not in ("integrator", "cone")}
    options = "".join(f' {name}="{value}"' for name, value in own.items())
    return SCENE.format(
        name=foot.name, model=model, attach=line, height=height, integrator=foot.integrator, options=options
    )


def readme(foot: Foot, model: mujoco.MjModel) -> str:
    """The README: what the foot is, how it was derived and from which values; `model` is compiled from its file."""
    steps = (*foot.derivation, *WRITTEN)
    return README.format(
        title=foot.title or foot.name,
        name=foot.name,
        mujoco=".".join(mujoco.__version__.split(".")[:2]),
        summary=(type(foot).__doc__ or "").split("\n")[0],
        facts="\n".join(f"| {name} | {_show(value)} |" for name, value in derived(foot, model).items()),
        contact=NO_CONTACT if foot.contact is None else OWN_CONTACT,
        sensors=_sensors(model),
        steps="\n".join(f"{i}. {step.format(version=plantar.__version__)}" for i, step in enumerate(steps, start=1)),
        fields="\n".join(f"| `{r.name}` | {_show(r.value)} | {r.doc} |" for r in field_rows(foot)),
        citation="\n".join(f"- {line}" for line in (CITATION, *foot.citations)),
    )


def changelog(foot: Foot) -> str:
    """The first entry of a changelog."""
    return (
        f"# Changelog - {foot.name}\n\n- Written by Plantar {plantar.__version__} with MuJoCo {mujoco.__version__}; "
        f"fingerprint {foot.fingerprint()}.\n"
    )


def _sensors(model: mujoco.MjModel) -> str:
    """The sensors of a file; those that differ only in numbers share a line."""
    names = dict.fromkeys(re.sub(r"\d+", "<n>", model.sensor(i).name) for i in range(model.nsensor))
    if not names:
        return "There are none."
    return "\n".join(f"- `{name}`{_meaning(name)}" for name in names)


def _meaning(name: str) -> str:
    return next((f": {what}" for end, what in SENSORS.items() if name.endswith(end)), "")


def _show(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return ", ".join(map(_show, value))
    return "-" if value is None else str(value)
