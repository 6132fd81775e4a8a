"""A robot in numbers and words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco

from plantar.model.keyframes import posed
from plantar.model.legs import leg_at
from plantar.robots.export.text import bounds
from plantar.robots.mount.changes import geom_name
from plantar.robots.old_foot import ankle_point, has_ankle, old_geoms
from plantar.robots.place import Place
from plantar.robots.robot import Robot


def describe(robot: Robot) -> dict[str, Any]:
    """Mass, height, joints, keyframes and legs of a robot as plain data."""
    model = robot.model()
    data = posed(model, mujoco.MjData(model), model.key(robot.keyframe).qpos)
    base = model.body(robot.base).id
    return {
        "robot": robot.name,
        "source": None if robot.source is None else robot.source.name,
        "base": robot.base,
        "mass_kg": float(model.body_subtreemass[base]),
        "height_m": bounds(robot, model)[0],
        "degrees_of_freedom": model.nv,
        "joints": model.njnt,
        "actuators": model.nu,
        "sensors": model.nsensor,
        "keyframe": robot.keyframe,
        "keyframes": [model.key(i).name for i in range(model.nkey)],
        "centre_of_mass_m": data.subtree_com[base].tolist(),
        "legs": [_leg(model, data, base, place) for place in robot.places],
    }


def _leg(model: mujoco.MjModel, data: mujoco.MjData, base: int, place: Place) -> dict[str, Any]:
    leg = leg_at(model, base, model.body(place.body).id)
    back, front, right, left = place.extent
    ankle = has_ankle(model, data, leg)
    sole = data.site(place.site).xpos
    return {
        "place": place.name,
        "link": place.body,
        "ankle": "joint" if ankle else "none, the foot is the end of the shank",
        "ankle_height_m": float(ankle_point(model, data, leg)[2] - sole[2]),
        "sole_m": [back + front, right + left],
        "sole_at_m": sole.tolist(),
        "geoms": [geom_name(model, g) for g in old_geoms(model, data, leg)],
        "joints": list(place.joints),
    }


def text_of(facts: dict[str, Any], table: Callable[..., str]) -> str:
    """The same for people; `table` lays out rows."""
    rows = [
        {
            "place": leg["place"],
            "link": leg["link"],
            "ankle [mm]": 1e3 * leg["ankle_height_m"],
            "sole [mm]": f"{1e3 * leg['sole_m'][0]:.0f} x {1e3 * leg['sole_m'][1]:.0f}",
            "sole x [mm]": round(1e3 * leg["sole_at_m"][0], 1),
            "sole y [mm]": round(1e3 * leg["sole_at_m"][1], 1),
            "geoms": len(leg["geoms"]),
        }
        for leg in facts["legs"]
    ]
    others = [name for name in facts["keyframes"] if name != facts["keyframe"]]
    lines = [
        f"{facts['robot']}: {facts['mass_kg']:.3f} kg, {facts['height_m']:.3f} m tall, base {facts['base']}, "
        f"{facts['degrees_of_freedom']} degrees of freedom, {facts['actuators']} actuators, {facts['sensors']} sensors",
        f"stands as in keyframe {facts['keyframe']}" + (f"; others: {', '.join(others)}" if others else ""),
        "",
        table(rows),
        "",
    ]
    lines += [f"{leg['place']}: {', '.join(leg['joints'])}; ankle: {leg['ankle']}" for leg in facts["legs"]]
    return "\n".join(lines)
