"""What a workshop needs to build a foot: every part with its lengths, how many, and whether they fit together."""

from __future__ import annotations

import math
import re
from typing import Any

import mujoco
import numpy as np

from plantar._arguments import checks_arguments
from plantar._fields import field_rows
from plantar.design.measures import band_strain
from plantar.design.subject import Subject
from plantar.feet.foot import Foot
from plantar.feet.softfoot.bands import young_from_shore_a
from plantar.feet.softfoot.softfoot import SoftFoot

STRETCHES = ((50.0, 4.0), (60.0, 3.5), (70.0, 3.0))
"""Hardness in Shore A and the least strain at break: AASHTO M 251, polychloroprene, measured by ASTM D412 [-].

Compounds in between are interpolated, harder ones are extrapolated. Natural rubber stretches further (CAN/CSA-S6-06
asks for 400 % at 55 Shore A), so that bands of either are safe up to here; what fatigue leaves of it is not known.
"""
CLOSED = 1e-5
"""Loops of the straight foot count as closed up to this gap [m]."""


@checks_arguments
def parts_list(foot: Foot) -> list[dict[str, Any]]:
    """Parts of the full foot by kind: `part`, `count`, `what`, `value`, `unit`; several rows per part.

    Rigid parts, tendons and springs are read from the compiled model of any foot; bands, pulleys and the lengths of
    modules from the fields of a SoftFoot.
    """
    full = foot if foot.fidelity == "full" else foot.with_(fidelity="full")
    model = full.model()
    rows = _rigid(model, _lasts(full) if isinstance(full, SoftFoot) else {})
    if isinstance(full, SoftFoot):
        rows += _arches(full, model) + _modules(full) + _bands(full) + _tendons(full, model)
    else:
        rows += _cords(model) + _lengths(full)
    parts = list(dict.fromkeys(row["part"] for row in rows))
    return sorted(rows, key=lambda row: parts.index(row["part"]))  # all of a part together


def _row(part: str, count: int, what: str, value: Any, unit: str = "") -> dict[str, Any]:
    return {"part": part, "count": count, "what": what, "value": value, "unit": unit}


def _rigid(model: mujoco.MjModel, called: dict[str, str]) -> list[dict[str, Any]]:
    """Rigid parts by their name without numbers, or as they are called, with mass and the size of all that touches."""
    kinds: dict[tuple[str, float], list[int]] = {}
    for body in range(1, model.nbody):
        if model.body_mass[body] > 0:
            name = _CHAIN.sub("", model.body(body).name)
            name = called.get(name) or _NUMBERS.sub("", name).replace("_", " ").strip() or "part"
            kinds.setdefault((name, round(float(model.body_mass[body]), 9)), []).append(body)
    rows = []
    for (name, mass), bodies in kinds.items():
        rows.append(_row(name, len(bodies), "mass", mass, "kg"))
        touching = [g for g in range(model.ngeom) if model.geom_bodyid[g] == bodies[0] and model.geom_contype[g]]
        if touching:
            low, high = (np.array(ends) for ends in zip(*(_ends(model, g) for g in touching), strict=True))
            size = high.max(axis=0) - low.min(axis=0)
            rows += [
                _row(name, len(bodies), f"outer {axis}", float(v), "m") for axis, v in zip(_AXES, size, strict=True)
            ]
    return rows


def _ends(model: mujoco.MjModel, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest x, y and z of a geom in its body, turned as it is there [m]."""
    kind, (a, b, c) = mujoco.mjtGeom(int(model.geom_type[geom])), model.geom_size[geom]
    turn, where = np.empty(9), model.geom_pos[geom]
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    turned = turn.reshape(3, 3)
    along = np.abs(turned[:, 2])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        first, count = (int(row[model.geom_dataid[geom]]) for row in (model.mesh_vertadr, model.mesh_vertnum))
        corners = model.mesh_vert[first : first + count] @ turned.T
        return where + corners.min(axis=0), where + corners.max(axis=0)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        half = a + b * along
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        half = a * np.sqrt(np.clip(1 - along**2, 0, 1)) + b * along
    elif kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        half = np.linalg.norm(turned * (a if kind == mujoco.mjtGeom.mjGEOM_SPHERE else (a, b, c)), axis=1)
    else:
        half = np.abs(turned) @ model.geom_aabb[geom, 3:]
        where = where + turned @ model.geom_aabb[geom, :3]
    return where - half, where + half


_AXES = ("length", "width", "height")
_CHAIN, _NUMBERS = re.compile(r"^chain\d+_"), re.compile(r"\d+")


def _lasts(foot: SoftFoot) -> dict[str, str]:
    """Names of the last module and the last toe, which differ from those before them."""
    return {f"module{foot.modules}": "reverse module", f"toe{foot.toe_modules}": "toe tip"}


def _arches(foot: SoftFoot, model: mujoco.MjModel) -> list[dict[str, Any]]:
    """Lengths of the two arches from joint to joint, as the model has them."""
    front = _place(model, "loop1_arch")
    return [
        _row("posterior arch", 1, "ankle to heel joint", math.hypot(*foot.heel_joint), "m"),
        _row("anterior arch", 1, "ankle to metatarsal joint", math.hypot(front[0], front[2]), "m"),
        _row("heel", 1, "heel joint to first hinge, forward", foot.chain_start[0], "m"),
        _row("heel", 1, "heel joint to first hinge, up", foot.chain_start[1], "m"),
        _row("metatarsus", foot.chains, "rear hinge to metatarsal joint, forward", foot.metatarsal_joint[0], "m"),
        _row("metatarsus", foot.chains, "rear hinge to metatarsal joint, up", foot.metatarsal_joint[1], "m"),
    ]


def _place(model: mujoco.MjModel, site: str) -> np.ndarray:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return np.array(data.site(site).xpos)


def _modules(foot: SoftFoot) -> list[dict[str, Any]]:
    couplings = foot.chains * (foot.modules + foot.toe_modules + 1)
    return [
        _row("module", foot.chains * (foot.modules - 1), "pitch, hinge to hinge of the next", foot.pitch, "m"),
        _row("coupling", couplings, "distance of its two hinges", foot.coupling_length, "m"),
        _row("coupling", couplings, "stop towards the sole", foot.flexion_limit, "rad"),
        _row("coupling", couplings, "stop away from the sole", foot.extension_limit, "rad"),
        _row("reverse module", foot.chains, "rear to front hinge", foot.reverse_length, "m"),
        _row("metatarsus", foot.chains, "rear to front hinge", foot.metatarsus_length, "m"),
        _row("toe tip", foot.chains, "hinge to tendon's end", foot.tip_length, "m"),
    ]


def _bands(foot: SoftFoot) -> list[dict[str, Any]]:
    band = foot.band
    count = foot.chains * (foot.modules + foot.toe_modules + 1) * band.count
    bought = [
        ("hardness", band.hardness, "Shore A"),
        ("Young's modulus (Gent)", young_from_shore_a(band.hardness), "Pa"),
        ("width", band.width, "m"),
        ("thickness", band.thickness, "m"),
        ("length without force", band.free_length, "m"),
        ("length when mounted", band.free_length * (1 + band.stretch), "m"),
        ("pull when mounted", band.tension / band.count, "N"),
        ("largest strain in use", band_strain(Subject(foot)), ""),
    ]
    return [_row("elastic band", count, what, value, unit) for what, value, unit in bought]


def _tendons(foot: SoftFoot, model: mujoco.MjModel) -> list[dict[str, Any]]:
    """Cords as the compiled model has them, and what they run over."""
    own = foot.tendon
    if not own.present:
        return []
    cords = [t for t in range(model.ntendon) if model.tendon(t).name.startswith("tendon")]
    pulleys = len({int(model.wrap_objid[w]) for w in _wraps(model, cords[0]) if _is_pulley(model, w)})
    rows = [
        _row("tendon", len(cords), "length between its ends, taut", float(model.tendon_range[cords[0], 1]), "m"),
        _row("tendon", len(cords), "path in the straight foot", float(model.tendon_length0[cords[0]]), "m"),
        _row("tendon", len(cords), "distance below the hinges", own.arm, "m"),
        _row("tendon", len(cords), "distance below the metatarsal coupling", own.metatarsal_arm, "m"),
        _row("tendon", len(cords), "distance below the toes' couplings", own.toe_arm, "m"),
        _row("pulley", len(cords) * pulleys, "radius", own.pulley_radius, "m"),
    ]
    return [*rows, _row("heel roller", len(cords), "radius", own.heel_roller_radius, "m")]


def _wraps(model: mujoco.MjModel, tendon: int) -> range:
    first = int(model.tendon_adr[tendon])
    return range(first, first + int(model.tendon_num[tendon]))


def _is_pulley(model: mujoco.MjModel, wrap: int) -> bool:
    return int(model.wrap_type[wrap]) in (int(mujoco.mjtWrap.mjWRAP_CYLINDER), int(mujoco.mjtWrap.mjWRAP_SPHERE))


def _cords(model: mujoco.MjModel) -> list[dict[str, Any]]:
    """Tendons and joint springs of any foot."""
    rows = [_row(model.tendon(t).name, 1, "length", float(model.tendon_length0[t]), "m") for t in range(model.ntendon)]
    springs = np.flatnonzero(model.jnt_stiffness[:, 0] if model.jnt_stiffness.ndim > 1 else model.jnt_stiffness)
    kinds: dict[float, int] = {}
    for joint in springs:
        stiffness = float(np.ravel(model.jnt_stiffness[joint])[0])
        kinds[stiffness] = kinds.get(stiffness, 0) + 1
    return rows + [_row("joint spring", count, "stiffness", k, "N m/rad") for k, count in kinds.items()]


def _lengths(foot: Foot) -> list[dict[str, Any]]:
    """Every length of a foot's own description."""
    named = [row for row in field_rows(foot) if "[m]" in row.doc and isinstance(row.value, float)]
    return [_row(row.name, 1, row.doc.split("[m]")[0].strip(" ;,."), row.value, "m") for row in named]


@checks_arguments
def check_parts(foot: Foot) -> list[dict[str, Any]]:
    """Whether the parts fit the compiled model, one row per check: `check`, `value`, `allowed`, `good`."""
    full = foot if foot.fidelity == "full" else foot.with_(fidelity="full")
    model = full.model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    gaps = full.residuals(model, data.sensordata)
    rows = [_check(f"gap of loop {k} [m]", gap, CLOSED) for k, gap in enumerate(gaps, start=1)]
    if isinstance(full, SoftFoot):
        rows.append(
            _check("largest strain of a band [-]", band_strain(Subject(full)), break_strain(full.band.hardness))
        )
        rows += _check_lengths(full, model, data)
    return rows


def break_strain(hardness: float) -> float:
    """Strain that rubber of a hardness in Shore A reaches without breaking; see `STRETCHES`."""
    (_, most), *_, (before, longer), (last, least) = STRETCHES
    slope = (least - longer) / (last - before)
    return max(0.0, min(most, least + slope * (hardness - last)))


def _check_lengths(foot: SoftFoot, model: mujoco.MjModel, data: mujoco.MjData) -> list[dict[str, Any]]:
    """Distances in the compiled model against those of the list."""
    parts = _arches(foot, model) + _modules(foot) + _tendons(foot, model)
    listed = {(row["part"], row["what"]): row["value"] for row in parts}
    rows = [_check("sole and arches meet, by the list [m]", _closing(foot, listed), CLOSED)]
    if foot.modules > 2:
        apart = data.body("chain1_module2").xpos - data.body("chain1_module1").xpos
        pitch = listed["module", "pitch, hinge to hinge of the next"]
        rows.append(_check("module to module, model less list [m]", abs(float(np.linalg.norm(apart)) - pitch), CLOSED))
    if foot.tendon.present:
        path = listed["tendon", "path in the straight foot"]
        cord = listed["tendon", "length between its ends, taut"]
        now = float(data.ten_length[[t for t in range(model.ntendon) if model.tendon(t).name == "tendon1"][0]])
        rows.append(_check("tendon's path, model less list [m]", abs(now - path), CLOSED))
        rows.append(_check("tendon less path and slack [m]", abs(cord - path - foot.tendon.slack), CLOSED))
    return rows


def _closing(foot: SoftFoot, listed: dict[tuple[str, str], float]) -> float:
    """By how much the anterior arch is longer or shorter than from the ankle to the end of the chain [m].

    Heel joint, heel, couplings and modules are laid out one after the other from the lengths of the list alone.
    """
    angle = math.atan2(foot.heel_joint[1], foot.heel_joint[0])
    rear = listed["posterior arch", "ankle to heel joint"]
    x = rear * math.cos(angle) + listed["heel", "heel joint to first hinge, forward"]
    z = rear * math.sin(angle) + listed["heel", "heel joint to first hinge, up"]
    x += (foot.modules - 1) * listed["module", "pitch, hinge to hinge of the next"]
    x += 2 * listed["coupling", "distance of its two hinges"] + listed["reverse module", "rear to front hinge"]
    x += listed["metatarsus", "rear hinge to metatarsal joint, forward"]
    z += listed["metatarsus", "rear hinge to metatarsal joint, up"]
    return abs(math.hypot(x, z) - listed["anterior arch", "ankle to metatarsal joint"])


def _check(name: str, value: float, allowed: float) -> dict[str, Any]:
    return {"check": name, "value": value, "allowed": allowed, "good": math.isfinite(value) and value <= allowed}
