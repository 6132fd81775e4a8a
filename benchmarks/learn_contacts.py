"""Contacts, constraint rows and centre of pressure of the fast SoftFoot that touches with boxes and with rods.

Each foot is pressed on the ground while it stands and while it rolls from heel to toe, with the friction cone and the
contact of the tasks of `plantar.learn`. One line of JSON for each tilt: contacts and rows of both, and how far apart
their centres of pressure are, as a share of the sole's length; then the means.

    python benchmarks/learn_contacts.py --load 330
"""

from __future__ import annotations

import argparse
import json
import math

import mujoco
import numpy as np

from plantar.feet import SoftFoot, get
from plantar.feet.contact import set_contact
from plantar.feet.slider import PREFIX, Slider

TILTS = (-20.0, -10.0, -5.0, 0.0, 5.0, 10.0, 20.0, 30.0)
"""Pitch of the foot, front down [deg]."""
SECONDS = 2.0
"""Time for which it comes to rest [s]."""


def press(foot: SoftFoot, tilt: float, load: float) -> dict[str, float]:
    """Contacts, rows, iterations and centre of pressure of a foot that carries a load."""
    spec = Slider(tilt=math.radians(tilt), timestep=0.005).spec(foot)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_PYRAMIDAL, 1.0
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    set_contact(spec, foot, PREFIX)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[0], data.ctrl[0] = 0.25, load
    rows, contacts, iterations = [], [], []
    for step in range(round(SECONDS / model.opt.timestep)):
        mujoco.mj_step(model, data)
        if step * model.opt.timestep > SECONDS / 2:
            rows.append(data.nefc)
            contacts.append(data.ncon)
            iterations.append(int(data.solver_niter[0]))
    wrench, total, moment = np.zeros(6), 0.0, 0.0
    for i, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, i, wrench)
        up = abs(float((contact.frame.reshape(3, 3).T @ wrench[:3])[2]))
        total, moment = total + up, moment + up * float(contact.pos[0])
    return {
        "contacts": float(np.mean(contacts)),
        "rows": float(np.mean(rows)),
        "iterations": float(np.mean(iterations)),
        "point": moment / total,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", type=float, default=330.0, help="on one foot [N]")
    load = parser.parse_args().load
    box, rod = get("softfoot:fast"), get("softfoot:fast", fast__touch="rod")
    assert isinstance(box, SoftFoot) and isinstance(rod, SoftFoot)
    lines = []
    for tilt in TILTS:
        a, b = press(box, tilt, load), press(rod, tilt, load)
        line = {"tilt_deg": tilt, "apart": abs(a["point"] - b["point"]) / box.sole.length}
        for name in ("contacts", "rows", "iterations"):
            line |= {f"box_{name}": a[name], f"rod_{name}": b[name]}
        lines.append(line)
        print(json.dumps({key: round(value, 4) for key, value in line.items()}), flush=True)
    means = {key: round(float(np.mean([line[key] for line in lines])), 4) for key in lines[0] if key != "tilt_deg"}
    print(json.dumps({"mean of": len(lines), **means, "apart_max": round(max(line["apart"] for line in lines), 4)}))
    rows = {name: float(np.mean([line[f"{name}_rows"] for line in lines])) for name in ("box", "rod")}
    found = {"tilts": len(lines), "load": load, "rows": rows, "apart": max(line["apart"] for line in lines)}
    for name, value in found.items():
        print(f"figure learn.touch.{name} = {json.dumps(value)}")


if __name__ == "__main__":
    main()
