"""SoftFoot: the bench itself, the rebuilt twin, and what the paper says of its parts."""

from __future__ import annotations

import math
import runpy
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np

from plantar import bench
from plantar.bench.planar.press import run_trials as planar_trials
from plantar.feet.softfoot.bands import young_from_shore_a
from plantar.feet.softfoot.softfoot import SoftFoot
from plantar.table import Table
from validation.records import ROOT, Record, Row, shared
from validation.softfoot_press import FOOT, RIG, pressed

FORCES = ["force_heel", "force_module", "force_metatarsus"]
COMMAND = "`python tools/validate.py softfoot --only bench`, `plantar bench press`"
GENT = 2.46e6
"""Young's modulus of 50 Shore A by Gent's relation [Pa]."""
RELEASED = "models/menagerie/iit_softfoot/softfoot.xml"
SIDE, LOAD = 0.0185, 80.0
"""Where a narrow obstacle lies beside the middle [m], and the load on it [N]."""


def shares(one: Table, other: Table) -> np.ndarray:
    """Largest difference of the force of each part over all trials, as a share of the load."""
    return (np.abs(one.block(FORCES) - other.block(FORCES)) / one.block(["load"])).max(axis=0)


def the_bench() -> Record:
    """48 presses: balance, closed loops, time step, mirrors, bands, and the planar model beside."""
    nominal, todo = pressed(RIG), bench.trials()
    wanted = nominal.column("load") + nominal.column("weight")
    balance = float(np.abs(nominal.column("force_total") / wanted - 1).max())
    gap = float(nominal.column("residual").max())
    step = float(shares(nominal, bench.run_trials(FOOT, replace(RIG, timestep=RIG.timestep / 2), todo)).max())
    bands = float(shares(nominal, bench.run_trials(replace(FOOT, band_model="tendon"), RIG, todo)).max())
    planar = shares(nominal, planar_trials(FOOT, RIG, todo))
    mirrored = _mirrored()
    settled = int(nominal.column("settled").sum())
    young = young_from_shore_a(50.0)
    limits = [math.degrees(v) for v in (SoftFoot().extension_limit, SoftFoot().flexion_limit)]
    n = "48 presses; deterministic"
    rows = [
        _row("48 presses settle", "all", f"{settled} of {len(nominal)}", settled == len(nominal), n),
        _row("48 presses: total force", "load and carried weight", f"within {100 * balance:.0e} %", balance < 1e-3, n),
        _row("gap of the closed loops", "below 0.2 mm", f"{1000 * gap:.3f} mm", gap < 2e-4, n),
        _row("half the time step", "forces within 1 % of the load", f"{100 * step:.0e} %", step < 0.01, n),
        _row("mirrored rig; mirrored foot", "mirrored forces within 1 % of the load",
             "; ".join(f"{100 * v:.2f} %" for v in mirrored), max(mirrored) < 0.01, "one press each"),
        _row("bands as joints and as tendons", "two approaches are possible; within 3 % of the load",
             f"{100 * bands:.2f} %", bands < 0.03, n, "Section II-B, Figure 3"),
        _row("planar model without MuJoCo: heel, module, metatarsus", "within 5 % of the load",
             ", ".join(f"{100 * v:.2f}" for v in planar) + " %", float(planar.max()) < 0.05, n),
        _row("Young's modulus of 50 Shore A", "Gent 1958: 2.46 MPa", f"{young / 1e6:.2f} MPa",
             abs(young / GENT - 1) < 0.005, "", "Section II-B"),
        _row("range between modules", "20 and 90 degrees", f"{limits[0]:.0f} and {limits[1]:.0f} degrees",
             np.allclose(limits, (20, 90)), "", "Section II-B"),
    ]  # fmt: skip
    return Record(
        title="The bench",
        rows=rows,
        values={"balance": balance, "gap": gap, "step": step, "bands": bands, "planar": planar, "mirrored": mirrored},
    )


def twin() -> Record:
    """The released twin rebuilt: its sizes, and its forces in the same rig."""
    path = shared(RELEASED)
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), SoftFoot.published().model()
    sizes = [[m.nv, m.neq, m.ntendon, round(float(m.body_mass.sum()), 4)] for m in (theirs, ours)]
    compare = runpy.run_path(str(ROOT / "benchmarks" / "compare_released.py"))["compare"]
    worst = max(float(np.abs(row.error).max()) for row in compare(path))
    command = "`python tools/validate.py softfoot --only twin`, `python benchmarks/compare_released.py RELEASED`"
    told = [", ".join(str(v) for v in one) + " kg" for one in sizes]
    rows = [
        Row(
            what="released twin, rebuilt: degrees of freedom, equalities, tendons, mass",
            published=told[0],
            ours=told[1],
            verdict="confirmed" if sizes[0] == sizes[1] else "not confirmed",
            command=command,
        ),
        Row(
            what="the same, pressed with 20 to 400 N on a floor and on a 25 mm cylinder: heel, middle, front",
            published="the released model in the same rig",
            ours=f"within {worst:.3f} % of the load",
            verdict="confirmed" if worst < 0.1 else "not confirmed",
            command=command,
        ),
    ]
    return Record(title="The released twin", rows=rows, values={"sizes": sizes, "worst_percent": worst})


def _row(what: str, wanted: str, ours: str, good: Any, n: str, place: str = "") -> Row:
    return Row(
        what=what, published=wanted, ours=ours, n=n, place=place,
        verdict="confirmed" if good else "not confirmed", command=COMMAND,
    )  # fmt: skip


def _chains(y: float, side: Any = "left") -> np.ndarray:
    """Vertical force on the modules of each chain, from right to left, over a narrow obstacle [N]."""
    foot = SoftFoot(side=side)
    rig = bench.PressRig(flat=True, tilt=0.0, obstacle_y=y, obstacle_width=0.008, shape="box")
    model = rig.spec(foot).compile()
    data = mujoco.MjData(model)
    data.qpos[model.joint("slider").qposadr[0]] = rig.start_height(foot, 0.012)
    data.mocap_pos[0] = (rig.obstacle_x(foot, 3), y, 0.012)
    data.ctrl[0] = LOAD
    mujoco.mj_step(model, data, 2500)
    names = [[b for b in foot.contact_bodies if b.startswith(f"chain{c}_")] for c in range(1, 6)]
    forces = [sum(data.sensor(f"foot/{b}_force").data[2] for b in chain) for chain in names]
    # chain 1 is medial: the right one of a left foot
    return np.array(forces if side == "left" else forces[::-1])


def _mirrored() -> list[float]:
    left = _chains(SIDE)
    others = (_chains(-SIDE)[::-1], _chains(SIDE, "right"))
    return [float(np.abs(left - other).max() / LOAD) for other in others]
