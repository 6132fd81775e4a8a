"""SoftFoot: peak force of a foot that lands, beside the same foot locked and a plate of its outline."""

from __future__ import annotations

from itertools import product
from typing import Any

import mujoco
import numpy as np

from plantar.feet import FlatFoot
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.progress import Progress
from validation.records import Record, Row

CARRIED = 20.0
"""Mass that the ankle carries [kg]."""
FALLS = (0.005, 0.010, 0.020)
"""Heights of the fall [m]."""
BARS = (None, 0.30, 0.40, 0.50, 0.60)
"""Where a bar lies, as a share of the sole from its back; none: a floor."""
BAR, STEP, LASTS = 0.010, 2.5e-4, 0.25
"""Side of the bar [m], time step and simulated time [s]."""
NAMES = {"soft": "SoftFoot", "locked": "the same, locked", "plate": "a plate of its outline"}
COMMAND = "`python tools/validate.py softfoot --only impact`"


def impact() -> Record:
    """Falls of an ankle that carries 20 kg, on a floor and on a bar of 10 mm at four places under the sole."""
    foot = SoftFoot()
    feet: dict[str, Any] = {"soft": foot, "locked": foot.locked(), "plate": FlatFoot.like(foot)}
    found: dict[str, list[float]] = {name: [] for name in feet}
    cases = list(product(BARS, FALLS))
    with Progress(len(cases) * len(feet), "falls") as shown:
        for place, fall in cases:
            for name, one in feet.items():
                found[name].append(peak(one, fall, place))
                shown.advance()
    peaks = {name: np.array(values) for name, values in found.items()}
    floor = np.array([place is None for place, _ in cases])
    rows = [_row("a floor", peaks, floor), _row("a bar of 10 mm", peaks, ~floor)]
    cells = [
        ["floor" if place is None else f"bar at {100 * place:.0f} % of the sole", f"{1000 * fall:.0f} mm"]
        + [f"{peaks[name][i]:.0f} N" for name in feet]
        for i, (place, fall) in enumerate(cases)
    ]
    return Record(
        title="Landing",
        text="The paper says that the foot's architecture absorbs impacts. An ankle that carries 20 kg and may only "
        "move "
        "up and down falls on a floor, or on a bar of 10 mm under the sole. All three feet have the same contact at "
        "their soles.",
        rows=rows,
        tables=[{"title": "Peak force", "columns": ["ground", "fall", *NAMES.values()], "rows": cells}],
        values={"cases": [[place, fall] for place, fall in cases], "peaks": found},
    )


def _row(where: str, peaks: dict[str, np.ndarray], mine: np.ndarray) -> Row:
    less = {name: peaks["soft"][mine] / peaks[name][mine] - 1 for name in ("locked", "plate")}
    told = {name: f"{100 * v.mean():+.0f} % ({100 * v.min():+.0f} to {100 * v.max():+.0f})" for name, v in less.items()}
    good = all(v.max() < 0 for v in less.values())
    some = all(v.mean() < 0 for v in less.values())
    return Row(
        what=f"peak force of a landing on {where}: SoftFoot against the same foot locked",
        place="Section II-A",
        published="the architecture is responsible for impact absorption",
        ours=told["locked"],
        n=f"{int(mine.sum())} falls, deterministic; mean, least and largest",
        controls=f"against a plate of its outline {told['plate']}",
        verdict="confirmed" if good else "only in a regime" if some else "not confirmed",
        regime="" if good else "in the mean, not in every fall" if some else "not against both controls",
        command=COMMAND,
    )


def peak(foot: Any, fall: float, place: float | None) -> float:
    """Largest vertical force of the ground [N]."""
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], conaffinity=15)
    slider = spec.worldbody.add_body(name="slider", pos=[0, 0, 1])
    slider.add_joint(name="up", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    slider.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], mass=CARRIED, contype=0, conaffinity=0)
    spec.attach(foot.spec(), frame=slider.add_frame(), prefix="foot/")
    low, back, front = _outline(foot)
    if place is not None:
        x = back + place * (front - back)
        bar = {"type": mujoco.mjtGeom.mjGEOM_BOX, "conaffinity": 15, "friction": [0.8, 0.005, 0.0001]}
        spec.worldbody.add_geom(size=[BAR / 2, 0.2, BAR / 2], pos=[x, 0, BAR / 2], **bar)
    model = spec.compile()
    data, wrench, most = mujoco.MjData(model), np.zeros(6), 0.0
    data.qpos[model.joint("up").qposadr[0]] = -1 - low + fall + (BAR if place is not None else 0.0)
    for _ in range(round(LASTS / STEP)):
        mujoco.mj_step(model, data)
        total = 0.0
        for i, contact in enumerate(data.contact):
            mujoco.mj_contactForce(model, data, i, wrench)
            total += abs((wrench[:3] @ contact.frame.reshape(3, 3))[2])
        most = max(most, total)
    return most


def _outline(foot: Any) -> tuple[float, float, float]:
    """Lowest point of the foot below its ankle, and the back and front of what may touch [m]."""
    model = foot.spec().compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    touching = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
    corners = []
    for i in touching:
        half = model.geom_aabb[i, 3:]
        signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
        local = model.geom_aabb[i, :3] + signs * half
        corners.append(local @ data.geom_xmat[i].reshape(3, 3).T + data.geom_xpos[i])
    points = np.vstack(corners)
    near = points[points[:, 2] < points[:, 2].min() + 0.01]
    return float(points[:, 2].min()), float(near[:, 0].min()), float(near[:, 0].max())
