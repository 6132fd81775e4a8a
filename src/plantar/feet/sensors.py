"""The sensors of a SoftFoot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco

from plantar.feet.softfoot.layout import Chain

if TYPE_CHECKING:
    from plantar.feet.softfoot.softfoot import SoftFoot

_BODY, _SITE, _TENDON = mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_SITE, mujoco.mjtObj.mjOBJ_TENDON


def add_sensors(spec: mujoco.MjSpec, foot: SoftFoot, layout: Chain) -> None:
    """Add contact forces, tendon tensions and loop residuals.

    - `<body>_force`: net contact force that the ground exerts on the body, in the world [N];
    - `tendon<c>_tension`: tension of chain c's tendon, positive when it pulls [N];
    - `loop<c>_residual`: gap of chain c's loop, sole from arch, in the arch's frame [m].
    """
    bodies = ["heel"] + [f"chain{c}_{link.name}" for c in range(1, foot.chains + 1) for link in layout.links]
    for body in bodies:
        add_contact_force(spec, f"{body}_force", body)
    for c in range(1, foot.chains + 1):
        if foot.tendon.present:
            spec.add_sensor(
                name=f"tendon{c}_tension",
                type=mujoco.mjtSensor.mjSENS_TENDONLIMITFRC,
                objtype=_TENDON,
                objname=f"tendon{c}",
            )
        spec.add_sensor(
            name=f"loop{c}_residual",
            type=mujoco.mjtSensor.mjSENS_FRAMEPOS,
            objtype=_SITE,
            objname=f"loop{c}_sole",
            reftype=_SITE,
            refname=f"loop{c}_arch",
        )


def add_contact_force(spec: mujoco.MjSpec, name: str, body: str) -> None:
    """Add a sensor of the net contact force that acts on `body`, in the world's axes [N]."""
    force = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
    netforce = 3  # the order of `reduce` in the manual: none, mindist, maxforce, netforce
    # As second partner of the contact the body is the one that the force acts on.
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        reftype=_BODY,
        refname=body,
        intprm=[force, netforce, 1],
    )
