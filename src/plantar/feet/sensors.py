"""The sensor that all feet and rigs share."""

from __future__ import annotations

import mujoco


def add_contact_force(spec: mujoco.MjSpec, name: str, body: str) -> None:
    """Add a sensor of the net contact force that acts on `body`, in the world's axes [N]."""
    force = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE)
    netforce = 3  # the order of `reduce` in the manual: none, mindist, maxforce, netforce
    # As second partner of the contact the body is the one that the force acts on.
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        reftype=mujoco.mjtObj.mjOBJ_BODY,
        refname=body,
        intprm=[force, netforce, 1],
    )
