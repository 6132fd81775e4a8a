"""Write a foot as files that plain MuJoCo opens, and check that they move like the foot itself.

    python examples/02_export.py [FOLDER]

The folder holds the model, a scene that presses it on a floor, its description as JSON, a picture and
a README. Nothing in it needs Plantar.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

from plantar import feet
from plantar.feet.export import scene_spec


def pressed(model: mujoco.MjModel, load: float = 100.0, steps: int = 500) -> np.ndarray:
    data = mujoco.MjData(model)
    data.ctrl[0] = load
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return np.concatenate([data.qpos, data.qvel])


def main(folder: str | None = None) -> bool:
    """Export a foot; returns whether the files move bit for bit like the foot."""
    foot = feet.SoftFoot(chains=3, side="right")
    path = foot.export(folder or Path(tempfile.mkdtemp()) / "softfoot")
    print(f"{path}: {', '.join(sorted(p.name for p in path.iterdir()))}")

    from_files = pressed(mujoco.MjModel.from_xml_path(str(path / "scene.xml")))
    from_foot = pressed(scene_spec(foot).compile())
    same = np.array_equal(from_files, from_foot) and feet.load(path / "softfoot.json") == foot
    print("the files move bit for bit like the foot" if same else "the files differ from the foot")
    return same


if __name__ == "__main__":
    main(*sys.argv[1:2])
