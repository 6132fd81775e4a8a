"""Build a SoftFoot, change one field, stand on it and read the ground forces.

    python examples/01_build_a_foot.py

A foot is a frozen description; `foot.spec()` is a `mujoco.MjSpec` with its origin at the ankle, which
MuJoCo attaches to anything. Here a vertical slider presses it on a cylinder.
"""

from __future__ import annotations

import mujoco

from plantar.feet import SoftFoot, readings


def press(foot: SoftFoot, load: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    across = [0, -0.1, 0, 0, 0.1, 0]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, fromto=across, size=[0.025, 0, 0])

    slider = spec.worldbody.add_body(name="slider", pos=[0, 0, foot.sole_height + 0.03])
    slider.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, -1], damping=[100, 0, 0])
    spec.attach(foot.spec(), frame=slider.add_frame(), prefix="foot/")

    model = spec.compile()
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = load
    for _ in range(4000):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return model, data


def main() -> dict[float, float]:
    """Print the effect of 100 N on a soft and a hard sole; return the travel of the ankle by hardness [m]."""
    travel = {}
    for hardness in (40.0, 75.0):
        foot = SoftFoot().with_(band__hardness=hardness)
        model, data = press(foot, load=100.0)
        travel[hardness] = float(data.qpos[0])
        force = readings.ground_force(model, data, "foot/")
        x, y = readings.centre_of_pressure(model, data, "foot/")
        print(f"Shore A {hardness:.0f}: {foot.band.hinge_stiffness:.2f} N m/rad at each hinge")
        print(f"  ground force    {force[2]:7.2f} N, centre of pressure ({1e3 * x:.1f}, {1e3 * y:.1f}) mm")
        print(f"  ankle came down {1e3 * travel[hardness]:7.2f} mm")
        print(f"  tendons         {readings.tendon_tensions(model, data, 'foot/').round(1)} N")
        print(f"  loops open by   {1e3 * readings.loop_residuals(model, data, 'foot/').max():7.4f} mm")
    return travel


if __name__ == "__main__":
    main()
