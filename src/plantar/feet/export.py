"""Write a foot as a folder in the style of MuJoCo Menagerie, for use without Plantar."""

from __future__ import annotations

import logging
from pathlib import Path

import mujoco

from plantar._files import to_json, write_text
from plantar._folders import filling, read_path
from plantar.feet import _export_text as text
from plantar.feet.contact import set_contact
from plantar.feet.foot import Foot
from plantar.feet.slider import PREFIX, Slider
from plantar.model.assets import FOLDER, gather

log = logging.getLogger("plantar")


def export(foot: Foot, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write the model, a scene that presses it on a floor, its description and a picture.

    The model's XML holds every number exactly: what is loaded from it moves bit for bit like the
    foot it was written from.

    Args:
        foot: The foot to write.
        folder: Folder to write to; made if it does not exist.
        overwrite: Whether a folder that already holds files may be used; other files in it stay.

    Returns:
        The folder.

    Raises:
        InvalidInput: If the folder cannot be written, or holds files and `overwrite` is off.
    """
    xml, assets = model_files(foot)
    files = {
        f"{foot.name}.xml": xml,
        "scene.xml": text.scene(foot, attach=True),
        f"{foot.name}.json": to_json(foot, indent=2) + "\n",
        "README.md": text.readme(foot, file_spec(foot).compile()),
        "LICENSE": text.LICENSE,
        "CHANGELOG.md": text.changelog(foot),
    }
    with filling(folder, overwrite) as path:
        for name, content in assets.items():
            (path / FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (path / FOLDER / name).write_bytes(content)
        for name, content in files.items():
            write_text(path / name, content)
        draw(foot, path / f"{foot.name}.png")
    return read_path(folder)


def model_xml(foot: Foot) -> str:
    """The foot alone as MJCF that compiles to the same model, bit for bit, beside its meshes in `assets`."""
    return model_files(foot)[0]


def model_files(foot: Foot) -> tuple[str, dict[str, bytes]]:
    """The foot alone as MJCF that compiles to the same model, and the files that it needs in `assets`."""
    spec = file_spec(foot)
    # As compiled, numbers would be saved with six digits; as written, all of them are.
    spec.compiler.savecompiled = False
    spec.compiler.savecanonical = False
    return gather(spec, spec.to_xml(), f"foot {foot.name!r}")


def file_spec(foot: Foot) -> mujoco.MjSpec:
    """The foot as it is written: with sensors, and with contact for a slider under the cones of `scene.xml`."""
    spec = foot.spec(sensors=True)
    if foot.integrator == "discrete":
        # its springs are too stiff for MuJoCo's default, with which the file alone would blow up
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    if foot.contact is None:
        return spec
    scene = Slider().spec(foot)
    set_contact(scene, foot, PREFIX)
    for body in foot.contact_bodies:
        for geom, right in zip(spec.body(body).geoms, scene.body(PREFIX + body).geoms, strict=True):
            geom.solref, geom.solimp, geom.solmix = right.solref, right.solimp, right.solmix
    return spec


def scene_spec(foot: Foot) -> mujoco.MjSpec:
    """The scene of `scene.xml`, built from the foot itself instead of from its file."""
    spec = mujoco.MjSpec.from_string(text.scene(foot, attach=False))
    spec.attach(file_spec(foot), frame=spec.body("slider").add_frame(), prefix=PREFIX)
    return spec


def draw(foot: Foot, path: Path, size: tuple[int, int] = (960, 720)) -> Path | None:
    """Draw the foot over its floor to a PNG file; None if it cannot be drawn, as the folder is complete without it."""
    try:
        from plantar.show.picture import render  # noqa: PLC0415  (drawing is optional)
    except ImportError as error:
        log.warning("no picture of the foot: %s", error)
        return None
    model = scene_spec(foot).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    drawn = render(model, data, path, size=size)
    if drawn is None:
        log.warning("no picture of the foot: it cannot be drawn here")
    return drawn
